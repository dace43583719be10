// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Graphs: a list of nodes in the order they were added, which is also the
 * order a launch runs them in; dependencies are accepted and not kept.  An
 * instance holds a copy of the list, and so does a node that holds a graph.
 */
#include <stdlib.h>
#include <string.h>
#include "driver.h"

/* As cuGraphNodeGetType() tells them. */
enum node_type {
	NODE_KERNEL,
	NODE_COPY,
	NODE_FILL,
	NODE_HOST,
	NODE_GRAPH,
	NODE_EMPTY,
	NODE_ALLOC = 10,
	NODE_FREE = 11,
};

struct node {
	struct object object;
	enum node_type type;
	struct node *next;
	struct graph *owner;
	struct node *original; /* of an instance's or clone's node */
	bool off;
	union {
		struct {
			struct function *function;
			CUDA_KERNEL_NODE_PARAMS kernel;
		};
		struct graph *child;
		CUDA_MEMCPY3D copy;
		CUDA_MEMSET_NODE_PARAMS fill;
		CUDA_HOST_NODE_PARAMS host;
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		uintptr_t freed;
	};
};

struct graph {
	struct object object;
	struct node *first, *last;
	size_t num;
	struct stream *origin; /* of the capture that fills it, until that ends */
	bool again;            /* it is captured anew: each node has to come once more */
	bool diverged;         /* one did not */
	struct node *expected; /* the next of them */
	/* A command list of a graphics library takes the nodes, and no graph is left */
	bool passing;
	bool owns_memory; /* it has nodes that allocate or free */
	bool auto_free;   /* of an instance: a launch frees what the last one left */
};

#define DEVICE_UPDATABLE 13 /* CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE */

_Static_assert(sizeof(struct node) <= 512, "node slot");
_Static_assert(sizeof(struct graph) <= 128, "graph slot");

static struct node *node_add(struct graph *graph, enum node_type type)
{
	struct node *node = graph ? object_new(&graph_nodes) : NULL;

	if (!node)
		return NULL;
	node->type = type;
	node->owner = graph;
	if (graph->last)
		graph->last->next = node;
	else
		graph->first = node;
	graph->last = node;
	graph->num++;
	return node;
}

static CUresult node_added(CUgraphNode *out, struct node *node)
{
	if (!node)
		return CUDA_ERROR_INVALID_VALUE;
	if (out)
		*out = (CUgraphNode)node;
	return CUDA_SUCCESS;
}

static CUresult drop(struct object_pool *pool, struct graph *graph);

static void node_drop(struct node *node)
{
	if (node->type == NODE_GRAPH && node->child)
		drop(&graphs, node->child);
	if (node->type == NODE_ALLOC)
		graph_memory_drop((uintptr_t)node->alloc.dptr);
	object_drop(&graph_nodes, node);
}

static CUresult drop(struct object_pool *pool, struct graph *graph)
{
	struct node *node, *next;

	if (!graph)
		return CUDA_ERROR_INVALID_VALUE;
	for (node = graph->first; node; node = next) {
		next = node->next;
		node_drop(node);
	}
	object_drop(pool, graph);
	return CUDA_SUCCESS;
}

/* Adds copies of all nodes of @from to @to. */
static CUresult graph_copy_nodes(struct graph *to, const struct graph *from)
{
	const struct node *node;
	struct node *copy;
	CUresult err;

	for (node = from->first; node; node = node->next) {
		copy = node_add(to, node->type);
		if (!copy)
			return CUDA_ERROR_OUT_OF_MEMORY;
		memcpy((char *)copy + offsetof(struct node, off),
		       (const char *)node + offsetof(struct node, off),
		       sizeof(*node) - offsetof(struct node, off));
		copy->original = (struct node *)node;
		if (node->type == NODE_ALLOC)
			graph_memory_keep((uintptr_t)node->alloc.dptr);
		if (node->type != NODE_GRAPH)
			continue;
		copy->child = object_new(&graphs);
		err = copy->child ? graph_copy_nodes(copy->child, node->child) :
				    CUDA_ERROR_OUT_OF_MEMORY;
		if (err)
			return err;
	}
	return CUDA_SUCCESS;
}

