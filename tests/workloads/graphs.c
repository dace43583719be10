// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Graphs: captured and built by hand, cloned, nested, changed, launched from
 * several threads.  Each scene runs an exact number of kernels, which its
 * comment says; N is the number of launches, 10 if not given.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda_double_driver.h"
#include "workload.h"

static cudaStream_t stream, other;
static long times;

static void begin_capture(cudaStream_t on)
{
	MUST(cudaStreamBeginCapture(on, 0));
}

static cudaGraph_t end_capture(cudaStream_t on)
{
	cudaGraph_t graph;

	MUST(cudaStreamEndCapture(on, &graph));
	return graph;
}

static cudaGraphExec_t instance(cudaGraph_t graph)
{
	cudaGraphExec_t exec;

	MUST(cudaGraphInstantiate(&exec, graph, 0));
	return exec;
}

static void run(cudaGraphExec_t exec, long n)
{
	while (n--)
		MUST(cudaGraphLaunch(exec, stream));
}

static struct cudaKernelNodeParams kernel_params(enum kernel_id id)
{
	return (struct cudaKernelNodeParams) {
		.func = (void *)(uintptr_t)kernel_stub(id), .gridDim = { 4, 2, 1 }, .blockDim = { 64, 1, 1 },
		.sharedMemBytes = 128,
	};
}

