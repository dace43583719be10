/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the user names: what is asked for, which files that means, and which symbols. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/extra_functions.h"
#include "probe_tests.h"

static struct extra_functions *extras_of(const char *request)
{
	struct extra_functions *extras = NULL;
	struct reason why = { "" };
	int err = extra_functions_new(&extras, &request, 1, &why);

	ck_assert_msg(!err, "%s: %s", request, why.text);
	return extras;
}

START_TEST(requests_that_make_no_sense)
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
		ck_assert_msg(extra_functions_new(&extras, &requests[i], 1, &why) == -EINVAL, "%s",
			      requests[i]);
		ck_assert_ptr_null(extras);
		ck_assert_ptr_nonnull(strstr(why.text, "--probe"));
	}
	ck_assert_int_eq(extra_functions_new(&extras, NULL, 0, &why), 0);
	ck_assert(!extra_functions_want(extras, NULL, "/usr/lib/libfoo.so"));
	extra_functions_free(extras);
}
END_TEST

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

START_TEST(files_by_name)
{
	struct extra_functions *extras = extras_of(files[_i].request);

	ck_assert_msg(extra_functions_want(extras, NULL, files[_i].path) == files[_i].wanted,
		      "%s: %s", files[_i].request, files[_i].path);
	extra_functions_free(extras);
}
END_TEST

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

START_TEST(functions_by_name)
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
END_TEST

/* Returns are probed unasked in NVIDIA's libraries alone. */
START_TEST(returns_by_library)
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
END_TEST

START_TEST(functions_are_bounded)
{
	struct elf_functions found;
	struct extra_functions *extras;

	ck_assert_int_eq(find("*", &extras, &found), CUTOP_EXTRA_MAX);
	ck_assert(extra_functions_full(extras));
	free(found.list);
	extra_functions_free(extras);
}
END_TEST

void extras_tests(Suite *suite)
{
	TCase *loops = tcase_create("extras");

	probe_test_add(suite, "extras nonsense", requests_that_make_no_sense);
	tcase_add_loop_test(loops, files_by_name, 0, ARRAY_LEN(files));
	tcase_add_loop_test(loops, functions_by_name, 0, ARRAY_LEN(symbols));
	suite_add_tcase(suite, loops);
	probe_test_add(suite, "extras returns", returns_by_library);
	probe_test_add(suite, "extras bounded", functions_are_bounded);
}
