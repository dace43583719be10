// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allocation and freeing, pools, pointers and IPC.  As in NVIDIA's runtime a
 * size of zero succeeds with a null pointer, and freeing null is nothing;
 * neither reaches the driver.
 */
#include <string.h>
#include "runtime.h"

#define NEED(ptr) \
	do { \
		if (!(ptr)) \
			return rt_fail(cudaErrorInvalidValue); \
	} while (0)

#define NOTHING(ptr, size) \
	do { \
		NEED(ptr); \
		*(ptr) = NULL; \
		if (!(size)) \
			return cudaSuccess; \
	} while (0)

API cudaError_t cudaMalloc(void **ptr, size_t size)
{
	ENTER();
	NOTHING(ptr, size);
	return rt_done(cuMemAlloc_v2((CUdeviceptr *)ptr, size));
}

API cudaError_t cudaMallocManaged(void **ptr, size_t size, unsigned int flags)
{
	ENTER();
	NOTHING(ptr, size);
	return rt_done(cuMemAllocManaged((CUdeviceptr *)ptr, size, flags));
}

API cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
	ENTER();
	NEED(pitch);
	NOTHING(ptr, width && height);
	return rt_done(cuMemAllocPitch_v2((CUdeviceptr *)ptr, pitch, width, height, 4));
}

API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *ptr, struct cudaExtent extent)
{
	ENTER();
	NEED(ptr);
	memset(ptr, 0, sizeof(*ptr));
	ptr->xsize = extent.width;
	ptr->ysize = extent.height;
	NOTHING(&ptr->ptr, extent.width && extent.height && extent.depth);
	return rt_done(cuMemAllocPitch_v2((CUdeviceptr *)&ptr->ptr, &ptr->pitch, extent.width,
					  extent.height * extent.depth, 4));
}

API cudaError_t cudaMallocHost(void **ptr, size_t size)
{
	ENTER();
	NOTHING(ptr, size);
	return rt_done(cuMemHostAlloc(ptr, size, 0));
}

API cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned int flags)
{
	ENTER();
	NOTHING(ptr, size);
	return rt_done(cuMemHostAlloc(ptr, size, flags));
}

API cudaError_t cudaFree(void *ptr)
{
	ENTER();
	if (!ptr)
		return cudaSuccess;
	return rt_done(cuMemFree_v2((uintptr_t)ptr));
}

API cudaError_t cudaFreeHost(void *ptr)
{
	ENTER();
	if (!ptr)
		return cudaSuccess;
	return rt_done(cuMemFreeHost(ptr));
}

API cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
	ENTER();
	return rt_done(cuMemHostRegister_v2(ptr, size, flags));
}

API cudaError_t cudaHostUnregister(void *ptr)
{
	ENTER();
	return rt_done(cuMemHostUnregister(ptr));
}

API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
	ENTER();
	return rt_done(cuMemHostGetDevicePointer_v2((CUdeviceptr *)device, host, flags));
}

API cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
	ENTER();
	return rt_done(cuMemGetInfo_v2(available, total));
}

API cudaError_t cudaMemAdvise(const void *ptr, size_t count, int advice,
			      struct cudaMemLocation where)
{
	ENTER();
	return rt_done(cuMemAdvise_v2((uintptr_t)ptr, count, advice,
				      (CUmemLocation){ (int)where.type, where.id }));
}

API cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
	ENTER();
	return rt_done(cuMemPoolCreate(pool, (const CUmemPoolProps *)props));
}

API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	ENTER();
	return rt_done(cuMemPoolDestroy(pool));
}

API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	ENTER();
	return rt_done(cuMemPoolTrimTo(pool, keep));
}

API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *value)
{
	ENTER();
	return rt_done(cuMemPoolSetAttribute(pool, attribute, value));
}

API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *value)
{
	ENTER();
	return rt_done(cuMemPoolGetAttribute(pool, attribute, value));
}

API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
				     size_t count)
{
	ENTER();
	return rt_done(cuMemPoolSetAccess(pool, (const CUmemAccessDesc *)list, count));
}

/* A pointer CUDA does not know is no error: its type is "unregistered". */
API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attr, const void *ptr)
{
	int what[] = { 2, 8, 9, 3, 4 };
	unsigned int type = 0, managed = 0;
	CUdeviceptr device = 0, host = 0;
	int ordinal = -2;
	void *data[] = { &type, &managed, &ordinal, &device, &host };
	CUresult err;

	ENTER();
	NEED(attr);
	err = cuPointerGetAttributes(5, what, data, (uintptr_t)ptr);
	if (err)
		return rt_done(err);
	/* CUDA 13 added the last member: programs that were built with an older one have no room for it. */
	memset(attr, 0,
	       DOUBLE_CUDA >= 13000 ? sizeof(*attr) :
				      offsetof(struct cudaPointerAttributes, reserved));
	attr->type = managed                      ? cudaMemoryTypeManaged :
		     type == CU_MEMORYTYPE_HOST   ? cudaMemoryTypeHost :
		     type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice :
						    cudaMemoryTypeUnregistered;
	attr->device = ordinal;
	attr->devicePointer = (void *)(uintptr_t)device;
	attr->hostPointer = type ? (void *)(uintptr_t)host : (void *)(uintptr_t)ptr;
	return cudaSuccess;
}

API cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *ptr)
{
	ENTER();
	return rt_done(cuIpcGetMemHandle((CUipcMemHandle *)handle, (uintptr_t)ptr));
}

API cudaError_t cudaIpcOpenMemHandle(void **ptr, cudaIpcMemHandle_t handle, unsigned int flags)
{
	CUipcMemHandle h;

	ENTER();
	memcpy(&h, &handle, sizeof(h));
	return rt_done(cuIpcOpenMemHandle_v2((CUdeviceptr *)ptr, h, flags));
}

API cudaError_t cudaIpcCloseMemHandle(void *ptr)
{
	ENTER();
	return rt_done(cuIpcCloseMemHandle((uintptr_t)ptr));
}

API cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
	ENTER();
	return rt_done(cuIpcGetEventHandle((CUipcEventHandle *)handle, event));
}

API cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
	CUipcEventHandle h;

	ENTER();
	memcpy(&h, &handle, sizeof(h));
	return rt_done(cuIpcOpenEventHandle(event, h));
}
