// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library as cuBLAS is one: the runtime is linked into it, exported by nobody,
 * and stripped, so that what it does is seen at the driver alone.
 * private_launch() allocates 256 bytes, launches hidden<<<5, 32>>> and frees;
 * private_launch_only() does no more than that says, private_keep() allocates 512
 * bytes. Built as libearly.so, it does the first and the last as it is loaded.
 *
 * Built a second time, libsecond.so, it keeps its symbols, a second runtime that
 * everybody sees, and is so large that no other library's code is near its own.
 */
#include "cuda_double.h"

#ifdef LARGE
__attribute__((visibility("default"))) char private_room[64 << 20];
#endif

static void hidden(void)
{
}

__attribute__((constructor)) static void hidden_register(void)
{
	static unsigned char image[64];
	void **fatbin = __cudaRegisterFatBinary(image);

	__cudaRegisterFunction(fatbin, (const char *)hidden, (char *)"_Z6hiddenv", "_Z6hiddenv", -1,
			       NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(fatbin);
}

__attribute__((visibility("default"))) int private_launch_only(void)
{
	dim3 grid = { 5, 1, 1 }, block = { 32, 1, 1 };

	return (int)cudaLaunchCooperativeKernel((const void *)hidden, grid, block, NULL, 0, NULL);
}

__attribute__((visibility("default"))) int private_keep(void)
{
	void *p;

	return (int)cudaMalloc(&p, 512);
}

__attribute__((visibility("default"))) int private_launch(void)
{
	void *p;
	int err;

	err = (int)cudaMalloc(&p, 256);
	if (!err)
		err = private_launch_only();
	if (!err)
		err = (int)cudaFree(p);
	return err;
}

#ifdef EARLY
__attribute__((constructor)) static void early(void)
{
	private_launch();
	private_keep();
}
#endif
