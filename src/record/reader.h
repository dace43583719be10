/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a recording. Whatever the file contains, the records returned have sizes that are right for
 * their types. What they say has to be checked by their user, like records from anywhere else.
 */
#ifndef RECORD_READER_H
#define RECORD_READER_H

#include <linux/types.h>

#include "cutop_event.h"
#include "record/format.h"

struct reader;

/* How a recording ends. */
enum recording_end {
	RECORDING_IS_WHOLE,
	RECORDING_IS_CUT_OFF, /* its recorder was killed, is still running, or ran out of space */
	RECORDING_IS_DAMAGED, /* the rest cannot be trusted */
};

/*
 * Opens @path, or takes over @fd, which must be a regular file. The whole file is checked; damage
 * after the start is no error: the recording ends before it. Returns 0, or a negative errno with
 * @why. Free with reader_close().
 */
int reader_open(struct reader **reader, const char *path, struct reason *why);
int reader_open_fd(struct reader **reader, int fd, struct reason *why);
void reader_close(struct reader *reader);

const struct facts *reader_facts(const struct reader *reader);

/* How the recording ends, and why, unless it is whole. */
enum recording_end reader_end(const struct reader *reader, const char **why);

/*
 * The moments at which snapshots were made: times (CLOCK_MONOTONIC ns), ascending; and the time
 * that the whole recording reaches to.
 */
const uint64_t *reader_moments(const struct reader *reader, size_t *count);
uint64_t reader_last(const struct reader *reader);

/*
 * Returns the next record, or NULL at the end. It is aligned to 8 bytes, valid until the next call,
 * and has our numbers for calls and causes.
 */
const struct rec_hdr *reader_next(struct reader *reader);

/* True if no block follows the record that was returned last. */
bool reader_is_done(const struct reader *reader);

/* From the start again. */
void reader_rewind(struct reader *reader);

#endif
