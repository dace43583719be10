// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams and events.  Work happens at the call; what a stream keeps is until
 * when it would be busy with it.  Kernels and limited copies add their time
 * there, and synchronizing sleeps until then.
 */
#include <stdlib.h>
#include "driver.h"

uint64_t kernel_time;
static _Thread_local struct stream thread_stream;

__attribute__((constructor(102))) static void read_times(void)
{
	const char *text = getenv("CUDA_DOUBLE_KERNEL_TIME");

	if (text)
		kernel_time = dbl_parse_time(text, NULL);
	text = getenv("CUDA_DOUBLE_COPY_BANDWIDTH");
	if (text)
		copy_bandwidth = dbl_parse_size(text);
}

struct stream *stream_default(bool per_thread)
{
	struct context *ctx = current_context;

	if (!ctx)
		return NULL;
	if (!per_thread)
		return &ctx->legacy;
	thread_stream.ctx = ctx;
	return &thread_stream;
}

static void raise_to(_Atomic int64_t *value, int64_t to)
{
	int64_t seen = atomic_load(value);

	while (seen < to && !atomic_compare_exchange_weak(value, &seen, to))
		;
}

int64_t stream_spend(struct stream *stream, uint64_t ns)
{
	int64_t now = dbl_now(), seen, until;

	seen = atomic_load(&stream->busy_until);
	do {
		until = (seen > now ? seen : now) + (int64_t)ns;
	} while (!atomic_compare_exchange_weak(&stream->busy_until, &seen, until));
	raise_to(&stream->ctx->device->busy_until, until);
	return until;
}

static void wait_until(int64_t deadline)
{
	if (deadline && deadline > dbl_now())
		dbl_sleep_until(deadline);
}

void stream_wait(struct stream *stream)
{
	wait_until(atomic_load(&stream->busy_until));
}

void stream_follow(struct stream *stream)
{
	raise_to(&stream->busy_until, atomic_load(&stream->ctx->device->busy_until));
}

void device_wait(struct device *device)
{
	wait_until(atomic_load(&device->busy_until));
}

static void event_drop(struct event *event)
{
	ipc_event_drop(event);
	object_drop(&events, event);
}

void streams_free_context(struct context *ctx)
{
	struct stream *stream;
	struct event *event;

	object_each(&streams, stream) if (stream->ctx == ctx) object_drop(&streams, stream);
	object_each(&events, event) if (event->ctx == ctx) event_drop(event);
}

static CUresult stream_new(struct context *ctx, CUstream *out, unsigned int flags, int priority)
{
	struct stream *stream;

	if (!out || flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	stream = object_new(&streams);
	if (!stream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream->ctx = ctx;
	stream->flags = flags;
	stream->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
	*out = (CUstream)stream;
	return CUDA_SUCCESS;
}

API CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
	ENTER_CONTEXT(ctx);
	return stream_new(ctx, stream, flags, 0);
}

API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
	ENTER_CONTEXT(ctx);
	return stream_new(ctx, stream, flags, priority);
}

API CUresult cuStreamDestroy_v2(CUstream handle)
{
	struct stream *stream;

	ENTER();
	stream = object_check(&streams, handle);
	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	object_drop(&streams, stream);
	return CUDA_SUCCESS;
}

API CUresult cuThreadExchangeStreamCaptureMode(int *mode)
{
	static _Thread_local int current;
	int old = current;

	ENTER();
	current = *mode;
	*mode = old;
	return CUDA_SUCCESS;
}

API CUresult cuEventCreate(CUevent *out, unsigned int flags)
{
	struct event *event;

	ENTER_CONTEXT(ctx);
	if (!out || flags > 7)
		return CUDA_ERROR_INVALID_VALUE;
	event = object_new(&events);
	if (!event)
		return CUDA_ERROR_OUT_OF_MEMORY;
	event->ctx = ctx;
	event->flags = flags;
	*out = (CUevent)event;
	return CUDA_SUCCESS;
}

API CUresult cuEventDestroy_v2(CUevent handle)
{
	struct event *event;

	ENTER();
	event = object_check(&events, handle);
	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	event_drop(event);
	return CUDA_SUCCESS;
}

API CUresult cuEventQuery(CUevent handle)
{
	struct event *event;

	ENTER();
	event = object_check(&events, handle);
	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	return event_time(event) > dbl_now() ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

API CUresult cuEventSynchronize(CUevent handle)
{
	struct event *event;

	ENTER();
	event = object_check(&events, handle);
	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	wait_until(event_time(event));
	return CUDA_SUCCESS;
}

static CUresult elapsed(float *ms, CUevent from, CUevent to)
{
	struct event *start = object_check(&events, from);
	struct event *end = object_check(&events, to);
	int64_t now = dbl_now();

	if (!ms)
		return CUDA_ERROR_INVALID_VALUE;
	if (!start || !end || !start->recorded || !end->recorded || (start->flags & 2) ||
	    (end->flags & 2))
		return CUDA_ERROR_INVALID_HANDLE;
	if (start->time > now || end->time > now)
		return CUDA_ERROR_NOT_READY;
	*ms = (float)((double)(end->time - start->time) / 1e6);
	return CUDA_SUCCESS;
}

API CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
	ENTER();
	return elapsed(ms, start, end);
}

API CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end)
{
	ENTER();
	return elapsed(ms, start, end);
}
