// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stream capture: what a stream is given while it is captured becomes nodes of
 * a graph.  Which streams take part: the one that the capture began on, and
 * those that wait for an event recorded in one that does.
 *
 * A capture of a graph anew has to bring the same nodes in the same order. Of
 * what else differs, the double asks no callback: the node becomes what is captured.
 */
#include "driver_graphs.h"

/*
 * The node that @stream is given: a new one, or the next of a graph that is captured anew. NULL:
 * that has no such node.
 */
static struct node *captured(struct stream *stream, enum node_type type)
{
	struct graph *graph = stream->capture;
	struct node *node = graph->expected;

	if (!graph->again)
		return node_add(graph, type);
	if (!node || node->type != type)
		return NULL;
	graph->expected = node->next;
	return node;
}

static CUresult diverge(struct stream *stream)
{
	stream->capture->diverged = true;
	return CUDA_ERROR_GRAPH_RECAPTURE_FAILURE;
}

static CUresult capture_done(struct stream *stream, struct node *node)
{
	return !node && stream->capture->again ? diverge(stream) : node_added(NULL, node);
}

CUresult capture_launch(struct stream *stream, struct function *function)
{
	struct node *node = captured(stream, NODE_KERNEL);

	if (node) {
		node->function = function;
		node->kernel = (CUDA_KERNEL_NODE_PARAMS){
			(CUfunction)function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL, NULL,
		};
	}
	return capture_done(stream, node);
}

CUresult capture_fill(struct stream *stream, const CUDA_MEMSET_NODE_PARAMS *fill)
{
	struct node *node = captured(stream, NODE_FILL);

	if (node)
		node->fill = *fill;
	return capture_done(stream, node);
}

/* In a capture an allocation has its address at once, and its memory with each launch. */
CUresult capture_alloc(struct stream *stream, struct device *device, size_t size, uintptr_t *out)
{
	CUDA_MEM_ALLOC_NODE_PARAMS params = {
		.poolProps = { .allocType = 1, .location = { 1, device->index } },
		.bytesize = size,
	};
	struct node *node;
	CUresult err;

	if (stream->capture->again) {
		node = captured(stream, NODE_ALLOC);
		if (!node || node->alloc.bytesize != size)
			return diverge(stream);
		*out = (uintptr_t)node->alloc.dptr;
		return CUDA_SUCCESS;
	}
	err = node_add_alloc(stream->capture, stream->ctx, &params, &node);
	*out = (uintptr_t)params.dptr;
	return err;
}

CUresult capture_free(struct stream *stream, uintptr_t at)
{
	struct node *node;

	if (!stream->capture->again)
		return node_add_free(stream->capture, at, &node);
	node = captured(stream, NODE_FREE);
	return node && node->freed == at ? CUDA_SUCCESS : diverge(stream);
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
	struct node *node = captured(stream, NODE_COPY);

	if (node)
		node->copy = *copy;
	return capture_done(stream, node);
}

CUresult capture_host(struct stream *stream, CUhostFn fn, void *data)
{
	struct node *node = captured(stream, NODE_HOST);

	if (node) {
		node->host.fn = fn;
		node->host.userData = data;
	}
	return capture_done(stream, node);
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

/* @graph: where the graph goes; NULL: none is left. */
static CUresult capture_end(CUstream handle, CUgraph *graph, bool per_thread)
{
	struct stream *stream = stream_get(handle, per_thread), *other;
	struct graph *captured;
	bool failed;

	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	captured = stream->capture;
	if (!captured || captured->passing != !graph)
		return (CUresult)401;
	if (captured->origin != stream)
		return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	failed = captured->again && (captured->diverged || captured->expected);
	captured->origin = NULL;
	captured->again = captured->diverged = false;
	stream->capture = NULL;
	object_each(&streams, other) if (other->capture == captured) other->capture = NULL;
	if (!graph)
		return cuGraphDestroy((CUgraph)captured);
	*graph = failed ? NULL : (CUgraph)captured;
	return failed ? CUDA_ERROR_GRAPH_RECAPTURE_FAILURE : CUDA_SUCCESS;
}

static CUresult recapture_begin(CUstream handle, CUgraph graph_handle, bool per_thread)
{
	struct graph *graph = object_check(&graphs, graph_handle);
	CUresult err = graph ? capture_begin(handle, graph, per_thread) : CUDA_ERROR_INVALID_VALUE;

	if (err)
		return err;
	graph->again = true;
	graph->expected = graph->first;
	return CUDA_SUCCESS;
}

/* Only a context that was made for a graphics library (cuCtxCreate_v4) may do this. */
static CUresult passing_begin(CUstream handle, const void *params, bool per_thread)
{
	struct stream *stream = stream_get(handle, per_thread);
	CUresult err;

	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	if (!stream->ctx || !stream->ctx->graphics)
		return CUDA_ERROR_INVALID_CONTEXT;
	err = capture_begin(handle, NULL, per_thread);
	if (!err)
		stream->capture->passing = true;
	return err;
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
		return graph ? capture_begin(stream, graph, per_thread) : \
			       CUDA_ERROR_INVALID_VALUE; \
	} \
	API CUresult cuStreamBeginRecaptureToGraph##form(CUstream stream, int mode, CUgraph graph, \
							 void *callback, void *data) \
	{ \
		(void)mode, (void)callback, (void)data; \
		ENTER(); \
		return recapture_begin(stream, graph, per_thread); \
	} \
	API CUresult cuStreamBeginCaptureToCig##form(CUstream stream, void *params) \
	{ \
		ENTER(); \
		return passing_begin(stream, params, per_thread); \
	} \
	API CUresult cuStreamEndCaptureToCig##form(CUstream stream) \
	{ \
		ENTER(); \
		return capture_end(stream, NULL, per_thread); \
	} \
	API CUresult cuStreamEndCapture##form(CUstream stream, CUgraph *graph) \
	{ \
		ENTER(); \
		return graph ? capture_end(stream, graph, per_thread) : (CUresult)401; \
	} \
	API CUresult cuStreamIsCapturing##form(CUstream stream, int *status) \
	{ \
		ENTER(); \
		return capture_status(stream, status, per_thread); \
	}

BOTH_FORMS(, false)
BOTH_FORMS(_ptsz, true)
