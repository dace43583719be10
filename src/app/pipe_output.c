/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ctrl-C also reaches the reader, which may still want the rest (`cutop -b | less`): so a first
 * SIGINT does not cut output short. As long as COMMAND runs, signals are for COMMAND.
 */
#include "app/pipe_output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HURRY_NS     NSEC_PER_SEC /* after a signal: how long the reader may pause */
#define STREAM_BYTES 65536        /* written at once */

void pipe_output_begin(struct pipe_output *pipe, struct session *session, int fd)
{
	struct stat status;

	*pipe = (struct pipe_output){ .session = session, .fd = fd };
	pipe->is_file = !fstat(fd, &status) && S_ISREG(status.st_mode);
}

static void signals_hear(struct pipe_output *pipe)
{
	struct session *session = pipe->session;
	int before = session->ended_by;

	if (session_signals(session, session->command.ended ? SIGNALS_FOR_US : SIGNALS_FOR_COMMAND,
			    NULL, NULL) &&
	    before)
		pipe->in_hurry = true;
}

/* What is not to go on for as long as the reader takes: see pipe_output.stops. */
static bool is_due(const struct pipe_output *pipe)
{
	const struct session *session = pipe->session;

	return pipe->stops && (session->ended_by || session_is_late(session) ||
			       (session->have_command && session->command.ended));
}

/*
 * Waits until a write would not block. False: the reader takes nothing, and a signal has asked us
 * to end.
 */
static bool may_write(struct pipe_output *pipe)
{
	struct session *session = pipe->session;
	struct pollfd fds[2] = {
		{ .fd = pipe->fd, .events = POLLOUT },
		{ .fd = session->signals, .events = POLLIN },
	};
	uint64_t now, until = UINT64_MAX;
	int count, wait;

	for (;;) {
		/* It may have come before there was anything to write, or have ended COMMAND. */
		if (session->ended_by && session->ended_by != SIGINT)
			pipe->in_hurry = true;
		if (session->passed_on && session->passed_on != SIGINT && session->command.ended)
			pipe->in_hurry = true;
		now = clock_ns(CLOCK_MONOTONIC);
		if (pipe->in_hurry && until == UINT64_MAX)
			until = now + HURRY_NS;
		if (is_due(pipe)) {
			collector_stop(session->collector);
			pipe->stops = false;
		}
		wait = pipe->stops ? session_time_left(session) : -1;
		if (until != UINT64_MAX)
			wait = now < until ? (int)((until - now) / NSEC_PER_MSEC) + 1 : 0;
		count = poll(fds, 2, wait);
		if (count < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		if (count < 0)
			continue;
		if (fds[0].revents || now >= until)
			return fds[0].revents;
		signals_hear(pipe);
	}
}

int pipe_output_write(struct pipe_output *pipe, const void *data, size_t size)
{
	const char *at = data, *end = at + size;
	size_t part;
	ssize_t len;

	while (!pipe->error && at < end) {
		part = (size_t)(end - at);
		/*
		 * pipe(7): if a pipe is writable at all, this much can be written without blocking.
		 */
		if (!pipe->is_file && part > PIPE_BUF)
			part = PIPE_BUF;
		if (!pipe->is_file && !may_write(pipe)) {
			pipe->error = -ETIMEDOUT;
			break;
		}
		len = write(pipe->fd, at, part);
		if (len > 0) {
			at += len;
			pipe->written += (uint64_t)len;
		} else if (len < 0 && errno != EINTR && errno != EAGAIN)
			pipe->error = -errno;
	}
	return pipe->error;
}

void pipe_output_tell(const struct session *session, const char *path, int err)
{
	if (err == -ETIMEDOUT)
		warn_user(&session->notes,
			  "%s is not read: what was still to be printed is left out",
			  path ? path : "standard output");
	else if (err != -EPIPE) /* a reader that has closed the pipe has seen enough: no error */
		warn_unwritten(&session->notes, path, err);
}

/* fopencookie(3) */
static ssize_t stream_write(void *cookie, const char *data, size_t size)
{
	int err = pipe_output_write(cookie, data, size);

	if (!err)
		return (ssize_t)size;
	errno = -err;
	return 0;
}

FILE *pipe_output_stream(struct pipe_output *pipe)
{
	FILE *stream = fopencookie(pipe, "w", (cookie_io_functions_t){ .write = stream_write });

	if (stream)
		setvbuf(stream, NULL, _IOFBF, STREAM_BYTES);
	return stream;
}
