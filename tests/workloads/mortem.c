// SPDX-License-Identifier: GPL-2.0-or-later
/* What ends badly: memory that runs out, kernels that break down. And copies that are under way. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "workload.h"

#define MIB ((size_t)1 << 20)

/*
 * Says that it has come so far, and waits until told to go on: a line, or the end of standard
 * input.
 */
static void wait_here(void)
{
	int c;

	printf("ready\n");
	fflush(stdout);
	do
		c = getchar();
	while (c != '\n' && c != EOF);
}

static void too_much(cudaError_t got)
{
	if (got != cudaErrorMemoryAllocation)
		must(got ? got : cudaErrorUnknown, "an allocation that should have failed");
	cudaGetLastError();
}

/*
 * exhaust [wait]: on a device of 64 MiB. cudaMalloc 16, 4, 8, 4, 8 MiB; cudaFree of
 * both 4 MiB, so that of 40 MiB 32 are held, and with 24 MiB behind them no 25
 * are free in one piece. Then cudaMalloc of 1 GiB fails 1,000 times at one
 * place and once at another; cudaMallocHost of 1 TiB fails once. The rest is
 * freed. With "wait" it waits before it fails.
 */
int exhaust(void)
{
	static const size_t sizes[5] = { 16, 4, 8, 4, 8 };
	void *p[5], *none;
	int i;

	for (i = 0; i < 5; i++)
		MUST(cudaMalloc(&p[i], sizes[i] * MIB));
	MUST(cudaFree(p[1]));
	MUST(cudaFree(p[3]));
	if (options.argc)
		wait_here();
	for (i = 0; i < 1000; i++)
		too_much(cudaMalloc(&none, 1024 * MIB));
	too_much(cudaMalloc(&none, 2048 * MIB));
	too_much(cudaMallocHost(&none, MIB * MIB));
	for (i = 0; i < 5; i += 2)
		MUST(cudaFree(p[i]));
	return 0;
}

/* hold MIB: cudaMalloc 1 x MIB mebibytes, waits, cudaFree 1. */
int hold(void)
{
	void *p;

	MUST(cudaMalloc(&p, (size_t)number(0, 1) * MIB));
	wait_here();
	MUST(cudaFree(p));
	return 0;
}

/*
 * fill [ask]: asks for the device's size (with "properties" by
 * cudaGetDeviceProperties, with "never" not at all, else by cudaMemGetInfo);
 * then on a device of 100 MiB: cudaMalloc 50, 29 (79 %: nothing to say), 1
 * (80 %), 5; cudaFree of the 5 and the 1 and again cudaMalloc 6 (85 %: said
 * already); cudaFree of 29 and 6, cudaMalloc of 40 (90 %: said again). cudaFree 2.
 */
int fill(void)
{
	const char *ask = options.argc ? options.argv[0] : "";
	struct cudaDeviceProp properties;
	size_t free_bytes, total;
	void *p[4];

	if (*ask == 'p')
		MUST(cudaGetDeviceProperties(&properties, 0));
	else if (*ask != 'n')
		MUST(cudaMemGetInfo(&free_bytes, &total));
	MUST(cudaMalloc(&p[0], 50 * MIB));
	MUST(cudaMalloc(&p[1], 29 * MIB));
	MUST(cudaMalloc(&p[2], 1 * MIB));
	MUST(cudaMalloc(&p[3], 5 * MIB));
	MUST(cudaFree(p[3]));
	MUST(cudaFree(p[2]));
	MUST(cudaMalloc(&p[2], 6 * MIB));
	MUST(cudaFree(p[1]));
	MUST(cudaFree(p[2]));
	MUST(cudaMalloc(&p[1], 40 * MIB));
	MUST(cudaFree(p[1]));
	MUST(cudaFree(p[0]));
	return 0;
}

/* Every call fails for an earlier one's sake. */
static void in_vain(cudaError_t got)
{
	if (!got)
		must(cudaErrorUnknown, "a call that should have failed");
}

