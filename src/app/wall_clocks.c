/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wall clocks that there were, and start times by them. */
#include "app/wall_clocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/util.h"

/* like the collector's: more than a clock is ever slewed between two looks */
#define CLOCK_STEP (NSEC_PER_SEC / 2)
/* /proc and BPF differ by less than this about one process's start */
#define SAME_START (2 * NSEC_PER_SEC)

/* When the process with @pid started, in clock ticks since boot; 0: it is gone. */
static unsigned long long start_ticks(uint32_t pid)
{
	unsigned long long ticks = 0;
	char path[64], *text, *at;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	text = file_read(path, 4096, NULL);
	at = text ? strrchr(text, ')') : NULL;
	if (at &&
	    sscanf(at + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &ticks) != 1)
		ticks = 0;
	free(text);
	return ticks;
}

void wall_clocks_look(struct wall_clocks *clocks)
{
	uint64_t boot = clock_own_ns(CLOCK_BOOTTIME), ahead = clock_ns(CLOCK_REALTIME) - boot,
		 before;

	if (clocks->count) {
		before = clocks->list[clocks->count - 1].ahead;
		if ((ahead > before ? ahead - before : before - ahead) < CLOCK_STEP)
			return;
	}
	if (clocks->count == CLOCKS_MAX)
		memmove(clocks->list, clocks->list + 1, --clocks->count * sizeof(*clocks->list));
	clocks->list[clocks->count] = (struct wall_clock){ ahead, clocks->count ? boot : 0 };
	clocks->count++;
}

bool wall_clocks_same(const struct wall_clocks *clocks, const struct snap_process *process)
{
	uint64_t started = start_ticks(process->pid) *
			   (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK)),
		 told, until;
	const struct wall_clock *clock, *end = clocks->list + clocks->count;

	for (clock = clocks->list; started && clock < end; clock++) {
		if (process->start_time < clock->ahead)
			continue;
		told = process->start_time - clock->ahead;
		if ((told > started ? told - started : started - told) < SAME_START)
			return true;
		/* If a process was not looked up in time, only its first call is known. */
		until = clock + 1 < end ? clock[1].since : clock_own_ns(CLOCK_BOOTTIME);
		if (told >= started && told >= clock->since && told < until)
			return true;
	}
	return false;
}
