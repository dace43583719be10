/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Right after a file was probed, every process that maps it is looked up in /proc. A process that
 * was started since then maps it as well and is not late: its start time shows that, as precisely
 * as /proc's clock ticks. In doubt it counts as late.
 * How much was missed depends on the file. Calls of the driver itself: anything. Calls of a runtime
 * reach the driver, which has had its probes for longer, so that only these calls are missed, and
 * only if there were any: the driver was then called from this file (unprobed_callers,
 * bpf/caller.bpf.h).
 */
#include "probe/late.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probe/bpf_rows.h"
#include "probe/maps.h"
#include "probe/probe_internal.h"
#include "util/util.h"

/* ---- idle processes ---- */

/*
 * Processes that --pid names and that have made no call yet. BPF gives a process a program number
 * at its first call; this does so earlier.
 * Makes the rows that program_new() (bpf/threads.bpf.h) would make, in an order that keeps them
 * right while the process makes its first call, ends or runs another program:
 *
 * - The row in `programs` is whole before `tgids` leads to it. If a thread of the process gave it a
 *   program meanwhile, the
 *   key in `tgids` is there, and our row is deleted.
 * - BPF deletes the key in `late` before it looks into `tgids` when a process ends. If the key is
 *   there after `tgids` was
 *   written, an end that follows finds the program. If not, the process is gone: who can delete the
 *   key in `tgids`, BPF or we,
 *   ends the program.
 */

/* Fills @row from /proc/PID/stat and status. Returns false if the process is gone. */
static bool row_read(uint32_t tgid, struct program_row *row)
{
	struct process_stat stat;
	char path[64], *text, *at;
	bool known = process_stat_read((pid_t)tgid, &stat);

	row->start_time = stat.started;
	row->parent_tgid = stat.parent;
	memcpy(row->comm, stat.comm, sizeof(row->comm) - 1);
	snprintf(path, sizeof(path), "/proc/%u/status", tgid);
	text = known ? file_read(path, 16384, NULL) : NULL;
	at = text ? strstr(text, "\nUid:") : NULL;
	known = at && sscanf(at, "\nUid: %u", &row->uid) == 1;
	free(text);
	return known;
}

int idle_watch(struct bpf *bpf, uint32_t tgid, uint32_t uid, struct rec_process *process)
{
	int programs = bpf_map__fd(bpf->skeleton->maps.programs),
	    tgids = bpf_map__fd(bpf->skeleton->maps.tgids);
	int late = bpf_map__fd(bpf->skeleton->maps.late);
	struct program_row row = {
		.tgid = tgid,
	};
	uint32_t program, known;

	if (!bpf_map_lookup_elem(tgids, &tgid, &known))
		return 0;
	if (bpf_map_lookup_elem(late, &tgid, &row.late))
		return -ENOENT;
	if (!row_read(tgid, &row) || (uid != (uint32_t)-1 && uid != row.uid))
		return 0;
	row.first_time = clock_ns(CLOCK_MONOTONIC);
	program = __atomic_add_fetch(&bpf->skeleton->bss->last_program, 1, __ATOMIC_SEQ_CST);
	if (bpf_map_update_elem(programs, &program, &row, BPF_NOEXIST))
		return 0;
	__atomic_add_fetch(&bpf->skeleton->bss->rows_made[ROWS_PROGRAMS], 1, __ATOMIC_SEQ_CST);
	__atomic_and_fetch(&bpf->skeleton->bss->watchful[program & (WATCHFUL_COUNT - 1)],
			   ~WATCHFUL_MARKS, __ATOMIC_SEQ_CST);
	near_sync_claim(bpf->skeleton, program);
	if (bpf_map_update_elem(tgids, &tgid, &program, BPF_NOEXIST) ||
	    (bpf_map_lookup_elem(late, &tgid, &known) && !bpf_map_delete_elem(tgids, &tgid))) {
		near_sync_release(bpf->skeleton, program);
		bpf_map_delete_elem(programs, &program);
		return 0;
	}
	*process = (struct rec_process){
		.hdr = { .type = REC_PROCESS,
			 .size = sizeof(*process),
			 .program = program,
			 .time = row.first_time,
			 .tgid = tgid },
		.start_time = row.start_time,
		.parent_tgid = row.parent_tgid,
		.uid = row.uid,
	};
	memcpy(process->comm, row.comm, sizeof(process->comm));
	return 1;
}

/* ---- translation ---- */

