/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the stream that an outlet gives, as a recording. Used by one thread. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <linux/types.h>

#include "cutop_event.h"
#include "record/facts.h"

struct recorder;

/* As writer_open(). Freed with recorder_close(). */
int recorder_open(struct recorder **recorder, const char *path, const struct facts *facts, struct reason *why);

/* An outlet's tee; @context is the recorder. */
void recorder_tee(void *context, const struct rec_hdr *record, size_t size);

/* Writes what has waited for a second by now (ns, CLOCK_MONOTONIC): a crash loses no more. */
void recorder_tick(struct recorder *recorder, uint64_t now);

/* 0, or the first error there was in writing. */
int recorder_error(const struct recorder *recorder);

/* As writer_close(). *@bytes: how long the recording is; or NULL. */
int recorder_close(struct recorder *recorder, uint64_t *bytes);

#endif
