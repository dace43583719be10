// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Graphs: captured, in one stream and more, built by hand, cloned, nested, changed, instantiated,
 * changed again, launched. Left out, since cutop says that it cannot see it: memory that graphs
 * allocate, kernels of conditional nodes, those added to a child graph within its parent. Nodes of
 * captures and clones, whose handles no call gives, are changed in executable graphs only, by
 * programs that asked for their handles and kernels; those of an executable graph that was updated
 * by another graph are left as they are. A graph is for the device that it was made on.
 */
#include <string.h>
#include "random_calls.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool is_here(int device, CUcontext context)
{
	return device == self->device && context == self->context;
}

static struct graph *graph_any(void)
{
	struct graph *graph = self->graph_count ? &self->graphs[any(self->graph_count)] : NULL;

	return graph && is_here(graph->device, graph->context) ? graph : NULL;
}

static struct exec *exec_any(void)
{
	struct exec *exec = self->exec_count ? &self->execs[any(self->exec_count)] : NULL;

	return exec && is_here(exec->held.device, exec->held.context) ? exec : NULL;
}

/* A node with a handle that is known. */
static struct graph_node *any_node(struct graph *graph, enum graph_node_kind kind)
{
	struct graph_node *node = graph->count ? &graph->nodes[any(graph->count)] : NULL;

	return node && node->handle && node->kind == kind ? node : NULL;
}

static unsigned long held_kernels(const struct graph *graph, unsigned int kernel)
{
	unsigned long sum = 0;
	size_t i;

	for (i = 0; i < graph->count; i++)
		sum += graph->nodes[i].off ? 0 : graph->nodes[i].kernels[kernel];
	return sum;
}

static bool graph_is_large(const struct graph *graph)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < KERNELS; i++)
		sum += held_kernels(graph, i);
	return sum > 1000;
}

static void graph_put(struct graph *graph, struct graph_node node)
{
	graph->nodes[graph->count++] = node;
}

static void node_hold_kernel(struct graph_node *node, unsigned int kernel)
{
	memset(node->kernels, 0, sizeof(node->kernels));
	node->kernels[kernel] = 1;
}

static void node_hold_graph(struct graph_node *node, const struct graph *child)
{
	unsigned int i;

	for (i = 0; i < KERNELS; i++)
		node->kernels[i] = held_kernels(child, i);
}

static struct cudaKernelNodeParams runtime_params(unsigned int kernel)
{
	return (struct cudaKernelNodeParams){
		.func = (void *)(uintptr_t)(no_runtime ? stub_of(kernel) :
							 any_runtime_name(kernel)),
		.gridDim = { 1, 1, 1 },
		.blockDim = { one_in(30) ? 5000 : 32, 1, 1 }
	};
}

static bool driver_params(CUDA_KERNEL_NODE_PARAMS *params, unsigned int kernel)
{
	*params = (CUDA_KERNEL_NODE_PARAMS){ .gridDimX = 1,
					     .gridDimY = 1,
					     .gridDimZ = 1,
					     .blockDimX = 32,
					     .blockDimY = 1,
					     .blockDimZ = 1 };
	params->func = no_driver || self->runtime_only ? NULL : any_driver_name(kernel);
	return params->func;
}

static bool node_is_in(cudaGraph_t handle, cudaGraphNode_t node)
{
	size_t i, j;

	for (i = 0; i < self->graph_count; i++)
		for (j = 0; self->graphs[i].handle == handle && j < self->graphs[i].count; j++)
			if (self->graphs[i].nodes[j].handle == node ||
			    self->graphs[i].nodes[j].learnt == node)
				return true;
	return false;
}

/* ---- graphs ---- */

static void create(void)
{
	struct graph *graph = &self->graphs[self->graph_count];

	if (self->graph_count == COUNT(self->graphs))
		return;
	*graph = (struct graph){ .device = self->device, .context = self->context };
	if (!EITHER(cudaGraphCreate, cuGraphCreate, &graph->handle, 0))
		self->graph_count++;
}

static void clone(struct graph *from)
{
	struct graph *graph = &self->graphs[self->graph_count];
	size_t i;

	if (self->graph_count == COUNT(self->graphs))
		return;
	*graph = *from;
	if (EITHER(cudaGraphClone, cuGraphClone, &graph->handle, from->handle))
		return;
	for (i = 0; i < graph->count; i++)
		graph->nodes[i].handle = graph->nodes[i].learnt = NULL;
	self->graph_count++;
}