static cudaGraphNode_t add(cudaGraph_t graph, enum kernel_id id)
{
	struct cudaKernelNodeParams params = kernel_params(id);
	cudaGraphNode_t node;

	MUST(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
	return node;
}

static cudaGraph_t new_graph(void)
{
	cudaGraph_t graph;

	MUST(cudaGraphCreate(&graph, 0));
	return graph;
}

static void drop(cudaGraphExec_t exec, cudaGraph_t graph)
{
	MUST(cudaGraphExecDestroy(exec));
	if (graph)
		MUST(cudaGraphDestroy(graph));
}

/* vectorAdd N, saxpy 2N */
static cudaGraph_t capture_three(void)
{
	begin_capture(stream);
	MUST(launch(VECTOR_ADD, 8, 128, stream));
	MUST(launch(SAXPY, 16, 256, stream));
	MUST(launch(SAXPY, 16, 256, stream));
	return end_capture(stream);
}

static void scene_capture(void)
{
	cudaGraph_t graph = capture_three();
	cudaGraphExec_t exec = instance(graph);

	run(exec, times);
	drop(exec, graph);
}

/* vectorAdd N, saxpy N, reduce N; then a launch of each into the streams that took part: launches 1 each */
static void scene_fork(void)
{
	cudaEvent_t forked, joined;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	MUST(cudaEventCreate(&forked));
	MUST(cudaEventCreate(&joined));
	begin_capture(stream);
	MUST(cudaEventRecord(forked, stream));
	MUST(cudaStreamWaitEvent(other, forked, 0));
	MUST(launch(VECTOR_ADD, 1, 32, stream));
	MUST(launch(SAXPY, 1, 32, other));
	MUST(cudaEventRecord(joined, other));
	MUST(cudaStreamWaitEvent(stream, joined, 0));
	MUST(launch(REDUCE, 1, 32, stream));
	graph = end_capture(stream);
	exec = instance(graph);
	MUST(launch(VECTOR_ADD, 1, 32, stream));
	MUST(launch(SAXPY, 1, 32, other));
	/* an event of a capture that is over draws nobody in */
	MUST(cudaStreamWaitEvent(other, forked, 0));
	MUST(launch(REDUCE, 1, 32, other));
	run(exec, times);
	drop(exec, graph);
	MUST(cudaEventDestroy(forked));
	MUST(cudaEventDestroy(joined));
}

/* vectorAdd N, saxpy 2N, reduce 0: its node is taken out again; softmax 0: never launched */
static void scene_hand(void)
{
	cudaGraph_t graph = new_graph();
	cudaGraphNode_t removed, node;
	struct cudaGraphNodeParams params = { .type = cudaGraphNodeTypeKernel };
	cudaGraphExec_t exec, never;

	add(graph, VECTOR_ADD);
	removed = add(graph, REDUCE);
	add(graph, SAXPY);
	params.kernel = kernel_params(SAXPY);
	MUST(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	params.type = cudaGraphNodeTypeEmpty;
	MUST(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	MUST(cudaGraphDestroyNode(removed));
	exec = instance(graph);
	add(graph, SOFTMAX);
	never = instance(graph);
	run(exec, times);
	drop(never, NULL);
	drop(exec, graph);
}

/* vectorAdd 3N (one of its own, one in each child), saxpy 4N (two in each child) */
static void scene_child(void)
{
	cudaGraph_t graph = new_graph(), child = capture_three();
	struct cudaGraphNodeParams params = { .type = cudaGraphNodeTypeGraph, .graph = child };
	cudaGraphNode_t node;
	cudaGraphExec_t exec;

	add(graph, VECTOR_ADD);
	MUST(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
	MUST(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
	MUST(cudaGraphDestroy(child));
	exec = instance(graph);
	run(exec, times);
	drop(exec, graph);
}

/* vectorAdd 2N, saxpy 4N, reduce N (added to the clone only) */
static void scene_clone(void)
{
	cudaGraph_t graph = capture_three(), clone;
	cudaGraphExec_t exec, exec_of_clone;

	MUST(cudaGraphClone(&clone, graph));
	add(clone, REDUCE);
	exec = instance(graph);
	exec_of_clone = instance(clone);
	run(exec, times);
	run(exec_of_clone, times);
	drop(exec, graph);
	drop(exec_of_clone, clone);
}

/*
 * vectorAdd 6N: in all but the last; saxpy 2N: first, and after the update
 * reduce N: in saxpy's place; softmax 3N: N after the update of the child, 2N in the last
 */
static void scene_update(void)
{
	cudaGraph_t graph = new_graph(), longer = new_graph(), last;
	cudaGraphNode_t first = add(graph, VECTOR_ADD), second = add(graph, SAXPY);
	struct cudaKernelNodeParams params = kernel_params(REDUCE);
	struct cudaGraphNodeParams any = { .type = cudaGraphNodeTypeKernel, .kernel = kernel_params(SOFTMAX) };
	cudaGraphExecUpdateResultInfo info;
	cudaGraphExec_t exec = instance(graph);

	run(exec, times);				/* vectorAdd, saxpy */
	MUST(cudaGraphExecKernelNodeSetParams(exec, second, &params));
	run(exec, times);				/* vectorAdd, reduce */
	MUST(cudaGraphNodeSetEnabled(exec, second, 0));
	run(exec, times);				/* vectorAdd */
	MUST(cudaGraphNodeSetEnabled(exec, second, 1));
	MUST(cudaGraphExecNodeSetParams(exec, second, &any));
	run(exec, times);				/* vectorAdd, softmax */
	MUST(cudaGraphExecUpdate(exec, graph, &info));
	run(exec, times);				/* vectorAdd, saxpy */
	if (!cudaGraphExecUpdate(exec, longer, &info))
		say("an update to another shape passed\n");
	MUST(cudaGraphNodeSetEnabled(exec, second, 0));
	run(exec, times);				/* vectorAdd */
	params = kernel_params(SOFTMAX);
	MUST(cudaGraphKernelNodeSetParams(first, &params));
	any.kernel = params;
	MUST(cudaGraphNodeSetParams(second, &any));
	MUST(cudaGraphClone(&last, graph));
	MUST(cudaGraphExecUpdate(exec, last, &info));
	run(exec, times);				/* softmax twice */
	drop(exec, graph);
	MUST(cudaGraphDestroy(longer));
	MUST(cudaGraphDestroy(last));
}

/* vectorAdd N, saxpy N in the first child, reduce N in the second */
static void scene_update_child(void)
{
	cudaGraph_t graph = new_graph(), one = new_graph(), two = new_graph();
	cudaGraphNode_t node;
	cudaGraphExec_t exec;

	add(one, SAXPY);
	add(two, REDUCE);
	MUST(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, one));
	exec = instance(graph);
	run(exec, times);
	MUST(cudaGraphExecChildGraphNodeSetParams(exec, node, two));
	run(exec, times);
	drop(exec, graph);
	MUST(cudaGraphDestroy(one));
	MUST(cudaGraphDestroy(two));
}

/* Captured nodes, which are known by asking: vectorAdd N + N, saxpy 2N + N, reduce N */
static void scene_learned(void)
{
	cudaGraph_t graph = capture_three();
	cudaGraphExec_t exec = instance(graph);
	cudaGraphNode_t nodes[3];
	struct cudaKernelNodeParams params;
	size_t count = 3;

	MUST(cudaGraphGetNodes(graph, nodes, &count));
	MUST(cudaGraphKernelNodeGetParams(nodes[1], &params));
	MUST(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &params));
	run(exec, times);
	params = kernel_params(REDUCE);
	MUST(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &params));
	run(exec, times);
	drop(exec, graph);
}

/* New arguments before every launch: saxpy N */
static void scene_arguments(void)
{
	cudaGraph_t graph = new_graph();
	cudaGraphNode_t node = add(graph, SAXPY);
	cudaGraphExec_t exec = instance(graph);
	struct cudaKernelNodeParams params = kernel_params(SAXPY);
	long i;

	for (i = 0; i < times; i++) {
		MUST(cudaGraphExecKernelNodeSetParams(exec, node, &params));
		run(exec, 1);
	}
	drop(exec, graph);
}

/* A graph made, launched and destroyed N times, all at few addresses: vectorAdd N, saxpy 2N */
static void scene_again(void)
{
	long i, n = times;

	for (i = 0; i < n; i++) {
		times = 1;
		scene_capture();
	}
}

static void *run_here(void *exec)
{
	run(exec, times);
	return NULL;
}

/* From four threads: vectorAdd 4N, saxpy 8N */
static void scene_threads(void)
{
	cudaGraph_t graph = capture_three();
	cudaGraphExec_t exec = instance(graph);
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run_here, exec);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	drop(exec, graph);
}

/* Calls that fail: vectorAdd N, saxpy 2N by the graph that is whole; failures 5 */
static void scene_failing(void)
{
	cudaGraph_t graph = capture_three(), none;
	cudaGraphExec_t exec;
	struct cudaKernelNodeParams params = kernel_params(REDUCE);
	cudaGraphNode_t node;

	params.blockDim.x = 1u << 20;
	if (!cudaGraphInstantiate(&exec, (cudaGraph_t)&none, 0) || !cudaStreamEndCapture(stream, &none) ||
	    !cudaGraphLaunch((cudaGraphExec_t)&none, stream) || !cudaGraphAddKernelNode(&node, graph, NULL, 0, &params))
		say("a call passed that must fail\n");
	begin_capture(stream);
	if (!launch(REDUCE, 1, 1 << 20, stream))
		say("a launch passed that must fail\n");
	MUST(cudaGraphDestroy(end_capture(stream)));
	exec = instance(graph);
	run(exec, times);
	drop(exec, graph);
}

/* The graph is gone before its instance is launched: vectorAdd N, saxpy 2N */
static void scene_destroyed(void)
{
	cudaGraph_t graph = capture_three();
	cudaGraphExec_t exec = instance(graph);

	MUST(cudaGraphDestroy(graph));
	run(exec, times);
	drop(exec, NULL);
}

/* Nothing is ever destroyed, and the process is gone at once: vectorAdd N, saxpy 2N */
static void scene_short(void)
{
	run(instance(capture_three()), times);
	_exit(0);
}

static pthread_barrier_t barrier;

static void *launch_beside(void *arg)
{
	long i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < times; i++)
		MUST(launch(REDUCE, 1, 32, other));
	pthread_barrier_wait(&barrier);
	return arg;
}

