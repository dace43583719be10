/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the place of probe/ and of other processes: feed_world.h. */
#include "feed_world.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "names/demangle.h"
#include "names/resolver_process.h"
#include "probe/bpf_rows.h"
#include "probe/outside.h"
#include "probe/probe.h"
#include "probe/ring.h"
#include "probe/probe_sets.h"
#include "probe/unwind_rows.h"

struct feed_world world;

/* ---- probe/ ---- */

struct ring *ring_new(struct probe *probe, int (*read)(void *context, void *record, size_t size),
		      void *context)
{
	(void)probe;
	world.take = read;
	world.context = context;
	return (struct ring *)&world;
}

void ring_free(struct ring *ring)
{
	(void)ring;
}

int ring_fd(const struct ring *ring)
{
	(void)ring;
	return -1;
}

void ring_read(struct ring *ring)
{
	(void)ring; /* records are brought by the test */
	if (world.reads_in_vain && !--world.reads_in_vain)
		world.read = world.written;
}

uint64_t ring_written(const struct ring *ring)
{
	(void)ring;
	return world.written;
}

bool ring_is_read(const struct ring *ring, uint64_t written)
{
	(void)ring;
	return world.read >= written;
}

uint64_t ring_bytes(const struct ring *ring)
{
	(void)ring;
	return 16 << 20;
}

uint64_t ring_room_of(size_t size)
{
	return size;
}

/* Copied stacks are walked in fuzz_stacks.c. */
struct unwind_rows *unwind_rows_new(struct probe *probe)
{
	(void)probe;
	return NULL;
}

void unwind_rows_free(struct unwind_rows *rows)
{
	(void)rows;
}

void unwind_rows_set(struct unwind_rows *rows, uint64_t mark, uint64_t address,
		     const struct unwind_rule *rule)
{
	(void)rows;
	(void)mark;
	(void)address;
	(void)rule;
}

void unwind_rows_clear(struct unwind_rows *rows, uint64_t mark, uint64_t start, uint64_t end)
{
	(void)rows;
	(void)mark;
	(void)start;
	(void)end;
}

struct rows *rows_new(struct probe *probe)
{
	(void)probe;
	return (struct rows *)&world;
}

void rows_free(struct rows *rows)
{
	(void)rows;
}

bool rows_program(const struct rows *rows, uint32_t program, struct program_row *row)
{
	(void)rows;
	if (!world.program || program != world.program)
		return false;
	*row = world.row;
	return true;
}

uint64_t rows_open_calls(const struct rows *rows, uint32_t program, uint32_t tgid,
			 uint64_t ns[TIME_NONE])
{
	(void)rows;
	(void)program;
	(void)tgid;
	memset(ns, 0, TIME_NONE * sizeof(*ns));
	return 0;
}

void rows_visit_programs(struct rows *rows,
			 bool (*visit)(void *context, uint32_t program,
				       const struct program_row *row,
				       const struct program_sync *sync),
			 void *context)
{
	static const struct program_sync sync;

	(void)rows;
	if (world.program && visit(context, world.program, &world.row, &sync))
		world.program = 0;
}

#define NO_ROWS(name, what) \
	void rows_visit_##name(struct rows *rows, \
			       bool (*visit)(void *context, const struct what##_key *key, \
					     const struct what##_row *row), \
			       void *context) \
	{ \
		(void)rows; \
		(void)visit; \
		(void)context; \
	}
NO_ROWS(launches, launch)
NO_ROWS(copies, copy)
NO_ROWS(calls, call)
NO_ROWS(graphs, graph)
NO_ROWS(failures, fail)
NO_ROWS(call_sites, call_site)

void rows_forget(struct rows *rows, bool (*is_gone)(void *context, uint32_t program),
		 bool (*names_gone)(void *context, uint32_t program), void *context)
{
	(void)rows;
	(void)is_gone;
	(void)names_gone;
	(void)context;
}

uint64_t rows_lost(const struct rows *rows, enum lost_cause cause)
{
	(void)rows;
	(void)cause;
	return 0;
}

uint32_t rows_untold_files(const struct rows *rows)
{
	(void)rows;
	return 0;
}

uint64_t rows_unwatched(const struct rows *rows, uint32_t *tgid, const char **comm)
{
	(void)rows;
	*tgid = 0;
	*comm = "";
	return 0;
}

const struct notes *probe_notes(const struct probe *probe)
{
	(void)probe;
	return NULL;
}

void probe_on_exec(struct probe *probe, const struct rec_exec *record)
{
	(void)probe;
	(void)record;
}

void probe_on_mmap(struct probe *probe, const struct rec_mmap *record)
{
	(void)probe;
	(void)record;
}

bool probe_is_of_other(const struct probe *probe, const struct rec_hdr *record)
{
	(void)probe;
	(void)record;
	return false;
}

void probe_leave_out(struct probe *probe, const struct rec_hdr *record)
{
	(void)probe;
	(void)record;
}

void probe_find_running(struct probe *probe)
{
	(void)probe;
}

struct probe_counts probe_counts(const struct probe *probe)
{
	(void)probe;
	return (struct probe_counts){ 0 };
}

bool probe_watches_driver(const struct probe *probe)
{
	(void)probe;
	return true;
}

uint64_t probe_hit_cost(const struct probe *probe)
{
	(void)probe;
	return 1000;
}

