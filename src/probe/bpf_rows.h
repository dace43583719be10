/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the BPF side keeps in its maps, as rows of their types (cutop_rows.h), each completed from
 * wherever its parts are kept: launches in slots, calls and copies in cached rows. For one thread.
 * A visitor returns true to have its row deleted, once nothing can count in it any more because its
 * program has ended.
 */
#ifndef PROBE_BPF_ROWS_H
#define PROBE_BPF_ROWS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cutop_event.h"
#include "cutop_rows.h"

struct cutop_bpf;
struct probe;
struct rows;

/*
 * The rows of @probe's maps; it is borrowed. Returns NULL without memory; rows_free() frees them.
 */
struct rows *rows_new(struct probe *probe);

void rows_free(struct rows *rows);

/* Reads the row of @program. False if it has none. */
bool rows_program(const struct rows *rows, uint32_t program, struct program_row *row);

/*
 * How long the threads of @program, whose process is @tgid, have been in the calls that are under
 * way now, by enum time_part; waits are in rows. Returns the processor time of the process so far,
 * ns, 0 if it is gone.
 */
uint64_t rows_open_calls(const struct rows *rows, uint32_t program, uint32_t tgid,
			 uint64_t ns[TIME_NONE]);

/*
 * Visits the programs, each with the synchronizing calls that are open in it. Unfinished rows are
 * left out.
 */
void rows_visit_programs(struct rows *rows,
			 bool (*visit)(void *context, uint32_t program,
				       const struct program_row *row,
				       const struct program_sync *sync),
			 void *context);

#define ROWS_VISITOR(name, what) \
	void rows_visit_##name(struct rows *rows, \
			       bool (*visit)(void *context, const struct what##_key *key, \
					     const struct what##_row *row), \
			       void *context);

ROWS_VISITOR(launches, launch)
ROWS_VISITOR(copies, copy)
ROWS_VISITOR(calls, call)
ROWS_VISITOR(graphs, graph)
ROWS_VISITOR(failures, fail)
ROWS_VISITOR(call_sites, call_site)
#undef ROWS_VISITOR

/*
 * Deletes the rows of ended programs: names of kernels if @names_gone says so, all others if
 * @is_gone does.
 */
void rows_forget(struct rows *rows, bool (*is_gone)(void *context, uint32_t program),
		 bool (*names_gone)(void *context, uint32_t program), void *context);

/* How often something was lost, by causes below LOST_BPF_COUNT. */
uint64_t rows_lost(const struct rows *rows, enum lost_cause cause);

/* How many files the ring had no room to report. */
uint32_t rows_untold_files(const struct rows *rows);

/*
 * Counts allocations made directly by the driver where its calls are not watched, and stores the
 * name of the last process that made one (CUTOP_COMM_LEN bytes).
 */
uint64_t rows_unwatched(const struct rows *rows, uint32_t *tgid, const char **comm);

/*
 * Adds what was counted in the cached row of @key, if it has one, to @row, a copy of the map's row.
 */
void near_call_add(const struct cutop_bpf *skeleton, const struct call_key *key,
		   struct call_row *row);

void near_copy_add(const struct cutop_bpf *skeleton, const struct copy_key *key,
		   struct copy_row *row);

/* The synchronizing calls of @program, whose row is @row. */
struct program_sync near_sync_read(const struct cutop_bpf *skeleton, uint32_t program,
				   const struct program_row *row);

/* Takes the place of @program, which is new, if that is free. */
void near_sync_claim(struct cutop_bpf *skeleton, uint32_t program);

/* Frees the place. Nothing may count in it any more: its program has ended. */
void near_call_release(struct cutop_bpf *skeleton, const struct call_key *key);

void near_copy_release(struct cutop_bpf *skeleton, const struct copy_key *key);

void near_sync_release(struct cutop_bpf *skeleton, uint32_t program);

/* Puts all slots into the queue, once, before the first probe is placed. */
void slots_hand_out(struct cutop_bpf *skeleton);

#endif
