// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with a CUDA runtime of its own, whose functions do what those of
 * a real one rarely or never do: they hand over to each other by jumps, nest
 * deeply, call themselves, and are left by longjmp. They do nothing else.
 *
 *   own_runtime tail N    N times: cudaMallocManaged (1,000 bytes), which jumps to
 *                         cudaMalloc; cudaMemcpy (H2D, 64 bytes), which jumps to
 *                         cudaMemcpyAsync; cudaFreeHost, which jumps to cudaFree
 *   own_runtime nest N    N times: cudaMallocPitch, which calls cudaMallocHost,
 *                         which calls cudaHostAlloc, which jumps to cudaMalloc;
 *                         cudaFreeHost
 *   own_runtime deep N    N times: a cudaEventSynchronize that calls itself nine
 *                         times more, then cudaMalloc (10 bytes) and cudaFree
 *   own_runtime jump N    N times: cudaDeviceSynchronize, left by longjmp before
 *                         it returns; then cudaMalloc (10 bytes) and cudaFree, from
 *                         the same depth, from deeper and from less deep in turn
 *   own_runtime stuck MS  cudaDeviceSynchronize, left by longjmp, cudaFree(NULL),
 *                         and MS milliseconds of doing nothing; prints how many
 *                         seconds it took until then
 *   own_runtime fork      cudaDeviceSynchronize, in which the process forks; the
 *                         child returns from it, too, then makes cudaMalloc (10
 *                         bytes) and cudaFree; so does the parent, afterwards
 *   own_runtime handler N N times: cudaDeviceSynchronize, in which a signal comes whose
 *                         handler makes cudaMalloc (10 bytes) and cudaFree
 *   own_runtime become PROGRAM [ARGUMENT...]
 *                         nothing: it is that program from now on
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "cuda_double.h"
#include "program.h"

static char arena[1 << 20];
static size_t used;
static int depth;
static void (*inside)(void);
static jmp_buf escape;

OPAQUE cudaError_t cudaMalloc(void **p, size_t size)
{
	if (used + size > sizeof(arena))
		used = 0;
	*p = arena + used;
	used += size;
	return cudaSuccess;
}

OPAQUE cudaError_t cudaFree(void *p)
{
	__asm__ volatile("" : : "r"(p));
	return cudaSuccess;
}

OPAQUE cudaError_t cudaFreeHost(void *p)
{
	return cudaFree(p);
}

OPAQUE cudaError_t cudaMallocManaged(void **p, size_t size, unsigned int flags)
{
	(void)flags;
	return cudaMalloc(p, size);
}

OPAQUE cudaError_t cudaHostAlloc(void **p, size_t size, unsigned int flags)
{
	(void)flags;
	return cudaMalloc(p, size);
}

OPAQUE cudaError_t cudaMallocHost(void **p, size_t size)
{
	cudaError_t err = cudaHostAlloc(p, size, 0);

	__asm__ volatile("" : : : "memory");
	return err;
}

OPAQUE cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
	cudaError_t err = cudaMallocHost(p, width * height);

	*pitch = width;
	return err;
}

OPAQUE cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
				   enum cudaMemcpyKind kind, cudaStream_t stream)
{
	__asm__ volatile("" : : "r"(dst), "r"(src), "r"(count), "r"(kind), "r"(stream));
	return cudaSuccess;
}

OPAQUE cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
	return cudaMemcpyAsync(dst, src, count, kind, NULL);
}

OPAQUE cudaError_t cudaDeviceSynchronize(void)
{
	if (inside)
		inside();
	__asm__ volatile("" : : : "memory");
	return cudaSuccess;
}

OPAQUE cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	if (depth-- > 0)
		cudaEventSynchronize(event);
	__asm__ volatile("" : : : "memory");
	return cudaSuccess;
}

OPAQUE static int tail(long n)
{
	char host[64] = { 0 };
	void *p;

	while (n--) {
		cudaMallocManaged(&p, 1000, 0);
		cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
		cudaFreeHost(p);
	}
	return 0;
}

OPAQUE static int nest(long n)
{
	size_t pitch;
	void *p;

	while (n--) {
		cudaMallocPitch(&p, &pitch, 100, 10);
		cudaFreeHost(p);
	}
	return 0;
}

OPAQUE static void pair(void)
{
	void *p;

	cudaMalloc(&p, 10);
	cudaFree(p);
}

static int deep(long n)
{
	while (n--) {
		depth = 9;
		cudaEventSynchronize(NULL);
		pair();
	}
	return 0;
}

static void leave(void)
{
	longjmp(escape, 1);
}

/* A pair from 16 KiB further down, none of which is written to. */
OPAQUE static void pair_below(void)
{
	char room[16384];

	__asm__ volatile("" : : "r"(room) : "memory");
	pair();
}

OPAQUE static void wait_below(void)
{
	char room[512];

	__asm__ volatile("" : : "r"(room) : "memory");
	cudaDeviceSynchronize();
}

static int jump(long n)
{
	volatile long i;

	inside = leave;
	for (i = 0; i < n; i++) {
		if (!setjmp(escape)) {
			if (i % 3 == 2)
				wait_below();
			else
				cudaDeviceSynchronize();
		}
		if (i % 3 == 1)
			pair_below();
		else
			pair();
	}
	return 0;
}

static int stuck(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };
	double begin = seconds_now();

	inside = leave;
	if (!setjmp(escape))
		cudaDeviceSynchronize();
	cudaFree(NULL);
	printf("%f\n", seconds_now() - begin);
	nanosleep(&ts, NULL);
	return 0;
}

static pid_t child;

static void divide(void)
{
	child = fork();
}

static int forked(void)
{
	int status = 0;

	inside = divide;
	cudaDeviceSynchronize();
	pair();
	if (child)
		waitpid(child, &status, 0);
	return child < 0 || status;
}

static void on_signal(int number)
{
	(void)number;
	pair();
}

static void interrupt(void)
{
	raise(SIGUSR1);
}

static int handler(long n)
{
	signal(SIGUSR1, on_signal);
	inside = interrupt;
	while (n--)
		cudaDeviceSynchronize();
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? strtol(argv[2], NULL, 0) : 0;

	if (argc > 1 && !strcmp(argv[1], "tail"))
		return tail(n);
	if (argc > 1 && !strcmp(argv[1], "nest"))
		return nest(n);
	if (argc > 1 && !strcmp(argv[1], "deep"))
		return deep(n);
	if (argc > 1 && !strcmp(argv[1], "jump"))
		return jump(n);
	if (argc > 1 && !strcmp(argv[1], "stuck"))
		return stuck(n);
	if (argc > 1 && !strcmp(argv[1], "fork"))
		return forked();
	if (argc > 1 && !strcmp(argv[1], "handler"))
		return handler(n);
	if (argc > 2 && !strcmp(argv[1], "become")) {
		execv(argv[2], argv + 2);
		perror(argv[2]);
		return 1;
	}
	fputs("usage: own_runtime tail|nest|deep|jump|stuck|fork|handler [N], own_runtime become PROGRAM [ARGUMENT...]\n",
	      stderr);
	return 2;
}
