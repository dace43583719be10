// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls that are known to fail, and one kernel that still works after them.
 * None of the errors is of the kind that makes all later calls fail.
 */
#include "runtime.cuh"

__global__ void answer(int *x)
{
	*x = 42;
}

int main()
{
	int *x, host = 0;
	void *p;

	begin("failures");
	x = device_alloc<int>(1);
	for (int i = 0; i < 2; i++)
		FAILS(cudaMalloc, &p, (size_t)1 << 50);
	for (int i = 0; i < 3; i++)
		FAILS(cudaMemcpy, x, &host, sizeof(host), (cudaMemcpyKind)77);
	FAILS(cudaSetDevice, 9999);
	if (!on_double())
		for (int i = 0; i < 4; i++) {
			void *args[] = { &x };

			FAILS(cudaLaunchKernel, (const void *)answer, dim3(1), dim3(4096), args, 0, (cudaStream_t)0);
		}
	cudaGetLastError();
	answer<<<1, 1>>>(x);
	count_launches("answer", 1, 0, 0);
	CHECK(cudaGetLastError());
	copy_out(&host, x, 1);
	verify(host == 42);
	device_free(x, 1);
	return counts_print();
}
