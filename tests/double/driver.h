/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the double's libcuda.so.1: its objects and what its files offer one
 * another.  Devices and contexts are few and static; streams, events,
 * functions and graphs live in type-stable pools (driver_objects.c), so that
 * a stale or foreign handle is recognised without being dereferenced; memory
 * lives in arenas of reserved addresses (driver_arena.c).
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <pthread.h>
#include "double.h"

#pragma GCC visibility push(hidden)

#define MAX_DEVICES   16
#define DEVICE_STRIDE ((size_t)64 << 30)

enum memory_kind {
	MEMORY_FREE,
	MEMORY_DEVICE,
	MEMORY_ASYNC,
	MEMORY_MANAGED,
	MEMORY_HOST,
	MEMORY_ARRAY,
	MEMORY_GLOBAL,
	MEMORY_RESERVED,
	MEMORY_IPC,
	MEMORY_GRAPH,
};

struct context;
struct pool;

/* A stretch of an arena's addresses: free, or one allocation. */
struct block {
	uintptr_t base;
	size_t size; /* rounded up to the granularity */
	size_t requested;
	size_t largest_free; /* in this subtree */
	enum memory_kind kind;
	unsigned int priority;
	unsigned int flags; /* of a graph's: whether it is allocated */
	unsigned int nodes; /* of a graph's: those that stand for it */
	struct context *ctx;
	struct pool *pool;
	struct block *left, *right;
	struct block *prev, *next;
};

struct arena {
	uintptr_t base;
	size_t size;
	struct block *root;
	struct block *first;
};

struct object {
	atomic_uint alive;
	unsigned int id;
	struct object *next_free;
};

struct stream {
	struct object object;
	struct context *ctx;
	_Atomic int64_t busy_until;
	unsigned int flags;
	int priority;
	struct graph *capture;
};

/* CU_EVENT_RECORD_EXTERNAL, CU_EVENT_WAIT_EXTERNAL: it is a node of the graph */
#define EVENT_EXTERNAL 1

struct event {
	struct object object;
	struct context *ctx;
	unsigned int flags;
	bool recorded;
	int64_t time;
	struct graph *capture;   /* it was recorded in */
	_Atomic int64_t *shared; /* its time, when other processes have it, too */
	int shared_fd;
};

/* A kernel, or the function handle that stands for it in one module. */
struct function {
	struct object object;
	char *name;
	struct library *library;
	struct function *kernel;   /* itself for a kernel */
	struct function *function; /* made on demand */
	struct function *next;
	uint64_t time;
};

struct global {
	struct global *next;
	char *name;
	size_t size;
	bool managed;
	uintptr_t address[MAX_DEVICES];
};

struct library {
	struct object object;
	struct function *functions;
	struct global *globals;
};

struct context {
	struct object object;
	struct device *device;
	bool primary;
	/* For a graphics library: its streams' work may go into command lists */
	bool graphics;
	unsigned int attached; /* by cuCtxAttach() */
	unsigned int flags;
	atomic_int retained;
	unsigned int peers;
	struct stream legacy;
};

struct pool {
	struct object object;
	struct device *device;
	size_t used, used_high;
	uint64_t threshold;
};

/* Bytes allocated by graphs now, and what they keep until it is trimmed. */
struct graph_memory {
	size_t used, kept, kept_high;
};

struct device {
	int index;
	size_t total, used;
	struct arena arena;
	struct context primary;
	struct pool default_pool;
	struct pool *pool;
	struct graph_memory graph_memory;
	int ipc_fd;
	_Atomic int64_t busy_until;
};

/* driver_objects.c */
struct object_pool {
	uintptr_t base;
	uintptr_t limit; /* bytes handed out so far */
	size_t size;     /* of an object, a power of two */
	struct object *free_head, *free_tail;
	size_t num_free;
};

extern struct object_pool streams, events, functions, libraries, contexts, pools, graphs,
	graph_nodes, graph_execs, arrays, physicals, links;

void *object_new(struct object_pool *pool);
void object_drop(struct object_pool *pool, void *object);
void objects_reset(void);

static inline void *object_check(struct object_pool *pool, const void *handle)
{
	uintptr_t off = (uintptr_t)handle - pool->base;
	struct object *object = (struct object *)handle;

	if (unlikely(off >= pool->limit || (off & (pool->size - 1))))
		return NULL;
	return atomic_load_explicit(&object->alive, memory_order_acquire) ? object : NULL;
}

#define object_each(pool, var) \
	for (uintptr_t at_ = 0; at_ < (pool)->limit; at_ += (pool)->size) \
		if (!atomic_load(&((struct object *)((pool)->base + at_))->alive) || \
		    !((var) = (void *)((pool)->base + at_))) { \
		} else

/* driver_arena.c; the caller holds memory_lock */
extern pthread_mutex_t memory_lock;
bool arena_reserve(struct arena *arena, uintptr_t hint, size_t size, bool usable);
struct block *arena_alloc(struct arena *arena, size_t size, size_t align);
struct block *arena_alloc_at(struct arena *arena, uintptr_t at, size_t size);
void arena_free(struct arena *arena, struct block *block);
struct block *arena_find(struct arena *arena, uintptr_t at);
void arena_forget(struct arena *arena);

/* driver_memory.c */
extern struct arena managed_arena, host_arena, virtual_arena;
CUresult memory_alloc(struct context *ctx, enum memory_kind kind, size_t size, struct pool *pool,
		      uintptr_t *out);
