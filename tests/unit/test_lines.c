/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines, found by the reader of debug information in a process of its
 * own; what becomes of those who wait when it dies, hangs or reads nonsense. The
 * subject is this very program, as it is and broken in every way.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/wrappers.h"
#include "names/resolver.h"
#include "self_file.h"
#include "util/util.h"
#include "run_tests.h"

#define WAIT_MS 30000

struct told {
	unsigned int count, known;
	uint64_t cookie;
	unsigned int line;
	char path[RESOLVER_PATH_LEN];
	struct resolver_inlined inlined[CUTOP_INLINED_MAX];
	size_t inlined_count;
};

static void tell(void *context, const struct resolver_reply *reply)
{
	struct told *told = context;

	told->count++;
	told->known += reply->line != 0;
	told->cookie = reply->cookie;
	told->line = reply->line;
	snprintf(told->path, sizeof(told->path), "%s", reply->path ? reply->path : "");
	told->inlined_count = reply->inlined_count;
	if (reply->inlined_count)
		memcpy(told->inlined, reply->inlined,
		       reply->inlined_count * sizeof(told->inlined[0]));
}

/* Asks and waits: true if the line was known. */
static bool ask(struct resolver *resolver, uint32_t file, uint64_t offset, struct told *told)
{
	static uint64_t cookie = 1000;

	memset(told, 0, sizeof(*told));
	if (!resolver_ask(resolver, file, offset, ++cookie))
		return false;
	resolver_answers(resolver, WAIT_MS, WAIT_MS, tell, told);
	ck_assert_uint_eq(told->count, 1);
	ck_assert_uint_eq(told->cookie, cookie);
	return told->line != 0;
}

enum { MARK_LINE = __LINE__ };

static void *returned; /* where the last mark() returned to */

static int __attribute__((noinline)) mark(void)
{
	returned = __builtin_return_address(0);
	return getpid() + 1;
}

/*
 * As the typed cudaMalloc() of CUDA's header, and what calls it: two wrappers, the inner of another
 * header, inlined in turn.
 */
#line 879 "/usr/local/cuda/include/cuda_runtime.h"
static inline __attribute__((always_inline)) int inner_wrapper(void)
{
	return mark() + 1;
}
#line 12 "/usr/include/thrust/allocate.h"
static inline __attribute__((always_inline)) int outer_wrapper(void)
{
	return inner_wrapper() + 1;
}
#line 88 "tests/unit/test_lines.c"
enum { WRAPPED_LINE = __LINE__ + 4 };

static int __attribute__((noinline)) wrapped(void)
{
	return outer_wrapper() + 1;
}

#define INLINED static inline __attribute__((always_inline)) int

/* Three levels in each other, each with a line of its own, within blocks. */
enum { LEVELS_LINE = __LINE__ };
INLINED innermost(int a)
{
	return mark() + a; /* + 3 */
}
INLINED middle(int a)
{
	for (int i = 0; i < a; i++) {
		int b = i * a;

		if (innermost(b) < 0) /* + 10 */
			return 0;
	}
	return 1;
}
INLINED outermost(int a)
{
	return middle(a) + 1; /* + 17 */
}
static int __attribute__((noinline)) physical(int a)
{
	volatile int sum = outermost(a) + 1; /* + 21: no call at the end */

	return sum;
}

/* 50 levels. */
#define LEVEL(name, inner) \
	INLINED name(void) \
	{ \
		return inner() + 1; \
	}
