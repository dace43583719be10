// SPDX-License-Identifier: GPL-2.0-or-later
/* The nodes of a graph that allocate and free. */
#include "driver_graphs.h"

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

CUresult node_add_alloc(struct graph *graph, struct context *ctx,
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
CUresult node_add_free(struct graph *graph, uintptr_t at, struct node **out)
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
