/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocates and frees as often as the argument says, each time by another way: which of two functions
 * calls next, 20 to 23 deep, follows from the bits of a number.
 */
#include <stdlib.h>

#include "cuda_double.h"

static volatile int sink;

static __attribute__((noinline)) void left(unsigned int way, int depth);
static __attribute__((noinline)) void right(unsigned int way, int depth);

static void step(unsigned int way, int depth)
{
	void *pointer;

	if (depth && way & 1) {
		left(way >> 1, depth - 1);
	} else if (depth) {
		right(way >> 1, depth - 1);
	} else if (!cudaMalloc(&pointer, 256)) {
		cudaFree(pointer);
	}
}

static __attribute__((noinline)) void left(unsigned int way, int depth)
{
	step(way, depth);
	sink++;
}

static __attribute__((noinline)) void right(unsigned int way, int depth)
{
	step(way, depth);
	sink--;
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? (unsigned int)atoi(argv[1]) : 0;

	for (unsigned int i = 0; i < count; i++)
		left(i * 2654435761u, 20 + (int)(i % 4));
	return 0;
}
