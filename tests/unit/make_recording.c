/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the sample recording to the file that is named: tests/recordings/regenerate.sh runs it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "record_sample.h"
#include "run_tests.h"

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
	TCase *tests = tcase_create("make");

	if (argc != 2) {
		fprintf(stderr, "usage: make_recording FILE\n");
		return EXIT_FAILURE;
	}
	path = argv[1];
	tcase_add_test(tests, make);
	return tests_run(tests, "make_recording");
}
