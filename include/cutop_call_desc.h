/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a line of the table of hooked functions may say: the values of its columns, without any
 * function. The table is in cutop_call_table.h.
 *
 * The class is the shape of the call and selects the BPF program that handles it. The roles a, b, c
 * and d say which argument means what, so that one program serves every function of its class; what
 * a role is depends on the class: see enum call_class, and the enums after it for roles that are
 * not arguments.
 *
 * Arguments are counted from 0 among the integer arguments, as the ABI passes them: a dim3 takes
 * two places on both x86-64 and arm64. A struct passed by value that does not fit into registers
 * (cudaExtent) takes none on x86-64, where it is on the stack, and one on arm64, where a pointer to
 * it is passed.
 */
/* clang-format off */
#ifndef CUTOP_CALL_DESC_H
#define CUTOP_CALL_DESC_H

enum call_layer {
	LAYER_RUNTIME,		/* libcudart, shared or linked into a program */
	LAYER_DRIVER,		/* libcuda.so.1 */
	LAYER_COUNT,
	LAYER_EXTRA = LAYER_COUNT,	/* none of CUDA's: a function named with --probe */
};

enum call_class {
	/* a = kind, b = argument for the result, c = size rule, d = its argument */
	CLASS_ALLOC,
	/* a = argument with the address, b = argument with the stream, 0: none */
	CLASS_FREE,
	CLASS_COPY,		/* a = COPY_ENDS, b = size rule, c = its argument, d = kind */
	CLASS_LAUNCH,		/* a = form, b = argument with the function: 0 or 1 */
	CLASS_SYNC,		/* waits: a = enum sync_scope */
	CLASS_DEVICE,		/* a = argument with the device that the thread selects */
	/*
	 * ends the allocations of the current device's primary context, if that context is current
	 */
	CLASS_RESET,
	/*
	 * a = stub, b = kernel's mangled name; or a = variable, b = NO_ARG, c = size, or NO_ARG:
	 * everything that argument a registered is gone. No result
	 */
	CLASS_REGISTER,
	/* a = argument for the handle, b = stub, or the handle that it is made from */
	CLASS_HANDLE,
	/* a = argument for the handle, b = its name; with CALL_NAME_OUT the other way round */
	CLASS_NAMED,
	/* a = enum context_act, b = context, pool, or where it is written, c = device */
	CLASS_CONTEXT,
	/* a = enum map_act, b = address, or argument for it, c = size or address, d = handle */
	CLASS_MAP,
	/*
	 * returns a device's size: a = argument that points to it, b = offset in words, c = device,
	 * SIZE_OF_CURRENT
	 */
	CLASS_SIZE,
	CLASS_GRAPH,		/* a = enum graph_role, which says what arguments b, c, d are */
	/*
	 * counted and timed only; a = enum object_act, b = argument for the handle, c = enum
	 * object_kind
	 */
	CLASS_PLAIN,
	CLASS_EXTRA,		/* the same for functions that are not in the table (--probe) */
	CLASS_EXTRA_ENTRY,	/* those of which only entries are probed, to attach */
	CLASS_COUNT,
};

/* What --calls selects. Names in call_group_names[], cuda/calls.c. */
enum call_group {
	GROUP_MEMORY,
	GROUP_COPY,
	GROUP_LAUNCH,
	GROUP_SYNC,
	GROUP_STREAM,
	GROUP_EVENT,
	GROUP_DEVICE,
	GROUP_GRAPH,
	GROUP_MODULE,
	GROUP_NAME,
	GROUP_QUERY,		/* off by default */
	GROUP_COUNT,
};

enum call_flag {
	CALL_ASYNC = 1,		/* a copy that returns before it is done */
	/* The result may repeat an earlier failure, which is not the call's own */
	CALL_ECHO = 2,
	CALL_POLL = 4,		/* 600 (cudaErrorNotReady) is an answer, not a failure */
	/* The destination is a device variable, given by the address of its host shadow */
	CALL_TO_SYMBOL = 8,
	CALL_FROM_SYMBOL = 16,	/* the source is such a variable */
	CALL_NARROW = 32,	/* device pointers and sizes have 32 bits: CUDA 3.1 and before */
	/* An allocation from the memory pool in argument 2: it is on the pool's device */
	CALL_POOL = 64,
	CALL_NAME_OUT = 128,	/* the call returns the name of a handle */
	CALL_PER_THREAD = 256,	/* stream 0 means the thread's own */
	CALL_HANDLE = 512,	/* what is allocated is known by a handle, and lies elsewhere */
	CALL_NO_CONTEXT = 1024,	/* what is made belongs to no context, and outlives all of them */
};

