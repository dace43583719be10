/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view without a terminal. */
#include <locale.h>
#include <stdlib.h>

#include "cast.h"

int main(void)
{
	SRunner *runner = srunner_create(suite_canvas());
	int failed;

	/* Widths of characters are the C library's business, and need a locale that has any. */
	setlocale(LC_CTYPE, "C.UTF-8");
	srunner_add_suite(runner, suite_details());
	srunner_add_suite(runner, suite_fold());
	srunner_add_suite(runner, suite_layout());
	srunner_add_suite(runner, suite_help());
	srunner_add_suite(runner, suite_history());
	srunner_add_suite(runner, suite_input());
	srunner_add_suite(runner, suite_cells());
	srunner_add_suite(runner, suite_map());
	srunner_add_suite(runner, suite_modes());
	srunner_add_suite(runner, suite_mouse());
	srunner_add_suite(runner, suite_narrow());
	srunner_add_suite(runner, suite_no_memory());
	srunner_add_suite(runner, suite_places());
	srunner_add_suite(runner, suite_log());
	srunner_add_suite(runner, suite_plot());
	srunner_add_suite(runner, suite_rows());
	srunner_add_suite(runner, suite_settings());
	srunner_add_suite(runner, suite_sites());
	srunner_add_suite(runner, suite_tags());
	srunner_add_suite(runner, suite_sizes());
	srunner_add_suite(runner, suite_tensors());
	srunner_add_suite(runner, suite_users());
	srunner_add_suite(runner, suite_themes());
	srunner_add_suite(runner, suite_golden());
	srunner_add_suite(runner, suite_golden_devices());
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
