/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files to examine: what processes map when cutop starts, what lies in the usual
 * places, and the programs and files met on the way.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/library_places.h"
#include "probe/closure.h"
#include "probe/late.h"
#include "probe/maps.h"
#include "probe/probe_internal.h"
#include "probe/pythons.h"

/* ---- examined ---- */

/*
 * Files that were examined, found by what stat(2) says of them. Of files without functions to probe, the one that was met longest ago is forgotten
 * first.
 */

static void examined_forget(struct probe *probe, struct examined *file)
{
	HASH_DEL(probe->examined, file);
	free(file->path);
	free(file);
}

/*
 * @file is what its target is now. What that was before it was changed is forgotten: a file that
 * grows without end is one target all the time.
 */
static void examined_succeed(struct probe *probe, struct examined *file)
{
	struct examined *other, *next;

	/* The same file through another overlay mount is met again. */
	HASH_ITER(hh, probe->examined, other, next)
		if (other != file && other->target == file->target &&
		    other->key.device == file->key.device && other->key.inode == file->key.inode)
			examined_forget(probe, other);
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

/*
 * Notes that the file of @key, which is @id and was found as @path, was examined. Returns NULL
 * without memory.
 */
static struct examined *examined_add(struct probe *probe, const struct examined_key *key,
				     const struct file_id *id, const char *path)
{
	struct examined *file;

	examined_bound(probe);
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->key = *key;
	file->id = *id;
	file->path = strdup(path);
	HASH_ADD(hh, probe->examined, key, sizeof(file->key), file);
	return file;
}

void examined_clear(struct probe *probe)
{
	struct examined *file, *next;

	HASH_ITER(hh, probe->examined, file, next)
		examined_forget(probe, file);
}

/* ---- examining one ---- */

/* The next process that runs or maps the file @id will report it again. */
static void file_ask_again(struct probe *probe, const struct file_id *id)
{
	bpf_map_delete_elem(bpf_map__fd(probe->bpf.skeleton->maps.files), id);
	bpf_forget_marks(&probe->bpf);
}

static int file_examine(struct probe *probe, const struct seen_file *seen, const char *path,
			const struct sighting *sighting, struct reason *why)
{
	struct examined_key key = { 0 };
	const struct stat *st = &seen->st;
	struct examined *file;
	struct target *target;
	int err = 0;

	key.device = st->st_dev;
	key.inode = st->st_ino;
	key.size = (uint64_t)st->st_size;
	key.changed = (uint64_t)st->st_ctim.tv_sec * NSEC_PER_SEC + (uint64_t)st->st_ctim.tv_nsec;
	HASH_FIND(hh, probe->examined, &key, sizeof(key), file);
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
		if (!target && error_passes(err))
			file_ask_again(probe, &seen->id);
		if (!target && (outside_is_later(err) || err == -ETIMEDOUT || error_passes(err)))
			examined_forget(probe, file);
		if (!target)
			return err == -ENOENT ? 0 : err;
		probe_know(probe, &seen->id, true);
	}
	file->target = target;
	examined_succeed(probe, file);
	return err ? err : 1;
}

/*
 * Examines @seen, found as @path and by @sighting (NULL: named by the user, or found ahead).
 * Returns 1 if it is a target, 0 if it is none, or a negative errno with @why set.
 */
