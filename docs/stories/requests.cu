// SPDX-License-Identifier: GPL-2.0-or-later
// A server that forgets a buffer when a request is malformed: docs/stories.md.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

__global__ void scale(float *data, int n, float by)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] *= by;
}

static float *scratch_new(int n)
{
	float *p;

	if (cudaMalloc(&p, n * sizeof(float)))
		exit(1);
	return p;
}

static bool request_serve(const float *input, int n, bool well_formed)
{
	float *scratch = scratch_new(n);

	cudaMemcpy(scratch, input, n * sizeof(float), cudaMemcpyHostToDevice);
	if (!well_formed)
		return false;
	scale<<<(n + 255) / 256, 256>>>(scratch, n, 2);
	cudaDeviceSynchronize();
	cudaFree(scratch);
	return true;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000, n = 1 << 18, refused = 0;
	float *input = (float *)calloc(n, sizeof(float));

	for (int i = 0; i < count; i++) {
		refused += !request_serve(input, n, i % 50 != 49);
		usleep(10000);
	}
	printf("%d requests, %d refused\n", count, refused);
	return 0;
}
