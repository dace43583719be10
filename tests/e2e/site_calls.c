/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations from known places: three ways to one allocating function. Each
 * way has a line of its own, marked, for tests to look up. Built with and
 * without debug information and frame pointers.
 *
 *   site_calls [ROUNDS [wait]]	ROUNDS times (default 1), all leaked: 100 bytes by the first
 *				way, 1000 by the second, 10000 by the third, which goes the
 *				second as well. Then it waits for the end of its input.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda_double.h"

#ifdef __clang__
#define OWN __attribute__((noinline, optnone))
#else
#define OWN __attribute__((noinline, noclone))
#endif

static OWN int make(size_t bytes)
{
	void *memory;

	if (cudaMalloc(&memory, bytes)) /* the call */
		return 1;
	return !memory;
}

static OWN int first(void)
{
	return make(100) + 1; /* the first way */
}

static OWN int second(void)
{
	return make(1000) + 1; /* the second way */
}

static OWN int third(void)
{
	return make(10000) + second() + 1; /* the third way */
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, sum = 0;

	while (rounds-- > 0)
		sum += first() + second() + third(); /* the three */
	while (argc > 2 && getchar() != EOF)
		;
	return sum < 0;
}
