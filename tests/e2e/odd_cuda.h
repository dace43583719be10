/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CUDA runtime and driver that odd_memory has of its own: they do nothing, and write a handle
 * where one is asked for. odd_cuda.c defines ODD_CUDA_HERE: they are in it.
 */
#ifndef ODD_CUDA_H
#define ODD_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_double.h"
#include "cuda_double_driver.h"
#include "program.h"

#define SPACE ((CUdeviceptr)0x7f0000000000)
#define HEAP  0x555500000000ul

extern unsigned long given; /* what functions write */

#pragma GCC diagnostic ignored "-Wunused-parameter"
#ifdef ODD_CUDA_HERE
void put(void *p);

/* At -O0 each begins with a push. */
#define RUNTIME(name, args, out) \
	OPAQUE cudaError_t name args \
	{ \
		put(out); \
		return cudaSuccess; \
	}
#define DRIVER(name, args, out) \
	OPAQUE CUresult name args \
	{ \
		put(out); \
		return CUDA_SUCCESS; \
	}
#else
#define RUNTIME(name, args, out) cudaError_t name args;
#define DRIVER(name, args, out)  CUresult name args;
#endif

DRIVER(cuMemCreate,
       (CUmemGenericAllocationHandle * handle, size_t size, const CUmemAllocationProp *prop,
	unsigned long long flags),
       handle)
DRIVER(cuMemRelease, (CUmemGenericAllocationHandle handle), NULL)
DRIVER(cuMemMap,
       (CUdeviceptr at, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
	unsigned long long flags),
       NULL)
DRIVER(cuMemUnmap, (CUdeviceptr at, size_t size), NULL)
DRIVER(cuMemImportFromShareableHandle,
       (CUmemGenericAllocationHandle * handle, void *shareable, int type), handle)
DRIVER(cuMulticastCreate, (CUmemGenericAllocationHandle * handle, const void *prop), handle)
DRIVER(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device), context)
DRIVER(cuDevicePrimaryCtxRelease_v2, (CUdevice device), NULL)
DRIVER(cuDevicePrimaryCtxReset_v2, (CUdevice device), NULL)
DRIVER(cuModuleUnload, (CUmodule module), NULL)
DRIVER(cuCtxSetCurrent, (CUcontext context), NULL)
DRIVER(cuCtxCreate_v2, (CUcontext * context, unsigned int flags, CUdevice device), context)
DRIVER(cuMemcpyPeer, (CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t size),
       NULL)
DRIVER(cuMemcpyPeerAsync,
       (CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t size,
	CUstream stream),
       NULL)
DRIVER(cuMemcpy3DPeer, (const CUDA_MEMCPY3D *box), NULL)
DRIVER(cuGLCtxCreate_v2, (CUcontext * context, unsigned int flags, CUdevice device), context)
DRIVER(cuCtxDestroy_v2, (CUcontext context), NULL)
DRIVER(cuGreenCtxCreate, (void **green, void *resources, CUdevice device, unsigned int flags),
       green)
DRIVER(cuGreenCtxDestroy, (void *green), NULL)
DRIVER(cuCtxFromGreenCtx, (CUcontext * context, void *green), context)
DRIVER(cuMemAlloc_v2, (CUdeviceptr * p, size_t size), p)
DRIVER(cuMemHostAlloc, (void **p, size_t size, unsigned int flags), p)
DRIVER(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void *src, size_t size, CUstream stream), NULL)
DRIVER(cuCtxSynchronize, (void), NULL)
DRIVER(cuLaunchKernel,
       (CUfunction function, unsigned int x, unsigned int y, unsigned int z, unsigned int width,
	unsigned int height, unsigned int depth, unsigned int shared, CUstream stream, void **args,
	void **extra),
       NULL)
