/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of the names (struct shown_names) contains each place's facts once, however many stacks contain
 * it. A place with one frame has its name as the text of that. Where functions were inlined, the
 * frames' texts are made here: the name tells what is around the function, too, which is a frame.
 */
#include "model/place_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "names/place_text.h"
#include "util/utf8.h"

#define STRINGS 3 /* function, source file, module */

struct place_frame {
	struct place_frame *next; /* of a place's inlined functions: the one around it */
	enum frame_language language;
	unsigned int level, line;
	bool is_named; /* the place's name is the text of this frame */
	uint64_t offset;
	const char *strings[STRINGS]; /* in own[]; empty: unknown */
	char *text;                   /* NULL: that is the place's name */
	size_t bytes;                 /* that count against the limit of names */
	char own[];
};

static void frame_free(struct name_store *names, struct place_frame *frame)
{
	if (!frame)
		return;
	names->bytes -= frame->bytes;
	free(frame->text);
	free(frame);
}

/* What is in @record, and the @len bytes behind it; NULL without memory. */
static struct place_frame *frame_read(const struct rec_frame *record, const char *strings,
				      size_t len)
{
	/* Cleaning makes no string longer: a question mark replaces at least one byte. */
	size_t room = len + STRINGS, at = 0, i;
	struct place_frame *frame = calloc(1, sizeof(*frame) + room);

	if (!frame)
		return NULL;
	frame->language = record->language;
	frame->level = record->level;
	frame->line = record->line;
	frame->is_named = record->flags & FRAME_IS_NAMED;
	frame->offset = record->offset;
	frame->bytes = room;
	for (i = 0; i < STRINGS; i++) {
		size_t n = strnlen(strings, len);
		char *own = frame->own + at, *text = n < len ? strndup(strings, n) : NULL;

		if (text)
			utf8_clean(text, own, n + 1);
		at += strlen(own) + 1;
		free(text);
		frame->strings[i] = own;
		n += n < len;
		strings += n;
		len -= n;
	}
	return frame;
}

/* Where in @place a frame of @level is, or would be. */
static struct place_frame **frame_slot(struct place *place, unsigned int level)
{
	struct place_frame **slot = &place->inlined;

	if (!level)
		return &place->frame;
	while (*slot && (*slot)->level < level)
		slot = &(*slot)->next;
	return slot;
}

/* Only the frames of a place that has several need texts besides its name. */
static bool text_make(struct place_frame *frame)
{
	const struct place_words words = { .function = frame->strings[0],
					   .path = frame->strings[1],
					   .module = frame->strings[2],
					   .line = frame->line,
					   .offset = frame->offset,
					   .is_inlined = frame->level != 0 };

	char *text = place_text(&words);

	/* A path that was cut may end within a character. */
	frame->text = text ? utf8_clean_copy(text, strlen(text)) : NULL;
	free(text);
	frame->bytes += frame->text ? strlen(frame->text) + 1 : 0;
	return frame->text != NULL;
}

int place_frames_learn(struct name_store *names, const struct rec_frame *record,
		       const char *strings, size_t len)
{
	struct place *place = names_place(names, record->address);
	struct place_frame *frame, **slot;
	size_t bytes;

	if (!place)
		return names->place_count >= names->limits.places ? 0 : -ENOMEM;
	if (names->bytes + len + STRINGS > names->limits.bytes)
		return 0;
	frame = frame_read(record, strings, len);
	if (!frame || ((frame->level || place->inlined) && !text_make(frame))) {
		free(frame);
		return -ENOMEM;
	}
	/* It is no longer the place's name that says what it is; the limit may keep its next one out. */
	if (frame->level && place->frame && !place->frame->text) {
		bytes = place->frame->bytes;
		if (!text_make(place->frame)) {
			free(frame->text);
			free(frame);
			return -ENOMEM;
		}
		names->bytes += place->frame->bytes - bytes;
	}
	slot = frame_slot(place, frame->level);
	names->bytes += frame->bytes;
	if (*slot && (*slot)->level == frame->level) {
		frame->next = (*slot)->next;
		frame_free(names, *slot);
	} else {
		frame->next = *slot;
		place->inlined_count += frame->level != 0;
	}
	*slot = frame;
	names->changes++;
	return 0;
}

void place_frames_free(struct name_store *names, struct place *place)
{
	struct place_frame *frame;

	while ((frame = place->inlined) != NULL) {
		place->inlined = frame->next;
		frame_free(names, frame);
	}
	frame_free(names, place->frame);
	place->frame = NULL;
	place->inlined_count = 0;
}

static const struct place_frame *frame_at(const struct place *place, size_t at)
{
	const struct place_frame *frame = place->inlined;

	if (at >= place->inlined_count)
		return place->frame;
	while (at--)
		frame = frame->next;
	return frame;
}

size_t place_frames_count(const struct place *place)
{
	return (size_t)place->inlined_count + 1;
}

size_t place_frames_named(const struct place *place)
{
	const struct place_frame *frame = place->inlined;
	size_t at = 0;

	while (frame && !frame->is_named) {
		frame = frame->next;
		at++;
	}
	return at;
}

const char *place_frames_text(const struct place *place, size_t at)
{
	const struct place_frame *frame = frame_at(place, at);

	return frame && frame->text ? frame->text : place->name;
}

static const char *string_shown(struct arena *arena, const char *text, bool *failed)
{
	const char *shown = *text ? arena_string(arena, text) : NULL;

	*failed |= *text && !shown;
	return shown;
}

int place_frames_build(struct arena *arena, const struct place *place, size_t at,
		       const struct snap_frame **shown)
{
	const struct place_frame *frame = frame_at(place, at);
	struct snap_frame *facts;
	bool failed = false;

	*shown = NULL;
	if (!frame)
		return 0;
	facts = arena_alloc(arena, 1, sizeof(*facts));
	if (!facts)
		return -ENOMEM;
	facts->language = frame->language;
	facts->line = frame->line;
	facts->offset = frame->offset;
	facts->is_inlined = frame->level != 0;
	facts->function = string_shown(arena, frame->strings[0], &failed);
	facts->file = string_shown(arena, frame->strings[1], &failed);
	facts->module = string_shown(arena, frame->strings[2], &failed);
	*shown = facts;
	return failed ? -ENOMEM : 0;
}
