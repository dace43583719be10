/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/playback.h"

#include <stdlib.h>

#include "util/util.h"

#define SPEED_LEAST	0.125
#define SPEED_MOST	64.0
#define SHOWN_LEAST	(50 * NSEC_PER_MSEC)	/* between snapshots, however fast it goes */
#define SEEK_PART	20
#define SEEK_LEAST	NSEC_PER_SEC

struct player {
	struct replay *replay;
	bool paused;
	double speed;
	uint64_t spacing;
	uint64_t anchor, place;		/* at this instant it was there; if it is not paused */
	uint64_t shown;			/* when the latest snapshot was made */
};

static bool has_ended(const struct player *player)
{
	return replay_next_time(player->replay) == UINT64_MAX;
}

/* The recording's time now. */
static uint64_t place_now(const struct player *player, uint64_t now)
{
	if (player->paused)
		return player->place;
	return player->place + (uint64_t)((double)(now - player->anchor) * player->speed);
}

static void place_set(struct player *player, uint64_t place, uint64_t now)
{
	player->place = place;
	player->anchor = now;
}

struct player *player_new(struct replay *replay, uint64_t now)
{
	struct player *player = calloc(1, sizeof(*player));

	if (!player)
		return NULL;
	player->replay = replay;
	player->speed = 1;
	/* Something is to be seen at once. */
	place_set(player, has_ended(player) ? replay_begin(replay) : replay_next_time(replay), now);
	return player;
}

void player_free(struct player *player)
{
	free(player);
}

void player_space(struct player *player, uint64_t spacing)
{
	player->spacing = spacing;
}

/* When, by the recording's time, the next snapshot is to be shown. */
static uint64_t next_place(const struct player *player)
{
	uint64_t next = replay_next_time(player->replay), spaced = replay_now(player->replay) + player->spacing;

	if (next == UINT64_MAX || !player->shown || next >= spaced)
		return next;
	return spaced < replay_end(player->replay) ? spaced : replay_end(player->replay);
}

struct snapshot *player_seek(struct player *player, int steps, uint64_t now)
{
	uint64_t begin = replay_begin(player->replay), end = replay_end(player->replay), at = replay_now(player->replay), other;
	uint64_t step = (end - begin) / SEEK_PART > SEEK_LEAST ? (end - begin) / SEEK_PART : SEEK_LEAST;
	uint64_t way = step * (uint64_t)abs(steps);

	if (!steps || (steps > 0 && has_ended(player)))
		return NULL;
	if (steps < 0) {
		/* One snapshot back at least. */
		other = replay_previous_time(player->replay);
		at = at - begin > way ? at - way : begin;
		at = other && other < at ? other : at;
	} else {
		other = replay_next_time(player->replay);
		at = end - at > way ? at + way : end;
		at = other > at ? other : at;
	}
	place_set(player, at, now);
	player->shown = now;
	return replay_seek(player->replay, at);
}

struct snapshot *player_act(struct player *player, enum play_act act, uint64_t now)
{
	uint64_t place = place_now(player, now);

	switch (act) {
	case PLAY_PAUSE:
		if (has_ended(player)) {
			player->paused = false;
			place_set(player, replay_begin(player->replay), now);
			return replay_seek(player->replay, player->place);
		}
		/* It goes on from what is seen. */
		place_set(player, player->paused ? replay_now(player->replay) : place, now);
		player->paused = !player->paused;
		return NULL;
	case PLAY_FASTER:
	case PLAY_SLOWER:
		place_set(player, place, now);
		player->speed *= act == PLAY_FASTER ? 2 : 0.5;
		if (player->speed > SPEED_MOST)
			player->speed = SPEED_MOST;
		if (player->speed < SPEED_LEAST)
			player->speed = SPEED_LEAST;
		return NULL;
	default:
		return NULL;
	}
}

uint64_t player_wait(const struct player *player, uint64_t now)
{
	uint64_t next = next_place(player), place = place_now(player, now), wait = 0;

	if (player->paused || next == UINT64_MAX)
		return UINT64_MAX;
	if (next > place)
		wait = (uint64_t)((double)(next - place) / player->speed) + 1;
	if (player->shown && now - player->shown < SHOWN_LEAST && wait < SHOWN_LEAST - (now - player->shown))
		wait = SHOWN_LEAST - (now - player->shown);
	return wait;
}

struct snapshot *player_due(struct player *player, uint64_t now)
{
	uint64_t place = place_now(player, now);

	if (player_wait(player, now))
		return NULL;
	player->shown = now;
	/* After the last moment there may be some more, if the recorder was killed. */
	if (replay_next_time(player->replay) == replay_end(player->replay))
		return replay_step(player->replay, UINT64_MAX);
	return replay_seek(player->replay, place);
}

struct play_status player_status(const struct player *player)
{
	uint64_t begin = replay_begin(player->replay), now = replay_now(player->replay);

	return (struct play_status){
		.paused = player->paused,
		.ended = has_ended(player),
		.damaged = replay_is_damaged(player->replay),
		.position = now > begin ? now - begin : 0,
		.total = replay_end(player->replay) - begin,
		.speed = player->speed,
	};
}
