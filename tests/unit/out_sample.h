/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots built by hand for the tests of printers, and what those tests share. */
#ifndef TESTS_OUT_SAMPLE_H
#define TESTS_OUT_SAMPLE_H

#include "print/print.h"
#include "run_tests.h"

/*
 * Three processes: 4107 leaked and exited, 4242 trains, 4311 was watched since
 * attach, with failures and suspects; with lost events, every kind of absent
 * figure, wide characters and names that need quoting. Returns the same object
 * each time, filled anew: a test may change it.
 */
struct snapshot *sample_snapshot(void);

/* No process, no rate: the first snapshot on an idle machine. */
struct snapshot *sample_empty(void);

typedef int (*printer)(FILE *stream, const struct snapshot *snapshot, struct out_options *options);

/* By live bytes, no colour, no limit. */
void sample_options(struct out_options *options);

/* What @print writes; to be freed. */
char *sample_print(printer print, const struct snapshot *snapshot, struct out_options *options);

#endif