CUresult memory_free(uintptr_t at, unsigned int kinds);
struct block *memory_find(uintptr_t at, struct arena **arena);
bool memory_on_device(uintptr_t at, size_t size, int *device);
void memory_free_context(struct context *ctx);
void memory_reset(void);
void host_registrations_drop(struct context *ctx);
bool host_registered(uintptr_t at, uintptr_t *base, size_t *size);

/* driver_device.c */
extern struct device devices[MAX_DEVICES];
extern int num_devices;
extern bool driver_ready;
extern _Thread_local struct context *current_context;
CUresult driver_attention(const char *function);
bool driver_heals(void);
void driver_heal(void); /* a primary context ended */
struct context *context_get(void);
struct context *context_check(CUcontext handle);
struct device *device_get(CUdevice dev);
/*
 * Where memory is asked for. CUDA_ERROR_NOT_SUPPORTED: at one of the host's places
 * (CUmemLocationType 2 to 4, cuda.h).
 */
CUresult device_at(const CUmemLocation *where, struct device **device);
void driver_forked(void);

/* driver_context.c */
CUresult primary_retain(CUcontext *ctx, CUdevice dev);

/* driver_ipc.c */
void ipc_release(struct block *block);
void ipc_forked(void);
void ipc_event_drop(struct event *event);

/* driver_streams.c */
extern uint64_t kernel_time;
struct stream *stream_default(bool per_thread);
int64_t stream_spend(struct stream *stream, uint64_t ns);
void stream_wait(struct stream *stream);
/* What @stream is given next comes after all that its device has been given. */
void stream_follow(struct stream *stream);
void device_wait(struct device *device);
/* When what was recorded last is done; 0: nothing was. */
static inline int64_t event_time(struct event *event)
{
	if (event->shared)
		return atomic_load(event->shared);
	return event->recorded ? event->time : 0;
}

void streams_free_context(struct context *ctx);

static inline struct stream *stream_get(CUstream handle, bool per_thread)
{
	if ((uintptr_t)handle <= 2)
		return stream_default(handle ? (uintptr_t)handle == 2 : per_thread);
	return object_check(&streams, handle);
}

/* driver_graph_memory.c */
CUresult graph_memory_reserve(struct context *ctx, size_t size, uintptr_t *out);
void graph_memory_keep(uintptr_t at);
void graph_memory_drop(uintptr_t at);
CUresult graph_memory_alloc(uintptr_t at);
bool graph_memory_release(struct arena *arena, struct block *block);
bool graph_memory_is(uintptr_t at, bool *allocated);
void graph_memory_trim(struct device *device);

/* driver_graphs.c: what a capturing stream does instead of the work itself */
struct launch {
	struct function *function;
};
struct graph;
CUresult capture_launch(struct stream *stream, struct function *function);
CUresult capture_copy(struct stream *stream, const CUDA_MEMCPY3D *copy);
CUresult capture_fill(struct stream *stream, const CUDA_MEMSET_NODE_PARAMS *fill);
CUresult capture_alloc(struct stream *stream, struct device *device, size_t size, uintptr_t *out);
CUresult capture_free(struct stream *stream, uintptr_t at);
CUresult capture_host(struct stream *stream, CUhostFn fn, void *data);
void capture_record(struct event *event, struct stream *stream);
/* True if @stream now takes part in the capture that @event was recorded in. */
bool capture_join(struct stream *stream, struct event *event);

/* driver_copies.c */
CUresult copy_3d(const CUDA_MEMCPY3D *copy);
CUresult fill_rows(CUdeviceptr dst, size_t pitch, unsigned int value, size_t element, size_t width,
		   size_t height);
uint64_t copy_time(size_t bytes);
/* What the host waits for in a synchronous copy. */
enum copy_wait { WAITS_FOR_NOTHING, WAITS_FOR_STAGING, WAITS_FOR_END };
/* Still on their way when a staged copy returns: "64 KB or less" do not wait */
#define STAGING_BYTES ((size_t)64 << 10)
enum copy_wait copy_wait(const CUDA_MEMCPY3D *box);
extern uint64_t copy_bandwidth;

/* driver_launch.c */
CUresult launch_check(CU_LAUNCH_SHAPE);

/* driver_library.c */
struct function *function_get(const void *handle);
void libraries_reset_device(struct device *device);
CUresult library_define_global(CUlibrary library, const char *name, size_t size, bool managed);

/* driver_arrays.c */
size_t array_element(int format, unsigned int channels); /* 0: no such format */
struct array {
	struct object object;
	uintptr_t data;
	size_t width, height, depth, pitch; /* width and pitch in bytes */
	CUDA_ARRAY3D_DESCRIPTOR desc;
	struct context *ctx;
	bool borrowed; /* a level of a mipmapped array */
	struct array *level[16];
	bool mipmapped;
};

/* Without memory of its own: what is mapped into it is not kept. */
static inline bool array_is_sparse(const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	return desc->Flags & 0xc0; /* CUDA_ARRAY3D_SPARSE, CUDA_ARRAY3D_DEFERRED_MAPPING */
}

#pragma GCC visibility pop

#ifdef PER_THREAD
#define BY_THREAD true
#else
#define BY_THREAD false
#endif

#define ENTER() \
	do { \
		if (unlikely(atomic_load_explicit(&dbl_attention, memory_order_relaxed))) { \
			CUresult entered_ = driver_attention(__func__); \
			if (entered_) \
				return entered_; \
		} \
		if (unlikely(!driver_ready)) \
			return CUDA_ERROR_NOT_INITIALIZED; \
	} while (0)

#define ENTER_CONTEXT(ctx) \
	ENTER(); \
	struct context *ctx = context_get(); \
	if (unlikely(!ctx)) \
	return CUDA_ERROR_INVALID_CONTEXT

#endif /* DRIVER_H */
