// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The copying itself, shared by every form of copy: all are a box moved
 * between two places, each of which is plain memory or an array.
 */
#include <string.h>
#include "driver.h"

uint64_t copy_bandwidth;

uint64_t copy_time(size_t bytes)
{
	return copy_bandwidth ? (uint64_t)((double)bytes * 1e9 / (double)copy_bandwidth) : 0;
}

enum end { END_PAGEABLE, END_PINNED, END_MANAGED, END_DEVICE };

static enum end end_of(int type, const void *host, CUdeviceptr device)
{
	uintptr_t at = type == CU_MEMORYTYPE_HOST ? (uintptr_t)host : (uintptr_t)device;
	struct arena *arena = NULL;
	struct block *b;

	if (type == CU_MEMORYTYPE_ARRAY)
		return END_DEVICE;
	pthread_mutex_lock(&memory_lock);
	b = memory_find(at, &arena);
	pthread_mutex_unlock(&memory_lock);
	if (!b)
		return host_registered(at, NULL, NULL) ? END_PINNED : END_PAGEABLE;
	return arena == &host_arena    ? END_PINNED :
	       arena == &managed_arena ? END_MANAGED :
					 END_DEVICE;
}

/*
 * cuda_runtime_api.h of CUDA 13.0, API synchronization behavior, synchronous: between device memory and device memory
 * nothing on the host waits; from pageable memory to a device the stream is waited for first, and the call returns once
 * the memory is staged.  All others are done when they return, managed memory's as well (the same section in CUDA 11).
 */
enum copy_wait copy_wait(const CUDA_MEMCPY3D *box)
{
	enum end from = end_of(box->srcMemoryType, box->srcHost, box->srcDevice);
	enum end to = end_of(box->dstMemoryType, box->dstHost, box->dstDevice);

	if (to == END_DEVICE && from == END_DEVICE)
		return WAITS_FOR_NOTHING;
	return to == END_DEVICE && from == END_PAGEABLE ? WAITS_FOR_STAGING : WAITS_FOR_END;
}

struct place {
	char *at;
	size_t pitch, slice;
};

static CUresult resolve(struct place *place, int type, const void *host, CUdeviceptr device,
			CUarray handle, size_t pitch, size_t rows, size_t x, size_t y, size_t z,
			const CUDA_MEMCPY3D *box)
{
	size_t extent;

	if (type == CU_MEMORYTYPE_ARRAY) {
		struct array *array = object_check(&arrays, handle);

		if (!array)
			return CUDA_ERROR_INVALID_HANDLE;
		if (x + box->WidthInBytes > array->width || y + box->Height > array->height ||
		    z + box->Depth > array->depth)
			return CUDA_ERROR_INVALID_VALUE;
		place->at = (char *)array->data;
		place->pitch = array->pitch;
		place->slice = array->pitch * array->height;
	} else {
		place->at = type == CU_MEMORYTYPE_HOST ? (char *)host : (char *)(uintptr_t)device;
		place->pitch = pitch ? pitch : x + box->WidthInBytes;
		place->slice = place->pitch * (rows ? rows : y + box->Height);
		if (place->pitch < x + box->WidthInBytes)
			return CUDA_ERROR_INVALID_VALUE;
	}
	if (!place->at)
		return CUDA_ERROR_INVALID_VALUE;
	place->at += z * place->slice + y * place->pitch + x;
	extent = (box->Depth - 1) * place->slice + (box->Height - 1) * place->pitch +
		 box->WidthInBytes;
	if (type == CU_MEMORYTYPE_DEVICE && !memory_on_device((uintptr_t)place->at, extent, NULL))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult fill_rows(CUdeviceptr dst, size_t pitch, unsigned int value, size_t element, size_t width,
		   size_t height)
{
	size_t x, y, row = width * element;

	if (!row || !height)
		return CUDA_SUCCESS;
	if (height == 1)
		pitch = row;
	if (pitch < row || !memory_on_device(dst, (height - 1) * pitch + row, NULL))
		return CUDA_ERROR_INVALID_VALUE;
	for (y = 0; y < height; y++) {
		char *at = (char *)(uintptr_t)dst + y * pitch;

		if (element == 1)
			memset(at, (int)value, row);
		else
			for (x = 0; x < row; x += element)
				memcpy(at + x, &value, element);
	}
	return CUDA_SUCCESS;
}

CUresult copy_3d(const CUDA_MEMCPY3D *box)
{
	struct place src, dst;
	CUresult err;
	size_t y, z;

	if (!box->WidthInBytes || !box->Height || !box->Depth)
		return CUDA_SUCCESS;
	err = resolve(&src, box->srcMemoryType, box->srcHost, box->srcDevice, box->srcArray,
		      box->srcPitch, box->srcHeight, box->srcXInBytes, box->srcY, box->srcZ, box);
	if (err)
		return err;
	err = resolve(&dst, box->dstMemoryType, box->dstHost, box->dstDevice, box->dstArray,
		      box->dstPitch, box->dstHeight, box->dstXInBytes, box->dstY, box->dstZ, box);
	if (err)
		return err;
	for (z = 0; z < box->Depth; z++)
		for (y = 0; y < box->Height; y++)
			memmove(dst.at + z * dst.slice + y * dst.pitch,
				src.at + z * src.slice + y * src.pitch, box->WidthInBytes);
	return CUDA_SUCCESS;
}
