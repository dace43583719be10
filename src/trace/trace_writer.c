/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue is one buffer that is filled while another one is printed; they are swapped when the
 * printed one is empty.
 */
#include "trace/trace_writer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUEUE_MAX   (64u << 20) /* bytes of records that wait */
#define WRITE_BYTES 65536       /* printed bytes that are written at once */
#define WRITE_CALLS 4096        /* and calls */

struct trace_writer {
	struct trace *trace;
	int fd;
	uint64_t limit;
	bool full;       /* the limit of calls is reached */
	bool is_file;    /* a regular file: writing never waits for a reader */
	int hurry, done; /* eventfds */
	pthread_t thread;
	bool started;
	struct buffer printed;    /* used by the thread only, like the following */
	size_t ends[WRITE_CALLS]; /* where each of its calls ends */
	size_t call_count;
	struct buffer reading;
	uint64_t written;   /* calls that were written */
	uint64_t unwritten; /* calls that were taken from the queue but not written */

	pthread_mutex_t lock; /* guards the following */
	pthread_cond_t more;
	struct buffer queue;
	uint64_t dropped; /* calls that the queue had no room for */
	bool waiting;     /* the thread is waiting for more */
	bool finish, ended;
	uint64_t lost[LOST_COUNT];
	int error;
};

/* ---- writing ---- */

/*
 * Waits until a write would not block. False: the reader takes nothing, and we were told to hurry.
 */
static bool may_write(struct trace_writer *writer)
{
	struct pollfd fds[2] = {
		{ .fd = writer->fd, .events = POLLOUT },
		{ .fd = writer->hurry, .events = POLLIN },
	};

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR && errno != EAGAIN)
			return false;
	return fds[0].revents;
}

static void fail(struct trace_writer *writer, int error)
{
	pthread_mutex_lock(&writer->lock);
	if (!writer->error)
		writer->error = error;
	pthread_mutex_unlock(&writer->lock);
	eventfd_write(writer->done, 1);
}

/* Only this thread sets it. */
static bool has_failed(const struct trace_writer *writer)
{
	return writer->error != 0;
}

static void flush(struct trace_writer *writer)
{
	struct buffer *printed = &writer->printed;
	size_t at = 0, part, i;
	ssize_t n;

	if (printed->failed && !has_failed(writer))
		fail(writer, -ENOMEM);
	while (at < printed->len && !has_failed(writer)) {
		part = printed->len - at;
		if (!writer->is_file) {
			/*
			 * pipe(7): if a pipe is writable at all, this much can be written without
			 * blocking.
			 */
			if (part > PIPE_BUF)
				part = PIPE_BUF;
			if (!may_write(writer)) {
				fail(writer, -ETIMEDOUT);
				break;
			}
		}
		n = write(writer->fd, printed->data + at, part);
		if (n > 0)
			at += (size_t)n;
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
			fail(writer, -errno);
	}
	for (i = 0; i < writer->call_count; i++)
		*(writer->ends[i] <= at ? &writer->written : &writer->unwritten) += 1;
	writer->call_count = 0;
	printed->len = 0;
}

/* ---- the thread ---- */

static void print(struct trace_writer *writer, const struct rec_hdr *record, size_t size)
{
	bool is_call = record->type == REC_CALL;

	if (is_call && writer->limit && trace_count(writer->trace) >= writer->limit)
		return;
	if (is_call && has_failed(writer)) {
		writer->unwritten++;
		return;
	}
	trace_record(writer->trace, record, size, &writer->printed);
	if (is_call)
		writer->ends[writer->call_count++] = writer->printed.len;
	if (writer->printed.len >= WRITE_BYTES || writer->call_count == WRITE_CALLS)
		flush(writer);
	if (is_call && writer->limit && trace_count(writer->trace) == writer->limit) {
		flush(writer);
		__atomic_store_n(&writer->full, true, __ATOMIC_RELAXED);
		eventfd_write(writer->done, 1);
	}
}

/* Takes the queue. Returns false when it is empty and nothing more will come. */
static bool take(struct trace_writer *writer)
{
	struct buffer empty = writer->reading;
	bool any;

	empty.len = 0;
	pthread_mutex_lock(&writer->lock);
	while (!writer->queue.len && !writer->finish) {
		writer->waiting = true;
		pthread_cond_wait(&writer->more, &writer->lock);
	}
	writer->waiting = false;
	any = writer->queue.len;
	writer->reading = writer->queue;
	writer->queue = empty;
	pthread_mutex_unlock(&writer->lock);
	return any;
}

static void *writer_run(void *argument)
{
	struct trace_writer *writer = argument;
	size_t at;

	trace_begin(writer->trace, &writer->printed);
	flush(writer);
	while (take(writer)) {
		for (at = 0; at < writer->reading.len;) {
			const struct rec_hdr *record = (const void *)(writer->reading.data + at);

			print(writer, record, record->size);
			at += (record->size + 7u) & ~7u;
		}
		flush(writer);
	}
	pthread_mutex_lock(&writer->lock);
	writer->unwritten += writer->dropped;
	pthread_mutex_unlock(&writer->lock);
	trace_end(writer->trace, writer->lost, writer->unwritten, &writer->printed);
	flush(writer);
	pthread_mutex_lock(&writer->lock);
	writer->ended = true;
	pthread_mutex_unlock(&writer->lock);
	eventfd_write(writer->done, 1);
	return NULL;
}

