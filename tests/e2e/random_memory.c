// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random allocations of every kind, by either layer; frees by the other as well, of nothing, twice,
 * and of what is none. Left out, since cutop says that it cannot see them: those of graphs.
 */
#include <string.h>
#include "random_calls.h"

#define LAYERED 1  /* cudaArrayLayered, CUDA_ARRAY3D_LAYERED */
#define PLACES  16 /* for registered memory, in the second half of host_memory */

cudaStream_t any_stream(void)
{
	cudaStream_t fit[STREAMS];
	size_t i, count = 0;

	for (i = 0; i < self->stream_count; i++)
		if (self->streams[i].context == self->context &&
		    self->streams[i].device == self->device)
			fit[count++] = self->streams[i].stream;
	if (count && !one_in(3))
		return fit[any(count)];
	/* The default one: as the function says, legacy, per thread */
	return (cudaStream_t)(uintptr_t)any(3);
}

static size_t any_size(void)
{
	switch (any(8)) {
	case 0: return 0;
	case 1: return 1 + any(16);
	case 2: return 1 + any(4 << 20);
	default: return 1 + any(5000);
	}
}

/* ---- device, managed and host memory ---- */

#define ALLOCATED(call_, code_, kind_, way_, address_, bytes_) \
	note_allocation(call_, code_, \
			(struct allocation){ .address = (uint64_t)(uintptr_t)(address_), \
					     .bytes = bytes_, \
					     .kind = kind_, \
					     .way = way_, \
					     .device = self->device, \
					     .context = self->context })

static void allocate_plain(void)
{
	size_t size = any_size(), pitch = 0, height = any(20);
	struct cudaPitchedPtr pitched = { 0 };
	struct cudaExtent extent = { any(700), any(9), any(5) };
	CUdeviceptr at = 0;
	void *p = NULL;
	int code;

	switch (any(9)) {
	case 0:
		code = CALL(cudaMalloc, &p, size);
		ALLOCATED("cudaMalloc", code, KIND_DEVICE, BY_FREE, p, size);
		break;
	case 1:
		code = CALL(cudaMallocManaged, &p, size, 1);
		ALLOCATED("cudaMallocManaged", code, KIND_MANAGED, BY_FREE, p, size);
		break;
	case 2:
		code = CALL(cudaMallocPitch, &p, &pitch, size, height);
		ALLOCATED("cudaMallocPitch", code, KIND_DEVICE, BY_FREE, p, pitch * height);
		break;
	case 3:
		code = CALL(cudaMalloc3D, &pitched, extent);
		ALLOCATED("cudaMalloc3D", code, KIND_DEVICE, BY_FREE, pitched.ptr,
			  pitched.pitch * extent.height * extent.depth);
		break;
	case 4:
		code = CALL(cuMemAlloc_v2, &at, size);
		ALLOCATED("cuMemAlloc_v2", code, KIND_DEVICE, BY_FREE, at, size);
		break;
	case 5:
		code = CALL(cuMemAllocManaged, &at, size, (unsigned int)any(4));
		ALLOCATED("cuMemAllocManaged", code, KIND_MANAGED, BY_FREE, at, size);
		break;
	case 6:
		code = CALL(cuMemAllocPitch_v2, &at, &pitch, size, height, 8);
		ALLOCATED("cuMemAllocPitch_v2", code, KIND_DEVICE, BY_FREE, at, pitch * height);
		break;
	case 7: /* more than there is */
		code = CALL(cudaMalloc, &p, (size_t)1 << 50);
		ALLOCATED("cudaMalloc", code, KIND_DEVICE, BY_FREE, p, 0);
		break;
	default:
		code = CALL(cudaMalloc, NULL, size);
		ALLOCATED("cudaMalloc", code, KIND_DEVICE, BY_FREE, p, 0);
	}
}