#define TEN_LEVELS(name, inner) \
	LEVEL(name##9, inner) \
	LEVEL(name##8, name##9) \
	LEVEL(name##7, name##8) \
	LEVEL(name##6, name##7) \
	LEVEL(name##5, name##6) \
	LEVEL(name##4, name##5) \
	LEVEL(name##3, name##4) \
	LEVEL(name##2, name##3) \
	LEVEL(name##1, name##2) \
	LEVEL(name##0, name##1)
TEN_LEVELS(level_4, mark)
TEN_LEVELS(level_3, level_40)
TEN_LEVELS(level_2, level_30)
TEN_LEVELS(level_1, level_20)
TEN_LEVELS(level_0, level_10)
enum { DEEP_LINE = __LINE__ + 3 };
static int __attribute__((noinline)) deep(void)
{
	return level_00() + 1;
}

TEST(lines_are_found)
{
	struct resolver *resolver = resolver_new(RESOLVER_LINES, 128ull << 20, NULL);
	uint64_t offset = offset_of((void *)mark);
	struct told told;
	uint32_t file;
	size_t i;
	int fd;

	self_read();
	fd = file_of(self, self_size);
	file = resolver_add(resolver, fd, -1, "self");
	close(fd);
	ck_assert_uint_ne(file, 0);
	ck_assert(ask(resolver, file, offset, &told));
	ck_assert_str_eq(strrchr(told.path, '/') + 1, __FILE_NAME__);
	ck_assert_uint_ge(told.line, MARK_LINE);
	ck_assert_uint_le(told.line, MARK_LINE + 8);
	ck_assert(!ask(resolver, file, 0, &told));
	ck_assert(!ask(resolver, file, UINT64_MAX, &told));
	ck_assert(!ask(resolver, 0, offset, &told));
	ck_assert(!ask(resolver, file + 1, offset, &told));
	/* Many at once: all are answered, in order. */
	memset(&told, 0, sizeof(told));
	for (i = 0; i < 20000; i++)
		ck_assert(resolver_ask(resolver, file, offset, i));
	resolver_answers(resolver, WAIT_MS, WAIT_MS, tell, &told);
	ck_assert_uint_eq(told.count, 20000);
	ck_assert_uint_eq(told.cookie, 19999);
	resolver_free(resolver);
}

/* What is known of the place that the last mark() returned to. */
static void ask_returned(struct told *told)
{
	struct resolver *resolver = resolver_new(RESOLVER_LINES, 128ull << 20, NULL);
	uint32_t file;
	int fd;

	self_read();
	fd = file_of(self, self_size);
	file = resolver_add(resolver, fd, -1, "self");
	close(fd);
	ck_assert(ask(resolver, file, offset_of(returned) - 1, told));
	ck_assert_str_eq(strrchr(told->path, '/') + 1, __FILE_NAME__);
	resolver_free(resolver);
}

static void assert_inlined(const struct told *told, size_t at, const char *function,
			   const char *path, unsigned int line)
{
	const char *have = told->inlined[at].path;

	ck_assert_uint_lt(at, told->inlined_count);
	ck_assert_str_eq(told->inlined[at].function, function);
	ck_assert_uint_ge(strlen(have), strlen(path));
	ck_assert_str_eq(have + strlen(have) - strlen(path), path);
	ck_assert_uint_eq(told->inlined[at].line, line);
}

TEST(inlined_wrappers_are_told)
{
	struct told told;

	ck_assert_int_gt(wrapped(), 0);
	ask_returned(&told);
	ck_assert_uint_eq(told.line, WRAPPED_LINE);
	ck_assert_uint_eq(told.inlined_count, 2);
	assert_inlined(&told, 0, "inner_wrapper", "/usr/local/cuda/include/cuda_runtime.h", 881);
	assert_inlined(&told, 1, "outer_wrapper", "/usr/include/thrust/allocate.h", 14);
}

TEST(inlined_functions_are_told)
{
	struct told told;

	ck_assert_int_gt(physical(2), 0);
	ask_returned(&told);
	ck_assert_uint_eq(told.line, LEVELS_LINE + 21);
	ck_assert_uint_eq(told.inlined_count, 3);
	assert_inlined(&told, 0, "innermost", __FILE_NAME__, LEVELS_LINE + 3);
	assert_inlined(&told, 1, "middle", __FILE_NAME__, LEVELS_LINE + 10);
	assert_inlined(&told, 2, "outermost", __FILE_NAME__, LEVELS_LINE + 17);
	/* Directly, of a function in which nothing was inlined. */
	ck_assert_int_gt(mark(), 0);
	ask_returned(&told);
	ck_assert_uint_eq(told.inlined_count, 0);
}

/* Of more than are told the outer ones are missing; the function itself has its line. */
TEST(inlined_functions_are_bounded)
{
	struct told told;

	ck_assert_int_gt(deep(), 0);
	ask_returned(&told);
	ck_assert_uint_eq(told.line, DEEP_LINE);
	ck_assert_uint_eq(told.inlined_count, CUTOP_INLINED_MAX);
	ck_assert_str_eq(told.inlined[0].function, "level_49");
	ck_assert_str_eq(told.inlined[CUTOP_INLINED_MAX - 1].function, "level_18");
}

TEST(what_is_dropped_is_closed)
{
	struct resolver *resolver = resolver_new(RESOLVER_LINES, 128ull << 20, NULL);
	uint64_t offset = offset_of((void *)mark);
	char path[] = "/tmp/cutop-lines.XXXXXX";
	struct told told;
	uint32_t file;
	int fd;

	self_read();
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, self, self_size), (ssize_t)self_size);
	file = resolver_add(resolver, fd, fd, "self");
	close(fd);
	ck_assert(ask(resolver, file, offset, &told));
	fd = open(path, O_RDWR);
	/* A write lease is for who has the file open alone: fcntl(2). */
	ck_assert_int_eq(fcntl(fd, F_SETLEASE, F_WRLCK), -1);
	ck_assert_int_eq(errno, EAGAIN);
	resolver_drop(resolver, file);
	ck_assert(!ask(resolver, file, offset, &told));
	ck_assert(resolver_forgot(resolver, file));
	/* The other process closes it as soon as it is told. */
	while (fcntl(fd, F_SETLEASE, F_WRLCK)) {
		ck_assert_int_eq(errno, EAGAIN);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	ck_assert_int_eq(fcntl(fd, F_SETLEASE, F_UNLCK), 0);
	/* Numbers that are none's, or no longer. */
	resolver_drop(resolver, file);
	resolver_drop(resolver, 0);
	file = resolver_add(resolver, fd, -1, "self");
	ck_assert(ask(resolver, file, offset, &told));
	close(fd);
	unlink(path);
	resolver_free(resolver);
}

TEST(lines_of_debug_file)
{
	struct resolver *resolver = resolver_new(RESOLVER_LINES, 128ull << 20, NULL);
	uint64_t offset = offset_of((void *)mark);
	Elf64_Ehdr *ehdr;
	struct told told;
	uint32_t file;
	char *bare;
	int fd, debug_fd;

	self_read();
	bare = malloc(self_size);
	memcpy(bare, self, self_size);
	ehdr = (Elf64_Ehdr *)(void *)bare;
	ehdr->e_shoff = ehdr->e_shnum = ehdr->e_shstrndx = 0;
	fd = file_of(bare, self_size);
	debug_fd = file_of(self, self_size);
	file = resolver_add(resolver, fd, -1, "self");
	ck_assert(!ask(resolver, file, offset, &told));
	file = resolver_add(resolver, fd, debug_fd, "self");
	ck_assert(ask(resolver, file, offset, &told));
	ck_assert_str_eq(strrchr(told.path, '/') + 1, __FILE_NAME__);
	close(fd);
	close(debug_fd);
	free(bare);
	resolver_free(resolver);
}

/*
 * A mapped file that shrinks ends the process that reads it: that must not be cutop, and no other
 * file loses its lines.
 */
TEST(a_reader_that_dies_is_replaced)
{
	struct resolver *resolver = resolver_new(RESOLVER_LINES, 128ull << 20, NULL);
	uint64_t offset = offset_of((void *)mark), far = offset_of((void *)resolver_new);
	uint32_t bad, good;
	struct told told;
	int fd, good_fd, i;

	self_read();
	fd = file_of(self, self_size);
	good_fd = file_of(self, self_size);
	good = resolver_add(resolver, good_fd, -1, "good");
	bad = resolver_add(resolver, fd, -1, "bad");
	ck_assert(ask(resolver, bad, offset, &told));
	ck_assert(ask(resolver, good, offset, &told));
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert(!ask(resolver, bad, far, &told));
	ck_assert_uint_eq(resolver_lost(resolver), 1);
	ck_assert(!resolver_forgot(resolver, good));
	ck_assert(!resolver_forgot(resolver, bad));
	ck_assert(!ask(resolver, bad, offset, &told));
	ck_assert_uint_eq(resolver_lost(resolver), 2);
	ck_assert(ask(resolver, good, offset, &told));
	/* The same with questions about others before and behind. */
	fd = file_of(self, self_size);
	bad = resolver_add(resolver, fd, -1, "bad");
	ck_assert(ask(resolver, bad, offset, &told));
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	memset(&told, 0, sizeof(told));
	for (i = 0; i < 1000; i++)
		ck_assert(resolver_ask(resolver, i == 500 ? bad : good, i == 500 ? far : offset,
				       (uint64_t)i));
	resolver_answers(resolver, WAIT_MS, WAIT_MS, tell, &told);
	ck_assert_uint_eq(told.count, 1000);
	ck_assert_uint_eq(told.known, 999);
	ck_assert_uint_eq(told.cookie, 999);
	ck_assert_uint_eq(resolver_lost(resolver), 3);
	close(fd);
	close(good_fd);
	resolver_free(resolver);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
	ck_assert_int_eq(errno, ECHILD);
}

/* Files that end the reader, one after the other: the lines of others are read all the while. */
TEST(files_end_no_others_lines)
{
	struct resolver *resolver = resolver_new(RESOLVER_LINES, 128ull << 20, NULL);
	uint64_t offset = offset_of((void *)mark), far = offset_of((void *)resolver_new);
	uint32_t bad, good;
	struct told told;
	int fd, good_fd, i;

	self_read();
	good_fd = file_of(self, self_size);
	good = resolver_add(resolver, good_fd, -1, "good");
	for (i = 0; i < 20; i++) {
		fd = file_of(self, self_size);
		bad = resolver_add(resolver, fd, -1, "bad");
		ck_assert(ask(resolver, bad, offset, &told));
		ck_assert_int_eq(ftruncate(fd, 0), 0);
		ck_assert(!ask(resolver, bad, far, &told));
		ck_assert(ask(resolver, good, offset, &told));
		close(fd);
	}
	ck_assert_uint_eq(resolver_lost(resolver), 20);
	close(good_fd);
	resolver_free(resolver);
}

/* One that does not answer is waited for as long as was said, and leaves when it is told to. */
TEST(a_reader_that_hangs_keeps_nobody)
{
	struct resolver *resolver = resolver_new(RESOLVER_LINES, 128ull << 20, NULL);
	uint64_t offset = offset_of((void *)mark), begin;
	struct told told;
	uint32_t file;
	char *children;
	pid_t reader;
	int fd;

	self_read();
	fd = file_of(self, self_size);
	file = resolver_add(resolver, fd, -1, "self");
	close(fd);
	ck_assert(ask(resolver, file, offset, &told));
	children = file_read("/proc/thread-self/children", 256, NULL);
	ck_assert_ptr_nonnull(children);
	reader = (pid_t)atoi(children);
	free(children);
	ck_assert_int_gt(reader, 0);
	ck_assert_int_eq(kill(reader, SIGSTOP), 0);
	memset(&told, 0, sizeof(told));
	ck_assert(resolver_ask(resolver, file, offset, 1));
	begin = clock_ns(CLOCK_MONOTONIC);
	resolver_answers(resolver, 200, 200, tell, &told);
	ck_assert_uint_eq(told.count, 0);
	ck_assert_uint_lt(clock_ns(CLOCK_MONOTONIC) - begin, 10 * NSEC_PER_SEC);
	ck_assert_int_eq(kill(reader, SIGCONT), 0);
	resolver_answers(resolver, WAIT_MS, WAIT_MS, tell, &told);
	ck_assert_uint_eq(told.count, 1);
	ck_assert_uint_ne(told.line, 0);
	ck_assert_int_eq(kill(reader, SIGSTOP), 0);
	resolver_free(resolver);
	ck_assert_int_eq(kill(reader, 0), -1);
}

/* Whatever is wrong with the file, an answer comes, and the next file is read all the same. */
TEST(hostile_lines)
{
	struct resolver *resolver = resolver_new(RESOLVER_LINES, 128ull << 20, NULL);
	uint64_t offset = offset_of((void *)mark), begin = UINT64_MAX, end = 0;
	unsigned int seed = 1, known = 0;
	Elf64_Shdr *sections;
	struct told told;
	uint32_t file;
	size_t i, j;
	char *bytes;
	int fd;

	self_read();
	bytes = malloc(self_size);
	sections = (Elf64_Shdr *)(void *)(self + ((Elf64_Ehdr *)(void *)self)->e_shoff);
	for (i = 1; i < ((Elf64_Ehdr *)(void *)self)->e_shnum; i++) {
		/* The sections with debug information are the last that are not loaded. */
		if (sections[i].sh_type != SHT_PROGBITS || sections[i].sh_flags & SHF_ALLOC)
			continue;
		begin = sections[i].sh_offset < begin ? sections[i].sh_offset : begin;
		end = sections[i].sh_offset + sections[i].sh_size > end ?
			      sections[i].sh_offset + sections[i].sh_size :
			      end;
	}
	ck_assert_uint_lt(begin, end);
	for (i = 0; i < 120; i++) {
		size_t size = i % 4 ? self_size : self_size - (self_size / 120) * i;

		memcpy(bytes, self, self_size);
		for (j = 0; j < 1u << (i % 12) && i % 4; j++) {
			seed = seed * 1103515245u + 12345u;
			bytes[begin + (seed >> 1) % (end - begin)] = (char)(seed >> 16);
		}
		fd = file_of(bytes, size);
		file = resolver_add(resolver, fd, i % 3 ? -1 : fd, "self");
		close(fd);
		known += ask(resolver, file, offset, &told);
		ck_assert_uint_lt(strlen(told.path), RESOLVER_PATH_LEN);
	}
	ck_assert_uint_gt(known, 0);
	free(bytes);
	fd = file_of(self, self_size);
	file = resolver_add(resolver, fd, -1, "self");
	close(fd);
	ck_assert(ask(resolver, file, offset, &told));
	resolver_free(resolver);
}

/* What stands between a program and CUDA, and what only looks like it. */
TEST(wrapping_functions_are_known)
{
	static const struct {
		const char *name, *file;
		bool is;
	} cases[] = {
		{ "cudaMalloc", "vectorAdd", true }, /* the template of CUDA's header */
		{ "cuMemAllocTyped", "a.out", true },
		{ "cudata_load", "a.out", false },
		{ "custom_alloc", "a.out", false },
		{ "thrust::detail::allocate", "a.out", true },
		{ "thrusters::fire", "a.out", false },
		{ "c10::cuda::CUDACachingAllocator::raw_alloc", "libtorch.so", true },
		{ "at::native::empty_cuda", "libtorch_cuda.so", true },
		{ "atlas::load", "a.out", false },
		{ "__device_stub__ZN2ns4fillIfEEvPT_i", "a.out", true },
		{ "device_stub", "a.out", false },
		{ "std::vector::reserve", "a.out", true },
		{ "ffi_call", "libffi.so.8", true },
		{ "_cgo_e521a4851c07_Cfunc_cudaMalloc", "a.out", true },
		{ "main._Cfunc_cudaMalloc", "a.out", true },
		{ "main.alloc", "a.out", false },
		{ "core::load", "a.out", false },
		{ NULL, "libffi.so.8", true },
		{ NULL, "a.out", false },
		{ "main", "libcudart.so.13", true },
		{ "main", "a.out", false },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(cases); i++)
		ck_assert_msg(wrapper_is_function(cases[i].name, cases[i].file) == cases[i].is,
			      "%s (%s)", cases[i].name ? cases[i].name : "-", cases[i].file);
}

int main(void)
{
	return mark() < 0 ? EXIT_FAILURE : tests_run();
}
