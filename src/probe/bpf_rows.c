/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives types to what probe/map_search.h finds, and completes rows whose parts BPF keeps elsewhere:
 * a histogram's sum is not stored a second time (the head of cutop_rows.h), and counts from slots
 * and cached rows are added to those in the map.
 */
#include "probe/bpf_rows.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/map_search.h"
#include "probe/probe_internal.h"
#include "probe/row_cache.h"
#include "probe/slots.h"

struct rows {
	struct cutop_bpf *skeleton;
	struct map_search *search;
};

/* One visit: whose visitor is called with what. */
struct visit {
	struct rows *rows;
	void *context;
	union {
		bool (*program)(void *context, uint32_t program, const struct program_row *row,
				const struct program_sync *sync);
		bool (*launch)(void *context, const struct launch_key *key,
			       const struct launch_row *row);
		bool (*copy)(void *context, const struct copy_key *key, const struct copy_row *row);
		bool (*call)(void *context, const struct call_key *key, const struct call_row *row);
		bool (*graph)(void *context, const struct graph_key *key,
			      const struct graph_row *row);
		bool (*fail)(void *context, const struct fail_key *key, const struct fail_row *row);
		bool (*call_site)(void *context, const struct call_site_key *key,
				  const struct call_site_row *row);
		bool (*is_gone)(void *context, uint32_t program);
	};
};

struct rows *rows_new(struct probe *probe)
{
	struct rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->skeleton = probe_bpf(probe)->skeleton;
	rows->search = map_search_new(probe_bpf(probe));
	if (rows->search)
		return rows;
	free(rows);
	return NULL;
}

void rows_free(struct rows *rows)
{
	if (rows)
		map_search_free(rows->search);
	free(rows);
}

static uint64_t histogram_sum(const __u64 *hist)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		sum += hist[i];
	return sum;
}

/* ---- programs ---- */

uint64_t rows_open_calls(const struct rows *rows, uint32_t program, uint32_t tgid,
			 uint64_t ns[TIME_NONE])
{
	/* Before Linux 6.1 the iterator visits every thread of the machine. */
	union bpf_iter_link_info process = { .task.pid = tgid };
	LIBBPF_OPTS(bpf_link_create_opts, options, .iter_info = &process,
		    .iter_info_len = sizeof(process));
	int link = bpf_link_create(bpf_program__fd(rows->skeleton->progs.open_calls), 0,
				   BPF_TRACE_ITER, &options);
	int fd = link < 0 ? -1 : bpf_iter_create(link);
	struct open_call open[64];
	uint64_t cpu_ns = 0;
	ssize_t len;

	memset(ns, 0, TIME_NONE * sizeof(*ns));
	while (fd >= 0 && (len = read(fd, open, sizeof(open))) > 0)
		for (size_t i = 0; i < (size_t)len / sizeof(*open); i++) {
			if (open[i].tgid == tgid)
				cpu_ns += open[i].cpu_ns;
			if (open[i].program == program && open[i].part < TIME_NONE)
				ns[open[i].part] += open[i].ns;
		}
	if (fd >= 0)
		close(fd);
	if (link >= 0)
		close(link);
	return cpu_ns;
}

bool rows_program(const struct rows *rows, uint32_t program, struct program_row *row)
{
	return !bpf_map_lookup_elem(bpf_map__fd(rows->skeleton->maps.programs), &program, row);
}

static bool program_visit(void *context, const void *key, const void *value)
{
	const struct visit *visit = context;
	const struct program_row *row = value;
	struct program_sync sync;
	uint32_t program;

	memcpy(&program, key, sizeof(program));
	if (!row->first_time)
		return false; /* it is being made */
	sync = near_sync_read(visit->rows->skeleton, program, row);
	if (!visit->program(visit->context, program, row, &sync))
		return false;
	near_sync_release(visit->rows->skeleton, program);
	return true;
}

void rows_visit_programs(struct rows *rows,
			 bool (*program)(void *context, uint32_t program,
					 const struct program_row *row,
					 const struct program_sync *sync),
			 void *context)
{
	struct visit visit = { .rows = rows, .context = context, .program = program };

	map_visit_known(rows->search, ROWS_PROGRAMS, program_visit, &visit);
}

/* ---- what is counted ---- */

static bool launch_visit(void *context, const void *key_bytes, const void *home_bytes)
{
	const struct visit *visit = context;
	struct launch_home home;
	struct launch_key key;
	struct launch_row row;

	memcpy(&key, key_bytes, sizeof(key));
	memcpy(&home, home_bytes, sizeof(home));
	slots_read(visit->rows->skeleton, &home, &row);
	row.samples = histogram_sum(row.hist);
	if (!visit->launch(visit->context, &key, &row))
		return false;
	slots_take_back(visit->rows->skeleton, &home);
	return true;
}

/* BPF itself counts only calls whose returns are not probed. */
static void copy_complete(struct cutop_bpf *skeleton, const struct copy_key *key,
			  struct copy_row *row)
{
	near_copy_add(skeleton, key, row);
	row->calls += histogram_sum(row->hist);
}

static void call_complete(struct cutop_bpf *skeleton, const struct call_key *key,
			  struct call_row *row)
{
	near_call_add(skeleton, key, row);
	row->calls += histogram_sum(row->hist);
}

#define AS_IT_IS(skeleton, key, row) ((void)0)
#define NOT_NEAR(skeleton, key)      ((void)0)

