// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * registers N LAUNCHED [APART [TIMES]]: registers N kernels, as PyTorch does before main, and
 * launches LAUNCHED of them, evenly spread: each TIMES times, or the first once, the second twice
 * and so on. Their stubs lie APART bytes from each other: 288, about what nvcc 13 makes of a kernel
 * with what it puts beside it, or less. Kernel number 7 is called kern_000007(float*). Each is
 * registered twice, as some other kernel first. Prints how many nanoseconds registering one took,
 * the first time.
 *
 * Built as tests/e2e/bin/registers, for a test and for a benchmark.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "cuda_double.h"

#define MAX       100000
#define NAME_SIZE 24

#define APART_MAX 288
static char stubs[APART_MAX * (size_t)MAX]; /* nobody calls them */
static char names[MAX][NAME_SIZE];

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts); /* others may be at work here */
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 50000, launched = argc > 2 ? atol(argv[2]) : 20;
	long apart = argc > 3 ? atol(argv[3]) : APART_MAX, times = argc > 4 ? atol(argv[4]) : 0, i,
	     j;
	static const struct {
		int magic, version;
		const void *data, *more;
	} wrapper = { 0x466243b1, 1, names, NULL };
	static char other[] = "_Z5otherPf";
	dim3 one = { 1, 1, 1 };
	uint64_t begin, took;
	void **fatbin, *memory = NULL, *args[1] = { &memory };

	if (count < 1 || count > MAX || launched < 0 || launched > count || apart < 1 ||
	    apart > APART_MAX)
		return 2;
	for (i = 0; i < count; i++) {
		snprintf(names[i], NAME_SIZE, "_Z11kern_%06ldPf", i);
	}
	fatbin = __cudaRegisterFatBinary((void *)&wrapper);
	begin = now();
	for (i = 0; i < count; i++)
		__cudaRegisterFunction(fatbin, stubs + apart * i, other, other, -1, NULL, NULL,
				       NULL, NULL, NULL);
	took = now() - begin;
	for (i = 0; i < count; i++)
		__cudaRegisterFunction(fatbin, stubs + apart * i, names[i], names[i], -1, NULL,
				       NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(fatbin);
	for (i = 0; i < launched; i++)
		for (j = 0; j < (times ? times : i + 1); j++)
			if (cudaLaunchKernel(stubs + apart * (i * (count / launched)), one, one,
					     args, 0, NULL))
				return 1;
	if (cudaDeviceSynchronize())
		return 1;
	printf("%.1f\n", (double)took / (double)count);
	return 0;
}
