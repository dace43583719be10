# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings: the reader and the writer, and the golden ones of tests/recordings.
if HAVE_CHECK
check_PROGRAMS += tests/unit/test_record tests/unit/make_recording
TESTS += tests/unit/test_record
endif

record_sample_sources = tests/unit/feed.c tests/unit/feed.h tests/unit/record_sample.c tests/unit/record_sample.h
tests_unit_test_record_SOURCES = \
	tests/unit/record_tests.h \
	tests/unit/test_record.c \
	tests/unit/test_record_broken.c \
	tests/unit/test_record_writing.c \
	$(record_sample_sources)
tests_unit_test_record_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_record_LDADD = $(probe_libs) $(core_libs) $(check_libs)
tests_unit_make_recording_SOURCES = tests/unit/make_recording.c $(record_sample_sources)
tests_unit_make_recording_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_make_recording_LDADD = $(core_libs) $(check_libs)

TESTS += tests/recordings/test_recordings.sh tests/recordings/test_outcomes.sh tests/recordings/test_shares.sh
# Made with --trace --stacks, on an H200 with driver 580.
EXTRA_DIST += tests/recordings/test_outcomes.sh tests/recordings/test_shares.sh tests/recordings/h200/f_calls.cutop \
	tests/recordings/h200/f_err.cutop tests/recordings/h200/numba.cutop
EXTRA_DIST += tests/recordings/test_recordings.sh tests/recordings/regenerate.sh tests/recordings/sample.cutop \
	tests/recordings/sample.sparse.txt tests/recordings/sample.members tests/recordings/sample.csv tests/recordings/sample.folded \
	tests/recordings/sample.openmetrics tests/recordings/sample.trace.json tests/recordings/sample.chrome.json
# Made with --trace --stacks, of a Python program.
EXTRA_DIST += tests/recordings/python.cutop tests/recordings/python.trace.txt tests/recordings/python.txt tests/recordings/python.leaked.folded
# Made with --trace --leak-age 0.2, of tests/e2e/tensors.c: seed:2 random:24 every:250 grow:18 ask:1099511627776 keep:20971520 random:8.
EXTRA_DIST += tests/recordings/tensors.cutop tests/recordings/tensors.txt tests/recordings/tensors.tensors.folded tests/recordings/tensors.rising.folded
