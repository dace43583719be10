/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that pays for being watched. In steps of some half a millisecond of its own work it
 * launches a kernel, makes and lets go of tensors, asks for the last error, and allocates and frees
 * once, each as often as the arguments say. Between them it sleeps: what it pays is a part of the
 * processor time that it takes, so it need not take all there is. It writes "ready", then reads
 * words, a line each:
 *
 *   few     from here on it does the 100th part of that
 *   many    all of it again
 *   tell    it writes how many launches, tensors, questions and allocations there were
 *   end
 *
 * payer LAUNCHES TENSORS QUESTIONS
 */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c10_allocator.h"
#include "cuda_double.h"
#include "program.h"

static char image[16] = "no image";
static struct {
	unsigned long launches, tensors, questions, allocations;
} done;

/* A kernel is known by the address of its stub. */
OWN int kernel(void)
{
	dim3 grid = { 4, 1, 1 }, block = { 32, 1, 1 };
	void *args[1] = { NULL };

	done.launches++;
	return (int)cudaLaunchKernel((const void *)(uintptr_t)kernel, grid, block, args, 0, NULL);
}

static void work(void)
{
	volatile unsigned long rounds = 400000;

	while (rounds)
		rounds--;
}

static void step(const long counts[3])
{
	void *memory;
	long i;

	work();
	for (i = 0; i < counts[0]; i++)
		kernel();
	for (i = 0; i < counts[1]; i++) {
		tensor_free(0, tensor_new(0, 4096));
		done.tensors++;
	}
	for (i = 0; i < counts[2]; i++) {
		cudaGetLastError();
		done.questions++;
	}
	if (!cudaMalloc(&memory, 256))
		cudaFree(memory);
	done.allocations++;
}

int main(int argc, char **argv)
{
	long counts[3] = { 0, 0, 0 }, few[3];
	void **handle = __cudaRegisterFatBinary(image);
	struct pollfd input = { .fd = 0, .events = POLLIN };
	const long *now = counts;
	char word[64];
	int i;

	for (i = 0; i < 3 && i + 1 < argc; i++) {
		counts[i] = atol(argv[i + 1]);
		few[i] = counts[i] / 100;
	}
	__cudaRegisterFunction(handle, (const char *)(uintptr_t)kernel,
			       (char *)(uintptr_t) "kernel", "kernel", -1, NULL, NULL, NULL, NULL,
			       NULL);
	__cudaRegisterFatBinaryEnd(handle);
	setvbuf(stdin, NULL, _IONBF, 0);
	puts("ready");
	fflush(stdout);
	for (;;) {
		while (!poll(&input, 1, 4))
			step(now);
		if (!fgets(word, sizeof(word), stdin) || !strcmp(word, "end\n"))
			break;
		if (!strcmp(word, "few\n"))
			now = few;
		else if (!strcmp(word, "many\n"))
			now = counts;
		else if (!strcmp(word, "tell\n"))
			printf("[%lu,%lu,%lu,%lu]\n", done.launches, done.tensors, done.questions,
			       done.allocations);
		fflush(stdout);
	}
	return 0;
}