static CUresult set_kernel(struct node *node, const CUDA_KERNEL_NODE_PARAMS *params)
{
	struct function *function;

	if (!node || !params || node->type != NODE_KERNEL)
		return CUDA_ERROR_INVALID_VALUE;
	function = function_get(params->func ? (void *)params->func : (void *)params->kern);
	if (!function)
		return CUDA_ERROR_INVALID_HANDLE;
	if (launch_check(params->gridDimX, params->gridDimY, params->gridDimZ, params->blockDimX,
			 params->blockDimY, params->blockDimZ, params->sharedMemBytes))
		return CUDA_ERROR_INVALID_VALUE;
	node->function = function;
	node->kernel = *params;
	return CUDA_SUCCESS;
}

static CUresult set_child(struct node *node, CUgraph handle)
{
	struct graph *child = object_check(&graphs, handle), *copy;

	if (!node || !child || node->type != NODE_GRAPH || child->owns_memory)
		return CUDA_ERROR_INVALID_VALUE;
	copy = object_new(&graphs);
	if (!copy || graph_copy_nodes(copy, child))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (node->child)
		drop(&graphs, node->child);
	node->child = copy;
	return CUDA_SUCCESS;
}

/* The node of @exec that was made of @node. */
static struct node *exec_node(CUgraphExec exec_handle, CUgraphNode node_handle)
{
	struct graph *exec = object_check(&graph_execs, exec_handle);
	struct node *node;

	for (node = exec ? exec->first : NULL; node; node = node->next)
		if (node->original == (struct node *)node_handle)
			return node;
	return NULL;
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

API CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
				     size_t num, const CUDA_KERNEL_NODE_PARAMS *params)
{
	struct node checked = { .type = NODE_KERNEL }, *node;
	CUresult err;

	(void)deps, (void)num;
	ENTER();
	err = set_kernel(&checked, params);
	if (err)
		return err;
	node = node_add(object_check(&graphs, graph), NODE_KERNEL);
	if (node)
		set_kernel(node, params);
	return node_added(out, node);
}

/* A graph that owns memory could only be moved there, which is not asked for here. */
static CUresult add_child(CUgraphNode *out, CUgraph graph, CUgraph child)
{
	struct graph *held;
	struct node *node;

	held = object_check(&graphs, child);
	if (!held || held->owns_memory)
		return CUDA_ERROR_INVALID_VALUE;
	node = node_add(object_check(&graphs, graph), NODE_GRAPH);
	if (node && set_child(node, child))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return node_added(out, node);
}

API CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
				      size_t num, CUgraph child)
{
	(void)deps, (void)num;
	ENTER();
	return add_child(out, graph, child);
}

/* ---- nodes that allocate and free ---- */

/* How often @graph allocates at @at, less how often it frees there. */
static int balance(const struct graph *graph, uintptr_t at)
{
	const struct node *node;
	int n = 0;

	for (node = graph->first; node; node = node->next)
		if (node->type == NODE_ALLOC)
			n += node->alloc.dptr == at;
		else if (node->type == NODE_FREE)
			n -= node->freed == at;
	return n;
}

/* An address that @graph has freed by now is used again for as many bytes. */
static uintptr_t reusable(const struct graph *graph, const CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
	const struct node *node;

	for (node = graph->first; node; node = node->next)
		if (node->type == NODE_ALLOC && node->alloc.bytesize == params->bytesize &&
		    node->alloc.poolProps.location.id == params->poolProps.location.id &&
		    !balance(graph, (uintptr_t)node->alloc.dptr))
			return (uintptr_t)node->alloc.dptr;
	return 0;
}

