/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library that stands before the driver, as layers do that share a GPU among
 * containers: preloaded, it has functions of the driver's names, which call the
 * real ones. How, $SHIM says; it makes the file $SHIM_SEEN.
 *
 *   call     (default) by a call, and does something after it
 *   jump     by a jump: the real function has the very same stack pointer
 *   other    by another function: managed memory for device memory, cuLaunchKernelEx for cuLaunchKernel
 *   refuse   not at all, from the 100th launch and the 10th allocation on
 *
 * Built with RUNTIME it stands before the runtime in the same way.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_double.h"
#include "cuda_double_driver.h"

enum how { HOW_CALL, HOW_JUMP, HOW_OTHER, HOW_REFUSE };

static enum how how;
static volatile int work; /* what comes after a call, so that it is none by a jump */
static volatile int launches, allocations;

__attribute__((constructor)) static void how_read(void)
{
	static const char *const names[] = { "call", "jump", "other", "refuse" };
	const char *said = getenv("SHIM"), *seen = getenv("SHIM_SEEN");
	FILE *out = seen ? fopen(seen, "w") : NULL;
	int i;

	if (out)
		fclose(out);

	for (i = 0; said && i < 4; i++)
		if (!strcmp(said, names[i]))
			how = (enum how)i;
}

static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

/* The real function, looked up once. */
#define REAL(name) \
	({ \
		static __typeof__(&name) real_; \
		if (!real_) \
			real_ = (__typeof__(&name))next(#name); \
		real_; \
	})

/* By a jump where that is how: the compiler makes one of it. */
#define PASS(name, ...) \
	do { \
		int result_; \
\
		if (how == HOW_JUMP) \
			return REAL(name)(__VA_ARGS__); \
		result_ = REAL(name)(__VA_ARGS__); \
		work++; \
		return result_; \
	} while (0)

#define API __attribute__((visibility("default")))

#ifdef RUNTIME

API cudaError_t cudaMalloc(void **memory, size_t size)
{
	if (how == HOW_REFUSE && ++allocations > 10)
		return 2; /* cudaErrorMemoryAllocation */
	if (how == HOW_OTHER)
		return REAL(cudaMallocManaged)(memory, size, 1);
	PASS(cudaMalloc, memory, size);
}

API cudaError_t cudaFree(void *memory)
{
	PASS(cudaFree, memory);
}

API cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	PASS(cudaMemcpy, to, from, size, kind);
}

API cudaError_t cudaDeviceSynchronize(void)
{
	PASS(cudaDeviceSynchronize);
}

API cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
				 size_t shared, cudaStream_t stream)
{
	if (how == HOW_REFUSE && ++launches > 100)
		return 701; /* cudaErrorLaunchOutOfResources */
	PASS(cudaLaunchKernel, function, grid, block, args, shared, stream);
}

#else

API CUresult cuMemAlloc_v2(CUdeviceptr *memory, size_t size)
{
	if (how == HOW_REFUSE && ++allocations > 10)
		return 2; /* CUDA_ERROR_OUT_OF_MEMORY */
	if (how == HOW_OTHER)
		return REAL(cuMemAllocManaged)(memory, size, 1);
	PASS(cuMemAlloc_v2, memory, size);
}

API CUresult cuMemFree_v2(CUdeviceptr memory)
{
	PASS(cuMemFree_v2, memory);
}

API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
	PASS(cuMemcpyHtoD_v2, to, from, size);
}

API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
	PASS(cuMemcpyDtoH_v2, to, from, size);
}

API CUresult cuCtxSynchronize_v2(CUcontext context)
{
	PASS(cuCtxSynchronize_v2, context);
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	PASS(cuDevicePrimaryCtxRetain, context, device);
}

API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	PASS(cuDevicePrimaryCtxRelease_v2, device);
}

API CUresult cuLaunchKernel(CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz,
			    unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
			    CUstream stream, void **params, void **extra)
{
	if (how == HOW_REFUSE && ++launches > 100)
		return 701; /* CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES */
	if (how == HOW_OTHER) {
		CUlaunchConfig config = { gx, gy, gz, bx, by, bz, shared, stream, NULL, 0 };

		return REAL(cuLaunchKernelEx)(&config, function, params, extra);
	}
	PASS(cuLaunchKernel, function, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
}

#endif
