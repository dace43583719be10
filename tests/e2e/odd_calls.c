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
 *   odd_calls peers       with two devices, from device memory to device memory.
 *                         cudaMemcpyDeviceToDevice: from one to the other 100,
 *                         200 (async) and 10x4 (2D), within one 300 and, of
 *                         managed memory, 350. cudaMemcpyPeer: within one 400,
 *                         from one to the other 500 (async).
 *                         cudaMemcpy3DPeer: within one 600, from one to the
 *                         other 700 (async)
 *   odd_calls waits       synchronous copies, each behind a kernel: D2D 100,000,
 *                         D2H 1,000 and H2D 2,000; with nothing before them H2D
 *                         65,536 of pageable memory and 65,537 of pinned memory; prints
 *                         how many seconds the D2D and the H2D ones took, and the last
 *   odd_calls launches N AT
 *                         cudaLaunchKernel N x odd<<<1, 32>>>, whatever they
 *                         return; before the one numbered AT (from 1) a cudaFree
 *                         that fails with 1; cudaDeviceSynchronize
 *   odd_calls shapes      odd by cudaLaunchKernel 5 x <<<1, 32>>>, then 1 x
 *                         <<<(3,4,5), (8,4,2), 1024>>> on a stream; square by
 *                         cudaLaunchKernelExC 3 x <<<(7,1,1), (16,16,1), 2048>>>;
 *                         square by cudaLaunchCooperativeKernel 2 x <<<2, 64>>>
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cuda_double.h"
#include "program.h"

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

/* The bodies differ so that no linker folds them onto one address. */
static void stub(void)
{
	__asm__ volatile("" : : "i"(1));
}

static void square(void)
{
	__asm__ volatile("nop" : : "i"(2));
}

#define FUNCTION(f) ((const void *)(uintptr_t)(f))

__attribute__((constructor)) static void register_kernel(void)
{
	static char image[16], name[] = "_Z3oddv", other[] = "_ZN5power6squareIiEEvPT_";
	void **handle = __cudaRegisterFatBinary(image);

	__cudaRegisterFunction(handle, FUNCTION(stub), name, name, -1, NULL, NULL, NULL, NULL,
			       NULL);
	__cudaRegisterFunction(handle, FUNCTION(square), other, other, -1, NULL, NULL, NULL, NULL,
			       NULL);
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
		MUST(cudaLaunchKernel_ptsz(FUNCTION(stub), grid, block, args, 0, NULL));
	MUST(cudaMemcpy_ptds(host, a, 200, cudaMemcpyDeviceToHost));
	MUST(cudaFreeAsync_ptsz(a, NULL));
	MUST(cudaFreeAsync_ptsz(b, NULL));
	MUST(cudaStreamSynchronize_ptsz(NULL));
	return 0;
}

static float variable[64];

__attribute__((constructor)) static void register_variable(void)
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

static int peers(void)
{
	struct cudaMemcpy3DPeerParms box = { .srcDevice = 0,
					     .dstDevice = 0,
					     .extent = { 600, 1, 1 } };
	enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice;
	char *dev, *other, *far, *managed;

	MUST(cudaMalloc((void **)&dev, 4096));
	MUST(cudaMalloc((void **)&other, 4096));
	MUST(cudaMallocManaged((void **)&managed, 4096, cudaMemAttachGlobal));
	MUST(cudaSetDevice(1));
	MUST(cudaMalloc((void **)&far, 4096));
	MUST(cudaSetDevice(0));

	MUST(cudaMemcpy(far, dev, 100, kind));
	MUST(cudaMemcpyAsync(far + 1000, dev, 200, kind, NULL));
	MUST(cudaMemcpy2D(dev, 512, far, 32, 10, 4, kind));
	MUST(cudaMemcpy(dev, other, 300, kind));
	MUST(cudaMemcpy(dev, managed, 350, kind));
	MUST(cudaMemcpyPeer(dev, 0, other, 0, 400));
	MUST(cudaMemcpyPeerAsync(far, 1, dev, 0, 500, NULL));
	box.srcPtr = (struct cudaPitchedPtr){ dev, 600, 600, 1 };
	box.dstPtr = (struct cudaPitchedPtr){ other, 600, 600, 1 };
	MUST(cudaMemcpy3DPeer(&box));
	box.dstPtr.ptr = far;
	box.dstDevice = 1;
	box.extent.width = 700;
	box.srcPtr.pitch = box.srcPtr.xsize = box.dstPtr.pitch = box.dstPtr.xsize = 700;
	MUST(cudaMemcpy3DPeerAsync(&box, NULL));
	MUST(cudaDeviceSynchronize());

	MUST(cudaFree(far));
	MUST(cudaFree(managed));
	MUST(cudaFree(other));
	MUST(cudaFree(dev));
	return 0;
}

