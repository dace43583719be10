/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the user names: what is asked for, which files that means, and which symbols. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/pools.h"
#include "probe/extra_functions.h"
#include "probe_tests.h"

static struct extra_functions *extras_of(const char *request)
{
	struct extra_functions *extras = NULL;
	struct reason why = { "" };
	int err = extra_functions_new(&extras, &request, 1, NULL, &why);

	ck_assert_msg(!err, "%s: %s", request, why.text);
	return extras;
}

TEST(requests_that_make_no_sense)
{
	static const char *const requests[] = {
		"",
		":",
		"libfoo",
		"libfoo:",
		":symbol",
		"libfoo:=status",
		"libfoo:symbol=sometimes",
		"libfoo:symbol=Status",
	};
	struct extra_functions *extras = (struct extra_functions *)&extras;
	struct reason why = { "" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(requests); i++) {
		why.text[0] = 0;
		ck_assert_msg(extra_functions_new(&extras, &requests[i], 1, NULL, &why) == -EINVAL,
			      "%s", requests[i]);
		ck_assert_ptr_null(extras);
		ck_assert_ptr_nonnull(strstr(why.text, "--probe"));
	}
	ck_assert_int_eq(extra_functions_new(&extras, NULL, 0, NULL, &why), 0);
	ck_assert(!extra_functions_want(extras, NULL, "/usr/lib/libfoo.so"));
	extra_functions_free(extras);
}

/* ---- pools ---- */

static int pools_of_bytes(const char *text, size_t len, struct pools **pools, struct reason *why)
{
	char path[] = "/tmp/cutop-pool.XXXXXX";
	const char *const files[] = { path };
	int fd = mkstemp(path), err;

	*pools = NULL;
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
	close(fd);
	err = pools_read(pools, files, 1, why);
	unlink(path);
	return err;
}

static int pools_of(const char *text, struct pools **pools, struct reason *why)
{
	return pools_of_bytes(text, strlen(text), pools, why);
}

TEST(a_pool_described)
{
	struct reason why = { "" };
	const struct pool_function *function;
	struct pools *pools;
	int err = pools_of("# ours\n"
			   "pool arena\n"
			   "\tlibrary libarena.so*  # any version\n"
			   "allocate Arena::take bytes=2 result=1 granule=64\n"
			   "free Arena::give address=1\n"
			   "\n"
			   "pool slab-2\n"
			   "library /opt/slab.so\n"
			   "free slab_free address=0\n"
			   "allocate slab_new bytes=0",
			   &pools, &why);

	ck_assert_msg(!err, "%s", why.text);
	ck_assert_int_eq(pools->count, 2);
	ck_assert_str_eq(pools->names[1], "slab-2");
	ck_assert_int_eq(pools->function_count, 4);
	function = &pools->functions[0];
	ck_assert_str_eq(function->library, "libarena.so*");
	ck_assert_str_eq(function->symbol, "Arena::take");
	ck_assert_int_eq(function->form.allocator, ALLOCATOR_KINDS);
	ck_assert_int_eq(function->form.act, BLOCK_MADE);
	ck_assert_int_eq(function->form.bytes, 2);
	ck_assert_int_eq(function->form.result, 2);
	ck_assert_int_eq(function->form.granule, 64);
	function = &pools->functions[2];
	ck_assert_int_eq(function->form.allocator, ALLOCATOR_KINDS + 1);
	ck_assert_int_eq(function->form.act, BLOCK_RETURNED);
	ck_assert_int_eq(function->form.address, 0);
	pools_free(pools);
}

#define POOL     "pool p\nlibrary l\n"
#define ALLOCATE "allocate a bytes=1\n"
#define FREE     "free f address=1\n"
#define FOUR(n) \
	"allocate a" #n " bytes=1\nallocate b" #n " bytes=1\nfree c" #n " address=1\nfree d" #n \
	" address=1\n"

static const struct {
	const char *text, *why;
} wrong_pools[] = {
	{ "", ":1: describes no pool" },
	{ "library l\n", ":1: the first line is 'pool NAME'" },
	{ "pool\n", ":1: a pool has a name" },
	{ "pool a b\n", ":1: a pool has one name" },
	{ "pool a/b\n", ":1: a pool's name has letters" },
	{ "pool abcdefghijabcdefghijabcdefghijab\n", ":1: a pool's name has 31 characters" },
	{ "pool bfc\n", ":1: cutop has a pool bfc" },
	{ POOL ALLOCATE FREE "pool p\n", ":5: there are two pools p" },
	{ POOL ALLOCATE ALLOCATE FREE, ":4: a has a line before this one" },
	{ POOL ALLOCATE "pool q\n", ":4: pool p has no line 'free" },
	{ POOL FREE, ":4: pool p has no line 'allocate" },
	{ "pool p\nallocate a bytes=1\n", ":2: a line 'library GLOB'" },
	{ POOL "allocate\n", ":3: which function?" },
	{ POOL "allocate a\n", ":3: which argument? bytes=N" },
	{ POOL "free f\n", ":3: which argument? address=N" },
	{ POOL "allocate a bytes=6\n", ":3: 'bytes=6': bytes is a number from 0 to 5" },
	{ POOL "allocate a bytes=x\n", ":3: 'bytes=x': bytes is a number" },
	{ POOL "allocate a bytes=\n", ":3: 'bytes=': bytes is a number" },
	{ POOL "allocate a bytes=-1\n", ":3: 'bytes=-1': bytes is a number" },
	{ POOL "allocate a bytes=1 result=1\n", ":3: bytes and result are the same" },
	{ POOL "allocate a bytes=1 granule=3\n", ":3: granule is a power of two" },
	{ POOL "allocate a size=1\n", ":3: 'size=1': allocate takes bytes=N" },
	{ POOL "free f bytes=1\n", ":3: 'bytes=1': free takes address=N" },
	{ POOL "release f address=1\n", ":3: 'release' is none of" },
	{ POOL "a b c d e f g h i\n", ":3: more than 8 words" },
	{ POOL FOUR(1) FOUR(2) FOUR(3) FOUR(4) FREE, ":19: there are more than 16 functions" },
};

