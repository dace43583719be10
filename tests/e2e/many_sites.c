/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * many_sites ROUNDS DEPTH RATE  calls 2,000 functions ROUNDS times, DEPTH functions deep, at most
 *                               RATE a second; each allocates and frees.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "cuda_double.h"

#define SITES 2000
#define BATCH 100 /* calls of functions between two looks at the clock */

static volatile int sink;

/* Functions site_1000 to site_2999. */
#define SITE(n) \
	static __attribute__((noinline)) void site_##n(void) \
	{ \
		void *pointer; \
\
		sink = n; \
		if (cudaMalloc(&pointer, 64) || cudaFree(pointer)) \
			exit(1); \
	}
#define NAME(n) site_##n,
/* clang-format off */
#define TEN(of, n) of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7) of(n##8) of(n##9)
#define HUNDRED(of, n) TEN(of, n##0) TEN(of, n##1) TEN(of, n##2) TEN(of, n##3) TEN(of, n##4) \
	TEN(of, n##5) TEN(of, n##6) TEN(of, n##7) TEN(of, n##8) TEN(of, n##9)
#define THOUSAND(of, n) HUNDRED(of, n##0) HUNDRED(of, n##1) HUNDRED(of, n##2) HUNDRED(of, n##3) HUNDRED(of, n##4) \
	HUNDRED(of, n##5) HUNDRED(of, n##6) HUNDRED(of, n##7) HUNDRED(of, n##8) HUNDRED(of, n##9)
/* clang-format on */
THOUSAND(SITE, 1)
THOUSAND(SITE, 2)
static void (*const sites[SITES])(void) = { THOUSAND(NAME, 1) THOUSAND(NAME, 2) };

/* The stack has other addresses in it than those of callers, as it has where much was called before. */
static __attribute__((noinline)) void descend(unsigned int site, unsigned int depth)
{
	volatile uintptr_t room[16];

	for (int i = 0; i < 16; i++)
		room[i] = (uintptr_t)sites[(site * 16 + depth + (unsigned int)i) % SITES];
	if (depth)
		descend(site, depth - 1);
	else
		sites[site]();
	sink = (int)room[0];
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t due = now(), rate;
	unsigned int rounds, depth;

	if (argc < 4)
		return 2;
	rounds = (unsigned int)atoi(argv[1]);
	depth = (unsigned int)atoi(argv[2]);
	rate = (uint64_t)atoi(argv[3]);
	for (unsigned int i = 0; i < rounds * SITES; i++) {
		descend(i % SITES, depth);
		if (i % BATCH == BATCH - 1) {
			due += BATCH * 1000000000ull / rate;
			while (now() < due)
				;
		}
	}
	return 0;
}
