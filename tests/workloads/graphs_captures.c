// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scenes of graphs in which it matters what a capture takes in, and what not:
 * other streams, threads and layers, launches of graphs, copies.  As in
 * graphs.c each runs an exact number of kernels, which its comment says.
 */
#include <pthread.h>
#include <stdlib.h>
#include "cuda_double_driver.h"
#include "graphs.h"

#define EXTERNAL 1 /* cudaEventRecordExternal, cudaEventWaitExternal */

/*
 * vectorAdd N, saxpy N, reduce N; then a launch of each into the streams that took part: launches 1
 * each
 */
void scene_fork(void)
{
	cudaEvent_t forked, joined;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	MUST(cudaEventCreate(&forked));
	MUST(cudaEventCreate(&joined));
	begin_capture(stage.stream);
	MUST(cudaEventRecord(forked, stage.stream));
	MUST(cudaStreamWaitEvent(stage.other, forked, 0));
	MUST(launch(VECTOR_ADD, 1, 32, stage.stream));
	MUST(launch(SAXPY, 1, 32, stage.other));
	MUST(cudaEventRecord(joined, stage.other));
	MUST(cudaStreamWaitEvent(stage.stream, joined, 0));
	MUST(launch(REDUCE, 1, 32, stage.stream));
	graph = end_capture(stage.stream);
	exec = instance(graph);
	MUST(launch(VECTOR_ADD, 1, 32, stage.stream));
	MUST(launch(SAXPY, 1, 32, stage.other));
	/* an event of a capture that is over draws nobody in */
	MUST(cudaStreamWaitEvent(stage.other, forked, 0));
	MUST(launch(REDUCE, 1, 32, stage.other));
	run(exec, stage.times);
	drop(exec, graph);
	MUST(cudaEventDestroy(forked));
	MUST(cudaEventDestroy(joined));
}

/*
 * Events that are recorded and waited for as the graphs run draw nobody in: saxpy 1 launch,
 * vectorAdd N, reduce N
 */
void scene_outside(void)
{
	cudaGraph_t first, second;
	cudaGraphExec_t execs[2];
	cudaEvent_t event, inner;

	MUST(cudaEventCreate(&event));
	MUST(cudaEventCreate(&inner));
	begin_capture(stage.stream);
	MUST(launch(VECTOR_ADD, 1, 32, stage.stream));
	MUST(cudaEventRecordWithFlags(event, stage.stream, EXTERNAL));
	MUST(cudaStreamWaitEvent(stage.other, event, 0));
	MUST(launch(SAXPY, 1, 32, stage.other));
	MUST(cudaEventRecord(inner, stage.stream));
	begin_capture(stage.other);
	MUST(cudaStreamWaitEvent(stage.other, inner, EXTERNAL));
	MUST(launch(REDUCE, 1, 32, stage.other));
	second = end_capture(stage.other);
	first = end_capture(stage.stream);
	execs[0] = instance(first);
	execs[1] = instance(second);
	run(execs[0], stage.times);
	run(execs[1], stage.times);
	drop(execs[0], first);
	drop(execs[1], second);
	MUST(cudaEventDestroy(event));
	MUST(cudaEventDestroy(inner));
}

static pthread_barrier_t barrier;

static void *launch_beside(void *arg)
{
	long i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < stage.times; i++)
		MUST(launch(REDUCE, 1, 32, stage.other));
	pthread_barrier_wait(&barrier);
	return arg;
}

/*
 * Another thread launches into another stream meanwhile: vectorAdd N, saxpy 2N, and reduce:
 * launches N
 */
void scene_beside(void)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, launch_beside, NULL);
	begin_capture(stage.stream);
	MUST(launch(VECTOR_ADD, 1, 32, stage.stream));
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	MUST(launch(SAXPY, 1, 32, stage.stream));
	MUST(launch(SAXPY, 1, 32, stage.stream));
	graph = end_capture(stage.stream);
	pthread_join(thread, NULL);
	exec = instance(graph);
	run(exec, stage.times);
	drop(exec, graph);
}

/*
 * A capture into a graph that there is, on the thread's own stream: vectorAdd N, saxpy N, reduce N
 */
