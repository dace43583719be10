// SPDX-License-Identifier: GPL-2.0-or-later
/* Failures, and the ways in which processes and devices end. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "workload.h"

static int wrong;

static void expect(cudaError_t got, int want, const char *what)
{
	if ((int)got == want)
		return;
	fprintf(stderr, "workload: %s: error %d, expected %d\n", what, (int)got, want);
	wrong = 1;
}

/*
 * Failing calls, each once, by the code it must give:
 *   cudaMalloc 2 (more than there is), cudaFree 1 (a stack address),
 *   cudaMemcpy 21 (kind 9), cudaMemcpy 1 (D2H from a host address),
 *   cudaMemcpy 1 (H2D past an allocation's end), cudaMemcpyAsync 400,
 *   cudaLaunchKernel 9 (no threads), 9 (1,025 threads), 98 (no such kernel),
 *   cudaSetDevice 101, cudaStreamDestroy 400 (the second time),
 *   cudaEventElapsedTime 400 (not recorded), cudaFreeHost 1, cudaHostRegister
 *   712 (twice), cudaHostUnregister 713, cudaMemset 1, cudaFuncGetAttributes 98,
 *   cudaMemcpyToSymbol 13: 18 failures.
 * Succeeding: cudaMalloc 1 x 4,096, cudaFree 1 and 1 x NULL, cudaStreamCreate
 * 1, cudaStreamDestroy 1, cudaEventCreate 2, cudaEventDestroy 2,
 * cudaHostRegister 1 x 4,096, cudaHostUnregister 1, cudaGetLastError 2.
 */
int failures(void)
{
	dim3 one = { 1, 1, 1 }, none = { 0, 1, 1 }, many = { 1025, 1, 1 };
	struct cudaFuncAttributes attr;
	char host[8192];
	cudaEvent_t start, end;
	cudaStream_t stream;
	void *p, *huge, *page = malloc(4096);
	float ms;

	MUST(cudaMalloc(&p, 4096));
	expect(cudaMalloc(&huge, (size_t)1 << 46), 2, "huge cudaMalloc");
	expect(cudaFree(host), 1, "cudaFree of a stack address");
	expect(cudaMemcpy(p, host, 16, (enum cudaMemcpyKind)9), 21, "bad kind");
	expect(cudaMemcpy(host, host + 64, 16, cudaMemcpyDeviceToHost), 1, "D2H from host");
	expect(cudaMemcpy(p, host, 8192, cudaMemcpyHostToDevice), 1, "H2D past the end");
	MUST(cudaStreamCreate(&stream));
	MUST(cudaStreamDestroy(stream));
	expect(cudaMemcpyAsync(p, host, 16, cudaMemcpyHostToDevice, stream), 400,
	       "copy on a destroyed stream");
	expect(cudaStreamDestroy(stream), 400, "second cudaStreamDestroy");
	expect(cudaLaunchKernel(kernel_stub(SAXPY), one, none, NULL, 0, NULL), 9, "no threads");
	expect(cudaLaunchKernel(kernel_stub(SAXPY), one, many, NULL, 0, NULL), 9,
	       "too many threads");
	expect(cudaLaunchKernel((void *)(uintptr_t)failures, one, one, NULL, 0, NULL), 98,
	       "no such kernel");
	expect(cudaGetLastError(), 98, "last error");
	expect(cudaGetLastError(), 0, "last error, cleared");
	expect(cudaSetDevice(99), 101, "cudaSetDevice");
	MUST(cudaEventCreate(&start));
	MUST(cudaEventCreate(&end));
	expect(cudaEventElapsedTime(&ms, start, end), 400, "cudaEventElapsedTime");
	MUST(cudaEventDestroy(start));
	MUST(cudaEventDestroy(end));
	expect(cudaFreeHost(host), 1, "cudaFreeHost");
	MUST(cudaHostRegister(page, 4096, 0));
	expect(cudaHostRegister(page, 4096, 0), 712, "second cudaHostRegister");
	MUST(cudaHostUnregister(page));
	expect(cudaHostUnregister(page), 713, "second cudaHostUnregister");
	expect(cudaMemset(host, 0, 16), 1, "cudaMemset of host memory");
	expect(cudaFuncGetAttributes(&attr, host), 98, "cudaFuncGetAttributes");
	expect(cudaMemcpyToSymbol(host, host, 4, 0, cudaMemcpyHostToDevice), 13,
	       "cudaMemcpyToSymbol");
	MUST(cudaFree(NULL));
	MUST(cudaFree(p));
	free(page);
	return wrong;
}

/* cudaMalloc 1 x 2,048; cudaFree 2, the second failing with 1. */
int double_free(void)
{
	void *p;

	MUST(cudaMalloc(&p, 2048));
	MUST(cudaFree(p));
	expect(cudaFree(p), 1, "second cudaFree");
	return wrong;
}

/* cudaMalloc 1 x 2,048; cudaFree 1 of an address inside it, failing with 1. */
int unknown_free(void)
{
	void *p;

	MUST(cudaMalloc(&p, 2048));
	expect(cudaFree((char *)p + 256), 1, "cudaFree of an inner address");
	return wrong;
}

/*
 * cudaMalloc 3 x 10,000 and cudaMallocHost 1 x 5,000 ended by cudaDeviceReset
 * 1; then cudaMalloc 1 x 20,000 and cudaFree 1.
 */
int reset(void)
{
	void *p, *first = NULL;
	int i;

	for (i = 0; i < 3; i++) {
		MUST(cudaMalloc(&p, 10000));
		first = first ? first : p;
	}
	MUST(cudaMallocHost(&p, 5000));
	MUST(cudaDeviceReset());
	MUST(cudaMalloc(&p, 20000));
	if (p != first)
		say("the first address was not used again\n");
	MUST(cudaFree(p));
	return 0;
}

/*
 * Parent: cudaMalloc 1 x 30,000, freed after the child ended (not with -k).
 * Child: owns nothing; cudaMalloc 2 x 7,000, cudaFree 1: 7,000 leaked.
 */
int fork_child(void)
{
	void *p, *q;
	int status;
	pid_t pid;

	MUST(cudaMalloc(&p, 30000));
	pid = fork();
	if (!pid) {
		MUST(cudaMalloc(&q, 7000));
		MUST(cudaFree(q));
		MUST(cudaMalloc(&q, 7000));
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		return 1;
	if (!options.keep)
		MUST(cudaFree(p));
	return 0;
}

/*
 * cudaMalloc 1 x 40,000, which the exec leaks; then the subcommand given, or
 * "pairs 5 100".
 */
int exec_again(void)
{
	char *usual[] = { (char *)(uintptr_t)options.program, "pairs", "5", "100", NULL };
	char **args = usual;
	void *p;

	MUST(cudaMalloc(&p, 40000));
	if (options.argc) {
		args = options.argv - 1;
		args[0] = (char *)(uintptr_t)options.program;
	}
	execv("/proc/self/exe", args);
	return 1;
}
