// SPDX-License-Identifier: GPL-2.0-or-later
/* What odd_memory does with copies: batches, directions, peers, contexts. */
#include <stdlib.h>
#include <unistd.h>

#include "odd_cuda.h"

#define NOT_MAPPED ((void *)0x3ffffffff000)

typedef cudaError_t batch(void **dsts, void **srcs, size_t *sizes, size_t count, void *attributes,
			  size_t *indices, size_t attribute_count, cudaStream_t stream);
typedef cudaError_t batch_3d(size_t count, void *operations, unsigned long long flags,
			     cudaStream_t stream);

int batches(void)
{
	batch *newer = (batch *)(uintptr_t)cudaMemcpyBatchAsync;
	batch_3d *newer_3d = (batch_3d *)(uintptr_t)cudaMemcpy3DBatchAsync;
	struct {
		char ends[80];
		struct cudaExtent extent;
		int mode;
	} operations[2] = {
		{ .extent = { 2, 3, 4 } },
		{ .extent = { 5, 6, 7 } },
	};
	size_t sizes[3] = { 10, 20, 30 }, none = 0, one = 1, three = 3, two = 2, failed;
	void *ends[3] = { sizes, sizes, sizes }, *attributes = ends;
	cudaStream_t stream = (cudaStream_t)HEAP;

	cudaMemcpyBatchAsync(ends, ends, sizes, three, attributes, &none, one, &failed, stream);
	newer(ends, ends, sizes, three, attributes, &none, one, stream);
	cudaMemcpy3DBatchAsync(two, operations, &failed, 0, stream);
	newer_3d(two, operations, 0, stream);
	newer(ends, ends, NOT_MAPPED, three, attributes, &none, one, stream);
	newer_3d(two, NOT_MAPPED, 0, stream);
	return 0;
}

/* struct cudaMemcpy3DBatchOp */
struct operation {
	struct {
		int type; /* cudaMemcpyOperandType */
		const void *address;
		size_t more[3];
	} source, destination;
	struct cudaExtent extent;
	int mode, flags;
};
#define POINTER 1
#define ARRAY   2

static void levels(void *host, cudaStream_t stream)
{
	struct cudaChannelFormatDesc desc = { 32, 32, 32, 32, cudaChannelFormatKindFloat };
	struct cudaMemcpy3DParms params = { .srcPtr = { host, 64, 4, 4 },
					    .extent = { 4, 4, 1 },
					    .kind = cudaMemcpyDefault };
	struct cudaExtent extent = { 4, 4, 0 };
	cudaMipmappedArray_t mipmap;
	cudaArray_t one, two;

	cudaMallocMipmappedArray(&mipmap, &desc, extent, 3, 0);
	cudaGetMipmappedArrayLevel(&one, mipmap, 0);
	cudaGetMipmappedArrayLevel(&two, mipmap, 1);
	params.dstArray = one;
	cudaMemcpy3DAsync(&params, stream);
	params.srcArray = one;
	params.dstArray = two;
	params.extent = (struct cudaExtent){ 2, 2, 1 };
	cudaMemcpy3DAsync(&params, stream);
	cuMipmappedArrayGetLevel((CUarray *)&two, (CUmipmappedArray)mipmap, 2);
	params.srcArray = two;
	params.dstArray = NULL;
	params.dstPtr = params.srcPtr;
	params.extent = (struct cudaExtent){ 1, 1, 1 };
	cudaMemcpy3DAsync(&params, stream);
}

static void variables(void *host, cudaStream_t stream)
{
	cudaGraph_t graph;
	CUdeviceptr other;
	size_t size = 0;
	void *one;

	cudaGetSymbolAddress(&one, &size);
	cudaMemcpy(one, host, 7, cudaMemcpyDefault);
	cuModuleGetGlobal_v2(&other, &size, NULL, "other");
	cudaMemcpy(host, (void *)(uintptr_t)(other + 4), 9, cudaMemcpyDefault);
	cuGraphicsResourceGetMappedPointer_v2(&other, &size, NULL);
	cudaMemcpy((void *)(uintptr_t)(other + 63), host, 11, cudaMemcpyDefault);
	cuGLMapBufferObject_v2(&other, &size, 0);
	cudaMemcpy((void *)(uintptr_t)(other + 63), host, 15, cudaMemcpyDefault);
	cudaGLMapBufferObject(&one, 0);
	cudaMemcpy(one, host, 17, cudaMemcpyDefault);
	cudaStreamBeginCapture(stream, 0);
	cudaMallocFromPoolAsync(&one, 128, NULL, stream);
	cudaStreamEndCapture(stream, &graph);
	cudaMemcpy(host, (char *)one + 5, 13, cudaMemcpyDefault);
}

