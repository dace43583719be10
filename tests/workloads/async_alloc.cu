// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stream-ordered allocation: cudaMallocAsync 10 x 1,048,576 from the default
 * pool and cudaMallocFromPoolAsync 5 x 65,536, each freed by cudaFreeAsync;
 * fill 15 launches.
 */
#include "check.cuh"

__global__ void fill(int *data, int value, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = value;
}

int main()
{
	cudaMemPoolProps props = {};
	cudaMemPool_t pool;
	cudaStream_t stream;
	int *data;

	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	props.location.id = 0;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemPoolCreate(&pool, &props));
	for (int i = 0; i < 10; i++) {
		CHECK(cudaMallocAsync(&data, 1 << 20, stream));
		fill<<<1024, 256, 0, stream>>>(data, i, 1 << 18);
		CHECK(cudaFreeAsync(data, stream));
	}
	for (int i = 0; i < 5; i++) {
		CHECK(cudaMallocFromPoolAsync(&data, 1 << 16, pool, stream));
		fill<<<64, 256, 0, stream>>>(data, i, 1 << 14);
		CHECK(cudaFreeAsync(data, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemPoolDestroy(pool));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
