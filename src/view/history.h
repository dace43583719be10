/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was: a series of figures per snapshot, for all processes together and
 * for each one, fed once per snapshot. For sparklines and plots.
 */
#ifndef VIEW_HISTORY_H
#define VIEW_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/snapshot.h"

#define HISTORY_MAX 512	/* samples kept */

enum series {
	SERIES_LIVE, SERIES_LAUNCHES, SERIES_FAILURES, SERIES_WAIT,
	SERIES_COPIES,		/* + enum copy_direction */
	SERIES_FAILED_ALLOCATIONS = SERIES_COPIES + DIR_COUNT,	/* in the interval */
	SERIES_COUNT,
};

struct track {
	uint32_t program;
	bool seen;			/* in the latest snapshot */
	size_t count, size;		/* samples in all so far, at most HISTORY_MAX; room */
	size_t next;			/* where the next one goes */
	size_t hidden;			/* the latest, that came while the view was frozen */
	uint64_t failed_allocations;
	float *samples;			/* size × SERIES_COUNT */
};

struct history {
	struct track all;
	struct track **tracks;		/* by program */
	size_t count, size;
};

/* With @hide the samples are kept, but not seen before history_show(). */
void history_feed(struct history *history, const struct snapshot *snapshot, bool hide);
void history_show(struct history *history);
void history_free(struct history *history);

/* The track of @program, or NULL. */
const struct track *history_find(const struct history *history, uint32_t program);

/* How many samples there are to see. */
size_t track_count(const struct track *track);

/* A sample @back snapshots ago (0: the latest); NAN where there is none. */
double track_value(const struct track *track, enum series series, size_t back);

#endif
