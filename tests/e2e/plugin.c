/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library that allocates in two places, built twice: as FIRST, and as another of the same
 * size, which loads to the same place once the first is gone, and calls from elsewhere in it.
 */
#include "cuda_double.h"

#ifdef FIRST
int allocate_first(int bytes)
#else
int allocate_second(int bytes)
#endif
{
	void *memory;

#ifndef FIRST
	for (volatile int i = 0; i < bytes; i++)
		;
#endif
	return cudaMalloc(&memory, (size_t)bytes) ? 1 : 0;
}

int allocate_later(int bytes)
{
	void *memory;

	return cudaMalloc(&memory, (size_t)bytes) ? 3 : 2;
}
