/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two kernels, both launched once, after which it says "ready". Then it launches the first all the time until it reads a
 * line, the second until it reads another, and ends.
 */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "cuda_double.h"
#include "program.h"

static char image[16] = "no image";

/* A kernel is known by the address of its stub. */
OWN int first(void);
OWN int second(void);

static int launch(int (*stub)(void))
{
	dim3 grid = { 4, 1, 1 }, block = { 32, 1, 1 };
	void *args[1] = { NULL };

	return (int)cudaLaunchKernel((const void *)(uintptr_t)stub, grid, block, args, 0, NULL);
}

int first(void)
{
	return launch(first);
}

int second(void)
{
	return launch(second) << 1;
}

static int phase(int (*kernel)(void))
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	char c = 0;
	int err = 0;

	while (!poll(&input, 1, 1))
		err |= kernel();
	while (read(0, &c, 1) == 1 && c != '\n')
		;
	return err;
}

int main(void)
{
	void **handle = __cudaRegisterFatBinary(image);
	int err;

	__cudaRegisterFunction(handle, (const char *)(uintptr_t)first, (char *)(uintptr_t) "first",
			       "first", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(handle, (const char *)(uintptr_t)second,
			       (char *)(uintptr_t) "second", "second", -1, NULL, NULL, NULL, NULL,
			       NULL);
	__cudaRegisterFatBinaryEnd(handle);
	err = first() | second();
	puts("ready");
	fflush(stdout);
	err |= phase(first);
	err |= phase(second);
	return err != 0;
}
