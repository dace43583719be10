/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes records that carry a text, for the collector. */
#ifndef COLLECT_TEXT_RECORD_H
#define COLLECT_TEXT_RECORD_H

#include <stdint.h>

#include <linux/types.h>

#include "cutop_event.h"

/*
 * A record of @type (REC_SITE, REC_NAME, REC_EXTRA, REC_NOTICE) with as much of @text as fits, of
 * the process @tgid (0: of none): it may be the first that the model is told of a program. NULL
 * without memory. The caller frees it.
 */
struct rec_text *text_record_new(uint16_t type, uint32_t program, uint32_t tgid, uint64_t address,
				 uint32_t flags, const char *text);

/*
 * A REC_FRAME of the place @address; an empty string means unknown, and long ones are cut. NULL
 * without memory. The caller frees it.
 */
struct rec_frame *frame_record_new(uint32_t program, uint32_t tgid, uint64_t address,
				   enum frame_language language, const char *function,
				   const char *file, const char *module, unsigned int line,
				   uint64_t offset);

#endif
