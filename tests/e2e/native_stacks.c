/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations from all kinds of native stacks, with their truth: native_stacks.h.
 *
 *   native_stacks FILE BYTES SCENARIO...	one after the other; the file of truth, and the bytes
 *					of the first allocation
 *
 * The scenarios "callback" and "watched" call through functions whose return cutop probes.
 * backtrace() cannot see through these: their truth must be had from a run without cutop, and both
 * runs without randomized addresses.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native_stacks_odd.h"

#define MAIN 4 /* main() and run(), and what calls them: _start at least */

long ns_library_1(long a, long b);
long ns_watched(void (*call)(long), long a);
long ns_watched_jump(void (*call)(long), long a);
int ns_resolved(void);

static const char *file, *folder;

/* ---- chains: of functions that use few registers, many, and a large frame ---- */

static OWN long link_0(long a, long b, long c, long d)
{
	NS_ALLOCATE();
	return a + b + c + d;
}

#define LINK_A(n, next) \
	OWN long link_##n(long a, long b, long c, long d) \
	{ \
		return link_##next(a + 1, b, c, d) + 1; \
	}
#define LINK_B(n, next) \
	OWN long link_##n(long a, long b, long c, long d) \
	{ \
		long e = a * b, f = c * d; \
\
		return link_##next(a + 1, b ^ c, c + d, d * 3) + a * b + c * d + e * f; \
	}
#define LINK_C(n, next) \
	OWN long link_##n(long a, long b, long c, long d) \
	{ \
		volatile char local[(n)*24 + 8]; \
\
		local[n] = (char)a; \
		return link_##next(d, c, b, a) + a + local[n]; \
	}

LINK_B(1, 0)
LINK_C(2, 1)
LINK_A(3, 2)
LINK_B(4, 3)
LINK_C(5, 4)
LINK_A(6, 5)
LINK_B(7, 6)
LINK_C(8, 7)
LINK_A(9, 8)
LINK_B(10, 9)
LINK_C(11, 10)
LINK_A(12, 11)
LINK_B(13, 12)
LINK_C(14, 13)
LINK_A(15, 14)
LINK_B(16, 15)
LINK_C(17, 16)
LINK_A(18, 17)
LINK_B(19, 18)
LINK_C(20, 19)
LINK_A(21, 20)
LINK_B(22, 21)
LINK_C(23, 22)
LINK_A(24, 23)
LINK_B(25, 24)
LINK_C(26, 25)
LINK_A(27, 26)
LINK_B(28, 27)
LINK_C(29, 28)
LINK_A(30, 29)
LINK_B(31, 30)
LINK_C(32, 31)
LINK_A(33, 32)
LINK_B(34, 33)
LINK_C(35, 34)
LINK_A(36, 35)
LINK_B(37, 36)
LINK_C(38, 37)
LINK_A(39, 38)
LINK_B(40, 39)

static void chain_10(void)
{
	link_10(1, 2, 3, 4);
	link_10(1, 2, 3, 4);
}

static void chain_40(void)
{
	link_40(1, 2, 3, 4);
	link_40(1, 2, 3, 4);
}

/* ---- recursion ---- */

static OWN long recurse(long depth, long a)
{
	long b = a * depth;

	if (depth == 1)
		return link_0(a, b, 1, 2);
	return recurse(depth - 1, a + 3) * b + a;
}

static void recursion_100(void)
{
	recurse(100, 1);
	recurse(99, 1);
	recurse(100, 1);
}

/* Deeper than cutop's stacks. */
static void recursion_200(void)
{
	recurse(200, 1);
}

static void libraries(void)
{
	ns_library_1(1, 2);
	ns_library_1(3, 4);
}

/* ---- callbacks ---- */

static OWN int compare(const void *a, const void *b)
{
	NS_ALLOCATE();
	return *(const int *)a - *(const int *)b;
}

static OWN void sort(void)
{
	int numbers[] = { 5, 3, 8, 1, 9, 2, 7 };

	qsort(numbers, sizeof(numbers) / sizeof(*numbers), sizeof(*numbers), compare);
}

static OWN void *thread_main(void *argument)
{
	long i, number = (long)argument;

	for (i = 0; i < 20; i++) {
		link_10(i, number, 1, 2);
		recurse(5 + number, i);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t ids[4];
	long i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&ids[i], NULL, thread_main, (void *)i))
			exit(3);
	for (i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
}

/* ---- frames whose size is not known before ---- */

