// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls that all fail where there is no driver. Prints how many returned 35
 * (cudaErrorInsufficientDriver), of how many. Registers nothing, so that
 * NVIDIA's own runtime can be under it, as a library or linked in.
 *
 *   cudaMalloc 7, cudaMallocManaged 2, cudaMallocHost 1, cudaMallocAsync 1,
 *   cudaFree 5, cudaMemcpy 4, cudaMemcpyAsync 3, cudaMemset 2, cudaSetDevice 1,
 *   cudaStreamCreate 6, cudaEventCreate 2, cudaDeviceSynchronize 8,
 *   cudaDeviceReset 1, cudaMemGetInfo 1
 */
#include <stdio.h>
#include "cuda_double.h"

static int calls, without_driver;

static void times(int n, cudaError_t (*call)(void))
{
	while (n--) {
		calls++;
		without_driver += call() == cudaErrorInsufficientDriver;
	}
}

static char host[256];
static void *p;

static cudaError_t allocate(void)
{
	return cudaMalloc(&p, 1 << 20);
}
static cudaError_t managed(void)
{
	return cudaMallocManaged(&p, 4096, cudaMemAttachGlobal);
}
static cudaError_t pinned(void)
{
	return cudaMallocHost(&p, 4096);
}
static cudaError_t ordered(void)
{
	return cudaMallocAsync(&p, 4096, NULL);
}
static cudaError_t release(void)
{
	return cudaFree(host);
}
static cudaError_t copy(void)
{
	return cudaMemcpy(host, host + 128, 64, cudaMemcpyDeviceToHost);
}
static cudaError_t set(void)
{
	return cudaMemset(host, 0, 64);
}
static cudaError_t device(void)
{
	return cudaSetDevice(0);
}
static cudaError_t reset(void)
{
	return cudaDeviceReset();
}

static cudaError_t copy_async(void)
{
	return cudaMemcpyAsync(host, host + 128, 64, cudaMemcpyDeviceToHost, NULL);
}

static cudaError_t stream(void)
{
	cudaStream_t s;

	return cudaStreamCreate(&s);
}

static cudaError_t event(void)
{
	cudaEvent_t e;

	return cudaEventCreate(&e);
}

static cudaError_t info(void)
{
	size_t available, total;

	return cudaMemGetInfo(&available, &total);
}

int main(void)
{
	times(7, allocate);
	times(2, managed);
	times(1, pinned);
	times(1, ordered);
	times(5, release);
	times(4, copy);
	times(3, copy_async);
	times(2, set);
	times(1, device);
	times(6, stream);
	times(2, event);
	times(8, cudaDeviceSynchronize);
	times(1, reset);
	times(1, info);
	printf("%d of %d\n", without_driver, calls);
	return 0;
}
