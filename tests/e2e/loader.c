// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads a CUDA runtime with dlopen() and does with it what it is told:
 *
 *   loader LIBRARY ACTION...
 *
 *   malloc N     N times cudaMalloc, of 1 byte, 2 bytes, 3 ... (counted on by the next malloc)
 *   free         cudaFree of all of them
 *   sync N       N times cudaDeviceSynchronize
 *   old-sync N   N times cudaThreadSynchronize
 *   pace US      so long a pause after each cudaMalloc from now on
 *   peek NAME    prints the first byte of that function: cc where a probe stands
 *   call NAME    calls that function with 10 and prints what it returns
 *   thread       goes on in another thread, and ends the main thread
 *   close        unloads the library, whatever it allocated
 *   open LIBRARY loads another, or the same again
 *   aside FILE   opens it, and maps memory for code, without a file but with its descriptor
 *   read FILE    maps it, not for code, and reads its first byte; it stays mapped
 *   where NAME   prints that function's address
 *   say WORD     prints it
 *   wait FILE    until there is such a file
 *   times        prints per cudaMalloc: its size, microseconds since before dlopen()
 *
 * It is linked to no CUDA library.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MAX 4096

static void *library;
static void *memory[MAX];
static double times[MAX];
static size_t count;
static long pace;

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec * 1e-3;
}

static void pause_us(long us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static void *function(const char *name)
{
	void *found = dlsym(library, name);

	if (!found) {
		fprintf(stderr, "loader: no %s\n", name);
		exit(1);
	}
	return found;
}

static void allocate(long n, double began)
{
	int (*call)(void **, size_t) = (int (*)(void **, size_t))function("cudaMalloc");

	for (; n > 0 && count < MAX; n--, count++) {
		times[count] = now_us() - began;
		if (call(&memory[count], count + 1))
			exit(1);
		if (pace)
			pause_us(pace);
	}
}

static void release(void)
{
	int (*call)(void *) = (int (*)(void *))function("cudaFree");
	size_t i;

	for (i = 0; i < count; i++)
		if (memory[i] && call(memory[i]))
			exit(1);
	memset(memory, 0, sizeof(memory));
}

static void synchronize(const char *name, long n)
{
	int (*call)(void) = (int (*)(void))function(name);

	while (n-- > 0)
		call();
}

static void load(const char *path)
{
	library = dlopen(path, RTLD_NOW);
	if (library)
		return;
	fprintf(stderr, "loader: %s\n", dlerror());
	exit(1);
}

/*
 * The kernel does not look at the descriptor. Some programs that make code pass one all the same.
 */
static void map_aside(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd >= 0 &&
	    mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, fd, 0) != MAP_FAILED)
		return;
	perror("loader: aside");
	exit(1);
}

static void map_to_read(const char *path)
{
	int fd = open(path, O_RDONLY);
	const volatile char *bytes = fd < 0 ? MAP_FAILED :
					      mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED) {
		perror("loader: read");
		exit(1);
	}
	(void)bytes[0];
	close(fd);
}

static void unload(void)
{
	if (dlclose(library))
		exit(1);
	count = 0;
	memset(memory, 0, sizeof(memory));
}

static double began;
static int at, argc;
static char **argv;

static int run(void);

static void *run_rest(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "loader-rest");
	exit(run());
}

static int run(void)
{
	pthread_t rest;
	size_t i;

	for (; at < argc; at++) {
		const char *action = argv[at], *argument = at + 1 < argc ? argv[at + 1] : "";

		if (!strcmp(action, "free")) {
			release();
			continue;
		}
		if (!strcmp(action, "thread")) {
			at++;
			if (pthread_create(&rest, NULL, run_rest, NULL))
				return 1;
			pthread_exit(NULL);
		}
		if (!strcmp(action, "close")) {
			unload();
			continue;
		}
		if (!strcmp(action, "times")) {
			for (i = 0; i < count; i++)
				printf("%zu %.0f\n", i + 1, times[i]);
			continue;
		}
		at++;
		if (!strcmp(action, "malloc")) {
			allocate(strtol(argument, NULL, 0), began);
		} else if (!strcmp(action, "sync")) {
			synchronize("cudaDeviceSynchronize", strtol(argument, NULL, 0));
		} else if (!strcmp(action, "old-sync")) {
			synchronize("cudaThreadSynchronize", strtol(argument, NULL, 0));
		} else if (!strcmp(action, "pace")) {
			pace = strtol(argument, NULL, 0);
		} else if (!strcmp(action, "peek")) {
			printf("%02x\n", *(volatile unsigned char *)function(argument));
		} else if (!strcmp(action, "call")) {
			printf("%d\n", ((int (*)(int))function(argument))(10));
		} else if (!strcmp(action, "open")) {
			load(argument);
		} else if (!strcmp(action, "aside")) {
			map_aside(argument);
		} else if (!strcmp(action, "read")) {
			map_to_read(argument);
		} else if (!strcmp(action, "where")) {
			printf("%p\n", function(argument));
		} else if (!strcmp(action, "say")) {
			puts(argument);
		} else if (!strcmp(action, "wait")) {
			while (access(argument, F_OK))
				pause_us(1000);
		} else {
			fprintf(stderr, "loader: what is '%s'?\n", action);
			return 2;
		}
		fflush(stdout);
	}
	return 0;
}

int main(int count_given, char **given)
{
	began = now_us();
	argc = count_given;
	argv = given;
	if (argc < 2)
		return 2;
	load(argv[1]);
	at = 2;
	return run();
}