/* Another thread launches into another stream meanwhile: vectorAdd N, saxpy 2N, and reduce: launches N */
static void scene_beside(void)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, launch_beside, NULL);
	begin_capture(stream);
	MUST(launch(VECTOR_ADD, 1, 32, stream));
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	MUST(launch(SAXPY, 1, 32, stream));
	MUST(launch(SAXPY, 1, 32, stream));
	graph = end_capture(stream);
	pthread_join(thread, NULL);
	exec = instance(graph);
	run(exec, times);
	drop(exec, graph);
}

/* A capture into a graph that there is, on the thread's own stream: vectorAdd N, saxpy N, reduce N */
static void scene_to_graph(void)
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
	for (i = 0; i < times; i++)
		MUST(cudaGraphLaunch_ptsz(exec, NULL));
	drop(exec, graph);
}

/* An instance launched into a capture becomes part of that: vectorAdd N + N, saxpy 2N + 2N, reduce N */
static void scene_nested(void)
{
	cudaGraph_t inner = capture_three(), graph;
	cudaGraphExec_t exec = instance(inner), outer;

	begin_capture(stream);
	run(exec, 1);
	MUST(launch(REDUCE, 1, 32, stream));
	graph = end_capture(stream);
	outer = instance(graph);
	run(outer, times);
	run(exec, times);
	drop(outer, graph);
	drop(exec, inner);
}