/*
 * broken: cudaStreamCreate 2; saxpy 3 launches, cudaDeviceSynchronize 1;
 * vectorAdd 2 in the first stream, softmax 1 in the second, reduce 1 in the first; then
 * cudaDeviceSynchronize, which the script has fail with a sticky error,
 * and in vain cudaMalloc 1, cudaMemcpy 1, reduce 1, saxpy 1,
 * cudaDeviceSynchronize 1. cudaDeviceReset 1, in vain, too, and then saxpy 1 and
 * cudaDeviceSynchronize 1; where it succeeds (CUDA_DOUBLE_HEAL), saxpy 70
 * launches, and cudaDeviceSynchronize 1, whatever it says.
 */
int broken(void)
{
	cudaStream_t first, second;
	char byte = 0;
	void *p;
	int i;

	MUST(cudaStreamCreate(&first));
	MUST(cudaStreamCreate(&second));
	for (i = 0; i < 3; i++)
		MUST(launch(SAXPY, 1, 32, NULL));
	MUST(cudaDeviceSynchronize());
	MUST(launch(VECTOR_ADD, 2, 64, first));
	MUST(launch(VECTOR_ADD, 2, 64, first));
	MUST(launch(SOFTMAX, 1, 32, second));
	MUST(launch(REDUCE, 1, 32, first));
	in_vain(cudaDeviceSynchronize());
	in_vain(cudaMalloc(&p, 1));
	in_vain(cudaMemcpy(&byte, &byte, 1, cudaMemcpyDeviceToHost));
	in_vain(launch(REDUCE, 1, 32, first));
	in_vain(launch(SAXPY, 1, 32, NULL));
	in_vain(cudaDeviceSynchronize());
	if (cudaDeviceReset()) {
		in_vain(launch(SAXPY, 1, 32, NULL));
		in_vain(cudaDeviceSynchronize());
		return 0;
	}
	for (i = 0; i < 70; i++)
		MUST(launch(SAXPY, 1, 32, NULL));
	cudaDeviceSynchronize();
	return 0;
}

/*
 * pending: cudaMalloc 2, cudaMallocHost 1, cudaStreamCreate 2; then, waiting
 * after each step, asynchronous copies of pinned memory and what covers them:
 *
 *  1  cudaMemcpyAsync H2D 1,000 in stream a, H2D 2,000 in b, D2H 4,000 in a,
 *     D2D 8,000 in b, H2D 16,000 in the default stream
 *  2  cudaStreamSynchronize a (may fail)
 *  3  cudaMemcpy D2H 1, to pageable memory
 *  4  cudaMemcpyAsync of kind Default: H2D 100 in a, D2H 200 in a, H2D 400 in b
 *  5  cudaStreamSynchronize a
 *  6  cudaDeviceSynchronize
 *  7  cudaMemcpyAsync H2D 32 in a, cudaMemcpy2DAsync H2D 64 x 4 in b
 *  8  cudaStreamSynchronize b
 *  9  cudaStreamDestroy a
 * 10  cudaDeviceReset
 */