static OWN long with_alloca(size_t bytes, long a)
{
	volatile char *local = alloca(bytes);

	local[0] = (char)a;
	return link_7(a, 2, 3, 4) + local[0];
}

static OWN long with_array(size_t count, long a)
{
	volatile long local[count];

	local[count / 2] = a;
	return link_4(a, 2, 3, 4) + local[count / 2];
}

static OWN long with_both(size_t count, long a)
{
	volatile long local[count];

	local[count / 2] = a;
	return with_alloca(count * 3, a) + with_array(count, a) + local[count / 2];
}

static void variable(void)
{
	size_t size;

	for (size = 16; size < 100000; size = size * 3 + 5)
		with_both(size / 8, 1);
}

static OWN long with_alignment(size_t bytes, long a, long b)
{
	volatile char local[64] __attribute__((aligned(64)));
	volatile char *more = alloca(bytes);

	local[a] = more[b] = (char)b;
	if ((size_t)local % 64)
		exit(3);
	return link_5(a, b, (long)bytes, 4) + local[a] + more[b] + a * b;
}

static OWN long only_alignment(long a, long b)
{
	volatile char local[192] __attribute__((aligned(64)));

	local[a] = (char)b;
	return with_alignment((size_t)(a + b) * 40, a, b) + link_2(a, b, a, b) + local[a] + b;
}

static void aligned(void)
{
	long i;

	for (i = 1; i < 9; i++)
		only_alignment(i, i * 2);
}

static OWN long frame_60k(long a)
{
	volatile char local[60 * 1024];

	local[a] = 1;
	return link_3(a, 2, 3, 4) + local[a];
}

static OWN long frame_8k(long a)
{
	volatile char local[8 * 1024];

	local[a] = 1;
	return frame_60k(a + 1) + local[a] + a;
}

static OWN long frame_60k_more(long a)
{
	volatile char local[60 * 1024];

	local[a] = 1;
	return frame_8k(a + 1) + link_6(a, 2, 3, 4) + local[a];
}

static void large_frames(void)
{
	frame_8k(1);
	frame_60k(2);
	frame_60k_more(3);
	frame_60k_more(3);
}

/* ---- before main() and after it ---- */

static __attribute__((constructor)) void construct(int argc, char **argv)
{
	static const struct ns_scenario scenario = { .name = "constructor", .deep = 3 };
	int i;

	for (i = 3; i < argc; i++) {
		if (strcmp(argv[i], "constructor"))
			continue;
		ns_begin(argc, argv);
		ns_enter(&scenario);
		NS_ALLOCATE();
		link_4(1, 2, 3, 4);
	}
}

static void constructor(void)
{
}

static void at_exit(void)
{
	static const struct ns_scenario scenario = { .name = "atexit", .deep = 5 };

	ns_enter(&scenario);
	NS_ALLOCATE();
	link_4(1, 2, 3, 4);
}

static void register_exit(void)
{
	atexit(at_exit);
}

/* In a process of its own: the first call of cudaMalloc(). */
static void lazy(void)
{
	NS_ALLOCATE();
}

/*
 * The dynamic linker calls a function to find out what another one's address is; its own frame is
 * at no fixed distance from any register but rbx.
 */
static void resolver(void)
{
	ns_resolved();
}

/* ---- through functions that are probed ---- */

static OWN void on_host(void *argument)
{
	long depth = (long)argument;

	if (depth > 1)
		cudaLaunchHostFunc(NULL, on_host, (void *)(depth - 1));
	link_3(depth, 1, 2, 3);
}

static OWN void on_stream(cudaStream_t stream, cudaError_t status, void *argument)
{
	(void)stream;
	(void)status;
	on_host(argument);
}

static void callback(void)
{
	cudaLaunchHostFunc(NULL, on_host, (void *)1);
	cudaStreamAddCallback(NULL, on_stream, (void *)1, 0);
	cudaLaunchHostFunc(NULL, on_host, (void *)3);
}

static OWN void on_watched(long depth)
{
	if (depth > 1)
		ns_watched(on_watched, depth - 1);
	link_3(depth, 1, 2, 3);
}

static OWN void on_jump(long depth)
{
	if (depth < 3)
		ns_watched_jump(on_jump, depth);
	link_3(depth, 1, 2, 3);
}

static void watched(void)
{
	ns_watched(on_watched, 1);
	ns_watched(on_watched, 4);
	ns_watched_jump(on_jump, 1);
	link_10(1, 2, 3, 4);
}

/* ---- other code at the same addresses ---- */