static int probe_examine(struct probe *probe, const struct seen_file *seen, const char *path,
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

/* ---- named files ---- */

/*
 * Files whose path is known: those that the user names, and those that they lead to, before any of
 * them runs.
 */

static int path_add(struct probe *probe, const char *path, bool named,
		    enum errand_patience patience, struct reason *why)
{
	struct seen_file seen;
	int result = outside_open(&probe->outside, path, named, COPY_IF_HOOKED, patience, &seen);

	if (result)
		return reason_set(why, result, "%s", outside_error(result));
	result = probe_examine(probe, &seen, path, NULL, why);
	seen_close(&seen);
	return result;
}

int probe_add_path(struct probe *probe, const char *path, struct reason *why)
{
	return path_add(probe, path, true, ERRAND_LONG, why);
}

static void add_quietly(struct probe *probe, const char *path, bool named)
{
	const struct later later = { .what = named ? LATER_NAMED : LATER_PATH };
	struct reason why = { "" };
	int result = path_add(probe, path, named, probe->outside.patience, &why);

	if (outside_is_later(result))
		probe_keep(probe, &later, path);
	else if (result == -ETIMEDOUT)
		probe_lost(probe, LOST_UNANSWERED);
	else if (result < 0)
		note(probe->settings.notes, "%s: %s", path, why.text);
}

void probe_add_quietly(void *context, const char *path)
{
	add_quietly(context, path, false);
}

/* The same with the starting user's rights (util/starter.h). */
static void probe_add_named(void *context, const char *path)
{
	add_quietly(context, path, true);
}

void probe_patient(struct probe *probe, bool patient)
{
	probe->outside.patience = patient ? ERRAND_MEDIUM : ERRAND_SHORT;
}

/* What the user named is searched for, read and opened with that user's rights. */
static void program_add(void *context, const char *path)
{
	struct probe *probe = context;

	add_quietly(probe, path, true);
}

void probe_add_program(struct probe *probe, const char *path, const char *library_path,
		       const char *preload)
{
	int err = outside_ahead(&probe->outside, path, library_path, preload, program_add, probe);

	if (err && err != -EINTR)
		note(probe->settings.notes, "%s: the libraries that it needs were not found: %s",
		     path, outside_error(err));
}

/* ---- functions that the user names ---- */

struct extra_functions_adding {
	struct probe *probe;
	struct reason *why;
	const char *library_path;
	int error;
	bool interrupted;
};

static int cached_extra(void *context, const char *name, const char *path)
{
	struct extra_functions_adding *adding = context;

	(void)name;
	/* The name alone rules out most of the cache. */
	if (extra_functions_want(adding->probe->settings.extras, NULL, path))
		probe_add_quietly(adding->probe, path);
	return 0;
}

static void extra_add(void *context, const char *request, const char *library, bool found)
{
	struct extra_functions_adding *adding = context;
	struct probe *probe = adding->probe;
	struct reason why = { "" };
	struct seen_file seen;
	int result;

	if (found || adding->error || !strchr(library, '/'))
		return;
	result = outside_open(&probe->outside, library, true, COPY_TABLES | COPY_CODE, ERRAND_LONG,
			      &seen);
	if (result) {
		reason_set(&why, result, "%s", outside_error(result));
	} else {
		extras_settle(probe->settings.extras, library, &seen.st);
		result = probe_examine(probe, &seen, library, NULL, &why);
		seen_close(&seen);
	}
	adding->interrupted |= result == -EINTR; /* cutop is to end */
	if (adding->interrupted)
		return;
	if (result < 0)
		adding->error =
			reason_set(adding->why, result, "%s: %s: %s", request, library, why.text);
	else /* add what it needs, too: a library that is loaded late brings in a runtime */
		probe_add_program(adding->probe, library, adding->library_path, NULL);
}

static void extra_check(void *context, const char *request, const char *library, bool found)
{
	struct extra_functions_adding *adding = context;

	if (!found && !adding->error && !adding->interrupted && strchr(library, '/'))
		adding->error =
			reason_set(adding->why, -ENOENT,
				   "%s: %s defines no such function; nm -D --defined-only lists "
				   "what it exports",
				   request, library);
}

int probe_add_extras(struct probe *probe, const char *library_path, struct reason *why)
{
	struct extra_functions_adding adding = { .probe = probe,
						 .why = why,
						 .library_path = library_path };

	if (!probe->settings.extras)
		return 0;
	extra_functions_visit(probe->settings.extras, extra_add, &adding);
	extra_functions_visit(probe->settings.extras, extra_check, &adding);
	if (!adding.error)
		ld_cache_visit("", cached_extra, &adding);
	return adding.error;
}

/*
 * probe_examine() of a file that the process @pid has open or mapped, and that @record (or NULL)
 * tells of. It is opened through our own mounts if it is there, too: through others the probe would
 * keep those of a service or a container in use.
 */
static int told_examine(struct probe *probe, const struct seen_file *seen, pid_t pid,
			const struct rec_hdr *record, struct reason *why)
{
	const struct sighting sighting = { .record = record, .mounts_of = seen->own ? 0 : pid };

	return probe_examine(probe, seen, seen->path, &sighting, why);
}

/* ---- what processes map ---- */

struct process_scan {
	struct probe *probe;
	struct maps_seen *seen;
	pid_t pid;
};

/*
 * libcudart and libcuda of any version: if the file could not be examined, its name is all there is
 * to go by.
 */
static bool is_cuda_name(const char *name)
{
	return !strncmp(name, "libcudart", strlen("libcudart")) ||
	       !strncmp(name, "libcuda.so", strlen("libcuda.so"));
}

/*
 * Not even root may read a file of another user's FUSE mount, or of a server that trusts no root. The
 * user is told once, and of any file of the processes that were asked for.
 */
static void refused_tell(struct probe *probe, uint32_t tgid, const char *name, int error)
{
	if ((error != -EACCES && error != -EPERM) || probe->refused_told ||
	    (!is_cuda_name(name) && !probe->settings.bpf.only_listed))
		return;
	probe->refused_told = true;
	probe_notice(
		probe, NOTICE_LOST, tgid,
		"process %u has %s, which cutop may not read (%s): what it does there is not seen; "
		"'cutop doctor -p %u' says what helps",
		tgid, name, strerror(-error), tgid);
}

/* The same of a file that @pid maps: its process is marked. */
static void refused_mark(struct probe *probe, pid_t pid, const char *path, int error)
{
	struct rec_mmap record = { .hdr.tgid = (uint32_t)pid,
				   .hdr.time = clock_ns(CLOCK_MONOTONIC) };

	refused_tell(probe, (uint32_t)pid, path_base(path), error);
	snprintf(record.file, sizeof(record.file), "%s", path_base(path));
	if ((error == -EACCES || error == -EPERM) && is_cuda_name(record.file))
		late_gone(probe, &record);
}

/*
 * What did not come of a process of user @uid is lost, unless only another user's are watched.
 * OUTSIDE_NO_USER: it is not known whose it was.
 */
static void unanswered(struct probe *probe, uint32_t uid)
{
	uint32_t only = probe->settings.bpf.only_uid;

	if (only == (uint32_t)-1 || uid == OUTSIDE_NO_USER || uid == only)
		probe_lost(probe, LOST_UNANSWERED);
}

static void mapped_look(struct probe *probe, pid_t pid, const struct maps_entry *entry)
{
	const struct later later = { .what = LATER_MAPPED,
				     .mapped = { .pid = pid, .entry = *entry } };
	struct reason why = { "" };
	struct seen_file seen;
	int err = outside_open_mapped(&probe->outside, pid, entry, COPY_IF_HOOKED, &seen);

	if (!err)
		err = told_examine(probe, &seen, pid, NULL, &why);
	if (outside_is_later(err))
		probe_keep(probe, &later, entry->path);
	else if (err == -ETIMEDOUT)
		unanswered(probe, outside_user_of(pid));
	else
		refused_mark(probe, pid, entry->path, err);
	seen_close(&seen);
}

static int mapping_examine(void *context, const struct maps_entry *entry)
{
	struct process_scan *scan = context;

	if (maps_seen_add(&scan->seen, entry))
		mapped_look(scan->probe, scan->pid, entry);
	return 0;
}

static int process_examine(void *context, pid_t pid)
{
	const struct later later = { .what = LATER_PROCESS, .mapped.pid = pid };
	struct process_scan *scan = context;
	int err;

	if (pid == getpid())
		return 0;
	scan->pid = pid;
	err = outside_maps(&scan->probe->outside, pid, 0, mapping_examine, scan);
	if (outside_is_later(err))
		probe_keep(scan->probe, &later, NULL);
	else if (err == -ETIMEDOUT)
		unanswered(scan->probe, outside_user_of(pid));
	return 0;
}

static int cached_library(void *context, const char *name, const char *path)
{
	(void)name;
	probe_add_quietly(context, path);
	return 0;
}

void probe_find_running(struct probe *probe)
{
	int listed = bpf_map__fd(probe->bpf.skeleton->maps.listed);
	struct process_scan scan = { .probe = probe };
	__u32 pid, *last = NULL;

	if (!probe->settings.bpf.only_listed)
		processes_visit(process_examine, &scan);
	else
		for (; !bpf_map_get_next_key(listed, last, &pid); last = &pid)
			process_examine(&scan, (pid_t)pid);
	maps_seen_free(&scan.seen);
}

static void place_search(void *context, const char *pattern)
{
	struct probe *probe = context;

	outside_glob(&probe->outside, pattern, probe_add_quietly, probe);
}

static unsigned int layers_sought(const struct probe *probe)
{
	return probe->settings.bpf.layers | (probe->bpf.notices_driver ? 1u << LAYER_DRIVER : 0);
}

void probe_find_driver(struct probe *probe)
{
	if (layers_sought(probe) & 1u << LAYER_DRIVER)
		ld_cache_visit("libcuda.so", cached_library, probe);
}

void probe_find_ahead(struct probe *probe)
{
	struct process_scan scan = { .probe = probe };
	size_t i;

	/* These are to appear from the first snapshot on. */
	probe_patient(probe, true);
	/*
	 * With -p only these processes; with COMMAND the mappings of other processes do not matter.
	 */
	for (i = 0; i < probe->settings.pid_count; i++)
		process_examine(&scan, (pid_t)probe->settings.pids[i]);
	probe_patient(probe, false);
	if (!probe->settings.bpf.only_listed)
		processes_visit(process_examine, &scan);
	maps_seen_free(&scan.seen);
	ld_cache_visit("libcudart", cached_library, probe);
	places_visit(layers_sought(probe), place_search, probe);
	pythons_find_ahead(probe);
}

/* ---- programs and files met on the way ---- */

/*
 * False if the file @seen is certainly not the one of @record: the process has since run another
 * program. On overlay mounts a file may have another inode number here than the kernel reported.
 */
static bool is_told_of(const struct rec_exec *record, const struct seen_file *seen)
{
	return (uint64_t)seen->st.st_size == record->id.size &&
	       (seen->st.st_ino == record->id.inode || seen->layered);
}

void probe_on_exec(struct probe *probe, const struct rec_exec *record)
{
	const struct later later = { .what = LATER_EXEC, .exec = *record };
	struct reason why = { "" };
	struct seen_file seen;
	int result;

	result = outside_open_link(&probe->outside, (pid_t)record->hdr.tgid, "exe", NULL,
				   COPY_IF_HOOKED, &seen);
	if (result) {
		if (outside_is_later(result))
			probe_keep(probe, &later, NULL);
		else if (result == -ETIMEDOUT)
			unanswered(probe, record->uid);
		else
			refused_tell(probe, record->hdr.tgid, "a program", result);
		file_ask_again(probe, &record->id);
		return;
	}
	translator_tell(probe, (pid_t)record->hdr.tgid, seen.path);
	result = told_examine(probe, &seen, (pid_t)record->hdr.tgid, &record->hdr, &why);
	if (outside_is_later(result))
		probe_keep(probe, &later, NULL);
	if (is_told_of(record, &seen))
		probe_know(probe, &record->id, result > 0);
	else
		file_ask_again(probe, &record->id);
	if (result < 0 && result != -ENOEXEC)
		note(probe->settings.notes, "%s: %s", seen.path, why.text);
	seen_close(&seen);
}

struct mapped_search {
	struct probe *probe;
	const struct rec_mmap *record;
	bool found, is_target;
	bool later; /* it takes long */
	bool unanswered;
	struct maps_seen *seen; /* files that were looked at */
};

/*
 * The record names the file as the process had it open. On an overlay mount that inode differs from
 * the one behind the mapping, so only the name tells which file is meant; examining one file too
 * many does no harm.
 */
static bool is_name_of(const struct rec_mmap *record, const char *path)
{
	size_t len = strnlen(record->file, sizeof(record->file));

	return len && !strncmp(path_base(path), record->file, len);
}

static void mapped_examine(struct mapped_search *search, const struct seen_file *seen)
{
	struct reason why = { "" };
	int result;

	result = told_examine(search->probe, seen, (pid_t)search->record->hdr.tgid,
			      &search->record->hdr, &why);
	search->later = outside_is_later(result);
	/* A file that turned out to be no library was examined, too. */
	if (result >= 0 || result == -ENOEXEC || result == -EBADMSG)
		search->found = true;
	search->is_target |= result > 0;
	if (result < 0 && result != -ENOEXEC)
		note(search->probe->settings.notes, "%s: %s", seen->path, why.text);
}

static int mapped_compare(void *context, const struct maps_entry *entry)
{
	struct mapped_search *search = context;
	struct seen_file seen;
	int err;

	if (!is_name_of(search->record, entry->path) || !maps_seen_add(&search->seen, entry))
		return 0;
	err = outside_open_mapped(&search->probe->outside, (pid_t)search->record->hdr.tgid, entry,
				  COPY_IF_HOOKED, &seen);
	if (!err)
		mapped_examine(search, &seen);
	search->later |= outside_is_later(err);
	search->unanswered |= err == -ETIMEDOUT;
	refused_tell(search->probe, search->record->hdr.tgid, path_base(entry->path), err);
	seen_close(&seen);
	return 0;
}

/* The loader keeps the file open until it is mapped; after that the mapping shows it. */
static void opened_examine(struct mapped_search *search)
{
	const struct rec_mmap *record = search->record;
	char link[32], name[CUTOP_FILE_LEN];
	struct seen_file seen;
	int err;

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(record->file) - 1, record->file);
	if (record->fd < 0 || !name[0])
		return;
	snprintf(link, sizeof(link), "fd/%d", record->fd);
	err = outside_open_link(&search->probe->outside, (pid_t)record->hdr.tgid, link, name,
				COPY_IF_HOOKED, &seen);
	if (!err)
		mapped_examine(search, &seen);
	search->later |= outside_is_later(err);
	search->unanswered |= err == -ETIMEDOUT;
	seen_close(&seen);
}

