// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernels of driver.c and vmm.c. They are built to PTX that drivers since CUDA 11 can load. */
extern "C" __global__ void increment(int *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] += 1;
}

extern "C" __global__ void multiply(int *x, int by, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] *= by;
}