static void allocate_host(void)
{
	size_t size = any_size();
	char *place;
	void *p = NULL;
	int code;

	switch (any(6)) {
	case 0:
		code = CALL(cudaMallocHost, &p, size);
		ALLOCATED("cudaMallocHost", code, KIND_PINNED, BY_HOST, p, size);
		break;
	case 1:
		code = CALL(cudaHostAlloc, &p, size, (unsigned int)any(8));
		ALLOCATED("cudaHostAlloc", code, KIND_PINNED, BY_HOST, p, size);
		break;
	case 2:
		code = CALL(cuMemHostAlloc, &p, size, (unsigned int)any(10));
		ALLOCATED("cuMemHostAlloc", code, KIND_PINNED, BY_HOST, p, size);
		break;
	case 3:
		code = CALL(cuMemAllocHost_v2, &p, size);
		ALLOCATED("cuMemAllocHost_v2", code, KIND_PINNED, BY_HOST, p, size);
		break;
	default:
		if (!self->alone)
			return; /* the places are everybody's */
		place = host_memory + sizeof(host_memory) / 2 + 4096 * any(PLACES);
		size = any(4097);
		if (one_in(2)) {
			code = CALL(cudaHostRegister, place, size, 0);
			ALLOCATED("cudaHostRegister", code, KIND_REGISTERED, BY_REGISTER, place,
				  size);
		} else {
			code = CALL(cuMemHostRegister_v2, place, size, 0);
			ALLOCATED("cuMemHostRegister_v2", code, KIND_REGISTERED, BY_REGISTER, place,
				  size);
		}
	}
}

/* ---- in a stream's order ---- */

static void allocate_async(void)
{
	struct pool *pool = self->pool_count && one_in(2) ? &self->pools[any(self->pool_count)] :
							    NULL;
	int device = self->device, code;
	cudaStream_t stream = any_stream();
	size_t size = any_size();
	const char *call;
	CUdeviceptr at = 0;
	void *p = NULL;

	/*
	 * cuda.h, cuMemAllocAsync(): it comes from the pool of the stream's device, whatever the
	 * thread's is.
	 */
	if (self->stream_count && one_in(2)) {
		const struct stream *other = &self->streams[any(self->stream_count)];

		stream = other->stream;
		device = other->device;
	}
#define ASYNC(function, ...) (call = #function, CALL(function, __VA_ARGS__))
	switch (any(4) + (pool ? 4 : 0)) {
	case 0: code = ASYNC(cudaMallocAsync, &p, size, stream); break;
	case 1: code = ASYNC(cudaMallocAsync_ptsz, &p, size, stream); break;
	case 2: code = ASYNC(cuMemAllocAsync, &at, size, stream); break;
	case 3: code = ASYNC(cuMemAllocAsync_ptsz, &at, size, stream); break;
	case 4: code = ASYNC(cudaMallocFromPoolAsync, &p, size, pool->pool, stream); break;
	case 5: code = ASYNC(cudaMallocFromPoolAsync_ptsz, &p, size, pool->pool, stream); break;
	case 6: code = ASYNC(cuMemAllocFromPoolAsync, &at, size, pool->pool, stream); break;
	default: code = ASYNC(cuMemAllocFromPoolAsync_ptsz, &at, size, pool->pool, stream);
	}
#undef ASYNC
	note_allocation(call, code,
			(struct allocation){ .address = p ? (uint64_t)(uintptr_t)p : at,
					     .bytes = size,
					     .kind = KIND_ASYNC,
					     .way = BY_ASYNC,
					     .device = pool ? pool->device : device });
}

