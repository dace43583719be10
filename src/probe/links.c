/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Closing a link waits for the kernel's grace periods, some 60 ms. So several links are closed by
 * threads of their own, and, when cutop ends, by a process of its own.
 */
#include "probe/links.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/confine.h"
#include "util/util.h"

#define CLOSERS_MAX 64

struct closer {
	pthread_t thread;
	const int *fds;
	size_t first, count;
	bool started;
};

static void *closer_run(void *argument)
{
	struct closer *closer = argument;
	size_t i;

	for (i = closer->first; i < closer->count; i += CLOSERS_MAX)
		if (closer->fds[i] >= 0)
			close(closer->fds[i]);
	return NULL;
}

void links_close(const int *fds, size_t count)
{
	struct closer closers[CLOSERS_MAX] = { 0 };
	size_t i;

	for (i = 0; i < CLOSERS_MAX && i < count; i++) {
		closers[i] = (struct closer){ .fds = fds, .first = i, .count = count };
		closers[i].started =
			!pthread_create(&closers[i].thread, NULL, closer_run, &closers[i]);
		if (!closers[i].started)
			closer_run(&closers[i]);
	}
	for (i = 0; i < CLOSERS_MAX; i++)
		if (closers[i].started)
			pthread_join(closers[i].thread, NULL);
}

/* Cutop is to end within two seconds, whatever else there is to do */
#define FINAL_MS 1300

static int fd_compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

/* In a new child: closes its copies of the links, the last ones there are. */
static _Noreturn void closer_process(const int *fds, size_t count, int done)
{
	long max = sysconf(_SC_OPEN_MAX), fd;
	size_t i, at = 0;
	int *sorted = calloc(count + 1, sizeof(*sorted));

	setsid();
	prctl(PR_SET_NAME, "cutop-probes");
	if (max < 0 || max > 65536)
		max = 65536;
	for (i = 0; sorted && i < count; i++)
		sorted[i] = fds[i];
	if (sorted)
		qsort(sorted, count, sizeof(*sorted), fd_compare);
	/* A reader of cutop's output must see its end when cutop ends. */
	for (fd = 0; sorted && fd < max; fd++) {
		while (at < count && sorted[at] < fd)
			at++;
		if (fd != done && !(at < count && sorted[at] == fd))
			close((int)fd);
	}
	confine_memory();
	capabilities_clear();
	links_close(fds, count);
	_exit(0);
}

void links_close_finally(const int *fds, size_t count)
{
	struct pollfd ended;
	int done[2];
	pid_t child;
	size_t i;

	if (!count)
		return;
	child = pipe2(done, O_CLOEXEC) ? -1 : fork();
	if (child < 0) {
		links_close(fds, count);
		return;
	}
	if (!child) {
		close(done[0]);
		closer_process(fds, count, done[1]);
	}
	close(done[1]);
	for (i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	ended = (struct pollfd){ .fd = done[0], .events = POLLIN };
	/* The pipe closes when the child exits. */
	if (poll(&ended, 1, FINAL_MS) > 0)
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	close(done[0]);
}
