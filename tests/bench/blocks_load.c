/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   blocks_load COUNT
 *
 * Reports blocks as PyTorch's allocator does, to the stand-in for its libc10.so, and prints the ns
 * that handing one out and taking it back took, in the quickest batches of some COUNT. As a library
 * (-DLIBRARY) for tests/bench/python_load.py: both together.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Short enough to be done now and then before something else gets the processor */
#define BATCH      250
#define CUDA_FIRST 1 /* c10::DeviceType::CUDA, its device 0 */
#define BYTES      4096

void report_usage(
	void *ptr, long bytes, size_t allocated, size_t reserved,
	unsigned short device) __asm__("_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE");

double python_load(long count);

static double least[2];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void note(int what, double ns)
{
	if (!least[what] || ns < least[what])
		least[what] = ns;
}

double python_load(long count)
{
	char *const base = (char *)0x10000000000;
	double begin;
	long i;

	least[0] = least[1] = 0;
	for (; count > 0; count -= BATCH) {
		begin = now();
		for (i = 0; i < BATCH; i++)
			report_usage(base + i * BYTES, BYTES, (size_t)(i + 1) * BYTES,
				     BATCH * BYTES, CUDA_FIRST);
		note(0, now() - begin);
		begin = now();
		for (i = BATCH; i-- > 0;)
			report_usage(base + i * BYTES, -BYTES, (size_t)i * BYTES, BATCH * BYTES,
				     CUDA_FIRST);
		note(1, now() - begin);
	}
	return (least[0] + least[1]) / BATCH;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: blocks_load COUNT\n", stderr);
		return 1;
	}
	python_load(atol(argv[1]));
	printf("%.1f %.1f\n", least[0] / BATCH, least[1] / BATCH);
	return 0;
}
#endif