/* What follows a NUL, or the most that is read, is not left out in silence. */
TEST(a_pool_of_no_text)
{
	const char text[] = POOL ALLOCATE FREE "\0nonsense\n";
	struct reason why = { "" };
	size_t len = 1 << 20;
	char *long_text = malloc(len);
	struct pools *pools;

	ck_assert_int_eq(pools_of_bytes(text, sizeof(text) - 1, &pools, &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, ": it is no text"));
	ck_assert_ptr_nonnull(long_text);
	memset(long_text, '\n', len);
	memcpy(long_text, text, strlen(text));
	ck_assert_int_eq(pools_of_bytes(long_text, len, &pools, &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, ": it is too long"));
	ck_assert_int_eq(pools_of_bytes(long_text, len - 1, &pools, &why), 0);
	pools_free(pools);
	free(long_text);
}

TEST_LOOP(a_pool_that_makes_no_sense, ARRAY_LEN(wrong_pools))
{
	struct reason why = { "" };
	struct pools *pools;

	ck_assert_int_eq(pools_of(wrong_pools[_i].text, &pools, &why), -EINVAL);
	ck_assert_ptr_null(pools);
	ck_assert_msg(strstr(why.text, wrong_pools[_i].why), "%s, not %s", why.text,
		      wrong_pools[_i].why);
}

static const struct {
	const char *request, *path;
	bool wanted;
} files[] = {
	{ "libcublas.so.12:f", "/usr/lib/libcublas.so.12", true },
	{ "libcublas.so.12:f", "/usr/lib/libcublas.so.12.1.3", true },
	{ "libcublas.so.12:f", "/usr/lib/libcublas.so.13", false },
	{ "libcublas.so.12:f", "/usr/lib/libcublasLt.so.12", false },
	{ "libcublas:f", "/usr/lib/libcublas.so.12", true },
	{ "cublas:f", "/usr/lib/libcublas.so.12", true },
	{ "cublas:f", "/usr/lib/libcublasLt.so.12", false },
	{ "cublas*:f", "/usr/lib/libcublasLt.so.12", true },
	{ "train:f", "/home/ana/train", true },
	{ "train:f", "/home/ana/trainer", false },
	{ "train:f", "train", true },
	/* A path means the file that it names, and there is none */
	{ "/home/ana/train:f", "/home/ana/train", false },
	{ "[:f", "/usr/lib/[", true },
};

TEST_LOOP(files_by_name, ARRAY_LEN(files))
{
	struct extra_functions *extras = extras_of(files[_i].request);

	ck_assert_msg(extra_functions_want(extras, NULL, files[_i].path) == files[_i].wanted,
		      "%s: %s", files[_i].request, files[_i].path);
	extra_functions_free(extras);
}

/* This program is the file: it has symbols. */
int probed_here(int number);
int probed_here(int number)
{
	return number;
}

int cublasProbedHere(int number);
int cublasProbedHere(int number)
{
	return number;
}

int twice(int number) __asm__("_ZN5extra6scaled5twiceIiEET_S2_");
int twice(int number)
{
	return 2 * number;
}

/* Looks for @symbol in this program, as if the file were called @name. */
static int find_in(const char *name, const char *symbol, struct extra_functions **extras,
		   struct elf_functions *found)
{
	char path[PATH_MAX] = "", request[PATH_MAX + 256];
	struct reason why = { "" };
	struct stat st;
	int fd, count;

	ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	fd = open(path, O_RDONLY);
	ck_assert_int_ge(fd, 0);
	snprintf(request, sizeof(request), "%s:%s", path, symbol);
	*extras = extras_of(request);
	memset(found, 0, sizeof(*found));
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert(extra_functions_want(*extras, &st, path));
	ck_assert(!extra_functions_want(*extras, &st, "anything"));
	/* The same by another name. */
	extras_settle(*extras, path, &st);
	ck_assert(extra_functions_want(*extras, &st, "anything"));
	count = extra_functions_find(*extras, fd, &st, name, found, &why);
	ck_assert_msg(count >= 0, "%s", why.text);
	ck_assert_uint_eq(found->count, (size_t)count);
	close(fd);
	return count;
}

