// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls functions of the double for the sake of the call alone.
 *
 *   table_calls names        each function of which a line is read, once, with zeros;
 *                            prints how many answered 801 (not supported)
 *   table_calls elapsed      the time between two events by each of four functions;
 *                            the second time it says what CUDA_DOUBLE_FAIL makes of it
 *   table_calls entries N    asks the driver N times where cuMemAlloc is
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda_double.h"

#define NOT_SUPPORTED 801

static int names(void)
{
	int (*function)(long, long, long, long, long, long, long, long);
	int answered = 0;
	char name[128];

	if (cuInit(0))
		return 1;
	while (fgets(name, sizeof(name), stdin)) {
		name[strcspn(name, "\n")] = 0;
		*(void **)&function = dlsym(RTLD_DEFAULT, name);
		if (!function) {
			fprintf(stderr, "table_calls: there is no %s\n", name);
			return 1;
		}
		answered += function(0, 0, 0, 0, 0, 0, 0, 0) == NOT_SUPPORTED;
	}
	printf("%d\n", answered);
	return 0;
}

static int elapsed(void)
{
	cudaEvent_t start, end;
	float ms;

	if (cudaEventCreate(&start) || cudaEventCreate(&end) || cudaEventRecord(start, NULL) ||
	    cudaEventRecord(end, NULL) || cudaDeviceSynchronize())
		return 1;
	if (cudaEventElapsedTime(&ms, start, end) || cuEventElapsedTime(&ms, start, end) ||
	    cuEventElapsedTime_v2(&ms, start, end))
		return 1;
	printf("%d", (int)cudaEventElapsedTime(&ms, start, end));
	printf(" %d", (int)cuEventElapsedTime(&ms, start, end));
	printf(" %d\n", (int)cuEventElapsedTime_v2(&ms, start, end));
	return 0;
}

static int entries(long count)
{
	void *function;

	if (cuInit(0))
		return 1;
	while (count--)
		if (cuGetProcAddress("cuMemAlloc", &function, 12000, 0))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "names"))
		return names();
	if (argc == 2 && !strcmp(argv[1], "elapsed"))
		return elapsed();
	if (argc == 3 && !strcmp(argv[1], "entries"))
		return entries(atol(argv[2]));
	return 2;
}