static double timed_copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	double begin = seconds_now();

	MUST(cudaMemcpy(to, from, bytes, kind));
	return seconds_now() - begin;
}

static double copy_behind_kernel(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	dim3 one = { 1, 1, 1 }, block = { 32, 1, 1 };
	void *args[1] = { NULL };
	double seconds;

	MUST(cudaLaunchKernel(FUNCTION(stub), one, block, args, 0, NULL));
	seconds = timed_copy(to, from, bytes, kind);
	MUST(cudaDeviceSynchronize());
	return seconds;
}

static int waits(void)
{
	static char host[65536];
	char *dev, *pinned;
	double d2d, h2d, last;

	MUST(cudaMalloc((void **)&dev, 200000));
	MUST(cudaMallocHost((void **)&pinned, 65537));
	d2d = copy_behind_kernel(dev + 100000, dev, 100000, cudaMemcpyDeviceToDevice);
	copy_behind_kernel(host, dev, 1000, cudaMemcpyDeviceToHost);
	h2d = copy_behind_kernel(dev, host, 2000, cudaMemcpyHostToDevice);
	h2d += timed_copy(dev, host, sizeof(host), cudaMemcpyHostToDevice);
	MUST(cudaDeviceSynchronize());
	last = timed_copy(dev, pinned, 65537, cudaMemcpyHostToDevice);
	printf("%f %f %f\n", d2d, h2d + last, last);
	MUST(cudaFreeHost(pinned));
	MUST(cudaFree(dev));
	return 0;
}

static int launches(long n, long at)
{
	dim3 one = { 1, 1, 1 }, block = { 32, 1, 1 };
	long i;

	for (i = 1; i <= n; i++) {
		if (i == at)
			cudaFree(&i);
		cudaLaunchKernel(FUNCTION(stub), one, block, NULL, 0, NULL);
	}
	MUST(cudaDeviceSynchronize());
	return 0;
}

static int shapes(void)
{
	dim3 one = { 1, 1, 1 }, two = { 2, 1, 1 }, grid = { 3, 4, 5 };
	dim3 thin = { 32, 1, 1 }, wide = { 64, 1, 1 }, block = { 8, 4, 2 };
	cudaLaunchConfig_t config = {
		.gridDim = { 7, 1, 1 },
		.blockDim = { 16, 16, 1 },
		.dynamicSmemBytes = 2048,
	};
	void *args[1] = { NULL };
	cudaStream_t stream;
	int i;

	MUST(cudaStreamCreate(&stream));
	for (i = 0; i < 5; i++)
		MUST(cudaLaunchKernel(FUNCTION(stub), one, thin, args, 0, NULL));
	MUST(cudaLaunchKernel(FUNCTION(stub), grid, block, args, 1024, stream));
	for (i = 0; i < 3; i++)
		MUST(cudaLaunchKernelExC(&config, FUNCTION(square), args));
	for (i = 0; i < 2; i++)
		MUST(cudaLaunchCooperativeKernel(FUNCTION(square), two, wide, args, 0, NULL));
	MUST(cudaStreamDestroy(stream));
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
	if (argc == 2 && !strcmp(argv[1], "waits"))
		return waits();
	if (argc == 2 && !strcmp(argv[1], "peers"))
		return peers();
	if (argc == 2 && !strcmp(argv[1], "default"))
		return by_address();
	if (argc == 2 && !strcmp(argv[1], "shapes"))
		return shapes();
	if (argc == 4 && !strcmp(argv[1], "launches"))
		return launches(strtol(argv[2], NULL, 0), strtol(argv[3], NULL, 0));
	fputs("usage: odd_calls nothing|devices|per-thread|default|shapes|launches N AT\n", stderr);
	return 2;
}
