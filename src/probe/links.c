/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Closing a link waits for the kernel's grace periods, some 60 ms. So several links are closed by
 * threads of their own.
 */
#include "probe/links.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

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