/*
 * Translators: programs that read the code of others and run a translation of it (valgrind, Pin,
 * DynamoRIO, QEMU's user mode). They read a breakpoint as code, and it ends the program. The kernel
 * cannot exempt one process when all that map a file are probed: so the user is told, when the first
 * of a kind starts, and of those that have a file mapped when it is probed.
 * Translators are recognized by their names: such a program reads files like any other, so nothing
 * else tells it apart.
 */

#if defined(__aarch64__)
#define VALGRIND_MACHINE "arm64"
#define QEMU_MACHINE     "aarch64"
#else
#define VALGRIND_MACHINE "amd64"
#define QEMU_MACHINE     "x86_64"
#endif

#define VALGRIND(tool) \
	{ \
		tool "-" VALGRIND_MACHINE "-linux", "valgrind" \
	}

/* File names; a process name (comm) has the first 15 bytes of one. */
static const struct {
	const char *name, *kind;
} known[] = {
	VALGRIND("memcheck"),
	VALGRIND("cachegrind"),
	VALGRIND("callgrind"),
	VALGRIND("helgrind"),
	VALGRIND("drd"),
	VALGRIND("massif"),
	VALGRIND("dhat"),
	VALGRIND("lackey"),
	VALGRIND("none"),
	VALGRIND("exp-bbv"),
	{ "pinbin", "Pin" },
	{ "libdynamorio.so", "DynamoRIO" },
	{ "drrun", "DynamoRIO" },
	{ "qemu-" QEMU_MACHINE, "QEMU" },
	{ "qemu-" QEMU_MACHINE "-static", "QEMU" },
};

const char *translator_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++)
		if (!strncmp(name, known[i].name, CUTOP_COMM_LEN - 1))
			return known[i].kind;
	return NULL;
}

static const char *kind_of_process(pid_t pid)
{
	struct process_stat stat;

	return process_stat_read(pid, &stat) ? translator_kind(stat.comm) : NULL;
}

void translator_tell(struct probe *probe, pid_t pid, const char *program)
{
	const char *kind = program ? translator_kind(path_base(program)) : kind_of_process(pid);
	unsigned int i;

	if (!kind || probe->translated_count == TRANSLATED_TOLD || probe_pids(probe).count)
		return;
	for (i = 0; i < probe->translated_count; i++)
		if (probe->translated[i] == pid)
			return;
	probe->translated[probe->translated_count++] = pid;
	probe_notice(
		probe, NOTICE_TRANSLATED, (uint32_t)pid,
		"process %d is translated (%s): probes are code to that, and are likely to end it by "
		"SIGTRAP if it calls CUDA; watch others by --pid",
		pid, kind);
}

/* ---- late ---- */

struct mapper_search {
	struct probe *probe;
	pid_t pid;
	const struct stat *st;
	const struct file_id *id;
	const char *name;       /* last path component */
	struct maps_seen *seen; /* files that the process maps, as far as the kernel was asked */
	void (*visit)(void *context, pid_t pid, const struct maps_entry *entry);
	/* If not NULL: for a process whose mappings cannot be read now, with that error */
	void (*doubt)(struct mapper_search *search, int error);
	void *context;
	uint64_t since; /* CLOCK_MONOTONIC: mappings as they were then or later */
};

/*
 * On overlay and btrfs a mapping shows another device than stat(2), and sometimes another inode
 * number. If either the name or the number agrees, the kernel is asked which file it is. Returns 1,
 * 0, or -EAGAIN if that takes long.
 */
static int is_mapping_of(struct mapper_search *search, const struct maps_entry *entry)
{
	struct seen_file seen;
	int err;

	if (entry->inode == search->st->st_ino && entry->major == major(search->st->st_dev) &&
	    entry->minor == minor(search->st->st_dev))
		return 1;
	if (entry->inode != search->st->st_ino &&
	    strncmp(path_base(entry->path), search->name, strlen(search->name)))
		return 0;
	if (!maps_seen_add(&search->seen, entry))
		return 0;
	err = outside_open_mapped(&search->probe->outside, search->pid, entry, 0, &seen);
	if (!err)
		err = seen.identified && !memcmp(&seen.id, search->id, sizeof(seen.id));
	seen_close(&seen);
	return err > 0 ? 1 : outside_is_later(err) ? -EAGAIN : 0;
}

/* True if @pid was certainly started at @when (ns, clock_own_ns(CLOCK_BOOTTIME)) or later. */
static bool started_since(pid_t pid, uint64_t when)
{
	struct process_stat stat;

	return process_stat_read(pid, &stat) && stat.started >= when;
}

static bool is_driver(const char *path)
{
	return !strncmp(path_base(path), "libcuda.so", strlen("libcuda.so"));
}

