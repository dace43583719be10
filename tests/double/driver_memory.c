// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Device, managed and pinned memory, and the host memory that a program
 * registered.  Which arena an address lies in says what it is; the block it
 * lies in says which allocation and whose.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "driver.h"

struct arena managed_arena, host_arena, virtual_arena;

#define PITCH_ALIGN 512
#define BIG         ((size_t)1 << 20)

struct registration {
	struct registration *next;
	uintptr_t base;
	size_t size;
	unsigned int flags;
	struct context *ctx;
};

static struct registration *registrations;

static struct arena *arena_of(uintptr_t at)
{
	int i;

	for (i = 0; i < num_devices; i++)
		if (at - devices[i].arena.base < devices[i].arena.size)
			return &devices[i].arena;
	if (at - managed_arena.base < managed_arena.size)
		return &managed_arena;
	if (at - host_arena.base < host_arena.size)
		return &host_arena;
	if (at - virtual_arena.base < virtual_arena.size)
		return &virtual_arena;
	return NULL;
}

struct block *memory_find(uintptr_t at, struct arena **arena)
{
	struct arena *a = arena_of(at);
	struct block *b = a ? arena_find(a, at) : NULL;

	if (arena)
		*arena = a;
	return b && b->kind != MEMORY_FREE ? b : NULL;
}

/*
 * Managed memory is the host's until it is used, and there may be more of it than a device has: it
 * takes nothing here.
 */
static bool on_device(enum memory_kind kind)
{
	return kind != MEMORY_HOST && kind != MEMORY_MANAGED;
}

static size_t weight(const struct block *b)
{
	return on_device(b->kind) && b->kind != MEMORY_IPC && b->kind != MEMORY_GRAPH ? b->size : 0;
}

CUresult memory_alloc(struct context *ctx, enum memory_kind kind, size_t size, struct pool *pool,
		      uintptr_t *out)
{
	struct device *device = pool ? pool->device : ctx->device;
	struct arena *arena = kind == MEMORY_HOST    ? &host_arena :
			      kind == MEMORY_MANAGED ? &managed_arena :
						       &device->arena;
	size_t rounded = (size + 255) & ~(size_t)255;
	CUresult err = CUDA_ERROR_OUT_OF_MEMORY;
	struct block *b = NULL;

	if (!size)
		return CUDA_ERROR_INVALID_VALUE;
	/*
	 * What a pool gives is its device's, whatever thread asks; what belongs to no context is
	 * listed under the primary one.
	 */
	if (pool || kind == MEMORY_ASYNC)
		ctx = &device->primary;
	pthread_mutex_lock(&memory_lock);
	if (rounded >= size && (!on_device(kind) || rounded <= device->total - device->used))
		b = arena_alloc(arena, rounded,
				kind == MEMORY_IPC ? 4096 :
				size >= BIG        ? 512 :
						     256);
	if (b) {
		b->kind = kind;
		b->requested = size;
		b->ctx = ctx;
		b->pool = pool;
		b->flags = 0;
		device->used += weight(b);
		if (pool) {
			pool->used += size;
			if (pool->used > pool->used_high)
				pool->used_high = pool->used;
		}
		*out = b->base;
		err = CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&memory_lock);
	return err;
}

static void release(struct arena *arena, struct block *b)
{
	struct device *device = b->pool ? b->pool->device : b->ctx->device;

	device->used -= weight(b);
	if (b->pool)
		b->pool->used -= b->requested;
	if (b->kind == MEMORY_IPC)
		ipc_release(b);
	if (b->kind == MEMORY_GRAPH && b->flags)
		device->graph_memory.used -= b->size;
	arena_free(arena, b);
}

CUresult memory_free(uintptr_t at, unsigned int kinds)
{
	CUresult err = CUDA_ERROR_INVALID_VALUE;
	struct arena *arena;
	struct block *b;

	pthread_mutex_lock(&memory_lock);
	b = memory_find(at, &arena);
	if (b && b->base == at && (kinds & (1u << b->kind))) {
		if (b->kind != MEMORY_GRAPH)
			release(arena, b);
		else if (!graph_memory_release(arena, b))
			b = NULL;
		err = b ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	}
	pthread_mutex_unlock(&memory_lock);
	return err;
}

