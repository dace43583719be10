/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A little story, told to a model and to a recorder: three processes in eight
 * seconds, with every kind of record. It is the same each time.
 */
#ifndef UNIT_RECORD_SAMPLE_H
#define UNIT_RECORD_SAMPLE_H

#include <stdint.h>

#define SAMPLE_MOMENTS 9

struct sample {
	/* JSON of each snapshot; freed with sample_free() */
	char *documents[SAMPLE_MOMENTS];
	uint64_t times[SAMPLE_MOMENTS]; /* CLOCK_MONOTONIC ns */
};

/* How the recording ends. */
enum sample_end {
	SAMPLE_WHOLE,
	SAMPLE_KILLED, /* in a crash, half a second after the last snapshot */
};

/* Fails the test if @path cannot be written. */
void sample_record(struct sample *sample, const char *path, enum sample_end end);
void sample_free(struct sample *sample);

#endif
