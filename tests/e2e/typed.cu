/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocates through the templates of CUDA's header. An unoptimised build has a function for each,
 * which makes the call.
 */
#include <cuda_runtime.h>

static float *grow(size_t bytes)
{
	float *pointer;

	return cudaMalloc(&pointer, bytes) ? NULL : pointer; /* growing */
}

static float *share(size_t bytes)
{
	float *pointer;

	return cudaMallocManaged(&pointer, bytes) ? NULL : pointer; /* sharing */
}

template <class T> __global__ void fill(T *to)
{
	*to = 0;
}

/* More threads than a block can have */
static void launch(float *to)
{
	fill<<<1, 4096>>>(to); /* launching */
}

int main()
{
	float *first = grow(1000), *second = grow(2000), *third = share(300);

	launch(first);
	return !first || !second || !third;
}
