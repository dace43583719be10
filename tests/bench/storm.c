/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm [exec] CALLS: what programs do that have nothing to do with CUDA, and what
 * cutop watches all the same. Prints "exec open map code call touch" in ns: a fork with
 * an exec and its wait; an open with its close; a mapping of memory, and one of
 * a library's code, with the unmapping; any other system call; and a mapping of a file of which
 * a byte is read, with the unmapping. The best of several
 * short runs counts. With "exec": nothing but so many of the first, on one processor, a line with
 * the ns of each, since they differ by more than what they are to show.
 */
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNS 20
/* Execs that are not told: a cutop that has just come is at work for some more milliseconds */
#define WARM           300
#define CALLS_PER_EXEC 200 /* an exec takes so much longer than the others */

extern char **environ;
static const char *self;
static int library;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static void do_exec(void)
{
	char *argv[] = { (char *)self, (char *)"end", NULL };
	int status;
	pid_t pid;

	if (posix_spawn(&pid, self, NULL, NULL, argv, environ) || waitpid(pid, &status, 0) != pid ||
	    status)
		abort();
}

static void do_open(void)
{
	int fd = open("/dev/null", O_RDONLY);

	if (fd < 0)
		abort();
	close(fd);
}

static void do_map(void)
{
	void *memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	munmap(memory, 4096);
}

static void do_code(void)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, library, 0);

	if (code == MAP_FAILED)
		abort();
	munmap(code, 4096);
}

static void do_touch(void)
{
	const volatile char *bytes = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, library, 0);

	if (bytes == MAP_FAILED)
		abort();
	(void)bytes[0];
	munmap((void *)bytes, 4096);
}

static void do_call(void)
{
	syscall(SYS_getppid);
}

static double best(void (*call)(void), unsigned long calls)
{
	double least = 1e18;
	unsigned long i;
	int run;

	for (run = 0; run < RUNS; run++) {
		uint64_t begin = now(), ns;

		for (i = 0; i < calls; i++)
			call();
		ns = now() - begin;
		if ((double)ns / (double)calls < least)
			least = (double)ns / (double)calls;
	}
	return least;
}

/* Children stay on the processor, too. */
static int each_exec(unsigned long calls)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	if (sched_setaffinity(0, sizeof(here), &here))
		return 1;
	for (unsigned long i = 0; i < WARM + calls; i++) {
		uint64_t begin = now();

		do_exec();
		if (i >= WARM)
			printf("%lu\n", (unsigned long)(now() - begin));
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool only_exec = argc > 2 && !strcmp(argv[1], "exec");
	unsigned long calls = argc > 1 ? strtoul(argv[argc - 1], NULL, 10) : 200000;

	if (argc > 1 && !strcmp(argv[1], "end"))
		return 0;
	self = "/proc/self/exe";
	if (only_exec)
		return each_exec(calls);
	calls = calls / RUNS ? calls / RUNS : 1;
	library = open(self, O_RDONLY);
	if (library < 0)
		return 1;
	printf("%.0f %.1f %.1f %.1f %.1f %.1f\n", best(do_exec, calls / CALLS_PER_EXEC + 1),
	       best(do_open, calls), best(do_map, calls), best(do_code, calls),
	       best(do_call, calls), best(do_touch, calls));
	return 0;
}
