/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that carry a text. */
#include "collect/text_record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/util.h"

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