static void add_kernel(struct graph *graph)
{
	unsigned int kernel = (unsigned int)any(KERNELS);
	struct cudaGraphNodeParams any_params = { .type = cudaGraphNodeTypeKernel };
	CUgraphNodeParams any_driver = { .type = 0 };
	struct graph_node node = { .kind = NODE_KERNEL };
	int code;

	if (one_in(2)) {
		any_params.kernel = runtime_params(kernel);
		code = one_in(2) ? CALL(cudaGraphAddKernelNode, &node.handle, graph->handle, NULL,
					0, &any_params.kernel) :
				   CALL(cudaGraphAddNode, &node.handle, graph->handle, NULL, NULL,
					0, &any_params);
	} else {
		if (!driver_params(&any_driver.kernel, kernel))
			return;
		code = one_in(2) ? CALL(cuGraphAddKernelNode_v2, &node.handle, graph->handle, NULL,
					0, &any_driver.kernel) :
				   CALL(cuGraphAddNode_v2, &node.handle, graph->handle, NULL, NULL,
					0, &any_driver);
	}
	node_hold_kernel(&node, kernel);
	if (!code)
		graph_put(graph, node);
}

static void add_child(struct graph *graph)
{
	struct cudaGraphNodeParams any_params = { .type = cudaGraphNodeTypeGraph };
	CUgraphNodeParams any_driver = { .type = 4 };
	struct graph_node node = { .kind = NODE_CHILD };
	struct graph *child = graph_any();
	int code;

	if (!child || child == graph || graph_is_large(child) || graph_is_large(graph))
		return;
	any_params.graph = any_driver.graph = child->handle;
	switch (any(4)) {
	case 0:
		code = CALL(cudaGraphAddChildGraphNode, &node.handle, graph->handle, NULL, 0,
			    child->handle);
		break;
	case 1:
		code = CALL(cudaGraphAddNode, &node.handle, graph->handle, NULL, NULL, 0,
			    &any_params);
		break;
	case 2:
		code = CALL(cuGraphAddChildGraphNode, &node.handle, graph->handle, NULL, 0,
			    child->handle);
		break;
	default:
		code = CALL(cuGraphAddNode_v2, &node.handle, graph->handle, NULL, NULL, 0,
			    &any_driver);
	}
	node_hold_graph(&node, child);
	if (!code)
		graph_put(graph, node);
}

static void add_empty(struct graph *graph)
{
	struct graph_node node = { .kind = NODE_OTHER };

	if (!EITHER(cudaGraphAddEmptyNode, cuGraphAddEmptyNode, &node.handle, graph->handle, NULL,
		    0))
		graph_put(graph, node);
}

static void remove_node(struct graph *graph)
{
	struct graph_node *node = any_node(graph, one_in(2) ? NODE_KERNEL : NODE_CHILD);

	if (node && !EITHER(cudaGraphDestroyNode, cuGraphDestroyNode, node->handle)) {
		size_t i = (size_t)(node - graph->nodes);

		memmove(node, node + 1, (--graph->count - i) * sizeof(*node));
	}
}

static void change_node(struct graph *graph)
{
	struct cudaGraphNodeParams any_params = { .type = cudaGraphNodeTypeKernel };
	struct graph_node *node = any_node(graph, one_in(3) ? NODE_CHILD : NODE_KERNEL);
	unsigned int kernel = (unsigned int)any(KERNELS);
	CUgraphNodeParams any_driver = { .type = 0 };
	struct graph *child;
	int code;

	if (!node)
		return;
	if (node->kind == NODE_CHILD) {
		child = graph_any();
		if (!child || child == graph || graph_is_large(child))
			return;
		any_params.type = cudaGraphNodeTypeGraph;
		any_driver.type = 4;
		any_params.graph = any_driver.graph = child->handle;
		if (!(one_in(2) ? CALL(cudaGraphNodeSetParams, node->handle, &any_params) :
				  CALL(cuGraphNodeSetParams, node->handle, &any_driver)))
			node_hold_graph(node, child);
		return;
	}
	if (one_in(2)) {
		any_params.kernel = runtime_params(kernel);
		code = one_in(2) ? CALL(cudaGraphKernelNodeSetParams, node->handle,
					&any_params.kernel) :
				   CALL(cudaGraphNodeSetParams, node->handle, &any_params);
	} else {
		if (!driver_params(&any_driver.kernel, kernel))
			return;
		code = one_in(2) ? CALL(cuGraphKernelNodeSetParams_v2, node->handle,
					&any_driver.kernel) :
				   CALL(cuGraphNodeSetParams, node->handle, &any_driver);
	}
	if (!code)
		node_hold_kernel(node, kernel);
}

