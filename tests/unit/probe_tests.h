/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests of what reads files of others and the command line: a program, a file per idea. */
#ifndef UNIT_PROBE_TESTS_H
#define UNIT_PROBE_TESTS_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>

/* Adds @test to @suite as a case of its own. */
void probe_test_add(Suite *suite, const char *name, const TTest *test);

void call_site_rows_tests(Suite *suite);
void closure_tests(Suite *suite);
void container_tests(Suite *suite);
void cost_tests(Suite *suite);
void elfinfo_tests(Suite *suite);
void errand_tests(Suite *suite);
void extras_tests(Suite *suite);
void arrivals_tests(Suite *suite);
void maps_tests(Suite *suite);
void near_tests(Suite *suite);
void options_tests(Suite *suite);
void outside_tests(Suite *suite);
void kernel_table_tests(Suite *suite);
void points_tests(Suite *suite);
void forwarders_tests(Suite *suite);
void python_tests(Suite *suite);
void runtime_code_tests(Suite *suite);

/* Opens a new file that holds @data. */
int file_of(const void *data, size_t size);

/*
 * Makes a small ELF file at @program, which has room for @room bytes: it defines
 * cudaMalloc and cudaFree, and needs libneeded.so.1, in $ORIGIN/sub by DT_RUNPATH
 * or DT_RPATH, and libgone.so. Returns its size.
 */
#define ELF_IMAGE_ROOM 4096
size_t elf_image(void *program, size_t room, bool runpath);

#endif
