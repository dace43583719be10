/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace mode. Three threads: the collector takes records out of the ring and passes them on; the
 * writer prints them; this one waits for signals, the end of COMMAND, and the closing of the
 * output. A slow reader does not hold up the collector, and cutop does not hold up the processes it
 * watches.
 */
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "cuda/calls.h"
#include "app/session.h"
#include "trace/trace_writer.h"

#define HURRY_NS NSEC_PER_SEC /* time for the reader after a signal */

struct trace_mode {
	struct session session;
	struct trace_writer *writer;
	int fd;
	uint64_t hurry_at; /* CLOCK_MONOTONIC ns, UINT64_MAX: never */
	bool hurried;      /* the writer was told to hurry */
	bool no_reader;
};

static int trace_open(struct trace_mode *mode)
{
	const char *path = mode->session.options->output;

	mode->fd = path ? file_create(path) : STDOUT_FILENO;
	if (mode->fd < 0)
		warn_unwritten(&mode->session.notes, path, mode->fd);
	return mode->fd < 0 ? mode->fd : 0;
}

static int writer_make(struct trace_mode *mode)
{
	const struct options *options = mode->session.options;
	struct trace_writer_settings settings = {
		.trace = {
			.format = options->format,
			.no_time = options->no_time,
			.stacks = options_take_stacks(options),
			.pairs = options->pairs,
			.start_mono = clock_ns(CLOCK_MONOTONIC),
			.start_real = clock_ns(CLOCK_REALTIME),
			.version = PACKAGE_VERSION,
		},
		.fd = mode->fd,
		.limit = options->iterations,
	};

	mode->writer = trace_writer_new(&settings);
	if (!mode->writer)
		return session_fail(&mode->session, EXIT_FAILED, "no memory");
	mode->session.tee = trace_writer_put;
	mode->session.tee_context = mode->writer;
	return 0;
}

/* ---- the wait ---- */

static bool is_over(struct trace_mode *mode)
{
	struct session *session = &mode->session;

	if (session->ended_by || session_is_late(session))
		return true;
	if (session->have_command)
		return session->command.ended;
	return mode->no_reader || trace_writer_error(mode->writer) ||
	       trace_writer_is_full(mode->writer);
}

static int time_left(const struct trace_mode *mode)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (mode->hurry_at == UINT64_MAX || mode->hurried)
		return -1;
	return mode->hurry_at > now ? (int)((mode->hurry_at - now) / NSEC_PER_MSEC) + 1 : 0;
}

static void wait_for_end(struct trace_mode *mode)
{
	struct session *session = &mode->session;
	struct pollfd fds[3] = {
		{ .fd = session->signals, .events = POLLIN },
		{ .fd = trace_writer_fd(mode->writer), .events = POLLIN },
		/* poll(2): POLLERR once a pipe has no reader */
		{ .fd = mode->fd, .events = 0 },
	};

	while (!is_over(mode)) {
		if (poll(fds, 3, session_time_left(session)) < 0 && errno != EINTR)
			break;
		session_signals(session, SIGNALS_FOR_COMMAND, NULL, NULL);
		if (fds[1].revents)
			trace_writer_has_ended(mode->writer);
		if (fds[2].revents) {
			fds[2].fd = -1; /* say it once */
			mode->no_reader = true;
		}
	}
}

/*
 * What was collected is printed as long as the reader takes it; but a user who has sent a signal
 * does not want to wait for that.
 */
static void wait_for_writer(struct trace_mode *mode)
{
	struct session *session = &mode->session;
	struct pollfd fds[2] = {
		{ .fd = session->signals, .events = POLLIN },
		{ .fd = trace_writer_fd(mode->writer), .events = POLLIN },
	};

	while (!trace_writer_has_ended(mode->writer)) {
		if ((session->ended_by || session->passed_on) && mode->hurry_at == UINT64_MAX)
			mode->hurry_at = clock_ns(CLOCK_MONOTONIC) + HURRY_NS;
		poll(fds, 2, time_left(mode));
		session_signals(session, SIGNALS_FOR_US, NULL, NULL);
		if (!mode->hurried && clock_ns(CLOCK_MONOTONIC) >= mode->hurry_at) {
			trace_writer_hurry(mode->writer);
			mode->hurried = true;
		}
	}
}

/* ---- the end ---- */

/* Reports which calls are missing from the output, and why. */
static void tell_lost(const struct trace_mode *mode, const uint64_t *lost)
{
	uint64_t unwritten = trace_writer_unwritten(mode->writer), missing = unwritten;
	char text[400] = "";
	size_t i, len = 0;

	for (i = 0; i < LOST_COUNT; i++) {
		missing += lost[i];
		if (lost[i] && len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len, ", %s %" PRIu64,
						lost_cause_names[i], lost[i]);
	}
	if (unwritten && len < sizeof(text))
		snprintf(text + len, sizeof(text) - len, ", unwritten %" PRIu64, unwritten);
	if (!missing)
		return;
	warn_user(&mode->session.notes, "lost%s%s", text[0] ? text + 1 : "",
		  lost[LOST_TRACED] ? "; a larger --ring-size or fewer --calls help" :
		  unwritten         ? " (the output did not keep up)" :
				      "");
}

static int finish(struct trace_mode *mode)
{
	static const uint64_t nothing[LOST_COUNT];
	struct session *session = &mode->session;
	struct snapshot *snapshot = collector_finish(session->collector, session->ended_by != 0);
	const uint64_t *lost = snapshot ? snapshot->lost : nothing;
	int status, error;

	trace_writer_finish(mode->writer, lost);
	wait_for_writer(mode);
	status = session_status(session, snapshot);
	error = trace_writer_error(mode->writer);
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
	struct trace_mode mode = { .fd = -1, .hurry_at = UINT64_MAX };
	int status = session_open(&mode.session, options, NULL);

	if (status)
		return status;
	status = trace_open(&mode) || writer_make(&mode) ? EXIT_FAILED :
							   session_begin(&mode.session);
	if (!status && trace_writer_start(mode.writer))
		status = session_fail(&mode.session, EXIT_FAILED, "cannot start a thread");
	if (!status) {
		wait_for_end(&mode);
		status = finish(&mode);
	}
	session_close(&mode.session);
	trace_writer_free(mode.writer);
	if (mode.fd > STDERR_FILENO && close(mode.fd) && !status) {
		warn_unwritten(&mode.session.notes, options->output, -errno);
		status = EXIT_FAILED;
	}
	return status;
}
