/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker CALLS: times CALLS calls of each kind on whatever CUDA runtime it is
 * linked with, and prints "launch pair memcpy sync async" in ns per call. A pair is a
 * malloc and a free. The best of several short runs counts: what disturbs a
 * run only ever makes it slower.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cuda_double.h"

#define RUNS 20

/* What nvcc makes of a kernel: a stub on the host, registered before main. */
static void stub(void)
{
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static char host[4096];
static void *device;

static void do_launch(void)
{
	dim3 one = { 1, 1, 1 };
	void *args[1] = { &device };

	cudaLaunchKernel((const void *)stub, one, one, args, 0, NULL);
}

static void do_pair(void)
{
	void *memory;

	cudaMalloc(&memory, 4096);
	cudaFree(memory);
}

static void do_memcpy(void)
{
	cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice);
}

static void do_async(void)
{
	cudaMemcpyAsync(device, host, 64, cudaMemcpyHostToDevice, NULL);
}

static void do_sync(void)
{
	cudaDeviceSynchronize();
}

static double best(void (*call)(void), unsigned long calls)
{
	double least = 1e18;
	unsigned long i;
	int run;

	for (run = 0; run < RUNS; run++) {
		uint64_t begin = now(), ns;

		for (i = 0; i < calls / RUNS; i++)
			call();
		ns = now() - begin;
		if ((double)ns / (double)(calls / RUNS) < least)
			least = (double)ns / (double)(calls / RUNS);
	}
	return least;
}

int main(int argc, char **argv)
{
	unsigned long calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000;
	void **fatbin;
	static const struct {
		int magic, version;
		const void *data, *more;
	} wrapper = { 0x466243b1, 1, host, NULL };

	fatbin = __cudaRegisterFatBinary((void *)&wrapper);
	__cudaRegisterFunction(fatbin, (const char *)stub, "_Z5emptyPv", "_Z5emptyPv", -1, NULL,
			       NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(fatbin);
	if (cudaMalloc(&device, sizeof(host)))
		return 1;
	printf("%.1f %.1f %.1f %.1f %.1f\n", best(do_launch, calls), best(do_pair, calls),
	       best(do_memcpy, calls), best(do_sync, calls), best(do_async, calls));
	cudaFree(device);
	return 0;
}
