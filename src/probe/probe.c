/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets: every file examined is remembered by what stat(2) says of it, so
 * that nothing is read twice; every target by the inode the kernel probes.
 *
 * The BPF side keeps its own set of known files (map `files`), so that
 * a process that maps a file examined before wakes nobody. Whatever is
 * examined here is entered there first: reading a library to find its symbols
 * must not report it again.
 */
#include "probe/probe.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <uthash.h>

#include "model/calls.h"
#include "probe/attach.h"
#include "probe/closure.h"
#include "probe/late.h"
#include "probe/maps.h"
#include "probe/places.h"

struct target {
	struct file_id id;
	struct attachment attachment;
	size_t aliases;
	struct target *next;
};

struct examined_key {
	uint64_t device, inode, size, changed;
};

struct examined {
	struct examined_key key;
	struct target *target;	/* NULL: not a target */
	struct file_id id;
	char *path;
	UT_hash_handle hh;	/* by key */
	UT_hash_handle by_id;
};

struct probe {
	struct bpf bpf;
	struct probe_settings settings;
	struct target *targets;
	struct examined *examined;
	struct examined *by_id;
	struct probe_counts counts;
	int *adopted;		/* links of others, see probe_adopt_link() */
	size_t adopted_count;
};

static int map_fd(const struct bpf_map *map)
{
	return bpf_map__fd(map);
}

/*
 * Where each function has a link of its own, which takes long to undo, the
 * driver's calls are left to those who ask for them alone: most are made by the
 * runtime, and seen there.
 */
static void layers_choose(struct probe *probe, const struct kernel_features *features)
{
	unsigned int *layers = &probe->settings.bpf.layers;

	if (features->method != ATTACH_PERF || *layers != (1u << LAYER_COUNT) - 1)
		return;
	*layers = 1u << LAYER_RUNTIME;
	note(probe->settings.notes, "this kernel takes long to undo probes: the driver's calls are not watched; "
	     "--layer driver asks for them alone");
}

int probe_open(struct probe **result, const struct probe_settings *settings, struct reason *why)
{
	struct kernel_features features;
	struct probe *probe;
	size_t i;
	int err;

	*result = NULL;
	if (!kernel_rights(why))
		return -EPERM;
	err = kernel_features_read(&features, settings->method, why);
	if (err)
		return err;
	probe = calloc(1, sizeof(*probe));
	if (!probe)
		return reason_set(why, -ENOMEM, "no memory");
	probe->settings = *settings;
	layers_choose(probe, &features);
	err = bpf_open(&probe->bpf, &features, &probe->settings.bpf, why);
	if (err) {
		free(probe);
		return err;
	}
	for (i = 0; i < settings->pid_count; i++)
		probe_list_process(probe, settings->pids[i], true);
	note(settings->notes, "Linux %s, probes by %s links", features.release, attach_method_names[features.method]);
	*result = probe;
	return 0;
}

/* ---- detaching ---- */

