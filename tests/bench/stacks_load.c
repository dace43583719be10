/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   stacks_load COUNT DEPTH...
 *
 * Allocates and frees below so many functions that use no frame pointers, and prints, for each
 * depth, the ns that both took, in the quickest batch of some COUNT.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cuda_double.h"

/* Short enough to be done now and then before something else gets the processor */
#define BATCH 250

/* Four functions with frames of different sizes, so that the walk needs more than one row. */
static double descend(int depth, long count);

static double load(long count)
{
	struct timespec begin, end;
	double least = 1e18;
	void *pointer;

	for (; count > 0; count -= BATCH) {
		double ns;

		clock_gettime(CLOCK_MONOTONIC, &begin);
		for (int i = 0; i < BATCH; i++)
			if (cudaMalloc(&pointer, 64) || cudaFree(pointer))
				exit(1);
		clock_gettime(CLOCK_MONOTONIC, &end);
		ns = (double)(end.tv_sec - begin.tv_sec) * 1e9 +
		     (double)(end.tv_nsec - begin.tv_nsec);
		least = ns < least ? ns : least;
	}
	return least / BATCH;
}

#define STEP(name, bytes) \
	static __attribute__((noinline)) double name(int depth, long count) \
	{ \
		volatile char room[bytes]; \
		double ns; \
\
		room[0] = (char)depth; \
		ns = descend(depth - 1, count); \
		return room[0] == (char)depth ? ns : 0; \
	}
STEP(step_small, 24)
STEP(step_some, 72)
STEP(step_more, 136)
STEP(step_large, 312)

static __attribute__((noinline)) double descend(int depth, long count)
{
	volatile int more = 0;

	if (depth <= 0)
		return load(count) + more;
	switch (depth & 3) {
	case 0: return step_small(depth - 1, count) + more;
	case 1: return step_some(depth - 1, count) + more;
	case 2: return step_more(depth - 1, count) + more;
	default: return step_large(depth - 1, count) + more;
	}
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 3) {
		fputs("usage: stacks_load COUNT DEPTH...\n", stderr);
		return 1;
	}
	for (i = 2; i < argc; i++)
		/* load(), main() and the three of the C library's are frames, too. */
		printf("%.1f ", descend(atoi(argv[i]) - 5, atol(argv[1])));
	putchar('\n');
	return 0;
}