/* True if the loader maps a driver together with the file open at @fd. */
static bool needs_driver(int fd)
{
	struct reason why = { "" };
	struct elf_needs needs;
	bool needed = false;
	size_t i;

	if (elffile_needs(fd, &needs, &why))
		return false;
	for (i = 0; i < needs.count && !needed; i++)
		needed = is_driver(needs.needed[i]);
	elffile_needs_free(&needs);
	return needed;
}

static enum late missed_of(const struct probe *probe, const char *path)
{
	unsigned int layers = probe->settings.bpf.layers;

	if (!(layers & 1u << LAYER_DRIVER) || is_driver(path))
		return LATE_ALL;
	return layers & 1u << LAYER_RUNTIME && !probe->bpf.skeleton->rodata->find_callers ?
		       LATE_CALLS :
		       LATE_NAMES;
}

struct late_file late_file(const struct probe *probe, const struct seen_file *seen,
			   const char *path, bool all)
{
	struct late_file file = {
		.device = seen->st.st_dev,
		.inode = seen->st.st_ino,
		.id = seen->id,
		.attached = clock_own_ns(CLOCK_BOOTTIME),
		.missed = all ? LATE_ALL : missed_of(probe, path),
	};

	file.brings_driver = file.missed == LATE_NAMES && needs_driver(seen->fd);
	return file;
}

static bool has_called(const struct probe *probe, uint32_t program, const struct file_id *id)
{
	struct caller_key key = { .file = *id, .program = program };
	__u32 found;

	return !bpf_map_lookup_elem(bpf_map__fd(probe->bpf.skeleton->maps.unprobed_callers), &key,
				    &found);
}

static void program_tell(struct probe *probe, uint32_t program, const struct late_file *file)
{
	enum late missed = file->missed;

	if (missed == LATE_NAMES && has_called(probe, program, &file->id))
		missed = LATE_CALLS;
	if (probe->settings.on_late)
		probe->settings.on_late(probe->settings.context, program, missed);
}

/* Returns true if the process has a program number, which @on_late was then called with. */
static bool process_mark(struct probe *probe, uint32_t tgid, const struct late_file *file)
{
	struct cutop_bpf *s = probe->bpf.skeleton;
	__u32 missed = file->missed, before, program, one;
	int late = bpf_map__fd(s->maps.late);

	s->bss->late_ever = 1;
	if (bpf_map_lookup_elem(late, &tgid, &before) || before < missed)
		bpf_map_update_elem(late, &tgid, &missed, BPF_ANY);
	else
		missed = before;
	if (missed == LATE_ALL && (!probe->settings.bpf.only_listed ||
				   !bpf_map_lookup_elem(bpf_map__fd(s->maps.listed), &tgid, &one)))
		probe->marked_all++;
	/*
	 * The end of a process removes its mark, unless it ended before: remove it here, or the
	 * next process with this pid would be late.
	 */
	if (kill((pid_t)tgid, 0) && errno == ESRCH)
		bpf_map_delete_elem(late, &tgid);
	if (bpf_map_lookup_elem(bpf_map__fd(s->maps.tgids), &tgid, &program))
		return false;
	program_tell(probe, program, file);
	return true;
}

void late_mark_process(struct probe *probe, uint32_t tgid, uint64_t since,
		       const struct late_file *file)
{
	int programs = bpf_map__fd(probe->bpf.skeleton->maps.programs);
	__u32 program, *last = NULL;
	struct program_row row;

	if (process_mark(probe, tgid, file) || !probe->settings.on_late)
		return;
	/*
	 * It may have ended while the probes were placed. Its row stays until its end is read,
	 * which is after this.
	 */
	for (; !bpf_map_get_next_key(programs, last, &program); last = &program)
		if (!bpf_map_lookup_elem(programs, &program, &row) && row.tgid == tgid &&
		    row.first_time >= since)
			program_tell(probe, program, file);
}

void late_gone(struct probe *probe, const struct rec_mmap *record)
{
	struct late_file file = { .id = record->id, .missed = missed_of(probe, record->file) };

	if (file.missed == LATE_ALL)
		probe->counts.late++;
	late_mark_process(probe, record->hdr.tgid, record->hdr.time, &file);
}

static int mapping_compare(void *context, const struct maps_entry *entry)
{
	struct mapper_search *search = context;
	int is_it = is_mapping_of(search, entry);

	if (is_it <= 0)
		return is_it;
	search->visit(search->context, search->pid, entry);
	return 1;
}

static int process_compare(void *context, pid_t pid)
{
	struct mapper_search *search = context;
	int err;

	if (pid == getpid())
		return 0;
	search->pid = pid;
	err = outside_maps(&search->probe->outside, pid, search->since, mapping_compare, search);
	maps_seen_free(&search->seen);
	if (search->doubt && (outside_is_later(err) || err == -ETIMEDOUT))
		search->doubt(search, err);
	return 0;
}

