/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target holds its file, and some twenty descriptors. Where programs are built, or containers
 * come and go, there are new targets every minute, for months. So a file that was deleted and is
 * not mapped is given up; and a file in a container's mounts once its last process has ended,
 * because a probe holds the mount, and with it a volume. When most of the descriptors that cutop
 * may have are in use, files that still exist but are not mapped are given up as well; a process
 * that maps one of them again reports it like a new one.
 * /proc shows what each process maps. Reading that of all processes takes some milliseconds, so it
 * is done only when there may be something to give up, and the more rarely, the longer it takes and
 * the less it yields. A process may fork unseen during the reading: a file is given up after it was
 * found unused twice.
 */
#include "probe/unused.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probe/probe_internal.h"
#include "probe/maps.h"
#include "probe/mounts.h"

#define WAIT_MIN NSEC_PER_SEC
#define WAIT_MAX (300 * NSEC_PER_SEC)
/* times as long as a look took: looking uses one per cent of a core while files come and go */
#define WAIT_FACTOR  100
#define FOUND_UNUSED 2 /* looks */

struct mapped_key {
	uint64_t inode;
	dev_t device;
};

struct mapped {
	struct mapped_key key;
	pid_t pid; /* a process that maps it */
	UT_hash_handle hh;
};

struct mapped_list {
	const struct probe *probe;
	struct mapped *files;
	pid_t pid;  /* whose mappings are read */
	bool later; /* the mappings of a process that counts take long */
};

static int mapping_add(void *context, const struct maps_entry *entry)
{
	struct mapped_key key = { .inode = entry->inode,
				  .device = makedev(entry->major, entry->minor) };
	struct mapped_list *list = context;
	struct mapped *mapped;

	HASH_FIND(hh, list->files, &key, sizeof(key), mapped);
	if (mapped)
		return 0;
	mapped = calloc(1, sizeof(*mapped));
	if (!mapped)
		return -ENOMEM;
	mapped->key = key;
	mapped->pid = list->pid;
	HASH_ADD(hh, list->files, key, sizeof(mapped->key), mapped);
	return 0;
}

static int process_add(void *context, pid_t pid)
{
	struct mapped_list *list = context;
	__u32 program;
	int err;

	list->pid = pid;
	/* An answer to the look before will do: a file has to be found unused twice. */
	err = outside_maps(&list->probe->outside, pid, 0, mapping_add, list);
	if (!err || err == -ENOMEM)
		return err;
	/*
	 * A process that has ended uses nothing. If we may not read the maps of one that makes CUDA
	 * calls, we cannot tell what it uses.
	 */
	if (err == -ENOENT || err == -ESRCH ||
	    bpf_map_lookup_elem(bpf_map__fd(list->probe->bpf.skeleton->maps.tgids), &pid, &program))
		return 0;
	list->later = outside_is_later(err);
	return err;
}

/*
 * Compares by device and inode. A mapping's device may differ from the one of stat(2) (overlay,
 * btrfs: major number 0, no driver), but if both have drivers, both are right.
 */
static const struct mapped *find_mapped(const struct mapped_list *list, dev_t device,
					uint64_t inode)
{
	const struct mapped *mapped;

	for (mapped = list->files; mapped; mapped = mapped->hh.next)
		if (mapped->key.inode == inode &&
		    (mapped->key.device == device || !major(mapped->key.device) || !major(device)))
			return mapped;
	return NULL;
}

void unused_anchor(struct target *target, pid_t pid)
{
	target->mounts = pid ? mounts_of(pid) : 0;
	if (target->mounts == mounts_of(getpid()))
		target->mounts = 0;
	target->member = pid;
}

/* True if the container that @target's file belonged to has ended. */
static bool is_left_behind(struct target *target)
{
	if (target->mounts && target->member && mounts_of(target->member) != target->mounts)
		target->member = mounts_member(target->mounts);
	return target->mounts && !target->member;
}

/*
 * How many to give up: half of the reported targets when half of the allowed descriptors are in
 * use; else 0.
 */
