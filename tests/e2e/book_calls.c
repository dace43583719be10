// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs whose memory is what CUDA's documents say that it is, where a monitor may easily say
 * something else. What each holds, frees and leaves is written beside it, with the document;
 * tests/e2e/test_books.sh compares cutop with that.
 *
 *   book_calls survive   64 MiB of a stream's order, 2 MiB of a pool and 4 MiB of physical memory live on when the device is
 *                        reset and when a context is destroyed; 1,000 bytes of the primary context
 *                        and 2,000 of the other end.
 *                        The 70 MiB are freed then
 *   book_calls kept      the same, but nothing is freed
 *   book_calls own       cudaDeviceReset() in a context of the program's own ends neither its 3,000 bytes nor the primary
 *                        one's 32 MiB; all is freed
 *   book_calls streams   with two devices: 1,000 and 2,000 bytes in the order of device 1's stream, asked for by a thread on
 *                        device 0, 4,000 of device 0's by one on device 1, and 8,000 of device 1's
 *                        default pool in device 0's;
 *                        a stream's handle that is given again, to one of device 0: 16,000. All are
 *                        left
 *   book_calls managed   a third more managed memory than the device has, beside 1,000 bytes of the device's and 2,000 from a
 *                        pool of managed memory; then all of it is left
 *   book_calls primary   32 MiB by the runtime and 5,000 bytes by the driver in the primary context, which another library, so
 *                        to speak, retains and releases twice; all is freed
 *   book_calls launching  the same of 5,000 bytes by the driver, where the runtime does nothing but launch a kernel
 *   book_calls stack     with two devices, 2,000 bytes on device 0 below 1,000 in a context of device 1, which is unbound;
 *                        4,000 there when it is bound again. All are left
 *   book_calls attach    with two devices, 1,000 bytes and, when the context was attached and detached once, 2,000 in one of
 *                        device 1, which ends at the next
 *   book_calls stuck     1,000 bytes of the primary context and 2,000 of another; a synchronize is to fail with an error that sticks,
 *                        and so do resets, the destruction of the context, a free: the process's
 *                        end is that of all
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda_double.h"
#include "cuda_double_driver.h"
#include "program.h"

/*
 * cuda.h, cuCtxDestroy(): "will not destroy memory allocations by cuMemCreate(), cuMemAllocAsync()
 * and cuMemAllocFromPoolAsync()"; cuda_runtime_api.h, cudaDeviceReset(): the same of
 * cudaMallocAsync() and cudaMallocFromPoolAsync().
 */
static int survive(bool free_them)
{
	struct cudaMemPoolProps props = { .allocType = 1,
					  .location = { cudaMemLocationTypeDevice, 0 } };
	CUmemAllocationProp prop = { .type = 1, .location = { 1, 0 } };
	CUmemGenericAllocationHandle handle;
	void *async, *pooled, *plain;
	cudaMemPool_t pool;
	CUcontext own;
	CUdeviceptr p;

	MUST(cudaMalloc(&plain, 1000));
	MUST(cudaMallocAsync(&async, 32 * MIB, NULL));
	MUST(cudaMemPoolCreate(&pool, &props));
	MUST(cudaMallocFromPoolAsync(&pooled, 2 * MIB, pool, NULL));
	MUST(cuMemCreate(&handle, 4 * MIB, &prop, 0));
	MUST(cudaDeviceReset());
	MUST(cuCtxCreate_v2(&own, 0, 0));
	MUST(cuMemAlloc_v2(&p, 2000));
	MUST(cuMemAllocAsync(&p, 32 * MIB, NULL));
	MUST(cuCtxDestroy_v2(own));
	if (!free_them)
		return 0;
	MUST(cudaSetDevice(0));
	MUST(cudaFreeAsync(async, NULL));
	MUST(cuMemFreeAsync(p, NULL));
	MUST(cudaFree(pooled));
	MUST(cuMemRelease(handle));
	return 0;
}

