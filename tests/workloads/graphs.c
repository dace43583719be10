// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Graphs: captured, made by hand, launched from several threads. Graphs that are changed, nodes
 * that are asked for, clones and child graphs are random_calls'. Each scene runs an exact number of
 * kernels, which its comment says; N is the number of launches, 10 if not given. Scenes whose point
 * is what a capture takes in are in graphs_captures.c.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "graphs.h"

struct stage stage;

/* vectorAdd N, saxpy 2N */
static void scene_capture(void)
{
	cudaGraph_t graph = capture_three();
	cudaGraphExec_t exec = instance(graph);

	run(exec, stage.times);
	drop(exec, graph);
}

/* A captured node, known by the call that tells of any kind of node: vectorAdd N + N, saxpy 2N + N, reduce N */
static void scene_told(void)
{
	cudaGraph_t graph = capture_three();
	cudaGraphExec_t exec = instance(graph);
	struct cudaGraphNodeParams params;
	cudaGraphNode_t nodes[3];
	size_t count = 3;

	MUST(cudaGraphGetNodes(graph, nodes, &count));
	MUST(cudaGraphNodeGetParams(nodes[1], &params));
	run(exec, stage.times);
	params.kernel = kernel_params(REDUCE);
	MUST(cudaGraphExecNodeSetParams(exec, nodes[1], &params));
	run(exec, stage.times);
	drop(exec, graph);
}

/* A graph made, launched and destroyed N times, all at few addresses: vectorAdd N, saxpy 2N */
static void scene_again(void)
{
	long i, n = stage.times;

	for (i = 0; i < n; i++) {
		stage.times = 1;
		scene_capture();
	}
}

static void *run_here(void *exec)
{
	run(exec, stage.times);
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
	if (!cudaGraphInstantiate(&exec, (cudaGraph_t)&none, 0) ||
	    !cudaStreamEndCapture(stage.stream, &none) ||
	    !cudaGraphLaunch((cudaGraphExec_t)&none, stage.stream) ||
	    !cudaGraphAddKernelNode(&node, graph, NULL, 0, &params))
		say("a call passed that must fail\n");
	begin_capture(stage.stream);
	if (!launch(REDUCE, 1, 1 << 20, stage.stream))
		say("a launch passed that must fail\n");
	MUST(cudaGraphDestroy(end_capture(stage.stream)));
	exec = instance(graph);
	run(exec, stage.times);
	drop(exec, graph);
}

/* Nothing is ever destroyed, and the process is gone at once: vectorAdd N, saxpy 2N */
static void scene_short(void)
{
	run(instance(capture_three()), stage.times);
	_exit(0);
}

/*
 * A fault that a later call reports (CUDA_DOUBLE_FAIL makes it): softmax is launched and waited
 * for, then a graph of vectorAdd and saxpy is, in one stream, and reduce in another
 */
static void scene_broken(void)
{
	cudaGraphExec_t exec = instance(capture_three());

	MUST(launch(SOFTMAX, 1, 32, stage.other));
	MUST(cudaDeviceSynchronize());
	run(exec, stage.times);
	MUST(launch(REDUCE, 1, 32, stage.other));
	if (!cudaStreamSynchronize(stage.stream))
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
 * A captured allocation of 1 MiB that its graph frees: saxpy N, captured once. A node that
 * allocates 2 MiB and is freed outside, once by cudaFree, once by cudaFreeAsync, once by a graph:
 * launched three times. Beside them one cudaMallocAsync and cudaFreeAsync into a stream that
 * captures nothing, 4096 bytes.
 */
static void scene_memory(void)
{
	struct cudaMemAllocNodeParams params = {
		.poolProps = { .allocType = 1, .location = { 1, 0 } }, .bytesize = 2 << 20
	};
	cudaGraph_t graph = new_graph(), freeing = new_graph();
	cudaGraphExec_t captured, leaves, frees;
	cudaGraphNode_t node;
	void *ptr, *plain;

	begin_capture(stage.stream);
	MUST(cudaMallocAsync(&ptr, 1 << 20, stage.stream));
	MUST(cudaMemsetAsync(ptr, 1, 1 << 20, stage.stream));
	MUST(launch(SAXPY, 16, 256, stage.stream));
	MUST(cudaMallocAsync(&plain, 4096, stage.other));
	MUST(cudaFreeAsync(ptr, stage.stream));
	MUST(cudaFreeAsync(plain, stage.other));
	captured = instance(end_capture(stage.stream));
	expect_memory(0, "before a launch");
	run(captured, stage.times);
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
	MUST(cudaFreeAsync(params.dptr, stage.stream));
	run(leaves, 1);
	run(frees, 1);
	MUST(cudaGraphExecDestroy(frees));
	MUST(cudaGraphExecDestroy(leaves));
	MUST(cudaGraphExecDestroy(captured));
}

/*
 * One instance is made and launched N times, then a line is read; and it is launched N times more.
 * A graph made before and filled after: reduce N. One made after: softmax N.
 */
static void scene_late(void)
{
	cudaGraphExec_t early = instance(capture_three());
	cudaGraph_t graph = new_graph(), late;

	run(early, stage.times);
	wait_for_line();
	run(early, stage.times);
	add(graph, REDUCE);
	run(instance(graph), stage.times);
	late = new_graph();
	add(late, SOFTMAX);
	run(instance(late), stage.times);
	wait_for_line();
}

static const struct {
	const char *name;
	void (*play)(void);
} scenes[] = {
	{ "capture", scene_capture },
	{ "fork", scene_fork },
	{ "outside", scene_outside },
	{ "again", scene_again },
	{ "threads", scene_threads },
	{ "failing", scene_failing },
	{ "short", scene_short },
	{ "beside", scene_beside },
	{ "to-graph", scene_to_graph },
	{ "recapture", scene_recapture },
	{ "recapture-fails", scene_recapture_fails },
	{ "command-list", scene_command_list },
	{ "told", scene_told },
	{ "updatable", scene_updatable },
	{ "large", scene_large },
	{ "copies", scene_copies },
	{ "broken", scene_broken },
	{ "driver", scene_driver },
	{ "left", scene_left },
	{ "late", scene_late },
	{ "memory", scene_memory },
};

int graphs(void)
{
	size_t i;

	stage.times = number(1, 10);
	MUST(cudaStreamCreateWithFlags(&stage.stream, cudaStreamNonBlocking));
	MUST(cudaStreamCreateWithFlags(&stage.other, cudaStreamNonBlocking));
	for (i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		if (options.argc && strcmp(options.argv[0], scenes[i].name) != 0)
			continue;
		scenes[i].play();
		return 0;
	}
	fprintf(stderr, "workload: no such scene of graphs\n");
	return 2;
}
