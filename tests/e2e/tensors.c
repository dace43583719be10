// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Uses the stand-in for PyTorch's allocator as a program does. Does what its words say, in order:
 *
 *   seed:N         numbers are drawn from there
 *   random:N       N tensors are made, or let go, by four sites, on four devices
 *   threads:N      the same, at once by four threads, N of each
 *   grow:N         N tensors of 1 MiB that are kept, by the site `leak`
 *   small:N        N steps of 512 tensors of 2 KiB that are kept, by the site `small`
 *   forget         lets go of what small has made
 *   keep:BYTES     one more, by the site `keep`
 *   churn:N        N tensors that are let go at once, by the site `churn`
 *   ask:BYTES      a tensor that there may be no memory for, by the site `ask`
 *   drop           lets go of every tensor that random and threads have made
 *   empty          gives unused segments back
 *   expand         expandable segments from here on
 *   tell           writes the figures to standard output, and waits for a line of input
 *   to:FILE        writes figures there from here on
 *   wait           only waits
 *   every:MS       pause between the tensors of grow, and the steps of small
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "c10_allocator.h"

#ifdef __clang__
#define HERE __attribute__((noinline, optnone))
#else
#define HERE __attribute__((noipa))
#endif
#define SLOTS 256

struct slot {
	int device;
	void *tensor;
};

struct worker {
	struct slot slots[SLOTS];
	unsigned int seed;
	unsigned long steps;
};

static struct worker workers[5];

/* Each of these functions is a call site: there is no tail call, and no two have the same code. */
#define SITE(name) \
	static volatile unsigned long name##_calls; \
\
	static HERE void *name(int device, size_t bytes) \
	{ \
		void *tensor = tensor_new(device, bytes); \
\
		name##_calls++; \
		return tensor; \
	}

SITE(site_0)
SITE(site_1)
SITE(site_2)
SITE(site_3)
SITE(leak)
SITE(small)
SITE(keep)
SITE(churn)
SITE(ask)

static size_t random_size(unsigned int *seed)
{
	unsigned int kind = (unsigned int)rand_r(seed) % 8;
	size_t bytes = (size_t)rand_r(seed);

	return kind < 4 ? bytes % 4096 : kind < 7 ? bytes % (1 << 20) : bytes % (24 << 20);
}

static void step(struct worker *worker)
{
	static void *(*const sites[])(int device, size_t bytes) = { site_0, site_1, site_2,
								    site_3 };
	struct slot *slot = &worker->slots[(unsigned int)rand_r(&worker->seed) % SLOTS];

	if (slot->tensor) {
		tensor_free(slot->device, slot->tensor);
		slot->tensor = NULL;
	} else {
		slot->device = rand_r(&worker->seed) % 4;
		slot->tensor =
			sites[rand_r(&worker->seed) % 4](slot->device, random_size(&worker->seed));
	}
	if (rand_r(&worker->seed) % 500 == 0)
		tensor_empty_cache(rand_r(&worker->seed) % 4);
}

static void *work(void *context)
{
	struct worker *worker = context;

	while (worker->steps--)
		step(worker);
	return NULL;
}

static void work_at_once(unsigned long steps)
{
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++) {
		workers[i + 1].steps = steps;
		workers[i + 1].seed = workers[0].seed + (unsigned int)i + 1;
		pthread_create(&threads[i], NULL, work, &workers[i + 1]);
	}
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void drop(void)
{
	size_t i, j;

	for (i = 0; i < 5; i++)
		for (j = 0; j < SLOTS; j++)
			if (workers[i].slots[j].tensor) {
				tensor_free(workers[i].slots[j].device, workers[i].slots[j].tensor);
				workers[i].slots[j].tensor = NULL;
			}
}

#define SMALL_STEP  512
#define SMALL_STEPS 1024

static void *smalls[SMALL_STEPS * SMALL_STEP];
static size_t small_count;

static void small_step(void)
{
	int i;

	for (i = 0; i < SMALL_STEP && small_count < SMALL_STEPS * SMALL_STEP; i++)
		smalls[small_count++] = small(0, 2048);
}

static void forget(void)
{
	while (small_count)
		tensor_free(0, smalls[--small_count]);
}

static void wait_for_line(void)
{
	char c;

	while (read(0, &c, 1) == 1 && c != '\n')
		;
}

int main(int argc, char **argv)
{
	unsigned long pause = 0;
	int i, device, out = 1;

	for (i = 1; i < argc; i++) {
		const char *word = argv[i], *colon = strchr(word, ':');
		unsigned long n = colon ? strtoul(colon + 1, NULL, 10) : 0;

		if (!strncmp(word, "seed:", 5)) {
			workers[0].seed = (unsigned int)n;
		} else if (!strncmp(word, "random:", 7)) {
			workers[0].steps = n;
			work(&workers[0]);
		} else if (!strncmp(word, "threads:", 8)) {
			work_at_once(n);
		} else if (!strncmp(word, "every:", 6)) {
			pause = n;
		} else if (!strncmp(word, "grow:", 5)) {
			for (; n; n--) {
				leak(0, 1 << 20);
				usleep((useconds_t)(pause * 1000));
			}
		} else if (!strncmp(word, "small:", 6)) {
			for (; n; n--) {
				small_step();
				usleep((useconds_t)(pause * 1000));
			}
		} else if (!strcmp(word, "forget")) {
			forget();
		} else if (!strncmp(word, "keep:", 5)) {
			keep(0, n);
		} else if (!strncmp(word, "churn:", 6)) {
			for (; n; n--)
				tensor_free(0, churn(0, 4096));
		} else if (!strncmp(word, "ask:", 4)) {
			if (ask(0, n))
				return 3;
		} else if (!strcmp(word, "drop")) {
			drop();
		} else if (!strcmp(word, "empty")) {
			for (device = 0; device < C10_DEVICES; device++)
				tensor_empty_cache(device);
		} else if (!strcmp(word, "expand")) {
			tensor_expand();
		} else if (!strcmp(word, "tell")) {
			tensor_figures(out);
			wait_for_line();
		} else if (!strncmp(word, "to:", 3)) {
			out = open(word + 3, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		} else if (!strcmp(word, "wait")) {
			wait_for_line();
		} else {
			fprintf(stderr, "tensors: %s?\n", word);
			return 2;
		}
	}
	return 0;
}
