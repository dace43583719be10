/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * History: tracks of all processes together, of each one, and of each device. For sparklines and
 * plots.
 */
#ifndef VIEW_HISTORY_H
#define VIEW_HISTORY_H

#include "model/snapshot.h"
#include "view/track.h"

/* Tracks by key. */
struct tracks {
	struct track **list;
	size_t count, size;
};

struct history {
	struct track all;
	struct tracks programs, devices;
};

/* With @hide, samples are kept but stay invisible until history_show(). */
void history_feed(struct history *history, const struct snapshot *snapshot, bool hide);
void history_show(struct history *history);
/*
 * A replay went back to @elapsed seconds since the start: what was sampled of the time after is
 * hidden until it comes again.
 */
void history_rewind(struct history *history, double elapsed);
void history_free(struct history *history);

/* The track of @program, or of @device; NULL: there is none. */
const struct track *history_find(const struct history *history, uint32_t program);
const struct track *history_device(const struct history *history, int device);

#endif