static CUresult node_add_alloc(struct graph *graph, struct context *ctx,
			       CUDA_MEM_ALLOC_NODE_PARAMS *params, struct node **out)
{
	struct device *device;
	CUresult err = CUDA_SUCCESS;
	uintptr_t at;

	if (!graph || !params)
		return CUDA_ERROR_INVALID_VALUE;
	if (!ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	device = device_get(params->poolProps.location.id);
	if (!device || params->poolProps.handleTypes)
		return CUDA_ERROR_INVALID_VALUE;
	at = reusable(graph, params);
	if (at)
		graph_memory_keep(at);
	else
		err = graph_memory_reserve(ctx->device == device ? ctx : &device->primary,
					   params->bytesize, &at);
	if (err)
		return err;
	params->dptr = at;
	*out = node_add(graph, NODE_ALLOC);
	if (!*out) {
		graph_memory_drop(at);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	(*out)->alloc = *params;
	graph->owns_memory = true;
	return CUDA_SUCCESS;
}

/* What is freed must be a graph's: this one's that it has not freed yet, or another's, once. */
static CUresult node_add_free(struct graph *graph, uintptr_t at, struct node **out)
{
	const struct node *node;
	bool allocated, own = false;

	if (!graph || !graph_memory_is(at, &allocated))
		return CUDA_ERROR_INVALID_VALUE;
	for (node = graph->first; node; node = node->next)
		own |= node->type == NODE_ALLOC && node->alloc.dptr == at;
	if (balance(graph, at) < (own ? 1 : 0))
		return CUDA_ERROR_INVALID_VALUE;
	*out = node_add(graph, NODE_FREE);
	if (!*out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*out)->freed = at;
	graph->owns_memory = true;
	return CUDA_SUCCESS;
}

API CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
				    size_t num, CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
	struct node *node;
	CUresult err;

	(void)deps, (void)num;
	ENTER_CONTEXT(ctx);
	err = node_add_alloc(object_check(&graphs, graph), ctx, params, &node);
	return err ? err : node_added(out, node);
}

API CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
				   size_t num, CUdeviceptr ptr)
{
	struct node *node;
	CUresult err;

	(void)deps, (void)num;
	ENTER();
	err = node_add_free(object_check(&graphs, graph), (uintptr_t)ptr, &node);
	return err ? err : node_added(out, node);
}

/* Any kind of node that cuGraphAddNode_v2() takes. */
API CUresult cuGraphNodeGetParams(CUgraphNode handle, CUgraphNodeParams *params)
{
	struct node *node;

	ENTER();
	node = object_check(&graph_nodes, handle);
	if (!node || !params)
		return CUDA_ERROR_INVALID_VALUE;
	*params = (CUgraphNodeParams){ .type = (int)node->type };
	switch (node->type) {
	case NODE_KERNEL: params->kernel = node->kernel; return CUDA_SUCCESS;
	case NODE_GRAPH: params->graph = (CUgraph)node->child; return CUDA_SUCCESS;
	case NODE_ALLOC: params->alloc = node->alloc; return CUDA_SUCCESS;
	case NODE_FREE: params->freed = node->freed; return CUDA_SUCCESS;
	case NODE_EMPTY: return CUDA_SUCCESS;
	default: return CUDA_ERROR_NOT_SUPPORTED;
	}
}

/* ---- the rest of what adds nodes, and what runs them ---- */

API CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
			       const void *edges, size_t num, CUgraphNodeParams *params)
{
	struct node checked = { .type = NODE_KERNEL }, *node;
	CUresult err;

	(void)deps, (void)edges, (void)num;
	ENTER();
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	switch ((int)params->type) {
	case NODE_KERNEL:
		err = set_kernel(&checked, &params->kernel);
		if (err)
			return err;
		node = node_add(object_check(&graphs, graph), NODE_KERNEL);
		if (node)
			set_kernel(node, &params->kernel);
		return node_added(out, node);
	case NODE_GRAPH: return add_child(out, graph, params->graph);
	case NODE_EMPTY: return node_added(out, node_add(object_check(&graphs, graph), NODE_EMPTY));
	case NODE_ALLOC:
		err = node_add_alloc(object_check(&graphs, graph), current_context, &params->alloc,
				     &node);
		return err ? err : node_added(out, node);
	case NODE_FREE:
		err = node_add_free(object_check(&graphs, graph), (uintptr_t)params->freed, &node);
		return err ? err : node_added(out, node);
	default: return CUDA_ERROR_NOT_SUPPORTED;
	}
}

API CUresult cuGraphDestroyNode(CUgraphNode handle)
{
	struct node *node, **at, *last = NULL;

	ENTER();
	node = object_check(&graph_nodes, handle);
	/* one that allocates or frees, or stands beside such, stays */
	if (!node || node->owner->owns_memory)
		return CUDA_ERROR_INVALID_VALUE;
	for (at = &node->owner->first; *at != node; at = &(*at)->next)
		last = *at;
	*at = node->next;
	if (node->owner->last == node)
		node->owner->last = last;
	node->owner->num--;
	node_drop(node);
	return CUDA_SUCCESS;
}

