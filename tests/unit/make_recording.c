/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the sample recording to the file that is named: tests/recordings/regenerate.sh runs it. */
#include <stdio.h>
#include <stdlib.h>

#include "record_sample.h"
#include "run_tests.h"

static const char *path;

TEST(make)
{
	struct sample sample;

	sample_record(&sample, path, SAMPLE_WHOLE);
	sample_free(&sample);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_recording FILE\n");
		return EXIT_FAILURE;
	}
	path = argv[1];
	return tests_run();
}
