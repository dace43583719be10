// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls on a stream, launches among them.  Compiled twice, for the _ptsz
 * forms; see driver_per_thread.c.
 *
 * The launch is the path that benchmarks take: one branch for scripts, two
 * handle checks without a lock, and no clock unless kernels take time.
 */
#include "driver.h"

#define GET_STREAM(var, handle) \
	struct stream *var = stream_get(handle, BY_THREAD); \
	if (unlikely(!var)) \
	return CUDA_ERROR_INVALID_HANDLE

static CUresult launch(const void *func, CUstream handle)
{
	struct function *function = function_get(func);
	GET_STREAM(stream, handle);

	if (unlikely(!function))
		return CUDA_ERROR_INVALID_HANDLE;
	if (unlikely(stream->capture != NULL))
		return capture_launch(stream, function);
	if (unlikely(kernel_time))
		stream_spend(stream, kernel_time);
	return CUDA_SUCCESS;
}

API CUresult PTSZ(cuLaunchKernel)(CUfunction func, CU_LAUNCH_SHAPE, CUstream stream, void **params,
				  void **extra)
{
	CUresult err;

	(void)params;
	(void)extra;
	ENTER();
	err = launch_check(gx, gy, gz, bx, by, bz, shared);
	return unlikely(err) ? err : launch(func, stream);
}

API CUresult PTSZ(cuLaunchCooperativeKernel)(CUfunction func, CU_LAUNCH_SHAPE, CUstream stream,
					     void **params)
{
	CUresult err;

	(void)params;
	ENTER();
	err = launch_check(gx, gy, gz, bx, by, bz, shared);
	return err ? err : launch(func, stream);
}

API CUresult PTSZ(cuLaunchKernelEx)(const CUlaunchConfig *config, CUfunction func, void **params,
				    void **extra)
{
	CUresult err;

	(void)params;
	(void)extra;
	ENTER();
	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	err = launch_check(config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
			   config->blockDimY, config->blockDimZ, config->sharedMemBytes);
	return err ? err : launch(func, config->hStream);
}

/*
 * The callbacks run here and now, on the calling thread once its stream is
 * idle: a program may leave one by longjmp and never return from the call.
 */
static CUresult PTSZ(launch_host)(CUstream handle, CUhostFn fn, void *data)
{
	GET_STREAM(stream, handle);
	if (!fn)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture)
		return capture_host(stream, fn, data);
	stream_wait(stream);
	fn(data);
	return CUDA_SUCCESS;
}

API CUresult PTSZ(cuLaunchHostFunc)(CUstream handle, CUhostFn fn, void *data)
{
	ENTER();
	return PTSZ(launch_host)(handle, fn, data);
}

/* @mode: how the device waits for the function, blocking (0) or spinning (1). */
API CUresult PTSZ(cuLaunchHostFunc_v2)(CUstream handle, CUhostFn fn, void *data, unsigned int mode)
{
	ENTER();
	return mode > 1 ? CUDA_ERROR_INVALID_VALUE : PTSZ(launch_host)(handle, fn, data);
}

API CUresult PTSZ(cuStreamAddCallback)(CUstream handle, CUstreamCallback fn, void *data,
				       unsigned int flags)
{
	ENTER();
	GET_STREAM(stream, handle);
	if (!fn || flags)
		return CUDA_ERROR_INVALID_VALUE;
	stream_wait(stream);
	fn(handle, CUDA_SUCCESS, data);
	return CUDA_SUCCESS;
}

API CUresult PTSZ(cuStreamSynchronize)(CUstream handle)
{
	ENTER();
	GET_STREAM(stream, handle);
	stream_wait(stream);
	return CUDA_SUCCESS;
}

