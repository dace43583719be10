/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of random_calls share: chance, and the books. Each thread has an actor of its own,
 * with its own numbers and its own books; those of all threads are added up at the end. See
 * random_calls.c.
 */
#ifndef RANDOM_CALLS_H
#define RANDOM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cuda_double.h"
#include "cuda_double_driver.h"

#define KERNELS 6
#define STREAMS 8
#define DEVICES 3
/*
 * Contexts that a thread pushes: cutop keeps as many; of what is below more, it does not know the
 * device
 */
#define STACK_MAX 4
#define CONTEXTS  5
#define MAPPINGS  32
#define MIB       ((size_t)1 << 20)

/* As cutop names them; what comes before KIND_PINNED is VRAM. */
enum kind {
	KIND_DEVICE,
	KIND_MANAGED,
	KIND_ASYNC,
	KIND_ARRAY,
	KIND_PHYSICAL,
	KIND_PINNED,
	KIND_REGISTERED,
	KIND_COUNT
};
enum direction { H2H, H2D, D2H, D2D, P2P, UNKNOWN, DIRECTIONS };

/* How an allocation is freed. */
enum way { BY_FREE, BY_ASYNC, BY_HOST, BY_REGISTER, BY_ARRAY, BY_MIPMAP, BY_HANDLE, WAYS };

struct allocation {
	uint64_t address, bytes;
	const char *call;
	enum kind kind;
	enum way way;
	int device;
	CUcontext context;  /* NULL: its device's primary one */
	unsigned int opens; /* handles and mappings of physical memory */
	unsigned int handles;
	size_t width, height, depth, element; /* of an array */
	/* With its context, and leaked; its place was not given to another since */
	bool ended;
};

struct stream {
	cudaStream_t stream;
	int device;
	CUcontext context;
};

struct call_book {
	const char *name;
	unsigned long calls, failures;
};
struct failure_book {
	const char *name;
	int code;
	unsigned long count;
};
struct copy_book {
	unsigned long calls, failures, bytes;
};
struct kernel_book {
	unsigned long launches, failures, graph_launches;
};
struct pool {
	cudaMemPool_t pool;
	int device;
};
struct current {
	CUcontext context;
	int device;
}; /* NULL: the primary one of the device */
struct mapping {
	uint64_t address, bytes, handle;
};
/* The last: what was an executable graph */
enum graph_node_kind { NODE_KERNEL, NODE_CHILD, NODE_OTHER, NODE_MANY };

struct graph_node {
	cudaGraphNode_t handle; /* NULL: captured, or a clone's */
	cudaGraphNode_t learnt; /* then: as the program was told, which asked for its kernel, too */
	enum graph_node_kind kind;
	bool off;
	unsigned long kernels[KERNELS]; /* that it runs */
};

struct graph {
	cudaGraph_t handle;
	int device;
	CUcontext context;
	struct graph_node nodes[24];
	size_t count;
};

struct exec {
	cudaGraphExec_t handle;
	cudaGraph_t of; /* whose nodes name its own; NULL: none's do */
	struct graph held;
};

struct address_set {
	uint64_t *slots;
	size_t count, size;
};

struct actor {
	uint64_t chance;
	/* The last call was not made: it is of a layer that is not wanted */
	bool left_out;
	/* No other thread makes calls, so it is known which addresses are in use */
	bool alone;
	/* Other threads' allocations lay at other times, and elsewhere */
	bool peak_known, leaks_known;
	bool runtime_only;   /* calls of the driver are left out for now */
	bool is_child;       /* of a fork */
	unsigned int nested; /* how many callbacks this is inside of */
	int device;          /* of the current context */
	CUcontext context;   /* the current one, NULL if it is a primary one */
	int runtime_device;  /* the last cudaSetDevice()'s */
	struct current stack[STACK_MAX];
	unsigned int depth;
	struct current contexts[CONTEXTS]; /* all that were made and not destroyed */
	size_t context_count;
	CUcontext primaries[DEVICES];
	unsigned int retained[DEVICES];
	/* By its calls in the primary context; by cudaSetDevice() */
	bool runtime_used[DEVICES], runtime_retained[DEVICES];
	struct mapping mappings[MAPPINGS];
	CUdeviceptr reserved;
	cudaKernel_t handles[KERNELS];
	CUfunction functions[KERNELS][4];
	struct graph graphs[6];
	struct exec execs[6];
	size_t graph_count, exec_count;

