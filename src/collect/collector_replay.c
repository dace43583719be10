/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A collector for a recording: its thread makes snapshots as time passes, and does what keys
 * request.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>

#include "collect/collector_internal.h"

#define PLAY_WAIT_MOST (3600 * NSEC_PER_SEC) /* the longest time for poll(2) */

/* @snapshot NULL: only when the next one is due; never in a pause and at the end. */
static void play_tell(struct collector *collector, struct snapshot *snapshot)
{
	const struct collector_settings *settings = &collector->settings;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), wait = playback_wait(collector->playback, now);

	if (settings->on_snapshot)
		settings->on_snapshot(settings->context, snapshot,
				      wait < UINT64_MAX / 2 ? now + wait : UINT64_MAX / 2);
}

/* Takes @snapshot. */
static void play_publish(struct collector *collector, struct snapshot *snapshot)
{
	play_tell(collector, snapshot);
	collector_publish(collector, snapshot);
}

static void play_acts_do(struct collector *collector)
{
	unsigned int acts[PLAY_ACT_COUNT], act;
	struct snapshot *snapshot;
	int steps;

	pthread_mutex_lock(&collector->lock);
	memcpy(acts, collector->acts, sizeof(acts));
	memset(collector->acts, 0, sizeof(collector->acts));
	pthread_mutex_unlock(&collector->lock);
	/* Add up all steps: each way back begins at the start of the recording. */
	steps = (int)acts[PLAY_ON] - (int)acts[PLAY_BACK];
	acts[PLAY_ON] = acts[PLAY_BACK] = 0;
	snapshot = playback_seek(collector->playback, steps, clock_ns(CLOCK_MONOTONIC));
	if (snapshot)
		play_publish(collector, snapshot);
	for (act = 0; act < PLAY_ACT_COUNT; act++)
		for (; acts[act]; acts[act]--) {
			snapshot = playback_act(collector->playback, (enum play_act)act,
						clock_ns(CLOCK_MONOTONIC));
			if (snapshot)
				play_publish(collector, snapshot);
		}
}

static void play_status_tell(struct collector *collector)
{
	struct play_status status = playback_status(collector->playback);

	pthread_mutex_lock(&collector->lock);
	collector->status = status;
	pthread_mutex_unlock(&collector->lock);
	eventfd_write(collector->ready, 1);
}

void *collector_play_run(void *argument)
{
	struct collector *collector = argument;
	struct pollfd fd = { .fd = collector->wake, .events = POLLIN };
	uint64_t next = 0;

	for (;;) {
		struct snapshot *snapshot =
			playback_due(collector->playback, clock_ns(CLOCK_MONOTONIC));
		uint64_t wait;

		if (snapshot)
			play_publish(collector, snapshot);
		play_status_tell(collector);
		wait = playback_wait(collector->playback, clock_ns(CLOCK_MONOTONIC));
		if (wait > PLAY_WAIT_MOST)
			wait = PLAY_WAIT_MOST;
		poll(&fd, 1, (int)((wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));
		if (collector_requests(collector, &next))
			break;
		playback_space(collector->playback, collector->settings.delay);
		play_acts_do(collector);
		play_tell(collector, NULL);
	}
	return NULL;
}

int collector_new_replay(struct collector **result, const struct collector_settings *settings,
			 struct replay *replay, struct reason *why)
{
	int err = collector_prepare(result, settings, why);

	if (err) {
		replay_close(replay);
		return err;
	}
	(*result)->replay = replay;
	(*result)->playback = playback_new(replay, clock_ns(CLOCK_MONOTONIC));
	if ((*result)->playback)
		return 0;
	collector_free(*result);
	*result = NULL;
	return reason_set(why, -ENOMEM, "no memory");
}

void collector_play(struct collector *collector, enum play_act act)
{
	pthread_mutex_lock(&collector->lock);
	collector->acts[act]++;
	pthread_mutex_unlock(&collector->lock);
	eventfd_write(collector->wake, 1);
}

struct play_status collector_play_status(struct collector *collector)
{
	struct play_status status;

	pthread_mutex_lock(&collector->lock);
	status = collector->status;
	pthread_mutex_unlock(&collector->lock);
	return status;
}