void scene_to_graph(void)
{
	dim3 one = { 1, 1, 1 };
	cudaGraphInstantiateParams params = { 0 };
	cudaGraph_t graph = new_graph(), same;
	cudaGraphExec_t exec;
	void *args[1] = { NULL };
	long i;

	add(graph, VECTOR_ADD);
	MUST(cudaStreamBeginCaptureToGraph_ptsz(NULL, graph, NULL, NULL, 0, 0));
	MUST(cudaLaunchKernel_ptsz(kernel_stub(SAXPY), one, one, args, 0, NULL));
	MUST(cudaLaunchKernel(kernel_stub(REDUCE), one, one, args, 0, cudaStreamPerThread));
	MUST(cudaStreamEndCapture_ptsz(NULL, &same));
	MUST(cudaGraphInstantiateWithParams_ptsz(&exec, graph, &params));
	for (i = 0; i < stage.times; i++)
		MUST(cudaGraphLaunch_ptsz(exec, NULL));
	drop(exec, graph);
}

/*
 * A graph that is captured anew, with another kernel: vectorAdd N + N, saxpy 2N + N, reduce N,
 * reduce 1 launch
 */
void scene_recapture(void)
{
	cudaGraph_t graph = capture_three(), same;
	cudaGraphExec_t exec = instance(graph), other;

	MUST(cudaStreamBeginRecaptureToGraph(stage.stream, 0, graph, NULL));
	MUST(launch(VECTOR_ADD, 8, 128, stage.stream));
	MUST(launch(SAXPY, 16, 256, stage.stream));
	MUST(launch(REDUCE, 16, 256, stage.stream));
	MUST(cudaStreamEndCapture(stage.stream, &same));
	MUST(launch(REDUCE, 16, 256, stage.stream));
	other = instance(same);
	run(exec, stage.times);
	run(other, stage.times);
	drop(other, NULL);
	drop(exec, graph);
}

/* One that ends too early, and is destroyed: vectorAdd N, saxpy 2N, both before */
void scene_recapture_fails(void)
{
	cudaGraph_t graph = capture_three(), same;
	cudaGraphExec_t exec = instance(graph);

	run(exec, stage.times);
	MUST(cudaStreamBeginRecaptureToGraph_ptsz(stage.stream, 0, graph, NULL));
	MUST(launch(VECTOR_ADD, 8, 128, stage.stream));
	if (cudaStreamEndCapture_ptsz(stage.stream, &same) != (cudaError_t)918)
		exit(1);
	drop(exec, graph);
}

/*
 * Into the command list of a graphics library, twice; then N launches: direct 2 captured, launches
 * N
 */
void scene_command_list(void)
{
	void *library[2] = { NULL, NULL }, *list = library;
	CUctxCreateParams params = { .cigParams = library };
	CUfunction function;
	CUcontext context;
	CUmodule module;
	CUstream stream;
	long i;

	MUST((cudaError_t)cuCtxCreate_v4(&context, &params, 0, 0));
	MUST((cudaError_t)cuModuleLoadData(&module, "image"));
	MUST((cudaError_t)cuModuleGetFunction(&function, module, "_Z6directv"));
	MUST((cudaError_t)cuStreamCreate(&stream, 1));
	for (i = 0; i < 2; i++) {
		MUST((cudaError_t)cuStreamBeginCaptureToCig(stream, &list));
		MUST((cudaError_t)cuLaunchKernel(function, 3, 2, 1, 32, 2, 2, 64, stream, NULL,
						 NULL));
		MUST((cudaError_t)cuStreamEndCaptureToCig(stream));
	}
	for (i = 0; i < stage.times; i++)
		MUST((cudaError_t)cuLaunchKernel(function, 3, 2, 1, 32, 2, 2, 64, stream, NULL,
						 NULL));
	MUST((cudaError_t)cuCtxDestroy_v2(context));
}

/*
 * Nodes that kernels may disable and enable, so that the host does not know how often they ran:
 * vectorAdd N and, after the host has changed it, softmax N, of a node made by hand; reduce N, of a
 * captured launch. Beside them saxpy N and N.
 */
