# SPDX-License-Identifier: GPL-2.0-or-later
# The feed between a ring and maps that are made up; feed_link: tests/fuzz/fuzz.mk. The same for stacks.
if HAVE_CHECK
check_PROGRAMS += tests/unit/test_feed tests/unit/test_native_stacks
TESTS += tests/unit/test_feed tests/unit/test_native_stacks
endif

tests_unit_test_feed_SOURCES = tests/fuzz/feed_world.c tests/fuzz/feed_process.c tests/fuzz/feed_world.h tests/unit/test_feed.c
tests_unit_test_feed_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_feed_LDFLAGS = $(AM_LDFLAGS) $(feed_link)
tests_unit_test_feed_LDADD = $(probe_libs) $(core_libs) $(check_libs)

tests_unit_test_native_stacks_SOURCES = tests/unit/test_native_stacks.c
tests_unit_test_native_stacks_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_native_stacks_LDADD = $(probe_libs) $(core_libs) $(check_libs)