int probe_adopt_link(struct probe *probe, int fd)
{
	int *more = realloc(probe->adopted, (probe->adopted_count + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	probe->adopted = more;
	more[probe->adopted_count++] = fd;
	return 0;
}

static void targets_detach(struct probe *probe)
{
	size_t count = probe->adopted_count, at = 0;
	struct target *target;
	int *fds;

	for (target = probe->targets; target; target = target->next)
		count += target->attachment.link_count;
	fds = calloc(count ? count : 1, sizeof(*fds));
	for (target = probe->targets; target && fds; target = target->next) {
		memcpy(fds + at, target->attachment.links, target->attachment.link_count * sizeof(*fds));
		at += target->attachment.link_count;
		target->attachment.link_count = 0;
	}
	if (fds) {
		for (at = 0; at < probe->adopted_count; at++)
			fds[count - probe->adopted_count + at] = probe->adopted[at];
		links_close(fds, count);
		probe->adopted_count = 0;
	}
	free(fds);
	/* Helpers, and, without memory for the list, everything one by one. */
	for (target = probe->targets; target; target = target->next)
		attachment_close(&target->attachment);
	for (at = 0; at < probe->adopted_count; at++)
		close(probe->adopted[at]);
	free(probe->adopted);
}

void probe_close(struct probe *probe)
{
	struct examined *file, *next_file;
	struct target *target, *next;

	if (!probe)
		return;
	targets_detach(probe);
	for (target = probe->targets; target; target = next) {
		next = target->next;
		free(target);
	}
	HASH_ITER(by_id, probe->by_id, file, next_file) {
		HASH_DELETE(by_id, probe->by_id, file);
	}
	HASH_ITER(hh, probe->examined, file, next_file) {
		HASH_DELETE(hh, probe->examined, file);
		free(file->path);
		free(file);
	}
	bpf_close(&probe->bpf);
	free(probe);
}

struct bpf *probe_bpf(struct probe *probe)
{
	return &probe->bpf;
}

struct probe_counts probe_counts(const struct probe *probe)
{
	return probe->counts;
}

const char *probe_file_path(const struct probe *probe, const struct file_id *id)
{
	struct examined *file;

	HASH_FIND(by_id, probe->by_id, id, sizeof(*id), file);
	return file ? file->path : NULL;
}

int probe_list_process(struct probe *probe, uint32_t tgid, bool listed)
{
	int fd = map_fd(probe->bpf.skeleton->maps.listed);
	__u32 one = 1;

	if (listed)
		return bpf_map_update_elem(fd, &tgid, &one, BPF_ANY);
	return bpf_map_delete_elem(fd, &tgid);
}

/* ---- files ---- */

static uint32_t single_pid(const struct probe *probe)
{
	/* Before Linux 6.13 the filter of a link compares threads, not processes. */
	if (probe->settings.pid_count != 1 || probe->settings.bpf.follow_children ||
	    probe->bpf.features.method != ATTACH_SESSION)
		return 0;
	return probe->settings.pids[0];
}

static struct target *target_find(struct probe *probe, const struct file_id *id)
{
	struct target *target;

	for (target = probe->targets; target; target = target->next)
		if (!memcmp(&target->id, id, sizeof(*id)))
			return target;
	return NULL;
}

static void target_note(struct probe *probe, const struct target *target, const char *path, uint64_t began)
{
	note(probe->settings.notes, "%s: %u functions attached, %u refused, %zu further names, %.1f ms", path,
	     target->attachment.attached, target->attachment.failed, target->aliases,
	     (double)(clock_ns(CLOCK_MONOTONIC) - began) / NSEC_PER_MSEC);
}

/* Attaches to the functions of the file at @fd, and marks who has it mapped already. */
static int target_new(struct probe *probe, int fd, const struct stat *st, const struct file_id *id, const char *path,
		      struct target **result, struct reason *why)
{
	uint64_t began = clock_ns(CLOCK_MONOTONIC);
	struct attach_choice choice = { probe->settings.groups, probe->settings.bpf.layers };
	struct elf_functions found;
	struct target *target;
	int err;

	*result = NULL;
	err = elffile_functions(fd, &found, why);
	if (err)
		return err;
	if (!found.count)
		return reason_set(why, -ENOENT, "defines no CUDA function that cutop knows");
	target = calloc(1, sizeof(*target));
	if (!target) {
		err = reason_set(why, -ENOMEM, "no memory");
		goto out;
	}
	target->id = *id;
	target->aliases = found.aliases;
	__atomic_store_n(&probe->bpf.skeleton->bss->attaching, 1, __ATOMIC_SEQ_CST);
	err = attachment_open(&target->attachment, &probe->bpf, fd, &found, &choice, single_pid(probe), why);
	if (err) {
		free(target);
		goto out;
	}
	target->next = probe->targets;
	probe->targets = target;
	probe->counts.targets++;
	probe->counts.attached += target->attachment.attached;
	probe->counts.missing += target->attachment.failed;
	late_mark(&probe->bpf, st, id, path, clock_ns(CLOCK_BOOTTIME), probe->settings.on_late, probe->settings.context);
	target_note(probe, target, path, began);
	*result = target;
out:
	__atomic_store_n(&probe->bpf.skeleton->bss->attaching, 0, __ATOMIC_SEQ_CST);
	free(found.list);
	return err;
}

#define EXAMINED_MAX	16384

/* Forgets the file looked at longest ago that is no target: programs may map new files without end. */
static void examined_bound(struct probe *probe)
{
	struct examined *file, *next, *known;

	if (HASH_COUNT(probe->examined) < EXAMINED_MAX)
		return;
	HASH_ITER(hh, probe->examined, file, next) {
		if (file->target)
			continue;
		HASH_FIND(by_id, probe->by_id, &file->id, sizeof(file->id), known);
		if (known == file)
			HASH_DELETE(by_id, probe->by_id, file);
		HASH_DELETE(hh, probe->examined, file);
		free(file->path);
		free(file);
		return;
	}
}

static struct examined *examined_add(struct probe *probe, const struct examined_key *key, const struct file_id *id,
				     const char *path)
{
	struct examined *file, *known;

	examined_bound(probe);
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->key = *key;
	file->id = *id;
	file->path = strdup(path);
	HASH_ADD(hh, probe->examined, key, sizeof(file->key), file);
	HASH_FIND(by_id, probe->by_id, id, sizeof(*id), known);
	if (!known)
		HASH_ADD(by_id, probe->by_id, id, sizeof(file->id), file);
	return file;
}

/*
 * Examines the file open at @fd. Returns 1 if it is a target, 0 if it is none,
 * or a negative errno.
 */
static int file_examine(struct probe *probe, int fd, const char *path, struct reason *why)
{
	struct examined_key key = { 0 };
	struct examined *file;
	struct target *target;
	struct file_id id;
	struct stat st;
	__u32 one = 1;
	int err;

	if (fstat(fd, &st))
		return reason_set(why, -errno, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return reason_set(why, -EINVAL, "is not a regular file");
	key.device = st.st_dev;
	key.inode = st.st_ino;
	key.size = (uint64_t)st.st_size;
	key.changed = (uint64_t)st.st_ctim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_ctim.tv_nsec;
	HASH_FIND(hh, probe->examined, &key, sizeof(key), file);
	if (file)
		return file->target ? 1 : reason_set(why, 0, "defines no CUDA function that cutop knows");
	err = bpf_identify(&probe->bpf, fd, &id);
	if (err)
		return reason_set(why, err, "cannot be identified: %s", strerror(-err));
	bpf_map_update_elem(map_fd(probe->bpf.skeleton->maps.files), &id, &one, BPF_ANY);
	file = examined_add(probe, &key, &id, path);
	if (!file)
		return reason_set(why, -ENOMEM, "no memory");
	target = target_find(probe, &id);
	if (!target) {
		err = target_new(probe, fd, &st, &id, path, &target, why);
		if (err)
			return err == -ENOENT ? 0 : err;
	}
	file->target = target;
	return 1;
}

int probe_add_path(struct probe *probe, const char *path, struct reason *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), result;

	if (fd < 0)
		return reason_set(why, -errno, "%s", strerror(errno));
	result = file_examine(probe, fd, path, why);
	close(fd);
	return result;
}

static void add_quietly(void *context, const char *path)
{
	struct probe *probe = context;
	struct reason why = { "" };

	if (probe_add_path(probe, path, &why) < 0)
		note(probe->settings.notes, "%s: %s", path, why.text);
}

void probe_add_program(struct probe *probe, const char *path, const char *library_path)
{
	closure_visit(path, library_path, add_quietly, probe);
}

/* ---- what processes map ---- */

struct mapping_key {
	uint64_t inode;
	uint32_t major, minor;
};

struct mapping_seen {
	struct mapping_key key;
	UT_hash_handle hh;
};

struct process_scan {
	struct probe *probe;
	struct mapping_seen *seen;
	pid_t pid;
};

static int mapping_examine(void *context, const struct maps_entry *entry)
{
	struct process_scan *scan = context;
	struct mapping_key key = { entry->inode, entry->major, entry->minor };
	struct reason why = { "" };
	struct mapping_seen *seen;
	char path[4096 + 32];
	int fd;

	HASH_FIND(hh, scan->seen, &key, sizeof(key), seen);
	if (seen)
		return 0;
	seen = calloc(1, sizeof(*seen));
	if (!seen)
		return 0;
	seen->key = key;
	HASH_ADD(hh, scan->seen, key, sizeof(key), seen);
	fd = maps_open(scan->pid, entry);
	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/root%s", scan->pid, entry->path);
	file_examine(scan->probe, fd, access(entry->path, F_OK) ? path : entry->path, &why);
	close(fd);
	return 0;
}

static int process_examine(void *context, pid_t pid)
{
	struct process_scan *scan = context;

	if (pid == getpid())
		return 0;
	scan->pid = pid;
	maps_visit(pid, mapping_examine, scan);
	return 0;
}

static int cached_library(void *context, const char *name, const char *path)
{
	(void)name;
	add_quietly(context, path);
	return 0;
}

void probe_find_ahead(struct probe *probe)
{
	struct process_scan scan = { .probe = probe };
	struct mapping_seen *seen, *next;
	size_t i;

	/* With -p only those processes; with COMMAND what others map is no business of ours. */
	for (i = 0; i < probe->settings.pid_count; i++)
		process_examine(&scan, (pid_t)probe->settings.pids[i]);
	if (!probe->settings.bpf.only_listed)
		processes_visit(process_examine, &scan);
	HASH_ITER(hh, scan.seen, seen, next) {
		HASH_DELETE(hh, scan.seen, seen);
		free(seen);
	}
	if (probe->settings.bpf.layers & 1u << LAYER_DRIVER)
		ld_cache_visit("libcuda.so", cached_library, probe);
	ld_cache_visit("libcudart", cached_library, probe);
	places_visit(probe->settings.bpf.layers, add_quietly, probe);
}

/* ---- programs and files met on the way ---- */

void probe_on_exec(struct probe *probe, const struct rec_exec *record)
{
	struct reason why = { "" };
	char path[64], real[4096];
	ssize_t n;
	int fd, result;

	snprintf(path, sizeof(path), "/proc/%u/exe", record->hdr.tgid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		/* Gone already: look again should it come back. */
		bpf_map_delete_elem(map_fd(probe->bpf.skeleton->maps.files), &record->id);
		return;
	}
	n = readlink(path, real, sizeof(real) - 1);
	real[n > 0 ? n : 0] = 0;
	result = file_examine(probe, fd, n > 0 ? real : path, &why);
	close(fd);
	if (result < 0 && result != -ENOEXEC)
		note(probe->settings.notes, "%s: %s", real, why.text);
}

struct mapped_search {
	struct probe *probe;
	const struct rec_mmap *record;
	bool found;
};

/*
 * The record names the file that was mapped as the process had it open. On an
 * overlay mount that is another inode than the one behind the mapping, so
 * only the name says which file is meant; one more examined does no harm.
 */
static bool is_name_of(const struct rec_mmap *record, const char *path)
{
	const char *name = strrchr(path, '/');
	size_t len = strnlen(record->file, sizeof(record->file));

	return name && len && !strncmp(name + 1, record->file, len);
}

static void mapped_examine(struct mapped_search *search, int fd, const char *path)
{
	unsigned int targets = search->probe->counts.targets;
	struct reason why = { "" };
	int result = file_examine(search->probe, fd, path, &why);

	/* Nobody is seen to map it yet if it takes longer to do so than we take to place probes. */
	if (search->probe->counts.targets > targets)
		late_mark_process(&search->probe->bpf, search->record->hdr.tgid, search->probe->settings.on_late,
				  search->probe->settings.context);
	/* A file that is no library was looked at, too. */
	if (result >= 0 || result == -ENOEXEC || result == -EBADMSG)
		search->found = true;
	if (result < 0 && result != -ENOEXEC)
		note(search->probe->settings.notes, "%s: %s", path, why.text);
}

static int mapped_compare(void *context, const struct maps_entry *entry)
{
	struct mapped_search *search = context;
	char path[4096 + 32];
	int fd;

	if (!is_name_of(search->record, entry->path))
		return 0;
	fd = maps_open((pid_t)search->record->hdr.tgid, entry);
	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/root%s", search->record->hdr.tgid, entry->path);
	mapped_examine(search, fd, access(entry->path, F_OK) ? path : entry->path);
	close(fd);
	return 0;
}

void probe_on_mmap(struct probe *probe, const struct rec_mmap *record)
{
	struct mapped_search search = { .probe = probe, .record = record };
	char path[64], real[4096];
	ssize_t n;
	int fd;

	/* The loader holds the file open until it is mapped; after that the mapping shows it. */
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", record->hdr.tgid, record->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0) {
		n = readlink(path, real, sizeof(real) - 1);
		real[n > 0 ? n : 0] = 0;
		if (is_name_of(record, real))
			mapped_examine(&search, fd, real);
		close(fd);
	}
	if (!search.found)
		maps_visit((pid_t)record->hdr.tgid, mapped_compare, &search);
	if (!search.found)
		bpf_map_delete_elem(map_fd(probe->bpf.skeleton->maps.files), &record->id);
}