void scene_updatable(void)
{
	/* cudaLaunchAttributeDeviceUpdatableKernelNode */
	cudaLaunchAttribute attribute = { .id = 13, .val = { 1 } };
	cudaLaunchConfig_t config = { .gridDim = { 1, 1, 1 },
				      .blockDim = { 32, 1, 1 },
				      .stream = stage.stream,
				      .attrs = &attribute,
				      .numAttrs = 1 };
	struct cudaKernelNodeParams params = kernel_params(SOFTMAX);
	CUlaunchAttributeValue value = { .pad = { 1 } };
	cudaGraph_t graph = new_graph(), captured;
	void *args[1] = { NULL };
	cudaGraphNode_t node;
	cudaGraphExec_t exec;

	node = add(graph, VECTOR_ADD);
	add(graph, SAXPY);
	MUST(cudaGraphKernelNodeSetAttribute(node, 13, &value));
	exec = instance(graph);
	run(exec, stage.times);
	MUST(cudaGraphExecKernelNodeSetParams(exec, node, &params));
	run(exec, stage.times);
	drop(exec, graph);
	begin_capture(stage.stream);
	MUST(cudaLaunchKernelExC(&config, kernel_stub(REDUCE), args));
	captured = end_capture(stage.stream);
	exec = instance(captured);
	run(exec, stage.times);
	drop(exec, captured);
}

/* A capture whose stream is destroyed, and one that nobody ends: launches N */
void scene_left(void)
{
	cudaStream_t gone;
	long i;

	MUST(cudaStreamCreate(&gone));
	begin_capture(gone);
	MUST(launch(SAXPY, 1, 32, gone));
	MUST(cudaStreamDestroy(gone));
	begin_capture(stage.other);
	for (i = 0; i < stage.times; i++)
		MUST(launch(VECTOR_ADD, 1, 32, stage.stream));
}

#define MUST_CU(call) MUST((cudaError_t)(call))

/*
 * The driver's calls alone: direct 2N (captured, and by hand). Its launch into the runtime's
 * capture: direct N
 */
void scene_driver(void)
{
	CUDA_KERNEL_NODE_PARAMS params = {
		.gridDimX = 3,
		.gridDimY = 2,
		.gridDimZ = 1,
		.blockDimX = 32,
		.blockDimY = 2,
		.blockDimZ = 2,
	};
	CUgraphExec exec, mixed;
	CUgraphNode node;
	CUmodule module;
	CUgraph graph;
	long i;

	MUST_CU(cuModuleLoadData(&module, "image"));
	MUST_CU(cuModuleGetFunction(&params.func, module, "_Z6directv"));
	MUST_CU(cuStreamBeginCapture_v2(stage.stream, 0));
	MUST_CU(cuLaunchKernel(params.func, 3, 2, 1, 32, 2, 2, 64, stage.stream, NULL, NULL));
	MUST_CU(cuStreamEndCapture(stage.stream, &graph));
	MUST_CU(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &params));
	MUST_CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
	begin_capture(stage.stream);
	MUST_CU(cuLaunchKernel(params.func, 3, 2, 1, 32, 2, 2, 64, stage.stream, NULL, NULL));
	mixed = instance(end_capture(stage.stream));
	for (i = 0; i < stage.times; i++) {
		MUST_CU(cuGraphLaunch(exec, stage.stream));
		MUST(cudaGraphLaunch(mixed, stage.stream));
	}
	MUST_CU(cuGraphExecDestroy(exec));
	MUST_CU(cuGraphDestroy(graph));
	drop(mixed, NULL);
}

/*
 * N launches in one capture, of two kernels by turns; launched three times: vectorAdd 3N/2, saxpy
 * 3N/2
 */
void scene_large(void)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	long i;

	begin_capture(stage.stream);
	for (i = 0; i < stage.times; i++)
		MUST(launch(i % 2 ? SAXPY : VECTOR_ADD, 1, 32, stage.stream));
	graph = end_capture(stage.stream);
	exec = instance(graph);
	run(exec, 3);
	drop(exec, graph);
}

/*
 * Two copies in a capture, one of each kind that says its direction and that does not; and one copy
 * that is one
 */
void scene_copies(void)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	static char host[4096];
	void *device;

	MUST(cudaMalloc(&device, sizeof(host)));
	begin_capture(stage.stream);
	MUST(cudaMemcpyAsync(device, host, sizeof(host), cudaMemcpyHostToDevice, stage.stream));
	MUST(launch(SAXPY, 1, 32, stage.stream));
	MUST(cudaMemcpyAsync(host, device, sizeof(host), cudaMemcpyDefault, stage.stream));
	graph = end_capture(stage.stream);
	exec = instance(graph);
	run(exec, stage.times);
	MUST(cudaMemcpyAsync(device, host, 1024, cudaMemcpyHostToDevice, stage.stream));
	drop(exec, graph);
	MUST(cudaFree(device));
}
