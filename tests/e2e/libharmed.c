// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A CUDA runtime that does nothing but count its calls: what else happens inside them is the
 * program's, harmed.c.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "harmed.h"

atomic_ulong calls[CALLS];
void (*volatile inside)(void);
void (*volatile inside_copy)(void);

OPAQUE cudaError_t cudaMalloc(void **p, size_t size)
{
	*p = (void *)(0x700000000000 + 4096 * atomic_fetch_add(&calls[MALLOC], 1));
	__asm__ volatile("" : : "r"(size) : "memory");
	return cudaSuccess;
}

OPAQUE cudaError_t cudaFree(void *p)
{
	atomic_fetch_add(&calls[FREE], 1);
	__asm__ volatile("" : : "r"(p) : "memory");
	return cudaSuccess;
}

OPAQUE cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
	atomic_fetch_add(&calls[MEMCPY], 1);
	if (inside_copy)
		inside_copy();
	__asm__ volatile("" : : "r"(dst), "r"(src), "r"(count), "r"(kind) : "memory");
	return cudaSuccess;
}

OPAQUE cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args,
				    size_t shared, cudaStream_t stream)
{
	atomic_fetch_add(&calls[LAUNCH], 1);
	__asm__ volatile(""
			 :
			 : "r"(func), "r"(args), "r"(shared), "r"(stream), "r"(grid.x), "r"(block.x)
			 : "memory");
	return cudaSuccess;
}

OPAQUE cudaError_t cudaDeviceSynchronize(void)
{
	atomic_fetch_add(&calls[SYNC], 1);
	if (inside)
		inside();
	__asm__ volatile("" : : : "memory");
	return cudaSuccess;
}

OPAQUE void __cudaRegisterFunction(void **image, const char *stub, char *function, const char *name,
				   int limit, void *tid, void *bid, dim3 *block, dim3 *grid,
				   int *size)
{
	__asm__ volatile(""
			 :
			 : "r"(image), "r"(stub), "r"(function), "r"(name), "r"(limit), "r"(tid),
			   "r"(bid), "r"(block), "r"(grid), "r"(size)
			 : "memory");
}
