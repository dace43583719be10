/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ctrl-C goes to the reader as well, and it may want what is left: `cutop -b | less`. Hence the exception for a first
 * SIGINT. As long as COMMAND runs, signals are its own.
 */
#include "app/pipe_output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HURRY_NS	NSEC_PER_SEC	/* after a signal, the reader may not rest longer */
#define STREAM_BYTES	65536		/* written at once */

void patient_begin(struct patient *patient, struct session *session, int fd)
{
	struct stat status;

	*patient = (struct patient){ .session = session, .fd = fd };
	patient->is_file = !fstat(fd, &status) && S_ISREG(status.st_mode);
}

static void signals_hear(struct patient *patient)
{
	struct session *session = patient->session;
	int before = session->ended_by;

	if (session_signals(session, session->command.ended ? SIGNALS_FOR_US : SIGNALS_FOR_COMMAND, NULL, NULL) && before)
		patient->in_hurry = true;
}

/* Waits until something can be written without waiting. False: nobody reads, and we are in a hurry. */
static bool may_write(struct patient *patient)
{
	struct session *session = patient->session;
	struct pollfd fds[2] = {
		{ .fd = patient->fd, .events = POLLOUT },
		{ .fd = session->signals, .events = POLLIN },
	};
	uint64_t now, until = UINT64_MAX;
	int count;

	for (;;) {
		/* It may have come before there was anything to write. */
		if (session->ended_by && session->ended_by != SIGINT)
			patient->in_hurry = true;
		now = clock_ns(CLOCK_MONOTONIC);
		if (patient->in_hurry && until == UINT64_MAX)
			until = now + HURRY_NS;
		count = poll(fds, 2, until == UINT64_MAX ? -1 : now < until ? (int)((until - now) / NSEC_PER_MSEC) + 1 : 0);
		if (count < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		if (count < 0)
			continue;
		if (fds[0].revents || now >= until)
			return fds[0].revents;
		signals_hear(patient);
	}
}

int patient_write(struct patient *patient, const void *data, size_t size)
{
	const char *at = data, *end = at + size;
	size_t part;
	ssize_t len;

	while (!patient->error && at < end) {
		part = (size_t)(end - at);
		/* pipe(7): as much as this goes in without waiting where anything does. */
		if (!patient->is_file && part > PIPE_BUF)
			part = PIPE_BUF;
		if (!patient->is_file && !may_write(patient)) {
			patient->error = -ETIMEDOUT;
			break;
		}
		len = write(patient->fd, at, part);
		if (len > 0)
			at += len;
		else if (len < 0 && errno != EINTR && errno != EAGAIN)
			patient->error = -errno;
	}
	return patient->error;
}

void write_error_tell(const struct session *session, const char *path, int err)
{
	if (err == -ETIMEDOUT)
		warn_user(&session->notes, "%s is not read: what was still to be printed is left out", path ? path : "standard output");
	else if (err != -EPIPE)	/* a reader that has seen enough is no error */
		warn_unwritten(&session->notes, path, err);
}

/* fopencookie(3) */
static ssize_t stream_write(void *cookie, const char *data, size_t size)
{
	int err = patient_write(cookie, data, size);

	if (!err)
		return (ssize_t)size;
	errno = -err;
	return 0;
}

FILE *patient_stream(struct patient *patient)
{
	FILE *stream = fopencookie(patient, "w", (cookie_io_functions_t){ .write = stream_write });

	if (stream)
		setvbuf(stream, NULL, _IOFBF, STREAM_BYTES);
	return stream;
}
