/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records that wait to be printed. Between the collector and a reader that is slow, or has
 * stopped, there is a queue whose calls are bounded: those that do not fit are counted and dropped, so
 * that the collector never waits for the reader. What calls refer to is always taken.
 */
#ifndef TRACE_TRACE_QUEUE_H
#define TRACE_TRACE_QUEUE_H

#include <linux/types.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cutop_event.h"
#include "util/buffer.h"

struct trace_queue {
	int ready; /* eventfd: there are records */

	pthread_mutex_t lock; /* guards the following */
	struct buffer records;
	uint64_t dropped; /* calls that there was no room for */
};

/* Returns 0 or a negative errno. */
int trace_queue_open(struct trace_queue *queue);
void trace_queue_close(struct trace_queue *queue);

/* Adds a record: the tee of a collector. @context is the queue. */
void trace_queue_put(void *context, const struct rec_hdr *record, size_t size);

/*
 * Exchanges all records for the empty buffer @records; each begins at a multiple of 8 bytes. Adds
 * the calls that were dropped since then to *@dropped. Returns false if there was no record.
 */
bool trace_queue_take(struct trace_queue *queue, struct buffer *records, uint64_t *dropped);

#endif
