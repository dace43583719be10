/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sample program counts of its own calls, to be compared with what
 * cutop counted of them. counts_print() prints it as one line of JSON.
 *
 * Set CUTOP_GPU_DOUBLE=1 where the programs run on the project's double of
 * CUDA: its kernels compute nothing, so results are not looked at there.
 */
#pragma once
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNTS_MAX       16
#define STATUS_NO_DEVICE 3 /* exit status: there is no device to run on */

struct counts {
	const char *program;
	const char *layer; /* the layer that the program calls itself: "runtime" or "driver" */
	struct {
		const char *name;
		unsigned long launches, captured, graph_launches;
	} kernels[COUNTS_MAX];
	struct {
		const char *direction;
		unsigned long calls;
		unsigned long long bytes;
	} copies[COUNTS_MAX];
	struct {
		const char *call, *error;
		unsigned long count;
	} failures[COUNTS_MAX];
	unsigned long allocations, frees;
	unsigned long least_launches; /* of kernels that the program does not name */
	unsigned long long allocated_bytes, freed_bytes;
	char no_device[128]; /* why there is none */
	char error[256];     /* a call that failed unexpectedly */
	int checks, wrong;
};

static struct counts counts;
static pthread_mutex_t counts_lock = PTHREAD_MUTEX_INITIALIZER;

static inline int on_double(void)
{
	const char *value = getenv("CUTOP_GPU_DOUBLE");

	return value && *value && strcmp(value, "0");
}

/*
 * @captured: calls while a stream was captured, which launch nothing. @by_graph: launches by the
 * graphs that these made.
 */
static inline void count_launches(const char *kernel, unsigned long direct, unsigned long captured,
				  unsigned long by_graph)
{
	int i;

	pthread_mutex_lock(&counts_lock);
	for (i = 0;
	     i < COUNTS_MAX - 1 && counts.kernels[i].name && strcmp(counts.kernels[i].name, kernel);
	     i++)
		;
	counts.kernels[i].name = kernel;
	counts.kernels[i].launches += direct;
	counts.kernels[i].captured += captured;
	counts.kernels[i].graph_launches += by_graph;
	pthread_mutex_unlock(&counts_lock);
}

static inline void count_copy(const char *direction, unsigned long long bytes)
{
	int i;

	pthread_mutex_lock(&counts_lock);
	for (i = 0; i < COUNTS_MAX - 1 && counts.copies[i].direction &&
		    strcmp(counts.copies[i].direction, direction);
	     i++)
		;
	counts.copies[i].direction = direction;
	counts.copies[i].calls++;
	counts.copies[i].bytes += bytes;
	pthread_mutex_unlock(&counts_lock);
}

static inline void count_failure(const char *call, const char *error)
{
	int i;

	pthread_mutex_lock(&counts_lock);
	for (i = 0;
	     i < COUNTS_MAX - 1 && counts.failures[i].call &&
	     (strcmp(counts.failures[i].call, call) || strcmp(counts.failures[i].error, error));
	     i++)
		;
	counts.failures[i].call = call;
	counts.failures[i].error = error;
	counts.failures[i].count++;
	pthread_mutex_unlock(&counts_lock);
}

/*
 * Pinned memory of the host is an allocation of no bytes here: cutop's bytes are those of devices.
 */
static inline void count_alloc(unsigned long long bytes)
{
	pthread_mutex_lock(&counts_lock);
	counts.allocations++;
	counts.allocated_bytes += bytes;
	pthread_mutex_unlock(&counts_lock);
}

static inline void count_free(unsigned long long bytes)
{
	pthread_mutex_lock(&counts_lock);
	counts.frees++;
	counts.freed_bytes += bytes;
	pthread_mutex_unlock(&counts_lock);
}

/* @right: what the device computed is what it should be. */
static inline void verify(int right)
{
	if (on_double())
		return;
	pthread_mutex_lock(&counts_lock);
	counts.checks++;
	counts.wrong += !right;
	pthread_mutex_unlock(&counts_lock);
}

/* Prints the line and returns the exit status that goes with it. */
static inline int counts_print(void)
{
	const char *comma = "";
	int i;

	printf("{\"program\":\"%s\",\"layer\":\"%s\",\"no_device\":\"%s\",\"error\":\"%s\",\"checks\":%d,\"wrong\":%d,",
	       counts.program, counts.layer, counts.no_device, counts.error, counts.checks,
	       counts.wrong);
	printf("\"allocations\":%lu,\"frees\":%lu,\"allocated_bytes\":%llu,\"leaked_bytes\":%llu,\"least_launches\":%lu,\"kernels\":{",
	       counts.allocations, counts.frees, counts.allocated_bytes,
	       counts.allocated_bytes - counts.freed_bytes, counts.least_launches);
	for (i = 0; i < COUNTS_MAX && counts.kernels[i].name; i++, comma = ",")
		printf("%s\"%s\":{\"launches\":%lu,\"captured\":%lu,\"graph_launches\":%lu}", comma,
		       counts.kernels[i].name, counts.kernels[i].launches,
		       counts.kernels[i].captured, counts.kernels[i].graph_launches);
	printf("},\"copies\":{");
	for (i = 0, comma = ""; i < COUNTS_MAX && counts.copies[i].direction; i++, comma = ",")
		printf("%s\"%s\":{\"calls\":%lu,\"bytes\":%llu}", comma, counts.copies[i].direction,
		       counts.copies[i].calls, counts.copies[i].bytes);
	printf("},\"failures\":[");
	for (i = 0, comma = ""; i < COUNTS_MAX && counts.failures[i].call; i++, comma = ",")
		printf("%s{\"call\":\"%s\",\"error\":\"%s\",\"count\":%lu}", comma,
		       counts.failures[i].call, counts.failures[i].error, counts.failures[i].count);
	printf("]}\n");
	fflush(stdout);
	/* Lets cutop doctor look at the process while it has the libraries loaded. */
	if (getenv("CUTOP_GPU_WAIT"))
		sleep((unsigned int)atoi(getenv("CUTOP_GPU_WAIT")));
	if (counts.no_device[0])
		return STATUS_NO_DEVICE;
	return counts.error[0] || counts.wrong ? 1 : 0;
}
