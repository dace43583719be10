// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that makes random calls and keeps books of them, to compare with cutop's:
 *
 *   random_calls BOOKS SEED STEPS FAMILIES
 *
 * makes STEPS steps of what the letters FAMILIES name, as SEED says, and appends to the file BOOKS a line of JSON for each
 * program that ran. The same seed with fewer steps makes the first of the same calls: what a difference comes from is
 * found by halving STEPS. With RANDOM_TRACE in the environment each call is told on standard error.
 *
 *   m  memory: allocations and frees          w  frees that fail
 *   d  devices, streams                       r  resets of devices
 *   v  physical memory, and where it is       x  contexts made, pushed, destroyed; primary ones retained
 *   c  copies and fills                       l  launches
 *   R  of the runtime only                    D  of the driver only
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "random_calls.h"

char host_memory[1 << 20];
int device_count;

static const struct family { char letter; unsigned int weight; void (*step)(void); } families[] = {
	{ 'm', 40, step_allocate }, { 'm', 36, step_free }, { 'm', 2, step_pool },
	{ 'w', 6, step_wrong_free },
	{ 'v', 12, step_physical },
	{ 'd', 3, step_device }, { 'd', 4, step_stream },
	{ 'x', 5, step_context }, { 'x', 3, step_primary },
	{ 'r', 1, step_reset },
	{ 'c', 20, step_copy }, { 'c', 4, step_set },
	{ 'l', 40, step_launch },
};
#define FAMILIES	(sizeof(families) / sizeof(families[0]))

static void make_steps(unsigned long count, const char *letters)
{
	unsigned int total = 0;
	unsigned long step;
	size_t i;

	for (i = 0; i < FAMILIES; i++)
		total += strchr(letters, families[i].letter) ? families[i].weight : 0;
	for (step = 0; total && step < count; step++) {
		uint64_t chance = any(total);

		for (i = 0; i < FAMILIES; i++) {
			if (!strchr(letters, families[i].letter))
				continue;
			if (chance < families[i].weight)
				break;
			chance -= families[i].weight;
		}
		if (tracing)
			fprintf(stderr, "step %lu: %c\n", step + 1, families[i].letter);
		families[i].step();
	}
}

/* A program of the driver's alone takes the primary context itself. */
static void start(void)
{
	if (!no_runtime) {
		CALL(cudaSetDevice, 0);
		return;
	}
	CALL(cuInit, 0);
	CALL(cuDevicePrimaryCtxRetain, &self->primaries[0], 0);
	CALL(cuCtxSetCurrent, self->primaries[0]);
	self->retained[0] = 1;
}

int main(int argc, char **argv)
{
	const char *devices = getenv("CUDA_DOUBLE_DEVICES");
	uint64_t seed;

	if (argc != 5) {
		fputs("usage: random_calls BOOKS SEED STEPS FAMILIES\n", stderr);
		return 2;
	}
	seed = strtoull(argv[2], NULL, 0);
	tracing = getenv("RANDOM_TRACE");
	device_count = devices ? atoi(devices) : 1;
	if (device_count > DEVICES)
		device_count = DEVICES;
	self = actor_new(seed);
	self->alone = true;
	no_driver = strchr(argv[4], 'R');
	no_runtime = strchr(argv[4], 'D');
	start();
	make_steps(strtoul(argv[3], NULL, 0), argv[4]);
	if (seed % 3 == 0)
		free_all();
	actor_write(self, argv[1], argv[2]);
	return 0;
}
