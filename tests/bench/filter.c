/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the filter of system calls costs (src/util/rights.c): the cheapest call there is, before and
 * after. Gives up the rights it was started with: tests/bench/filter
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/rights.h"

#define CALLS  3000000
#define ROUNDS 7

/* CPU time of one call in nanoseconds, of the best round. */
static double measure(void)
{
	double best = 1e9, cost;
	uint64_t began;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		for (i = 0; i < CALLS; i++)
			syscall(SYS_getppid);
		cost = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - began) / CALLS;
		if (cost < best)
			best = cost;
	}
	return best;
}

int main(void)
{
	struct reason why = { "" };
	double before = measure();

	if (rights_drop(0, &why)) {
		fprintf(stderr, "%s\n", why.text);
		return 1;
	}
	printf("a system call: %.1f ns, %.1f ns with the filter\n", before, measure());
	return 0;
}
