/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer of a trace: a thread that prints the records it is given. Between the collector and a
 * reader that is slow, or has stopped, there is a bounded queue: calls that do not fit are counted
 * and dropped, so that the collector never waits for the reader.
 */
#ifndef TRACE_TRACE_WRITER_H
#define TRACE_TRACE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace_printer.h"

struct trace_writer;

struct trace_writer_settings {
	struct trace_options trace;
	int fd;         /* where to write; borrowed */
	uint64_t limit; /* calls to print at most; 0: unlimited */
};

/* Returns NULL with errno set. */
struct trace_writer *trace_writer_new(const struct trace_writer_settings *settings);

/*
 * Starts its thread, which also prints records that were given before. Returns 0 or a negative
 * errno.
 */
int trace_writer_start(struct trace_writer *writer);

/* Gives it a record: the tee of a collector. May be called by one thread at a time. */
void trace_writer_put(void *writer, const struct rec_hdr *record, size_t size);

/*
 * A descriptor that polls readable when there is an error, the limit is reached, or the thread has
 * ended.
 */
int trace_writer_fd(const struct trace_writer *writer);
/* the first error in writing, a negative errno, or 0; -ETIMEDOUT: it was told to hurry */
int trace_writer_error(struct trace_writer *writer);
bool trace_writer_is_full(const struct trace_writer *writer);
/* Also makes the descriptor unreadable again */
bool trace_writer_has_ended(struct trace_writer *writer);

/*
 * Nothing more will come: the writer prints what it has, as long as the reader takes it, and ends.
 * @lost: by cause, LOST_COUNT of them.
 */
void trace_writer_finish(struct trace_writer *writer, const uint64_t *lost);

/* Makes it give up as soon as the reader does not read. */
void trace_writer_hurry(struct trace_writer *writer);

/* To be called after it has ended: calls that were given but not written, and those that were. */
uint64_t trace_writer_unwritten(const struct trace_writer *writer);
uint64_t trace_writer_count(const struct trace_writer *writer);

/* Ends the thread, whatever it is doing, and frees it. */
void trace_writer_free(struct trace_writer *writer);

#endif
