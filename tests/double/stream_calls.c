// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Launches and other calls on a stream.  Compiled twice, for the _ptsz forms;
 * see per_thread.c.
 */
#include "runtime.h"

/* A shape the driver refuses as a value is a bad configuration up here. */
static cudaError_t launched(CUresult err)
{
	if (likely(!err))
		return cudaSuccess;
	return rt_fail(err == CUDA_ERROR_INVALID_VALUE ? cudaErrorInvalidConfiguration :
							 (cudaError_t)err);
}

API cudaError_t PTSZ(cudaLaunchKernel)(const void *func, dim3 grid, dim3 block, void **args,
				       size_t shared, cudaStream_t stream)
{
	CUkernel kernel;

	ENTER();
	kernel = rt_kernel(func);
	if (unlikely(!kernel))
		return rt_fail(cudaErrorInvalidDeviceFunction);
	return launched(PTSZ(cuLaunchKernel)((CUfunction)kernel, grid.x, grid.y, grid.z, block.x,
					     block.y, block.z, (unsigned int)shared, stream, args,
					     NULL));
}

API cudaError_t PTSZ(cudaLaunchCooperativeKernel)(const void *func, dim3 grid, dim3 block,
						  void **args, size_t shared, cudaStream_t stream)
{
	CUkernel kernel;

	ENTER();
	kernel = rt_kernel(func);
	if (!kernel)
		return rt_fail(cudaErrorInvalidDeviceFunction);
	return launched(PTSZ(cuLaunchCooperativeKernel)((CUfunction)kernel, grid.x, grid.y, grid.z,
							block.x, block.y, block.z,
							(unsigned int)shared, stream, args));
}

API cudaError_t PTSZ(cudaLaunchKernelExC)(const cudaLaunchConfig_t *config, const void *func,
					  void **args)
{
	CUlaunchConfig driver;
	CUkernel kernel;

	ENTER();
	if (!config)
		return rt_fail(cudaErrorInvalidValue);
	kernel = rt_kernel(func);
	if (!kernel)
		return rt_fail(cudaErrorInvalidDeviceFunction);
	driver = (CUlaunchConfig){
		config->gridDim.x,
		config->gridDim.y,
		config->gridDim.z,
		config->blockDim.x,
		config->blockDim.y,
		config->blockDim.z,
		(unsigned int)config->dynamicSmemBytes,
		config->stream,
		config->attrs,
		config->numAttrs,
	};
	return launched(PTSZ(cuLaunchKernelEx)(&driver, (CUfunction)kernel, args, NULL));
}

/*
 * As in NVIDIA's library this is no more than a jump: the launch that follows
 * has the caller's return address and is the one that counts.
 */
#define QUOTE_(name) #name
#define QUOTE(name)  QUOTE_(name)
#if defined(__x86_64__)
#define JUMP_TO(name) \
	"	push %rbp\n" \
	"	.cfi_def_cfa_offset 16\n" \
	"	.cfi_offset %rbp, -16\n" \
	"	mov %rsp, %rbp\n" \
	"	pop %rbp\n" \
	"	.cfi_def_cfa_offset 8\n" \
	"	jmp " name "\n"
#elif defined(__aarch64__)
#define JUMP_TO(name) "	b " name "\n"
#else
#error "the double's __cudaLaunchKernel is written for x86-64 and arm64"
#endif
#define LAUNCHER QUOTE(PTSZ(__cudaLaunchKernel))
/* clang-format off */
__asm__(".text\n"
	".p2align 4\n"
	".globl " LAUNCHER "\n"
	".type " LAUNCHER ", %function\n"
	LAUNCHER ":\n"
	"	.cfi_startproc\n"
	JUMP_TO(QUOTE(PTSZ(cudaLaunchKernel)))
	"	.cfi_endproc\n"
	".size " LAUNCHER ", .-" LAUNCHER "\n");
/* clang-format on */

API cudaError_t PTSZ(cudaLaunchHostFunc)(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
	ENTER();
	return rt_done(PTSZ(cuLaunchHostFunc)(stream, fn, data));
}

#if DOUBLE_CUDA >= 13000
API cudaError_t PTSZ(cudaLaunchHostFunc_v2)(cudaStream_t stream, cudaHostFn_t fn, void *data,
					    unsigned int mode)
{
	ENTER();
	return rt_done(PTSZ(cuLaunchHostFunc_v2)(stream, fn, data, mode));
}
#endif

API cudaError_t PTSZ(cudaStreamAddCallback)(cudaStream_t stream, cudaStreamCallback_t fn,
					    void *data, unsigned int flags)
{
	ENTER();
	return rt_done(
		PTSZ(cuStreamAddCallback)(stream, (CUstreamCallback)(void *)fn, data, flags));
}

API cudaError_t PTSZ(cudaMallocAsync)(void **ptr, size_t size, cudaStream_t stream)
{
	ENTER();
	if (!ptr)
		return rt_fail(cudaErrorInvalidValue);
	*ptr = NULL;
	if (!size)
		return cudaSuccess;
	return rt_done(PTSZ(cuMemAllocAsync)((CUdeviceptr *)ptr, size, stream));
}

