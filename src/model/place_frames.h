/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about places in the code, beside their texts. */
#ifndef MODEL_PLACE_FRAMES_H
#define MODEL_PLACE_FRAMES_H

#include "model/arena.h"
#include "model/name_store.h"
#include "model/snapshot.h"

/*
 * Takes in the facts about a place; the @len bytes at @strings follow @record. Returns 0 or
 * -ENOMEM.
 */
int place_frames_learn(struct name_store *names, const struct rec_frame *record,
		       const char *strings, size_t len);

/*
 * Copies the facts about @place to @arena: *@shown is NULL if there are none. Returns 0 or -ENOMEM.
 */
int place_frames_build(struct arena *arena, const struct place *place,
		       const struct snap_frame **shown);

#endif