/*
 * Options of a line are flags in 16 bits, and above them what only user space uses
 * (CUTOP_OPTION_...). Versions are those of the public headers that declare the function as an
 * exported symbol; without any, all of CUDA 11.4 to 13.0 do.
 */
/* The first version */
#define CALL_SINCE(major, minor)	((unsigned long long)((major) * 1000 + (minor) * 10) << 16)
/* The last */
#define CALL_UNTIL(major, minor)	((unsigned long long)((major) * 1000 + (minor) * 10) << 32)
/* In no version of this major one */
#define CALL_NOT_IN(major)		((unsigned long long)(major) << 48)
#define CALL_UNDECLARED			(1ull << 56)	/* in no public header */
/* asynchronous, in the stream of argument n */
#define CALL_ASYNC_IN(n)		(CALL_ASYNC | (unsigned long long)((n) + 1) << 57)
/* Which before CUDA 13 may be the next argument */
#define CALL_STREAM_MOVED		(1ull << 62)

/* As cudaRuntimeGetVersion(); 0: none */
#define CUTOP_OPTION_SINCE(options)	((unsigned int)((options) >> 16 & 0xffff))
#define CUTOP_OPTION_UNTIL(options)	((unsigned int)((options) >> 32 & 0xffff))
#define CUTOP_OPTION_NOT_IN(options)	((unsigned int)((options) >> 48 & 0xff))
/* the argument + 1; 0: none */
#define CUTOP_OPTION_STREAM(options)	((unsigned int)((options) >> 57 & 0x1f))

/*
 * What a call does to the thread's context, and what it shows about contexts (CLASS_CONTEXT, role
 * a).
 */
enum context_act {
	CONTEXT_SET,
	CONTEXT_PUSH,
	CONTEXT_POP,
	CONTEXT_CREATE,		/* also makes it current */
	CONTEXT_DESTROY,	/* ends the context's allocations */
	CONTEXT_RETAIN,		/* of a device's primary context */
	CONTEXT_RELEASE,	/* the last one ends the device's allocations */
	CONTEXT_RESET,
	CONTEXT_POOL,		/* a pool is created; argument c points to its cudaMemPoolProps */
	CONTEXT_POOL_OF,	/* a device's pool; argument c is the device */
	CONTEXT_POOL_AT,	/* a location's pool; argument c points to the cudaMemLocation */
	CONTEXT_FROM,		/* the context that stands for the green one in argument c */
	CONTEXT_GREEN_END,	/* releases what the green context in argument b retained */
	/* A green context is created: a part of the device; it retains the primary context */
	CONTEXT_GREEN,
	/* The runtime's handle of a device's primary context; argument c is the device */
	CONTEXT_OF_DEVICE,
	CONTEXT_STREAM,		/* a stream is created, on the device of the thread's context */
	CONTEXT_STREAM_OF,	/* the same, on the device of the context in argument c */
	CONTEXT_ATTACH,		/* one more reference to the thread's context */
	CONTEXT_DETACH,		/* one less; the last one destroys it */
};

/*
 * What costs memory of a device besides allocations, until it is destroyed. Recordings use the
 * numbers.
 */
enum object_kind {
	OBJECT_GRAPH,		/* executable graphs */
	OBJECT_STREAM,
	OBJECT_EVENT,
	OBJECT_MODULE,		/* libraries, too */
	OBJECT_CONTEXT,		/* but primary ones, of which a device has one */
	OBJECT_KIND_COUNT,
};

/* What a call does to such an object (CLASS_PLAIN, role a). */
enum object_act {
	OBJECT_NONE,
	OBJECT_MADE,
	OBJECT_GONE,
};

#define SIZE_OF_CURRENT	255	/* CLASS_SIZE, role c: the thread's device */
/* offset of totalGlobalMem in struct cudaDeviceProp, driver_types.h, in words */
#define SIZE_IN_PROPERTIES	36

/* What a synchronizing call waits for (CLASS_SYNC, role a). */
enum sync_scope {
	SYNC_OTHER,		/* an event, or something unknown: nothing counts as done */
	SYNC_DEVICE,		/* all work of the thread's device */
	SYNC_STREAM,		/* all work in the stream of argument 0 */
	SYNC_CONTEXT,		/* all work in the context of argument 0; NULL: the thread's */
};