#ifdef ODD_CUDA_HERE
/* What was launched has failed. */
OPAQUE CUresult cuStreamSynchronize(CUstream stream)
{
	put(NULL);
	return (CUresult)700;
}
#else
CUresult cuStreamSynchronize(CUstream stream);
#endif
DRIVER(cuCtxPushCurrent_v2, (CUcontext context), NULL)
DRIVER(cuCtxPopCurrent_v2, (CUcontext * context), NULL)
DRIVER(cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *desc), array)
DRIVER(cuMipmappedArrayCreate,
       (CUmipmappedArray * array, const CUDA_ARRAY3D_DESCRIPTOR *desc, unsigned int levels), array)
RUNTIME(cudaMallocArray,
	(cudaArray_t * array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
	 unsigned int flags),
	array)
RUNTIME(cudaMalloc3DArray,
	(cudaArray_t * array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
	 unsigned int flags),
	array)
RUNTIME(cudaMallocMipmappedArray,
	(cudaMipmappedArray_t * array, const struct cudaChannelFormatDesc *desc,
	 struct cudaExtent extent, unsigned int levels, unsigned int flags),
	array)
RUNTIME(cudaFreeMipmappedArray, (cudaMipmappedArray_t array), NULL)
RUNTIME(cudaExternalMemoryGetMappedMipmappedArray,
	(cudaMipmappedArray_t * array, void *memory, const void *desc), array)
RUNTIME(cudaMemPoolCreate, (cudaMemPool_t * pool, const struct cudaMemPoolProps *props), pool)
RUNTIME(cudaMemGetDefaultMemPool, (cudaMemPool_t * pool, struct cudaMemLocation *where, int type),
	pool)
RUNTIME(cudaMallocFromPoolAsync, (void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream),
	p)
RUNTIME(cudaMalloc, (void **p, size_t size), p)
RUNTIME(cudaMallocManaged, (void **p, size_t size, unsigned int flags), p)
RUNTIME(cudaHostRegister, (void *p, size_t size, unsigned int flags), NULL)
RUNTIME(cudaMemcpy, (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind), NULL)
RUNTIME(cudaMemcpyAsync,
	(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream),
	NULL)

/* As in CUDA 12: where the number of a copy that fails goes is gone in 13. */
RUNTIME(cudaMemcpyBatchAsync,
	(void **dsts, void **srcs, size_t *sizes, size_t count, void *attributes, size_t *indices,
	 size_t attribute_count, size_t *failed, cudaStream_t stream),
	NULL)
RUNTIME(cudaMemcpy3DBatchAsync,
	(size_t count, void *operations, size_t *failed, unsigned long long flags,
	 cudaStream_t stream),
	NULL)

RUNTIME(cudaMemcpyWithAttributesAsync,
	(void *dst, const void *src, size_t size, void *attributes, cudaStream_t stream), NULL)
RUNTIME(cudaMemcpy3DWithAttributesAsync,
	(void *operation, unsigned long long flags, cudaStream_t stream), NULL)
DRIVER(cuMemcpyWithAttributesAsync,
       (CUdeviceptr dst, CUdeviceptr src, size_t size, void *attributes, CUstream stream), NULL)
DRIVER(cuMemcpy3DWithAttributesAsync, (void *operation, unsigned long long flags, CUstream stream),
       NULL)

RUNTIME(cudaStreamBeginCapture, (cudaStream_t stream, int mode), NULL)
RUNTIME(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), graph)
RUNTIME(cudaGetSymbolAddress, (void **p, const void *symbol), p)
RUNTIME(cudaGLMapBufferObject, (void **p, unsigned int buffer), p)
RUNTIME(cudaGetMipmappedArrayLevel,
	(cudaArray_t * array, cudaMipmappedArray_const_t of, unsigned int level), array)
DRIVER(cuMipmappedArrayGetLevel, (CUarray * array, CUmipmappedArray of, unsigned int level), array)
RUNTIME(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *params, cudaStream_t stream), NULL)
CUresult cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *size, CUmodule module, const char *name);
CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *p, size_t *size, void *resource);
CUresult cuGLMapBufferObject_v2(CUdeviceptr *p, size_t *size, unsigned int buffer);

/* Scenarios in odd_copies.c */
int batches(void);
int directions(void);
int late(void);
int peers(void);
int green_synchronize(bool primary);

#endif
