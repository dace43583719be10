// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Graphs: a list of nodes in the order they were added, which is also the
 * order a launch runs them in; dependencies are accepted and not kept.  An
 * instance holds a copy of the list.
 */
#include <stdlib.h>
#include <string.h>
#include "driver.h"

enum node_type { NODE_KERNEL, NODE_COPY, NODE_FILL, NODE_HOST, NODE_EMPTY = 5 };

struct node {
	struct object object;
	enum node_type type;
	struct node *next;
	union {
		struct function *function;
		CUDA_MEMCPY3D copy;
		CUDA_MEMSET_NODE_PARAMS fill;
		CUDA_HOST_NODE_PARAMS host;
	};
};

struct graph {
	struct object object;
	struct node *first, *last;
	size_t num;
};

_Static_assert(sizeof(struct node) <= 512, "node slot");
_Static_assert(sizeof(struct graph) <= 64, "graph slot");

static struct node *node_add(struct graph *graph, enum node_type type)
{
	struct node *node = graph ? object_new(&graph_nodes) : NULL;

	if (!node)
		return NULL;
	node->type = type;
	if (graph->last)
		graph->last->next = node;
	else
		graph->first = node;
	graph->last = node;
	graph->num++;
	return node;
}

static CUresult added(CUgraphNode *out, struct node *node)
{
	if (!node)
		return CUDA_ERROR_INVALID_VALUE;
	if (out)
		*out = (CUgraphNode)node;
	return CUDA_SUCCESS;
}

static CUresult drop(struct object_pool *pool, struct graph *graph)
{
	struct node *node;

	if (!graph)
		return CUDA_ERROR_INVALID_VALUE;
	for (node = graph->first; node; node = node->next)
		object_drop(&graph_nodes, node);
	object_drop(pool, graph);
	return CUDA_SUCCESS;
}

CUresult capture_launch(struct stream *stream, struct function *function)
{
	struct node *node = node_add(stream->capture, NODE_KERNEL);

	if (node)
		node->function = function;
	return added(NULL, node);
}

CUresult capture_copy(struct stream *stream, const CUDA_MEMCPY3D *copy)
{
	struct node *node = node_add(stream->capture, NODE_COPY);

	if (node)
		node->copy = *copy;
	return added(NULL, node);
}

CUresult capture_host(struct stream *stream, CUhostFn fn, void *data)
{
	struct node *node = node_add(stream->capture, NODE_HOST);

	if (node) {
		node->host.fn = fn;
		node->host.userData = data;
	}
	return added(NULL, node);
}

API CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	ENTER();
	if (!graph || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*graph = object_new(&graphs);
	return *graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

API CUresult cuGraphDestroy(CUgraph graph)
{
	ENTER();
	return drop(&graphs, object_check(&graphs, graph));
}

API CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph,
				     const CUgraphNode *deps, size_t num,
				     const CUDA_KERNEL_NODE_PARAMS *params)
{
	struct function *function;
	struct node *node;

	(void)deps, (void)num;
	ENTER();
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	function = function_get(params->func ? (void *)params->func : (void *)params->kern);
	if (!function)
		return CUDA_ERROR_INVALID_HANDLE;
	if (launch_check(params->gridDimX, params->gridDimY, params->gridDimZ,
			 params->blockDimX, params->blockDimY, params->blockDimZ,
			 params->sharedMemBytes))
		return CUDA_ERROR_INVALID_VALUE;
	node = node_add(object_check(&graphs, graph), NODE_KERNEL);
	if (node)
		node->function = function;
	return added(out, node);
}

API CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph,
				  const CUgraphNode *deps, size_t num,
				  const CUDA_MEMCPY3D *params, CUcontext ctx)
{
	struct node *node;

	(void)deps, (void)num, (void)ctx;
	ENTER();
	node = params ? node_add(object_check(&graphs, graph), NODE_COPY) : NULL;
	if (node)
		node->copy = *params;
	return added(out, node);
}

API CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph,
				  const CUgraphNode *deps, size_t num,
				  const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx)
{
	struct node *node;

	(void)deps, (void)num, (void)ctx;
	ENTER();
	node = params ? node_add(object_check(&graphs, graph), NODE_FILL) : NULL;
	if (node)
		node->fill = *params;
	return added(out, node);
}

API CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph graph,
				const CUgraphNode *deps, size_t num,
				const CUDA_HOST_NODE_PARAMS *params)
{
	struct node *node;

	(void)deps, (void)num;
	ENTER();
	node = params ? node_add(object_check(&graphs, graph), NODE_HOST) : NULL;
	if (node)
		node->host = *params;
	return added(out, node);
}

API CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph,
				 const CUgraphNode *deps, size_t num)
{
	(void)deps, (void)num;
	ENTER();
	return added(out, node_add(object_check(&graphs, graph), NODE_EMPTY));
}

API CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode *nodes, size_t *num)
{
	struct graph *graph;
	struct node *node;
	size_t i = 0;

	ENTER();
	graph = object_check(&graphs, handle);
	if (!graph || !num)
		return CUDA_ERROR_INVALID_VALUE;
	for (node = graph->first; nodes && node && i < *num; node = node->next)
		nodes[i++] = (CUgraphNode)node;
	*num = nodes ? i : graph->num;
	return CUDA_SUCCESS;
}

API CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph handle,
					 unsigned long long flags)
{
	struct graph *graph, *exec;
	struct node *node, *copy, *next;

	(void)flags;
	ENTER();
	graph = object_check(&graphs, handle);
	if (!graph || !out)
		return CUDA_ERROR_INVALID_VALUE;
	exec = object_new(&graph_execs);
	if (!exec)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (node = graph->first; node; node = node->next) {
		copy = node_add(exec, node->type);
		if (!copy)
			return CUDA_ERROR_OUT_OF_MEMORY;
		next = copy->next;
		memcpy((char *)copy + offsetof(struct node, type),
		       (char *)node + offsetof(struct node, type),
		       sizeof(*node) - offsetof(struct node, type));
		copy->next = next;
	}
	*out = (CUgraphExec)exec;
	return CUDA_SUCCESS;
}

API CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	ENTER();
	return drop(&graph_execs, object_check(&graph_execs, exec));
}

static CUresult run(const struct node *node, struct stream *stream)
{
	const CUDA_MEMSET_NODE_PARAMS *fill = &node->fill;
	size_t y;

	switch (node->type) {
	case NODE_KERNEL:
		if (kernel_time)
			stream_spend(stream, kernel_time);
		break;
	case NODE_COPY:
		return copy_3d(&node->copy);
	case NODE_FILL:
		for (y = 0; y < fill->height; y++)
			memset((char *)(uintptr_t)fill->dst + y * fill->pitch,
			       (int)fill->value, fill->width * fill->elementSize);
		break;
	case NODE_HOST:
		node->host.fn(node->host.userData);
		break;
	case NODE_EMPTY:
		break;
	}
	return CUDA_SUCCESS;
}

static CUresult graph_launch(CUgraphExec handle, CUstream stream_handle,
			     bool per_thread)
{
	struct graph *exec = object_check(&graph_execs, handle);
	struct stream *stream = stream_get(stream_handle, per_thread);
	struct node *node;
	CUresult err;

	if (!exec)
		return CUDA_ERROR_INVALID_VALUE;
	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	for (node = exec->first; node; node = node->next) {
		err = run(node, stream);
		if (err)
			return err;
	}
	return CUDA_SUCCESS;
}

static CUresult graph_upload(CUgraphExec handle)
{
	return object_check(&graph_execs, handle) ? CUDA_SUCCESS :
		CUDA_ERROR_INVALID_VALUE;
}

static CUresult capture_begin(CUstream handle, bool per_thread)
{
	struct stream *stream = stream_get(handle, per_thread);

	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	/* the legacy stream cannot be captured */
	if ((uintptr_t)handle == 1 || (!handle && !per_thread))
		return (CUresult)900;
	if (stream->capture)
		return (CUresult)401;
	stream->capture = object_new(&graphs);
	return stream->capture ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult capture_end(CUstream handle, CUgraph *graph, bool per_thread)
{
	struct stream *stream = stream_get(handle, per_thread);

	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!stream->capture || !graph)
		return (CUresult)401;
	*graph = (CUgraph)stream->capture;
	stream->capture = NULL;
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
API CUresult cuGraphLaunch##form(CUgraphExec exec, CUstream stream) \
{ \
	ENTER(); \
	return graph_launch(exec, stream, per_thread); \
} \
API CUresult cuGraphUpload##form(CUgraphExec exec, CUstream stream) \
{ \
	(void)stream; \
	ENTER(); \
	return graph_upload(exec); \
} \
API CUresult cuStreamBeginCapture_v2##form(CUstream stream, int mode) \
{ \
	(void)mode; \
	ENTER(); \
	return capture_begin(stream, per_thread); \
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