static void destroy(struct graph *graph)
{
	size_t i;

	if (EITHER(cudaGraphDestroy, cuGraphDestroy, graph->handle))
		return;
	/* No handle of its nodes is one now. */
	for (i = 0; i < self->exec_count; i++)
		if (self->execs[i].of == graph->handle)
			self->execs[i].of = NULL;
	*graph = self->graphs[--self->graph_count];
}

static void learn(struct graph *graph)
{
	cudaGraphNode_t handles[COUNT(graph->nodes)];
	struct cudaKernelNodeParams params;
	CUDA_KERNEL_NODE_PARAMS driver;
	size_t i, count = COUNT(handles);

	/*
	 * The double's runtime tells the driver's name of a kernel, which is unknown unless the
	 * driver is watched.
	 */
	if (no_driver)
		return;
	for (i = 0; i < graph->count; i++)
		if (graph->nodes[i].kind == NODE_MANY)
			return;
	if (EITHER(cudaGraphGetNodes, cuGraphGetNodes, graph->handle, handles, &count) ||
	    count != graph->count)
		return;
	for (i = 0; i < count; i++) {
		struct graph_node *node = &graph->nodes[i];

		if (node->kind == NODE_KERNEL && !node->handle && !one_in(3) &&
		    !(one_in(2) ? CALL(cudaGraphKernelNodeGetParams, handles[i], &params) :
				  CALL(cuGraphKernelNodeGetParams_v2, handles[i], &driver)))
			node->learnt = handles[i];
	}
}

/* ---- executable graphs ---- */

static void instantiate(struct graph *graph)
{
	struct exec *exec = &self->execs[self->exec_count];
	cudaGraphInstantiateParams params = { 0 };
	int code;

	if (self->exec_count == COUNT(self->execs))
		return;
	switch (any(5)) {
	case 0: code = CALL(cudaGraphInstantiate, &exec->handle, graph->handle, 0); break;
	case 1: code = CALL(cudaGraphInstantiateWithFlags, &exec->handle, graph->handle, 0); break;
	case 2:
		code = EITHER(cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz,
			      &exec->handle, graph->handle, &params);
		break;
	case 3: code = CALL(cuGraphInstantiateWithFlags, &exec->handle, graph->handle, 0); break;
	default:
		code = EITHER(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams_ptsz,
			      &exec->handle, graph->handle, &params);
	}
	if (code)
		return;
	exec->held = *graph;
	exec->of = graph->handle;
	self->exec_count++;
}

static void update(struct exec *exec)
{
	struct graph *graph = graph_any();
	cudaGraphExecUpdateResultInfo info;

	if (!graph || EITHER(cudaGraphExecUpdate, cuGraphExecUpdate_v2, exec->handle, graph->handle,
			     (void *)&info))
		return;
	if (exec->of != graph->handle)
		exec->of = NULL;
	exec->held = *graph;
}

