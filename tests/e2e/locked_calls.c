/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An allocation by a program whose address space is locked most of the time, and that ends with it:
 * another thread changes the protection of so many pages that each change takes some 50 us, and
 * leaves 30 us between two of them. Whose code the call is can be looked up in these only.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cuda_double.h"

#define BYTES  ((size_t)16 << 20)
#define GAP_NS 30000

static atomic_int changes;

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void *change(void *memory)
{
	bool writable = true;

	for (;;) {
		int64_t until;

		writable = !writable;
		if (mprotect(memory, BYTES, writable ? PROT_READ | PROT_WRITE : PROT_READ))
			_exit(2);
		atomic_fetch_add(&changes, 1);
		until = now_ns() + GAP_NS;
		while (now_ns() < until)
			;
	}
	return NULL;
}

__attribute__((noinline)) static int make(void)
{
	void *memory;

	if (cudaMalloc(&memory, 100)) /* the call */
		return 1;
	return !memory;
}

__attribute__((noinline)) static int way(void)
{
	return make() + 1; /* the way */
}

int main(void)
{
	void *memory =
		mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	if (memory == MAP_FAILED || madvise(memory, BYTES, MADV_NOHUGEPAGE) ||
	    madvise(memory, BYTES, MADV_POPULATE_WRITE)) {
		perror("locked_calls");
		return 2;
	}
	if (pthread_create(&thread, NULL, change, memory))
		return 2;
	while (atomic_load(&changes) < 3)
		;
	_exit(way() != 1);
}
