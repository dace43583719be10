// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pools of handles.  Every type has a stretch of reserved addresses of its
 * own, cut into slots, so that checking a handle is arithmetic and one load,
 * without a lock, whatever the program passes.  Slots return to use oldest
 * first and not before a few dozen are free: a handle stays invalid for a
 * while after its destruction.
 */
#include <string.h>
#include <sys/mman.h>
#include "driver.h"

#define SLOTS     ((size_t)1 << 20)
#define KEEP_FREE 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct object_pool streams = { .size = 512 };
struct object_pool events = { .size = 64 };
struct object_pool functions = { .size = 128 };
struct object_pool libraries = { .size = 64 };
struct object_pool contexts = { .size = 1024 };
struct object_pool pools = { .size = 128 };
struct object_pool graphs = { .size = 128 };
struct object_pool graph_nodes = { .size = 512 };
struct object_pool graph_execs = { .size = 64 };
struct object_pool arrays = { .size = 512 };
struct object_pool physicals = { .size = 64 };
struct object_pool links = { .size = 64 };

_Static_assert(sizeof(struct stream) <= 512, "stream slot");
_Static_assert(sizeof(struct event) <= 64, "event slot");
_Static_assert(sizeof(struct function) <= 128, "function slot");
_Static_assert(sizeof(struct library) <= 64, "library slot");
_Static_assert(sizeof(struct context) <= 1024, "context slot");
_Static_assert(sizeof(struct pool) <= 128, "pool slot");
_Static_assert(sizeof(struct array) <= 512, "array slot");

void *object_new(struct object_pool *pool)
{
	struct object *object = NULL;
	unsigned int id;

	pthread_mutex_lock(&lock);
	if (!pool->base) {
		void *at = mmap(NULL, SLOTS * pool->size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (at != MAP_FAILED)
			pool->base = (uintptr_t)at;
	}
	if (pool->num_free > KEEP_FREE) {
		object = pool->free_head;
		pool->free_head = object->next_free;
		pool->num_free--;
	} else if (pool->base && pool->limit < SLOTS * pool->size) {
		object = (struct object *)(pool->base + pool->limit);
		object->id = (unsigned int)(pool->limit / pool->size) + 1;
		pool->limit += pool->size;
	}
	if (object) {
		id = object->id;
		memset(object, 0, pool->size);
		object->id = id;
		atomic_store(&object->alive, 1);
	}
	pthread_mutex_unlock(&lock);
	return object;
}

void object_drop(struct object_pool *pool, void *handle)
{
	struct object *object = handle;

	pthread_mutex_lock(&lock);
	if (atomic_exchange(&object->alive, 0)) {
		object->next_free = NULL;
		if (pool->num_free++)
			pool->free_tail->next_free = object;
		else
			pool->free_head = object;
		pool->free_tail = object;
	}
	pthread_mutex_unlock(&lock);
}

/* In a forked child the lock may be held by a thread that is not there. */
void objects_reset(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	lock = fresh;
}