API CUresult PTSZ(cuStreamQuery)(CUstream handle)
{
	int64_t until;

	ENTER();
	GET_STREAM(stream, handle);
	until = atomic_load(&stream->busy_until);
	return until && until > dbl_now() ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

API CUresult PTSZ(cuStreamWaitEvent)(CUstream handle, CUevent event_handle, unsigned int flags)
{
	struct event *event;
	int64_t now, seen, until;

	ENTER();
	GET_STREAM(stream, handle);
	event = object_check(&events, event_handle);
	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	if (flags & EVENT_EXTERNAL && stream->capture)
		return CUDA_SUCCESS;
	if (capture_join(stream, event))
		return CUDA_SUCCESS;
	now = dbl_now();
	seen = atomic_load(&stream->busy_until);
	until = event_time(event);
	if (until > now && until > seen)
		stream_spend(stream, (uint64_t)(until - (seen > now ? seen : now)));
	return CUDA_SUCCESS;
}

API CUresult PTSZ(cuStreamGetId)(CUstream handle, unsigned long long *id)
{
	ENTER();
	GET_STREAM(stream, handle);
	*id = stream->object.id + 16;
	return CUDA_SUCCESS;
}

static CUresult record(CUevent event_handle, CUstream handle, unsigned int flags)
{
	struct event *event = object_check(&events, event_handle);
	int64_t now = dbl_now(), until;
	GET_STREAM(stream, handle);

	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	if (flags & EVENT_EXTERNAL && stream->capture)
		return CUDA_SUCCESS;
	capture_record(event, stream);
	until = atomic_load(&stream->busy_until);
	event->time = until > now ? until : now;
	event->recorded = true;
	if (event->shared)
		atomic_store(event->shared, event->time);
	return CUDA_SUCCESS;
}

API CUresult PTSZ(cuEventRecord)(CUevent event, CUstream stream)
{
	ENTER();
	return record(event, stream, 0);
}

API CUresult PTSZ(cuEventRecordWithFlags)(CUevent event, CUstream stream, unsigned int flags)
{
	ENTER();
	return record(event, stream, flags);
}

API CUresult PTSZ(cuMemMapArrayAsync)(CUarrayMapInfo *list, unsigned int count, CUstream handle)
{
	ENTER();
	GET_STREAM(stream, handle);
	if (!list || !count)
		return CUDA_ERROR_INVALID_VALUE;
	return stream->capture ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

API CUresult PTSZ(cuMemAllocAsync)(CUdeviceptr *ptr, size_t size, CUstream handle)
{
	uintptr_t at = 0;
	CUresult err;

	ENTER();
	GET_STREAM(stream, handle);
	if (!ptr)
		return CUDA_ERROR_INVALID_VALUE;
	err = stream->capture ?
		      capture_alloc(stream, stream->ctx->device, size, &at) :
		      memory_alloc(stream->ctx, MEMORY_ASYNC, size, stream->ctx->device->pool, &at);
	if (!err)
		*ptr = at;
	return err;
}

API CUresult PTSZ(cuMemAllocFromPoolAsync)(CUdeviceptr *ptr, size_t size, CUmemoryPool handle,
					   CUstream stream_handle)
{
	struct pool *pool = (struct pool *)handle;
	uintptr_t at = 0;
	CUresult err;

	ENTER();
	GET_STREAM(stream, stream_handle);
	if (!ptr || !pool || !atomic_load(&pool->object.alive))
		return CUDA_ERROR_INVALID_VALUE;
	err = stream->capture ? capture_alloc(stream, pool->device, size, &at) :
				memory_alloc(stream->ctx, MEMORY_ASYNC, size, pool, &at);
	if (!err)
		*ptr = at;
	return err;
}

API CUresult PTSZ(cuMemFreeAsync)(CUdeviceptr ptr, CUstream handle)
{
	ENTER();
	GET_STREAM(stream, handle);
	if (!ptr)
		return CUDA_ERROR_INVALID_VALUE;
	return stream->capture ? capture_free(stream, ptr) :
				 memory_free(ptr, 1u << MEMORY_ASYNC | 1u << MEMORY_GRAPH);
}

API CUresult PTSZ(cuMemPrefetchAsync_v2)(CUdeviceptr ptr, size_t count, CUmemLocation where,
					 unsigned int flags, CUstream handle)
{
	(void)where;
	ENTER();
	GET_STREAM(stream, handle);
	(void)stream;
	if (flags || !memory_on_device(ptr, count, NULL))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}
