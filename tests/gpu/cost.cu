// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times calls of the runtime and prints "COST name ns" for each: the least of
 * several rounds, since whatever disturbs a round only makes it slower. A
 * round of launches is short enough not to fill the device's queue.
 */
#include <time.h>

#include "runtime.cuh"

__global__ void nothing(int *)
{
}

static const int rounds = 25;
static char host[4096];
static char *device;

static double now()
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static void launch()
{
	nothing<<<1, 1>>>(nullptr);
}

static void malloc_free()
{
	void *p;

	CHECK(cudaMalloc(&p, 4096));
	CHECK(cudaFree(p));
}

static void copy_sync()
{
	CHECK(cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice));
}

static void copy_async()
{
	CHECK(cudaMemcpyAsync(device, host, 64, cudaMemcpyHostToDevice, 0));
}

static void synchronize()
{
	CHECK(cudaDeviceSynchronize());
}

static void measure(const char *name, void (*call)(), int calls)
{
	double least = 1e18;

	for (int round = 0; round < rounds + 1; round++) {
		double begun = now(), ns;

		for (int i = 0; i < calls; i++)
			call();
		ns = (now() - begun) / calls;
		CHECK(cudaDeviceSynchronize());
		// The first round pays for what is loaded on first use.
		if (round && ns < least)
			least = ns;
	}
	printf("COST %s %.0f\n", name, least);
}

int main()
{
	begin("cost");
	device = device_alloc<char>(sizeof(host));
	measure("launch", launch, 200);
	measure("malloc+free", malloc_free, 50);
	measure("memcpy", copy_sync, 100);
	measure("memcpy-async", copy_async, 200);
	measure("synchronize", synchronize, 200);
	CHECK(cudaGetLastError());
	device_free(device, sizeof(host));
	return counts_print();
}