API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS *params)
{
	struct node *node;

	ENTER();
	node = object_check(&graph_nodes, handle);
	if (!node || !params || node->type != NODE_KERNEL)
		return CUDA_ERROR_INVALID_VALUE;
	*params = node->kernel;
	return CUDA_SUCCESS;
}

/*
 * Of a node's attributes only the one that a monitor has to understand: which, once set, is not
 * taken back (cuda.h).
 */
API CUresult cuGraphKernelNodeSetAttribute(CUgraphNode handle, int attribute,
					   const CUlaunchAttributeValue *value)
{
	struct node *node;
	int wanted;

	ENTER();
	node = object_check(&graph_nodes, handle);
	if (!node || !value || node->type != NODE_KERNEL)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute != DEVICE_UPDATABLE)
		return CUDA_ERROR_NOT_SUPPORTED;
	memcpy(&wanted, value, sizeof(wanted));
	return wanted == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
	ENTER();
	return set_kernel(object_check(&graph_nodes, node), params);
}

API CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
					       const CUDA_KERNEL_NODE_PARAMS *params)
{
	ENTER();
	return set_kernel(exec_node(exec, node), params);
}

API CUresult cuGraphNodeSetParams(CUgraphNode handle, CUgraphNodeParams *params)
{
	struct node *node;

	ENTER();
	node = object_check(&graph_nodes, handle);
	if (!node || !params)
		return CUDA_ERROR_INVALID_VALUE;
	return params->type == NODE_GRAPH ? set_child(node, params->graph) :
					    set_kernel(node, &params->kernel);
}

API CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode handle,
				      CUgraphNodeParams *params)
{
	struct node *node;

	ENTER();
	node = exec_node(exec, handle);
	if (!node || !params)
		return CUDA_ERROR_INVALID_VALUE;
	return params->type == NODE_GRAPH ? set_child(node, params->graph) :
					    set_kernel(node, &params->kernel);
}

API CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child)
{
	ENTER();
	return set_child(exec_node(exec, node), child);
}

API CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode handle, unsigned int enabled)
{
	struct node *node;

	ENTER();
	node = exec_node(exec, handle);
	if (!node || node->type > NODE_FILL)
		return CUDA_ERROR_INVALID_VALUE;
	node->off = !enabled;
	return CUDA_SUCCESS;
}

API CUresult cuGraphClone(CUgraph *out, CUgraph handle)
{
	struct graph *graph, *clone;

	ENTER();
	graph = object_check(&graphs, handle);
	if (!graph || !out || graph->owns_memory)
		return CUDA_ERROR_INVALID_VALUE;
	clone = object_new(&graphs);
	if (!clone || graph_copy_nodes(clone, graph))
		return CUDA_ERROR_OUT_OF_MEMORY;
	*out = (CUgraph)clone;
	return CUDA_SUCCESS;
}

API CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
				 size_t num)
{
	(void)deps, (void)num;
	ENTER();
	return node_added(out, node_add(object_check(&graphs, graph), NODE_EMPTY));
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

#define AUTO_FREE 1 /* CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH */

static CUresult instantiate(CUgraphExec *out, CUgraph handle, unsigned long long flags)
{
	struct graph *graph = object_check(&graphs, handle), *exec;

	if (!graph || !out)
		return CUDA_ERROR_INVALID_VALUE;
	exec = object_new(&graph_execs);
	if (!exec || graph_copy_nodes(exec, graph))
		return CUDA_ERROR_OUT_OF_MEMORY;
	exec->owns_memory = graph->owns_memory;
	exec->auto_free = flags & AUTO_FREE;
	*out = (CUgraphExec)exec;
	return CUDA_SUCCESS;
}

API CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long flags)
{
	ENTER();
	return instantiate(out, graph, flags);
}

/* Only what keeps its shape can be updated in place. */
static bool same_shape(const struct graph *a, const struct graph *b)
{
	const struct node *left, *right;

	for (left = a->first, right = b->first; left && right;
	     left = left->next, right = right->next)
		if (left->type != right->type)
			return false;
	return !left && !right;
}

