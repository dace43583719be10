/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace mode. The collector's thread takes records out of the ring and puts them into a queue; this
 * one prints them, and waits for signals, the end of COMMAND, and the closing of the output. A slow
 * reader does not hold up the collector, and cutop does not hold up the processes it watches. From
 * a recording no process is watched, and there is one thread.
 */
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "app/pipe_output.h"
#include "app/session.h"
#include "cuda/calls.h"
#include "trace/trace_printer.h"
#include "trace/trace_queue.h"

#define WRITE_BYTES 65536 /* printed bytes that are written at once */
#define WRITE_CALLS 4096  /* and calls */

struct trace_mode {
	struct session session;
	struct trace *trace;
	struct trace_queue queue; /* not in a replay */
	int fd;
	struct pipe_output pipe;
	struct buffer records; /* taken from the queue */
	struct buffer printed; /* not written yet */
	size_t ends[WRITE_CALLS];
	size_t call_count;  /* of the calls in it; ends[] says where each of them ends */
	uint64_t unwritten; /* calls that were recorded but not written */
	uint64_t limit;     /* how many calls to print */
	uint64_t last;      /* ns, CLOCK_MONOTONIC of a recording: later calls are left out */
	bool no_reader;
};

/* ---- printing ---- */

static int trace_open(struct trace_mode *mode, struct trace_options *settings)
{
	const struct options *options = mode->session.options;

	settings->format = options->format;
	settings->no_time = options->no_time;
	settings->version = PACKAGE_VERSION;
	mode->limit = options->iterations ? options->iterations : UINT64_MAX;
	mode->trace = trace_new(settings);
	if (!mode->trace)
		return session_fail(&mode->session, -ENOMEM, "no memory");
	mode->fd = options->output ? file_create(options->output) : STDOUT_FILENO;
	if (mode->fd < 0)
		warn_unwritten(&mode->session.notes, options->output, mode->fd);
	else
		pipe_output_begin(&mode->pipe, &mode->session, mode->fd);
	return mode->fd < 0 ? mode->fd : 0;
}

static bool is_full(const struct trace_mode *mode)
{
	return trace_count(mode->trace) >= mode->limit;
}

static void flush(struct trace_mode *mode)
{
	struct buffer *printed = &mode->printed;
	uint64_t before = mode->pipe.written;

	if (printed->failed && !mode->pipe.error)
		mode->pipe.error = -ENOMEM;
	pipe_output_write(&mode->pipe, printed->data, printed->len);
	for (size_t i = 0; i < mode->call_count; i++)
		mode->unwritten += mode->ends[i] > mode->pipe.written - before;
	mode->call_count = 0;
	printed->len = 0;
}

static void print(struct trace_mode *mode, const struct rec_hdr *record, size_t size)
{
	bool is_call = record->type == REC_CALL;

	if (is_call && is_full(mode))
		return;
	if (is_call && mode->pipe.error) {
		mode->unwritten++;
		return;
	}
	trace_record(mode->trace, record, size, &mode->printed);
	if (is_call)
		mode->ends[mode->call_count++] = mode->printed.len;
	if (mode->printed.len >= WRITE_BYTES || mode->call_count == WRITE_CALLS ||
	    (is_call && is_full(mode)))
		flush(mode);
}

static void print_queued(struct trace_mode *mode)
{
	if (!trace_queue_take(&mode->queue, &mode->records, &mode->unwritten))
		return;
	for (size_t at = 0; at < mode->records.len;) {
		const struct rec_hdr *record = (const void *)(mode->records.data + at);

		print(mode, record, record->size);
		at += (record->size + 7u) & ~7u;
	}
	flush(mode);
}

/* Closes everything. Returns the exit status, @status unless that is 0 and the output fails. */
static int trace_close(struct trace_mode *mode, int status)
{
	session_close(&mode->session);
	trace_free(mode->trace);
	buffer_free(&mode->records);
	buffer_free(&mode->printed);
	if (mode->fd > STDERR_FILENO && close(mode->fd) && !mode->pipe.error && !status) {
		warn_unwritten(&mode->session.notes, mode->session.options->output, -errno);
		status = EXIT_FAILED;
	}
	return status;
}

/* ---- live ---- */

static bool is_over(struct trace_mode *mode)
{
	struct session *session = &mode->session;

	if (session->ended_by || session_is_late(session))
		return true;
	if (session->have_command)
		return session->command.ended;
	return mode->no_reader || mode->pipe.error || is_full(mode);
}

static void trace_wait(struct trace_mode *mode)
{
	struct session *session = &mode->session;
	struct pollfd fds[3] = {
		{ .fd = session->signals, .events = POLLIN },
		{ .fd = mode->queue.ready, .events = POLLIN },
		/* poll(2): POLLERR once a pipe has no reader */
		{ .fd = mode->fd, .events = 0 },
	};

	while (!is_over(mode)) {
		if (poll(fds, 3, session_time_left(session)) < 0 && errno != EINTR)
			break;
		session_signals(session, SIGNALS_FOR_COMMAND, NULL, NULL);
		if (fds[2].revents) {
			fds[2].fd = -1; /* say it once */
			mode->no_reader = true;
		}
		print_queued(mode);
	}
}