bool memory_on_device(uintptr_t at, size_t size, int *device)
{
	struct block *b;
	bool inside = false;

	pthread_mutex_lock(&memory_lock);
	b = memory_find(at, NULL);
	if (b && b->kind == MEMORY_RESERVED) {
		/* mappings are checked by the pages themselves */
		inside = at + size <= b->base + b->size;
		if (device)
			*device = 0;
	} else if (b) {
		inside = at + size <= b->base + b->requested &&
			 (b->kind != MEMORY_GRAPH || b->flags);
		if (device)
			*device = b->ctx->device->index;
	}
	pthread_mutex_unlock(&memory_lock);
	if (!b && host_registered(at, NULL, NULL)) {
		inside = true;
		if (device)
			*device = 0;
	}
	return inside;
}

static void free_arena_of(struct arena *arena, struct context *ctx)
{
	struct block *b, *next;

	for (b = arena->first; b; b = next) {
		next = b->next;
		/*
		 * cuda.h, cuCtxDestroy(): what cuMemAllocAsync() and cuMemAllocFromPoolAsync() gave
		 * stays.
		 */
		if (b->kind == MEMORY_FREE || b->kind == MEMORY_RESERVED ||
		    b->kind == MEMORY_ASYNC || b->ctx != ctx)
			continue;
		/* freeing joins neighbours: go on after what follows b */
		while (next && next->kind == MEMORY_FREE)
			next = next->next;
		release(arena, b);
	}
}

void memory_free_context(struct context *ctx)
{
	pthread_mutex_lock(&memory_lock);
	free_arena_of(&ctx->device->arena, ctx);
	free_arena_of(&managed_arena, ctx);
	free_arena_of(&host_arena, ctx);
	graph_memory_trim(ctx->device);
	pthread_mutex_unlock(&memory_lock);
	host_registrations_drop(ctx);
}

void memory_reset(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	int i;

	memory_lock = fresh;
	for (i = 0; i < num_devices; i++) {
		arena_forget(&devices[i].arena);
		devices[i].used = 0;
		devices[i].default_pool.used = 0;
		devices[i].graph_memory = (struct graph_memory){ 0 };
	}
	arena_forget(&managed_arena);
	arena_forget(&host_arena);
	arena_forget(&virtual_arena);
	registrations = NULL;
}

API CUresult cuMemAlloc_v2(CUdeviceptr *ptr, size_t size)
{
	uintptr_t at = 0;
	CUresult err;

	ENTER_CONTEXT(ctx);
	if (!ptr)
		return CUDA_ERROR_INVALID_VALUE;
	err = memory_alloc(ctx, MEMORY_DEVICE, size, NULL, &at);
	if (!err)
		*ptr = at;
	return err;
}

API CUresult cuMemAllocPitch_v2(CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height,
				unsigned int element)
{
	uintptr_t at = 0;
	CUresult err;

	(void)element;
	ENTER_CONTEXT(ctx);
	if (!ptr || !pitch || !width || !height)
		return CUDA_ERROR_INVALID_VALUE;
	width = (width + PITCH_ALIGN - 1) & ~(size_t)(PITCH_ALIGN - 1);
	err = memory_alloc(ctx, MEMORY_DEVICE, width * height, NULL, &at);
	if (!err) {
		*ptr = at;
		*pitch = width;
	}
	return err;
}

API CUresult cuMemAllocManaged(CUdeviceptr *ptr, size_t size, unsigned int flags)
{
	uintptr_t at = 0;
	CUresult err;

	ENTER_CONTEXT(ctx);
	if (!ptr || !flags || flags > 2)
		return CUDA_ERROR_INVALID_VALUE;
	err = memory_alloc(ctx, MEMORY_MANAGED, size, NULL, &at);
	if (!err)
		*ptr = at;
	return err;
}

API CUresult cuMemHostAlloc(void **ptr, size_t size, unsigned int flags)
{
	uintptr_t at = 0;
	CUresult err;

	ENTER_CONTEXT(ctx);
	if (!ptr || flags > 7)
		return CUDA_ERROR_INVALID_VALUE;
	err = memory_alloc(ctx, MEMORY_HOST, size, NULL, &at);
	if (!err)
		*ptr = (void *)at;
	return err;
}

API CUresult cuMemAllocHost_v2(void **ptr, size_t size)
{
	uintptr_t at = 0;
	CUresult err;

	ENTER_CONTEXT(ctx);
	err = memory_alloc(ctx, MEMORY_HOST, size, NULL, &at);
	if (!err)
		*ptr = (void *)at;
	return err;
}