void step_pool(void)
{
	struct cudaMemPoolProps props = { .allocType = 1,
					  .location = { cudaMemLocationTypeDevice,
							(int)any((uint64_t)device_count) } };
	struct pool *pool = &self->pools[self->pool_count];
	int code;

	if (self->pool_count == sizeof(self->pools) / sizeof(self->pools[0])) {
		pool = &self->pools[any(self->pool_count)];
		if (!EITHER(cudaMemPoolDestroy, cuMemPoolDestroy, pool->pool))
			*pool = self->pools[--self->pool_count];
		return;
	}
	pool->device = props.location.id;
	switch (any(4)) {
	case 0: code = CALL(cudaMemPoolCreate, &pool->pool, &props); break;
	case 1: code = CALL(cuMemPoolCreate, &pool->pool, (CUmemPoolProps *)&props); break;
	case 2:
		code = EITHER(cudaDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, &pool->pool,
			      pool->device);
		break;
	default: code = EITHER(cudaDeviceGetMemPool, cuDeviceGetMemPool, &pool->pool, pool->device);
	}
	self->pool_count += !code;
}

/* ---- arrays ---- */

static size_t array_bytes(size_t width, size_t height, size_t depth, size_t element,
			  unsigned int levels, unsigned int flags)
{
	size_t bytes = 0;

	while (levels--) {
		bytes += width * (height ? height : 1) * (depth ? depth : 1) * element;
		/* CUDA makes no level below one texel, whatever number is asked for. */
		if (width <= 1 && height <= 1 && (depth <= 1 || flags & LAYERED))
			break;
		width = width > 1 ? width / 2 : 1;
		height = height > 1 ? height / 2 : height;
		if (!(flags & LAYERED))
			depth = depth > 1 ? depth / 2 : depth;
	}
	return bytes;
}

static void allocate_array(void)
{
	static const struct {
		struct cudaChannelFormatDesc desc;
		int format;
		unsigned int channels;
		size_t element;
	} formats[] = {
		{ { 32, 0, 0, 0, cudaChannelFormatKindFloat }, 0x20, 1, 4 },
		{ { 8, 8, 8, 8, cudaChannelFormatKindUnsigned }, 0x01, 4, 4 },
		{ { 16, 16, 0, 0, cudaChannelFormatKindSigned }, 0x09, 2, 4 },
		{ { 32, 32, 32, 32, cudaChannelFormatKindFloat }, 0x20, 4, 16 },
		{ { 8, 0, 0, 0, cudaChannelFormatKindUnsigned }, 0x01, 1, 1 },
	};
	size_t which = any(sizeof(formats) / sizeof(formats[0])), width = any(60), height = any(30),
	       depth = any(5);
	unsigned int levels = 1 + (unsigned int)any(5), flags = one_in(3) ? LAYERED : 0;
	CUDA_ARRAY3D_DESCRIPTOR solid = {
		width, height, depth, formats[which].format, formats[which].channels, flags
	};
	CUDA_ARRAY_DESCRIPTOR flat = { width, height, formats[which].format,
				       formats[which].channels };
	struct allocation a = { .kind = KIND_ARRAY,
				.way = BY_ARRAY,
				.device = self->device,
				.context = self->context,
				.width = width,
				.height = height,
				.depth = depth,
				.element = formats[which].element };
	struct cudaExtent extent = { width, height, depth };
	const char *call;
	void *p = NULL;
	int code;

	switch (any(6)) {
	case 0:
		call = "cudaMallocArray";
		code = CALL(cudaMallocArray, (cudaArray_t *)&p, &formats[which].desc, width, height,
			    0);
		a.depth = 0;
		break;
	case 1:
		call = "cudaMalloc3DArray";
		code = CALL(cudaMalloc3DArray, (cudaArray_t *)&p, &formats[which].desc, extent,
			    flags);
		break;
	case 2:
		call = "cuArrayCreate_v2";
		code = CALL(cuArrayCreate_v2, (CUarray *)&p, &flat);
		a.depth = 0;
		break;
	case 3:
		call = "cuArray3DCreate_v2";
		code = CALL(cuArray3DCreate_v2, (CUarray *)&p, &solid);
		break;
	case 4:
		call = "cudaMallocMipmappedArray";
		code = CALL(cudaMallocMipmappedArray, (cudaMipmappedArray_t *)&p,
			    &formats[which].desc, extent, levels, flags);
		a.way = BY_MIPMAP;
		break;
	default:
		call = "cuMipmappedArrayCreate";
		code = CALL(cuMipmappedArrayCreate, (CUmipmappedArray *)&p, &solid, levels);
		a.way = BY_MIPMAP;
	}
	a.address = (uint64_t)(uintptr_t)p;
	a.bytes = array_bytes(a.width, a.height, a.depth, a.element,
			      a.way == BY_MIPMAP ? levels : 1, flags);
	note_allocation(call, code, a);
}