/* The program may have one more. */
static void call_site_release(struct cutop_bpf *skeleton, const struct call_site_key *key)
{
	size_t count =
		sizeof(skeleton->bss->call_sites_made) / sizeof(skeleton->bss->call_sites_made[0]);

	__atomic_sub_fetch(&skeleton->bss->call_sites_made[key->launch.program % count], 1,
			   __ATOMIC_RELAXED);
}

#define ROW_VISIT(what, complete, release) \
	static bool what##_visit(void *context, const void *key_bytes, const void *row_bytes) \
	{ \
		const struct visit *visit = context; \
		struct what##_key key; \
		struct what##_row row; \
\
		memcpy(&key, key_bytes, sizeof(key)); \
		memcpy(&row, row_bytes, sizeof(row)); \
		complete(visit->rows->skeleton, &key, &row); \
		if (!visit->what(visit->context, &key, &row)) \
			return false; \
		release(visit->rows->skeleton, &key); \
		return true; \
	}

ROW_VISIT(copy, copy_complete, near_copy_release)
ROW_VISIT(call, call_complete, near_call_release)
ROW_VISIT(graph, AS_IT_IS, NOT_NEAR)
ROW_VISIT(fail, AS_IT_IS, NOT_NEAR)
ROW_VISIT(call_site, AS_IT_IS, call_site_release)

#define ROWS_VISITOR(name, what, map) \
	void rows_visit_##name(struct rows *rows, \
			       bool (*what)(void *context, const struct what##_key *key, \
					    const struct what##_row *row), \
			       void *context) \
	{ \
		struct visit visit = { .rows = rows, .context = context, .what = what }; \
\
		map_visit_known(rows->search, map, what##_visit, &visit); \
	}

ROWS_VISITOR(launches, launch, ROWS_LAUNCHES)
ROWS_VISITOR(copies, copy, ROWS_COPIES)
ROWS_VISITOR(calls, call, ROWS_CALLS)
ROWS_VISITOR(graphs, graph, ROWS_GRAPHS)
ROWS_VISITOR(failures, fail, ROWS_FAILURES)
ROWS_VISITOR(call_sites, call_site, ROWS_CALL_SITES)

/* ---- other rows of a program ---- */

/* Keys that hold the program in the same place: those of names.bpf.h and stubs.bpf.h. */
struct address_key {
	__u64 address;
	__u32 program;
	__u32 pad;
};

static bool address_visit(void *context, const void *key_bytes, const void *value)
{
	const struct visit *visit = context;
	struct address_key key;

	(void)value;
	memcpy(&key, key_bytes, sizeof(key));
	return visit->is_gone(visit->context, key.program);
}

static bool primary_visit(void *context, const void *key_bytes, const void *value)
{
	const struct visit *visit = context;
	struct primary_key {
		__u32 program;
		__s32 device;
	} key;

	(void)value;
	memcpy(&key, key_bytes, sizeof(key));
	return visit->is_gone(visit->context, key.program);
}

/* Captures that the program did not end. Launches no longer need to look for them. */
static bool capture_visit(void *context, const void *key_bytes, const void *value)
{
	const struct visit *visit = context;
	struct cutop_bpf *s = visit->rows->skeleton;
	size_t count = sizeof(s->bss->capturing) / sizeof(s->bss->capturing[0]);
	struct address_key key;

	if (!address_visit(context, key_bytes, value))
		return false;
	memcpy(&key, key_bytes, sizeof(key));
	__atomic_sub_fetch(&s->bss->capturing[key.program % count], 1, __ATOMIC_RELAXED);
	return true;
}

void rows_forget(struct rows *rows, bool (*is_gone)(void *context, uint32_t program),
		 bool (*names_gone)(void *context, uint32_t program), void *context)
{
	struct cutop_bpf *s = rows->skeleton;
	struct visit names = { .rows = rows, .context = context, .is_gone = names_gone };
	struct visit visit = { .rows = rows, .context = context, .is_gone = is_gone };

	map_visit(rows->search, s->maps.stubs, address_visit, &names);
	map_visit(rows->search, s->maps.handles, address_visit, &names);
	map_visit(rows->search, s->maps.sites, address_visit, &visit);
	map_visit(rows->search, s->maps.modules, address_visit, &visit);
	map_visit(rows->search, s->maps.stacks, address_visit, &visit);
	map_visit(rows->search, s->maps.contexts, address_visit, &visit);
	map_visit(rows->search, s->maps.primaries, primary_visit, &visit);
	map_visit(rows->search, s->maps.captures, capture_visit, &visit);
	map_visit(rows->search, s->maps.capture_streams, address_visit, &visit);
	map_visit(rows->search, s->maps.capture_events, address_visit, &visit);
}

/* ---- sums ---- */

uint64_t rows_lost(const struct rows *rows, enum lost_cause cause)
{
	return __atomic_load_n(&rows->skeleton->bss->lost[cause], __ATOMIC_RELAXED);
}

uint32_t rows_untold_files(const struct rows *rows)
{
	return __atomic_load_n(&rows->skeleton->bss->files_untold, __ATOMIC_RELAXED);
}

uint64_t rows_unwatched(const struct rows *rows, uint32_t *tgid, const char **comm)
{
	*tgid = rows->skeleton->bss->unwatched_tgid;
	*comm = rows->skeleton->bss->unwatched_comm;
	return __atomic_load_n(&rows->skeleton->bss->unwatched_allocations, __ATOMIC_RELAXED);
}