int directions(void)
{
	static char host[1000], *dsts[1000], *srcs[1000];
	static size_t sizes[1000];
	struct cudaChannelFormatDesc desc = { 32, 32, 32, 32, cudaChannelFormatKindFloat };
	batch *newer = (batch *)(uintptr_t)cudaMemcpyBatchAsync;
	batch_3d *newer_3d = (batch_3d *)(uintptr_t)cudaMemcpy3DBatchAsync;
	cudaStream_t stream = (cudaStream_t)HEAP;
	struct operation operations[2], one;
	size_t none = 0, i;
	cudaArray_t array;
	void *memory;

	cudaMallocFromPoolAsync(&memory, 200, NULL, stream);
	cudaMallocArray(&array, &desc, 64, 64, 0);
	for (i = 0; i < 1000; i++) {
		dsts[i] = memory;
		srcs[i] = host;
		sizes[i] = 10;
	}
	newer((void **)dsts, (void **)srcs, sizes, 1000, dsts, &none, 1, stream);

	one = (struct operation){
		{ POINTER, host, { 0 } }, { ARRAY, array, { 0 } }, { 2, 3, 4 }, 1, 0
	};
	operations[0] = operations[1] = one;
	operations[1].extent = (struct cudaExtent){ 5, 6, 7 };
	newer_3d(2, operations, 0, stream);

	cudaMemcpyWithAttributesAsync(host, memory, 100, dsts, stream);
	one.source = one.destination;
	one.destination.type = POINTER;
	one.destination.address = memory;
	cudaMemcpy3DWithAttributesAsync(&one, 0, stream);
	cuMemcpyWithAttributesAsync((CUdeviceptr)(uintptr_t)memory, (CUdeviceptr)(uintptr_t)host,
				    50, dsts, (CUstream)stream);
	one.source.type = POINTER;
	one.source.address = host;
	cuMemcpy3DWithAttributesAsync(&one, 0, (CUstream)stream);
	levels(host, stream);
	variables(host, stream);
	return 0;
}

/* Physical memory at @location, mapped at @at. */
static void *map_at(size_t at, CUmemLocation location)
{
	CUmemAllocationProp prop = { .type = 1, .location = location };
	CUmemGenericAllocationHandle handle;

	cuMemCreate(&handle, 2 * MIB, &prop, 0);
	cuMemMap(SPACE + at, 2 * MIB, 0, handle, 0);
	return (void *)(uintptr_t)(SPACE + at);
}

/* None of this memory can be read, but the stack and the heap. */
int late(void)
{
	void *old, *on_device = NULL, *on_host, *registered = (void *)(uintptr_t)(SPACE - 2 * MIB);
	cudaStream_t stream = (cudaStream_t)HEAP;
	char on_stack[512] = "", *heap = calloc(1, 4), byte;
	void *managed;
	size_t i;

	cudaMalloc(&old, 4096);
	given += 4096;
	if (!heap || write(1, "ready\n", 6) != 6 || read(0, &byte, 1) != 1)
		return 1;
	for (i = 0; i < 65; i++) {
		on_device = map_at(2 * MIB * i, (CUmemLocation){ 1, 0 });
		cudaMemcpyAsync(on_device, on_stack, 8, cudaMemcpyDefault, stream);
		cudaMemcpyAsync(on_device, heap, 4, cudaMemcpyDefault, stream);
	}
	on_host = map_at(2 * MIB * i++, (CUmemLocation){ 3, 0 });
	cudaMemcpyAsync(on_device, on_host, 32, cudaMemcpyDefault, stream);
	cudaMemcpyAsync(on_host, on_device, 16, cudaMemcpyDefault, stream);
	cudaHostRegister(registered, 4096, 0);
	cudaMemcpyAsync(registered, on_device, 64, cudaMemcpyDefault, stream);
	cudaMallocManaged(&managed, 4096, 1);
	cudaMemcpyAsync(managed, on_stack, 128, cudaMemcpyDefault, stream);
	cudaMemcpyAsync(on_device, managed, 256, cudaMemcpyDefault, stream);
	cudaMemcpyAsync(old, on_stack, 512, cudaMemcpyDefault, stream);
	on_device = map_at(2 * MIB * i, (CUmemLocation){ 1, 1 });
	cuMemcpyHtoDAsync_v2((CUdeviceptr)(uintptr_t)on_device, on_stack, 1000, (CUstream)stream);
	return write(1, "over\n", 5) != 5 || read(0, &byte, 1) != 1;
}

static void peer_box(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
		     size_t bytes)
{
	CUDA_MEMCPY3D box = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE,
		.srcDevice = from,
		.reserved0 = from_context,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE,
		.dstDevice = to,
		.reserved1 = to_context,
		.WidthInBytes = bytes / 10,
		.Height = 5,
		.Depth = 2,
	};

	cuMemcpy3DPeer(&box);
}

int peers(void)
{
	CUcontext here, there, second;
	CUdeviceptr near, far;

	cuDevicePrimaryCtxRetain(&here, 0);
	cuDevicePrimaryCtxRetain(&there, 1);
	cuCtxCreate_v2(&second, 0, 0);
	given += 4096;
	cuCtxSetCurrent(here);
	cuMemAlloc_v2(&near, 4096);
	given += 8192;
	cuCtxSetCurrent(there);
	cuMemAlloc_v2(&far, 4096);
	cuMemcpyPeer(near, here, near + 2048, here, 10);
	cuMemcpyPeerAsync(near, here, near + 2048, here, 20, NULL);
	cuMemcpyPeer(far, there, near, here, 30);
	cuMemcpyPeerAsync(near, second, far, there, 40, NULL);
	peer_box(near, here, near + 2048, here, 100);
	cuMemcpyPeer(near, here, near + 2048, second, 1000);
	peer_box(far, there, near, here, 2000);
	return 0;
}

/*
 * cuda.h, cuCtxSynchronize(): "If the current context is the primary context, green contexts that
 * have been created will also be synchronized": if it is a green one, nothing of the primary one
 * is.
 */
int green_synchronize(bool primary)
{
	CUcontext context, part;
	void *green;

	cuDevicePrimaryCtxRetain(&context, 0);
	given += 4096;
	cuCtxSetCurrent(context);
	cuGreenCtxCreate(&green, NULL, 0, 1);
	given += 4096;
	cuCtxFromGreenCtx(&part, green);
	cuLaunchKernel((CUfunction)0x7000, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
	cuCtxPushCurrent_v2(part);
	if (primary)
		cuCtxPopCurrent_v2(&part);
	cuCtxSynchronize();
	cuStreamSynchronize(NULL);
	return 0;
}
