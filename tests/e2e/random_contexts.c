// SPDX-License-Identifier: GPL-2.0-or-later
/* Devices, contexts, streams: what memory belongs to, and what ends it. */
#include <string.h>
#include "random_calls.h"

void step_device(void)
{
	int device = (int)any((uint64_t)device_count + 1); /* the last is none */

	if (CALL(cudaSetDevice, device))
		return;
	self->device = self->runtime_device = device;
	self->runtime_retained[device] = true;
	self->context = NULL;
}

static void turn(struct current to)
{
	self->context = to.context;
	self->device = to.device;
}

static bool is_in_stack(CUcontext context, int device)
{
	unsigned int i;

	for (i = 0; i < self->depth; i++)
		if (self->stack[i].context == context &&
		    (context || self->stack[i].device == device))
			return true;
	return false;
}

/* One that can be turned to, with its handle in *@handle. */
static struct current any_context(CUcontext *handle)
{
	struct current one = { NULL, (int)any((uint64_t)device_count) };

	if (self->context_count && one_in(2))
		one = self->contexts[any(self->context_count)];
	else if (!self->retained[one.device])
		one.device = -1;
	*handle = one.context ? one.context : one.device < 0 ? NULL : self->primaries[one.device];
	return one;
}

static void destroy(size_t i)
{
	CUcontext context = self->contexts[i].context;

	if (is_in_stack(context, 0) || (context != self->context && one_in(2)))
		return;
	if (CALL(cuCtxDestroy_v2, context))
		return;
	note_ended(self->contexts[i].device, context);
	self->contexts[i] = self->contexts[--self->context_count];
	if (context != self->context)
		return;
	turn(self->stack[--self->depth]);
}

void step_context(void)
{
	struct current one = { NULL, (int)any((uint64_t)device_count + 1) };
	CUcontext handle = NULL;

	switch (any(6)) {
	case 0:
	case 1:
		if (self->context_count == CONTEXTS || self->depth == STACK_MAX)
			return;
		if (one_in(2) ? CALL(cuCtxCreate_v2, &handle, 0, one.device) :
				CALL(cuCtxCreate_v4, &handle, NULL, 0, one.device))
			return;
		one.context = handle;
		self->contexts[self->context_count++] = one;
		self->stack[self->depth++] = (struct current){ self->context, self->device };
		turn(one);
		return;
	case 2:
		one = any_context(&handle);
		if (!handle || self->depth == STACK_MAX || CALL(cuCtxPushCurrent_v2, handle))
			return;
		self->stack[self->depth++] = (struct current){ self->context, self->device };
		turn(one);
		return;
	case 3:
		if (self->depth && !CALL(cuCtxPopCurrent_v2, one_in(2) ? &handle : NULL))
			turn(self->stack[--self->depth]);
		return;
	case 4:
		/*
		 * One that was made stands on its place in the stack until it is destroyed: else
		 * there is nothing below it.
		 */
		one = any_context(&handle);
		if (self->depth && !CALL(cuCtxSetCurrent, handle))
			turn(handle ? one : self->stack[--self->depth]);
		return;
	default:
		if (self->context_count && self->depth)
			destroy(any(self->context_count));
	}
}

/*
 * Retains and releases primary contexts. The last release ends one: not while it is current, or to
 * be so again.
 */
void step_primary(void)
{
	int device = (int)any((uint64_t)device_count), active = 1;
	unsigned int flags;

	/*
	 * No context is there after a fork, and none that the double keeps is known to be retained.
	 */
	if (!self->alone || self->is_child)
		return;
	if (!self->retained[device] || one_in(3)) {
		self->retained[device] +=
			!CALL(cuDevicePrimaryCtxRetain, &self->primaries[device], device);
		return;
	}
	/*
	 * Whether the runtime takes a reference to a context that the driver's calls made current,
	 * CUDA's documents do not say.
	 */
	if (self->retained[device] == 1 && self->runtime_used[device] &&
	    !self->runtime_retained[device])
		return;
	if (self->retained[device] == 1 &&
	    ((!self->context && self->device == device) || is_in_stack(NULL, device)))
		return;
	if (EITHER(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, device))
		return;
	self->retained[device]--;
	if (!cuDevicePrimaryCtxGetState(device, &flags, &active) && !active)
		note_ended(device, NULL);
}

void step_stream(void)
{
	struct stream *stream = &self->streams[self->stream_count];
	cudaStream_t gone;
	int code;

	if (self->stream_count == STREAMS || (self->stream_count && one_in(3))) {
		stream = &self->streams[any(self->stream_count)];
		gone = stream->stream;
		if (!EITHER(cudaStreamDestroy, cuStreamDestroy_v2, gone))
			*stream = self->streams[--self->stream_count];
		if (self->alone && one_in(4)) /* which is no stream now */
			EITHER(cudaStreamDestroy, cuStreamDestroy_v2, gone);
		return;
	}
	switch (any(5)) {
	case 0: code = CALL(cudaStreamCreate, &stream->stream); break;
	case 1:
		code = CALL(cudaStreamCreateWithFlags, &stream->stream, (unsigned int)any(3));
		break;
	case 2: code = CALL(cudaStreamCreateWithPriority, &stream->stream, 1, -1); break;
	case 3: code = CALL(cuStreamCreate, &stream->stream, 0); break;
	default: code = CALL(cuStreamCreateWithPriority, &stream->stream, 1, -2);
	}
	stream->device = self->device;
	stream->context = self->context;
	self->stream_count += !code;
}

void step_reset(void)
{
	if (!self->alone)
		return;
	if (one_in(2)) {
		/* In a context of the program's own it ends nothing: cuda_runtime_api.h. */
		if ((self->context || self->device == self->runtime_device) &&
		    !CALL(cudaDeviceReset) && !self->context)
			note_ended(self->device, NULL);
	} else {
		int device = (int)any((uint64_t)device_count + 1);

		if (!EITHER(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, device))
			note_ended(device, NULL);
	}
}

void leave_contexts(void)
{
	CUcontext context;

	while (self->depth && !CALL(cuCtxPopCurrent_v2, NULL))
		turn(self->stack[--self->depth]);
	while (self->context_count) {
		context = self->contexts[self->context_count - 1].context;
		if (!CALL(cuCtxDestroy_v2, context))
			note_ended(0, context);
		self->context_count--;
	}
	while (self->stream_count) {
		cudaStream_t stream = self->streams[--self->stream_count].stream;

		if (no_runtime)
			CALL(cuStreamDestroy_v2, stream);
		else
			CALL(cudaStreamDestroy, stream);
	}
}