int pending(void)
{
	char *near, *far, *pinned, byte;
	cudaStream_t a, b;

	MUST(cudaMalloc((void **)&near, MIB));
	MUST(cudaMalloc((void **)&far, MIB));
	MUST(cudaMallocHost((void **)&pinned, MIB));
	MUST(cudaStreamCreate(&a));
	MUST(cudaStreamCreate(&b));

	MUST(cudaMemcpyAsync(near, pinned, 1000, cudaMemcpyHostToDevice, a));
	MUST(cudaMemcpyAsync(near, pinned, 2000, cudaMemcpyHostToDevice, b));
	MUST(cudaMemcpyAsync(pinned, near, 4000, cudaMemcpyDeviceToHost, a));
	MUST(cudaMemcpyAsync(far, near, 8000, cudaMemcpyDeviceToDevice, b));
	MUST(cudaMemcpyAsync(near, pinned, 16000, cudaMemcpyHostToDevice, NULL));
	wait_here();
	cudaStreamSynchronize(a);
	wait_here();
	MUST(cudaMemcpy(&byte, near, 1, cudaMemcpyDeviceToHost));
	wait_here();
	MUST(cudaMemcpyAsync(near, pinned, 100, cudaMemcpyDefault, a));
	MUST(cudaMemcpyAsync(pinned, near, 200, cudaMemcpyDefault, a));
	MUST(cudaMemcpyAsync(near, pinned, 400, cudaMemcpyDefault, b));
	wait_here();
	MUST(cudaStreamSynchronize(a));
	wait_here();
	MUST(cudaDeviceSynchronize());
	wait_here();
	MUST(cudaMemcpyAsync(near, pinned, 32, cudaMemcpyHostToDevice, a));
	MUST(cudaMemcpy2DAsync(near, 64, pinned, 64, 64, 4, cudaMemcpyHostToDevice, b));
	wait_here();
	MUST(cudaStreamSynchronize(b));
	wait_here();
	MUST(cudaStreamDestroy(a));
	wait_here();
	MUST(cudaDeviceReset());
	wait_here();
	return 0;
}

/*
 * pending-contexts: cudaMalloc 1, cudaMallocHost 1, cudaStreamCreate 1, a context
 * beside the primary one; then, waiting after each step, asynchronous copies of
 * pinned memory and synchronizes that say which context they mean:
 *
 *  1  cudaMemcpyAsync H2D 1,000; saxpy 1
 *  2  cuCtxSynchronize_v2 of the context beside
 *  3  of the primary one
 *  4  cudaMemcpyAsync H2D 2,000
 *  5  cuCtxSynchronize_v2 of none: the thread's
 *  6  cudaMemcpyAsync H2D 4,000; reduce 1
 *  7  cudaExecutionCtxSynchronize of the device's
 *  8  vectorAdd 1, cudaStreamSynchronize (may fail)
 */
int pending_contexts(void)
{
	cudaExecutionContext_t execution;
	CUcontext primary, own, popped;
	char *near, *pinned;
	cudaStream_t a;

	MUST(cudaMalloc((void **)&near, MIB));
	MUST(cudaMallocHost((void **)&pinned, MIB));
	MUST(cudaStreamCreate(&a));
	MUST((cudaError_t)cuDevicePrimaryCtxRetain(&primary, 0));
	MUST((cudaError_t)cuCtxCreate_v4(&own, NULL, 0, 0));
	MUST((cudaError_t)cuCtxPopCurrent_v2(&popped));
	MUST(cudaDeviceGetExecutionCtx(&execution, 0));

	MUST(cudaMemcpyAsync(near, pinned, 1000, cudaMemcpyHostToDevice, a));
	MUST(launch(SAXPY, 1, 32, a));
	wait_here();
	MUST((cudaError_t)cuCtxSynchronize_v2(own));
	wait_here();
	MUST((cudaError_t)cuCtxSynchronize_v2(primary));
	wait_here();
	MUST(cudaMemcpyAsync(near, pinned, 2000, cudaMemcpyHostToDevice, a));
	wait_here();
	MUST((cudaError_t)cuCtxSynchronize_v2(NULL));
	wait_here();
	MUST(cudaMemcpyAsync(near, pinned, 4000, cudaMemcpyHostToDevice, a));
	MUST(launch(REDUCE, 1, 32, a));
	wait_here();
	MUST(cudaExecutionCtxSynchronize(execution));
	wait_here();
	MUST(launch(VECTOR_ADD, 1, 32, a));
	cudaStreamSynchronize(a);
	wait_here();
	return 0;
}

