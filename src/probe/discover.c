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
#include <sys/vfs.h>
#include <unistd.h>

#include "probe/closure.h"
#include "probe/probe_internal.h"
#include "probe/late.h"
#include "probe/loader.h"
#include "probe/maps.h"
#include "probe/mounts.h"
#include "cuda/library_places.h"

/* ---- functions that the user names ---- */

struct extras_adding {
	struct probe *probe;
	struct reason *why;
	const char *library_path;
	int error;
};

static int cached_extra(void *context, const char *name, const char *path)
{
	struct extras_adding *adding = context;

	(void)name;
	/* The name says nothing against most of the cache. */
	if (extras_want(adding->probe->settings.extras, -1, path))
		probe_add_quietly(adding->probe, path);
	return 0;
}

static void extra_add(void *context, const char *request, const char *library, bool found)
{
	struct extras_adding *adding = context;
	struct reason why = { "" };
	int result;

	if (found || adding->error || !strchr(library, '/'))
		return;
	result = probe_add_path(adding->probe, library, &why);
	if (result < 0)
		adding->error = reason_set(adding->why, result, "--probe %s: %s: %s", request, library, why.text);
	else	/* with what it needs: a library that is loaded late brings a runtime */
		probe_add_program(adding->probe, library, adding->library_path);
}

static void extra_check(void *context, const char *request, const char *library, bool found)
{
	struct extras_adding *adding = context;

	if (!found && !adding->error && strchr(library, '/'))
		adding->error = reason_set(adding->why, -ENOENT, "--probe %s: %s defines no such function; nm -D --defined-only lists "
					   "what it exports", request, library);
}

int probe_add_extras(struct probe *probe, const char *library_path, struct reason *why)
{
	struct extras_adding adding = { .probe = probe, .why = why, .library_path = library_path };

	if (!probe->settings.extras)
		return 0;
	extras_visit(probe->settings.extras, extra_add, &adding);
	extras_visit(probe->settings.extras, extra_check, &adding);
	if (!adding.error)
		ld_cache_visit("", cached_extra, &adding);
	return adding.error;
}

/*
 * probe_examine() of what the process @pid has open or mapped as @path, and told of by @record (or NULL), by our own mounts if
 * it is there, too: through others it would hold those of a service or a container.
 */
static int told_examine(struct probe *probe, int fd, const char *path, pid_t pid, const struct rec_hdr *record, struct reason *why)
{
	int own = mounts_open_own(fd, path), result;
	const struct sighting sighting = { .record = record, .mounts_of = own < 0 ? pid : 0 };

	result = probe_examine(probe, own < 0 ? fd : own, path, &sighting, why);
	if (own >= 0)
		close(own);
	return result;
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
	told_examine(scan->probe, fd, file_is_open_to(entry->path, F_OK) ? entry->path : path, scan->pid, NULL, &why);
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
	probe_add_quietly(context, path);
	return 0;
}

static void scan_end(struct process_scan *scan)
{
	struct mapping_seen *seen, *next;

	HASH_ITER(hh, scan->seen, seen, next) {
		HASH_DELETE(hh, scan->seen, seen);
		free(seen);
	}
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
	scan_end(&scan);
}

void probe_find_ahead(struct probe *probe)
{
	unsigned int layers = probe->settings.bpf.layers;
	struct process_scan scan = { .probe = probe };
	size_t i;

	loader_add_own(probe);
	/* With -p only those processes; with COMMAND what others map is no business of ours. */
	for (i = 0; i < probe->settings.pid_count; i++)
		process_examine(&scan, (pid_t)probe->settings.pids[i]);
	if (!probe->settings.bpf.only_listed)
		processes_visit(process_examine, &scan);
	scan_end(&scan);
	if (probe->bpf.notices_driver)
		layers |= 1u << LAYER_DRIVER;
	if (layers & 1u << LAYER_DRIVER)
		ld_cache_visit("libcuda.so", cached_library, probe);
	ld_cache_visit("libcudart", cached_library, probe);
	places_visit(layers, probe_add_quietly, probe);
}

/* ---- programs and files met on the way ---- */

/* True if the file open at @fd is what @path leads to here. */
static bool is_reachable(int fd, const char *path)
{
	struct stat ours, theirs;

	return !stat(path, &ours) && !fstat(fd, &theirs) && file_is_same(&ours, &theirs);
}

