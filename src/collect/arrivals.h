/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that programs begin to run or map, and that have to be examined and probed. Each takes
 * milliseconds, on a busy machine many times that, and the same thread makes snapshots: so this
 * work is done in slices. Records for which there is no time wait in order, while records after
 * them are read.
 */
#ifndef COLLECT_ARRIVALS_H
#define COLLECT_ARRIVALS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "cutop_event.h"

#define ARRIVALS_SLICE  100000000ull  /* ns per turn: after that no further file is begun */
#define ARRIVALS_MAX    4096          /* how many may wait; further ones are handled at once, */
#define ARRIVALS_EXCESS 1000000000ull /* for so many ns per turn; then they are left out */

struct arrivals;

/*
 * @look does the work for a record, REC_EXEC or REC_MMAP, and @leave_out is told of one for which
 * there is no time; @now is a clock in ns. NULL without memory.
 */
struct arrivals *arrivals_new(void (*look)(void *context, const struct rec_hdr *record),
			      void (*leave_out)(void *context, const struct rec_hdr *record),
			      void *context, uint64_t (*now)(void));
void arrivals_free(struct arrivals *arrivals);

/* Starts a slice with the records that wait. */
void arrivals_turn(struct arrivals *arrivals);

/* Adds one more, which is copied if it has to wait. */
void arrivals_put(struct arrivals *arrivals, const struct rec_hdr *record);

/* There is no further turn: those that wait are looked at until @until, a time, then left out. */
void arrivals_finish(struct arrivals *arrivals, uint64_t until);

/* True if some wait for the next turn. */
bool arrivals_wait(const struct arrivals *arrivals);

#endif