void mappers_visit(struct probe *probe, const struct stat *st, const struct file_id *id,
		   const char *path,
		   void (*visit)(void *context, pid_t pid, const struct maps_entry *entry),
		   void *context)
{
	struct mapper_search search = {
		.probe = probe,
		.st = st,
		.id = id,
		.name = path_base(path),
		.visit = visit,
		.context = context,
		.since = clock_ns(CLOCK_MONOTONIC),
	};

	processes_visit(process_compare, &search);
}

struct late_search {
	struct probe *probe;
	const char *path;
	struct late_file file;
};

struct driver_search {
	const struct probe *probe;
	bool maps_any, maps_unprobed;
};

static int driver_find(void *context, const struct maps_entry *entry)
{
	struct driver_search *search = context;
	const struct target *target;

	if (!is_driver(entry->path))
		return 0;
	search->maps_any = true;
	/* On an overlay mount maps shows another inode than the one that is probed. */
	for (target = search->probe->targets; target; target = target->next)
		if (target->attachment.attached &&
		    (target->id.inode == entry->inode ||
		     (target->path && !strcmp(target->path, entry->path))))
			return 0;
	search->maps_unprobed = true;
	return 0;
}

/*
 * What the process @pid may have missed of the file, beyond what the file tells. Its own driver may
 * have no probes yet: then that is anything. It may be inside its first call, of which no probe has
 * shown anything so far: a runtime loads the driver in there.
 */
static enum late missed_by(struct late_search *search, pid_t pid)
{
	struct driver_search drivers = { .probe = search->probe };
	int tgids = bpf_map__fd(search->probe->bpf.skeleton->maps.tgids);
	__u32 tgid = (__u32)pid, program;

	if (search->file.missed != LATE_NAMES)
		return search->file.missed;
	outside_maps(&search->probe->outside, pid, 0, driver_find, &drivers);
	if (drivers.maps_unprobed)
		return LATE_ALL;
	return drivers.maps_any && !search->file.brings_driver &&
			       bpf_map_lookup_elem(tgids, &tgid, &program) ?
		       LATE_CALLS :
		       LATE_NAMES;
}

static void mapper_mark(void *context, pid_t pid, const struct maps_entry *entry)
{
	struct late_search *search = context;
	struct late_file file = search->file;

	(void)entry;
	translator_tell(search->probe, pid, NULL);
	if (started_since(pid, file.attached))
		return;
	file.missed = missed_by(search, pid);
	process_mark(search->probe, (uint32_t)pid, &file);
}

/* It is looked at again; if there is no answer at all, it counts as late. */
static void mapper_doubt(struct mapper_search *search, int error)
{
	const struct late_search *late = search->context;
	const struct later later = {
		.what = LATER_MAPPER,
		.mapper = { .pid = search->pid, .since = search->since, .file = late->file }
	};
	struct probe *probe = search->probe;
	__u32 tgid = (__u32)search->pid, one;

	if (probe->settings.bpf.only_listed &&
	    bpf_map_lookup_elem(bpf_map__fd(probe->bpf.skeleton->maps.listed), &tgid, &one))
		return;
	if (outside_is_later(error))
		probe_keep(probe, &later, late->path);
	else if (!started_since(search->pid, late->file.attached))
		process_mark(probe, tgid, &late->file);
}

static struct mapper_search late_searching(struct late_search *late, const struct stat *st,
					   uint64_t since)
{
	return (struct mapper_search){
		.probe = late->probe,
		.st = st,
		.id = &late->file.id,
		.name = path_base(late->path),
		.visit = mapper_mark,
		.doubt = mapper_doubt,
		.context = late,
		.since = since,
	};
}

static struct stat late_stat(const struct late_file *file)
{
	return (struct stat){ .st_dev = file->device, .st_ino = file->inode };
}

void late_mark(struct probe *probe, const struct late_file *file, const char *path)
{
	struct late_search late = { .probe = probe, .path = path, .file = *file };
	const struct stat st = late_stat(file);
	struct mapper_search search = late_searching(&late, &st, clock_ns(CLOCK_MONOTONIC));

	processes_visit(process_compare, &search);
}

void late_try(struct probe *probe, const struct later *later)
{
	struct late_search late = { .probe = probe,
				    .path = later->path,
				    .file = later->mapper.file };
	const struct stat st = late_stat(&late.file);
	struct mapper_search search = late_searching(&late, &st, later->mapper.since);

	process_compare(&search, later->mapper.pid);
}
