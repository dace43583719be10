// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that calls the runtime, and the driver as well, in exact numbers:
 *
 *   mixed_calls mix N    cudaLaunchKernel N x odd, and between them, by the driver,
 *                        N x odd by its function and N x cube
 *   mixed_calls pool     cudaMallocFromPoolAsync 700 from a pool of device 1, while
 *                        the thread is on device 0
 *   mixed_calls private N LIBRARY
 *                        cudaLaunchKernel N x odd, and N calls of private_launch()
 *                        of LIBRARY, which has a runtime of its own
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda_double.h"
#include "cuda_double_driver.h"

#define MUST(call)	must((int)(call), #call)

static void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "mixed_calls: %s: error %d\n", what, err);
	exit(1);
}

static void odd(void)
{
}

static void odd_register(void)
{
	static unsigned char image[64];
	void **fatbin = __cudaRegisterFatBinary(image);

	__cudaRegisterFunction(fatbin, (const char *)odd, (char *)"_Z3oddv", "_Z3oddv", -1, NULL, NULL, NULL, NULL, NULL);
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

static int private_library(int count, const char *path)
{
	dim3 one = { 1, 1, 1 }, block = { 32, 1, 1 };
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*launch)(void), i;

	if (!library) {
		fprintf(stderr, "mixed_calls: %s\n", dlerror());
		return 1;
	}
	launch = (int (*)(void))dlsym(library, "private_launch");
	odd_register();
	for (i = 0; i < count; i++) {
		MUST(cudaLaunchKernel((const void *)odd, one, block, NULL, 0, NULL));
		MUST(launch());
	}
	MUST(cudaDeviceSynchronize());
	return 0;
}

int main(int argc, char **argv)
{
	const char *scene = argc > 1 ? argv[1] : "";

	if (!strcmp(scene, "pool"))
		return pool();
	if (!strcmp(scene, "mix") && argc > 2)
		return mix(atoi(argv[2]));
	if (!strcmp(scene, "private") && argc > 3)
		return private_library(atoi(argv[2]), argv[3]);
	fprintf(stderr, "mixed_calls: see the top of its source\n");
	return 2;
}
