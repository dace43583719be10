/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that were examined, found by what stat(2) says of them, and by the inode that the kernel
 * probes. What is kept of them counts against the budget of names; of files without functions to
 * probe, the one that was met longest ago is forgotten first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe_internal.h"

#define ASK_AGAIN_AFTER (10 * NSEC_PER_SEC)

static uint64_t examined_bytes(const struct examined *file)
{
	return sizeof(*file) + (file->path ? strlen(file->path) + 1 : 0);
}

static void examined_free(struct probe *probe, struct examined *file)
{
	budget_hold(probe->settings.budget, &file->item);
	budget_give(probe->settings.budget, file->taken);
	free(file->path);
	free(file);
}

void examined_forget(struct probe *probe, struct examined *file)
{
	struct examined *known;

	HASH_FIND(by_id, probe->by_id, &file->id, sizeof(file->id), known);
	if (known == file)
		HASH_DELETE(by_id, probe->by_id, file);
	HASH_DELETE(hh, probe->examined, file);
	examined_free(probe, file);
}

void examined_succeed(struct probe *probe, struct examined *file)
{
	struct examined *other, *next, *known;

	/* The same file through another overlay mount is met again. */
	HASH_ITER(hh, probe->examined, other, next)
		if (other != file && other->target == file->target &&
		    other->key.device == file->key.device && other->key.inode == file->key.inode)
			examined_forget(probe, other);
	HASH_FIND(by_id, probe->by_id, &file->id, sizeof(file->id), known);
	if (!known)
		HASH_ADD(by_id, probe->by_id, id, sizeof(file->id), file);
}

void examined_forget_of(struct probe *probe, const struct target *targets)
{
	struct examined *file, *next;
	const struct target *target;

	HASH_ITER(hh, probe->examined, file, next) {
		for (target = targets; target && target != file->target; target = target->next)
			;
		if (target)
			examined_forget(probe, file);
	}
}

/*
 * Forgets the file that was met longest ago among those that are no target: programs may map new
 * files without end.
 */
static void examined_bound(struct probe *probe)
{
	struct examined *file, *next;

	if (HASH_COUNT(probe->examined) < EXAMINED_MAX)
		return;
	HASH_ITER(hh, probe->examined, file, next) {
		if (file->target)
			continue;
		examined_forget(probe, file);
		return;
	}
}

static void examined_drop(void *context, struct budget_item *item)
{
	struct examined *file = context;

	(void)item;
	examined_forget(file->probe, file);
}

struct examined *examined_add(struct probe *probe, const struct examined_key *key,
			      const struct file_id *id, const char *path)
{
	struct examined *file, *known;

	examined_bound(probe);
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->key = *key;
	file->id = *id;
	file->path = strdup(path);
	file->probe = probe;
	file->item.drop = examined_drop;
	file->item.context = file;
	/*
	 * If there is no room it is kept all the same until its turn comes to be forgotten: a file
	 * that is being examined has to be known.
	 */
	if (budget_take(probe->settings.budget, examined_bytes(file)))
		file->taken = examined_bytes(file);
	HASH_ADD(hh, probe->examined, key, sizeof(file->key), file);
	HASH_FIND(by_id, probe->by_id, id, sizeof(*id), known);
	if (!known)
		HASH_ADD(by_id, probe->by_id, id, sizeof(file->id), file);
	return file;
}

void examined_clear(struct probe *probe)
{
	struct examined *file, *next;

	HASH_ITER(by_id, probe->by_id, file, next)
		HASH_DELETE(by_id, probe->by_id, file);
	HASH_ITER(hh, probe->examined, file, next) {
		HASH_DELETE(hh, probe->examined, file);
		examined_free(probe, file);
	}
}

/* ---- examining one ---- */

bool probe_error_passes(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM || err == -EPIPE;
}

static int file_examine(struct probe *probe, const struct seen_file *seen, const char *path,
			const struct sighting *sighting, struct reason *why)
{
	struct examined_key key = { 0 };
	const struct stat *st = &seen->st;
	struct examined *file;
	struct target *target;
	int err;

	key.device = st->st_dev;
	key.inode = st->st_ino;
	key.size = (uint64_t)st->st_size;
	key.changed = (uint64_t)st->st_ctim.tv_sec * NSEC_PER_SEC + (uint64_t)st->st_ctim.tv_nsec;
	HASH_FIND(hh, probe->examined, &key, sizeof(key), file);
	if (file && !file->target)
		budget_use(probe->settings.budget, &file->item);
	if (file)
		return file->target ?
			       1 :
			       reason_set(why, 0, "defines no CUDA function that cutop knows");
	if (!seen->identified)
		return reason_set(why, -EAGAIN, "cannot be identified");
	target = target_find(probe, &seen->id);
	probe_know(probe, &seen->id, target);
	file = examined_add(probe, &key, &seen->id, path);
	if (!file)
		return reason_set(why, -ENOMEM, "no memory");
	if (target) {
		target_tend(probe, target);
		if (!sighting->mounts_of)
			unused_anchor(target, 0);
	} else {
		err = target_new(probe, seen, path, sighting, &target, why);
		if (probe_error_passes(err) && !probe->ask_again)
			probe->ask_again = clock_ns(CLOCK_MONOTONIC) + ASK_AGAIN_AFTER;
		if (outside_is_later(err) || err == -ETIMEDOUT || probe_error_passes(err))
			examined_forget(probe, file);
		else if (err)
			budget_use(probe->settings.budget, &file->item);
		if (err)
			return err == -ENOENT ? 0 : err;
		probe_know(probe, &seen->id, true);
	}
	file->target = target;
	examined_succeed(probe, file);
	return 1;
}

int probe_examine(struct probe *probe, const struct seen_file *seen, const char *path,
		  const struct sighting *sighting, struct reason *why)
{
	static const struct sighting none;
	struct seen_file more;
	int result;

	/* The user may want other functions than those that the copy was made for. */
	if (seen->place >= 0 && extra_functions_want(probe->settings.extras, &seen->st, path)) {
		result = outside_open_again(&probe->outside, seen->place, true, path,
					    COPY_TABLES | COPY_CODE, &more);
		if (result)
			return reason_set(why, result, "%s", strerror(-result));
		seen = &more;
	}

	result = file_examine(probe, seen, path, sighting ? sighting : &none, why);
	if (seen == &more)
		seen_close(&more);
	return result;
}