void spares_settle(struct probe *probe, struct spare_user *users, size_t count)
{
	(void)probe;
	(void)users;
	(void)count;
}

bool probe_misses_driver(const struct probe *probe)
{
	(void)probe;
	return false;
}

/* Of every second file the path is known, the others are found by their process. */
const char *probe_file_path(const struct probe *probe, const struct file_id *id)
{
	static char path[32];

	(void)probe;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", world.file);
	return id->inode % 2 ? path : NULL;
}

void probe_ignore(struct probe *probe, uint32_t program, bool ignored)
{
	(void)probe;
	(void)program;
	(void)ignored;
}

bool probe_has_left(const struct probe *probe, uint32_t program)
{
	(void)probe;
	return program % 8 == 7;
}

int probe_watch_idle(struct probe *probe, uint32_t tgid, uint32_t uid, struct rec_process *process)
{
	(void)probe;
	(void)tgid;
	(void)uid;
	(void)process;
	return 0;
}

void probe_lost(struct probe *probe, enum lost_cause cause)
{
	(void)probe;
	if (cause >= LOST_BPF_COUNT)
		abort();
}

const struct outside *probe_outside(const struct probe *probe)
{
	static const struct outside outside = { .again = &world.again };

	(void)probe;
	return &outside;
}

/*
 * ---- files and memory of others: at every third look it takes long, and every second file is a
 * copy ----
 */

uint64_t errands_work_ns(const struct errands *errands)
{
	(void)errands;
	return 0;
}

unsigned int errands_news(const struct errands *errands)
{
	(void)errands;
	return world.looks / 3;
}

void errands_tend(struct errands *errands)
{
	(void)errands;
}

void seen_close(struct seen_file *seen)
{
	if (seen->fd >= 0)
		close(seen->fd);
	if (seen->place >= 0)
		close(seen->place);
	free(seen->path);
	*seen = (struct seen_file){ .fd = -1, .place = -1 };
}

static int seen_make(struct seen_file *seen)
{
	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	if (++world.looks % 3 == 0)
		return -EAGAIN;
	*seen = (struct seen_file){
		.fd = dup(world.file),
		.place = world.looks % 2 ? dup(world.file) : -1,
		.id = world.identified,
		.identified = true,
		.own = true,
		.path = strdup("/lib/x.so"),
	};
	if (seen->fd < 0 || !seen->path)
		abort();
	return 0;
}

int outside_open(const struct outside *outside, const char *path, bool named, unsigned int want,
		 enum errand_patience patience, struct seen_file *seen)
{
	(void)outside;
	(void)path;
	(void)named;
	(void)want;
	(void)patience;
	return seen_make(seen);
}

int outside_open_cached(const struct outside *outside, const char *path, unsigned int want,
			struct seen_file *seen)
{
	(void)outside;
	(void)path;
	(void)want;
	return seen_make(seen);
}

int outside_open_mapped(const struct outside *outside, pid_t pid, const struct maps_entry *entry,
			unsigned int want, struct seen_file *seen)
{
	(void)outside;
	(void)pid;
	(void)entry;
	(void)want;
	return seen_make(seen);
}

int outside_open_debug(const struct outside *outside, const struct seen_file *of, pid_t pid,
		       const char *path, struct seen_file *seen)
{
	(void)outside;
	(void)of;
	(void)pid;
	(void)path;
	return seen_make(seen);
}

int outside_lend(const struct outside *outside, const struct seen_file *seen,
		 const struct seen_file *debug, int socket)
{
	(void)outside;
	(void)seen;
	(void)debug;
	(void)socket;
	return world.looks % 5 ? 0 : -EBUSY;
}

int outside_maps(const struct outside *outside, pid_t pid, uint64_t since,
		 int (*visit)(void *context, const struct maps_entry *entry), void *context)
{
	const struct maps_entry entry = {
		.start = WORLD_CODE, .end = 2 * WORLD_CODE, .inode = 1, .path = "/lib/x.so"
	};

	(void)outside;
	(void)since;
	(void)pid;
	return ++world.looks % 3 ? visit(context, &entry) : -EAGAIN;
}

int outside_words(const struct outside *outside, pid_t pid, const uint64_t *addresses, size_t count,
		  uint64_t *words)
{
	(void)outside;
	(void)pid;
	memcpy(words, addresses, count * sizeof(*words));
	return 0;
}

int outside_name(const struct outside *outside, const struct rec_name_at *record,
		 uint64_t start_time, const char *known, char **name, bool *in_memory)
{
	(void)outside;
	(void)start_time;
	(void)known;
	if (++world.looks % 3 == 0)
		return record->offset % 2 ? -EAGAIN : -ETIMEDOUT;
	*in_memory = !record->in_file;
	*name = strdup("_Z6kernelv");
	return *name ? 0 : -ENOMEM;
}

char *outside_arguments(const struct outside *outside, pid_t pid, size_t max, size_t *len,
			int *error)
{
	(void)outside;
	(void)pid;
	(void)max;
	*len = 0;
	*error = ++world.looks % 3 ? -ESRCH : -EAGAIN;
	return NULL;
}

char *outside_devices(const struct outside *outside, pid_t pid, size_t *len, int *error)
{
	return outside_arguments(outside, pid, 0, len, error);
}