/*
 * cuda_runtime_api.h, cudaDeviceReset(): with a context current that is no primary one, only the
 * runtime's state for it ends.
 */
static int own(void)
{
	CUcontext context;
	CUdeviceptr p;
	void *plain;

	MUST(cudaMalloc(&plain, 32 * MIB));
	MUST(cuCtxCreate_v2(&context, 0, 0));
	MUST(cuMemAlloc_v2(&p, 3000));
	MUST(cudaDeviceReset());
	MUST(cuMemFree_v2(p));
	MUST(cuCtxDestroy_v2(context));
	MUST(cudaFree(plain));
	return 0;
}

/*
 * cuda.h, cuMemAllocAsync(): "The allocation comes from the memory pool current to the stream's
 * device."
 */
static int streams(void)
{
	cudaStream_t first, second, again;
	cudaMemPool_t pool;
	void *p;
	int i;

	MUST(cudaStreamCreate(&first));
	MUST(cudaSetDevice(1));
	MUST(cudaStreamCreateWithFlags(&second, 0));
	MUST(cudaMallocAsync(&p, 4000, first));
	MUST(cudaDeviceGetDefaultMemPool(&pool, 1));
	MUST(cudaSetDevice(0));
	MUST(cudaMallocAsync(&p, 1000, second));
	MUST(cuMemAllocAsync((CUdeviceptr *)&p, 2000, second));
	MUST(cudaMallocFromPoolAsync(&p, 8000, pool, first));
	MUST(cudaStreamDestroy(second));
	for (i = 0, again = NULL; i < 100000 && again != second; i++) {
		if (again)
			MUST(cudaStreamDestroy(again));
		MUST(cuStreamCreate(&again, 0));
	}
	MUST(again != second);
	MUST(cudaMallocAsync(&p, 16000, again));
	return 0;
}

/*
 * CUDA C++ programming guide, unified memory: allocations may be larger than the device's memory;
 * cuda.h, cuMemAllocManaged() says where it may lie.
 */
static int managed(void)
{
	struct cudaMemPoolProps props = { .allocType = 2,
					  .location = { cudaMemLocationTypeDevice, 0 } };
	size_t available, total;
	cudaMemPool_t pool;
	void *p;

	MUST(cudaMemGetInfo(&available, &total));
	MUST(cudaMalloc(&p, 1000));
	MUST(cudaMallocManaged(&p, total / 2, 1));
	MUST(cudaMallocManaged(&p, total / 6 * 5, 1));
	MUST(cudaMemPoolCreate(&pool, &props));
	MUST(cudaMallocFromPoolAsync(&p, 2000, pool, NULL));
	MUST(cudaMemGetInfo(&available, NULL));
	printf("%zu of %zu\n", available, total);
	return 0;
}

/*
 * cuda.h, cuDevicePrimaryCtxRelease(): "automatically reset once the last reference to it is
 * released"; the runtime holds one.
 */
static int primary(void)
{
	CUcontext context;
	CUdeviceptr p;
	void *plain;
	int i;

	MUST(cudaMalloc(&plain, 32 * MIB));
	MUST(cuMemAlloc_v2(&p, 5000));
	for (i = 0; i < 2; i++) {
		MUST(cuDevicePrimaryCtxRetain(&context, 0));
		MUST(cuDevicePrimaryCtxRelease_v2(0));
	}
	MUST(cuMemFree_v2(p));
	MUST(cudaFree(plain));
	return 0;
}

static void kernel(void)
{
}

__attribute__((constructor)) static void register_kernel(void)
{
	static const char image[] = "image";
	void **fatbin = __cudaRegisterFatBinary((void *)(uintptr_t)image);

	__cudaRegisterFunction(fatbin, (const char *)(uintptr_t)kernel,
			       (char *)(uintptr_t) "_Z6kernelv", "_Z6kernelv", -1, NULL, NULL, NULL,
			       NULL, NULL);
	__cudaRegisterFatBinaryEnd(fatbin);
}

