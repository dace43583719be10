// SPDX-License-Identifier: GPL-2.0-or-later
/* Many threads, and the long-running workloads for demonstrations. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "workload.h"

#define QUEUE 64

static struct {
	pthread_mutex_t lock;
	pthread_cond_t change;
	void *item[QUEUE];
	int num;
} queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, { 0 }, 0 };

static long rounds;

static void push(void *p)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.num == QUEUE)
		pthread_cond_wait(&queue.change, &queue.lock);
	queue.item[queue.num++] = p;
	pthread_cond_broadcast(&queue.change);
	pthread_mutex_unlock(&queue.lock);
}

static void *pop(void)
{
	void *p;

	pthread_mutex_lock(&queue.lock);
	while (!queue.num)
		pthread_cond_wait(&queue.change, &queue.lock);
	p = queue.item[0];
	memmove(queue.item, queue.item + 1, (size_t)--queue.num * sizeof(p));
	pthread_cond_broadcast(&queue.change);
	pthread_mutex_unlock(&queue.lock);
	return p;
}

static void *exchange(void *arg)
{
	size_t size = 1024 * (1 + (size_t)(uintptr_t)arg);
	void *p;
	long i;

	for (i = 0; i < rounds; i++) {
		MUST(cudaMalloc(&p, size));
		MUST(launch(REDUCE, 1, 64, NULL));
		push(p);
		MUST(cudaFree(pop()));
	}
	return NULL;
}

/*
 * N threads, ROUNDS each: cudaMalloc N x ROUNDS (thread i, from 0: (i + 1) x
 * 1,024 bytes each), cudaFree as many, mostly of other threads' memory;
 * reduce N x ROUNDS launches, __cudaGetKernel 1.
 */
int threads(void)
{
	long i, n = number(0, 4);
	pthread_t thread[QUEUE];

	rounds = number(1, 100);
	if (n > QUEUE)
		n = QUEUE;
	prepare(REDUCE);
	for (i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, exchange, (void *)i);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static double deadline(void)
{
	long seconds = number(0, 0);

	return seconds ? seconds_now() + (double)seconds : 1e18;
}

/* A steady mixture: 5 ms rounds of one pair, two copies and ten launches. */
int loop(void)
{
	double end = deadline();
	char host[65536] = { 0 };
	void *weights, *p;
	int i;

	MUST(cudaMalloc(&weights, 64 << 20));
	while (seconds_now() < end) {
		MUST(cudaMalloc(&p, sizeof(host)));
		MUST(cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice));
		for (i = 0; i < 10; i++)
			MUST(launch(i & 1 ? SAXPY : VECTOR_ADD, 64, 256, NULL));
		MUST(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
		MUST(cudaFree(p));
		pause_us(5000);
	}
	MUST(cudaFree(weights));
	return 0;
}

/* Weights once, activations that come and go, thousands of launches. */
int trainer(void)
{
	static const size_t layers[] = { 96 << 20, 64 << 20, 32 << 20, 8 << 20 };
	double end = deadline();
	void *weights[4], *activation[4], *batch;
	char *host = calloc(1, 1 << 20);
	int i, j;

	for (i = 0; i < 4; i++)
		MUST(cudaMalloc(&weights[i], layers[i]));
	MUST(cudaMalloc(&batch, 1 << 20));
	while (seconds_now() < end) {
		MUST(cudaMemcpyAsync(batch, host, 1 << 20, cudaMemcpyHostToDevice, NULL));
		for (i = 0; i < 4; i++) {
			MUST(cudaMalloc(&activation[i], layers[i] / 4));
			for (j = 0; j < 8; j++)
				MUST(launch(j & 1 ? SAXPY : SOFTMAX, 512, 256, NULL));
		}
		for (i = 0; i < 4; i++)
			MUST(launch(REDUCE, 128, 512, NULL));
		MUST(cudaDeviceSynchronize());
		for (i = 3; i >= 0; i--)
			MUST(cudaFree(activation[i]));
		pause_us(3000);
	}
	for (i = 0; i < 4; i++)
		MUST(cudaFree(weights[i]));
	MUST(cudaFree(batch));
	free(host);
	return 0;
}

/* Keeps a buffer of 1 MiB in four, four times a second in all. */
int leaker(void)
{
	double end = deadline();
	void *p;
	int i = 0;

	while (seconds_now() < end) {
		MUST(cudaMalloc(&p, 1 << 20));
		MUST(launch(VECTOR_ADD, 256, 256, NULL));
		if (++i % 4)
			MUST(cudaFree(p));
		pause_us(62500);
	}
	return 0;
}

/* All directions, from pinned memory and not. */
int copier(void)
{
	double end = deadline();
	char *host = calloc(1, 4 << 20);
	void *a, *b, *pinned;

	MUST(cudaMalloc(&a, 4 << 20));
	MUST(cudaMalloc(&b, 4 << 20));
	MUST(cudaMallocHost(&pinned, 4 << 20));
	while (seconds_now() < end) {
		MUST(cudaMemcpy(a, host, 4 << 20, cudaMemcpyHostToDevice));
		MUST(cudaMemcpyAsync(b, pinned, 2 << 20, cudaMemcpyHostToDevice, NULL));
		MUST(cudaMemcpy(b, a, 4 << 20, cudaMemcpyDeviceToDevice));
		MUST(cudaMemcpy(host, b, 1 << 20, cudaMemcpyDeviceToHost));
		MUST(cudaMemcpy(pinned, a, 65536, cudaMemcpyDefault));
		MUST(cudaStreamSynchronize(NULL));
		pause_us(20000);
	}
	return 0;
}

/* Fails in four ways, some often and some now and then, and succeeds as well. */
int failing(void)
{
	dim3 one = { 1, 1, 1 }, many = { 2048, 1, 1 };
	double end = deadline();
	unsigned int i;
	char host[16];
	void *p;

	for (i = 0; seconds_now() < end; i++) {
		if (i % 40 == 0)
			cudaMalloc(&p, (size_t)1 << 46);
		if (i % 7 == 0)
			cudaFree(host);
		if (i % 3 == 0)
			cudaMemcpy(host, host, 4, (enum cudaMemcpyKind)7);
		cudaLaunchKernel(kernel_stub(SAXPY), one, many, NULL, 0, NULL);
		MUST(launch(SAXPY, 1, 32, NULL));
		cudaGetLastError();
		pause_us(100000);
	}
	return 0;
}

static double stress_end;

static void *stress(void *count)
{
	unsigned long i = 0;

	do {
		MUST(launch(VECTOR_ADD, 1, 32, NULL));
	} while (++i % 256 || seconds_now() < stress_end);
	*(unsigned long *)count = i;
	return NULL;
}

/* Launches vectorAdd as fast as it can and prints how often, in all. */
int stress_launch(void)
{
	long i, n = number(1, 2);
	unsigned long count[64], total = 0;
	pthread_t thread[64];

	if (n < 1 || n > 64)
		n = 1;
	prepare(VECTOR_ADD);
	stress_end = seconds_now() + (double)number(0, 1);
	for (i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, stress, &count[i]);
	for (i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		total += count[i];
	}
	printf("%lu\n", total);
	return 0;
}
