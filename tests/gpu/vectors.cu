// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernels by name, two of them instances of one template; copies in every
 * direction, and waiting or not; device, pinned and managed memory.
 */
#include "runtime.cuh"

__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

template <typename T> __global__ void scale(T *x, T by, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] *= by;
}

static const int n = 1 << 18, block = 256;

int main()
{
	float *a, *b, *c, *host, *managed;
	bool right = true;
	double *d;

	begin("vectors");
	CHECK(cudaHostAlloc(&host, n * sizeof(float), cudaHostAllocDefault));
	count_alloc(0);
	CHECK(cudaMallocManaged(&managed, n * sizeof(float)));
	count_alloc(n * sizeof(float));
	a = device_alloc<float>(n);
	b = device_alloc<float>(n);
	c = device_alloc<float>(n);
	d = device_alloc<double>(n);
	for (int i = 0; i < n; i++)
		host[i] = (float)i;
	copy_in(a, host, n);
	CHECK(cudaMemcpyAsync(b, host, n * sizeof(float), cudaMemcpyHostToDevice, 0));
	count_copy("H2D", n * sizeof(float));
	CHECK(cudaMemset(d, 0, n * sizeof(double)));
	for (int i = 0; i < 40; i++)
		add<<<n / block, block>>>(a, b, c, n);
	count_launches("add", 40, 0, 0);
	for (int i = 0; i < 3; i++)
		scale<float><<<n / block, block>>>(c, 2.0f, n);
	for (int i = 0; i < 5; i++)
		scale<double><<<n / block, block>>>(d, 0.5, n);
	count_launches("scale", 8, 0, 0);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(b, c, n * sizeof(float), cudaMemcpyDeviceToDevice));
	count_copy("D2D", n * sizeof(float));
	add<<<n / block, block>>>(a, b, managed, n);
	count_launches("add", 1, 0, 0);
	copy_out(host, b, n);
	CHECK(cudaDeviceSynchronize());
	if (!on_double())
		for (int i = 0; i < n; i++)
			right = right && host[i] == 16.0f * i && managed[i] == 17.0f * i;
	verify(right);
	device_free(a, n);
	device_free(b, n);
	device_free(c, n);
	device_free(d, n);
	CHECK(cudaFree(managed));
	count_free(n * sizeof(float));
	CHECK(cudaFreeHost(host));
	count_free(0);
	return counts_print();
}
