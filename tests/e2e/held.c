/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that brings in libraries while other threads of it wait in system calls (PROGRAM), and
 * a plugin whose constructor makes calls at once (LIBRARY); and a program that does so before its
 * main() (FIRST).
 *
 *   held [LIBRARY...]	loads each, and says how long that took, and what it met: system calls that were
 * 			interrupted, signals, a tracer, another cgroup than at its start
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/poll.h>
#include <time.h>
#include <unistd.h>

#if defined(LIBRARY) || defined(FIRST)

#include "cuda_double.h"

__attribute__((constructor)) static void begin(void)
{
	void *memory;

	if (cudaMalloc(&memory, 4096) || cudaMalloc(&memory, 8192) || cudaFree(memory))
		abort();
}

#endif

#ifdef FIRST

int main(void)
{
	return 0;
}

#elif !defined(LIBRARY)

static atomic_int interrupted, signals, waiting;
static int pipes[2];

static void count_signal(int number)
{
	(void)number;
	signals++;
}

static void met(long result)
{
	if (result < 0 && errno == EINTR)
		interrupted++;
}

static void *wait_epoll(void *unused)
{
	int epoll = epoll_create1(0);
	struct epoll_event event;

	waiting++;
	for (;;)
		met(epoll_wait(epoll, &event, 1, 20));
	return unused;
}

static void *wait_sleep(void *unused)
{
	struct timespec time = { .tv_nsec = 20000000 };

	waiting++;
	for (;;)
		met(nanosleep(&time, NULL));
	return unused;
}

static void *wait_read(void *unused)
{
	char byte;

	waiting++;
	for (;;)
		met(read(pipes[0], &byte, 1));
	return unused;
}

static void *wait_poll(void *unused)
{
	struct pollfd poll_fd = { .fd = pipes[0], .events = POLLIN };

	waiting++;
	for (;;)
		met(poll(&poll_fd, 1, 20));
	return unused;
}

/* The line of /proc/self/@file that begins with @key. */
static void line_read(const char *file, const char *key, char line[512])
{
	char path[64];
	FILE *in;

	snprintf(path, sizeof(path), "/proc/self/%s", file);
	in = fopen(path, "r");
	line[0] = 0;
	while (in && fgets(line, 512, in) && strncmp(line, key, strlen(key)))
		;
	line[strcspn(line, "\n")] = 0;
	if (in)
		fclose(in);
}

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	void *(*const waits[])(void *) = { wait_epoll, wait_sleep, wait_read, wait_poll };
	char before[512], after[512], tracer[512];
	double began, took, cpu;
	pthread_t thread;
	int i;

	for (i = 1; i < NSIG; i++)
		signal(i, count_signal);
	if (pipe(pipes))
		return 1;
	line_read("cgroup", "0:", before);
	for (i = 0; i < 4; i++)
		pthread_create(&thread, NULL, waits[i], NULL);
	while (waiting < 4)
		usleep(1000);
	usleep(5000);
	for (i = 1; i < argc; i++) {
		began = now(CLOCK_MONOTONIC);
		cpu = now(CLOCK_THREAD_CPUTIME_ID);
		if (!dlopen(argv[i], RTLD_NOW)) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		took = now(CLOCK_MONOTONIC) - began;
		cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
		printf("loaded %s %.3f %.3f\n", argv[i], took, cpu);
	}
	line_read("cgroup", "0:", after);
	line_read("status", "TracerPid:", tracer);
	printf("interrupted %d\nsignals %d\n%s\ncgroup %s\n", interrupted, signals, tracer,
	       strcmp(before, after) ? "changed" : "unchanged");
	fflush(stdout);
	_exit(0); /* at once: the other threads wait for ever */
}

#endif