/* A capture whose stream is destroyed, and one that nobody ends: launches N */
static void scene_left(void)
{
	cudaStream_t gone;
	long i;

	MUST(cudaStreamCreate(&gone));
	begin_capture(gone);
	MUST(launch(SAXPY, 1, 32, gone));
	MUST(cudaStreamDestroy(gone));
	begin_capture(other);
	for (i = 0; i < times; i++)
		MUST(launch(VECTOR_ADD, 1, 32, stream));
}

#define MUST_CU(call) MUST((cudaError_t)(call))

/* The driver's calls alone: direct 2N (captured, and by hand). Its launch into the runtime's capture: direct N */
static void scene_driver(void)
{
	CUDA_KERNEL_NODE_PARAMS params = {
		.gridDimX = 3, .gridDimY = 2, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 2, .blockDimZ = 2,
	};
	CUgraphExec exec, mixed;
	CUgraphNode node;
	CUmodule module;
	CUgraph graph;
	long i;

	MUST_CU(cuModuleLoadData(&module, "image"));
	MUST_CU(cuModuleGetFunction(&params.func, module, "_Z6directv"));
	MUST_CU(cuStreamBeginCapture_v2(stream, 0));
	MUST_CU(cuLaunchKernel(params.func, 3, 2, 1, 32, 2, 2, 64, stream, NULL, NULL));
	MUST_CU(cuStreamEndCapture(stream, &graph));
	MUST_CU(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &params));
	MUST_CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
	begin_capture(stream);
	MUST_CU(cuLaunchKernel(params.func, 3, 2, 1, 32, 2, 2, 64, stream, NULL, NULL));
	mixed = instance(end_capture(stream));
	for (i = 0; i < times; i++) {
		MUST_CU(cuGraphLaunch(exec, stream));
		MUST(cudaGraphLaunch(mixed, stream));
	}
	MUST_CU(cuGraphExecDestroy(exec));
	MUST_CU(cuGraphDestroy(graph));
	drop(mixed, NULL);
}

/* N launches in one capture, of two kernels by turns; launched three times: vectorAdd 3N/2, saxpy 3N/2 */
static void scene_large(void)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	long i;

	begin_capture(stream);
	for (i = 0; i < times; i++)
		MUST(launch(i % 2 ? SAXPY : VECTOR_ADD, 1, 32, stream));
	graph = end_capture(stream);
	exec = instance(graph);
	run(exec, 3);
	drop(exec, graph);
}

/* Two copies in a capture, one of each kind that says its direction and that does not; and one copy that is one */
static void scene_copies(void)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	static char host[4096];
	void *device;

	MUST(cudaMalloc(&device, sizeof(host)));
	begin_capture(stream);
	MUST(cudaMemcpyAsync(device, host, sizeof(host), cudaMemcpyHostToDevice, stream));
	MUST(launch(SAXPY, 1, 32, stream));
	MUST(cudaMemcpyAsync(host, device, sizeof(host), cudaMemcpyDefault, stream));
	graph = end_capture(stream);
	exec = instance(graph);
	run(exec, times);
	MUST(cudaMemcpyAsync(device, host, 1024, cudaMemcpyHostToDevice, stream));
	drop(exec, graph);
	MUST(cudaFree(device));
}

/*
 * A fault that a later call reports (CUDA_DOUBLE_FAIL makes it): softmax is launched and waited for, then a graph of
 * vectorAdd and saxpy is, in one stream, and reduce in another
 */
static void scene_broken(void)
{
	cudaGraphExec_t exec = instance(capture_three());

	MUST(launch(SOFTMAX, 1, 32, other));
	MUST(cudaDeviceSynchronize());
	run(exec, times);
	MUST(launch(REDUCE, 1, 32, other));
	if (!cudaStreamSynchronize(stream))
		say("a call passed that must fail\n");
}

