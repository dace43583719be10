/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the stream of a record_sink to a recording. For one thread. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <linux/types.h>

#include "cutop_event.h"
#include "record/facts.h"

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

#endif
