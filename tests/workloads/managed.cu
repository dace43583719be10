// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Managed memory, as an allocation and as a variable: cudaMallocManaged 1 x
 * 2,097,152, cudaMemPrefetchAsync 1, cudaMemAdvise 1, touch 30 launches.
 */
#include "check.cuh"

__managed__ int total;

__global__ void touch(int *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += total;
}

int main()
{
	cudaMemLocation where = {};
	const int n = 1 << 19;
	int *data;

	where.type = cudaMemLocationTypeDevice;
	where.id = 0;
	CHECK(cudaMallocManaged(&data, n * sizeof(int)));
	total = 1;
	for (int i = 0; i < n; i++)
		data[i] = i;
	CHECK(cudaMemAdvise(data, n * sizeof(int), cudaMemAdviseSetReadMostly, where));
	CHECK(cudaMemPrefetchAsync(data, n * sizeof(int), where, 0));
	for (int i = 0; i < 30; i++)
		touch<<<n / 256, 256>>>(data, n);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(data));
	return 0;
}
