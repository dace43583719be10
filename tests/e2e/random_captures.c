// SPDX-License-Identifier: GPL-2.0-or-later
/* Graphs that are captured, in one stream and more: random_graphs.c has what becomes of them. */
#include "random_graphs.h"

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
 * on as it is.
 */
void graph_capture(void)
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
