// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What needs a function's return address to be where it was put: an exception
 * that leaves a hooked call, and a look at the stack from inside one.
 *
 *   thrower throw       3 times a cudaDeviceSynchronize left by an exception, which is caught
 *   thrower backtrace   status 1 if backtrace() from inside cudaDeviceSynchronize does not
 *                       reach main()'s caller
 *   thrower nest N      cudaEventSynchronize within itself N times
 */
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <stdexcept>

#define OPAQUE __attribute__((noinline))

static void (*volatile inside)();
static int frames;

extern "C" OPAQUE int cudaDeviceSynchronize()
{
	inside();
	__asm__ volatile("" : : : "memory");
	return 0;
}

extern "C" OPAQUE int cudaEventSynchronize(void *event)
{
	long depth = (long)event;

	if (depth > 1)
		cudaEventSynchronize((void *)(depth - 1));
	__asm__ volatile("" : : : "memory");
	return 0;
}

static void raise_exception()
{
	throw std::runtime_error("thrown through a hooked call");
}

static void look_back()
{
	void *list[32];

	frames = backtrace(list, 32);
}

int main(int argc, char **argv)
{
	int caught = 0, i;

	if (argc > 1 && !strcmp(argv[1], "throw")) {
		inside = raise_exception;
		for (i = 0; i < 3; i++) {
			try {
				cudaDeviceSynchronize();
			} catch (const std::exception &) {
				caught++;
			}
		}
		return caught == 3 ? 0 : 1;
	}
	if (argc > 1 && !strcmp(argv[1], "backtrace")) {
		inside = look_back;
		cudaDeviceSynchronize();
		return frames > 3 ? 0 : 1;
	}
	if (argc > 2 && !strcmp(argv[1], "nest"))
		return cudaEventSynchronize((void *)atol(argv[2]));
	return 2;
}
