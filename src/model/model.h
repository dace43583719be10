/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model: the books of every watched process. It is pure: it is fed records (cutop_event.h) and
 * counter rows (cutop_rows.h) from any source (the ring, a recording, a test), and told the time.
 * It uses neither libbpf nor curses, and reads no file and no clock. One thread owns a model; other
 * threads see snapshots (snapshot.h), which do not change any more.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_calls.h"
#include "cutop_event.h"
#include "snapshot.h"

struct model;

struct model_config {
	uint64_t start_mono;     /* ns, CLOCK_MONOTONIC: when watching began */
	uint64_t start_real;     /* ns, CLOCK_REALTIME, at the same instant */
	uint64_t leak_age;       /* ns: first window of the rising-floor test */
	unsigned int max_exited; /* exited processes kept; 0: 1000 */
	/* Snapshots have sums by command and call, including dropped processes */
	bool totals;
};

/* Returns a new model, or NULL without memory. Free with model_free(). */
struct model *model_new(const struct model_config *config);
void model_free(struct model *model);

/*
 * Feeds one record of cutop_event.h or stream.h. @len is the number of bytes that can be read at
 * @record. A record that claims more, is too short for its type, or has an unknown type is refused
 * with -EINVAL and counted under LOST_RECORD. Returns 0, or -ENOMEM (counted under LOST_MEMORY).
 */
int model_record(struct model *model, const struct rec_hdr *record, size_t len);

/* The size of a record of @type, without strings or frames that may follow. 0: no such type. */
size_t record_size(unsigned int type);

/* The offset of the call (enum call_id, 16 bits) in a record of @type; 0: it has none. */
size_t record_call_offset(unsigned int type);

/*
 * Feeds a counter row: totals since the program was first seen; a later row with the same key
 * replaces the earlier one. Rows of unknown programs are kept (a row can be read before the
 * program's REC_PROCESS is). Return 0 or -ENOMEM.
 */
int model_launch_row(struct model *model, const struct launch_key *key,
		     const struct launch_row *row);
int model_copy_row(struct model *model, const struct copy_key *key, const struct copy_row *row);
int model_call_row(struct model *model, const struct call_key *key, const struct call_row *row);
int model_graph_row(struct model *model, const struct graph_key *key, const struct graph_row *row);
int model_fail_row(struct model *model, const struct fail_key *key, const struct fail_row *row);
/*
 * Of these each adds to those before, and their sites are rows of the same program's records of
 * names.
 */
int model_call_site(struct model *model, const struct call_site_key *key,
		    const struct call_site_row *row);

/*
 * Total time (ns) in which at least one thread of @program was inside a synchronizing call,
 * including calls that have not returned.
 */
void model_sync(struct model *model, uint32_t program, uint64_t ns);

/* The latest synchronizations of whole devices by @program: the slots of its row, by device. */

/* How @program launches kernels, up to now. */
/* What @record->hdr.program pays, and what is given up of it. */
struct rec_cost;
void model_cost(struct model *model, const struct rec_cost *record);

void model_times(struct model *model, uint32_t program, const struct program_times *times);

/* Marks @program: the returns of its calls are not probed. @why: enum unreturned. */
void model_unreturned(struct model *model, uint32_t program, unsigned int why);

/*
 * Marks @program as inexact: something about it was lost. @lost_time: when a record of it was last
 * lost, 0 if none was; an allocation from before that may have been freed unseen.
 */
void model_inexact(struct model *model, uint32_t program, uint64_t lost_time);

/* Sets the total lost to @cause since the start. For causes below LOST_FED_COUNT. */
void model_lost(struct model *model, enum lost_cause cause, uint64_t total);

/*
 * To be called after the launch rows of a program, before its fault is reported: the contents of
 * this row's graph were launched when the row says.
 */
void model_graph_last(struct model *model, const struct graph_key *key,
		      const struct graph_row *row);

/* No further row of @program will come: the contents of its graphs may be dropped. */
void model_graphs_done(struct model *model, uint32_t program);

/*
 * With the next snapshot, drops the processes that have ended by now (key X). The totals keep their
 * counts.
 */
void model_clear_exited(struct model *model);

/*
 * From now on snapshots have the spans of @program (0: of none), and those of processes with few
 * allocations. They take a walk in order of addresses.
 */
void model_focus(struct model *model, uint32_t program);

/*
 * Returns a snapshot at @now (ns, CLOCK_MONOTONIC) that lists at most @map_max allocations per
 * process, largest first (UINT_MAX: all), or NULL without memory. Rates are changes since the
 * previous model_snapshot(). Free with snapshot_free(). Fields that the model cannot know (host,
 * version, probes, self) are zero, for the caller to fill.
 */
struct snapshot *model_snapshot(struct model *model, uint64_t now, unsigned int map_max);

/*
 * The same of the whole run: rates and shares of a process are over its life, from its first call
 * to its end or @now; those of all together from the first call of any to the last end.
 */
struct snapshot *model_whole(struct model *model, uint64_t now, unsigned int map_max);

#endif
