// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads: much of something, at full speed or at a rate, and a line of JSON that
 * says exactly what was done. Tests compare it with what cutop saw, benchmarks
 * measure cutop meanwhile.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "workload.h"

#define TICK_US     1000 /* work at a rate is done in portions of this length */
#define THREADS_MAX 64
#define COPY_BYTES  64

/* Calls at a rate: how many may have been made by now. 0 per second: as many as can be. */
struct pace {
	double begin, end, per_second;
	unsigned long made;
};

static struct pace pace_new(double seconds, long per_second)
{
	double now = seconds_now();

	return (struct pace){ .begin = now,
			      .end = seconds ? now + seconds : 1e18,
			      .per_second = (double)per_second };
}

/* Waits until some calls are due and returns their number; 0 when the time is over. */
static unsigned long pace_next(struct pace *pace)
{
	for (;;) {
		double now = seconds_now();
		unsigned long due;

		if (now >= pace->end)
			return 0;
		if (!pace->per_second)
			return 64;
		due = (unsigned long)((now - pace->begin) * pace->per_second);
		if (due > pace->made) {
			due -= pace->made;
			pace->made += due;
			return due;
		}
		pause_us(TICK_US);
	}
}

/* ---- calls ---- */

static const struct {
	const char *name;
	enum cudaMemcpyKind kind;
	unsigned int every; /* launches */
} directions[] = {
	{ "H2D", cudaMemcpyHostToDevice, 8 },
	{ "D2H", cudaMemcpyDeviceToHost, 16 },
	{ "D2D", cudaMemcpyDeviceToDevice, 32 },
};
#define DIRECTIONS (sizeof(directions) / sizeof(directions[0]))

struct caller {
	pthread_t thread;
	struct pace pace;
	unsigned long launches, syncs, copies[DIRECTIONS], async[DIRECTIONS];
	char *device;
};

static void copy(struct caller *caller, size_t which, bool async)
{
	char host[COPY_BYTES];
	char *to = caller->device, *from = caller->device + COPY_BYTES;

	if (directions[which].kind == cudaMemcpyHostToDevice)
		from = host;
	else if (directions[which].kind == cudaMemcpyDeviceToHost)
		to = host;
	if (async) {
		MUST(cudaMemcpyAsync(to, from, COPY_BYTES, directions[which].kind, NULL));
		caller->async[which]++;
	} else {
		MUST(cudaMemcpy(to, from, COPY_BYTES, directions[which].kind));
		caller->copies[which]++;
	}
}

static void *call(void *argument)
{
	struct caller *caller = argument;
	unsigned long due;
	size_t i;

	while ((due = pace_next(&caller->pace)) != 0)
		for (; due; due--) {
			MUST(launch(caller->launches % 3 ? SAXPY : VECTOR_ADD, 1, 32, NULL));
			caller->launches++;
			for (i = 0; i < DIRECTIONS; i++)
				if (caller->launches % directions[i].every == 0)
					copy(caller, i, caller->launches / directions[i].every % 2);
			if (caller->launches % 64 == 0) {
				MUST(cudaDeviceSynchronize());
				caller->syncs++;
			}
		}
	return NULL;
}

/*
 * Threads that launch and copy both ways, sync and async, for so many seconds,
 * at PER_SECOND launches a second in all, or as fast as they can.
 */
int calls(void)
{
	long n = number(1, 1), per_second = number(2, 0), i;
	struct caller callers[THREADS_MAX] = { 0 }, sum = { 0 };
	size_t j;

	if (n < 1 || n > THREADS_MAX)
		n = 1;
	prepare(VECTOR_ADD);
	prepare(SAXPY);
	for (i = 0; i < n; i++)
		MUST(cudaMalloc((void **)&callers[i].device, 2 * COPY_BYTES));
	for (i = 0; i < n; i++) {
		callers[i].pace = pace_new((double)number(0, 1), (per_second + n - 1) / n);
		pthread_create(&callers[i].thread, NULL, call, &callers[i]);
	}
	for (i = 0; i < n; i++) {
		pthread_join(callers[i].thread, NULL);
		MUST(cudaFree(callers[i].device));
		sum.launches += callers[i].launches;
		sum.syncs += callers[i].syncs;
		for (j = 0; j < DIRECTIONS; j++) {
			sum.copies[j] += callers[i].copies[j];
			sum.async[j] += callers[i].async[j];
		}
	}
	printf("{\"launches\":%lu,\"syncs\":%lu,\"copies\":[", sum.launches, sum.syncs);
	for (j = 0; j < DIRECTIONS; j++)
		printf("%s[\"%s\",\"async\",%lu],[\"%s\",\"sync\",%lu]", j ? "," : "",
		       directions[j].name, sum.async[j], directions[j].name, sum.copies[j]);
	printf("]}\n");
	return 0;
}

