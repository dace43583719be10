/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/doctor_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/rights.h"

#define ANSWER_MS 3000
#define END_MS    100

static void child_run(bool (*ask)(void *answer), unsigned int rights, void *answer, size_t size,
		      int out)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	const char *at = answer;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
	    dup2(nowhere, STDERR_FILENO) < 0 || rights_drop(rights, NULL) || !ask(answer))
		_exit(1);
	for (; size; size -= (size_t)n, at += n) {
		n = write(out, at, size);
		if (n <= 0)
			_exit(1);
	}
	_exit(0);
}

/* Returns true if all of @size bytes came in time. */
static bool answer_read(int in, char *to, size_t size)
{
	uint64_t until = clock_own_ns(CLOCK_MONOTONIC) + ANSWER_MS * NSEC_PER_MSEC, now;
	struct pollfd ready = { .fd = in, .events = POLLIN };
	ssize_t n;

	while (size) {
		now = clock_own_ns(CLOCK_MONOTONIC);
		if (now >= until || poll(&ready, 1, (int)((until - now) / NSEC_PER_MSEC) + 1) != 1)
			return false;
		n = read(in, to, size);
		if (n <= 0)
			return false;
		to += n;
		size -= (size_t)n;
	}
	return true;
}

bool doctor_child_ask(bool (*ask)(void *answer), unsigned int rights, void *answer, size_t size)
{
	char *answered = malloc(size);
	bool whole = false;
	int ends[2], ms;
	pid_t child;

	if (!answered || pipe2(ends, O_CLOEXEC)) {
		free(answered);
		return false;
	}
	child = fork();
	if (!child)
		child_run(ask, rights, answer, size, ends[1]);
	close(ends[1]);
	if (child > 0) {
		whole = answer_read(ends[0], answered, size);
		kill(child, SIGKILL);
		/*
		 * It may be asleep where no signal wakes it: a library on a file system that does
		 * not answer.
		 */
		for (ms = 0; ms < END_MS && !waitpid(child, NULL, WNOHANG); ms++)
			usleep(1000);
	}
	close(ends[0]);
	if (whole)
		memcpy(answer, answered, size);
	free(answered);
	return whole;
}
