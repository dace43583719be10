// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that calls the runtime, and the driver as well, in exact numbers:
 *
 *   mixed_calls mix N    cudaLaunchKernel N x odd, and between them, by the driver,
 *                        N x odd by its function and N x cube
 *   mixed_calls pool     cudaMallocFromPoolAsync 700 from a pool of device 1, while
 *                        the thread is on device 0
 *   mixed_calls popped   cudaMalloc 500 after a context was made current and taken away
 *                        again, which then ends; cudaFree
 *   mixed_calls callback N
 *                        cudaLaunchHostFunc N times, of a function that launches odd
 *                        twice; the double calls it before it returns
 *   mixed_calls table    every call of the runtime whose driver call is known,
 *                        once, and what it needs
 *   mixed_calls private N LIBRARY
 *                        cudaLaunchKernel N x odd, and N calls of private_launch()
 *                        of LIBRARY, which has a runtime of its own
 *   mixed_calls second N LIBRARY
 *                        cudaLaunchKernel N x odd, and N calls of its
 *                        private_launch_only(), now one, now two or three of each in
 *                        turn; the first of them is made by another thread
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda_double.h"
#include "cuda_double_driver.h"
#include "program.h"

static void odd(void)
{
}

static void **fatbin;

static void odd_register(void)
{
	static unsigned char image[64];

	fatbin = __cudaRegisterFatBinary(image);
	__cudaRegisterFunction(fatbin, (const char *)odd, (char *)"_Z3oddv", "_Z3oddv", -1, NULL,
			       NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(fatbin);
}

static int mix(int count)
{
	dim3 one = { 1, 1, 1 }, block = { 32, 1, 1 };
	CUfunction same, cube;
	CUmodule module;
	int i;

	odd_register();
	MUST(cudaSetDevice(0));
	MUST(cudaGetFuncBySymbol((cudaFunction_t *)&same, (const void *)odd));
	MUST(cuModuleLoadData(&module, "image"));
	MUST(cuModuleGetFunction(&cube, module, "_Z4cubePf"));
	for (i = 0; i < count; i++) {
		MUST(cudaLaunchKernel((const void *)odd, one, block, NULL, 0, NULL));
		MUST(cuLaunchKernel(same, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
		MUST(cuLaunchKernel(cube, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
	}
	MUST(cudaDeviceSynchronize());
	return 0;
}

static int pool(void)
{
	struct cudaMemPoolProps props = { .allocType = 1, .location = { 1, 1 } };
	cudaMemPool_t pool;
	void *p;

	MUST(cudaSetDevice(0));
	MUST(cudaMemPoolCreate(&pool, &props));
	MUST(cudaMallocFromPoolAsync(&p, 700, pool, NULL));
	MUST(cudaFreeAsync(p, NULL));
	MUST(cudaMemPoolDestroy(pool));
	return 0;
}

static char symbol[64];

static void table_copies(char *a, char *b, char *host)
{
	MUST(cudaMemcpy(a, host, 1, cudaMemcpyHostToDevice));
	MUST(cudaMemcpy(host, a, 2, cudaMemcpyDeviceToHost));
	MUST(cudaMemcpy(b, a, 3, cudaMemcpyDeviceToDevice));
	MUST(cudaMemcpy(a, host, 4, cudaMemcpyDefault));
	MUST(cudaMemcpyAsync(a, host, 5, cudaMemcpyHostToDevice, NULL));
	MUST(cudaMemcpyAsync(host, a, 6, cudaMemcpyDeviceToHost, NULL));
	MUST(cudaMemcpyAsync(b, a, 7, cudaMemcpyDeviceToDevice, NULL));
	MUST(cudaMemcpy2D(a, 8, host, 8, 4, 2, cudaMemcpyHostToDevice));
	MUST(cudaMemcpy2DAsync(a, 8, host, 8, 3, 3, cudaMemcpyHostToDevice, NULL));
	MUST(cudaMemcpyToSymbol(symbol, host, 10, 0, cudaMemcpyHostToDevice));
	MUST(cudaMemcpyFromSymbol(host, symbol, 11, 0, cudaMemcpyDeviceToHost));
	MUST(cudaMemset(a, 0, 12));
	MUST(cudaMemsetAsync(a, 0, 13, NULL));
}

static void table_graph(void)
{
	struct cudaKernelNodeParams params = { .func = (void *)(uintptr_t)odd,
					       .gridDim = { 1, 1, 1 },
					       .blockDim = { 32, 1, 1 } };
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	cudaGraph_t graph;

	MUST(cudaGraphCreate(&graph, 0));
	MUST(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
	MUST(cudaGraphInstantiate(&exec, graph, 0));
	MUST(cudaGraphLaunch(exec, NULL));
	MUST(cudaGraphExecDestroy(exec));
	MUST(cudaGraphDestroy(graph));
}

static int table(void)
{
	struct cudaMemPoolProps props = { .allocType = 1, .location = { 1, 0 } };
	cudaLaunchConfig_t config = { .gridDim = { 1, 1, 1 }, .blockDim = { 32, 1, 1 } };
	dim3 one = { 1, 1, 1 }, block = { 32, 1, 1 };
	void *device, *pitched, *managed, *async, *pooled, *pinned[2];
	cudaEvent_t events[2];
	cudaStream_t streams[2];
	static char host[4096];
	cudaMemPool_t pool;
	size_t pitch;
	float ms;

	odd_register();
	__cudaRegisterVar(fatbin, symbol, (char *)"symbol", "symbol", 0, sizeof(symbol), 0, 0);
	MUST(cudaSetDevice(0));
	MUST(cudaMalloc(&device, 4096));
	MUST(cudaMallocPitch(&pitched, &pitch, 100, 10));
	MUST(cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal));
	MUST(cudaMallocAsync(&async, 4096, NULL));
	MUST(cudaMemPoolCreate(&pool, &props));
	MUST(cudaMallocFromPoolAsync(&pooled, 4096, pool, NULL));
	MUST(cudaMallocHost(&pinned[0], 4096));
	MUST(cudaHostAlloc(&pinned[1], 4096, 0));
	MUST(cudaLaunchKernel((const void *)odd, one, block, NULL, 0, NULL));
	MUST(cudaLaunchKernelExC(&config, (const void *)odd, NULL));
	MUST(cudaLaunchCooperativeKernel((const void *)odd, one, block, NULL, 0, NULL));
	table_copies(device, managed, host);
	table_graph();
	MUST(cudaStreamCreate(&streams[0]));
	MUST(cudaStreamCreateWithFlags(&streams[1], 1));
	MUST(cudaEventCreate(&events[0]));
	MUST(cudaEventCreate(&events[1]));
	MUST(cudaEventRecord(events[0], streams[0]));
	MUST(cudaEventRecord(events[1], streams[0]));
	MUST(cudaEventSynchronize(events[1]));
	MUST(cudaEventElapsedTime(&ms, events[0], events[1]));
	MUST(cudaStreamSynchronize(streams[0]));
	MUST(cudaDeviceSynchronize());
	MUST(cudaStreamDestroy(streams[0]));
	MUST(cudaStreamDestroy(streams[1]));
	MUST(cudaFreeHost(pinned[1]));
	MUST(cudaFreeHost(pinned[0]));
	MUST(cudaFreeAsync(pooled, NULL));
	MUST(cudaFreeAsync(async, NULL));
	MUST(cudaFree(managed));
	MUST(cudaFree(pitched));
	MUST(cudaFree(device));
	MUST(cudaDeviceReset());
	return 0;
}

static int (*library_function(const char *path, const char *name))(void)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		fprintf(stderr, "mixed_calls: %s\n", dlerror());
		exit(1);
	}
	return (int (*)(void))dlsym(library, name);
}

static void *call_once(void *function)
{
	MUST((*(int (**)(void))function)());
	return NULL;
}

static int second_library(int count, const char *path)
{
	int (*launch)(void) = library_function(path, "private_launch_only"), ours = count,
	    theirs = count, i, j;
	dim3 one = { 1, 1, 1 }, block = { 32, 1, 1 };
	pthread_t other;

	odd_register();
	if (pthread_create(&other, NULL, call_once, &launch) || pthread_join(other, NULL))
		return 1;
	for (theirs--, i = 0; ours || theirs; i++) {
		for (j = 0; j <= i % 3 && ours; j++, ours--)
			MUST(cudaLaunchKernel((const void *)odd, one, block, NULL, 0, NULL));
		for (j = 0; j <= i % 2 && theirs; j++, theirs--)
			MUST(launch());
	}
	return 0;
}

static int private_library(int count, const char *path)
{
	int (*launch)(void) = library_function(path, "private_launch"), i;
	dim3 one = { 1, 1, 1 }, block = { 32, 1, 1 };

	odd_register();
	for (i = 0; i < count; i++) {
		MUST(cudaLaunchKernel((const void *)odd, one, block, NULL, 0, NULL));
		MUST(launch());
	}
	MUST(cudaDeviceSynchronize());
	return 0;
}

static int popped(void)
{
	CUcontext context;
	void *p;

	MUST(cuInit(0));
	MUST(cuCtxCreate_v2(&context, 0, 0));
	MUST(cuCtxPopCurrent_v2(NULL));
	MUST(cuCtxSetCurrent(context));
	MUST(cuCtxPopCurrent_v2(NULL));
	MUST(cudaMalloc(&p, 500));
	MUST(cuCtxDestroy_v2(context));
	MUST(cudaFree(p));
	return 0;
}

static void launch_twice(void *data)
{
	dim3 one = { 1, 1, 1 };

	(void)data;
	MUST(cudaLaunchKernel((const void *)odd, one, one, NULL, 0, NULL));
	MUST(cudaLaunchKernel((const void *)odd, one, one, NULL, 0, NULL));
}

static int callback(int count)
{
	odd_register();
	while (count--)
		MUST(cudaLaunchHostFunc(NULL, launch_twice, NULL));
	return 0;
}

int main(int argc, char **argv)
{
	const char *scene = argc > 1 ? argv[1] : "";

	if (!strcmp(scene, "pool"))
		return pool();
	if (!strcmp(scene, "popped"))
		return popped();
	if (!strcmp(scene, "table"))
		return table();
	if (!strcmp(scene, "callback") && argc > 2)
		return callback(atoi(argv[2]));
	if (!strcmp(scene, "mix") && argc > 2)
		return mix(atoi(argv[2]));
	if (!strcmp(scene, "private") && argc > 3)
		return private_library(atoi(argv[2]), argv[3]);
	if (!strcmp(scene, "second") && argc > 3)
		return second_library(atoi(argv[2]), argv[3]);
	fprintf(stderr, "mixed_calls: see the top of its source\n");
	return 2;
}