static bool needs_cuda(int fd)
{
	struct reason why = { "" };
	struct elf_needs needs;
	bool found = false;
	size_t i;

	if (elffile_needs(fd, &needs, &why))
		return false;
	for (i = 0; i < needs.count && !found; i++)
		found = !strncmp(needs.needed[i], "libcuda", strlen("libcuda"));	/* libcudart, too */
	elffile_needs_free(&needs);
	return found;
}

static void program_tell(struct probe *probe, int fd, const struct rec_exec *record, const char *path, bool is_target)
{
	struct file_id id;

	if (probe->settings.on_program && !is_reachable(fd, path) && (is_target || needs_cuda(fd)) &&
	    !bpf_identify(&probe->bpf, fd, &id))
		probe->settings.on_program(probe->settings.context, fd, &id, record->hdr.tgid, path);
}

#define OVERLAY_MAGIC	0x794c7630	/* linux/magic.h, OVERLAYFS_SUPER_MAGIC */

/*
 * False if the file at @fd is surely not the one of @record: its process runs another program by now. Files of overlay
 * mounts may have another inode number here than the kernel told of.
 */
static bool is_told_of(const struct rec_exec *record, int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) || (uint64_t)st.st_size != record->id.size)
		return false;
	return st.st_ino == record->id.inode || (!fstatfs(fd, &fs) && fs.f_type == OVERLAY_MAGIC);
}

/* Has the next process that runs or maps the file of @id tell of it. */
static void file_ask_again(struct probe *probe, const struct file_id *id)
{
	bpf_map_delete_elem(bpf_map__fd(probe->bpf.skeleton->maps.files), id);
	bpf_forget_marks(&probe->bpf);
}

void probe_on_exec(struct probe *probe, const struct rec_exec *record)
{
	struct reason why = { "" };
	char path[64], real[4096];
	ssize_t n;
	int fd, result;

	snprintf(path, sizeof(path), "/proc/%u/exe", record->hdr.tgid);
	fd = file_open_regular(path);
	if (fd < 0) {
		file_ask_again(probe, &record->id);
		loader_answer(probe, &record->hdr);
		return;
	}
	n = readlink(path, real, sizeof(real) - 1);
	real[n > 0 ? n : 0] = 0;
	result = told_examine(probe, fd, n > 0 ? real : path, (pid_t)record->hdr.tgid, &record->hdr, &why);
	if (is_told_of(record, fd))
		probe_know(probe, &record->id);
	else
		file_ask_again(probe, &record->id);
	if (result >= 0)
		program_tell(probe, fd, record, real, result > 0);
	close(fd);
	loader_answer(probe, &record->hdr);
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

/* libcudart and libcuda, of whatever version: the name is all that is left of a file that could not be looked at. */
static bool is_cuda_name(const struct rec_mmap *record)
{
	return !strncmp(record->file, "libcudart", strlen("libcudart")) || !strncmp(record->file, "libcuda.so", strlen("libcuda.so"));
}

static void mapped_examine(struct mapped_search *search, int fd, const char *path)
{
	struct reason why = { "" };
	int result;

	result = told_examine(search->probe, fd, path, (pid_t)search->record->hdr.tgid, &search->record->hdr, &why);
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
	mapped_examine(search, fd, file_is_open_to(entry->path, F_OK) ? entry->path : path);
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
	fd = record->fd >= 0 ? file_open_regular(path) : -1;
	if (fd >= 0) {
		n = readlink(path, real, sizeof(real) - 1);
		real[n > 0 ? n : 0] = 0;
		if (is_name_of(record, real))
			mapped_examine(&search, fd, real);
		close(fd);
	}
	if (!search.found)
		maps_visit((pid_t)record->hdr.tgid, mapped_compare, &search);
	/* The process has exited, or has unmapped the library: what it did with it was not seen. */
	if (!search.found && is_cuda_name(record))
		probe->counts.late++;
	/* On an overlay mount that is not the inode that was examined. */
	if (search.found)
		probe_know(probe, &record->id);
	else if (record->fd >= 0)
		file_ask_again(probe, &record->id);
	loader_answer(probe, &record->hdr);
	/* Else it was met at one touch of many. This process would tell again at the next one; others still do. */
}
