// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Three buffers of 8,000,000 bytes, two of them freed: 8,000,000 bytes leak
 * at exit, allocated in make_buffer called from forgetful.  addOne and mulTwo
 * 1,000 launches each.
 */
#include "check.cuh"

__global__ void addOne(float *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += 1;
}

__global__ void mulTwo(float *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] *= 2;
}

__attribute__((noinline)) static float *make_buffer(size_t bytes)
{
	float *p;

	CHECK(cudaMalloc(&p, bytes));
	return p;
}

__attribute__((noinline)) static float *forgetful(size_t bytes)
{
	float *p = make_buffer(bytes);

	CHECK(cudaMemset(p, 0, bytes));
	return p;
}

int main()
{
	const int n = 2000000;
	float *a = make_buffer(n * sizeof(float));
	float *b = make_buffer(n * sizeof(float));
	float *c = forgetful(n * sizeof(float));

	for (int i = 0; i < 1000; i++) {
		addOne<<<(n + 255) / 256, 256>>>(a, n);
		mulTwo<<<(n + 255) / 256, 256>>>(c, n);
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	return 0;
}