API CUresult cuGraphExecUpdate_v2(CUgraphExec exec_handle, CUgraph handle, void *info)
{
	struct graph *exec, *graph, old;
	struct node *node, *next;

	(void)info;
	ENTER();
	exec = object_check(&graph_execs, exec_handle);
	graph = object_check(&graphs, handle);
	if (!exec || !graph)
		return CUDA_ERROR_INVALID_VALUE;
	if (!same_shape(exec, graph))
		return (CUresult)910;
	old = *exec;
	exec->first = exec->last = NULL;
	exec->num = 0;
	for (node = old.first; node; node = next) {
		next = node->next;
		node_drop(node);
	}
	exec->owns_memory = graph->owns_memory;
	return graph_copy_nodes(exec, graph);
}

API CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	ENTER();
	return drop(&graph_execs, object_check(&graph_execs, exec));
}

static CUresult run(const struct node *node, struct stream *stream)
{
	const CUDA_MEMSET_NODE_PARAMS *fill = &node->fill;
	CUresult err = CUDA_SUCCESS;

	if (node->off)
		return CUDA_SUCCESS;
	switch (node->type) {
	case NODE_GRAPH:
		for (node = node->child->first; node && !err; node = node->next)
			err = run(node, stream);
		return err;
	case NODE_KERNEL:
		if (kernel_time)
			stream_spend(stream, kernel_time);
		break;
	case NODE_COPY: return copy_3d(&node->copy);
	case NODE_FILL:
		return fill_rows(fill->dst, fill->pitch, fill->value, fill->elementSize,
				 fill->width, fill->height);
	case NODE_HOST: node->host.fn(node->host.userData); break;
	case NODE_ALLOC: return graph_memory_alloc((uintptr_t)node->alloc.dptr);
	case NODE_FREE: return memory_free(node->freed, 1u << MEMORY_GRAPH);
	case NODE_EMPTY: break;
	}
	return CUDA_SUCCESS;
}

/* What an earlier launch allocated and nobody freed stands in a launch's way. */
static CUresult memory_ready(const struct graph *exec)
{
	const struct node *node;
	bool allocated;

	for (node = exec->first; node; node = node->next) {
		if (node->type != NODE_ALLOC)
			continue;
		graph_memory_is((uintptr_t)node->alloc.dptr, &allocated);
		if (!allocated)
			continue;
		if (!exec->auto_free ||
		    memory_free((uintptr_t)node->alloc.dptr, 1u << MEMORY_GRAPH))
			return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

static CUresult graph_launch(CUgraphExec handle, CUstream stream_handle, bool per_thread)
{
	struct graph *exec = object_check(&graph_execs, handle);
	struct stream *stream = stream_get(stream_handle, per_thread);
	struct node *node;
	CUresult err;

	if (!exec)
		return CUDA_ERROR_INVALID_VALUE;
	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	if (stream->capture)
		return exec->owns_memory ? CUDA_ERROR_INVALID_VALUE :
					   graph_copy_nodes(stream->capture, exec);
	err = memory_ready(exec);
	if (err)
		return err;
	for (node = exec->first; node; node = node->next) {
		err = run(node, stream);
		if (err)
			return err;
	}
	return CUDA_SUCCESS;
}

static CUresult graph_upload(CUgraphExec handle)
{
	return object_check(&graph_execs, handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
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
	API CUresult cuGraphInstantiateWithParams##form(CUgraphExec *exec, CUgraph graph, \
							void *params) \
	{ \
		ENTER(); \
		/* the flags come first in the parameters */ \
		return instantiate(exec, graph, params ? *(unsigned long long *)params : 0); \
	}

BOTH_FORMS(, false)
BOTH_FORMS(_ptsz, true)

/* ---- captures ---- */

/*
 * Stream capture: what a stream is given while it is captured becomes nodes of
 * a graph.  Which streams take part: the one that the capture began on, and
 * those that wait for an event recorded in one that does.
 *
 * A capture of a graph anew has to bring the same nodes in the same order. Of
 * what else differs, the double asks no callback: the node becomes what is captured.
 */

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

#define CAPTURE_FORMS(form, per_thread) \
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

CAPTURE_FORMS(, false)
CAPTURE_FORMS(_ptsz, true)