static int find(const char *symbol, struct extra_functions **extras, struct elf_functions *found)
{
	return find_in("anything", symbol, extras, found);
}

static const struct {
	const char *symbol;
	int count;
	enum extra_result result;
} symbols[] = {
	{ "probed_here", 1, EXTRA_RESULT_UNSEEN },
	{ "probed_here=none", 1, EXTRA_RESULT_UNSEEN },
	{ "probed_here:returns", 1, EXTRA_RESULT_NONE },
	{ "probed_here:returns=null", 1, EXTRA_RESULT_NULL },
	{ "extra::returns", 0, 0 },
	{ "probed_here=null", 1, EXTRA_RESULT_NULL },
	{ "probed_here=negative", 1, EXTRA_RESULT_NEGATIVE },
	{ "probed_*:returns", 1, EXTRA_RESULT_NONE },
	{ "*robed*ere", 2, 0 },
	{ "cublasProbedHere", 1, EXTRA_RESULT_UNSEEN },
	{ "cublasProbedHere:returns", 1, EXTRA_RESULT_STATUS },
	{ "cublasProbedHere:returns=none", 1, EXTRA_RESULT_NONE },
	{ "extra::scaled::twice", 1, EXTRA_RESULT_UNSEEN },
	{ "extra::*:returns", 1, EXTRA_RESULT_NONE },
	{ "_ZN5extra6scaled5twiceIiEET_S2_", 1, EXTRA_RESULT_UNSEEN },
	{ "extra::scaled::thrice", 0, 0 },
	{ "no_such_function", 0, 0 },
};

TEST_LOOP(functions_by_name, ARRAY_LEN(symbols))
{
	struct elf_functions found;
	enum extra_result result;
	struct extra_functions *extras;

	ck_assert_int_eq(probed_here(1) + cublasProbedHere(1) + twice(1), 4);
	ck_assert_int_eq(find(symbols[_i].symbol, &extras, &found), symbols[_i].count);
	ck_assert_uint_eq(extra_functions_count(extras), (size_t)symbols[_i].count);
	if (symbols[_i].count == 1) {
		ck_assert_uint_eq(found.list[0].call, CUTOP_EXTRA);
		ck_assert_uint_ne(found.list[0].offset, 0);
		ck_assert_ptr_nonnull(extra_functions_symbol(extras, 0, &result));
		ck_assert_int_eq(result, symbols[_i].result);
		ck_assert(found.list[0].entry_only == (result == EXTRA_RESULT_UNSEEN));
	}
	ck_assert(!extra_functions_full(extras));
	free(found.list);
	extra_functions_free(extras);
}

/* Returns are probed unasked in NVIDIA's libraries alone. */
TEST(returns_by_library)
{
	static const struct {
		const char *path;
		bool returns;
	} paths[] = {
		{ "/usr/lib/libcublas.so.12", true },    { "/x/libcublasLt.so.12.1", true },
		{ "/x/libcudart-d0da41ae.so.11", true }, { "libnccl.so.2", true },
		{ "/usr/lib/libcurl.so.4", false },      { "/usr/lib/libcudamine.so", false },
		{ "/home/ana/libcuda.so/train", false },
	};
	struct extra_functions *extras;
	struct elf_functions found;
	size_t i;

	for (i = 0; i < ARRAY_LEN(paths); i++) {
		ck_assert_int_eq(find_in(paths[i].path, "probed_here", &extras, &found), 1);
		ck_assert_msg(found.list[0].entry_only != paths[i].returns, "%s", paths[i].path);
		free(found.list);
		extra_functions_free(extras);
	}
}

TEST(functions_are_bounded)
{
	struct elf_functions found;
	struct extra_functions *extras;

	ck_assert_int_eq(find("*", &extras, &found), CUTOP_EXTRA_MAX);
	ck_assert(extra_functions_full(extras));
	free(found.list);
	extra_functions_free(extras);
}

/* Further names stay behind the functions, as long as these are. */
TEST(test_functions_append)
{
	const struct elf_function more[] = { { .call = 7 }, { .call = 8 } };
	struct elf_functions functions = { .count = 1, .aliases = 2 };
	const uint16_t calls[] = { 1, 7, 8, 2, 3 };

	functions.list = calloc(3, sizeof(*functions.list));
	ck_assert_ptr_nonnull(functions.list);
	for (uint16_t i = 0; i < 3; i++)
		functions.list[i].call = i + 1;
	ck_assert_int_eq(elf_functions_append(&functions, NULL, 0), 0);
	ck_assert_int_eq(elf_functions_append(&functions, more, 2), 0);
	ck_assert_uint_eq(functions.count, 3);
	ck_assert_uint_eq(functions.aliases, 2);
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		ck_assert_uint_eq(functions.list[i].call, calls[i]);
	free(functions.list);
}
