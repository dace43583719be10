// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory that is allocated and freed in stream order, from the default pool
 * and from a pool of the program's own, which is trimmed in between.
 */
#include "runtime.cuh"

__global__ void fill(int *x, int value, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] = value;
}

static const int n = 1 << 16, block = 256, rounds = 12;
static int host[n];

int main()
{
	cudaMemPoolProps props = {};
	cudaStream_t stream;
	cudaMemPool_t pool;
	int *x;

	begin("pools");
	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	CHECK(cudaMemPoolCreate(&pool, &props));
	CHECK(cudaStreamCreate(&stream));
	for (int round = 0; round < rounds; round++) {
		bool right = true;

		if (round % 2)
			CHECK(cudaMallocAsync(&x, n * sizeof(int), stream));
		else
			CHECK(cudaMallocFromPoolAsync(&x, n * sizeof(int), pool, stream));
		count_alloc(n * sizeof(int));
		fill<<<n / block, block, 0, stream>>>(x, round, n);
		count_launches("fill", 1, 0, 0);
		CHECK(cudaMemcpyAsync(host, x, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
		count_copy("D2H", n * sizeof(int));
		CHECK(cudaFreeAsync(x, stream));
		count_free(n * sizeof(int));
		CHECK(cudaStreamSynchronize(stream));
		for (int i = 0; i < n; i++)
			right = right && host[i] == round;
		verify(right);
		if (round == rounds / 2)
			CHECK(cudaMemPoolTrimTo(pool, 0));
	}
	CHECK(cudaMemPoolDestroy(pool));
	CHECK(cudaStreamDestroy(stream));
	return counts_print();
}
