// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that makes random calls and keeps books of them, to compare with cutop's:
 *
 *   random_calls BOOKS SEED STEPS FAMILIES
 *
 * makes STEPS steps of what the letters FAMILIES name, as SEED says, and appends to the file BOOKS
 * a line of JSON for each program that ran. The same seed with fewer steps makes the first of the
 * same calls: what a difference comes from is found by halving STEPS. With RANDOM_TRACE in the
 * environment each call is told on standard error.
 *
 *   m  memory: allocations and frees          w  frees that fail
 *   d  devices, streams                       r  resets of devices
 *   v  physical memory, and where it is       x  contexts made, pushed, destroyed; primary ones retained
 *   c  copies and fills                       l  launches
 *   g  graphs
 *   h  calls in callbacks                     t  several threads at once
 *   f  children                               e  ends by exec of another program, at times
 *   R  of the runtime only                    D  of the driver only
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "random_calls.h"

char host_memory[1 << 20];
int device_count;
const char *books_path, *books_key;
static const char *letters;

static const struct family {
	char letter;
	unsigned int weight;
	void (*step)(void);
} families[] = {
	{ 'm', 40, step_allocate },  { 'm', 36, step_free },     { 'm', 2, step_pool },
	{ 'w', 6, step_wrong_free }, { 'v', 24, step_physical }, { 'd', 3, step_device },
	{ 'd', 4, step_stream },     { 'x', 5, step_context },   { 'x', 3, step_primary },
	{ 'r', 1, step_reset },      { 'c', 20, step_copy },     { 'c', 4, step_set },
	{ 'l', 40, step_launch },    { 'g', 60, step_graph },    { 'h', 4, step_callback },
	{ 't', 1, step_threads },    { 'f', 1, step_fork },
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

void make_steps(unsigned long count)
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
void start(int device)
{
	CUcontext primary = NULL;

	self->device = self->runtime_device = device;
	if (!no_runtime) {
		self->runtime_retained[device] = !CALL(cudaSetDevice, device);
		return;
	}
	CALL(cuInit, 0);
	CALL(cuDevicePrimaryCtxRetain, &primary, device);
	CALL(cuCtxSetCurrent, primary);
}

int main(int argc, char **argv)
{
	const char *devices = getenv("CUDA_DOUBLE_DEVICES");
	uint64_t seed;

	if (argc != 5) {
		fputs("usage: random_calls BOOKS SEED STEPS FAMILIES\n", stderr);
		return 2;
	}
	books_path = argv[1];
	books_key = argv[2];
	seed = strtoull(argv[2], NULL, 0);
	letters = argv[4];
	tracing = getenv("RANDOM_TRACE");
	device_count = devices ? atoi(devices) : 1;
	if (device_count > DEVICES)
		device_count = DEVICES;
	no_driver = strchr(letters, 'R');
	no_runtime = strchr(letters, 'D');
	self = actor_new(seed);
	self->alone = self->peak_known = self->leaks_known = true;
	start(0);
	make_steps(strtoul(argv[3], NULL, 0));
	if (seed % 3 == 0)
		free_all();
	await_children();
	actor_write(self, books_path, books_key);
	if (strchr(letters, 'e') && seed % 2)
		follow(letters);
	return 0;
}
