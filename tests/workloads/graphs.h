/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the scenes of graphs share: two streams, how often to launch, and short
 * words for the calls that nearly every scene makes.
 */
#ifndef WORKLOAD_GRAPHS_H
#define WORKLOAD_GRAPHS_H

#include <stdint.h>
#include "workload.h"

/* Set by graphs() before a scene is played. */
struct stage {
	cudaStream_t stream, other;
	long times; /* N: how often a scene launches */
};

extern struct stage stage;

static inline void begin_capture(cudaStream_t on)
{
	MUST(cudaStreamBeginCapture(on, 0));
}

static inline cudaGraph_t end_capture(cudaStream_t on)
{
	cudaGraph_t graph;

	MUST(cudaStreamEndCapture(on, &graph));
	return graph;
}

static inline cudaGraphExec_t instance(cudaGraph_t graph)
{
	cudaGraphExec_t exec;

	MUST(cudaGraphInstantiate(&exec, graph, 0));
	return exec;
}

static inline void run(cudaGraphExec_t exec, long n)
{
	while (n--)
		MUST(cudaGraphLaunch(exec, stage.stream));
}

static inline struct cudaKernelNodeParams kernel_params(enum kernel_id id)
{
	return (struct cudaKernelNodeParams){
		.func = (void *)(uintptr_t)kernel_stub(id),
		.gridDim = { 4, 2, 1 },
		.blockDim = { 64, 1, 1 },
		.sharedMemBytes = 128,
	};
}

static inline cudaGraphNode_t add(cudaGraph_t graph, enum kernel_id id)
{
	struct cudaKernelNodeParams params = kernel_params(id);
	cudaGraphNode_t node;

	MUST(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
	return node;
}

static inline cudaGraph_t new_graph(void)
{
	cudaGraph_t graph;

	MUST(cudaGraphCreate(&graph, 0));
	return graph;
}

static inline void drop(cudaGraphExec_t exec, cudaGraph_t graph)
{
	MUST(cudaGraphExecDestroy(exec));
	if (graph)
		MUST(cudaGraphDestroy(graph));
}

/* vectorAdd once, saxpy twice */
static inline cudaGraph_t capture_three(void)
{
	begin_capture(stage.stream);
	MUST(launch(VECTOR_ADD, 8, 128, stage.stream));
	MUST(launch(SAXPY, 16, 256, stage.stream));
	MUST(launch(SAXPY, 16, 256, stage.stream));
	return end_capture(stage.stream);
}

/* graphs_captures.c */
void scene_fork(void);
void scene_outside(void);
void scene_beside(void);
void scene_to_graph(void);
void scene_recapture(void);
void scene_recapture_fails(void);
void scene_command_list(void);
void scene_updatable(void);
void scene_left(void);
void scene_driver(void);
void scene_large(void);
void scene_copies(void);

#endif /* WORKLOAD_GRAPHS_H */
