/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code with frame pointers between Python and CUDA, for test_python.sh. */
#include <stddef.h>

#include "cuda_double.h"

int native_outer(size_t bytes);

static int __attribute__((noinline)) native_inner(size_t bytes)
{
	void *pointer;
	int result = cudaMalloc(&pointer, bytes);

	__asm__ volatile(""); /* no jump in the call's place */
	return result;
}

int native_outer(size_t bytes)
{
	int result = native_inner(bytes);

	__asm__ volatile("");
	return result;
}
