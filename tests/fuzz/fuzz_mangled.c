/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mangled names (Itanium C++ ABI, 5.1), from kept ones as hostile as the grammar allows: parts that
 * stand for earlier ones, which stand for earlier ones, and nests as deep as a name is long.
 *
 * Each must be done within a second, whatever it is; what comes out must be clean; and names that
 * come later must be demangled as ever. A tenth of the time may be spent on such names, and then
 * they stay as they are: so that each of these is tried, the clock that this goes by is ahead by a
 * minute at every look (clock_ns() is ours, see fuzz.mk).
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"
#include "names/demangle.h"
#include "names/kernel_names.h"
#include "util/util.h"

#define LIMIT NSEC_PER_SEC

uint64_t __wrap_clock_ns(int clock);

uint64_t __wrap_clock_ns(int clock)
{
	static uint64_t ahead;
	struct timespec now;

	clock_gettime(clock, &now);
	ahead += 60 * NSEC_PER_SEC;
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec + ahead;
}

static uint64_t real_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static void names_must_be_clean(const char *full)
{
	char *known = kernel_names_known(full), *listed = kernel_names_listed(full);

	if (known)
		fuzz_must_be_clean(known);
	if (listed)
		fuzz_must_be_clean(listed);
	free(known);
	free(listed);
}

/* The names that people know kernels by: of @full, and of a kernel whose functor it is. */
static void known_names(const char *full)
{
	size_t size = strlen(full) + 64;
	char *kernel = malloc(size);

	names_must_be_clean(full);
	if (kernel) {
		snprintf(kernel, size, "void at::native::reduce_kernel<4, %s>(int)", full);
		names_must_be_clean(kernel);
	}
	free(kernel);
}

static uint64_t demangle_time(const char *symbol)
{
	uint64_t began = real_ns();
	char *brief, *full;

	demangle_both(symbol, &brief, &full);
	if (!brief != !full)
		abort();
	if (full) {
		fuzz_must_be_clean(full);
		known_names(full);
	}
	if (brief)
		fuzz_must_be_clean(brief);
	free(brief);
	free(full);
	return real_ns() - began;
}

static void must_be(const char *symbol, const char *expected)
{
	char *brief, *full;

	demangle_both(symbol, &brief, &full);
	if (!full || strcmp(full, expected))
		abort();
	free(brief);
	free(full);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[DEMANGLE_INPUT_MAX + 64];
	int tries = 0;

	if (size >= sizeof(name))
		size = sizeof(name) - 1;
	memcpy(name, data, size);
	name[size] = 0;
	/* A machine that has much to do may keep us waiting, but hardly each time. */
	while (demangle_time(name) > LIMIT) {
		if (++tries < 8)
			continue;
		fprintf(stderr, "too long: %s\n", name);
		abort();
	}
	/* In the process for such names, and in this one. */
	must_be("_Z3fooPKcS0_", "foo(char const*, char const*)");
	must_be("_Z3fooi", "foo(int)");
	return 0;
}
