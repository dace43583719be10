/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocates and frees for tests/bench/python_load.py, and takes the time: of a call from Python
 * itself most of it would be Python's.
 */
#include <stddef.h>
#include <time.h>

#include "cuda_double.h"

/* Short enough to be done now and then before something else gets the processor */
#define BATCH 250

double python_load(long count);

/*
 * Returns the ns that one cudaMalloc() and cudaFree() take, in the quickest batch of some @count;
 * below 0 if they fail.
 */
double python_load(long count)
{
	struct timespec begin, end;
	double least = 1e18;
	void *pointer;

	for (; count > 0; count -= BATCH) {
		double ns;

		clock_gettime(CLOCK_MONOTONIC, &begin);
		for (int i = 0; i < BATCH; i++)
			if (cudaMalloc(&pointer, 64) || cudaFree(pointer))
				return -1;
		clock_gettime(CLOCK_MONOTONIC, &end);
		ns = (double)(end.tv_sec - begin.tv_sec) * 1e9 +
		     (double)(end.tv_nsec - begin.tv_nsec);
		least = ns < least ? ns : least;
	}
	return least / BATCH;
}
