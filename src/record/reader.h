/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a recording. Whatever the file holds, what comes out are records whose
 * sizes are right for their types; what they say has to be judged by what
 * takes them, as of those that come from elsewhere.
 */
#ifndef RECORD_READER_H
#define RECORD_READER_H

#include <linux/types.h>

#include "cutop_event.h"
#include "record/facts.h"

struct reader;

/* How a recording ends. */
enum recording_end {
	RECORDING_IS_WHOLE,
	RECORDING_IS_CUT_OFF,	/* its recorder was killed, has not ended yet, or ran out of space */
	RECORDING_IS_DAMAGED,	/* what follows cannot be trusted */
};

/*
 * Opens @path, or takes @fd over, which must be a regular file. All of it is
 * checked: damage behind the start is no error, the recording ends before it.
 * Returns 0, or a negative errno with @why. Freed with reader_close().
 */
int reader_open(struct reader **reader, const char *path, struct reason *why);
int reader_open_fd(struct reader **reader, int fd, struct reason *why);
void reader_close(struct reader *reader);

const struct facts *reader_facts(const struct reader *reader);

/* How it ends, and in words why, unless it is whole. */
enum recording_end reader_end(const struct reader *reader, const char **why);

/* The moments at which snapshots were made: times (CLOCK_MONOTONIC ns), ascending; and how far the whole goes. */
const uint64_t *reader_moments(const struct reader *reader, size_t *count);
uint64_t reader_last(const struct reader *reader);

/*
 * The next record, or NULL: there is none. It lies at an address that is a
 * multiple of 8, until the next call. Call and cause numbers in it are ours.
 */
const struct rec_hdr *reader_next(struct reader *reader);

/* True if no block follows the record that was taken last. */
bool reader_is_done(const struct reader *reader);

/* From the start again. */
void reader_rewind(struct reader *reader);

#endif
