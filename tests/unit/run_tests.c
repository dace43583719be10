// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "run_tests.h"

static struct test_case *first, **last = &first;
static struct test_fixture *fixtures;

void test_register(struct test_case *test)
{
	*last = test;
	last = &test->next;
}

void test_fixture_register(struct test_fixture *fixture)
{
	fixture->next = fixtures;
	fixtures = fixture;
}

/* The case that @test is the first of: that of the file's timed tests, or of the others. */
static TCase *case_make(struct test_case *test)
{
	const char *base = strrchr(test->test.file, '/');
	const struct test_fixture *fixture;
	TCase *tests;

	base = base ? base + 1 : test->test.file;
	if (!strncmp(base, "test_", 5))
		base += 5;
	snprintf(test->name, sizeof(test->name), "%.*s", (int)strcspn(base, "."), base);
	tests = tcase_create(test->name);
	/* Seconds: the slowest take one. */
	tcase_set_timeout(tests, 120);
	if (test->timed)
		tcase_set_tags(tests, "timed");
	for (fixture = fixtures; fixture; fixture = fixture->next)
		if (!strcmp(fixture->file, test->test.file))
			tcase_add_checked_fixture(tests, fixture->setup, fixture->teardown);
	return tests;
}

int tests_run(void)
{
	Suite *suite = suite_create("tests");
	struct test_case *test, *before = NULL;
	SRunner *runner;
	TCase *tests = NULL;
	int failed;

	for (test = first; test; test = test->next) {
		/* A file's tests come one after the other. */
		if (!tests || test->timed != before->timed ||
		    strcmp(test->test.file, before->test.file)) {
			tests = case_make(test);
			suite_add_tcase(suite, tests);
		}
		tcase_add_loop_test(tests, &test->test, 0, test->count);
		before = test;
	}
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
