// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls that the workloads do not make, in exact numbers:
 *
 *   odd_calls nothing     cudaMalloc 3, cudaMallocHost 1 and cudaMallocManaged 1
 *                         of no bytes; cudaFree 4 and cudaFreeHost 1 of NULL
 *   odd_calls devices     with two devices.  cudaMalloc: 1,111 and 1,000 on
 *                         device 1; 2,222 on device 0; 3,333 on device 0 by a
 *                         second thread, which never chose one; 4,444 on
 *                         device 1 by a third, which did.  Freed from device
 *                         0: all but the 1,111, which a cudaDeviceReset of
 *                         device 1 ends
 *   odd_calls per-thread  cudaMallocAsync_ptsz and cudaFreeAsync_ptsz 2 x 500,
 *                         cudaMemcpyAsync_ptsz H2D 100, cudaMemcpy_ptds D2H
 *                         200, cudaLaunchKernel_ptsz 3 x odd<<<1, 32>>>,
 *                         cudaStreamSynchronize_ptsz 1
 *   odd_calls default     with two devices.  cudaMemcpyDefault, by the bytes:
 *                         H2H 10 (plain) and 20 (pinned to registered); H2D 30
 *                         (plain), 40 (pinned, into the middle of an allocation),
 *                         50 (2D), 60 (to a symbol, async), 70 (async); D2H 80
 *                         (plain), 90 (registered), 100 (from a symbol); D2D 110;
 *                         P2P 120
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda_double.h"

#define MUST(call)	must((call), #call)

static void must(cudaError_t err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "odd_calls: %s: error %d\n", what, (int)err);
	exit(1);
}

static int nothing(void)
{
	void *p;
	int i;

	for (i = 0; i < 3; i++)
		MUST(cudaMalloc(&p, 0));
	MUST(cudaMallocHost(&p, 0));
	MUST(cudaMallocManaged(&p, 0, cudaMemAttachGlobal));
	for (i = 0; i < 4; i++)
		MUST(cudaFree(NULL));
	MUST(cudaFreeHost(NULL));
	return 0;
}

static void *on_first(void *out)
{
	MUST(cudaMalloc(out, 3333));
	return NULL;
}

static void *on_second(void *out)
{
	MUST(cudaSetDevice(1));
	MUST(cudaMalloc(out, 4444));
	return NULL;
}

static int devices(void)
{
	void *left, *p[4];
	pthread_t thread;
	int i;

	MUST(cudaSetDevice(1));
	MUST(cudaMalloc(&left, 1111));
	MUST(cudaMalloc(&p[0], 1000));
	MUST(cudaSetDevice(0));
	MUST(cudaMalloc(&p[1], 2222));
	pthread_create(&thread, NULL, on_first, &p[2]);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, on_second, &p[3]);
	pthread_join(thread, NULL);
	MUST(cudaFree(p[0]));
	MUST(cudaFree(p[3]));
	MUST(cudaSetDevice(1));
	MUST(cudaDeviceReset());
	MUST(cudaSetDevice(0));
	for (i = 1; i < 3; i++)
		MUST(cudaFree(p[i]));
	return 0;
}

static void stub(void)
{
}

__attribute__((constructor))
static void register_kernel(void)
{
	static char image[16], name[] = "_Z3oddv";
	void **handle = __cudaRegisterFatBinary(image);

	__cudaRegisterFunction(handle, (const char *)(uintptr_t)stub, name, name,
			       -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(handle);
}

static int per_thread(void)
{
	dim3 grid = { 1, 1, 1 }, block = { 32, 1, 1 };
	void *a, *b, *args[1] = { NULL };
	char host[500] = { 0 };
	int i;

	MUST(cudaMallocAsync_ptsz(&a, 500, NULL));
	MUST(cudaMallocAsync_ptsz(&b, 500, NULL));
	MUST(cudaMemcpyAsync_ptsz(a, host, 100, cudaMemcpyHostToDevice, NULL));
	for (i = 0; i < 3; i++)
		MUST(cudaLaunchKernel_ptsz((const void *)(uintptr_t)stub, grid, block,
					   args, 0, NULL));
	MUST(cudaMemcpy_ptds(host, a, 200, cudaMemcpyDeviceToHost));
	MUST(cudaFreeAsync_ptsz(a, NULL));
	MUST(cudaFreeAsync_ptsz(b, NULL));
	MUST(cudaStreamSynchronize_ptsz(NULL));
	return 0;
}

static float variable[64];

__attribute__((constructor))
static void register_variable(void)
{
	static char image[16], name[] = "variable";
	void **handle = __cudaRegisterFatBinary(image);

	__cudaRegisterVar(handle, (char *)variable, name, name, 0, sizeof(variable), 0, 0);
	__cudaRegisterFatBinaryEnd(handle);
}

static int by_address(void)
{
	enum cudaMemcpyKind any = cudaMemcpyDefault;
	char host[512] = { 0 }, registered[512] = { 0 };
	char *dev, *other, *far, *pinned;

	MUST(cudaMalloc((void **)&dev, 4096));
	MUST(cudaMalloc((void **)&other, 4096));
	MUST(cudaMallocHost((void **)&pinned, 4096));
	MUST(cudaHostRegister(registered, sizeof(registered), 0));
	MUST(cudaSetDevice(1));
	MUST(cudaMalloc((void **)&far, 4096));
	MUST(cudaSetDevice(0));

	MUST(cudaMemcpy(host, host + 256, 10, any));
	MUST(cudaMemcpy(registered, pinned, 20, any));
	MUST(cudaMemcpy(dev, host, 30, any));
	MUST(cudaMemcpy(dev + 2000, pinned + 2000, 40, any));
	MUST(cudaMemcpy2D(dev, 512, host, 32, 10, 5, any));
	MUST(cudaMemcpyToSymbolAsync(variable, host, 60, 0, any, NULL));
	MUST(cudaMemcpyAsync(dev, host, 70, any, NULL));
	MUST(cudaMemcpy(host, dev + 4000, 80, any));
	MUST(cudaMemcpy(registered + 100, dev, 90, any));
	MUST(cudaMemcpyFromSymbol(host, variable, 100, 0, any));
	MUST(cudaMemcpy(dev, other, 110, any));
	MUST(cudaMemcpy(far, dev, 120, any));

	MUST(cudaHostUnregister(registered));
	MUST(cudaFreeHost(pinned));
	MUST(cudaFree(far));
	MUST(cudaFree(other));
	MUST(cudaFree(dev));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "nothing"))
		return nothing();
	if (argc == 2 && !strcmp(argv[1], "devices"))
		return devices();
	if (argc == 2 && !strcmp(argv[1], "per-thread"))
		return per_thread();
	if (argc == 2 && !strcmp(argv[1], "default"))
		return by_address();
	fputs("usage: odd_calls nothing|devices|per-thread|default\n", stderr);
	return 2;
}
