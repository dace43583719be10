/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the stream of a record_sink to a recording. For one thread. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <linux/types.h>
#include <stdbool.h>

#include "cutop_event.h"
#include "record/format.h"

struct recorder;

/* As writer_open(). Freed with recorder_close(). */
int recorder_open(struct recorder **recorder, const char *path, const struct facts *facts,
		  struct reason *why);

/* The tee of a record_sink; @context is the recorder. */
void recorder_tee(void *context, const struct rec_hdr *record, size_t size);

/*
 * Writes records that have waited for a second at @now (ns, CLOCK_MONOTONIC): a crash loses no more
 * than that.
 */
void recorder_tick(struct recorder *recorder, uint64_t now);

/* Returns 0, or the first error in writing. */
int recorder_error(const struct recorder *recorder);

/* Returns as writer_close(). *@bytes: the length of the recording; may be NULL. */
int recorder_close(struct recorder *recorder, uint64_t *bytes);

/* ---- its parts ---- */

/*
 * Which records a recording needs: all rows are read at each refresh, and most repeat what they
 * said before.
 */
struct changes;

struct changes *changes_new(void);
void changes_free(struct changes *changes);

/*
 * True if @record changes a model that was given all earlier records for which this returned true.
 * Without memory, it is true for all.
 */
bool changes_any(struct changes *changes, const struct rec_hdr *record);

/* Writes a recording, block by block. */
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
