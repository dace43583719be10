/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replays a recording: gives a model the same records that the recorder's model had, and makes
 * snapshots at the same moments.
 */
#ifndef RECORD_REPLAY_H
#define RECORD_REPLAY_H

#include "model/model.h"
#include "record/reader.h"

struct replay;

struct replay_settings {
	uint64_t leak_age; /* ns; 0: as recorded */
	unsigned int map_max;
	bool totals;          /* snapshots have sums by call */
	const uint32_t *pids; /* only these, borrowed; none: all */
	size_t pid_count;
	uint32_t uid; /* only this user's; (uint32_t)-1: any */
	/* Only processes whose command matches, borrowed; or NULL */
	const char *command_glob;
	/* Called with each record after the model, except those that are filtered out; or NULL. */
	void (*tee)(void *context, const struct rec_hdr *record, size_t size);
	void *tee_context;
};

/* Opens the recording @path. Returns 0 or a negative errno with @why. Free with replay_close(). */
int replay_open(struct replay **replay, const char *path, const struct replay_settings *settings,
		struct reason *why);
void replay_close(struct replay *replay);

/* Its reader, to ask for its facts and its end. The functions below take records out of it. */
const struct reader *replay_reader(const struct replay *replay);

/* All times below are times of the recording: ns of its CLOCK_MONOTONIC. */
uint64_t replay_begin(const struct replay *replay);
uint64_t replay_end(const struct replay *replay);
/*
 * True once damage inside a block has ended it early: opening it checks blocks and their checksums,
 * not their contents.
 */
bool replay_is_damaged(const struct replay *replay);
/* The time of the latest snapshot, or the start */
uint64_t replay_now(const struct replay *replay);

/* When the next snapshot is due; UINT64_MAX: there are none left. */
uint64_t replay_next_time(const struct replay *replay);
/* When the snapshot before the latest was made; 0: there was none. */
uint64_t replay_previous_time(const struct replay *replay);

/*
 * Goes on to the first moment at or after @time, or to the end, whichever comes first, and returns
 * a snapshot of it, which the caller frees; NULL if it was at the end already, or there is no
 * memory.
 */
struct snapshot *replay_step(struct replay *replay, uint64_t time);

/*
 * Returns a snapshot of the last moment at or before @time, or of the first. The state is as if
 * everything up to there had just been replayed.
 */
struct snapshot *replay_seek(struct replay *replay, uint64_t time);

/* Returns a snapshot of all that was replayed, up to the present moment, or NULL without memory. */
struct snapshot *replay_whole(struct replay *replay);

/*
 * As model_focus() and model_clear_exited(); after going back, cleared processes are there again.
 */
void replay_focus(struct replay *replay, uint32_t program);
void replay_clear_exited(struct replay *replay);

#endif