void step_allocate(void)
{
	switch (any(8)) {
	case 0:
	case 1:
	case 2: allocate_plain(); break;
	case 3:
	case 4: allocate_host(); break;
	case 5:
	case 6: allocate_async(); break;
	default: allocate_array();
	}
}

/* ---- frees ---- */

static int free_by(enum way way, uint64_t address)
{
	cudaStream_t stream;
	void *p = (void *)(uintptr_t)address;

	switch (way) {
	case BY_HOST: return EITHER(cudaFreeHost, cuMemFreeHost, p);
	case BY_REGISTER: return EITHER(cudaHostUnregister, cuMemHostUnregister, p);
	case BY_ARRAY: return one_in(2) ? CALL(cudaFreeArray, p) : CALL(cuArrayDestroy, p);
	case BY_MIPMAP:
		return one_in(2) ? CALL(cudaFreeMipmappedArray, p) :
				   CALL(cuMipmappedArrayDestroy, p);
	case BY_HANDLE: return CALL(cuMemRelease, address);
	case BY_ASYNC:
		stream = any_stream();
		switch (any(4)) {
		case 0: return CALL(cudaFreeAsync, p, stream);
		case 1: return CALL(cudaFreeAsync_ptsz, p, stream);
		case 2: return CALL(cuMemFreeAsync, address, stream);
		default: return CALL(cuMemFreeAsync_ptsz, address, stream);
		}
	default: return one_in(2) ? CALL(cudaFree, p) : CALL(cuMemFree_v2, address);
	}
}

static void free_one(struct allocation *allocation)
{
	uint64_t address = allocation->address;
	enum way way = allocation->way;

	/* What a stream's order gave may be freed at once. */
	if (way == BY_ASYNC && one_in(3))
		way = BY_FREE;
	note_free(address, free_by(way, address));
}

static struct allocation *any_allocation(void)
{
	size_t i = self->allocation_count ? any(self->allocation_count) : 0;

	return self->allocation_count && !self->allocations[i].ended ? &self->allocations[i] : NULL;
}

void step_free(void)
{
	struct allocation *allocation = any_allocation();

	/* Physical memory goes by calls of its own. */
	if (allocation && allocation->kind != KIND_PHYSICAL)
		free_one(allocation);
}

/*
 * Frees that fail, or are nothing. No array is freed by another kind's function: that is no error
 * that CUDA promises to find.
 */
void step_wrong_free(void)
{
	struct allocation *allocation = any_allocation();
	uint64_t address = 0;
	enum way way = any(WAYS);

	switch (any(5)) {
	case 0: break;
	case 1: address = (uint64_t)(uintptr_t)(host_memory + 1 + any(1000)); break;
	case 2: /* from within */
		if (!allocation)
			return;
		address = allocation->address + 1;
		break;
	case 3:
		if (!allocation || allocation->kind == KIND_ARRAY ||
		    allocation->kind == KIND_PHYSICAL || allocation->way == way ||
		    (allocation->way == BY_ASYNC && way == BY_FREE))
			return;
		address = allocation->address;
		break;
	default:
		if (!self->alone || !self->freed.size)
			return;
		address = self->freed.slots[any(self->freed.size)];
		if (is_taken(address, 1))
			return;
	}
	note_free(address, free_by(way, address));
}

void free_all(void)
{
	size_t i;

	for (i = self->allocation_count; i-- > 0;)
		if (i < self->allocation_count && !self->allocations[i].ended &&
		    self->allocations[i].kind != KIND_PHYSICAL)
			free_one(&self->allocations[i]);
}
