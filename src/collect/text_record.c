/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that carry a text. */
#include "collect/text_record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/util.h"

struct rec_text *text_record_new(uint16_t type, uint32_t program, uint64_t address, uint32_t flags, const char *text)
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
	record->address = address;
	record->flags = flags;
	record->text_len = (__u32)len;
	memcpy(record->text, text, len);
	return record;
}
