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
	size_t exited_bytes;     /* what is kept of all of them; 0: ENDED_BYTES_MAX */
	/* Snapshots have sums by call, including dropped processes */
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

/* True if records of @type have @flag: RECORD_ACT, RECORD_TRACED (cutop_records.def). */
bool record_is(unsigned int type, unsigned int flag);

/* The offset of the call (enum call_id, 16 bits) in a record of @type; 0: it has none. */
size_t record_call_offset(unsigned int type);

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
