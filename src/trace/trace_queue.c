/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace_queue.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "model/model.h"

#define QUEUE_MAX (64u << 20) /* bytes of records that wait */

int trace_queue_open(struct trace_queue *queue)
{
	pthread_mutex_init(&queue->lock, NULL);
	queue->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return queue->ready < 0 ? -errno : 0;
}

void trace_queue_close(struct trace_queue *queue)
{
	if (queue->ready >= 0)
		close(queue->ready);
	buffer_free(&queue->records);
	pthread_mutex_destroy(&queue->lock);
}

void trace_queue_put(void *context, const struct rec_hdr *record, size_t size)
{
	static const char zeros[8];
	struct trace_queue *queue = context;
	struct buffer *records = &queue->records;
	bool is_call, was_empty, fits = false;
	size_t len;

	if (size < sizeof(*record) || record->size > size || record->size < sizeof(*record) ||
	    !record_is(record->type, RECORD_TRACED))
		return;
	is_call = record->type == REC_CALL;
	pthread_mutex_lock(&queue->lock);
	len = records->len;
	was_empty = !len;
	if (len + record->size <= QUEUE_MAX || !is_call) {
		buffer_bytes(records, record, record->size);
		buffer_bytes(records, zeros, -record->size & 7u);
		/* Without memory the record is lost; the next one may find some. */
		fits = !records->failed;
		if (!fits)
			records->len = len;
		records->failed = false;
	}
	queue->dropped += !fits && is_call;
	pthread_mutex_unlock(&queue->lock);
	if (was_empty && fits)
		eventfd_write(queue->ready, 1);
}

bool trace_queue_take(struct trace_queue *queue, struct buffer *records, uint64_t *dropped)
{
	struct buffer empty = *records;
	eventfd_t value;

	empty.len = 0;
	eventfd_read(queue->ready, &value);
	pthread_mutex_lock(&queue->lock);
	*records = queue->records;
	queue->records = empty;
	*dropped += queue->dropped;
	queue->dropped = 0;
	pthread_mutex_unlock(&queue->lock);
	return records->len;
}