void probe_on_mmap(struct probe *probe, const struct rec_mmap *record)
{
	struct mapped_search search = { .probe = probe, .record = record };
	const struct later later = { .what = LATER_MMAP, .mmap = *record };
	int err;

	opened_examine(&search);
	if (!search.found && !search.later) {
		err = outside_maps(&probe->outside, (pid_t)record->hdr.tgid, record->hdr.time,
				   mapped_compare, &search);
		maps_seen_free(&search.seen);
		search.later |= outside_is_later(err);
		search.unanswered |= err == -ETIMEDOUT;
	}
	if (search.later) {
		probe_keep(probe, &later, NULL);
		return;
	}
	if (search.unanswered)
		unanswered(probe, record->uid);
	if (!search.found && is_cuda_name(record->file))
		late_gone(probe, record);
	/* On an overlay mount this is not the inode that was examined. */
	if (search.found)
		probe_know(probe, &record->id, search.is_target);
	else if (record->fd >= 0)
		file_ask_again(probe, &record->id);
	/*
	 * Otherwise only one of many page touches reported it. This process would report it again
	 * at the next one; others still do.
	 */
}

static uint32_t record_uid(const struct rec_hdr *record)
{
	return record->type == REC_EXEC ? ((const struct rec_exec *)record)->uid :
					  ((const struct rec_mmap *)record)->uid;
}

