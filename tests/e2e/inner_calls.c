// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program whose first calls are to functions of the runtime that are not probed
 * by default, or never: inside these the runtime calls the driver, of which the
 * program knows nothing. Each word is something to do, in order:
 *
 *   query   cudaGetDevice: initializes the driver, and nothing else
 *   module  __cudaInitModule, as the compiler has it called: that, and makes a context current
 *   load    cudaFuncGetAttributes of odd: the same, loads the program's code, and has the kernel looked up by name
 *   work    cudaMalloc of 1,000 bytes, odd<<<i, 32>>> for i from 1 to 20, cudaDeviceSynchronize, cudaFree
 *   init    by the driver: cuInit, cuDeviceGetCount
 *   lookup  by the driver: cuModuleLoadData, cuModuleGetFunction of cube, cuLaunchKernel of it 5 times
 *   thread  all that follows is done by another thread
 *
 * What a call returns is not looked at.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cuda_double.h"
#include "cuda_double_driver.h"

static void **fatbin;

static void odd(void)
{
}

static void odd_register(void)
{
	static unsigned char image[64];

	fatbin = __cudaRegisterFatBinary(image);
	__cudaRegisterFunction(fatbin, (const char *)odd, (char *)"_Z3oddv", "_Z3oddv", -1, NULL,
			       NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(fatbin);
}

static void work(void)
{
	dim3 grid = { 1, 1, 1 }, block = { 32, 1, 1 };
	void *p = NULL;

	cudaMalloc(&p, 1000);
	for (; grid.x <= 20; grid.x++)
		cudaLaunchKernel((const void *)odd, grid, block, NULL, 0, NULL);
	cudaDeviceSynchronize();
	cudaFree(p);
}

static void lookup(void)
{
	CUmodule module = NULL;
	CUfunction cube = NULL;
	int i;

	cuModuleLoadData(&module, "image");
	cuModuleGetFunction(&cube, module, "_Z4cubePf");
	for (i = 0; i < 5; i++)
		cuLaunchKernel(cube, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
}

static void *run(void *words)
{
	struct cudaFuncAttributes attributes;
	char **word = words;
	pthread_t thread;
	int number;

	for (; *word; word++) {
		if (!strcmp(*word, "query")) {
			cudaGetDevice(&number);
		} else if (!strcmp(*word, "module")) {
			__cudaInitModule(fatbin);
		} else if (!strcmp(*word, "load")) {
			cudaFuncGetAttributes(&attributes, (const void *)odd);
		} else if (!strcmp(*word, "work")) {
			work();
		} else if (!strcmp(*word, "init")) {
			cuInit(0);
			cuDeviceGetCount(&number);
		} else if (!strcmp(*word, "lookup")) {
			lookup();
		} else if (!strcmp(*word, "thread")) {
			if (!pthread_create(&thread, NULL, run, word + 1))
				pthread_join(thread, NULL);
			break;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	(void)argc;
	odd_register();
	run(argv + 1);
	return 0;
}
