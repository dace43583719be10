// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory that graphs allocate.  A node of that kind has its address from when
 * it is made, and keeps it; the memory is there from the node's run until a
 * free node of the same or another graph runs, or the program frees it.  What
 * it takes of the device stays with the graphs until it is trimmed.
 *
 * Such a block counts the nodes that stand for it, copies in instances too,
 * and goes when none does and it is not allocated either.
 */
#include <string.h>
#include "driver.h"

CUresult graph_memory_reserve(struct context *ctx, size_t size, uintptr_t *out)
{
	size_t rounded = (size + 511) & ~(size_t)511;
	struct block *b = NULL;

	if (!size)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&memory_lock);
	if (rounded >= size)
		b = arena_alloc(&ctx->device->arena, rounded, 512);
	if (b) {
		b->kind = MEMORY_GRAPH;
		b->requested = size;
		b->ctx = ctx;
		b->pool = NULL;
		b->flags = 0;
		b->nodes = 1;
		*out = b->base;
	}
	pthread_mutex_unlock(&memory_lock);
	return b ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static struct block *find(uintptr_t at, struct arena **arena)
{
	struct block *b = memory_find(at, arena);

	return b && b->kind == MEMORY_GRAPH && b->base == at ? b : NULL;
}

void graph_memory_keep(uintptr_t at)
{
	struct block *b;

	pthread_mutex_lock(&memory_lock);
	b = find(at, NULL);
	if (b)
		b->nodes++;
	pthread_mutex_unlock(&memory_lock);
}

void graph_memory_drop(uintptr_t at)
{
	struct arena *arena;
	struct block *b;

	pthread_mutex_lock(&memory_lock);
	b = find(at, &arena);
	if (b && !--b->nodes && !b->flags)
		arena_free(arena, b);
	pthread_mutex_unlock(&memory_lock);
}

static void add(struct device *device, size_t size)
{
	struct graph_memory *m = &device->graph_memory;

	m->used += size;
	if (m->used > m->kept) {
		device->used += m->used - m->kept;
		m->kept = m->used;
	}
	if (m->kept > m->kept_high)
		m->kept_high = m->kept;
}

/* What is allocated already cannot be allocated again. */
CUresult graph_memory_alloc(uintptr_t at)
{
	CUresult err = CUDA_ERROR_INVALID_VALUE;
	struct graph_memory *m;
	struct device *device;
	struct block *b;

	pthread_mutex_lock(&memory_lock);
	b = find(at, NULL);
	if (b && !b->flags) {
		device = b->ctx->device;
		m = &device->graph_memory;
		err = CUDA_ERROR_OUT_OF_MEMORY;
		if (b->size <= device->total - device->used + m->kept - m->used) {
			b->flags = 1;
			add(device, b->size);
			err = CUDA_SUCCESS;
		}
	}
	pthread_mutex_unlock(&memory_lock);
	return err;
}

/* The caller holds memory_lock. */
bool graph_memory_release(struct arena *arena, struct block *b)
{
	if (!b->flags)
		return false;
	b->flags = 0;
	b->ctx->device->graph_memory.used -= b->size;
	if (!b->nodes)
		arena_free(arena, b);
	return true;
}

bool graph_memory_is(uintptr_t at, bool *allocated)
{
	struct block *b;

	pthread_mutex_lock(&memory_lock);
	b = find(at, NULL);
	*allocated = b && b->flags;
	pthread_mutex_unlock(&memory_lock);
	return b != NULL;
}

/*
 * What is used counts until it is trimmed, as what is reserved does: freeing
 * does not lower it.
 */
enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH };

API CUresult cuDeviceGetGraphMemAttribute(CUdevice dev, int attribute, void *value)
{
	struct graph_memory *m;
	uint64_t number;

	ENTER();
	if (!device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!value || attribute < USED || attribute > RESERVED_HIGH)
		return CUDA_ERROR_INVALID_VALUE;
	m = &devices[dev].graph_memory;
	pthread_mutex_lock(&memory_lock);
	number = attribute == USED || attribute == RESERVED ? m->kept : m->kept_high;
	pthread_mutex_unlock(&memory_lock);
	memcpy(value, &number, sizeof(number));
	return CUDA_SUCCESS;
}

/* The caller holds memory_lock. */
void graph_memory_trim(struct device *device)
{
	device->used -= device->graph_memory.kept - device->graph_memory.used;
	device->graph_memory.kept = device->graph_memory.used;
}

API CUresult cuDeviceGraphMemTrim(CUdevice dev)
{
	struct device *device;

	ENTER();
	device = device_get(dev);
	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	pthread_mutex_lock(&memory_lock);
	graph_memory_trim(device);
	pthread_mutex_unlock(&memory_lock);
	return CUDA_SUCCESS;
}
