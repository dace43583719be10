/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot contains each place's facts once, however many stacks contain it. */
#include "model/place_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/utf8.h"

#define STRINGS 3 /* function, source file, module */

struct place_frame {
	enum frame_language language;
	unsigned int line;
	uint64_t offset;
	const char *strings[STRINGS];   /* in text[]; empty: unknown */
	const struct snap_frame *shown; /* in the snapshot number `shown_in` */
	uint64_t shown_in;
	size_t bytes; /* bytes that count against the limit of names */
	char text[];
};

static size_t frame_bytes(const struct place_frame *frame)
{
	return frame ? frame->bytes : 0;
}

int place_frames_learn(struct name_store *names, const struct rec_frame *record,
		       const char *strings, size_t len)
{
	struct place *place = names_place(names, record->address);
	struct place_frame *frame;
	size_t i, at = 0, room;

	if (!place)
		return names->place_count >= names->limits.places ? 0 : -ENOMEM;
	/* Cleaning makes no string longer: a question mark replaces at least one byte. */
	room = len + STRINGS;
	if (names->bytes + room > names->limits.bytes)
		return 0;
	frame = calloc(1, sizeof(*frame) + room);
	if (!frame)
		return -ENOMEM;
	frame->language = record->language;
	frame->line = record->line;
	frame->offset = record->offset;
	for (i = 0; i < STRINGS; i++) {
		size_t n = strnlen(strings, len);
		char *own = frame->text + at, *text = n < len ? strndup(strings, n) : NULL;

		if (text)
			utf8_clean(text, own, n + 1);
		at += strlen(own) + 1;
		free(text);
		frame->strings[i] = own;
		n += n < len;
		strings += n;
		len -= n;
	}
	frame->bytes = room;
	names->bytes += room - frame_bytes(place->frame);
	free(place->frame);
	place->frame = frame;
	return 0;
}

static const char *string_shown(struct arena *arena, const char *text, bool *failed)
{
	const char *shown = *text ? arena_string(arena, text) : NULL;

	*failed |= *text && !shown;
	return shown;
}

/* The facts about @place, or NULL if there are none; *@failed without memory. */
static const struct snap_frame *frame_show(struct arena *arena, uint64_t number,
					   struct place *place, bool *failed)
{
	struct place_frame *frame = place->frame;
	struct snap_frame *shown;

	if (!frame || (frame->shown && frame->shown_in == number))
		return frame ? frame->shown : NULL;
	shown = arena_alloc(arena, 1, sizeof(*shown));
	if (!shown) {
		*failed = true;
		return NULL;
	}
	shown->language = frame->language;
	shown->line = frame->line;
	shown->offset = frame->offset;
	shown->function = string_shown(arena, frame->strings[0], failed);
	shown->file = string_shown(arena, frame->strings[1], failed);
	shown->module = string_shown(arena, frame->strings[2], failed);
	frame->shown = shown;
	frame->shown_in = number;
	return shown;
}

int place_frames_build(struct arena *arena, uint64_t number, struct place *const *places,
		       size_t count, struct snap_place *where)
{
	const struct snap_frame **frames = arena_alloc(arena, count, sizeof(*frames));
	bool failed = !frames;
	size_t i, known = 0;

	for (i = 0; i < count && !failed; i++) {
		frames[i] = frame_show(arena, number, places[i], &failed);
		known += frames[i] != NULL;
	}
	if (failed)
		return -ENOMEM;
	where->frames = frames;
	where->frame_count = known ? count : 0;
	return 0;
}
