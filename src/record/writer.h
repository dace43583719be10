/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a recording, block by block. */
#ifndef RECORD_WRITER_H
#define RECORD_WRITER_H

#include <linux/types.h>

#include "cutop_event.h"
#include "record/facts.h"

struct writer;

/*
 * Creates or overwrites the file @path, and writes @facts. Returns 0 or a negative errno with @why.
 * Free with writer_close().
 */
int writer_open(struct writer **writer, const char *path, const struct facts *facts,
		struct reason *why);

/*
 * Adds @record; it is written together with its block. A block ends when it is full, after a
 * REC_MOMENT, and at writer_flush(). Returns 0 or a negative errno: then what was written before
 * stays readable, and nothing is written any more.
 */
int writer_put(struct writer *writer, const struct rec_hdr *record);
int writer_flush(struct writer *writer, uint64_t now);

/* Bytes written so far. */
uint64_t writer_bytes(const struct writer *writer);

/*
 * Writes what is left, and the end block. Returns 0, or the first error in writing; -ESTALE if the
 * file was removed meanwhile, so that nothing is left of it. Frees @writer.
 */
int writer_close(struct writer *writer);

#endif
