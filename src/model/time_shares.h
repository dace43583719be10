/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a process's time goes: shares of wall-clock time in CUDA calls of each kind, and in none of
 * them. A call counts while it runs, so one that spans intervals has its part in each. Waiting
 * counts once, however many threads wait (as sync_seconds does); the other kinds add up the time of
 * all threads. So what is left over is the least time in which no thread was inside a call: all of
 * it if a single thread makes calls.
 */
#ifndef MODEL_TIME_SHARES_H
#define MODEL_TIME_SHARES_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/snapshot.h"

/* What was counted up to some instant, ns unless said otherwise. */
struct time_sums {
	uint64_t ns[TIME_NONE]; /* by part; TIME_LAUNCH without what is in `launches_ns` */
	uint64_t launches;      /* of kernels; count */
	uint64_t launches_ns;   /* of those among them that were timed */
	bool sampled;           /* not all were */
	double typical;         /* the median of the times of launches; NAN: none is known */
	struct program_times times;
};

/* What is kept about one program. */
struct time_book {
	struct program_times times;
	bool is_told;            /* these are known: not so in recordings of earlier versions */
	struct time_sums before; /* at the previous snapshot */
};

/*
 * Fills in @time from @sums, which hold up to now, and the book's of the previous snapshot, which
 * they then replace. @wall: seconds since the first call, or, of an ended process, up to its end;
 * @interval: seconds of that since the previous snapshot, NAN if there are to be no shares.
 */
void time_shares_build(struct time_book *book, const struct time_sums *sums, double wall,
		       double interval, struct snap_time *time);

/* What the driver's figure for the devices of @process says about its shares. */
enum time_verdict {
	VERDICT_NONE, /* nothing */
	VERDICT_OUTSIDE,
	VERDICT_COPIES,
	VERDICT_LAUNCHES,
	VERDICT_WAITS,
	VERDICT_BUSY,
	VERDICT_COUNT,
};

/*
 * The verdict over the last interval; *@busy: the utilization of the busiest device of @process,
 * 0..1. There is none unless the driver tells that of all its devices.
 */
enum time_verdict time_verdict(const struct snapshot *snapshot, const struct snap_process *process,
			       double *busy);

#define VERDICT_TEXT 160

/* Writes the verdict with its figure to @out, "" without one, and returns it. */
const char *time_verdict_text(const struct snapshot *snapshot, const struct snap_process *process,
			      char out[VERDICT_TEXT]);

#endif