/* Physical memory and the addresses it is mapped at (CLASS_MAP, role a). */
enum map_act {
	MAP_PLACE,
	MAP_REMOVE,
	MAP_RETAIN,		/* one more handle to the memory mapped at an address */
	/* The handle of a part of the array at the address: a level of a mipmapped array */
	MAP_LEVEL,
	/*
	 * a variable of a module (argument d, or 0), or memory lent by a graphics library: where
	 * its address is written, and its size (or NO_ARG)
	 */
	MAP_GLOBAL,
	MAP_UNLOAD,		/* the module in argument b, and its variables */
	/* only in records (struct rec_map): */
	MAP_VARIABLE = 8,	/* a registered variable: the address of its host shadow */
	/* recordings use the numbers of those above */
	MAP_ACT_COUNT = 10,
};

/*
 * The kind of an allocation; static memory is also a kind, but is not allocated. The first five are
 * VRAM; the others count in no total.
 */
enum alloc_kind {
	KIND_DEVICE,
	KIND_MANAGED,
	KIND_ASYNC,
	KIND_ARRAY,
	KIND_PHYSICAL,
	KIND_PINNED,
	KIND_REGISTERED,
	KIND_SHARED,
	/* Variables of modules, if a call tells their size: model/variables.c */
	KIND_STATIC,
	KIND_COUNT,
};
/*
 * Which kinds a program has to free, and which of these are on a device: managed memory may be
 * unpopulated, evicted, or larger than the device (CUDA C++ programming guide, unified memory,
 * oversubscription).
 */
#define KIND_CAN_LEAK(kind) ((kind) <= KIND_PHYSICAL)
#define KIND_IS_VRAM(kind) (KIND_CAN_LEAK(kind) && (kind) != KIND_MANAGED)
/* Memory of the host that is locked in place, until the program frees or unregisters it */
#define KIND_IS_HOST(kind) ((kind) == KIND_PINNED || (kind) == KIND_REGISTERED)

/* How many bytes an allocating call asks for (CLASS_ALLOC, role c). */
enum size_rule {
	SIZE_NONE,		/* the call does not say */
	SIZE_ARG,		/* argument d */
	SIZE_PITCH,		/* *(size_t *)argument d, written back, times argument d + 2 */
	/* Pitch written back in the cudaPitchedPtr, times height and depth */
	SIZE_PITCHED3D,
	SIZE_ARRAY,		/* cudaChannelFormatDesc at argument d, width d + 1, height d + 2 */
	SIZE_ARRAY3D,		/* the same, with an extent by value */
	SIZE_MIPMAP,		/* the same, summed over its levels */
	SIZE_REGISTER,		/* argument d; the address is argument b itself */
	SIZE_DRIVER_ARRAY,	/* CUDA_ARRAY_DESCRIPTOR at argument d */
	SIZE_DRIVER_ARRAY3D,	/* CUDA_ARRAY3D_DESCRIPTOR at argument d */
	SIZE_DRIVER_MIPMAP,	/* the same, summed over its levels */
	SIZE_PHYSICAL,		/* argument d; CUmemAllocationProp at argument d + 1 says where */
};

/* How many bytes a copy moves (CLASS_COPY, role b). */
enum bytes_rule {
	BYTES_ARG,		/* argument c */
	BYTES_2D,		/* argument c times argument c + 1 */
	BYTES_3D,		/* cudaMemcpy3DParms at argument c */
	BYTES_3D_PEER,		/* cudaMemcpy3DPeerParms at argument c */
	BYTES_BATCH,		/* the sum of argument c + 1 sizes at argument c */
	BYTES_BATCH3D,		/* the sum over argument c operations at argument c + 1 */
	BYTES_ATTRIBUTES,	/* argument c; attributes follow */
	BYTES_OPERATION,	/* that of one operation at argument c; flags follow */
	BYTES_DRIVER_2D,	/* CUDA_MEMCPY2D at argument c */
	BYTES_DRIVER_3D,	/* CUDA_MEMCPY3D or CUDA_MEMCPY3D_PEER at argument c */
};

/* How a launch's configuration is passed (CLASS_LAUNCH, role a). */
enum launch_form {
	FORM_ARGS,		/* grid 1-2, block 3-4, shared bytes 6, stream 7 */
	/* cudaLaunchConfig_t or CUlaunchConfig, which start alike, at argument 0 */
	FORM_CONFIG,
	FORM_MULTI,		/* argument 1 structs cudaLaunchParams at argument 0 */
	FORM_DRIVER,		/* grid 1-3, block 4-6, shared bytes 7, stream 8 */
	FORM_DRIVER_MULTI,	/* argument 1 structs CUDA_LAUNCH_PARAMS at argument 0 */
	FORM_GRID,		/* grid 1-2; the block was set before */
	FORM_BARE,		/* one block */
};

