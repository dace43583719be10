// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plain and templated kernels, a __constant__ and a __device__ variable.
 * cudaMalloc 3 x 4,194,304; cudaMemcpy H2D 2 and D2H 1 x 4,194,304;
 * cudaMemcpyToSymbol 1 x 64; launches: vectorAdd 100, scale<float> 50,
 * scale<double> 25, nn::bias 10; cudaFree 3.
 */
#include <vector>
#include "check.cuh"

__constant__ float weights[16];
__device__ unsigned int hits;

__global__ void vectorAdd(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

template <typename T> __global__ void scale(T *data, T factor, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] *= factor;
}

namespace nn {
__global__ void bias(float *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += weights[i & 15];
	if (!i)
		hits++;
}
}

int main()
{
	const int n = 1 << 20;
	std::vector<float> a(n, 1.0f), b(n, 2.0f), c(n);
	float *da, *db, *dc, w[16] = { 0 };

	CHECK(cudaMalloc(&da, n * sizeof(float)));
	CHECK(cudaMalloc(&db, n * sizeof(float)));
	CHECK(cudaMalloc(&dc, n * sizeof(float)));
	CHECK(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyToSymbol(weights, w, sizeof(w)));
	for (int i = 0; i < 100; i++)
		vectorAdd<<<(n + 255) / 256, 256>>>(da, db, dc, n);
	for (int i = 0; i < 50; i++)
		scale<<<(n + 127) / 128, 128>>>(dc, 2.0f, n);
	for (int i = 0; i < 25; i++)
		scale<<<(n / 2 + 127) / 128, 128>>>((double *)dc, 2.0, n / 2);
	for (int i = 0; i < 10; i++)
		nn::bias<<<(n + 255) / 256, 256>>>(dc, n);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	return 0;
}
