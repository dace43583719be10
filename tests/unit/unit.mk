# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests of the model and of names. Included by the top-level Makefile.am.
TESTS += tests/unit/test_errors.sh tests/unit/test_call_table.sh tests/unit/test_arguments.sh
EXTRA_DIST += tests/unit/test_errors.sh tests/unit/test_call_table.sh tests/unit/test_arguments.sh tests/generate-errors.sh

# What registers and runs the tests of a program, with a main() for those that have none.
check_libs = tests/unit/librun_tests.a $(CHECK_LIBS)
tests_unit_librun_tests_a_SOURCES = tests/unit/run_tests.c tests/unit/run_tests.h tests/unit/run_tests_main.c
tests_unit_librun_tests_a_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
if HAVE_CHECK
check_LIBRARIES = tests/unit/librun_tests.a
check_PROGRAMS += tests/unit/test_model tests/unit/test_kernel_names
TESTS += tests/unit/test_model tests/unit/test_kernel_names
else
TESTS += tests/unit/test_absent.sh
endif
EXTRA_DIST += tests/unit/test_absent.sh

tests_unit_test_model_SOURCES = \
	tests/unit/feed.c tests/unit/feed.h tests/unit/holds.h tests/unit/one_process.h tests/unit/rows.h \
	tests/unit/test_call_sites.c \
	tests/unit/test_time_shares.c \
	tests/unit/test_columns.c \
	tests/unit/test_copies.c \
	tests/unit/test_counters.c \
	tests/unit/test_demangle.c \
	tests/unit/test_findings.c \
	tests/unit/one_graph.h \
	tests/unit/test_graphs.c \
	tests/unit/test_graphs_unseen.c \
	tests/unit/test_leaks.c \
	tests/unit/test_verdicts.c \
	tests/unit/test_mappings.c \
	tests/unit/test_memory.c \
	tests/unit/test_log.c \
	tests/unit/test_mortem.c \
	tests/unit/test_outcomes.c \
	tests/unit/test_places.c \
	tests/unit/test_processes.c \
	tests/unit/test_random.c \
	tests/unit/test_spans.c \
	tests/unit/test_readings.c \
	tests/unit/test_stacks.c \
	tests/unit/test_stream.c \
	tests/unit/test_blocks.c \
	tests/unit/test_suspect.c \
	tests/unit/test_totals.c \
	tests/unit/test_tables.c \
	tests/unit/test_utf8.c
tests_unit_test_model_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_model_LDADD = $(core_libs) $(check_libs)

tests_unit_test_kernel_names_SOURCES = \
	tests/unit/feed.c tests/unit/feed.h tests/unit/one_process.h \
	tests/unit/test_kernel_names.c
tests_unit_test_kernel_names_CPPFLAGS = $(AM_CPPFLAGS) -DSYMBOLS='"$(abs_top_srcdir)/tests/unit/kernel_names.txt"'
tests_unit_test_kernel_names_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_kernel_names_LDADD = $(core_libs) $(check_libs)
EXTRA_DIST += tests/unit/kernel_names.txt