static void change_exec(struct exec *exec)
{
	struct cudaGraphNodeParams any_params = { .type = cudaGraphNodeTypeKernel };
	struct graph_node *node = exec->held.count ? &exec->held.nodes[any(exec->held.count)] :
						     NULL;
	unsigned int kernel = (unsigned int)any(KERNELS);
	CUgraphNodeParams any_driver = { .type = 0 };
	cudaGraphNode_t handle;
	struct graph *child;
	int code;

	/*
	 * By the nodes of the graph that it was made of, while that is there; and those that are
	 * still in it.
	 */
	if (!node || node->kind >= NODE_OTHER || !exec->of)
		return;
	handle = node->handle ? node->handle : node->learnt;
	if (!handle || !node_is_in(exec->of, handle))
		return;
	if (node->kind == NODE_CHILD) {
		child = graph_any();
		if (!child || graph_is_large(child))
			return;
		any_params.type = cudaGraphNodeTypeGraph;
		any_driver.type = 4;
		any_params.graph = any_driver.graph = child->handle;
		switch (any(4)) {
		case 0:
			code = CALL(cudaGraphExecChildGraphNodeSetParams, exec->handle, handle,
				    child->handle);
			break;
		case 1:
			code = CALL(cudaGraphExecNodeSetParams, exec->handle, handle, &any_params);
			break;
		case 2:
			code = CALL(cuGraphExecChildGraphNodeSetParams, exec->handle, handle,
				    child->handle);
			break;
		default: code = CALL(cuGraphExecNodeSetParams, exec->handle, handle, &any_driver);
		}
		if (!code)
			node_hold_graph(node, child);
		return;
	}
	if (one_in(2)) {
		bool enabled = one_in(2);

		if (!EITHER(cudaGraphNodeSetEnabled, cuGraphNodeSetEnabled, exec->handle, handle,
			    enabled))
			node->off = !enabled;
		return;
	}
	if (one_in(2)) {
		any_params.kernel = runtime_params(kernel);
		code = one_in(2) ?
			       CALL(cudaGraphExecKernelNodeSetParams, exec->handle, handle,
				    &any_params.kernel) :
			       CALL(cudaGraphExecNodeSetParams, exec->handle, handle, &any_params);
	} else {
		if (!driver_params(&any_driver.kernel, kernel))
			return;
		code = one_in(2) ?
			       CALL(cuGraphExecKernelNodeSetParams_v2, exec->handle, handle,
				    &any_driver.kernel) :
			       CALL(cuGraphExecNodeSetParams, exec->handle, handle, &any_driver);
	}
	if (!code)
		node_hold_kernel(node, kernel);
}

static void launch(struct exec *exec)
{
	size_t times = 1 + any(4);
	unsigned int i;

	while (times--) {
		cudaStream_t stream = any_stream();
		int code = one_in(2) ?
				   EITHER(cudaGraphLaunch, cudaGraphLaunch_ptsz, exec->handle,
					  stream) :
				   EITHER(cuGraphLaunch, cuGraphLaunch_ptsz, exec->handle, stream);

		for (i = 0; !code && i < KERNELS; i++)
			self->kernels[i][self->device].graph_launches +=
				held_kernels(&exec->held, i);
	}
}

/* ---- captures, in one stream and more ---- */

static bool launch_captured(cudaStream_t stream, unsigned int kernel)
{
	dim3 grid = { 1, 1, 1 }, block = { one_in(30) ? 5000 : 32, 1, 1 };
	cudaLaunchConfig_t config = { grid, block, 0, stream, NULL, 0 };
	CUfunction name = NULL;

	if (one_in(3) && !no_driver && !self->runtime_only)
		name = any_driver_name(kernel);
	if (name)
		return !EITHER(cuLaunchKernel, cuLaunchKernel_ptsz, name, 1, 1, 1, block.x, 1, 1, 0,
			       stream, NULL, NULL);
	if (one_in(2))
		return !EITHER(cudaLaunchKernel, cudaLaunchKernel_ptsz, stub_of(kernel), grid,
			       block, NULL, 0, stream);
	return !EITHER(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz, &config, stub_of(kernel),
		       NULL);
}

static int begin(cudaStream_t stream, struct graph *onto)
{
	if (onto)
		return one_in(2) ?
			       EITHER(cudaStreamBeginCaptureToGraph,
				      cudaStreamBeginCaptureToGraph_ptsz, stream, onto->handle,
				      NULL, NULL, 0, 0) :
			       EITHER(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph_ptsz,
				      stream, onto->handle, NULL, NULL, 0, 0);
	return one_in(2) ? EITHER(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz, stream, 0) :
			   EITHER(cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz, stream, 0);
}

/* Its capture has not ended: what goes into it is no launch. */
static void leave(cudaStream_t stream)
{
	size_t i;

	for (i = self->stream_count; i-- > 0;)
		if (self->streams[i].stream == stream)
			self->streams[i] = self->streams[--self->stream_count];
}

/*
 * All of one at once; the stream is one that was made, and so is the other, which may join, or go
 * on as it is. Into a graph that is there or a new one.
 */
