/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of hooked functions: one line per exported CUDA function, shared
 * by the BPF programs and by user space.
 *
 * A line gives symbol, layer, class, group, flags and four roles. The class
 * is the shape of the call and selects the BPF program that handles it; the
 * roles say which argument means what, so that one program serves every
 * function of its class. A probe's attach cookie is the line's index. Adding
 * a function is adding a line.
 *
 * Arguments are counted from 0 among the integer arguments, as the ABI passes
 * them: a dim3 takes two places on x86-64 and on arm64 alike. A struct passed
 * by value that does not fit registers (cudaExtent) takes none on x86-64, where
 * it lies on the stack, and one on arm64, where a pointer to it is passed.
 *
 * The runtime's lines are here, the driver's in cutop_driver_calls.h.
 *
 * Signatures: CUDA 10.2 to 13.0 runtime API reference.
 */
#ifndef CUTOP_CALLS_H
#define CUTOP_CALLS_H

#include "cutop_driver_calls.h"

enum call_layer {
	LAYER_RUNTIME,		/* libcudart, shared or linked into a program */
	LAYER_DRIVER,		/* libcuda.so.1 */
	LAYER_COUNT,
	LAYER_EXTRA = LAYER_COUNT,	/* none of CUDA's: a function named by --probe */
};

enum call_class {
	CLASS_ALLOC,		/* a = kind, b = out argument, c = size rule, d = its argument */
	CLASS_FREE,		/* a = argument with the address, b = that with the stream, 0: none */
	CLASS_COPY,		/* a = COPY_ENDS, b = size rule, c = its argument, d = kind */
	CLASS_LAUNCH,		/* a = form, b = argument with the function: 0 or 1 */
	CLASS_SYNC,		/* waits: a = enum sync_scope */
	CLASS_DEVICE,		/* a = argument with the device the thread turns to */
	CLASS_RESET,		/* ends every allocation of the current device */
	CLASS_REGISTER,		/* a = stub, b = kernel's mangled name; no result */
	CLASS_HANDLE,		/* a = out argument for the handle, b = stub, or the handle it comes from */
	CLASS_NAMED,		/* a = out argument for the handle, b = its name; with CALL_NAME_OUT the other way round */
	CLASS_CONTEXT,		/* a = enum context_act, b = context, pool, or where it is written, c = device */
	CLASS_MAP,		/* a = enum map_act, b = address or out argument, c = size or address, d = handle */
	CLASS_SIZE,		/* tells a device's size: a = argument that points to it, b = how many words on, c = device, SIZE_OF_CURRENT */
	CLASS_GRAPH,		/* a = enum graph_role, which says what arguments b, c, d are */
	CLASS_PLAIN,		/* counted and timed only */
	CLASS_EXTRA,		/* the same for what no line of the table names (--probe) */
	CLASS_COUNT,
};

/* What --calls selects. Names in call_group_names[], model/calls.c. */
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
	CALL_ECHO = 2,		/* the result repeats an earlier failure: it is none of its own */
	CALL_POLL = 4,		/* 600 (cudaErrorNotReady) is an answer, not a failure */
	CALL_TO_SYMBOL = 8,	/* the destination is a device variable, given by its host shadow's address */
	CALL_FROM_SYMBOL = 16,	/* the source is one */
	CALL_NARROW = 32,	/* device pointers and sizes have 32 bits: CUDA 3.1 and before */
	CALL_POOL = 64,		/* an allocation from the memory pool in argument 2: it lies on the pool's device */
	CALL_NAME_OUT = 128,	/* the call returns the name of a handle */
	CALL_PER_THREAD = 256,	/* stream 0 means the thread's own */
};

/* What a call does to the thread's context, and what it teaches of contexts (CLASS_CONTEXT, role a). */
enum context_act {
	CONTEXT_SET,
	CONTEXT_PUSH,
	CONTEXT_POP,
	CONTEXT_CREATE,		/* pushes, too */
	CONTEXT_DESTROY,	/* ends the context's allocations */
	CONTEXT_RETAIN,		/* of a device's primary context */
	CONTEXT_RELEASE,	/* the last one ends the device's allocations */
	CONTEXT_RESET,
	CONTEXT_POOL,		/* a pool is made; argument c points to its cudaMemPoolProps */
	CONTEXT_POOL_OF,	/* a device's pool; argument c is the device */
};

#define SIZE_OF_CURRENT	255	/* CLASS_SIZE, role c: the thread's device is meant */
#define SIZE_IN_PROPERTIES	36	/* totalGlobalMem in struct cudaDeviceProp, driver_types.h: in words */

/* For what a synchronizing call waits (CLASS_SYNC, role a). */
enum sync_scope {
	SYNC_OTHER,		/* an event, or what is not known: nothing is taken for done */
	SYNC_DEVICE,		/* all work of the thread's device */
	SYNC_STREAM,		/* all work in the stream of argument 0 */
};

