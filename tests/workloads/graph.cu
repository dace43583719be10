// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sum in two steps as a graph: built by hand, and captured over three streams;
 * each instantiated itself and as a clone, each instance launched 5 times. So
 * partial 20 and total 20 by graphs, of which 1 call each was captured; and 1
 * launch of total by itself. cudaMalloc 3; cudaGraphLaunch 20.
 */
#include "check.cuh"

__global__ void partial(const float *in, float *sums, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(&sums[blockIdx.x], in[i]);
}

__global__ void total(const float *sums, float *result, int count)
{
	if (!threadIdx.x)
		for (int i = 0; i < count; i++)
			*result += sums[i];
}

static const int n = 1 << 16, block = 256, blocks = n / block;
static float *in, *sums, *result;
static cudaStream_t main_stream, side[2];

static cudaGraphNode_t add_kernel(cudaGraph_t graph, void *kernel, dim3 grid, void **args, const cudaGraphNode_t *after, size_t count)
{
	cudaKernelNodeParams params = {};
	cudaGraphNode_t node;

	params.func = kernel;
	params.gridDim = grid;
	params.blockDim = dim3(block);
	params.kernelParams = args;
	CHECK(cudaGraphAddKernelNode(&node, graph, after, count, &params));
	return node;
}

static cudaGraph_t by_hand()
{
	int size = n, count = blocks;
	void *first[] = { &in, &sums, &size }, *second[] = { &sums, &result, &count };
	cudaMemsetParams clear = {};
	cudaGraphNode_t node;
	cudaGraph_t graph;

	clear.dst = sums;
	clear.elementSize = 4;
	clear.width = blocks;
	clear.height = 1;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &clear));
	node = add_kernel(graph, (void *)partial, dim3(blocks), first, &node, 1);
	add_kernel(graph, (void *)total, dim3(1), second, &node, 1);
	return graph;
}

static cudaGraph_t captured()
{
	cudaEvent_t fork, joined[2];
	cudaGraph_t graph;

	CHECK(cudaEventCreate(&fork));
	CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaEventRecord(fork, main_stream));
	for (int i = 0; i < 2; i++) {
		CHECK(cudaEventCreate(&joined[i]));
		CHECK(cudaStreamWaitEvent(side[i], fork));
	}
	partial<<<blocks, block, 0, side[0]>>>(in, sums, n);
	CHECK(cudaMemsetAsync(result, 0, sizeof(float), side[1]));
	for (int i = 0; i < 2; i++) {
		CHECK(cudaEventRecord(joined[i], side[i]));
		CHECK(cudaStreamWaitEvent(main_stream, joined[i]));
	}
	total<<<1, block, 0, main_stream>>>(sums, result, blocks);
	CHECK(cudaStreamEndCapture(main_stream, &graph));
	CHECK(cudaEventDestroy(fork));
	for (int i = 0; i < 2; i++)
		CHECK(cudaEventDestroy(joined[i]));
	return graph;
}

static void play(cudaGraph_t graph)
{
	cudaGraphExec_t exec, copy;
	cudaGraph_t clone;

	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphClone(&clone, graph));
	CHECK(cudaGraphInstantiate(&copy, clone, 0));
	for (int i = 0; i < 5; i++) {
		CHECK(cudaGraphLaunch(exec, main_stream));
		CHECK(cudaGraphLaunch(copy, main_stream));
	}
	CHECK(cudaStreamSynchronize(main_stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphExecDestroy(copy));
	CHECK(cudaGraphDestroy(clone));
	CHECK(cudaGraphDestroy(graph));
}

int main()
{
	CHECK(cudaMalloc(&in, n * sizeof(float)));
	CHECK(cudaMalloc(&sums, blocks * sizeof(float)));
	CHECK(cudaMalloc(&result, sizeof(float)));
	CHECK(cudaStreamCreate(&main_stream));
	for (cudaStream_t &stream : side)
		CHECK(cudaStreamCreate(&stream));
	play(by_hand());
	play(captured());
	total<<<1, block, 0, side[0]>>>(sums, result, blocks);
	CHECK(cudaDeviceSynchronize());
	for (cudaStream_t stream : side)
		CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(main_stream));
	CHECK(cudaFree(in));
	CHECK(cudaFree(sums));
	CHECK(cudaFree(result));
	return 0;
}
