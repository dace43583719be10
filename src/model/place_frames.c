/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy of the names (struct carry) contains each place's facts once, however many stacks contain it. */
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
	const char *strings[STRINGS]; /* in text[]; empty: unknown */
	size_t bytes;                 /* bytes that count against the limit of names */
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
	names->changes++;
	return 0;
}

static const char *string_shown(struct arena *arena, const char *text, bool *failed)
{
	const char *shown = *text ? arena_string(arena, text) : NULL;

	*failed |= *text && !shown;
	return shown;
}

int place_frames_build(struct arena *arena, const struct place *place,
		       const struct snap_frame **shown)
{
	const struct place_frame *frame = place->frame;
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
	facts->function = string_shown(arena, frame->strings[0], &failed);
	facts->file = string_shown(arena, frame->strings[1], &failed);
	facts->module = string_shown(arena, frame->strings[2], &failed);
	*shown = facts;
	return failed ? -ENOMEM : 0;
}
