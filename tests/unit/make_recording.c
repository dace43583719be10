/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the sample recording to the file that is named: tests/recordings/regenerate.sh runs it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "record_sample.h"

static const char *path;

START_TEST(make)
{
	struct sample sample;

	sample_record(&sample, path, SAMPLE_WHOLE);
	sample_free(&sample);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite = suite_create("make_recording");
	TCase *tests = tcase_create("make");
	SRunner *runner = srunner_create(suite);
	int failed;

	if (argc != 2) {
		fprintf(stderr, "usage: make_recording FILE\n");
		return EXIT_FAILURE;
	}
	path = argv[1];
	tcase_add_test(tests, make);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
