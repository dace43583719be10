/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that programs begin to run or map, to be looked at and probed. That takes
 * milliseconds each, many times that on a busy machine, and snapshots are made
 * by the same thread: so it is done in slices. What there is no time for waits,
 * in order, while records behind it are read.
 */
#ifndef COLLECT_ARRIVALS_H
#define COLLECT_ARRIVALS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "cutop_event.h"

#define ARRIVALS_SLICE	100000000ull	/* ns: no more is begun in a turn after that; what was begun is ended */
#define ARRIVALS_MAX	4096		/* that wait; past them there is no choice but to do it at once */

struct arrivals;

/* @look does the work for a record, REC_EXEC or REC_MMAP; @now is a clock in ns. NULL without memory. */
struct arrivals *arrivals_new(void (*look)(void *context, const struct rec_hdr *record), void *context, uint64_t (*now)(void));
void arrivals_free(struct arrivals *arrivals);

/* Begins a slice with those that wait. */
void arrivals_turn(struct arrivals *arrivals);

/* One more, which is copied if it has to wait. */
void arrivals_put(struct arrivals *arrivals, const struct rec_hdr *record);

/* True if some wait for the next turn. */
bool arrivals_wait(const struct arrivals *arrivals);

#endif
