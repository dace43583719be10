// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stand-in for PyTorch's libc10_cuda.so (-DLIBRARY): functions in a library of
 * that name, which ask CUDA for what they are told to. The program does what
 * its words say, in order:
 *
 *   m:BYTES     the library calls cudaMalloc
 *   a:BYTES     the library calls cudaMallocAsync
 *   u:BYTES     the library calls cudaMallocManaged
 *   own:BYTES   the program itself calls cudaMalloc
 *   free        frees what was allocated last
 *   reset       calls cudaDeviceReset
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda_double.h"

void *c10_malloc(size_t bytes);
void *c10_malloc_async(size_t bytes);
void *c10_malloc_managed(size_t bytes);

#ifdef LIBRARY

/* No tail calls: the call site is the return address, which is to lie in here. */
#define ALLOCATE(name, call) \
	void *name(size_t bytes) \
	{ \
		void *p = NULL; \
		volatile int error = call; \
\
		return error ? NULL : p; \
	}

ALLOCATE(c10_malloc, cudaMalloc(&p, bytes))
ALLOCATE(c10_malloc_async, cudaMallocAsync(&p, bytes, NULL))
ALLOCATE(c10_malloc_managed, cudaMallocManaged(&p, bytes, 1))

#else

static void *own_malloc(size_t bytes)
{
	void *p = NULL;

	return cudaMalloc(&p, bytes) ? NULL : p;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		void *(*allocate)(size_t bytes);
	} ways[] = {
		{ "m:", c10_malloc },
		{ "a:", c10_malloc_async },
		{ "u:", c10_malloc_managed },
		{ "own:", own_malloc },
	};
	void *last = NULL;
	size_t way;
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "free")) {
			if (cudaFree(last))
				return 1;
			continue;
		}
		if (!strcmp(argv[i], "reset")) {
			if (cudaDeviceReset())
				return 1;
			continue;
		}
		for (way = 0; way < sizeof(ways) / sizeof(ways[0]); way++)
			if (!strncmp(argv[i], ways[way].word, strlen(ways[way].word)))
				break;
		if (way == sizeof(ways) / sizeof(ways[0]))
			return 2;
		last = ways[way].allocate(strtoull(strchr(argv[i], ':') + 1, NULL, 10));
		if (!last)
			return 1;
	}
	return 0;
}

#endif