/* Physical memory and the addresses it is mapped at (CLASS_MAP, role a). */
enum map_act {
	MAP_PLACE,
	MAP_REMOVE,
	MAP_RETAIN,		/* one more handle to what is mapped at an address */
};

/* What an allocation is. The first five are VRAM; the others count in no total. */
enum alloc_kind {
	KIND_DEVICE,
	KIND_MANAGED,
	KIND_ASYNC,
	KIND_ARRAY,
	KIND_PHYSICAL,
	KIND_PINNED,
	KIND_REGISTERED,
	KIND_SHARED,
	KIND_COUNT,
};
#define KIND_IS_VRAM(kind) ((kind) <= KIND_PHYSICAL)

/* How many bytes an allocating call asks for (CLASS_ALLOC, role c). */
enum size_rule {
	SIZE_NONE,		/* the call does not say */
	SIZE_ARG,		/* argument d */
	SIZE_PITCH,		/* *(size_t *)argument d, written back, times argument d + 2 */
	SIZE_PITCHED3D,		/* pitch written back in the cudaPitchedPtr, times height and depth */
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
	BYTES_DRIVER_2D,	/* CUDA_MEMCPY2D at argument c */
	BYTES_DRIVER_3D,	/* CUDA_MEMCPY3D or CUDA_MEMCPY3D_PEER at argument c */
};

/* Where a launch's configuration is (CLASS_LAUNCH, role a). */
enum launch_form {
	FORM_ARGS,		/* grid 1-2, block 3-4, shared bytes 6, stream 7 */
	FORM_CONFIG,		/* cudaLaunchConfig_t or CUlaunchConfig, which start alike, at argument 0 */
	FORM_MULTI,		/* argument 1 structs cudaLaunchParams at argument 0 */
	FORM_DRIVER,		/* grid 1-3, block 4-6, shared bytes 7, stream 8 */
	FORM_DRIVER_MULTI,	/* argument 1 structs CUDA_LAUNCH_PARAMS at argument 0 */
	FORM_GRID,		/* grid 1-2; the block was set before */
	FORM_BARE,		/* one block */
};

/*
 * What a call does to graphs (CLASS_GRAPH, role a), and what its arguments b, c
 * and d are. A capture stands for the graph that it will end as.
 */
