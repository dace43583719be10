/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the programs of unit tests end. */
#ifndef UNIT_RUN_TESTS_H
#define UNIT_RUN_TESTS_H

#include <check.h>
#include <stdlib.h>

/* Runs the suite, as $CK_VERBOSITY and its like say: what main() returns. */
static inline int suite_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The same of a suite of one case. */
static inline int tests_run(TCase *tests, const char *name)
{
	Suite *suite = suite_create(name);

	suite_add_tcase(suite, tests);
	return suite_run(suite);
}

#endif
