// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Four threads, each with a stream and memory of its own, that copy in,
 * compute and copy out at the same time.
 */
#include "runtime.cuh"

__global__ void square(int *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] *= x[i];
}

static const int n = 1 << 15, block = 256, rounds = 50, threads = 4;

static void *work(void *number)
{
	int *host, *device, first = (int)(size_t)number;
	bool right = true;
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaHostAlloc(&host, n * sizeof(int), cudaHostAllocDefault));
	count_alloc(0);
	device = device_alloc<int>(n);
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < n; i++)
			host[i] = first + i % 100;
		CHECK(cudaMemcpyAsync(device, host, n * sizeof(int), cudaMemcpyHostToDevice, stream));
		count_copy("H2D", n * sizeof(int));
		square<<<n / block, block, 0, stream>>>(device, n);
		count_launches("square", 1, 0, 0);
		CHECK(cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
		count_copy("D2H", n * sizeof(int));
		CHECK(cudaStreamSynchronize(stream));
		for (int i = 0; i < n; i++)
			right = right && host[i] == (first + i % 100) * (first + i % 100);
	}
	verify(right);
	device_free(device, n);
	CHECK(cudaFreeHost(host));
	count_free(0);
	CHECK(cudaStreamDestroy(stream));
	return NULL;
}

int main()
{
	pthread_t thread[threads];

	begin("streams");
	for (size_t i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)i))
			return 1;
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return counts_print();
}
