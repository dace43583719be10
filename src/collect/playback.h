/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plays a recording as time passes: which of its snapshots is due, its speed, and jumps. Has no
 * thread of its own.
 */
#ifndef COLLECT_PLAYBACK_H
#define COLLECT_PLAYBACK_H

#include "record/replay.h"

enum play_act { PLAY_PAUSE, PLAY_FASTER, PLAY_SLOWER, PLAY_BACK, PLAY_ON, PLAY_ACT_COUNT };

struct play_status {
	bool paused, ended, damaged;
	uint64_t position, total; /* ns since the recording began */
	double speed;             /* 1: the original speed */
};

struct playback;

/*
 * Borrows @replay. Returns NULL without memory. Free with playback_free(). @now: ns,
 * CLOCK_MONOTONIC, here and below.
 */
struct playback *playback_new(struct replay *replay, uint64_t now);
void playback_free(struct playback *playback);

/* Shows snapshots with at least this much recorded time (ns) between them. */
void playback_space(struct playback *playback, uint64_t spacing);

/*
 * Pauses or goes on (from the start, if it has ended), or doubles or halves the speed. Returns a
 * snapshot of the new position, or NULL if that does not change.
 */
struct snapshot *playback_act(struct playback *playback, enum play_act act, uint64_t now);

/*
 * Moves forward, or back (below 0), by this many twentieths of the whole. Returns as
 * playback_act().
 */
struct snapshot *playback_seek(struct playback *playback, int steps, uint64_t now);

/* The time until the next snapshot is due, ns; UINT64_MAX: none is. */
uint64_t playback_wait(const struct playback *playback, uint64_t now);

/* The snapshot that is due, or NULL. */
struct snapshot *playback_due(struct playback *playback, uint64_t now);

struct play_status playback_status(const struct playback *playback);

#endif
