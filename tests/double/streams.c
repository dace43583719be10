// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams and events as objects, graphs, functions' attributes, peer copies,
 * and the stack on which <<<>>> leaves its configuration.
 */
#include <string.h>
#include "runtime.h"

API cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
	ENTER();
	return rt_done(cuStreamCreate(stream, 0));
}

API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	ENTER();
	return rt_done(cuStreamCreate(stream, flags));
}

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	ENTER();
	return rt_done(cuStreamCreateWithPriority(stream, flags, priority));
}

API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	ENTER();
	return rt_done(cuStreamDestroy_v2(stream));
}

API cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode)
{
	ENTER();
	return rt_done(cuThreadExchangeStreamCaptureMode(mode));
}

API cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	ENTER();
	return rt_done(cuEventCreate(event, 0));
}

API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	ENTER();
	return rt_done(cuEventCreate(event, flags));
}

API cudaError_t cudaEventQuery(cudaEvent_t event)
{
	ENTER();
	return rt_done(cuEventQuery(event));
}

API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	ENTER();
	return rt_done(cuEventSynchronize(event));
}

API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	ENTER();
	return rt_done(cuEventDestroy_v2(event));
}

API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	ENTER();
	return rt_done(cuEventElapsedTime_v2(ms, start, end));
}

#define CONFIGURATIONS 16

static _Thread_local struct {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
} configuration[CONFIGURATIONS];
static _Thread_local unsigned int num_configurations;

API unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
					     cudaStream_t stream)
{
	unsigned int n = num_configurations;

	KEEP_FRAME();
	if (n == CONFIGURATIONS)
		return 1;
	configuration[n].grid = grid;
	configuration[n].block = block;
	configuration[n].shared = shared;
	configuration[n].stream = stream;
	num_configurations = n + 1;
	return 0;
}

API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	unsigned int n = num_configurations;

	KEEP_FRAME();
	if (!n)
		return cudaErrorMissingConfiguration;
	num_configurations = --n;
	*grid = configuration[n].grid;
	*block = configuration[n].block;
	*shared = configuration[n].shared;
	*(cudaStream_t *)stream = configuration[n].stream;
	return cudaSuccess;
}

#define KERNEL(var, func) \
	CUkernel var = rt_kernel(func); \
	if (!var) \
	return rt_fail(cudaErrorInvalidDeviceFunction)

API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
	int value = 0;

	ENTER();
	KERNEL(kernel, func);
	if (!attr)
		return rt_fail(cudaErrorInvalidValue);
	memset(attr, 0, sizeof(*attr));
	cuKernelGetAttribute(&value, 0, kernel, rt_device);
	attr->maxThreadsPerBlock = value;
	attr->numRegs = 32;
	attr->ptxVersion = attr->binaryVersion = 89;
	attr->maxDynamicSharedSizeBytes = 49152;
	return cudaSuccess;
}

API cudaError_t cudaFuncSetAttribute(const void *func, int attribute, int value)
{
	ENTER();
	KERNEL(kernel, func);
	return rt_done(cuKernelSetAttribute(attribute, value, kernel, rt_device));
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
							      int block, size_t shared)
{
	ENTER();
	KERNEL(kernel, func);
	return rt_done(cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (CUfunction)kernel,
								   block, shared));
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
								       const void *func, int block,
								       size_t shared,
								       unsigned int flags)
{
	ENTER();
	KERNEL(kernel, func);
	return rt_done(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, (CUfunction)kernel, block, shared, flags));
}

static bool peer_devices(int a, int b)
{
	int count = 0;

	return !cuDeviceGetCount(&count) && a >= 0 && a < count && b >= 0 && b < count;
}

API cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device,
			       size_t count)
{
	ENTER();
	if (!peer_devices(dst_device, src_device))
		return rt_fail(cudaErrorInvalidDevice);
	return rt_done(cuMemcpyPeer((uintptr_t)dst, rt_context(dst_device), (uintptr_t)src,
				    rt_context(src_device), count));
}

API cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
				    size_t count, cudaStream_t stream)
{
	ENTER();
	if (!peer_devices(dst_device, src_device))
		return rt_fail(cudaErrorInvalidDevice);
	return rt_done(cuMemcpyPeerAsync((uintptr_t)dst, rt_context(dst_device), (uintptr_t)src,
					 rt_context(src_device), count, stream));
}
