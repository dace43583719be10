/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs of these tests share. */
#ifndef E2E_PROGRAM_H
#define E2E_PROGRAM_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MIB ((size_t)1 << 20)

/* A function of its own, which callers call. OPAQUE: and about which they know nothing. */
#ifdef __clang__
#define OWN    __attribute__((noinline))
#define OPAQUE __attribute__((noinline, optnone))
#else
#define OWN    __attribute__((noinline, noclone))
#define OPAQUE __attribute__((noipa))
#endif

/* Ends the program if @err, which @what gave, is an error. */
static inline void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s: error %d\n", program_invocation_short_name, what, err);
	exit(1);
}
#define MUST(call) must((int)(call), #call)

static inline double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