/* ---- allocations ---- */

static unsigned int next_random(unsigned int *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static size_t some_size(unsigned int *state)
{
	return 256 + next_random(state) % 3840;
}

static volatile sig_atomic_t told;

static void tell(int number)
{
	(void)number;
	told = 1;
}

/*
 * COUNT live allocations, of which at PER_SECOND a second one is freed and
 * another made in its place, for so many seconds or until SIGUSR1. Prints "full"
 * when all are there. Ends with all freed, or with -k with all left.
 */
int churn(void)
{
	unsigned long count = (unsigned long)number(0, 1000), pairs = 0, due, i;
	unsigned int state = 1;
	struct pace pace;
	double seconds;
	void **live;

	signal(SIGUSR1, tell);
	live = calloc(count + 1, sizeof(*live));
	if (!live)
		return 1;
	for (i = 0; i < count; i++)
		MUST(cudaMalloc(&live[i], some_size(&state)));
	puts("full");
	fflush(stdout);
	pace = pace_new((double)number(1, 1), number(2, 0) ? number(2, 0) : 1);
	while (!told && count && number(2, 0) && (due = pace_next(&pace)) != 0)
		for (; due; due--, pairs++) {
			i = next_random(&state) % count;
			MUST(cudaFree(live[i]));
			MUST(cudaMalloc(&live[i], some_size(&state)));
		}
	while (!told && !number(2, 0) && seconds_now() < pace.end)
		pause_us(10000);
	seconds = seconds_now() - pace.begin;
	for (i = 0; !options.keep && i < count; i++)
		MUST(cudaFree(live[i]));
	printf("{\"allocations\":%lu,\"frees\":%lu,\"seconds\":%.3f}\n", count + pairs,
	       pairs + (options.keep ? 0 : count), seconds);
	return 0;
}

/* ---- processes ---- */

/* One short life: 4 allocations, 3 frees (1,000 bytes leak), 10 launches, 2 copies. */
int brief(void)
{
	char host[COPY_BYTES] = { 0 };
	void *memory[4];
	int i;

	for (i = 0; i < 4; i++)
		MUST(cudaMalloc(&memory[i], 1000));
	MUST(cudaMemcpy(memory[0], host, COPY_BYTES, cudaMemcpyHostToDevice));
	for (i = 0; i < 10; i++)
		MUST(launch(SAXPY, 1, 32, NULL));
	MUST(cudaMemcpy(host, memory[0], COPY_BYTES, cudaMemcpyDeviceToHost));
	for (i = 0; i < 3; i++)
		MUST(cudaFree(memory[i]));
	return 0;
}

static pid_t start(const char *subcommand, const char *first, const char *second, const char *third)
{
	pid_t pid = fork();

	if (!pid) {
		execl(options.program, options.program, subcommand, first, second, third,
		      (char *)NULL);
		_exit(127);
	}
	return pid;
}

static int reap(unsigned long *alive, int flags)
{
	int status, failed = 0;

	while (*alive && waitpid(-1, &status, flags) > 0) {
		(*alive)--;
		failed += status != 0;
	}
	return failed;
}

/*
 * COUNT processes of the workload "brief", begun evenly over so many seconds (0: as fast as one
 * after the other).
 */
int spawn(void)
{
	unsigned long count = (unsigned long)number(0, 100), alive = 0, done = 0;
	double begin = seconds_now(), seconds = (double)number(1, 0);
	int failed = 0;

	while (done < count) {
		double due = begin + seconds * (double)done / (double)count - seconds_now();

		if (due > 0)
			pause_us((long)(due * 1e6));
		if (start("brief", NULL, NULL, NULL) < 0)
			return 1;
		alive++;
		done++;
		failed += reap(&alive, alive > 16 ? 0 : WNOHANG);
	}
	failed += reap(&alive, 0);
	printf("{\"processes\":%lu,\"failed\":%d,\"seconds\":%.3f}\n", done, failed,
	       seconds_now() - begin);
	return failed != 0;
}

/* COUNT processes at once, for so many seconds, that launch and copy at PER_SECOND each. */
int crowd(void)
{
	unsigned long count = (unsigned long)number(0, 10), alive = 0, i;
	char seconds[16], rate[16];
	int failed;

	snprintf(seconds, sizeof(seconds), "%ld", number(1, 1));
	snprintf(rate, sizeof(rate), "%ld", number(2, 100));
	for (i = 0; i < count; i++)
		if (start("calls", seconds, "1", rate) > 0)
			alive++;
	failed = reap(&alive, 0);
	return failed != 0 || i != count;
}