/*
 * What a call does to graphs (CLASS_GRAPH, role a), and what its arguments b, c and d are. A
 * capture stands for the graph that it will become.
 */
enum graph_role {
	CAPTURE_BEGIN,		/* stream, the graph to add to (or NO_ARG) */
	CAPTURE_END,		/* stream, out graph (NO_ARG: none is left) */
	/*
	 * event, stream, flags (or NO_ARG): a stream that waits for the event joins the stream's
	 * capture
	 */
	CAPTURE_RECORD,
	CAPTURE_WAIT,		/* stream, event, flags */
	CAPTURE_LEAVE,		/* stream: it is destroyed */
	GRAPH_CREATE,		/* out graph */
	GRAPH_CLONE,		/* out graph, graph */
	GRAPH_DESTROY,		/* graph */
	GRAPH_ADD_KERNEL,	/* out node, graph, parameters */
	GRAPH_ADD_CHILD,	/* out node, graph, child graph */
	/* out node, graph, parameters with the node's type (the next argument from CUDA 13 on) */
	GRAPH_ADD_NODE,
	GRAPH_REMOVE,		/* node */
	GRAPH_LEARN,		/* node, parameters written by the call */
	GRAPH_SET_KERNEL,	/* node, parameters */
	GRAPH_SET_NODE,		/* node, parameters with the node's type */
	EXEC_CREATE,		/* out executable graph, graph */
	EXEC_SET_KERNEL,	/* executable graph, node, parameters */
	EXEC_SET_NODE,		/* executable graph, node, parameters with the node's type */
	EXEC_SET_CHILD,		/* executable graph, node, child graph */
	EXEC_ENABLE,		/* executable graph, node, whether it runs */
	EXEC_UPDATE,		/* executable graph, graph */
	EXEC_DESTROY,		/* executable graph */
	EXEC_LAUNCH,		/* executable graph, stream */
	/* only in records (struct rec_graph): */
	GRAPH_RENAME,		/* a capture became a graph */
	GRAPH_SET_CHILD,	/* GRAPH_SET_NODE of a child graph */
	GRAPH_ADD_EXEC,		/* an executable graph was launched into a capture */
	/* only in the table: recordings use the numbers of those above */
	GRAPH_LEARN_NODE,	/* node, parameters with the node's type, written by the call */
	/* Node, attribute, its value; in records: kernels may change or disable the node */
	GRAPH_UPDATABLE,
	GRAPH_ROLE_COUNT,
};
#define NO_ARG			255

/* The first four are cudaMemcpyKind's own values. */
enum copy_direction {
	DIR_H2H,
	DIR_H2D,
	DIR_D2H,
	DIR_D2D,
	DIR_P2P,
	DIR_UNKNOWN,
	DIR_COUNT,
	DIR_DEFAULT = DIR_COUNT,	/* to be resolved from the addresses; in no counter */
};
#define CUDA_MEMCPY_DEFAULT 4		/* cudaMemcpyDefault, driver_types.h */

#define COPY_ENDS(destination, source)	((destination) << 4 | (source))
#define COPY_DESTINATION(a)		((a) >> 4)
#define COPY_SOURCE(a)			((a) & 15)
#define COPY_FIXED			0x80	/* role d is a direction, not an argument */

struct call_desc {
	unsigned char layer;
	unsigned char class;
	unsigned char group;
	unsigned short flags;
	unsigned char a, b, c, d;
};

/* Where the time of a process goes. TIME_NONE, outside of calls, is what is left over. */
enum time_part {
	TIME_SYNC,
	TIME_COPY,
	TIME_LAUNCH,
	TIME_OTHER,
	TIME_NONE,
	TIME_PARTS,
};

/* The part that calls of @class with the role @a belong to. */
static inline enum time_part class_time_part(unsigned char class, unsigned char a)
{
	switch (class) {
	case CLASS_SYNC: return TIME_SYNC;
	case CLASS_COPY: return TIME_COPY;
	case CLASS_LAUNCH: return TIME_LAUNCH;
	case CLASS_GRAPH: return a == EXEC_LAUNCH ? TIME_LAUNCH : TIME_OTHER;
	default: return TIME_OTHER;
	}
}

#endif
