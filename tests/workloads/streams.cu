// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Four streams with copies in, a kernel and copies out, ordered and timed by
 * events.  cudaMallocHost 1 x 4,194,304; cudaMalloc 4 x 1,048,576; 8 rounds:
 * cudaMemcpyAsync H2D 32 and D2H 32 x 1,048,576, stencil 32 launches;
 * cudaEventRecord 2, cudaStreamWaitEvent 4.
 */
#include "check.cuh"

__global__ void stencil(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i > 0 && i < n - 1)
		out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
}

int main()
{
	const int streams = 4, n = 1 << 18;
	const size_t bytes = n * sizeof(float);
	cudaStream_t stream[streams];
	cudaEvent_t start, stop;
	float *host, *dev[streams], ms;

	CHECK(cudaMallocHost(&host, streams * bytes));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	for (int s = 0; s < streams; s++) {
		CHECK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
		CHECK(cudaMalloc(&dev[s], bytes));
	}
	CHECK(cudaEventRecord(start, stream[0]));
	for (int s = 0; s < streams; s++)
		CHECK(cudaStreamWaitEvent(stream[s], start));
	for (int round = 0; round < 8; round++)
		for (int s = 0; s < streams; s++) {
			float *part = host + s * n;

			CHECK(cudaMemcpyAsync(dev[s], part, bytes,
					      cudaMemcpyHostToDevice, stream[s]));
			stencil<<<n / 256, 256, 0, stream[s]>>>(dev[s], dev[s], n);
			CHECK(cudaMemcpyAsync(part, dev[s], bytes,
					      cudaMemcpyDeviceToHost, stream[s]));
		}
	for (int s = 0; s < streams; s++)
		CHECK(cudaStreamSynchronize(stream[s]));
	CHECK(cudaEventRecord(stop, stream[0]));
	CHECK(cudaEventSynchronize(stop));
	CHECK(cudaEventElapsedTime(&ms, start, stop));
	for (int s = 0; s < streams; s++) {
		CHECK(cudaFree(dev[s]));
		CHECK(cudaStreamDestroy(stream[s]));
	}
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));
	CHECK(cudaFreeHost(host));
	return 0;
}
