/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A test is registered by being written:
 *
 *   TEST(name) { ... }               a test of the program that it is linked to
 *   TEST_LOOP(name, count) { ... }   one for each _i from 0 to count - 1
 *   TIMED_TEST_LOOP(name, count)     the same, left out by CK_EXCLUDE_TAGS=timed
 *   FIXTURE(setup, teardown);        are called before and after each test of the file
 *
 * All tests of a file are a case, named after the file: CK_RUN_CASE=memory runs those of
 * test_memory.c.
 */
#ifndef UNIT_RUN_TESTS_H
#define UNIT_RUN_TESTS_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

struct test_case {
	TTest test;
	int count;
	bool timed;
	char name[32]; /* of the case that it begins */
	struct test_case *next;
};

struct test_fixture {
	const char *file;
	SFun setup, teardown; /* or NULL */
	struct test_fixture *next;
};

void test_register(struct test_case *test);
void test_fixture_register(struct test_fixture *fixture);

/* Runs all that are registered, as $CK_VERBOSITY and its like say: what main() returns. */
int tests_run(void);

#define TEST_OF(name, number, is_timed) \
	static void name(int _i); \
	__attribute__((constructor)) static void name##_register(void) \
	{ \
		static struct test_case registered = { .test = { #name, name, __FILE__, \
								 __LINE__ }, \
						       .count = (int)(number), \
						       .timed = (is_timed) }; \
\
		test_register(&registered); \
	} \
	static void name(int _i __attribute__((unused)))
#define TEST(name)                   TEST_OF(name, 1, false)
#define TEST_LOOP(name, count)       TEST_OF(name, count, false)
#define TIMED_TEST_LOOP(name, count) TEST_OF(name, count, true)

#define FIXTURE(before, after) \
	static struct test_fixture the_fixture = { __FILE__, before, after, NULL }; \
	__attribute__((constructor)) static void fixture_register(void) \
	{ \
		test_fixture_register(&the_fixture); \
	} \
	_Static_assert(true, "")

#endif
