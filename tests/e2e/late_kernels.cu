// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * late_kernels  launches four kernels once each, waits for a line of input,
 * launches them 10, 20, 30 and 40 times, and a fifth, never launched before, 50
 * times; then waits for the end of its input. One kernel is in a namespace, one
 * a template, one has C linkage, one is static.
 */
#include <cstdio>

__global__ void plain(int *p) { *p = 1; }
namespace space { __global__ void named(int *p, float f) { *p = (int)f; } }
template <typename T> __global__ void typed(T *p) { *p = 2; }
extern "C" __global__ void Zclinkage(int *p) { *p = 3; }
static __global__ void fresh(int *p) { *p = 4; }

static void launch(int times, int *memory)
{
	for (int i = 0; i < 10 * times || i < 1; i++)
		plain<<<1, 32>>>(memory);
	for (int i = 0; i < 20 * times || i < 1; i++)
		space::named<<<1, 32>>>(memory, 1.0f);
	for (int i = 0; i < 30 * times || i < 1; i++)
		typed<long><<<1, 32>>>((long *)memory);
	for (int i = 0; i < 40 * times || i < 1; i++)
		Zclinkage<<<1, 32>>>(memory);
}

int main()
{
	int *memory;

	if (cudaMalloc(&memory, 64))
		return 1;
	launch(0, memory);
	puts("ready");
	fflush(stdout);
	while (getchar() != '\n' && !feof(stdin))
		;
	launch(1, memory);
	for (int i = 0; i < 50; i++)
		fresh<<<1, 32>>>(memory);
	puts("launched");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return cudaDeviceSynchronize() != 0;
}
