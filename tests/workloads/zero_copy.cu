// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernels on mapped host memory: cudaHostAlloc 1 x 1,048,576,
 * cudaHostRegister 1 x 65,536, increment 20 launches, no copies and no VRAM.
 */
#include "check.cuh"

__global__ void increment(int *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i]++;
}

int main()
{
	int *mapped, *device, *plain;

	CHECK(cudaHostAlloc(&mapped, 1 << 20, cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer(&device, mapped, 0));
	plain = (int *)calloc(1, 1 << 16);
	CHECK(cudaHostRegister(plain, 1 << 16, cudaHostRegisterMapped));
	for (int i = 0; i < 20; i++)
		increment<<<1024, 256>>>(device, 1 << 18);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaHostUnregister(plain));
	free(plain);
	CHECK(cudaFreeHost(mapped));
	return 0;
}
