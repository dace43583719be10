// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stream capture: what a stream is given while it is captured becomes nodes of
 * a graph.  Which streams take part: the one that the capture began on, and
 * those that wait for an event recorded in one that does.
 */
#include "driver_graphs.h"

CUresult capture_launch(struct stream *stream, struct function *function)
{
	struct node *node = node_add(stream->capture, NODE_KERNEL);

	if (node) {
		node->function = function;
		node->kernel = (CUDA_KERNEL_NODE_PARAMS) {
			(CUfunction)function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL, NULL,
		};
	}
	return node_added(NULL, node);
}

CUresult capture_fill(struct stream *stream, const CUDA_MEMSET_NODE_PARAMS *fill)
{
	struct node *node = node_add(stream->capture, NODE_FILL);

	if (node)
		node->fill = *fill;
	return node_added(NULL, node);
}

/* In a capture an allocation has its address at once, and its memory with each launch. */
CUresult capture_alloc(struct stream *stream, struct device *device, size_t size, uintptr_t *out)
{
	CUDA_MEM_ALLOC_NODE_PARAMS params = {
		.poolProps = { .allocType = 1, .location = { 1, device->index } }, .bytesize = size,
	};
	struct node *node;
	CUresult err = node_add_alloc(stream->capture, stream->ctx, &params, &node);

	*out = (uintptr_t)params.dptr;
	return err;
}

CUresult capture_free(struct stream *stream, uintptr_t at)
{
	struct node *node;

	return node_add_free(stream->capture, at, &node);
}

/* An event recorded in a capture draws the streams that wait for it in. */
void capture_record(struct event *event, struct stream *stream)
{
	event->capture = stream->capture;
}

bool capture_join(struct stream *stream, struct event *event)
{
	if (!event->capture || !event->capture->origin)
		return false;
	stream->capture = event->capture;
	return true;
}

CUresult capture_copy(struct stream *stream, const CUDA_MEMCPY3D *copy)
{
	struct node *node = node_add(stream->capture, NODE_COPY);

	if (node)
		node->copy = *copy;
	return node_added(NULL, node);
}

CUresult capture_host(struct stream *stream, CUhostFn fn, void *data)
{
	struct node *node = node_add(stream->capture, NODE_HOST);

	if (node) {
		node->host.fn = fn;
		node->host.userData = data;
	}
	return node_added(NULL, node);
}

static CUresult capture_begin(CUstream handle, struct graph *graph, bool per_thread)
{
	struct stream *stream = stream_get(handle, per_thread);

	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	/* the legacy stream cannot be captured */
	if ((uintptr_t)handle == 1 || (!handle && !per_thread))
		return (CUresult)900;
	if (stream->capture)
		return (CUresult)401;
	stream->capture = graph ? graph : object_new(&graphs);
	if (!stream->capture)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream->capture->origin = stream;
	return CUDA_SUCCESS;
}

static CUresult capture_end(CUstream handle, CUgraph *graph, bool per_thread)
{
	struct stream *stream = stream_get(handle, per_thread), *other;
	struct graph *captured;

	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!stream->capture || !graph)
		return (CUresult)401;
	captured = stream->capture;
	if (captured->origin != stream)
		return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	captured->origin = NULL;
	*graph = (CUgraph)captured;
	stream->capture = NULL;
	object_each(&streams, other)
		if (other->capture == captured)
			other->capture = NULL;
	return CUDA_SUCCESS;
}

static CUresult capture_status(CUstream handle, int *status, bool per_thread)
{
	struct stream *stream = stream_get(handle, per_thread);

	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	*status = stream->capture != NULL;
	return CUDA_SUCCESS;
}

#define BOTH_FORMS(form, per_thread) \
API CUresult cuStreamBeginCapture_v2##form(CUstream stream, int mode) \
{ \
	(void)mode; \
	ENTER(); \
	return capture_begin(stream, NULL, per_thread); \
} \
API CUresult cuStreamBeginCaptureToGraph##form(CUstream stream, CUgraph handle, \
					       const CUgraphNode *deps, const void *edges, \
					       size_t num, int mode) \
{ \
	struct graph *graph; \
	(void)deps, (void)edges, (void)num, (void)mode; \
	ENTER(); \
	graph = object_check(&graphs, handle); \
	return graph ? capture_begin(stream, graph, per_thread) : CUDA_ERROR_INVALID_VALUE; \
} \
API CUresult cuStreamEndCapture##form(CUstream stream, CUgraph *graph) \
{ \
	ENTER(); \
	return capture_end(stream, graph, per_thread); \
} \
API CUresult cuStreamIsCapturing##form(CUstream stream, int *status) \
{ \
	ENTER(); \
	return capture_status(stream, status, per_thread); \
}

BOTH_FORMS(, false)
BOTH_FORMS(_ptsz, true)