/* Reports which calls are missing from the output, and why. */
static void tell_lost(const struct trace_mode *mode, const uint64_t *lost)
{
	uint64_t missing = mode->unwritten;
	char text[400] = "";
	size_t i, len = 0;

	for (i = 0; i < LOST_COUNT; i++) {
		missing += lost[i];
		if (lost[i] && len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len, ", %s %" PRIu64,
						lost_cause_names[i], lost[i]);
	}
	if (mode->unwritten && len < sizeof(text))
		snprintf(text + len, sizeof(text) - len, ", unwritten %" PRIu64, mode->unwritten);
	if (!missing)
		return;
	warn_user(&mode->session.notes, "lost%s%s", text[0] ? text + 1 : "",
		  lost[LOST_TRACED] ? "; a larger --ring-size or fewer --calls help" :
		  mode->unwritten   ? " (the output did not keep up)" :
				      "");
}

static int finish(struct trace_mode *mode)
{
	static const uint64_t nothing[LOST_COUNT];
	struct session *session = &mode->session;
	struct snapshot *snapshot = collector_finish(session->collector, session->ended_by != 0);
	const uint64_t *lost = snapshot ? snapshot->lost : nothing;
	int status, error;

	print_queued(mode);
	trace_end(mode->trace, lost, mode->unwritten, &mode->printed);
	flush(mode);
	status = session_status(session, snapshot);
	error = mode->pipe.error;
	if (error && error != -EPIPE && error != -ETIMEDOUT) {
		warn_unwritten(&session->notes, session->options->output, error);
		if (!status)
			status = EXIT_FAILED;
	}
	if (error != -EPIPE) /* a reader that has closed the pipe misses nothing */
		tell_lost(mode, lost);
	snapshot_free(snapshot);
	return status;
}

int trace_run(const struct options *options)
{
	struct trace_options settings = {
		.stacks = options_take_stacks(options),
		.pairs = options->pairs,
		.live = true,
		.start_mono = clock_ns(CLOCK_MONOTONIC),
		.start_real = clock_ns(CLOCK_REALTIME),
	};
	struct trace_mode mode = { .fd = -1 };
	int status = session_open(&mode.session, options, NULL);

	if (status)
		return status;
	mode.session.tee = trace_queue_put;
	mode.session.tee_context = &mode.queue;
	if (trace_queue_open(&mode.queue))
		status = session_fail(&mode.session, EXIT_FAILED, "no memory");
	else if (trace_open(&mode, &settings))
		status = EXIT_FAILED;
	else
		status = session_begin(&mode.session);
	if (!status) {
		mode.pipe.stops = true;
		trace_begin(mode.trace, &mode.printed);
		flush(&mode);
		trace_wait(&mode);
		status = finish(&mode);
	}
	status = trace_close(&mode, status);
	trace_queue_close(&mode.queue);
	return status;
}

/* ---- from a recording ---- */

static void record_take(void *context, const struct rec_hdr *record, size_t size)
{
	struct trace_mode *mode = context;

	if (record->time <= mode->last)
		print(mode, record, size);
}

static int replay_begun(struct trace_mode *mode)
{
	const struct options *options = mode->session.options;
	const struct facts *facts = reader_facts(replay_reader(mode->session.replay));
	struct trace_options settings = {
		/* Print the stacks of calls that have one, if --stacks was recorded */
		.stacks = true,
		.start_mono = facts->start_mono,
		.start_real = facts->start_real,
	};

	if (!facts->has_calls) {
		warn_user(&mode->session.notes,
			  "cannot trace %s: it holds no calls; 'cutop record --trace' keeps them",
			  options->replay);
		return -ENODATA;
	}
	mode->last = options->duration ? facts->start_mono + options->duration : UINT64_MAX;
	return trace_open(mode, &settings);
}

static int trace_all(struct trace_mode *mode)
{
	static const uint64_t nothing[LOST_COUNT];
	struct session *session = &mode->session;
	struct snapshot *snapshot = NULL, *newer;
	int status;

	trace_begin(mode->trace, &mode->printed);
	while (!session->ended_by && !mode->pipe.error && !is_full(mode)) {
		newer = replay_step(session->replay, 0);
		if (!newer)
			break;
		snapshot_free(snapshot);
		snapshot = newer;
		session_signals(session, SIGNALS_FOR_COMMAND, NULL, NULL);
	}
	trace_end(mode->trace, snapshot ? snapshot->lost : nothing, 0, &mode->printed);
	flush(mode);
	status = session_status(session, snapshot);
	snapshot_free(snapshot);
	return status;
}

int trace_replay(const struct options *options)
{
	struct trace_mode mode = { .fd = -1 };
	int status = session_open(&mode.session, options, NULL);

	if (status)
		return status;
	mode.session.tee = record_take;
	mode.session.tee_context = &mode;
	status = session_begin(&mode.session);
	if (!status)
		status = replay_begun(&mode) ? EXIT_FAILED : trace_all(&mode);
	if (mode.pipe.error && mode.pipe.error != -EPIPE) {
		pipe_output_tell(&mode.session, options->output, mode.pipe.error);
		status = status ? status : EXIT_FAILED;
	}
	return trace_close(&mode, status);
}
