/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/playback.h"

#include <stdlib.h>

#include "util/util.h"

#define SPEED_LEAST 0.125
#define SPEED_MOST  64.0
#define SHOWN_LEAST (50 * NSEC_PER_MSEC) /* shortest time between snapshots, at any speed */
#define SEEK_PART   20
#define SEEK_LEAST  NSEC_PER_SEC

struct playback {
	struct replay *replay;
	bool paused;
	double speed;
	uint64_t spacing;
	/* at the instant `anchor`, the recording was at `place`; unless it is paused */
	uint64_t anchor, place;
	uint64_t shown; /* when the latest snapshot was made */
};

static bool has_ended(const struct playback *playback)
{
	return replay_next_time(playback->replay) == UINT64_MAX;
}

/* The recording's time now. */
static uint64_t place_now(const struct playback *playback, uint64_t now)
{
	if (playback->paused)
		return playback->place;
	return playback->place + (uint64_t)((double)(now - playback->anchor) * playback->speed);
}

static void place_set(struct playback *playback, uint64_t place, uint64_t now)
{
	playback->place = place;
	playback->anchor = now;
}

struct playback *playback_new(struct replay *replay, uint64_t now)
{
	struct playback *playback = calloc(1, sizeof(*playback));

	if (!playback)
		return NULL;
	playback->replay = replay;
	playback->speed = 1;
	/* Make the first snapshot visible at once. */
	place_set(playback, has_ended(playback) ? replay_begin(replay) : replay_next_time(replay),
		  now);
	return playback;
}

void playback_free(struct playback *playback)
{
	free(playback);
}

void playback_space(struct playback *playback, uint64_t spacing)
{
	playback->spacing = spacing;
}

/* The recording's time at which the next snapshot is to be shown. */
static uint64_t next_place(const struct playback *playback)
{
	uint64_t next = replay_next_time(playback->replay),
		 spaced = replay_now(playback->replay) + playback->spacing;

	if (next == UINT64_MAX || !playback->shown || next >= spaced)
		return next;
	return spaced < replay_end(playback->replay) ? spaced : replay_end(playback->replay);
}

struct snapshot *playback_seek(struct playback *playback, int steps, uint64_t now)
{
	uint64_t begin = replay_begin(playback->replay), end = replay_end(playback->replay),
		 at = replay_now(playback->replay), other;
	uint64_t step = (end - begin) / SEEK_PART > SEEK_LEAST ? (end - begin) / SEEK_PART :
								 SEEK_LEAST;
	uint64_t way = step * (uint64_t)abs(steps);

	if (!steps || (steps > 0 && has_ended(playback)))
		return NULL;
	if (steps < 0) {
		/* Go back by one snapshot at least. */
		other = replay_previous_time(playback->replay);
		at = at - begin > way ? at - way : begin;
		at = other && other < at ? other : at;
	} else {
		other = replay_next_time(playback->replay);
		at = end - at > way ? at + way : end;
		at = other > at ? other : at;
	}
	place_set(playback, at, now);
	playback->shown = now;
	return replay_seek(playback->replay, at);
}

struct snapshot *playback_act(struct playback *playback, enum play_act act, uint64_t now)
{
	uint64_t place = place_now(playback, now);

	switch (act) {
	case PLAY_PAUSE:
		if (has_ended(playback)) {
			playback->paused = false;
			place_set(playback, replay_begin(playback->replay), now);
			return replay_seek(playback->replay, playback->place);
		}
		/* Go on from what is shown. */
		place_set(playback, playback->paused ? replay_now(playback->replay) : place, now);
		playback->paused = !playback->paused;
		return NULL;
	case PLAY_FASTER:
	case PLAY_SLOWER:
		place_set(playback, place, now);
		playback->speed *= act == PLAY_FASTER ? 2 : 0.5;
		if (playback->speed > SPEED_MOST)
			playback->speed = SPEED_MOST;
		if (playback->speed < SPEED_LEAST)
			playback->speed = SPEED_LEAST;
		return NULL;
	default: return NULL;
	}
}

uint64_t playback_wait(const struct playback *playback, uint64_t now)
{
	uint64_t next = next_place(playback), place = place_now(playback, now), wait = 0;

	if (playback->paused || next == UINT64_MAX)
		return UINT64_MAX;
	if (next > place)
		wait = (uint64_t)((double)(next - place) / playback->speed) + 1;
	if (playback->shown && now - playback->shown < SHOWN_LEAST &&
	    wait < SHOWN_LEAST - (now - playback->shown))
		wait = SHOWN_LEAST - (now - playback->shown);
	return wait;
}

struct snapshot *playback_due(struct playback *playback, uint64_t now)
{
	uint64_t place = place_now(playback, now);

	if (playback_wait(playback, now))
		return NULL;
	playback->shown = now;
	/* If the recorder was killed, there may be more after the last moment. */
	if (replay_next_time(playback->replay) == replay_end(playback->replay))
		return replay_step(playback->replay, UINT64_MAX);
	return replay_seek(playback->replay, place);
}

struct play_status playback_status(const struct playback *playback)
{
	uint64_t begin = replay_begin(playback->replay), now = replay_now(playback->replay);

	return (struct play_status){
		.paused = playback->paused,
		.ended = has_ended(playback),
		.damaged = replay_is_damaged(playback->replay),
		.position = now > begin ? now - begin : 0,
		.total = replay_end(playback->replay) - begin,
		.speed = playback->speed,
	};
}
