// SPDX-License-Identifier: GPL-2.0-or-later
// Loads weights of so many MiB and then asks for a batch of so many: docs/stories.md.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static void *weights_load(size_t mib)
{
	void *p;

	if (cudaMalloc(&p, mib * MIB))
		exit(1);
	return p;
}

static void *batch_new(size_t mib)
{
	void *p;
	cudaError_t err = cudaMalloc(&p, mib * MIB);

	if (err) {
		fprintf(stderr, "batch of %zu MiB: %s\n", mib, cudaGetErrorString(err));
		exit(1);
	}
	return p;
}

int main(int argc, char **argv)
{
	size_t free_bytes, total;
	void *weights, *batch;

	if (argc < 4)
		return 2;
	cudaMemGetInfo(&free_bytes, &total);
	weights = weights_load(atoi(argv[1]));
	sleep(atoi(argv[3]));
	batch = batch_new(atoi(argv[2]));
	sleep(atoi(argv[3]));
	cudaFree(batch);
	cudaFree(weights);
	return 0;
}
