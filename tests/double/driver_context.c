// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Contexts.  A thread's current context is the top of a stack of its own;
 * ending a context frees all that was allocated in it.
 */
#include <stdlib.h>
#include "driver.h"

#define STACK_DEPTH 32
static _Thread_local struct context *stack[STACK_DEPTH];
static _Thread_local int depth;

static void context_end(struct context *ctx)
{
	device_wait(ctx->device);
	streams_free_context(ctx);
	memory_free_context(ctx);
	if (ctx->primary) {
		libraries_reset_device(ctx->device);
		driver_heal();
		ctx->peers = 0;
	}
}

CUresult primary_retain(CUcontext *ctx, CUdevice dev)
{
	struct device *device = device_get(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	atomic_fetch_add(&device->primary.retained, 1);
	*ctx = (CUcontext)&device->primary;
	return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice dev)
{
	ENTER();
	return primary_retain(ctx, dev);
}

static CUresult primary_release(CUdevice dev)
{
	struct device *device = device_get(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (atomic_load(&device->primary.retained) <= 0)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (atomic_fetch_sub(&device->primary.retained, 1) == 1)
		context_end(&device->primary);
	return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
	ENTER();
	return primary_release(dev);
}

API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
	ENTER();
	return primary_release(dev);
}

static CUresult primary_reset(CUdevice dev)
{
	struct device *device = device_get(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	context_end(&device->primary);
	return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
	ENTER();
	return primary_reset(dev);
}

API CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
	ENTER();
	return primary_reset(dev);
}

API CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
	struct device *device;

	ENTER();
	device = device_get(dev);
	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	*flags = device->primary.flags;
	*active = atomic_load(&device->primary.retained) > 0;
	return CUDA_SUCCESS;
}

static CUresult push(struct context *ctx)
{
	if (depth == STACK_DEPTH)
		return CUDA_ERROR_INVALID_CONTEXT;
	stack[depth++] = current_context;
	current_context = ctx;
	return CUDA_SUCCESS;
}

static CUresult create(CUcontext *out, unsigned int flags, CUdevice dev)
{
	struct device *device = device_get(dev);
	struct context *ctx;

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	ctx = object_new(&contexts);
	if (!ctx)
		return CUDA_ERROR_OUT_OF_MEMORY;
	ctx->device = device;
	ctx->flags = flags;
	ctx->attached = 0;
	ctx->legacy.ctx = ctx;
	*out = (CUcontext)ctx;
	return push(ctx);
}

API CUresult cuCtxCreate_v2(CUcontext *ctx, unsigned int flags, CUdevice dev)
{
	ENTER();
	return create(ctx, flags, dev);
}

API CUresult cuCtxCreate_v4(CUcontext *ctx, void *params, unsigned int flags, CUdevice dev)
{
	const CUctxCreateParams *wanted = params;
	CUresult err;

	ENTER();
	err = create(ctx, flags, dev);
	if (!err && wanted)
		((struct context *)*ctx)->graphics = wanted->cigParams != NULL;
	return err;
}

static CUresult context_drop(struct context *ctx)
{
	context_end(ctx);
	if (current_context == ctx)
		current_context = depth ? stack[--depth] : NULL;
	object_drop(&contexts, ctx);
	return CUDA_SUCCESS;
}

API CUresult cuCtxDestroy_v2(CUcontext handle)
{
	struct context *ctx;

	ENTER();
	ctx = object_check(&contexts, handle);
	return ctx ? context_drop(ctx) : CUDA_ERROR_INVALID_CONTEXT;
}

API CUresult cuCtxAttach(CUcontext *handle, unsigned int flags)
{
	ENTER_CONTEXT(ctx);
	if (!handle || flags)
		return CUDA_ERROR_INVALID_VALUE;
	ctx->attached++;
	*handle = (CUcontext)ctx;
	return CUDA_SUCCESS;
}

/*
 * cuda.h: "Decrements the usage count of the context ctx, and destroys the context if the usage
 * count goes to 0."
 */
API CUresult cuCtxDetach(CUcontext handle)
{
	struct context *ctx;

	ENTER();
	ctx = object_check(&contexts, handle);
	if (!ctx || ctx != current_context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!ctx->attached)
		return context_drop(ctx);
	ctx->attached--;
	return CUDA_SUCCESS;
}

API CUresult cuCtxPushCurrent_v2(CUcontext handle)
{
	struct context *ctx;

	ENTER();
	ctx = context_check(handle);
	return ctx ? push(ctx) : CUDA_ERROR_INVALID_CONTEXT;
}

API CUresult cuCtxPopCurrent_v2(CUcontext *ctx)
{
	ENTER();
	if (!current_context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (ctx)
		*ctx = (CUcontext)current_context;
	current_context = depth ? stack[--depth] : NULL;
	return CUDA_SUCCESS;
}

API CUresult cuCtxSetCurrent(CUcontext handle)
{
	ENTER();
	if (handle && !context_check(handle))
		return CUDA_ERROR_INVALID_CONTEXT;
	/* NULL pops the stack, cuda.h says, or does nothing if it is empty. */
	current_context = handle ? context_check(handle) : depth ? stack[--depth] : NULL;
	return CUDA_SUCCESS;
}

API CUresult cuCtxGetCurrent(CUcontext *ctx)
{
	ENTER();
	*ctx = (CUcontext)current_context;
	return CUDA_SUCCESS;
}

API CUresult cuCtxGetDevice(CUdevice *dev)
{
	ENTER_CONTEXT(ctx);
	*dev = ctx->device->index;
	return CUDA_SUCCESS;
}

API CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
	ENTER();
	if (!context_check(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	*version = 3020;
	return CUDA_SUCCESS;
}

API CUresult cuCtxSynchronize(void)
{
	ENTER_CONTEXT(ctx);
	device_wait(ctx->device);
	return CUDA_SUCCESS;
}

API CUresult cuCtxSynchronize_v2(CUcontext handle)
{
	struct context *ctx;

	ENTER();
	ctx = handle ? context_check(handle) : current_context;
	if (!ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	device_wait(ctx->device);
	return CUDA_SUCCESS;
}

API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	ENTER_CONTEXT(ctx);
	(void)ctx;
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return CUDA_SUCCESS;
}

API CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned int flags)
{
	struct context *peer;

	ENTER_CONTEXT(ctx);
	peer = context_check(handle);
	if (!peer || peer->device == ctx->device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (ctx->peers & (1u << peer->device->index))
		return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	ctx->peers |= 1u << peer->device->index;
	return CUDA_SUCCESS;
}
