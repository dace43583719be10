/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver API without the runtime: a module from PTX, launches, copies, a known leak and known
 * failures.
 */
#include "driver_calls.h"

#define N     (1 << 16)
#define BLOCK 256
#define LEAK  123456

static int host[N];

int main(void)
{
	int by = 3, n = N, i, right = 1;
	CUfunction increment, multiply;
	CUdeviceptr x, y, leaked;
	CUmodule module;
	CUstream stream;
	CUdevice device = begin("driver");
	void *first[] = { &x, &n }, *second[] = { &x, &by, &n };

	CALL(cuModuleLoadData, &module, driver_ptx);
	increment = kernel_find(module, "increment");
	multiply = kernel_find(module, "multiply");
	CALL(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	CALL(cuMemAlloc, &x, sizeof(host));
	count_alloc(sizeof(host));
	CALL(cuMemAlloc, &y, sizeof(host));
	count_alloc(sizeof(host));
	CALL(cuMemAlloc, &leaked, LEAK);
	count_alloc(LEAK);
	for (i = 0; i < N; i++)
		host[i] = i;
	CALL(cuMemcpyHtoD, x, host, sizeof(host));
	count_copy("H2D", sizeof(host));
	for (i = 0; i < 30; i++)
		CALL(cuLaunchKernel, increment, N / BLOCK, 1, 1, BLOCK, 1, 1, 0, stream, first,
		     NULL);
	count_launches("increment", 30, 0, 0);
	CALL(cuLaunchKernel, multiply, N / BLOCK, 1, 1, BLOCK, 1, 1, 0, stream, second, NULL);
	count_launches("multiply", 1, 0, 0);
	CALL(cuStreamSynchronize, stream);
	CALL(cuMemcpyDtoD, y, x, sizeof(host));
	count_copy("D2D", sizeof(host));
	CALL(cuMemcpyDtoH, host, y, sizeof(host));
	count_copy("D2H", sizeof(host));
	for (i = 0; i < N; i++)
		right = right && host[i] == (i + 30) * by;
	verify(right);
	FAILS(cuMemAlloc, &leaked, (size_t)1 << 50);
	FAILS(cuMemAlloc, &leaked, 0);
	CALL(cuMemFree, x);
	count_free(sizeof(host));
	CALL(cuMemFree, y);
	count_free(sizeof(host));
	CALL(cuStreamDestroy, stream);
	/* The context stays, and with it the block that leaks until the program ends. */
	(void)device;
	return counts_print();
}
