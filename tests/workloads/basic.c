// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocation, launches and copies in known numbers, on one thread. */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "workload.h"

#define BUFFER 8000000

/*
 * cudaMalloc 3 x 8,000,000; cudaMemcpy H2D 2 x 8,000,000; vectorAdd 1,000 and
 * saxpy 1,000 launches; cudaDeviceSynchronize 1; cudaMemcpy D2H 1 x 8,000,000
 * (none with "leak"); cudaFree 3, or with "leak" 2: the third buffer,
 * 8,000,000 bytes, is forgotten.  __cudaGetKernel 2 unless -l.
 */
int case_study(void)
{
	bool leak = options.argc && !strcmp(options.argv[0], "leak");
	void *a, *b, *c, *host = calloc(1, BUFFER);
	int i;

	MUST(cudaMalloc(&a, BUFFER));
	MUST(cudaMalloc(&b, BUFFER));
	MUST(cudaMalloc(&c, BUFFER));
	MUST(cudaMemcpy(a, host, BUFFER, cudaMemcpyHostToDevice));
	MUST(cudaMemcpy(b, host, BUFFER, cudaMemcpyHostToDevice));
	for (i = 0; i < 1000; i++) {
		MUST(launch(VECTOR_ADD, BUFFER / 4 / 256 + 1, 256, NULL));
		MUST(launch(SAXPY, BUFFER / 4 / 256 + 1, 256, NULL));
	}
	MUST(cudaDeviceSynchronize());
	if (!leak)
		MUST(cudaMemcpy(host, c, BUFFER, cudaMemcpyDeviceToHost));
	MUST(cudaFree(a));
	MUST(cudaFree(b));
	if (!leak)
		MUST(cudaFree(c));
	free(host);
	return 0;
}

/* cudaMalloc N x SIZE, cudaFree N. */
int pairs(void)
{
	long i, n = number(0, 1000), size = number(1, 256);
	double start = seconds_now();
	void *p;

	for (i = 0; i < n; i++) {
		MUST(cudaMalloc(&p, (size_t)size));
		if (!options.keep)
			MUST(cudaFree(p));
	}
	say("%.1f ns a pair\n", (seconds_now() - start) * 1e9 / (double)(n ? n : 1));
	return 0;
}

static long launches_each;

static void *launch_all(void *arg)
{
	long i;

	for (i = 0; i < launches_each; i++)
		MUST(launch(VECTOR_ADD, 1, 32, NULL));
	return arg;
}

/* vectorAdd N x THREADS launches, __cudaGetKernel 1, cudaDeviceSynchronize 1. */
int launches(void)
{
	pthread_t thread[256];
	long i, n = number(1, 1);
	double start;

	launches_each = number(0, 1000);
	if (n > 256)
		n = 256;
	prepare(VECTOR_ADD);
	start = seconds_now();
	for (i = 1; i < n; i++)
		pthread_create(&thread[i], NULL, launch_all, NULL);
	launch_all(NULL);
	for (i = 1; i < n; i++)
		pthread_join(thread[i], NULL);
	say("%.1f ns a launch\n",
	    (seconds_now() - start) * 1e9 / (double)(launches_each ? launches_each : 1));
	MUST(cudaDeviceSynchronize());
	return 0;
}

/*
 * One allocation of each kind: cudaMalloc 1,001; cudaMallocPitch 100 x 10
 * (pitch 512: 5,120); cudaMalloc3D 100 x 10 x 2 (pitch 512: 10,240);
 * cudaMallocManaged 3,003; cudaMallocAsync 4,004; cudaMallocFromPoolAsync
 * 5,005; cudaMallocArray 64 x 64 floats (16,384); cudaMalloc3DArray 16^3
 * floats (16,384); cudaMallocMipmappedArray 64 x 64 floats, 3 levels (16,384 +
 * 4,096 + 1,024); cudaMallocHost 6,006; cudaHostAlloc 7,007; cudaHostRegister
 * 8,192.  All freed by their own call, unless -k.
 */
int kinds(void)
{
	struct cudaChannelFormatDesc f = { 32, 0, 0, 0, cudaChannelFormatKindFloat };
	struct cudaMemPoolProps props = {
		.allocType = 1,
		.location = { cudaMemLocationTypeDevice, 0 },
	};
	struct cudaPitchedPtr box;
	cudaMipmappedArray_t mip;
	cudaArray_t array, cube;
	cudaMemPool_t pool;
	void *dev, *pitched, *managed, *async, *pooled, *pinned, *host, *plain;
	size_t pitch;

	MUST(cudaMalloc(&dev, 1001));
	MUST(cudaMallocPitch(&pitched, &pitch, 100, 10));
	MUST(cudaMalloc3D(&box, (struct cudaExtent){ 100, 10, 2 }));
	MUST(cudaMallocManaged(&managed, 3003, cudaMemAttachGlobal));
	MUST(cudaMallocAsync(&async, 4004, NULL));
	MUST(cudaMemPoolCreate(&pool, &props));
	MUST(cudaMallocFromPoolAsync(&pooled, 5005, pool, NULL));
	MUST(cudaMallocArray(&array, &f, 64, 64, 0));
	MUST(cudaMalloc3DArray(&cube, &f, (struct cudaExtent){ 16, 16, 16 }, 0));
	MUST(cudaMallocMipmappedArray(&mip, &f, (struct cudaExtent){ 64, 64, 0 }, 3, 0));
	MUST(cudaMallocHost(&pinned, 6006));
	MUST(cudaHostAlloc(&host, 7007, cudaHostAllocMapped));
	plain = malloc(8192);
	MUST(cudaHostRegister(plain, 8192, 0));
	if (options.keep)
		return 0;
	MUST(cudaHostUnregister(plain));
	free(plain);
	MUST(cudaFreeHost(host));
	MUST(cudaFreeHost(pinned));
	MUST(cudaFreeMipmappedArray(mip));
	MUST(cudaFreeArray(cube));
	MUST(cudaFreeArray(array));
	MUST(cudaFreeAsync(pooled, NULL));
	MUST(cudaMemPoolDestroy(pool));
	MUST(cudaFreeAsync(async, NULL));
	MUST(cudaFree(managed));
	MUST(cudaFree(box.ptr));
	MUST(cudaFree(pitched));
	MUST(cudaFree(dev));
	return 0;
}