API CUresult cuMemFree_v2(CUdeviceptr ptr)
{
	ENTER_CONTEXT(ctx);
	device_wait(ctx->device);
	if (!ptr)
		return CUDA_SUCCESS;
	return memory_free(ptr, 1u << MEMORY_DEVICE | 1u << MEMORY_MANAGED | 1u << MEMORY_ASYNC |
					1u << MEMORY_GRAPH);
}

API CUresult cuMemFreeHost(void *ptr)
{
	ENTER();
	return memory_free((uintptr_t)ptr, 1u << MEMORY_HOST);
}

API CUresult cuMemGetInfo_v2(size_t *available, size_t *total)
{
	ENTER_CONTEXT(ctx);
	if (available)
		*available = ctx->device->total - ctx->device->used;
	if (total)
		*total = ctx->device->total;
	return CUDA_SUCCESS;
}

API CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr ptr)
{
	struct block *b;

	ENTER();
	pthread_mutex_lock(&memory_lock);
	b = memory_find(ptr, NULL);
	if (b && base)
		*base = b->base;
	if (b && size)
		*size = b->requested;
	pthread_mutex_unlock(&memory_lock);
	return b ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

bool host_registered(uintptr_t at, uintptr_t *base, size_t *size)
{
	struct registration *r;

	pthread_mutex_lock(&memory_lock);
	for (r = registrations; r; r = r->next)
		if (at - r->base < r->size)
			break;
	if (r && base)
		*base = r->base;
	if (r && size)
		*size = r->size;
	pthread_mutex_unlock(&memory_lock);
	return r != NULL;
}

void host_registrations_drop(struct context *ctx)
{
	struct registration **link, *r;

	pthread_mutex_lock(&memory_lock);
	for (link = &registrations; (r = *link);) {
		if (r->ctx == ctx) {
			*link = r->next;
			free(r);
		} else {
			link = &r->next;
		}
	}
	pthread_mutex_unlock(&memory_lock);
}

API CUresult cuMemHostRegister_v2(void *ptr, size_t size, unsigned int flags)
{
	struct registration *r;

	ENTER_CONTEXT(ctx);
	if (!ptr || !size)
		return CUDA_ERROR_INVALID_VALUE;
	if (host_registered((uintptr_t)ptr, NULL, NULL))
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	r = calloc(1, sizeof(*r));
	if (!r)
		return CUDA_ERROR_OUT_OF_MEMORY;
	r->base = (uintptr_t)ptr;
	r->size = size;
	r->flags = flags;
	r->ctx = ctx;
	pthread_mutex_lock(&memory_lock);
	r->next = registrations;
	registrations = r;
	pthread_mutex_unlock(&memory_lock);
	return CUDA_SUCCESS;
}

API CUresult cuMemHostUnregister(void *ptr)
{
	struct registration **link, *r;

	ENTER();
	pthread_mutex_lock(&memory_lock);
	for (link = &registrations; (r = *link); link = &r->next)
		if (r->base == (uintptr_t)ptr)
			break;
	if (r)
		*link = r->next;
	pthread_mutex_unlock(&memory_lock);
	free(r);
	return r ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

static bool host_known(void *ptr)
{
	struct block *b;

	pthread_mutex_lock(&memory_lock);
	b = memory_find((uintptr_t)ptr, NULL);
	pthread_mutex_unlock(&memory_lock);
	return (b && (b->kind == MEMORY_HOST || b->kind == MEMORY_MANAGED)) ||
	       host_registered((uintptr_t)ptr, NULL, NULL);
}

API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned int flags)
{
	ENTER();
	if (!device || flags || !host_known(host))
		return CUDA_ERROR_INVALID_VALUE;
	*device = (uintptr_t)host;
	return CUDA_SUCCESS;
}

API CUresult cuMemHostGetFlags(unsigned int *flags, void *host)
{
	ENTER();
	if (!flags || !host_known(host))
		return CUDA_ERROR_INVALID_VALUE;
	*flags = 3;
	return CUDA_SUCCESS;
}

API CUresult cuMemAdvise_v2(CUdeviceptr ptr, size_t count, int advice, CUmemLocation where)
{
	(void)where;
	ENTER();
	if (advice < 1 || advice > 6 || !memory_on_device(ptr, count, NULL))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}
