/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations whose stack the program itself knows: backtrace() directly before each cudaMalloc(),
 * in the same function. test_native_stacks.sh compares it with what cutop recorded.
 *
 * A line of the file of truth: SCENARIO LEAST BYTES ADDRESS... . BYTES is what was allocated, never
 * the same twice. LEAST is 0, or, where a stack may end early, how many of its addresses it must
 * have.
 */
#ifndef NATIVE_STACKS_H
#define NATIVE_STACKS_H

#include <execinfo.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
int cudaMalloc(void **memory, size_t bytes);
#else
#include "cuda_double.h"
#endif

/* The functions called are calls, and leave nothing to the compiler that it may know about them. */
#ifdef __clang__
#define OWN __attribute__((noinline))
#else
#define OWN __attribute__((noipa))
#endif

/* More than cutop keeps: then it is seen that it keeps its first ones. */
#define NS_DEPTH 400

struct ns_scenario {
	const char *name;
	void (*run)(void);
	/*
	 * That backtrace() has at least so many addresses: where the truth ends early, everything
	 * agrees with it.
	 */
	int deep;
	int least;
};

/* In the program; its libraries use them too. */
void ns_begin(int argc, char **argv);
void ns_enter(const struct ns_scenario *scenario);
size_t ns_bytes(void);
void **ns_room(void);
void ns_note(size_t bytes, void **at, int count);

#define NS_ALLOCATE() \
	do { \
		size_t ns_n = ns_bytes(); \
		void **ns_at = ns_room(); \
		void *ns_memory; \
		int ns_count = backtrace(ns_at, NS_DEPTH); \
\
		if (cudaMalloc(&ns_memory, ns_n)) { \
			fputs("native_stacks: cudaMalloc failed\n", stderr); \
			exit(3); \
		} \
		ns_note(ns_n, ns_at, ns_count); \
	} while (0)

#ifdef __cplusplus
}
#endif

#endif
