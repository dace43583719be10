/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Launches and waits from known places, which are marked.
 *
 *   launch_sites ROUNDS WAITS [exc]	ROUNDS times in one order: three launches by one line and one by another. Then WAITS
 * 					waits for a stream, as many for the device, and as many copies. exc: by
 * 					cudaLaunchKernelExC().
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_double.h"
#include "program.h"

static int stub;
static char image[16] = "no image";
static bool exc;

static __attribute__((always_inline)) inline int launch(void)
{
	dim3 grid = { 4, 1, 1 }, block = { 32, 1, 1 };
	cudaLaunchConfig_t config = { .gridDim = grid, .blockDim = block };
	void *args[1] = { NULL };

	return (int)(exc ? cudaLaunchKernelExC(&config, &stub, args) :
			   cudaLaunchKernel(&stub, grid, block, args, 0, NULL));
}

static OWN int often(void)
{
	int i, err = 0;

	for (i = 0; i < 3; i++)
		err |= launch();
	return err;
}

static OWN int once(void)
{
	return launch();
}

static OWN int wait_stream(cudaStream_t stream)
{
	return cudaStreamSynchronize(stream) ? 1 : 0;
}

static OWN int wait_device(void)
{
	return cudaDeviceSynchronize() ? 1 : 0;
}

static OWN int copy(void)
{
	char there, here = 0;

	return cudaMemcpy(&there, &here, 1, cudaMemcpyHostToHost) ? 1 : 0;
}

int main(int argc, char **argv)
{
	int i, rounds, waits, err = 0;
	cudaStream_t stream;
	void **handle;

	if (argc < 3)
		return 2;
	rounds = atoi(argv[1]);
	waits = atoi(argv[2]);
	exc = argc > 3;
	handle = __cudaRegisterFatBinary(image);
	__cudaRegisterFunction(handle, (const char *)&stub, (char *)(uintptr_t) "scale", "scale",
			       -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(handle);
	err |= cudaStreamCreate(&stream);
	for (i = 0; i < rounds; i++)
		err |= often() | once();
	for (i = 0; i < waits; i++)
		err |= wait_stream(stream) | wait_device() | copy();
	return err != 0;
}
