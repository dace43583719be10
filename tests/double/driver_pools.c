// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory pools and what pointers say about themselves.  A pool here is a name
 * for accounting; its memory comes from the device like any other.
 */
#include <string.h>
#include "driver.h"

static struct pool *pool_get(CUmemoryPool handle)
{
	int i;

	for (i = 0; i < num_devices; i++)
		if ((void *)handle == &devices[i].default_pool)
			return &devices[i].default_pool;
	return object_check(&pools, handle);
}

API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice dev)
{
	ENTER();
	if (!device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	*pool = (CUmemoryPool)&devices[dev].default_pool;
	return CUDA_SUCCESS;
}

API CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
	ENTER();
	if (!device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	*pool = (CUmemoryPool)devices[dev].pool;
	return CUDA_SUCCESS;
}

API CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props)
{
	struct device *device;
	struct pool *pool;
	CUresult err;

	ENTER();
	if (!out || !props)
		return CUDA_ERROR_INVALID_VALUE;
	err = device_at(&props->location, &device);
	if (err)
		return err;
	pool = object_new(&pools);
	if (!pool)
		return CUDA_ERROR_OUT_OF_MEMORY;
	pool->device = device;
	*out = (CUmemoryPool)pool;
	return CUDA_SUCCESS;
}

/* What was allocated from it stays allocated, so its slot is not reused. */
API CUresult cuMemPoolDestroy(CUmemoryPool handle)
{
	struct pool *pool;

	ENTER();
	pool = object_check(&pools, handle);
	if (!pool)
		return CUDA_ERROR_INVALID_VALUE;
	if (pool->device->pool == pool)
		pool->device->pool = &pool->device->default_pool;
	atomic_store(&pool->object.alive, 0);
	return CUDA_SUCCESS;
}

API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	(void)keep;
	ENTER();
	return pool_get(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemPoolSetAttribute(CUmemoryPool handle, int attribute, void *value)
{
	struct pool *pool;

	ENTER();
	pool = pool_get(handle);
	if (!pool || !value)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute == 4)
		memcpy(&pool->threshold, value, sizeof(pool->threshold));
	return CUDA_SUCCESS;
}

API CUresult cuMemPoolGetAttribute(CUmemoryPool handle, int attribute, void *value)
{
	struct pool *pool;
	uint64_t number;

	ENTER();
	pool = pool_get(handle);
	if (!pool || !value || attribute < 1 || attribute > 8)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute < 4) {
		*(int *)value = 1;
		return CUDA_SUCCESS;
	}
	number = attribute == 4 ? pool->threshold : attribute & 1 ? pool->used : pool->used_high;
	memcpy(value, &number, sizeof(number));
	return CUDA_SUCCESS;
}

API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
	(void)map, (void)count;
	ENTER();
	return pool_get(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult pointer_attribute(void *data, int attribute, CUdeviceptr ptr)
{
	struct context *ctx = current_context;
	uintptr_t base = 0;
	bool managed = false, host = false;
	size_t size = 0;
	struct block *b;

	pthread_mutex_lock(&memory_lock);
	b = memory_find(ptr, NULL);
	if (b) {
		base = b->base;
		size = b->requested;
		managed = b->kind == MEMORY_MANAGED;
		host = b->kind == MEMORY_HOST;
		if (b->ctx)
			ctx = b->ctx;
	}
	pthread_mutex_unlock(&memory_lock);
	if (!b) {
		host = host_registered(ptr, &base, &size);
		if (!host)
			return CUDA_ERROR_INVALID_VALUE;
	}
	switch (attribute) {
	case 1: *(CUcontext *)data = (CUcontext)ctx; break;
	case 2: *(unsigned int *)data = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE; break;
	case 3:
	case 4:
		if (attribute == 4 && !host && !managed)
			return CUDA_ERROR_INVALID_VALUE;
		*(CUdeviceptr *)data = ptr;
		break;
	case 7:
	case 20: *(unsigned long long *)data = base; break;
	case 8: *(unsigned int *)data = managed; break;
	case 9: *(int *)data = ctx ? ctx->device->index : 0; break;
	case 11:
	case 19: *(CUdeviceptr *)data = base; break;
	case 12:
	case 18: *(size_t *)data = size; break;
	case 13: *(bool *)data = true; break;
	default: *(unsigned int *)data = 0;
	}
	return CUDA_SUCCESS;
}

API CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr ptr)
{
	ENTER();
	return data ? pointer_attribute(data, attribute, ptr) : CUDA_ERROR_INVALID_VALUE;
}

/* Unlike the single form this one succeeds for unknown pointers, with zeroes. */
API CUresult cuPointerGetAttributes(unsigned int num, int *attributes, void **data, CUdeviceptr ptr)
{
	unsigned int i;

	ENTER();
	for (i = 0; i < num; i++)
		if (pointer_attribute(data[i], attributes[i], ptr))
			switch (attributes[i]) {
			case 1:
			case 3:
			case 4:
			case 7:
			case 11:
			case 12: *(uint64_t *)data[i] = 0; break;
			case 9: *(int *)data[i] = -2; break;
			default: *(unsigned int *)data[i] = 0;
			}
	return CUDA_SUCCESS;
}
