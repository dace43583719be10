// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A graph that was captured from a stream, instantiated once and launched many
 * times. What is launched while a stream is captured does not run then.
 */
#include "runtime.cuh"

__global__ void step(int *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] += 1;
}

__global__ void twice(int *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] += 2;
}

static const int n = 1 << 16, block = 256, launches = 25;
static int host[n];

int main()
{
	cudaStream_t stream;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	bool right = true;
	int *x;

	begin("graphs");
	x = device_alloc<int>(n);
	CHECK(cudaMemset(x, 0, n * sizeof(int)));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < 3; i++)
		step<<<n / block, block, 0, stream>>>(x, n);
	twice<<<n / block, block, 0, stream>>>(x, n);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < launches; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	count_launches("step", 0, 3, 3 * launches);
	count_launches("twice", 0, 1, launches);
	step<<<n / block, block, 0, stream>>>(x, n);
	count_launches("step", 1, 0, 0);
	CHECK(cudaStreamSynchronize(stream));
	copy_out(host, x, n);
	for (int i = 0; i < n; i++)
		right = right && host[i] == 5 * launches + 1;
	verify(right);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	device_free(x, n);
	return counts_print();
}