static void wait_for_line(void)
{
	char byte;

	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) == 1 && byte != '\n')
		;
}

static void graph_memory(int device, unsigned long long *used)
{
	MUST(cudaDeviceGetGraphMemAttribute(device, 0, used));
}

static void expect_memory(unsigned long long expected, const char *when)
{
	unsigned long long used;

	graph_memory(0, &used);
	if (used == expected)
		return;
	fprintf(stderr, "workload: graphs keep %llu bytes %s\n", used, when);
	exit(1);
}

/*
 * A captured allocation of 1 MiB that its graph frees: saxpy N, captured once. A node that allocates 2 MiB and is
 * freed outside, once by cudaFree, once by cudaFreeAsync, once by a graph: launched three times. Beside them one
 * cudaMallocAsync and cudaFreeAsync into a stream that captures nothing, 4096 bytes.
 */
static void scene_memory(void)
{
	struct cudaMemAllocNodeParams params = { .poolProps = { .allocType = 1, .location = { 1, 0 } },
						 .bytesize = 2 << 20 };
	cudaGraph_t graph = new_graph(), freeing = new_graph();
	cudaGraphExec_t captured, leaves, frees;
	cudaGraphNode_t node;
	void *ptr, *plain;

	begin_capture(stream);
	MUST(cudaMallocAsync(&ptr, 1 << 20, stream));
	MUST(cudaMemsetAsync(ptr, 1, 1 << 20, stream));
	MUST(launch(SAXPY, 16, 256, stream));
	MUST(cudaMallocAsync(&plain, 4096, other));
	MUST(cudaFreeAsync(ptr, stream));
	MUST(cudaFreeAsync(plain, other));
	captured = instance(end_capture(stream));
	expect_memory(0, "before a launch");
	run(captured, times);
	expect_memory(1 << 20, "after launches");
	MUST(cudaDeviceGraphMemTrim(0));
	expect_memory(0, "after they are trimmed");

	MUST(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
	leaves = instance(graph);
	MUST(cudaGraphAddMemFreeNode(&node, freeing, NULL, 0, params.dptr));
	frees = instance(freeing);
	run(leaves, 1);
	MUST(cudaFree(params.dptr));
	run(leaves, 1);
	MUST(cudaFreeAsync(params.dptr, stream));
	run(leaves, 1);
	run(frees, 1);
	MUST(cudaGraphExecDestroy(frees));
	MUST(cudaGraphExecDestroy(leaves));
	MUST(cudaGraphExecDestroy(captured));
}

/*
 * One instance is made and launched N times, then a line is read; and it is launched N times more. A graph made
 * before and filled after: reduce N. One made after: softmax N.
 */
static void scene_late(void)
{
	cudaGraphExec_t early = instance(capture_three());
	cudaGraph_t graph = new_graph(), late;

	run(early, times);
	wait_for_line();
	run(early, times);
	add(graph, REDUCE);
	run(instance(graph), times);
	late = new_graph();
	add(late, SOFTMAX);
	run(instance(late), times);
	wait_for_line();
}

static const struct {
	const char *name;
	void (*play)(void);
} scenes[] = {
	{ "capture", scene_capture }, { "fork", scene_fork }, { "hand", scene_hand }, { "child", scene_child },
	{ "clone", scene_clone }, { "update", scene_update }, { "update-child", scene_update_child },
	{ "learned", scene_learned }, { "arguments", scene_arguments }, { "again", scene_again },
	{ "threads", scene_threads }, { "failing", scene_failing }, { "destroyed", scene_destroyed },
	{ "short", scene_short }, { "beside", scene_beside }, { "to-graph", scene_to_graph },
	{ "large", scene_large }, { "copies", scene_copies }, { "broken", scene_broken }, { "driver", scene_driver },
	{ "nested", scene_nested }, { "left", scene_left }, { "late", scene_late }, { "memory", scene_memory },
};

int graphs(void)
{
	size_t i;

	times = number(1, 10);
	MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	for (i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		if (options.argc && strcmp(options.argv[0], scenes[i].name) != 0)
			continue;
		scenes[i].play();
		return 0;
	}
	fprintf(stderr, "workload: no such scene of graphs\n");
	return 2;
}