static OWN void *call_library(const char *name)
{
	long (*outer)(long), result;
	char path[4096];
	void *library, *at;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "native_stacks: %s\n", dlerror());
		exit(3);
	}
	at = dlsym(library, "ns_outer");
	memcpy(&outer, &at, sizeof(outer));
	result = outer(7) + outer(8);
	dlclose(library);
	return result ? at : NULL;
}

static void replaced(void)
{
	void *first, *second;
	int i;

	for (i = 0; i < 4; i++) {
		first = call_library("libnative_stacks-first.so");
		second = call_library("libnative_stacks-second.so");
		if (first != second)
			fputs("native_stacks: the libraries are not at the same address\n", stderr);
	}
}

/* ---- processes ---- */

static void forked(void)
{
	int status, i;
	pid_t child;

	link_5(1, 2, 3, 4);
	for (i = 0; i < 3; i++) {
		/* Of the bytes that the parent would allocate next. */
		ns_bytes();
		child = fork();
		if (!child) {
			link_5(1, 2, 3, 4);
			_exit(0);
		}
		if (waitpid(child, &status, 0) != child || status)
			exit(3);
		ns_bytes();
	}
}

/* Nothing comes after the only call: the truth is written before it. */
static OWN long call_and_end(long a, long b)
{
	size_t bytes = ns_bytes();
	void **at = ns_room();
	void *memory;

	ns_note(bytes, at, backtrace(at, NS_DEPTH));
	_exit(cudaMalloc(&memory, bytes) ? 3 : a == b);
}

static OWN long middle(long a)
{
	return call_and_end(a, a + 1) + a;
}

static void brief(void)
{
	middle(1);
}

/* Until another file exists: its name is that of the truth, with .go */
static void wait_for_go(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s.go", file);
	puts("ready");
	fflush(stdout);
	while (access(path, F_OK))
		usleep(10000);
}

static const struct ns_scenario scenarios[] = {
	{ .name = "chain_10", .run = chain_10, .deep = 11 + MAIN },
	{ .name = "chain_40", .run = chain_40, .deep = 41 + MAIN },
	{ .name = "recursion_100", .run = recursion_100, .deep = 100 + MAIN },
	{ .name = "recursion_200", .run = recursion_200, .deep = 201 + MAIN },
	{ .name = "libraries", .run = libraries, .deep = 5 + MAIN },
	{ .name = "qsort", .run = sort, .deep = 3 + MAIN },
	{ .name = "threads", .run = threads, .deep = 8 },
	{ .name = "alloca", .run = variable, .deep = 7 + MAIN },
	{ .name = "aligned", .run = aligned, .deep = 4 + MAIN },
	{ .name = "large_frames", .run = large_frames, .deep = 5 + MAIN },
	{ .name = "signal_raised", .run = signal_raised, .deep = 7 + MAIN },
	{ .name = "signal_fault", .run = signal_fault, .deep = 6 + MAIN },
	{ .name = "signal_stack", .run = signal_stack, .deep = 6 + MAIN, .least = 4 },
	{ .name = "constructor", .run = constructor },
	{ .name = "atexit", .run = register_exit },
	{ .name = "lazy", .run = lazy, .deep = MAIN },
	{ .name = "coroutine", .run = coroutine, .deep = 5 },
	{ .name = "generated", .run = generated, .deep = 5 },
	{ .name = "resolver", .run = resolver, .deep = 5 + MAIN, .least = 3 },
	{ .name = "callback", .run = callback, .deep = 6 + MAIN },
	{ .name = "watched", .run = watched, .deep = 5 + MAIN },
	{ .name = "replaced", .run = replaced, .deep = 3 + MAIN },
	{ .name = "fork", .run = forked, .deep = 6 + MAIN },
	{ .name = "brief", .run = brief, .deep = 3 + MAIN },
	{ .name = "wait", .run = wait_for_go },
};

static const struct ns_scenario *scenario_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		if (!strcmp(scenarios[i].name, name))
			return &scenarios[i];
	fprintf(stderr, "native_stacks: there is no %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	const struct ns_scenario *scenario;
	char *slash = strrchr(argv[0], '/');
	int i;

	if (argc < 4 || !slash) {
		fputs("usage: FOLDER/native_stacks FILE BYTES SCENARIO...\n", stderr);
		return 2;
	}
	*slash = '\0';
	folder = argv[0];
	file = argv[1];
	ns_begin(argc, argv);
	for (i = 3; i < argc; i++) {
		scenario = scenario_find(argv[i]);
		ns_enter(scenario);
		scenario->run();
	}
	return 0;
}
