// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stand-ins for pools that tell nothing of their blocks: XLA's, a class whose methods are local
 * symbols of a plugin; with -DGGML llama.cpp's, with the names and the arguments of the real ones.
 * With -DOWN those of a template that only the user can describe. They hand out blocks of one piece
 * of memory, first fit.
 */
#include "pools.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_double.h"
#include "cuda_double_driver.h"

#define BLOCKS_MAX 4096
#ifdef GGML
#define ROUND 128ul
#define TAKE  "_ZN18ggml_cuda_pool_leg5allocEmPm"
#define OUTER "_ZN18ggml_cuda_pool_vmm5allocEmPm"
#define GIVE  "_ZN18ggml_cuda_pool_vmm4freeEPvm"
#elif defined(OWN)
#define ROUND 64ul
#define TAKE  "_ZN4mine5ArenaIiE4takeEPPvm"
#define OUTER "_ZN4mine5ArenaIiE5outerEPPvm"
#define GIVE  "_ZN4mine5ArenaIiE4giveEPv"
#else
#define ROUND 256ul
#define TAKE  "_ZN3tsl12BFCAllocator11AllocateRawEmmRKNS_20AllocationAttributesE"
#define OUTER "_ZN3tsl12BFCAllocator11AllocateRawEmm"
#define GIVE  "_ZN3tsl12BFCAllocator13DeallocateRawEPv"
#endif
#define LOCAL static __attribute__((noinline, used))

struct pool {
	pthread_mutex_t lock;
	char *start;
	size_t bytes, count;
	struct {
		size_t at, bytes;
	} blocks[BLOCKS_MAX]; /* by place */
};

static __thread jmp_buf *thrown;

size_t pool_round(size_t bytes)
{
	return (bytes + ROUND - 1) & -ROUND;
}

static void *block_take(struct pool *pool, size_t bytes)
{
	size_t at = 0, i, j;
	void *block = NULL;

	if (thrown)
		longjmp(*thrown, 1);
	bytes = pool_round(bytes);
	pthread_mutex_lock(&pool->lock);
	for (i = 0; i < pool->count && pool->blocks[i].at - at < bytes; i++)
		at = pool->blocks[i].at + pool->blocks[i].bytes;
	if (pool->count < BLOCKS_MAX && pool->bytes - at >= bytes) {
		for (j = pool->count++; j > i; j--)
			pool->blocks[j] = pool->blocks[j - 1];
		pool->blocks[i].at = at;
		pool->blocks[i].bytes = bytes;
		block = pool->start + at;
	}
	pthread_mutex_unlock(&pool->lock);
	return block;
}

static void block_give(struct pool *pool, void *block)
{
	size_t i;

	pthread_mutex_lock(&pool->lock);
	for (i = 0; i < pool->count && pool->start + pool->blocks[i].at != block; i++)
		;
	if (i == pool->count)
		abort();
	for (pool->count--; i < pool->count; i++)
		pool->blocks[i] = pool->blocks[i + 1];
	pthread_mutex_unlock(&pool->lock);
}

#ifdef GGML
LOCAL void *take(struct pool *pool, size_t bytes, size_t *actual) __asm__(TAKE);
LOCAL void *take(struct pool *pool, size_t bytes, size_t *actual)
{
	*actual = pool_round(bytes);
	return block_take(pool, bytes);
}

LOCAL void *outer(struct pool *pool, size_t bytes, size_t *actual) __asm__(OUTER);
LOCAL void *outer(struct pool *pool, size_t bytes, size_t *actual)
{
	void *volatile block = take(pool, bytes, actual);

	return block;
}

LOCAL void give(struct pool *pool, void *block, size_t bytes) __asm__(GIVE);
LOCAL void give(struct pool *pool, void *block, size_t bytes)
{
	(void)bytes;
	block_give(pool, block);
}
#elif defined(OWN)
LOCAL int take(struct pool *pool, void **block, size_t bytes) __asm__(TAKE);
LOCAL int take(struct pool *pool, void **block, size_t bytes)
{
	void *found = block_take(pool, bytes);

	/* What was there before is not what it gives. */
	if (found)
		*block = found;
	return found ? 0 : 2;
}

LOCAL int outer(struct pool *pool, void **block, size_t bytes) __asm__(OUTER);
LOCAL int outer(struct pool *pool, void **block, size_t bytes)
{
	volatile int status = take(pool, block, bytes);

	return status;
}

LOCAL void give(struct pool *pool, void *block) __asm__(GIVE);
LOCAL void give(struct pool *pool, void *block)
{
	block_give(pool, block);
}
#else
LOCAL void *take(struct pool *pool, size_t alignment, size_t bytes, const void *how) __asm__(TAKE);
LOCAL void *take(struct pool *pool, size_t alignment, size_t bytes, const void *how)
{
	(void)alignment;
	(void)how;
	return block_take(pool, bytes);
}

LOCAL void *outer(struct pool *pool, size_t alignment, size_t bytes) __asm__(OUTER);
LOCAL void *outer(struct pool *pool, size_t alignment, size_t bytes)
{
	void *volatile block = take(pool, alignment, bytes, &alignment);

	return block;
}

LOCAL void give(struct pool *pool, void *block) __asm__(GIVE);
LOCAL void give(struct pool *pool, void *block)
{
	block_give(pool, block);
}
#endif

void *pool_take(struct pool *pool, size_t bytes, int nested)
{
#ifdef GGML
	size_t actual;

	return nested ? outer(pool, bytes, &actual) : take(pool, bytes, &actual);
#elif defined(OWN)
	void *block = pool->start;

	return (nested ? outer(pool, &block, bytes) : take(pool, &block, bytes)) ? NULL : block;
#else
	return nested ? outer(pool, 64, bytes) : take(pool, 64, bytes, &bytes);
#endif
}

void pool_give(struct pool *pool, void *block)
{
#ifdef GGML
	give(pool, block, 0);
#else
	give(pool, block);
#endif
}

void pool_throw(struct pool *pool, size_t bytes)
{
	jmp_buf caught;

	if (!setjmp(caught)) {
		thrown = &caught;
		pool_take(pool, bytes, 1);
	}
	thrown = NULL;
}

static char *physical(size_t bytes)
{
	CUmemAllocationProp prop = { .type = 1, .location = { .type = 1 } };
	CUmemGenericAllocationHandle handle;
	CUdeviceptr start;

	cudaGetDevice(&prop.location.id);
	if (cuMemAddressReserve(&start, bytes, 0, 0, 0) || cuMemCreate(&handle, bytes, &prop, 0) ||
	    cuMemMap(start, bytes, 0, handle, 0))
		return NULL;
	return (char *)start;
}

struct pool *pool_new(enum pool_memory memory, size_t bytes)
{
	struct pool *pool = calloc(1, sizeof(*pool));
	void *start = NULL;

	if (!pool)
		return NULL;
	if (memory == POOL_DEVICE)
		cudaMalloc(&start, bytes);
	else if (memory == POOL_HOST)
		cudaMallocHost(&start, bytes);
	else
		start = physical(bytes);
	/* Pinned memory is always there, the double's only once it was written to. */
	if (memory == POOL_HOST && start)
		memset(start, 0, bytes);
	pool->start = start;
	pool->bytes = bytes;
	pthread_mutex_init(&pool->lock, NULL);
	return start ? pool : NULL;
}
