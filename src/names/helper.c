/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/helper.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "names/resolver_process.h"

#define END_MS 100 /* how long to wait for a killed process to end */

/* Returns how many killed processes are still there. */
static size_t gone_reap(struct helper *helper)
{
	size_t left = 0, i;

	for (i = 0; i < HELPER_GONE_MAX; i++)
		if (helper->gone[i] && waitpid(helper->gone[i], NULL, WNOHANG))
			helper->gone[i] = 0;
		else
			left += helper->gone[i] != 0;
	return left;
}

bool helper_start(struct helper *helper, enum resolver_use use, uint64_t memory)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (helper->socket >= 0)
		return true;
	if (gone_reap(helper) == HELPER_GONE_MAX ||
	    allowance_left(&helper->starts, now) < HELPER_START_INTERVAL)
		return false;
	allowance_spend(&helper->starts, HELPER_START_INTERVAL);
	helper->socket = resolver_process_start(use, memory, &helper->pid);
	if (helper->socket < 0)
		helper->socket = -1;
	return helper->socket >= 0;
}

void helper_end(struct helper *helper)
{
	size_t i;

	if (helper->socket < 0)
		return;
	close(helper->socket);
	helper->socket = -1;
	/*
	 * The process exits at the end of its input; one that is at work need not finish. If it
	 * sleeps in the kernel, it is left there.
	 */
	kill(helper->pid, SIGKILL);
	for (i = 0; i < HELPER_GONE_MAX && helper->gone[i]; i++)
		;
	if (i < HELPER_GONE_MAX)
		helper->gone[i] = helper->pid;
	gone_reap(helper);
}

void helper_free(struct helper *helper)
{
	int ms;

	helper_end(helper);
	for (ms = 0; ms < END_MS && gone_reap(helper); ms++)
		usleep(1000);
}
