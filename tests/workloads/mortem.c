// SPDX-License-Identifier: GPL-2.0-or-later
/* What ends badly: memory that runs out, kernels that break down. And copies of pageable memory. */
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
 * contexts: a context beside the primary one; then launches, and synchronizes that say which
 * context they mean:
 *
 *  1  saxpy 1; cuCtxSynchronize_v2 of the primary one
 *  2  add 1; cuCtxSynchronize_v2 of none: the thread's
 *  3  reduce 1; cudaExecutionCtxSynchronize of the device's
 *  4  vectorAdd 1; cuCtxSynchronize_v2 of the one beside
 *  5  cudaStreamSynchronize (may fail)
 */
int contexts(void)
{
	cudaExecutionContext_t execution;
	CUcontext primary, own, popped;
	cudaStream_t a;

	MUST(cudaStreamCreate(&a));
	MUST((cudaError_t)cuDevicePrimaryCtxRetain(&primary, 0));
	MUST((cudaError_t)cuCtxCreate_v4(&own, NULL, 0, 0));
	MUST((cudaError_t)cuCtxPopCurrent_v2(&popped));
	MUST(cudaDeviceGetExecutionCtx(&execution, 0));

	MUST(launch(SAXPY, 1, 32, a));
	MUST((cudaError_t)cuCtxSynchronize_v2(primary));
	MUST(launch(ADD, 1, 32, a));
	MUST((cudaError_t)cuCtxSynchronize_v2(NULL));
	MUST(launch(REDUCE, 1, 32, a));
	MUST(cudaExecutionCtxSynchronize(execution));
	MUST(launch(VECTOR_ADD, 1, 32, a));
	MUST((cudaError_t)cuCtxSynchronize_v2(own));
	cudaStreamSynchronize(a);
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