static size_t surplus(const struct probe *probe)
{
	size_t used = probe->adopted_count, met = 0;
	const struct target *target;
	struct rlimit limit;

	for (target = probe->targets; target; target = target->next) {
		used += target->attachment.link_count + (target->attachment.helper >= 0) +
			(target->guard.fd >= 0);
		met += target->met;
	}
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    used < limit.rlim_cur / 2)
		return 0;
	return (met + 1) / 2;
}

/* Marks the targets to give up if no process maps them. Returns how many there are. */
static size_t candidates_mark(struct probe *probe)
{
	size_t old = surplus(probe), met = 0, count = 0;
	struct target *target;
	struct stat st;

	for (target = probe->targets; target; target = target->next)
		met += target->met;
	for (target = probe->targets; target; target = target->next) {
		bool gone = target->guard.fd >= 0 &&
			    ((guard_stat(&target->guard, &st) && !st.st_nlink) ||
			     is_left_behind(target));

		/* The newest targets come first in the list. */
		target->is_candidate = !target->lifted && (gone || (target->met && met <= old));
		met -= target->met;
		count += target->is_candidate;
		if (!target->is_candidate)
			target->unused = 0;
	}
	return count;
}

static bool is_used(struct target *target, const struct mapped_list *list)
{
	const struct mapped *mapped;
	uint64_t others;
	struct stat st;

	if (!guard_stat(&target->guard, &st))
		return true;
	mapped = find_mapped(list, st.st_dev, st.st_ino);
	if (!mapped)
		mapped = find_mapped(list, st.st_dev, target->id.inode);
	/*
	 * Another container maps the same file: a layer of its image, or a volume. If it is in our
	 * mount namespace, it may be another file with that number.
	 */
	others = mapped && target->mounts ? mounts_of(mapped->pid) : 0;
	if (others && others != mounts_of(getpid())) {
		target->mounts = others;
		target->member = mapped->pid;
	}
	return mapped;
}

/*
 * Moves the targets that were found unused often enough from the probe's list to the list that is
 * returned: of more than FORGET_MAX the oldest, which come last.
 */
static struct target *targets_take(struct probe *probe, const struct mapped_list *list)
{
	struct target **at, *target, *taken = NULL;
	size_t due = 0;

	for (target = probe->targets; target; target = target->next) {
		if (target->is_candidate)
			target->unused = is_used(target, list) ? 0 : target->unused + 1;
		due += target->unused >= FOUND_UNUSED;
	}
	for (at = &probe->targets; (target = *at);) {
		if (target->unused < FOUND_UNUSED || due-- > FORGET_MAX) {
			at = &target->next;
			continue;
		}
		*at = target->next;
		target->next = taken;
		taken = target;
	}
	return taken;
}

/* Returns the targets to give up; NULL with *@later if that cannot be told yet. */
static struct target *look(struct probe *probe, bool *later)
{
	struct mapped_list list = { .probe = probe };
	struct target *taken = NULL;
	struct mapped *mapped, *next;

	if (!processes_visit(process_add, &list))
		taken = targets_take(probe, &list);
	*later = list.later;
	HASH_ITER(hh, list.files, mapped, next) {
		HASH_DELETE(hh, list.files, mapped);
		free(mapped);
	}
	return taken;
}

void unused_drop(struct probe *probe, uint64_t now)
{
	struct unused *unused = &probe->unused;
	struct target *taken, *target;
	uint64_t began, wait;
	size_t count = 0;
	bool later;

	if (now < unused->next)
		return;
	unused->next = now + WAIT_MIN;
	count = candidates_mark(probe);
	if (count != unused->candidates) {
		unused->wait = WAIT_MIN;
		unused->look = now;
	}
	unused->candidates = count;
	if (!count || now < unused->look)
		return;
	began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	taken = look(probe, &later);
	/* It was asked for; the answer is kept for a while. */
	if (later)
		return;
	wait = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began) * WAIT_FACTOR;
	for (target = taken, count = 0; target; target = target->next)
		count++;
	probe_forget(probe, taken);
	unused->candidates -= count;
	if (count)
		unused->wait = WAIT_MIN;
	if (wait < unused->wait)
		wait = unused->wait;
	/* There may be more. */
	if (count == FORGET_MAX)
		wait = WAIT_MIN;
	unused->look = now + wait;
	if (unused->wait < WAIT_MAX)
		unused->wait *= 2;
}