bool probe_is_of_other(const struct probe *probe, const struct rec_hdr *record)
{
	uint32_t only = probe->settings.bpf.only_uid;

	return only != (uint32_t)-1 && record_uid(record) != only;
}

void probe_leave_out(struct probe *probe, const struct rec_hdr *record)
{
	const struct rec_exec *exec = (const struct rec_exec *)record;
	const struct rec_mmap *mmap = (const struct rec_mmap *)record;
	bool is_exec = record->type == REC_EXEC;

	unanswered(probe, record_uid(record));
	/* One that touches its pages would report it again at once: see probe_on_mmap(). */
	if (is_exec || mmap->fd >= 0)
		file_ask_again(probe, is_exec ? &exec->id : &mmap->id);
}

/* ---- what takes long ---- */

static void later_try(void *context, const void *what)
{
	struct probe *probe = context;
	struct process_scan scan = { .probe = probe };
	struct later later;

	memcpy(&later, what, sizeof(later));
	/* It stands behind. */
	later.path = (const char *)what + sizeof(later);
	switch (later.what) {
	case LATER_PATH: probe_add_quietly(probe, later.path); break;
	case LATER_NAMED: probe_add_named(probe, later.path); break;
	case LATER_MAPPED:
		later.mapped.entry.path = later.path;
		mapped_look(probe, later.mapped.pid, &later.mapped.entry);
		break;
	case LATER_PROCESS:
		process_examine(&scan, later.mapped.pid);
		maps_seen_free(&scan.seen);
		break;
	case LATER_EXEC: probe_on_exec(probe, &later.exec); break;
	case LATER_MMAP: probe_on_mmap(probe, &later.mmap); break;
	case LATER_MAPPER: late_try(probe, &later); break;
	}
}

void probe_keep(struct probe *probe, const struct later *later, const char *path)
{
	size_t len = path ? strlen(path) + 1 : 1;
	char *kept = malloc(sizeof(*later) + len);

	if (kept) {
		memcpy(kept, later, sizeof(*later));
		memcpy(kept + sizeof(*later), path ? path : "", len);
	}
	if (!kept || !again_keep(&probe->again, later_try, probe, kept, sizeof(*later) + len))
		probe_lost(probe, LOST_UNANSWERED);
	free(kept);
}
