/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A track: some figures over time, of a process for example. It reaches back for an hour: the
 * latest samples are kept as they came, older ones are summed up in stretches of 2, 4, ... 32
 * seconds. Time is seconds since the start, as snapshot.elapsed_seconds.
 *
 * The history has tracks of all processes together, of each one, and of each device, for sparklines
 * and plots.
 */
#ifndef VIEW_HISTORY_H
#define VIEW_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cutop_calls.h"
#include "model/snapshot.h"

enum {
	HISTORY_SAMPLES = 128, /* kept as they came */
	/* The samples; and five of stretches, each twice as long as those of the one before */
	HISTORY_LEVELS = 6,
	HISTORY_BUCKETS = 60, /* stretches of a level */
};

/* The first level's stretches; and how far back the last level's reach at least, seconds. */
#define HISTORY_STRETCH 2
#define HISTORY_SPAN    3600

enum series {
	SERIES_LIVE,
	SERIES_TENSORS, /* bytes that frameworks' allocators have handed out */
	SERIES_LAUNCHES,
	SERIES_WAIT,
	SERIES_FAILURES,
	SERIES_COPIES, /* + enum copy_direction, a known one */
	SERIES_COUNT = SERIES_COPIES + DIR_UNKNOWN,
	/* A device's track has these instead: */
	SERIES_DEVICE_USED = 0,    /* bytes: as the driver says, or else those that are tracked */
	SERIES_DEVICE_BUSY,        /* 0..1; NAN: unknown */
	SERIES_DEVICE_TEMPERATURE, /* degrees Celsius; NAN: unknown */
	SERIES_DEVICE_POWER,       /* watts; NAN: unknown */
};

/* What happened in a sample's time; on a device, to a process that uses it. */
enum mark {
	MARK_NO_MEMORY = 1, /* an allocation failed */
	MARK_FAILURE = 2,   /* another call failed */
	MARK_LEAK = 4,
	MARK_SUSPECT = 8, /* memory began to look like a leak, or to rise */
	MARK_EXIT = 16,
	MARKS_OF_MEMORY = MARK_NO_MEMORY | MARK_LEAK | MARK_SUSPECT | MARK_EXIT,
};

struct sample {
	double time;   /* its end */
	double length; /* seconds from the end of the one before; 0: there is none */
	unsigned int marks;
	float mean[SERIES_COUNT], most[SERIES_COUNT];
};

struct bucket;

struct level {
	size_t count, next, size; /* of buckets; where the next one goes; room */
	struct bucket *buckets;
	bool fills; /* there is something in: */
	struct sample filling;
};

/* The figures that marks come from, as they were last. */
struct track_totals {
	uint64_t failed_allocations, failures, leaked, suspect, peak;
	bool exited;
};

struct track {
	uint32_t key; /* program, or number of a device */
	bool seen;    /* in the latest snapshot */
	struct track_totals totals;
	struct level levels[HISTORY_LEVELS];
};

/* How many samples there are, with stretches, which count as one each. */
size_t track_count(const struct track *track);

/*
 * The sample or stretch that is the @back-th from the end (0: the latest). Returns false if
 * there is none.
 */
bool track_sample(const struct track *track, size_t back, struct sample *sample);

/* Its mean of @series; NAN where there is none. */
double track_value(const struct track *track, enum series series, size_t back);

/* Its time; NAN where there is none. */
double track_time(const struct track *track, size_t back);

/* A stretch of time, put together from samples. NAN where nothing is known of it. */
struct track_reading {
	double mean, most;
	unsigned int marks;
};

/*
 * Fills @readings for @count stretches of @step seconds each, one after the other, the first from
 * @from seconds on. A sample stands for the time since the one before; its marks, and those of all
 * that it sums up, are read where it ends.
 */
void track_read(const struct track *track, enum series series, double from, double step,
		size_t count, struct track_reading *readings);

/* The memory that @track takes, in bytes. */
size_t track_bytes(const struct track *track);

/* Tracks by key. */
struct tracks {
	struct track **list;
	size_t count, size;
};

struct history {
	struct track all;
	struct tracks programs, devices;
	bool is_apart; /* what comes next is another stretch: time was left out before it */
};

void history_feed(struct history *history, const struct snapshot *snapshot);
/* A replay went back to @elapsed seconds since the start: what was sampled of the time after goes. */
void history_rewind(struct history *history, double elapsed);
void history_free(struct history *history);

/* The track of @program, or of @device; NULL: there is none. */
const struct track *history_find(const struct history *history, uint32_t program);
const struct track *history_device(const struct history *history, int device);

#endif
