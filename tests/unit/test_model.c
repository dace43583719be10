/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the unit tests of the model and of names. */
#include <stdlib.h>

#include "feed.h"

int main(void)
{
	SRunner *runner = srunner_create(suite_memory());
	int failed;

	srunner_add_suite(runner, suite_leaks());
	srunner_add_suite(runner, suite_verdicts());
	srunner_add_suite(runner, suite_mappings());
	srunner_add_suite(runner, suite_counters());
	srunner_add_suite(runner, suite_outcomes());
	srunner_add_suite(runner, suite_copies());
	srunner_add_suite(runner, suite_processes());
	srunner_add_suite(runner, suite_log());
	srunner_add_suite(runner, suite_mortem());
	srunner_add_suite(runner, suite_places());
	srunner_add_suite(runner, suite_findings());
	srunner_add_suite(runner, suite_suspect());
	srunner_add_suite(runner, suite_blocks());
	srunner_add_suite(runner, suite_stacks());
	srunner_add_suite(runner, suite_call_sites());
	srunner_add_suite(runner, suite_time_shares());
	srunner_add_suite(runner, suite_spans());
	srunner_add_suite(runner, suite_random());
	srunner_add_suite(runner, suite_columns());
	srunner_add_suite(runner, suite_tables());
	srunner_add_suite(runner, suite_demangle());
	srunner_add_suite(runner, suite_graphs());
	srunner_add_suite(runner, suite_graphs_unseen());
	srunner_add_suite(runner, suite_totals());
	srunner_add_suite(runner, suite_stream());
	srunner_add_suite(runner, suite_readings());
	srunner_add_suite(runner, suite_utf8());
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
