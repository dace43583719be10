// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A CUDA runtime of four functions, two of which are one: cudaThreadSynchronize is another name of
 * cudaDeviceSynchronize. It does nothing but give out addresses. With -DSHIFTED its functions stand
 * elsewhere, and at their old places is one that calculates.
 */
#include <stddef.h>

#ifdef __clang__
#define EXPORT __attribute__((visibility("default"), noinline))
#else
#define EXPORT __attribute__((visibility("default"), noipa))
#endif

#ifdef SHIFTED
EXPORT int calculate(int n)
{
	int i;

	for (i = 0; i < n; i++)
		n = n * 1664525 + 1013904223 + (n >> 3);
	return n * n + n / 7 + (n ^ n >> 5) * 31 + n % 1000;
}
#endif

static char arena[1 << 20];
static size_t used;

EXPORT int cudaMalloc(void **p, size_t size)
{
	*p = arena + used % sizeof(arena);
	used += size;
	return 0;
}

EXPORT int cudaFree(void *p)
{
	__asm__ volatile("" : : "r"(p));
	return 0;
}

EXPORT int cudaDeviceSynchronize(void)
{
	__asm__ volatile("");
	return 0;
}

EXPORT int cudaThreadSynchronize(void) __attribute__((alias("cudaDeviceSynchronize")));