enum graph_role {
	CAPTURE_BEGIN,		/* stream, the graph to add to (or NO_ARG) */
	CAPTURE_END,		/* stream, out graph */
	CAPTURE_RECORD,		/* event, stream: whoever waits for the event joins the stream's capture */
	CAPTURE_WAIT,		/* stream, event */
	CAPTURE_LEAVE,		/* stream: destroyed */
	GRAPH_CREATE,		/* out graph */
	GRAPH_CLONE,		/* out graph, graph */
	GRAPH_DESTROY,		/* graph */
	GRAPH_ADD_KERNEL,	/* out node, graph, parameters */
	GRAPH_ADD_CHILD,	/* out node, graph, child graph */
	GRAPH_ADD_NODE,		/* out node, graph, parameters with the node's type (one argument on from CUDA 13) */
	GRAPH_REMOVE,		/* node */
	GRAPH_LEARN,		/* node, parameters written by the call */
	GRAPH_SET_KERNEL,	/* node, parameters */
	GRAPH_SET_NODE,		/* node, parameters with the node's type */
	EXEC_CREATE,		/* out executable graph, graph */
	EXEC_SET_KERNEL,	/* executable graph, node, parameters */
	EXEC_SET_NODE,		/* executable graph, node, parameters with the node's type */
	EXEC_SET_CHILD,		/* executable graph, node, child graph */
	EXEC_ENABLE,		/* executable graph, node, whether it is to run */
	EXEC_UPDATE,		/* executable graph, graph */
	EXEC_DESTROY,		/* executable graph */
	EXEC_LAUNCH,		/* executable graph, stream */
	/* only in records (struct rec_graph) */
	GRAPH_RENAME,		/* a capture became a graph */
	GRAPH_SET_CHILD,	/* GRAPH_SET_NODE of a child graph */
	GRAPH_ADD_EXEC,		/* an executable graph was launched into a capture */
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

#define CUTOP_CALLS(CUTOP_CALL) CUTOP_RUNTIME_CALLS(CUTOP_CALL) CUTOP_DRIVER_CALLS(CUTOP_CALL)

#define CUTOP_RUNTIME_CALLS(CUTOP_CALL) \
	/* memory: kind, out argument, size rule, size argument */ \
	CUTOP_CALL(cudaMalloc, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_DEVICE, 0, SIZE_ARG, 1) \
	CUTOP_CALL(cudaMallocPitch, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_DEVICE, 0, SIZE_PITCH, 1) \
	CUTOP_CALL(cudaMalloc3D, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_DEVICE, 0, SIZE_PITCHED3D, 1) \
	CUTOP_CALL(cudaMallocManaged, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_MANAGED, 0, SIZE_ARG, 1) \
	CUTOP_CALL(cudaMallocAsync, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_ASYNC, 0, SIZE_ARG, 1) \
	CUTOP_CALL(cudaMallocAsync_ptsz, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, CALL_PER_THREAD, KIND_ASYNC, 0, SIZE_ARG, 1) \
	CUTOP_CALL(cudaMallocFromPoolAsync, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, CALL_POOL, KIND_ASYNC, 0, SIZE_ARG, 1) \
	CUTOP_CALL(cudaMallocFromPoolAsync_ptsz, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, CALL_POOL | CALL_PER_THREAD, KIND_ASYNC, 0, SIZE_ARG, 1) \
	CUTOP_CALL(cudaMallocArray, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_ARRAY, 0, SIZE_ARRAY, 1) \
	CUTOP_CALL(cudaMalloc3DArray, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_ARRAY, 0, SIZE_ARRAY3D, 1) \
	CUTOP_CALL(cudaMallocMipmappedArray, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_ARRAY, 0, SIZE_MIPMAP, 1) \
	CUTOP_CALL(cudaMallocHost, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_PINNED, 0, SIZE_ARG, 1) \
	CUTOP_CALL(cudaHostAlloc, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_PINNED, 0, SIZE_ARG, 1) \
	CUTOP_CALL(cudaHostRegister, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_REGISTERED, 0, SIZE_REGISTER, 1) \
	CUTOP_CALL(cudaIpcOpenMemHandle, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_SHARED, 0, SIZE_NONE, 0) \
	CUTOP_CALL(cudaMemPoolImportPointer, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_SHARED, 0, SIZE_NONE, 0) \
	CUTOP_CALL(cudaExternalMemoryGetMappedBuffer, LAYER_RUNTIME, CLASS_ALLOC, GROUP_MEMORY, 0, KIND_SHARED, 0, SIZE_NONE, 0) \
	/* memory: argument that is freed */ \
	CUTOP_CALL(cudaFree, LAYER_RUNTIME, CLASS_FREE, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaFreeAsync, LAYER_RUNTIME, CLASS_FREE, GROUP_MEMORY, 0, 0, 1, 0, 0) \
	CUTOP_CALL(cudaFreeAsync_ptsz, LAYER_RUNTIME, CLASS_FREE, GROUP_MEMORY, CALL_PER_THREAD, 0, 1, 0, 0) \
	CUTOP_CALL(cudaFreeHost, LAYER_RUNTIME, CLASS_FREE, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaFreeArray, LAYER_RUNTIME, CLASS_FREE, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaFreeMipmappedArray, LAYER_RUNTIME, CLASS_FREE, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaHostUnregister, LAYER_RUNTIME, CLASS_FREE, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaIpcCloseMemHandle, LAYER_RUNTIME, CLASS_FREE, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	/* copies: COPY_ENDS(destination, source), size rule, size argument, kind argument or fixed direction */ \
	CUTOP_CALL(cudaMemcpy, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 1), BYTES_ARG, 2, 3) \
	CUTOP_CALL(cudaMemcpy_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 1), BYTES_ARG, 2, 3) \
	CUTOP_CALL(cudaMemcpyAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 1), BYTES_ARG, 2, 3) \
	CUTOP_CALL(cudaMemcpyAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 1), BYTES_ARG, 2, 3) \
	CUTOP_CALL(cudaMemcpy2D, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 2), BYTES_2D, 4, 6) \
	CUTOP_CALL(cudaMemcpy2D_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 2), BYTES_2D, 4, 6) \
	CUTOP_CALL(cudaMemcpy2DAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 2), BYTES_2D, 4, 6) \
	CUTOP_CALL(cudaMemcpy2DAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 2), BYTES_2D, 4, 6) \
	CUTOP_CALL(cudaMemcpy2DToArray, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 3), BYTES_2D, 5, 7) \
	CUTOP_CALL(cudaMemcpy2DToArray_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 3), BYTES_2D, 5, 7) \
	CUTOP_CALL(cudaMemcpy2DToArrayAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 3), BYTES_2D, 5, 7) \
	CUTOP_CALL(cudaMemcpy2DToArrayAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 3), BYTES_2D, 5, 7) \
	CUTOP_CALL(cudaMemcpy2DFromArray, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 2), BYTES_2D, 5, 7) \
	CUTOP_CALL(cudaMemcpy2DFromArray_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 2), BYTES_2D, 5, 7) \
	CUTOP_CALL(cudaMemcpy2DFromArrayAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 2), BYTES_2D, 5, 7) \
	CUTOP_CALL(cudaMemcpy2DFromArrayAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 2), BYTES_2D, 5, 7) \
	CUTOP_CALL(cudaMemcpy2DArrayToArray, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 3), BYTES_2D, 6, 8) \
	CUTOP_CALL(cudaMemcpy2DArrayToArray_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 3), BYTES_2D, 6, 8) \
	CUTOP_CALL(cudaMemcpyToArray, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 3), BYTES_ARG, 4, 5) \
	CUTOP_CALL(cudaMemcpyToArray_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 3), BYTES_ARG, 4, 5) \
	CUTOP_CALL(cudaMemcpyToArrayAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 3), BYTES_ARG, 4, 5) \
	CUTOP_CALL(cudaMemcpyToArrayAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 3), BYTES_ARG, 4, 5) \
	CUTOP_CALL(cudaMemcpyFromArray, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 1), BYTES_ARG, 4, 5) \
	CUTOP_CALL(cudaMemcpyFromArray_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 1), BYTES_ARG, 4, 5) \
	CUTOP_CALL(cudaMemcpyFromArrayAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 1), BYTES_ARG, 4, 5) \
	CUTOP_CALL(cudaMemcpyFromArrayAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 1), BYTES_ARG, 4, 5) \
	CUTOP_CALL(cudaMemcpyArrayToArray, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 3), BYTES_ARG, 6, 7) \
	CUTOP_CALL(cudaMemcpyArrayToArray_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 3), BYTES_ARG, 6, 7) \
	CUTOP_CALL(cudaMemcpyToSymbol, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_TO_SYMBOL, COPY_ENDS(0, 1), BYTES_ARG, 2, 4) \
	CUTOP_CALL(cudaMemcpyToSymbol_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_TO_SYMBOL, COPY_ENDS(0, 1), BYTES_ARG, 2, 4) \
	CUTOP_CALL(cudaMemcpyToSymbolAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC | CALL_TO_SYMBOL, COPY_ENDS(0, 1), BYTES_ARG, 2, 4) \
	CUTOP_CALL(cudaMemcpyToSymbolAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC | CALL_TO_SYMBOL, COPY_ENDS(0, 1), BYTES_ARG, 2, 4) \
	CUTOP_CALL(cudaMemcpyFromSymbol, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_FROM_SYMBOL, COPY_ENDS(0, 1), BYTES_ARG, 2, 4) \
	CUTOP_CALL(cudaMemcpyFromSymbol_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_FROM_SYMBOL, COPY_ENDS(0, 1), BYTES_ARG, 2, 4) \
	CUTOP_CALL(cudaMemcpyFromSymbolAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC | CALL_FROM_SYMBOL, COPY_ENDS(0, 1), BYTES_ARG, 2, 4) \
	CUTOP_CALL(cudaMemcpyFromSymbolAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC | CALL_FROM_SYMBOL, COPY_ENDS(0, 1), BYTES_ARG, 2, 4) \
	CUTOP_CALL(cudaMemcpyPeer, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 2), BYTES_ARG, 4, COPY_FIXED | DIR_P2P) \
	CUTOP_CALL(cudaMemcpyPeerAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 2), BYTES_ARG, 4, COPY_FIXED | DIR_P2P) \
	CUTOP_CALL(cudaMemcpy3D, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 0), BYTES_3D, 0, 0) \
	CUTOP_CALL(cudaMemcpy3D_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 0), BYTES_3D, 0, 0) \
	CUTOP_CALL(cudaMemcpy3DAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 0), BYTES_3D, 0, 0) \
	CUTOP_CALL(cudaMemcpy3DAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 0), BYTES_3D, 0, 0) \
	CUTOP_CALL(cudaMemcpy3DPeer, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 0), BYTES_3D_PEER, 0, COPY_FIXED | DIR_P2P) \
	CUTOP_CALL(cudaMemcpy3DPeer_ptds, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, 0, COPY_ENDS(0, 0), BYTES_3D_PEER, 0, COPY_FIXED | DIR_P2P) \
	CUTOP_CALL(cudaMemcpy3DPeerAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 0), BYTES_3D_PEER, 0, COPY_FIXED | DIR_P2P) \
	CUTOP_CALL(cudaMemcpy3DPeerAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 0), BYTES_3D_PEER, 0, COPY_FIXED | DIR_P2P) \
	CUTOP_CALL(cudaMemcpyBatchAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 1), BYTES_BATCH, 2, COPY_FIXED | DIR_DEFAULT) \
	CUTOP_CALL(cudaMemcpyBatchAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(0, 1), BYTES_BATCH, 2, COPY_FIXED | DIR_DEFAULT) \
	CUTOP_CALL(cudaMemcpy3DBatchAsync, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(1, 1), BYTES_BATCH3D, 0, COPY_FIXED | DIR_UNKNOWN) \
	CUTOP_CALL(cudaMemcpy3DBatchAsync_ptsz, LAYER_RUNTIME, CLASS_COPY, GROUP_COPY, CALL_ASYNC, COPY_ENDS(1, 1), BYTES_BATCH3D, 0, COPY_FIXED | DIR_UNKNOWN) \
	/* launches: where grid, block, shared bytes and stream are; the function argument */ \
	CUTOP_CALL(cudaLaunchKernel, LAYER_RUNTIME, CLASS_LAUNCH, GROUP_LAUNCH, 0, FORM_ARGS, 0, 0, 0) \
	CUTOP_CALL(cudaLaunchKernel_ptsz, LAYER_RUNTIME, CLASS_LAUNCH, GROUP_LAUNCH, CALL_PER_THREAD, FORM_ARGS, 0, 0, 0) \
	CUTOP_CALL(cudaLaunchCooperativeKernel, LAYER_RUNTIME, CLASS_LAUNCH, GROUP_LAUNCH, 0, FORM_ARGS, 0, 0, 0) \
	CUTOP_CALL(cudaLaunchCooperativeKernel_ptsz, LAYER_RUNTIME, CLASS_LAUNCH, GROUP_LAUNCH, CALL_PER_THREAD, FORM_ARGS, 0, 0, 0) \
	CUTOP_CALL(cudaLaunchKernelExC, LAYER_RUNTIME, CLASS_LAUNCH, GROUP_LAUNCH, 0, FORM_CONFIG, 1, 0, 0) \
	CUTOP_CALL(cudaLaunchKernelExC_ptsz, LAYER_RUNTIME, CLASS_LAUNCH, GROUP_LAUNCH, CALL_PER_THREAD, FORM_CONFIG, 1, 0, 0) \
	CUTOP_CALL(cudaLaunchCooperativeKernelMultiDevice, LAYER_RUNTIME, CLASS_LAUNCH, GROUP_LAUNCH, 0, FORM_MULTI, 0, 0, 0) \
	/* calls that wait for the device */ \
	CUTOP_CALL(cudaDeviceSynchronize, LAYER_RUNTIME, CLASS_SYNC, GROUP_SYNC, 0, SYNC_DEVICE, 0, 0, 0) \
	CUTOP_CALL(cudaThreadSynchronize, LAYER_RUNTIME, CLASS_SYNC, GROUP_SYNC, 0, SYNC_DEVICE, 0, 0, 0) \
	CUTOP_CALL(cudaStreamSynchronize, LAYER_RUNTIME, CLASS_SYNC, GROUP_SYNC, 0, SYNC_STREAM, 0, 0, 0) \
	CUTOP_CALL(cudaStreamSynchronize_ptsz, LAYER_RUNTIME, CLASS_SYNC, GROUP_SYNC, 0, SYNC_STREAM, 0, 0, 0) \
	CUTOP_CALL(cudaEventSynchronize, LAYER_RUNTIME, CLASS_SYNC, GROUP_SYNC, 0, 0, 0, 0, 0) \
	/* the device a thread works on, and its end */ \
	CUTOP_CALL(cudaSetDevice, LAYER_RUNTIME, CLASS_DEVICE, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceReset, LAYER_RUNTIME, CLASS_RESET, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaThreadExit, LAYER_RUNTIME, CLASS_RESET, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	/* what teaches kernel names */ \
	CUTOP_CALL(__cudaRegisterFunction, LAYER_RUNTIME, CLASS_REGISTER, GROUP_NAME, 0, 1, 2, 0, 0) \
	CUTOP_CALL(__cudaGetKernel, LAYER_RUNTIME, CLASS_HANDLE, GROUP_NAME, 0, 0, 1, 0, 0) \
	CUTOP_CALL(cudaGetKernel, LAYER_RUNTIME, CLASS_HANDLE, GROUP_NAME, 0, 0, 1, 0, 0) \
	CUTOP_CALL(cudaGetFuncBySymbol, LAYER_RUNTIME, CLASS_HANDLE, GROUP_NAME, 0, 0, 1, 0, 0) \
	CUTOP_CALL(cudaLibraryGetKernel, LAYER_RUNTIME, CLASS_NAMED, GROUP_NAME, 0, 0, 2, 0, 0) \
	CUTOP_CALL(cudaFuncGetName, LAYER_RUNTIME, CLASS_NAMED, GROUP_NAME, CALL_NAME_OUT, 1, 0, 0, 0) \
	/* memory without an allocation, a free or a copy */ \
	CUTOP_CALL(cudaArrayGetInfo, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaArrayGetMemoryRequirements, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaArrayGetPlane, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaArrayGetSparseProperties, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDestroyExternalMemory, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDestroyExternalSemaphore, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaCreateSurfaceObject, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaCreateTextureObject, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDestroySurfaceObject, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDestroyTextureObject, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaExternalMemoryGetMappedMipmappedArray, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGetChannelDesc, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGetMipmappedArrayLevel, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGetSymbolAddress, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGetSymbolSize, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaHostGetDevicePointer, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaHostGetFlags, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaImportExternalMemory, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaImportExternalSemaphore, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaIpcGetMemHandle, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemAdvise, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemAdvise_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemDiscardAndPrefetchBatchAsync, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemDiscardAndPrefetchBatchAsync_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemDiscardBatchAsync, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemDiscardBatchAsync_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemGetDefaultMemPool, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemGetInfo, LAYER_RUNTIME, CLASS_SIZE, GROUP_MEMORY, 0, 1, 0, SIZE_OF_CURRENT, 0) \
	CUTOP_CALL(cudaMemGetMemPool, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPoolCreate, LAYER_RUNTIME, CLASS_CONTEXT, GROUP_MEMORY, 0, CONTEXT_POOL, 0, 1, 0) \
	CUTOP_CALL(cudaMemPoolDestroy, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPoolExportPointer, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPoolExportToShareableHandle, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPoolGetAccess, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPoolGetAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPoolImportFromShareableHandle, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPoolSetAccess, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPoolSetAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPoolTrimTo, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPrefetchAsync, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPrefetchAsync_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPrefetchAsync_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPrefetchAsync_v2_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPrefetchBatchAsync, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemPrefetchBatchAsync_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemRangeGetAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemRangeGetAttributes, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemSetMemPool, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemset, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemset2D, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemset2DAsync, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemset2DAsync_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemset2D_ptds, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemset3D, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemset3DAsync, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemset3DAsync_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemset3D_ptds, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemsetAsync, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemsetAsync_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMemset_ptds, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMipmappedArrayGetMemoryRequirements, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaMipmappedArrayGetSparseProperties, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MEMORY, 0, 0, 0, 0, 0) \
	/* streams */ \
	CUTOP_CALL(cudaLaunchHostFunc, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaLaunchHostFunc_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaSignalExternalSemaphoresAsync, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaSignalExternalSemaphoresAsync_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaSignalExternalSemaphoresAsync_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaSignalExternalSemaphoresAsync_v2_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamAddCallback, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamAddCallback_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamAttachMemAsync, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamAttachMemAsync_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamBeginCapture, LAYER_RUNTIME, CLASS_GRAPH, GROUP_STREAM, 0, CAPTURE_BEGIN, 0, NO_ARG, NO_ARG) \
	CUTOP_CALL(cudaStreamBeginCaptureToGraph, LAYER_RUNTIME, CLASS_GRAPH, GROUP_STREAM, 0, CAPTURE_BEGIN, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaStreamBeginCaptureToGraph_ptsz, LAYER_RUNTIME, CLASS_GRAPH, GROUP_STREAM, CALL_PER_THREAD, CAPTURE_BEGIN, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaStreamBeginCapture_ptsz, LAYER_RUNTIME, CLASS_GRAPH, GROUP_STREAM, CALL_PER_THREAD, CAPTURE_BEGIN, 0, NO_ARG, NO_ARG) \
	CUTOP_CALL(cudaStreamCopyAttributes, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamCopyAttributes_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamCreate, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamCreateWithFlags, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamCreateWithPriority, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamDestroy, LAYER_RUNTIME, CLASS_GRAPH, GROUP_STREAM, 0, CAPTURE_LEAVE, 0, NO_ARG, NO_ARG) \
	CUTOP_CALL(cudaStreamEndCapture, LAYER_RUNTIME, CLASS_GRAPH, GROUP_STREAM, 0, CAPTURE_END, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaStreamEndCapture_ptsz, LAYER_RUNTIME, CLASS_GRAPH, GROUP_STREAM, CALL_PER_THREAD, CAPTURE_END, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaStreamGetAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetAttribute_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetDevice, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetDevice_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetFlags, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetFlags_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetId, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetId_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetPriority, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetPriority_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamSetAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamSetAttribute_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamUpdateCaptureDependencies, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamUpdateCaptureDependencies_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamUpdateCaptureDependencies_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamUpdateCaptureDependencies_v2_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamWaitEvent, LAYER_RUNTIME, CLASS_GRAPH, GROUP_STREAM, 0, CAPTURE_WAIT, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaStreamWaitEvent_ptsz, LAYER_RUNTIME, CLASS_GRAPH, GROUP_STREAM, CALL_PER_THREAD, CAPTURE_WAIT, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaWaitExternalSemaphoresAsync, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaWaitExternalSemaphoresAsync_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaWaitExternalSemaphoresAsync_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaWaitExternalSemaphoresAsync_v2_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_STREAM, 0, 0, 0, 0, 0) \
	/* events */ \
	CUTOP_CALL(cudaEventCreate, LAYER_RUNTIME, CLASS_PLAIN, GROUP_EVENT, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaEventCreateFromEGLSync, LAYER_RUNTIME, CLASS_PLAIN, GROUP_EVENT, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaEventCreateWithFlags, LAYER_RUNTIME, CLASS_PLAIN, GROUP_EVENT, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaEventDestroy, LAYER_RUNTIME, CLASS_PLAIN, GROUP_EVENT, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaEventElapsedTime, LAYER_RUNTIME, CLASS_PLAIN, GROUP_EVENT, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaEventElapsedTime_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_EVENT, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaEventRecord, LAYER_RUNTIME, CLASS_GRAPH, GROUP_EVENT, 0, CAPTURE_RECORD, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaEventRecordWithFlags, LAYER_RUNTIME, CLASS_GRAPH, GROUP_EVENT, 0, CAPTURE_RECORD, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaEventRecordWithFlags_ptsz, LAYER_RUNTIME, CLASS_GRAPH, GROUP_EVENT, CALL_PER_THREAD, CAPTURE_RECORD, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaEventRecord_ptsz, LAYER_RUNTIME, CLASS_GRAPH, GROUP_EVENT, CALL_PER_THREAD, CAPTURE_RECORD, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaIpcGetEventHandle, LAYER_RUNTIME, CLASS_PLAIN, GROUP_EVENT, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaIpcOpenEventHandle, LAYER_RUNTIME, CLASS_PLAIN, GROUP_EVENT, 0, 0, 0, 0, 0) \
	/* devices */ \
	CUTOP_CALL(cudaChooseDevice, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaCtxResetPersistingL2Cache, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceCanAccessPeer, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceDisablePeerAccess, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceEnablePeerAccess, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceFlushGPUDirectRDMAWrites, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetByPCIBusId, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetCacheConfig, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetDefaultMemPool, LAYER_RUNTIME, CLASS_CONTEXT, GROUP_DEVICE, 0, CONTEXT_POOL_OF, 0, 1, 0) \
	CUTOP_CALL(cudaDeviceGetGraphMemAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetHostAtomicCapabilities, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetLimit, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetMemPool, LAYER_RUNTIME, CLASS_CONTEXT, GROUP_DEVICE, 0, CONTEXT_POOL_OF, 0, 1, 0) \
	CUTOP_CALL(cudaDeviceGetNvSciSyncAttributes, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetP2PAtomicCapabilities, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetP2PAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetPCIBusId, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetSharedMemConfig, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetStreamPriorityRange, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGetTexture1DLinearMaxWidth, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceGraphMemTrim, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceRegisterAsyncNotification, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceSetCacheConfig, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceSetGraphMemAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceSetLimit, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceSetMemPool, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceSetSharedMemConfig, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDeviceUnregisterAsyncNotification, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGetDeviceFlags, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGetDeviceProperties, LAYER_RUNTIME, CLASS_SIZE, GROUP_DEVICE, 0, 0, SIZE_IN_PROPERTIES, 1, 0) \
	CUTOP_CALL(cudaGetDeviceProperties_v2, LAYER_RUNTIME, CLASS_SIZE, GROUP_DEVICE, 0, 0, SIZE_IN_PROPERTIES, 1, 0) \
	CUTOP_CALL(cudaInitDevice, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaSetDeviceFlags, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaSetValidDevices, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaThreadGetCacheConfig, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaThreadGetLimit, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaThreadSetCacheConfig, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaThreadSetLimit, LAYER_RUNTIME, CLASS_PLAIN, GROUP_DEVICE, 0, 0, 0, 0, 0) \
	/* graphs */ \
	CUTOP_CALL(cudaGraphAddChildGraphNode, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, GRAPH_ADD_CHILD, 0, 1, 4) \
	CUTOP_CALL(cudaGraphAddDependencies, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddDependencies_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddEmptyNode, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddEventRecordNode, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddEventWaitNode, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddExternalSemaphoresSignalNode, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddExternalSemaphoresWaitNode, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddHostNode, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddKernelNode, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, GRAPH_ADD_KERNEL, 0, 1, 4) \
	CUTOP_CALL(cudaGraphAddMemAllocNode, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddMemFreeNode, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddMemcpyNode, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddMemcpyNode1D, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddMemcpyNodeFromSymbol, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddMemcpyNodeToSymbol, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddMemsetNode, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphAddNode, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, GRAPH_ADD_NODE, 0, 1, 4) \
	CUTOP_CALL(cudaGraphAddNode_v2, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, GRAPH_ADD_NODE, 0, 1, 5) \
	CUTOP_CALL(cudaGraphChildGraphNodeGetGraph, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphClone, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, GRAPH_CLONE, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphConditionalHandleCreate, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphCreate, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, GRAPH_CREATE, 0, NO_ARG, NO_ARG) \
	CUTOP_CALL(cudaGraphDebugDotPrint, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphDestroy, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, GRAPH_DESTROY, 0, NO_ARG, NO_ARG) \
	CUTOP_CALL(cudaGraphDestroyNode, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, GRAPH_REMOVE, 0, NO_ARG, NO_ARG) \
	CUTOP_CALL(cudaGraphEventRecordNodeGetEvent, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphEventRecordNodeSetEvent, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphEventWaitNodeGetEvent, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphEventWaitNodeSetEvent, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecChildGraphNodeSetParams, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, EXEC_SET_CHILD, 0, 1, 2) \
	CUTOP_CALL(cudaGraphExecDestroy, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, EXEC_DESTROY, 0, NO_ARG, NO_ARG) \
	CUTOP_CALL(cudaGraphExecEventRecordNodeSetEvent, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecEventWaitNodeSetEvent, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecExternalSemaphoresSignalNodeSetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecExternalSemaphoresWaitNodeSetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecGetFlags, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecHostNodeSetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecKernelNodeSetParams, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, EXEC_SET_KERNEL, 0, 1, 2) \
	CUTOP_CALL(cudaGraphExecMemcpyNodeSetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecMemcpyNodeSetParams1D, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecMemcpyNodeSetParamsFromSymbol, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecMemcpyNodeSetParamsToSymbol, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecMemsetNodeSetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExecNodeSetParams, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, EXEC_SET_NODE, 0, 1, 2) \
	CUTOP_CALL(cudaGraphExecUpdate, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, EXEC_UPDATE, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphExternalSemaphoresSignalNodeGetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExternalSemaphoresSignalNodeSetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExternalSemaphoresWaitNodeGetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphExternalSemaphoresWaitNodeSetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphGetEdges, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphGetEdges_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphGetNodes, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphGetRootNodes, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphHostNodeGetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphHostNodeSetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphInstantiate, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, EXEC_CREATE, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphInstantiateWithFlags, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, EXEC_CREATE, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphInstantiateWithParams, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, EXEC_CREATE, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphInstantiateWithParams_ptsz, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, CALL_PER_THREAD, EXEC_CREATE, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphInstantiate_v12000, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, EXEC_CREATE, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphKernelNodeCopyAttributes, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphKernelNodeGetAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphKernelNodeGetParams, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, GRAPH_LEARN, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphKernelNodeSetAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphKernelNodeSetParams, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, GRAPH_SET_KERNEL, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphLaunch, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, EXEC_LAUNCH, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphLaunch_ptsz, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, CALL_PER_THREAD, EXEC_LAUNCH, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphMemAllocNodeGetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphMemFreeNodeGetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphMemcpyNodeGetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphMemcpyNodeSetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphMemcpyNodeSetParams1D, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphMemcpyNodeSetParamsFromSymbol, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphMemcpyNodeSetParamsToSymbol, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphMemsetNodeGetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphMemsetNodeSetParams, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphNodeFindInClone, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphNodeGetDependencies, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphNodeGetDependencies_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphNodeGetDependentNodes, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphNodeGetDependentNodes_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphNodeGetEnabled, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphNodeGetType, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphNodeSetEnabled, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, EXEC_ENABLE, 0, 1, 2) \
	CUTOP_CALL(cudaGraphNodeSetParams, LAYER_RUNTIME, CLASS_GRAPH, GROUP_GRAPH, 0, GRAPH_SET_NODE, 0, 1, NO_ARG) \
	CUTOP_CALL(cudaGraphReleaseUserObject, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphRemoveDependencies, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphRemoveDependencies_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphRetainUserObject, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphUpload, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGraphUpload_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_GRAPH, 0, 0, 0, 0, 0) \
	/* libraries and functions */ \
	CUTOP_CALL(cudaFuncGetParamInfo, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaFuncSetAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaFuncSetCacheConfig, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaFuncSetSharedMemConfig, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaKernelSetAttributeForDevice, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaLibraryEnumerateKernels, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaLibraryGetGlobal, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaLibraryGetKernelCount, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaLibraryGetManaged, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaLibraryGetUnifiedFunction, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaLibraryLoadData, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaLibraryLoadFromFile, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaLibraryUnload, LAYER_RUNTIME, CLASS_PLAIN, GROUP_MODULE, 0, 0, 0, 0, 0) \
	/* cheap queries that programs poll: off by default */ \
	CUTOP_CALL(cudaDeviceGetAttribute, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaDriverGetVersion, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaEventQuery, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, CALL_POLL, 0, 0, 0, 0) \
	CUTOP_CALL(cudaFuncGetAttributes, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGetDevice, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGetDeviceCount, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaGetLastError, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, CALL_ECHO, 0, 0, 0, 0) \
	CUTOP_CALL(cudaOccupancyAvailableDynamicSMemPerBlock, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaOccupancyMaxActiveClusters, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaOccupancyMaxPotentialClusterSize, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaPeekAtLastError, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, CALL_ECHO, 0, 0, 0, 0) \
	CUTOP_CALL(cudaPointerGetAttributes, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaRuntimeGetVersion, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetCaptureInfo, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetCaptureInfo_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetCaptureInfo_v2, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetCaptureInfo_v2_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetCaptureInfo_v3, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamGetCaptureInfo_v3_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamIsCapturing, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamIsCapturing_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamQuery, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, CALL_POLL, 0, 0, 0, 0) \
	CUTOP_CALL(cudaStreamQuery_ptsz, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, CALL_POLL, 0, 0, 0, 0) \
	CUTOP_CALL(cudaThreadExchangeStreamCaptureMode, LAYER_RUNTIME, CLASS_PLAIN, GROUP_QUERY, 0, 0, 0, 0, 0)

enum call_id {
#define CUTOP_CALL(symbol, layer, class, group, flags, a, b, c, d) CALL_##symbol,
	CUTOP_CALLS(CUTOP_CALL)
#undef CUTOP_CALL
	CALL_COUNT,
};

#endif
