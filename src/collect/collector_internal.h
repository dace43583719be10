/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the collector's files share: collector.c, which watches, and collector_replay.c, which
 * replays.
 */
#ifndef COLLECT_COLLECTOR_INTERNAL_H
#define COLLECT_COLLECTOR_INTERNAL_H

#include <pthread.h>

#include "collect/collector.h"
#include "collect/record_sink.h"

struct collector {
	struct collector_settings settings;
	struct probe *probe;
	struct model *model;
	struct record_sink sink; /* leads to the model */
	struct budget *budget;   /* for names from files; NULL: no limit */
	struct feed *feed;
	struct nvml *nvml;     /* NULL: the driver is not asked */
	struct replay *replay; /* used in place of all of these, or NULL */
	struct playback *playback;
	struct recorder *recorder; /* NULL: nothing is recorded */
	struct model_config config;
	uint64_t clock_checked; /* CLOCK_MONOTONIC, when the wall clock was last compared */
	bool is_starved;        /* there was no memory for a snapshot */
	int64_t clock_offset;   /* how far the wall clock was ahead of CLOCK_MONOTONIC then, ns */

	pthread_t thread;
	bool running;
	int wake;             /* eventfd: stop */
	int ready;            /* eventfd: a snapshot waits */
	pthread_mutex_t lock; /* guards the following */
	struct snapshot *latest;
	bool stop, clear_exited;
	uint64_t new_delay; /* ns; 0: no change */
	uint32_t focus;
	bool new_focus;
	unsigned int acts[PLAY_ACT_COUNT]; /* how often each act was requested */
	struct play_status status;
	int record_error;
};

/* What all kinds of collectors need. Returns 0 or -ENOMEM with @why set. */
int collector_prepare(struct collector **collector, const struct collector_settings *settings,
		      struct reason *why);

/* Hands out @snapshot in place of the previous one. */
void collector_publish(struct collector *collector, struct snapshot *snapshot);

/* Does what other threads asked for. Returns true if the thread is to stop. */
bool collector_requests(struct collector *collector, uint64_t *next);

/* The thread of a replay: collector_replay.c. */
void *collector_play_run(void *collector);

#endif
