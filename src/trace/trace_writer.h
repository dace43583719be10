/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer of a trace: a thread that prints the records it is given. Between
 * what gives them and a reader that is slow, or has stopped, stands a queue
 * that has an end: calls that find no room in it are counted and dropped, so
 * that nothing ever waits for the reader.
 */
#ifndef TRACE_TRACE_WRITER_H
#define TRACE_TRACE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace_printer.h"

struct trace_writer;

struct trace_writer_settings {
	struct trace_options trace;
	int fd;			/* written to; borrowed */
	uint64_t limit;		/* calls that are printed at most; 0: any number */
};

/* Returns NULL with errno set. */
struct trace_writer *trace_writer_new(const struct trace_writer_settings *settings);

/* Starts its thread; what it was given before waits. Returns 0 or a negative errno. */
int trace_writer_start(struct trace_writer *writer);

/* Gives it a record: the tee of a collector. May be called by any one thread. */
void trace_writer_put(void *writer, const struct rec_hdr *record, size_t size);

/* A descriptor that polls readable when one of these has changed: an error, its limit reached, its end. */
int trace_writer_fd(const struct trace_writer *writer);
int trace_writer_error(struct trace_writer *writer);	/* the first of writing, a negative errno, or 0; -ETIMEDOUT: in a hurry */
bool trace_writer_is_full(const struct trace_writer *writer);
bool trace_writer_has_ended(struct trace_writer *writer);	/* also makes the descriptor unreadable */

/* Nothing more comes: it prints what it has, as long as the reader takes, and ends. @lost: by cause, LOST_COUNT of them. */
void trace_writer_finish(struct trace_writer *writer, const uint64_t *lost);

/* Waits for the reader no longer than it takes to see that it does not read now. */
void trace_writer_hurry(struct trace_writer *writer);

/* After its end: calls that were given and did not get out, and those that did. */
uint64_t trace_writer_unwritten(const struct trace_writer *writer);
uint64_t trace_writer_count(const struct trace_writer *writer);

/* Ends the thread, whatever it does, and frees it. */
void trace_writer_free(struct trace_writer *writer);

#endif