/*
 * pageable [wait]: cudaMemcpyAsync H2D 1,000 x 100 bytes from memory of
 * malloc(), 10 x 100 from pinned memory; D2H 10 x 100 to registered memory, 10 x
 * 100 to managed memory, 10 x 100 to pinned memory. With "wait" it waits
 * first, with all of it allocated.
 */
int pageable(void)
{
	char *device, *pinned, *managed, *host = malloc(MIB), *own = aligned_alloc(4096, MIB);
	int i;

	MUST(cudaMalloc((void **)&device, MIB));
	MUST(cudaMallocHost((void **)&pinned, MIB));
	MUST(cudaMallocManaged((void **)&managed, MIB, cudaMemAttachGlobal));
	MUST(cudaHostRegister(own, MIB, 0));
	if (options.argc)
		wait_here();
	for (i = 0; i < 10; i++) {
		MUST(cudaMemcpyAsync(device, pinned + 5000 * i, 100, cudaMemcpyHostToDevice, NULL));
		MUST(cudaMemcpyAsync(own + 5000 * i, device, 100, cudaMemcpyDeviceToHost, NULL));
		MUST(cudaMemcpyAsync(managed + 5000 * i, device, 100, cudaMemcpyDeviceToHost,
				     NULL));
		MUST(cudaMemcpyAsync(pinned + 5000 * i, device, 100, cudaMemcpyDeviceToHost, NULL));
	}
	for (i = 0; i < 1000; i++)
		MUST(cudaMemcpyAsync(device, host + 100 * i, 100, cudaMemcpyHostToDevice, NULL));
	MUST(cudaDeviceSynchronize());
	MUST(cudaHostUnregister(own));
	MUST(cudaFree(managed));
	MUST(cudaFreeHost(pinned));
	MUST(cudaFree(device));
	free(host);
	free(own);
	return 0;
}

static char *shared_device, *shared_pinned;

static void *other_thread(void *unused)
{
	(void)unused;
	MUST(cudaMemcpyAsync_ptsz(shared_device, shared_pinned, 4000, cudaMemcpyHostToDevice,
				  NULL));
	return NULL;
}

/*
 * default-streams: cudaMalloc 1, cudaMallocHost 1; then, waiting after each
 * step, asynchronous copies H2D and what covers them:
 *
 *  1  cudaMemcpyAsync_ptsz 500 and cudaMemcpyAsync 2,000 of no stream, and by
 *     another thread cudaMemcpyAsync_ptsz 4,000 of no stream
 *  2  cudaStreamSynchronize_ptsz of no stream: this thread's
 *  3  cudaMemcpyAsync 30 in cudaStreamPerThread, cudaStreamSynchronize of no
 *     stream: the legacy one
 *  4  cudaMemcpy_ptds D2H 1
 *  5  cudaDeviceSynchronize
 */
int default_streams(void)
{
	pthread_t thread;
	char byte;

	MUST(cudaMalloc((void **)&shared_device, MIB));
	MUST(cudaMallocHost((void **)&shared_pinned, MIB));
	MUST(cudaMemcpyAsync_ptsz(shared_device, shared_pinned, 500, cudaMemcpyHostToDevice, NULL));
	MUST(cudaMemcpyAsync(shared_device, shared_pinned, 2000, cudaMemcpyHostToDevice, NULL));
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_join(thread, NULL);
	wait_here();
	MUST(cudaStreamSynchronize_ptsz(NULL));
	wait_here();
	MUST(cudaMemcpyAsync(shared_device, shared_pinned, 30, cudaMemcpyHostToDevice,
			     cudaStreamPerThread));
	MUST(cudaStreamSynchronize(NULL));
	wait_here();
	MUST(cudaMemcpy_ptds(&byte, shared_device, 1, cudaMemcpyDeviceToHost));
	wait_here();
	MUST(cudaDeviceSynchronize());
	wait_here();
	MUST(cudaFreeHost(shared_pinned));
	MUST(cudaFree(shared_device));
	return 0;
}
