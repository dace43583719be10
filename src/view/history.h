/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * History: a series of figures, one per snapshot, for all processes together and for each one. For
 * sparklines and plots.
 */
#ifndef VIEW_HISTORY_H
#define VIEW_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/snapshot.h"

#define HISTORY_MAX 512 /* samples kept */

enum series {
	SERIES_LIVE,
	SERIES_LAUNCHES,
	SERIES_FAILURES,
	SERIES_WAIT,
	SERIES_COPIES,                                         /* + enum copy_direction */
	SERIES_FAILED_ALLOCATIONS = SERIES_COPIES + DIR_COUNT, /* how many in the interval */
	SERIES_TENSORS, /* bytes that frameworks' allocators have handed out */
	SERIES_TIME,    /* when it was, seconds since the start: not to be shown */
	SERIES_COUNT,
};

struct track {
	uint32_t program;
	bool seen;          /* in the latest snapshot */
	size_t count, size; /* samples so far (HISTORY_MAX at most); room in the ring */
	size_t next;        /* where the next one goes */
	/* The latest samples, which came while the view was frozen */
	size_t hidden;
	uint64_t failed_allocations;
	float *samples; /* size × SERIES_COUNT */
};

struct history {
	struct track all;
	struct track **tracks; /* by program */
	size_t count, size;
};

/* With @hide, samples are kept but stay invisible until history_show(). */
void history_feed(struct history *history, const struct snapshot *snapshot, bool hide);
void history_show(struct history *history);
/* Forgets the samples from @elapsed seconds since the start on: a replay went back to then. */
void history_rewind(struct history *history, double elapsed);
void history_free(struct history *history);

/* The track of @program, or NULL. */
const struct track *history_find(const struct history *history, uint32_t program);

/* How many samples are visible. */
size_t track_count(const struct track *track);

/* A sample @back snapshots ago (0: the latest); NAN where there is none. */
double track_value(const struct track *track, enum series series, size_t back);

#endif
