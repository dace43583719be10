/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations in functions that are inlined into each other, up to three deep, as -O2 does it to
 * small ones; and one through a header of thrust's, which no site is named by. It ends with all of
 * them left behind.
 *
 *     inline_calls          400 bytes by three inlined functions, 30 by one, 5 by none, 600 by the header
 *     inline_calls again    the same once more for each byte of its input
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda_double.h"
#include "program.h"

#define INLINED static inline __attribute__((always_inline))

static void *kept[16];
static int keeps;

INLINED void *scratch_new(size_t bytes)
{
	void *scratch = NULL;

	if (cudaMalloc(&scratch, bytes)) /* the allocation */
		exit(1);
	return scratch;
}

INLINED void pool_grow(size_t bytes)
{
	kept[keeps++ % 16] = scratch_new(bytes); /* of the pool */
}

INLINED void pool_reserve(size_t bytes)
{
	pool_grow(2 * bytes); /* reserved */
}

OWN static int request_serve(size_t bytes)
{
	pool_reserve(bytes); /* of the request */
	return keeps + 1;
}

OWN static int scratch_once(size_t bytes)
{
	kept[keeps++ % 16] = scratch_new(bytes); /* once */
	return keeps + 2; /* else the compiler makes one function of this and header_calls() */
}

OWN static int no_inlines(size_t bytes)
{
	void *block = NULL;

	if (cudaMalloc(&block, bytes)) /* by itself */
		exit(1);
	kept[keeps++ % 16] = block;
	return keeps + 1;
}

static int header_calls(size_t bytes);

INLINED int all_calls(void)
{
	int sum = request_serve(200); /* the first */

	sum += scratch_once(30);        /* the second */
	sum += no_inlines(5);           /* the third */
	return sum + header_calls(600); /* the fourth */
}

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
	do
		sum += all_calls(); /* all */
	while (argc > 1 && getchar() != EOF);
	return sum > 0 ? 0 : 1;
}

/* What stands in such a file is no call site. */
#line 1 "/usr/include/thrust/allocate.h"
INLINED void *header_allocate(size_t bytes)
{
	void *block = NULL;

	if (cudaMalloc(&block, bytes))
		exit(1);
	return block;
}
#line 1 "vectors.c"
INLINED void vector_new(size_t bytes)
{
	kept[keeps++ % 16] = header_allocate(bytes);
}

OWN static int header_calls(size_t bytes)
{
	vector_new(bytes);
	return keeps + 1;
}