static void graph_capture(void)
{
	struct graph *onto = one_in(4) ? graph_any() : NULL,
		     made = { .device = self->device, .context = self->context };
	cudaStream_t stream = any_stream(), other = any_stream();
	struct graph *graph = onto ? onto : &made;
	cudaEvent_t event = NULL;
	size_t i, steps = any(8);
	bool joined = false;
	struct exec *exec;
	int code;

	if ((uintptr_t)stream <= 2 || (uintptr_t)other <= 2 ||
	    (!onto && self->graph_count == COUNT(self->graphs)) ||
	    graph->count + 9 > COUNT(graph->nodes) || begin(stream, onto))
		return;
	if (other != stream && one_in(2) && !CALL(cudaEventCreateWithFlags, &event, 2) &&
	    !EITHER(cudaEventRecord, cudaEventRecord_ptsz, event, stream))
		joined = !EITHER(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz, other, event, 0);
	for (i = 0; i < steps; i++) {
		struct graph_node node = { .kind = NODE_OTHER };
		unsigned int kernel = (unsigned int)any(KERNELS);
		bool aside = one_in(3);
		cudaStream_t in = aside ? other : stream;

		switch (any(8)) {
		case 0:
			code = CALL(cudaMemcpyAsync, host_memory, host_memory + 100, 10,
				    cudaMemcpyHostToHost, in);
			if (aside && !joined && other != stream)
				note_copy(code, H2H, true, 10);
			else if (!code && !self->left_out)
				graph_put(graph, node);
			break;
		case 1:
			exec = exec_any();
			if (!exec || (aside && !joined && other != stream) ||
			    graph_is_large(&exec->held) || graph_is_large(graph))
				break;
			node_hold_graph(&node, &exec->held);
			node.kind = NODE_MANY;
			if (!EITHER(cudaGraphLaunch, cudaGraphLaunch_ptsz, exec->handle, in))
				graph_put(graph, node);
			break;
		default:
			node_hold_kernel(&node, kernel);
			node.kind = NODE_KERNEL;
			if (aside && !joined && other != stream) {
				dim3 one = { 1, 1, 1 };

				note_launch(CALL(cudaLaunchKernel, stub_of(kernel), one, one, NULL,
						 0, in),
					    kernel);
			} else if (launch_captured(in, kernel)) {
				graph_put(graph, node);
			}
		}
	}
	if (joined && !EITHER(cudaEventRecord, cudaEventRecord_ptsz, event, other))
		EITHER(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz, stream, event, 0);
	while ((code = one_in(2) ? EITHER(cudaStreamEndCapture, cudaStreamEndCapture_ptsz, stream,
					  &graph->handle) :
				   EITHER(cuStreamEndCapture, cuStreamEndCapture_ptsz, stream,
					  &graph->handle)) == -1)
		;
	if (event)
		CALL(cudaEventDestroy, event);
	if (!code && !onto)
		self->graphs[self->graph_count++] = made;
	if (code)
		leave(stream);
	if (code && joined)
		leave(other);
}

void step_graph(void)
{
	struct graph *graph = graph_any();
	struct exec *exec = exec_any();
	bool full = graph && graph->count + 9 > COUNT(graph->nodes);

	switch (any(20)) {
	case 0: create(); break;
	case 1:
		if (graph)
			clone(graph);
		break;
	case 2:
	case 3:
		if (graph && !full)
			add_kernel(graph);
		break;
	case 4:
		if (graph && !full)
			add_child(graph);
		break;
	case 5:
		if (graph && !full)
			add_empty(graph);
		break;
	case 6:
		if (graph && one_in(2))
			remove_node(graph);
		break;
	case 7:
		if (graph)
			change_node(graph);
		break;
	case 8:
		if (graph && one_in(3))
			destroy(graph);
		break;
	case 9:
	case 10: graph_capture(); break;
	case 11:
		if (graph)
			instantiate(graph);
		break;
	case 12:
		if (exec)
			update(exec);
		break;
	case 13:
	case 14:
	case 15:
		if (exec)
			change_exec(exec);
		break;
	case 16:
		if (exec && one_in(3) &&
		    !EITHER(cudaGraphExecDestroy, cuGraphExecDestroy, exec->handle))
			*exec = self->execs[--self->exec_count];
		break;
	case 17:
		if (graph)
			learn(graph);
		break;
	default:
		if (exec)
			launch(exec);
	}
}
