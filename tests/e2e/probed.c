/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that no table of cutop's names, in a library (-DLIBRARY), and a program that calls
 * them: `probed` once, `probed THREADS` from that many threads each, `probed load PATH` from a
 * library loaded late, `probed fibers` switches stacks inside one of them.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "cuda_double.h"

struct functions {
	int (*status)(int number);
	int (*negative)(int number);
	void *(*pointer)(int number);
	void (*plain)(void);
	int (*recursive)(int depth);
	void (*jumps)(jmp_buf *out);
	int (*cublas)(int number);
	int (*mangled)(int number);
	int (*wraps)(void);
	void (*switches)(ucontext_t *from, ucontext_t *to);
};

#ifdef LIBRARY

#ifdef __clang__
#define EXPORT __attribute__((noinline, optnone, visibility("default")))
#else
#define EXPORT __attribute__((noinline, noclone, visibility("default")))
#endif

EXPORT int probed_status(int number)
{
	return number % 3 ? 0 : 7;
}

EXPORT int probed_negative(int number)
{
	return number % 4 ? number : -5;
}

EXPORT void *probed_pointer(int number)
{
	return number % 2 ? NULL : (void *)&probed_pointer;
}

EXPORT void probed_plain(void)
{
	__asm__ volatile("");
}

EXPORT int probed_recursive(int depth)
{
	int below = depth > 1 ? probed_recursive(depth - 1) : 0;

	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

EXPORT void probed_jumps(jmp_buf *out)
{
	longjmp(*out, 1);
}

EXPORT int cublasProbed_v2(int number)
{
	return number % 10 ? 0 : 13;
}

EXPORT int mangled(int number) __asm__("_ZN6probed6scaled5twiceEi");
EXPORT int mangled(int number)
{
	return 2 * number;
}

/* A call of CUDA's inside: it is to be counted as ever. */
EXPORT int probed_wraps(void)
{
	void *memory = NULL;

	return cudaMalloc(&memory, 1000) || cudaFree(memory);
}

/* Returns on another stack than it was called on. */
EXPORT void probed_fiber(ucontext_t *from, ucontext_t *to)
{
	swapcontext(from, to);
	__asm__ volatile("");
}

const struct functions probed_functions = {
	probed_status, probed_negative, probed_pointer, probed_plain, probed_recursive,
	probed_jumps,  cublasProbed_v2, mangled,        probed_wraps, probed_fiber,
};

#else

static struct functions use;

static __attribute__((noinline)) void jump(void)
{
	jmp_buf out;

	if (!setjmp(out))
		use.jumps(&out);
}

static ucontext_t of_main, of_fiber;

static void fiber(void)
{
	for (;;)
		use.switches(&of_fiber, &of_main);
}

static int fibers(void)
{
	static char stack[65536];
	int i;

	getcontext(&of_fiber);
	of_fiber.uc_stack.ss_sp = stack;
	of_fiber.uc_stack.ss_size = sizeof(stack);
	makecontext(&of_fiber, fiber, 0);
	for (i = 0; i < 50; i++)
		use.switches(&of_main, &of_fiber);
	return use.wraps();
}

static void *calls(void *unused)
{
	int i;

	for (i = 0; i < 60; i++) {
		use.status(i);
		use.negative(i);
		use.pointer(i);
		use.plain();
		use.cublas(i);
		use.mangled(i);
	}
	for (i = 0; i < 5; i++)
		use.recursive(8);
	for (i = 0; i < 4; i++) {
		jump();
		use.plain();
	}
	use.wraps();
	return unused;
}

int main(int argc, char **argv)
{
	const char *path = argc > 2 ? argv[2] : getenv("PROBED_LIBRARY");
	int i, threads = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t list[64];
	void *library = dlopen(path ? path : "libprobed.so.1", RTLD_NOW);
	const struct functions *functions = library ? dlsym(library, "probed_functions") : NULL;

	if (!functions) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	use = *functions;
	puts("ready");
	fflush(stdout);
	if (argc > 1 && !strcmp(argv[1], "fibers"))
		return fibers();
	if (argc > 1 && !strcmp(argv[1], "load"))
		while (getchar() != '\n' && !feof(stdin))
			;
	for (i = 0; i < threads && i < 64; i++)
		if (pthread_create(&list[i], NULL, calls, NULL))
			return 1;
	for (i = 0; i < threads && i < 64; i++)
		pthread_join(list[i], NULL);
	if (!threads)
		calls(NULL);
	return 0;
}

#endif