API cudaError_t PTSZ(cudaMallocFromPoolAsync)(void **ptr, size_t size, cudaMemPool_t pool,
					      cudaStream_t stream)
{
	ENTER();
	if (!ptr)
		return rt_fail(cudaErrorInvalidValue);
	*ptr = NULL;
	if (!size)
		return cudaSuccess;
	return rt_done(PTSZ(cuMemAllocFromPoolAsync)((CUdeviceptr *)ptr, size, pool, stream));
}

API cudaError_t PTSZ(cudaFreeAsync)(void *ptr, cudaStream_t stream)
{
	ENTER();
	return rt_done(PTSZ(cuMemFreeAsync)((uintptr_t)ptr, stream));
}

API cudaError_t PTSZ(cudaMemPrefetchAsync)(const void *ptr, size_t count,
					   struct cudaMemLocation where, unsigned int flags,
					   cudaStream_t stream)
{
	ENTER();
	return rt_done(PTSZ(cuMemPrefetchAsync_v2)((uintptr_t)ptr, count,
						   (CUmemLocation){ (int)where.type, where.id },
						   flags, stream));
}

API cudaError_t PTSZ(cudaStreamSynchronize)(cudaStream_t stream)
{
	ENTER();
	return rt_done(PTSZ(cuStreamSynchronize)(stream));
}

API cudaError_t PTSZ(cudaStreamQuery)(cudaStream_t stream)
{
	ENTER();
	return rt_done(PTSZ(cuStreamQuery)(stream));
}

API cudaError_t PTSZ(cudaStreamWaitEvent)(cudaStream_t stream, cudaEvent_t event,
					  unsigned int flags)
{
	ENTER();
	return rt_done(PTSZ(cuStreamWaitEvent)(stream, event, flags));
}

API cudaError_t PTSZ(cudaStreamGetId)(cudaStream_t stream, unsigned long long *id)
{
	ENTER();
	return rt_done(PTSZ(cuStreamGetId)(stream, id));
}

API cudaError_t PTSZ(cudaStreamBeginCapture)(cudaStream_t stream, int mode)
{
	ENTER();
	return rt_done(PTSZ(cuStreamBeginCapture_v2)(stream, mode));
}

API cudaError_t PTSZ(cudaStreamBeginCaptureToGraph)(cudaStream_t stream, cudaGraph_t graph,
						    const cudaGraphNode_t *deps, const void *edges,
						    size_t num, int mode)
{
	ENTER();
	return rt_done(PTSZ(cuStreamBeginCaptureToGraph)(stream, graph, deps, edges, num, mode));
}

API cudaError_t PTSZ(cudaStreamBeginRecaptureToGraph)(cudaStream_t stream, int mode,
						      cudaGraph_t graph, void *callback)
{
	ENTER();
	return rt_done(PTSZ(cuStreamBeginRecaptureToGraph)(stream, mode, graph, callback, NULL));
}

API cudaError_t PTSZ(cudaGraphInstantiateWithParams)(cudaGraphExec_t *exec, cudaGraph_t graph,
						     cudaGraphInstantiateParams *params)
{
	ENTER();
	return rt_done(PTSZ(cuGraphInstantiateWithParams)(exec, graph, params));
}

API cudaError_t PTSZ(cudaStreamEndCapture)(cudaStream_t stream, cudaGraph_t *graph)
{
	ENTER();
	return rt_done(PTSZ(cuStreamEndCapture)(stream, graph));
}

API cudaError_t PTSZ(cudaStreamIsCapturing)(cudaStream_t stream, int *status)
{
	ENTER();
	return rt_done(PTSZ(cuStreamIsCapturing)(stream, status));
}

API cudaError_t PTSZ(cudaEventRecord)(cudaEvent_t event, cudaStream_t stream)
{
	ENTER();
	return rt_done(PTSZ(cuEventRecord)(event, stream));
}

API cudaError_t PTSZ(cudaEventRecordWithFlags)(cudaEvent_t event, cudaStream_t stream,
					       unsigned int flags)
{
	ENTER();
	return rt_done(PTSZ(cuEventRecordWithFlags)(event, stream, flags));
}

API cudaError_t PTSZ(cudaGraphLaunch)(cudaGraphExec_t exec, cudaStream_t stream)
{
	ENTER();
	return rt_done(PTSZ(cuGraphLaunch)(exec, stream));
}

#ifdef PER_THREAD
#define ENTRY_FLAGS(flags) ((flags) ? (flags) : 2)
#else
#define ENTRY_FLAGS(flags) ((flags) ? (flags) : 1)
#endif

/* A name that is not there is an answer, not an error. */
API cudaError_t PTSZ(cudaGetDriverEntryPoint)(const char *symbol, void **fn,
					      unsigned long long flags, int *status)
{
	int found = 1;

	SCRIPTED();
	if (!symbol || !fn)
		return rt_fail(cudaErrorInvalidValue);
	cuGetProcAddress_v2(symbol, fn, 13000, ENTRY_FLAGS(flags), &found);
	if (status)
		*status = found;
	return cudaSuccess;
}

API cudaError_t PTSZ(cudaGetDriverEntryPointByVersion)(const char *symbol, void **fn,
						       unsigned int version,
						       unsigned long long flags, int *status)
{
	int found = 1;

	SCRIPTED();
	if (!symbol || !fn)
		return rt_fail(cudaErrorInvalidValue);
	cuGetProcAddress_v2(symbol, fn, (int)version, ENTRY_FLAGS(flags), &found);
	if (status)
		*status = found;
	return cudaSuccess;
}
