/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests of recordings: a program, a file per idea. */
#ifndef UNIT_RECORD_TESTS_H
#define UNIT_RECORD_TESTS_H

#include <stddef.h>

#include "record/reader.h"
#include "run_tests.h"

/* The path of a file @name in the tests' own folder. It stands until the next call. */
const char *record_path(const char *name);

/* All of a file, which the caller frees. */
char *record_bytes(const char *path, size_t *size);

/* As reader_open(), of a file that holds @bytes. */
int record_open(struct reader **reader, const void *bytes, size_t size, struct reason *why);

#endif
