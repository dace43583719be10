// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs that keep memory, rightly and wrongly; each call site is a function
 * of its own. Prints its scene, how often the site that matters allocated, and
 * how many bytes each time.
 *
 *   leaks weights SECONDS    100 blocks of 64 KiB at once, held to the end, freed
 *   leaks sawtooth SECONDS   a cache: 25 blocks in 0.375 s, then emptied, each time one byte larger
 *   leaks ramp SECONDS       25 blocks of 4 KiB in 2.5 s, held to the end, freed
 *   leaks drip SECONDS       100 times a second: 4 KiB forgotten while 2 to 8 MiB come and go
 *   leaks reset              3 blocks of 10,000 ended by cudaDeviceReset, 1 of 20,000 freed after it
 *   leaks exit               2 blocks of 30,000 and 5 of 7 freed, 3 of 7 not
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cuda_double.h"
#include "program.h"

/* Each counts in a place of its own: a compiler makes one of functions that are all alike. */
#define SITE(name) \
	static volatile size_t bytes_of_##name; \
	static __attribute__((noinline)) void *name(size_t size) \
	{ \
		void *p = NULL; \
		bytes_of_##name += size; \
		if (cudaMalloc(&p, size)) \
			exit(1); \
		return p; \
	}

SITE(weight_block)
SITE(tooth_block)
SITE(ramp_block)
SITE(churn_block)
SITE(leak_block)
SITE(reset_block)
SITE(exit_block)
SITE(small_block)

static void until(double when)
{
	double left = when - seconds_now();
	struct timespec ts = { (time_t)left, (long)((left - (double)(time_t)left) * 1e9) };

	if (left > 0)
		nanosleep(&ts, NULL);
}

static int weights(double end)
{
	void *blocks[100];
	int i;

	for (i = 0; i < 100; i++)
		blocks[i] = weight_block(65536);
	until(end);
	for (i = 0; i < 100; i++)
		cudaFree(blocks[i]);
	return printf("weights 100 65536\n") < 0;
}

static int sawtooth(double end)
{
	void *blocks[25];
	int round = 0, count = 0, i, j;

	for (; seconds_now() < end; round++) {
		double begin = seconds_now();

		/* What a busy machine delays is left out: a tooth is never longer. */
		for (i = 0; i < 25 && seconds_now() < begin + 0.375; i++) {
			blocks[i] = tooth_block(4096 + (size_t)round);
			until(begin + 0.015 * (i + 1));
		}
		for (j = 0; j < i; j++)
			cudaFree(blocks[j]);
		count += i;
	}
	return printf("sawtooth %d 4096\n", count) < 0;
}

static int ramp(double end)
{
	double begin = seconds_now();
	void *blocks[25];
	int i;

	for (i = 0; i < 25; i++) {
		blocks[i] = ramp_block(4096);
		until(begin + 0.1 * (i + 1));
	}
	until(end);
	for (i = 0; i < 25; i++)
		cudaFree(blocks[i]);
	return printf("ramp 25 4096\n") < 0;
}

static int drip(double end)
{
	int i;

	for (i = 0; seconds_now() < end; i++) {
		void *work = churn_block((2 + (size_t)i % 7) << 20);

		leak_block(4096);
		until(seconds_now() + 0.01);
		cudaFree(work);
	}
	return printf("drip %d 4096\n", i) < 0;
}

static int reset(void)
{
	int i;

	for (i = 0; i < 3; i++)
		reset_block(10000);
	if (cudaDeviceReset())
		return 1;
	cudaFree(exit_block(20000));
	return printf("reset 3 10000\n") < 0;
}

static int at_exit(void)
{
	void *first = exit_block(30000), *second = exit_block(30000), *small[8];
	int i;

	for (i = 0; i < 8; i++)
		small[i] = small_block(7);
	for (i = 0; i < 5; i++)
		cudaFree(small[i]);
	cudaFree(first);
	cudaFree(second);
	return printf("exit 3 7\n") < 0;
}

int main(int argc, char **argv)
{
	const char *scene = argc > 1 ? argv[1] : "";
	double end = seconds_now() + (argc > 2 ? atof(argv[2]) : 1);

	if (!strcmp(scene, "weights"))
		return weights(end);
	if (!strcmp(scene, "sawtooth"))
		return sawtooth(end);
	if (!strcmp(scene, "ramp"))
		return ramp(end);
	if (!strcmp(scene, "drip"))
		return drip(end);
	if (!strcmp(scene, "reset"))
		return reset();
	if (!strcmp(scene, "exit"))
		return at_exit();
	fprintf(stderr, "usage: leaks weights|sawtooth|ramp|drip SECONDS; leaks reset|exit\n");
	return 2;
}
