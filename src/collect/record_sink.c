/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/record_sink.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/util.h"

void record_sink_put(const struct record_sink *sink, const struct rec_hdr *record, size_t size)
{
	model_record(sink->model, record, size);
	if (sink->tee)
		sink->tee(sink->context, record, size);
}

/* ---- records with texts ---- */

/* Records that carry a text. */

struct rec_text *text_record_new(uint16_t type, uint32_t program, uint32_t tgid, uint64_t address,
				 uint32_t flags, const char *text)
{
	size_t len = strlen(text), size;
	struct rec_text *record;

	if (len > CUTOP_NAME_MAX)
		len = CUTOP_NAME_MAX;
	size = (sizeof(*record) + len + 8) & ~(size_t)7;
	record = calloc(1, size);
	if (!record)
		return NULL;
	record->hdr.type = type;
	record->hdr.size = (__u16)size;
	record->hdr.program = program;
	record->hdr.time = clock_ns(CLOCK_MONOTONIC);
	record->hdr.tgid = record->hdr.tid = tgid;
	record->address = address;
	record->flags = flags;
	record->text_len = (__u32)len;
	memcpy(record->text, text, len);
	return record;
}

struct rec_frame *frame_record_new(uint32_t program, uint32_t tgid, uint64_t address,
				   enum frame_language language, const char *function,
				   const char *file, const char *module, unsigned int line,
				   uint64_t offset)
{
	const char *const texts[] = { function, file, module };
	size_t lens[ARRAY_LEN(texts)], size = sizeof(struct rec_frame), i;
	struct rec_frame *record;
	char *at;

	for (i = 0; i < ARRAY_LEN(texts); i++) {
		lens[i] = strnlen(texts[i], CUTOP_NAME_MAX);
		size += lens[i] + 1;
	}
	size = (size + 7) & ~(size_t)7;
	record = calloc(1, size);
	if (!record)
		return NULL;
	record->hdr = (struct rec_hdr){ .type = REC_FRAME,
					.size = (__u16)size,
					.program = program,
					.time = clock_ns(CLOCK_MONOTONIC),
					.tgid = tgid,
					.tid = tgid };
	record->address = address;
	record->offset = offset;
	record->line = line;
	record->language = (__u8)language;
	for (i = 0, at = record->strings; i < ARRAY_LEN(texts); at += lens[i++] + 1)
		memcpy(at, texts[i], lens[i]);
	return record;
}

/* ---- what was told ---- */

#define PLACES_MAX 65536 /* per program; further places get no name */

struct told_place {
	uint64_t place;
	UT_hash_handle hh;
};

struct told_program *told_program_find(const struct told_places *told, uint32_t id)
{
	struct told_program *program;

	HASH_FIND(hh, told->programs, &id, sizeof(id), program);
	return program;
}

struct told_program *told_program_get(struct told_places *told, uint32_t id)
{
	struct told_program *program = told_program_find(told, id);

	if (program)
		return program;
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	program->program = id;
	HASH_ADD(hh, told->programs, program, sizeof(program->program), program);
	return program;
}

bool told_is_first(struct told_places *told, uint32_t id, uint64_t at)
{
	struct told_program *program = told_program_get(told, id);
	struct told_place *place;

	if (!program)
		return false;
	HASH_FIND(hh, program->places, &at, sizeof(at), place);
	if (place || HASH_COUNT(program->places) >= PLACES_MAX)
		return false;
	place = calloc(1, sizeof(*place));
	if (!place)
		return false;
	place->place = at;
	HASH_ADD(hh, program->places, place, sizeof(place->place), place);
	return true;
}

bool told_forget(struct told_places *told, uint32_t id)
{
	struct told_program *program = told_program_find(told, id);
	struct told_place *place, *next;

	if (!program)
		return false;
	HASH_ITER(hh, program->places, place, next) {
		HASH_DEL(program->places, place);
		free(place);
	}
	HASH_DEL(told->programs, program);
	free(program);
	return true;
}

void told_free(struct told_places *told)
{
	while (told->programs)
		told_forget(told, told->programs->program);
}
