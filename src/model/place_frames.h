/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about places in the code, beside their texts. A place is in one function, and perhaps in
 * others that were inlined there: each of these is a frame of it, the innermost first, the function
 * itself last.
 */
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

/* How many frames @place has: at least 1. */
size_t place_frames_count(const struct place *place);
/* Which of them its name is that of. */
size_t place_frames_named(const struct place *place);
/* The text of the frame @at of @place; NULL if it has none, which is then its only frame. */
const char *place_frames_text(const struct place *place, size_t at);

/*
 * Copies the facts about the frame @at of @place to @arena: *@shown is NULL if there are none.
 * Returns 0 or -ENOMEM.
 */
int place_frames_build(struct arena *arena, const struct place *place, size_t at,
		       const struct snap_frame **shown);

void place_frames_free(struct name_store *names, struct place *place);

#endif