/* cudaMalloc 1 x 4,096; vectorAdd 1 launch; exit without a free. */
int short_run(void)
{
	void *p;

	MUST(cudaMalloc(&p, 4096));
	MUST(launch(VECTOR_ADD, 1, 32, NULL));
	_exit(0);
}

/*
 * cudaMalloc 1 x 1,048,576; cudaStreamCreate 1; saxpy 1 launch;
 * cudaStreamSynchronize 1, which lasts CUDA_DOUBLE_KERNEL_TIME (set here from
 * MS, 10,000 unless given); cudaFree 1; cudaStreamDestroy 1.  The program
 * starts itself once more to have the time set.
 */
int hang(void)
{
	cudaStream_t stream;
	char text[32] = "";
	void *p;

	if (!getenv("WORKLOAD_HANGS")) {
		char *args[] = { (char *)(uintptr_t)options.program, "hang", NULL };
		long ms = number(0, 10000);
		int i = 0;

		do {
			text[30 - i++] = (char)('0' + ms % 10);
			ms /= 10;
		} while (ms);
		memmove(text, text + 31 - i, (size_t)i);
		memcpy(text + i, "ms", 3);
		setenv("CUDA_DOUBLE_KERNEL_TIME", text, 1);
		setenv("WORKLOAD_HANGS", "1", 1);
		execv("/proc/self/exe", args);
		return 1;
	}
	MUST(cudaMalloc(&p, 1048576));
	MUST(cudaStreamCreate(&stream));
	MUST(launch(SAXPY, 1, 32, stream));
	MUST(cudaStreamSynchronize(stream));
	MUST(cudaFree(p));
	MUST(cudaStreamDestroy(stream));
	return 0;
}

/*
 * vectorAdd N launches on a stream of its own and N cudaStreamSynchronize,
 * cudaStreamCreate and Destroy 1 each; US is the pause between rounds.  How
 * long a synchronize waits is CUDA_DOUBLE_KERNEL_TIME.
 */
int sync_waits(void)
{
	long i, n = number(0, 100), us = number(1, 0);
	cudaStream_t stream;

	MUST(cudaStreamCreate(&stream));
	for (i = 0; i < n; i++) {
		MUST(launch(VECTOR_ADD, 1, 32, stream));
		MUST(cudaStreamSynchronize(stream));
		if (us)
			pause_us(us);
	}
	MUST(cudaStreamDestroy(stream));
	return 0;
}

static jmp_buf escape;

static void callback(void *data)
{
	void *p;

	if (*(int *)data) {
		longjmp(escape, 1);
	} else {
		/* a real runtime forbids this; a monitor must survive it */
		MUST(cudaMalloc(&p, 512));
		MUST(cudaFree(p));
	}
}

/*
 * Calls within calls.  cudaLaunchHostFunc 20: ten whose callback makes one
 * cudaMalloc of 512 and one cudaFree, and ten left by longjmp, which never
 * return.  Then cudaMalloc 1 x 1,024, vectorAdd 10 launches, cudaFree 1.
 */
int nested(void)
{
	static int jump;
	volatile int i;
	void *p;

	for (i = 0; i < 10; i++) {
		jump = 0;
		MUST(cudaLaunchHostFunc(NULL, callback, &jump));
	}
	for (i = 0; i < 10; i++) {
		jump = 1;
		if (!setjmp(escape))
			cudaLaunchHostFunc(NULL, callback, &jump);
	}
	MUST(cudaMalloc(&p, 1024));
	for (i = 0; i < 10; i++)
		MUST(launch(VECTOR_ADD, 1, 32, NULL));
	MUST(cudaFree(p));
	return 0;
}

/*
 * vectorAdd 10 launches through the runtime, then N through cuLaunchKernel
 * with the same handle, then N with a function of its own
 * (cuModuleLoadData 1, cuModuleGetFunction 1, kernel _Z6directv).
 */
int driver_launch(void)
{
	long i, n = number(0, 10);
	cudaKernel_t handle;
	CUmodule module;
	CUfunction func;

	for (i = 0; i < 10; i++)
		MUST(launch(VECTOR_ADD, 1, 32, NULL));
	MUST(cudaGetKernel(&handle, kernel_stub(VECTOR_ADD)));
	for (i = 0; i < n; i++)
		MUST((cudaError_t)cuLaunchKernel((CUfunction)handle, 1, 1, 1, 32, 1, 1, 0, NULL,
						 NULL, NULL));
	MUST((cudaError_t)cuModuleLoadData(&module, "image"));
	MUST((cudaError_t)cuModuleGetFunction(&func, module, "_Z6directv"));
	for (i = 0; i < n; i++)
		MUST((cudaError_t)cuLaunchKernel(func, 2, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
	MUST((cudaError_t)cuModuleUnload(module));
	return 0;
}