	struct allocation *allocations;
	size_t allocation_count, allocation_size;
	struct address_set freed;
	struct stream streams[STREAMS];
	size_t stream_count;
	struct pool pools[4];
	size_t pool_count;

	unsigned long allocated, frees, failed_allocations, failed_frees, double_frees,
		unknown_frees;
	unsigned long live, peak, leaked;
	struct call_book calls[512];
	size_t call_count;
	struct failure_book failures[1024];
	size_t failure_count;
	struct copy_book copies[DIRECTIONS][2][DEVICES];
	struct kernel_book kernels[KERNELS][DEVICES];
};

extern _Thread_local struct actor *self;
extern bool tracing; /* each call is told on standard error */
extern char host_memory[1 << 20];
extern int device_count;
extern bool no_runtime, no_driver; /* calls of that layer are left out */

/* random_books.c */
uint64_t any(uint64_t below); /* of the actor's own numbers */
static inline bool one_in(unsigned int n)
{
	return any(n) == 0;
}
struct actor *actor_new(uint64_t seed);
bool is_wanted(const char *name);
int note(const char *name, int code);
void note_allocation(const char *call, int code, struct allocation allocation);
void note_free(uint64_t address, int code);
void note_retained(struct allocation *allocation);
void note_released(struct allocation *allocation);
/* All that belongs to @context, or to @device if that is NULL */
void note_ended(int device, CUcontext context);
struct allocation *allocation_at(uint64_t address);
void note_copy(int code, enum direction direction, bool async, uint64_t bytes);
void note_launch(int code, unsigned int kernel);
/* By something that lives, or a handle that did */
bool is_taken(uint64_t address, uint64_t bytes);
bool was_freed(uint64_t address);
void actor_add(struct actor *to, const struct actor *from);
void actor_write(struct actor *actor, const char *path, const char *key);

/*
 * Makes a call, and puts it into the books. Its value is what the call returned. One of a layer
 * that is not wanted is not made: it seems to fail, and what is noted of it next is left out of the
 * books as well.
 */
#define CALL(function, ...) \
	(is_wanted(#function) ? note(#function, (int)function(__VA_ARGS__)) : -1)

/* The same with one of two functions that are alike. */
#define EITHER(one, other, ...) (one_in(2) ? CALL(one, __VA_ARGS__) : CALL(other, __VA_ARGS__))

/* random_memory.c */
void step_allocate(void);
void step_free(void);
void step_wrong_free(void);
void step_pool(void);
void free_all(void);
cudaStream_t any_stream(void); /* of the current context, or one of the default ones */

void step_physical(void);
void unmap_all(void);

/* random_copies.c */
void step_copy(void);
void step_set(void);

/* random_launches.c */
void step_launch(void);
extern CUmodule loaded_module;
const void *stub_of(unsigned int kernel);
const void *any_runtime_name(unsigned int kernel); /* the stub, or a handle */
CUfunction any_driver_name(unsigned int kernel);   /* NULL if a call failed */

/* random_graphs.c */
void step_graph(void);

/* random_lives.c */
void step_callback(void);
void step_threads(void);
void step_fork(void);
void await_children(void);
void follow(const char *letters); /* becomes another program */

/* random_calls.c */
extern const char *books_path, *books_key;
void make_steps(unsigned long count);
void start(int device); /* the first calls of a thread: it turns to @device */

/* random_contexts.c */
void leave_contexts(void); /* ends the actor's own */
void step_primary(void);
void step_device(void);
void step_context(void);
void step_reset(void);
void step_stream(void);

#endif