void trace_writer_put(void *context, const struct rec_hdr *record, size_t size)
{
	static const char zeros[8];
	struct trace_writer *writer = context;
	bool wake = false, fits = false;
	size_t len;

	if (size < sizeof(*record) || record->size > size || record->size < sizeof(*record))
		return;
	switch (record->type) {
	case REC_CALL:
	case REC_PROCESS:
	case REC_END:
	case REC_KERNEL:
	case REC_NAME:
	case REC_SITE:
	case REC_FRAME:
	case REC_STACK:
	case REC_MODULE:
	case REC_RESET:
	case REC_EXTRA:
	case REC_CLOCK: break;
	default: return;
	}
	pthread_mutex_lock(&writer->lock);
	len = writer->queue.len;
	if (len + record->size <= QUEUE_MAX || record->type != REC_CALL) {
		buffer_bytes(&writer->queue, record, record->size);
		buffer_bytes(&writer->queue, zeros, -record->size & 7u);
		/* Without memory the record is lost; the next one may find some. */
		fits = !writer->queue.failed;
		if (!fits)
			writer->queue.len = len;
		writer->queue.failed = false;
	}
	if (fits) {
		wake = writer->waiting;
		writer->waiting = false;
	} else if (record->type == REC_CALL) {
		writer->dropped++;
	}
	pthread_mutex_unlock(&writer->lock);
	if (wake)
		pthread_cond_signal(&writer->more);
}

/* ---- life ---- */

struct trace_writer *trace_writer_new(const struct trace_writer_settings *settings)
{
	struct trace_writer *writer = calloc(1, sizeof(*writer));
	struct stat st;
	int err;

	if (!writer)
		return NULL;
	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->more, NULL);
	writer->fd = settings->fd;
	writer->limit = settings->limit;
	writer->is_file = !fstat(settings->fd, &st) && S_ISREG(st.st_mode);
	writer->hurry = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	writer->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	writer->trace = trace_new(&settings->trace);
	err = !writer->trace ? ENOMEM : writer->hurry < 0 || writer->done < 0 ? errno : 0;
	if (!err)
		return writer;
	trace_free(writer->trace);
	if (writer->hurry >= 0)
		close(writer->hurry);
	if (writer->done >= 0)
		close(writer->done);
	free(writer);
	errno = err;
	return NULL;
}

int trace_writer_start(struct trace_writer *writer)
{
	int err = pthread_create(&writer->thread, NULL, writer_run, writer);

	writer->started = !err;
	return -err;
}

int trace_writer_fd(const struct trace_writer *writer)
{
	return writer->done;
}

bool trace_writer_has_ended(struct trace_writer *writer)
{
	eventfd_t value;
	bool ended;

	eventfd_read(writer->done, &value);
	pthread_mutex_lock(&writer->lock);
	ended = writer->ended;
	pthread_mutex_unlock(&writer->lock);
	return ended;
}

bool trace_writer_is_full(const struct trace_writer *writer)
{
	return __atomic_load_n(&writer->full, __ATOMIC_RELAXED);
}

int trace_writer_error(struct trace_writer *writer)
{
	int error;

	pthread_mutex_lock(&writer->lock);
	error = writer->error;
	pthread_mutex_unlock(&writer->lock);
	return error;
}

void trace_writer_finish(struct trace_writer *writer, const uint64_t *lost)
{
	pthread_mutex_lock(&writer->lock);
	memcpy(writer->lost, lost, sizeof(writer->lost));
	writer->finish = true;
	pthread_mutex_unlock(&writer->lock);
	pthread_cond_signal(&writer->more);
}

void trace_writer_hurry(struct trace_writer *writer)
{
	eventfd_write(writer->hurry, 1);
}

uint64_t trace_writer_unwritten(const struct trace_writer *writer)
{
	return writer->unwritten;
}

uint64_t trace_writer_count(const struct trace_writer *writer)
{
	return writer->written;
}

void trace_writer_free(struct trace_writer *writer)
{
	if (!writer)
		return;
	trace_writer_hurry(writer);
	pthread_mutex_lock(&writer->lock);
	writer->finish = true;
	pthread_mutex_unlock(&writer->lock);
	pthread_cond_signal(&writer->more);
	if (writer->started)
		pthread_join(writer->thread, NULL);
	trace_free(writer->trace);
	buffer_free(&writer->printed);
	buffer_free(&writer->reading);
	buffer_free(&writer->queue);
	close(writer->hurry);
	close(writer->done);
	pthread_mutex_destroy(&writer->lock);
	pthread_cond_destroy(&writer->more);
	free(writer);
}