static int launching(void)
{
	dim3 one = { 1, 1, 1 };
	void *args[1] = { NULL };
	CUcontext context;
	CUdeviceptr p;

	MUST(cudaLaunchKernel((const void *)(uintptr_t)kernel, one, one, args, 0, NULL));
	MUST(cuDevicePrimaryCtxRetain(&context, 0));
	MUST(cuCtxSetCurrent(context));
	MUST(cuMemAlloc_v2(&p, 5000));
	MUST(cuDevicePrimaryCtxRelease_v2(0));
	MUST(cudaLaunchKernel((const void *)(uintptr_t)kernel, one, one, args, 0, NULL));
	MUST(cuMemFree_v2(p));
	return 0;
}

/*
 * cuda.h, cuCtxSetCurrent(), of NULL: "equivalent to popping the top of the calling CPU thread's
 * CUDA context stack".
 */
static int stack(void)
{
	CUcontext below, own;
	CUdeviceptr p;

	MUST(cuInit(0));
	MUST(cuDevicePrimaryCtxRetain(&below, 0));
	MUST(cuCtxSetCurrent(below));
	MUST(cuCtxCreate_v2(&own, 0, 1));
	MUST(cuMemAlloc_v2(&p, 1000));
	MUST(cuCtxSetCurrent(NULL));
	MUST(cuMemAlloc_v2(&p, 2000));
	MUST(cuCtxSetCurrent(NULL));
	MUST(cuCtxSetCurrent(NULL));
	MUST(cuMemAlloc_v2(&p, 1) != CUDA_ERROR_INVALID_CONTEXT);
	MUST(cuCtxSetCurrent(own));
	MUST(cuMemAlloc_v2(&p, 4000));
	return 0;
}

/* cuda.h, cuCtxAttach(), cuCtxDetach(): a count of uses, the last of which destroys the context. */
static int attach(void)
{
	CUcontext own, again;
	CUdeviceptr p;

	MUST(cuInit(0));
	MUST(cuCtxCreate_v2(&own, 0, 1));
	MUST(cuMemAlloc_v2(&p, 1000));
	MUST(cuCtxAttach(&again, 0));
	MUST(cuCtxDetach(again));
	MUST(cuMemAlloc_v2(&p, 2000));
	MUST(cuCtxDetach(own));
	return 0;
}

/* driver_types.h, cudaErrorIllegalAddress: "any further CUDA work will return the same error". */
static int stuck(void)
{
	CUcontext own;
	CUdeviceptr p;
	void *plain;

	MUST(cudaMalloc(&plain, 1000));
	MUST(cuCtxCreate_v2(&own, 0, 0));
	MUST(cuMemAlloc_v2(&p, 2000));
	MUST(cudaDeviceSynchronize() != cudaErrorIllegalAddress);
	MUST(cuMemFree_v2(p) != (CUresult)700);
	MUST(cuCtxDestroy_v2(own) != (CUresult)700);
	MUST(cuDevicePrimaryCtxReset_v2(0) != (CUresult)700);
	MUST(cuDevicePrimaryCtxRelease_v2(0) != (CUresult)700);
	MUST(cudaDeviceReset() != cudaErrorIllegalAddress);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	if (!strcmp(what, "survive") || !strcmp(what, "kept"))
		return survive(!strcmp(what, "survive"));
	if (!strcmp(what, "own"))
		return own();
	if (!strcmp(what, "streams"))
		return streams();
	if (!strcmp(what, "managed"))
		return managed();
	if (!strcmp(what, "primary"))
		return primary();
	if (!strcmp(what, "launching"))
		return launching();
	if (!strcmp(what, "stack"))
		return stack();
	if (!strcmp(what, "attach"))
		return attach();
	if (!strcmp(what, "stuck"))
		return stuck();
	fputs("usage: book_calls survive|kept|own|streams|managed|primary|launching|stack|attach|stuck\n",
	      stderr);
	return 2;
}
