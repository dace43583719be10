/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where calls failed: in the pane of failures, and in the log. */
#include "at_screen.h"

#define STEP_SITE "step at train.py:12 (python)"
#define STEP \
	{ \
		STEP_SITE, step_stack, 3, NULL, 0, 0 \
	}

static const char *const step_stack[] = { "libffi.so.8+0x6f7a", STEP_SITE,
					  "<module> at train.py:30 (python)" };
static const struct snap_place step = STEP;
static const struct snap_detail no_memory = {
	.line_count = 2,
	.lines = { { 12884901888, 3, false, 1, 0, "0x1000", STEP },
		   { 1048576,
		     1,
		     false,
		     2,
		     0,
		     "main+0x20 (failing)",
		     { NULL, NULL, 0, NULL, 0, 0 } } },
};

/* The cast, with places, on a screen of @cols. */
static void places(int cols)
{
	struct snapshot *snapshot = cast_snapshot(10);

	for (size_t i = 0; i < snapshot->process_count; i++)
		if (snapshot->processes[i].pid == 4400) {
			snapshot->processes[i].failure_list[0].where = step;
			snapshot->processes[i].failure_list[1].where.site = "launch+0x8 (failing)";
			snapshot->processes[i].failure_list[1].kernel = "saxpy";
			snapshot->processes[i].failure_list[1].shown = "saxpy<float>";
		}
	snapshot->events[1].detail = &no_memory;
	view_feed(&view, snapshot);
	ck_assert_int_eq(canvas_resize(&canvas, 40, cols), 0);
	keys("/failing\r");
	view.search[0] = 0;
}

START_TEST(failures_have_their_first_site)
{
	places(200);
	keys("4");
	ck_assert_ptr_nonnull(strstr(row_with("WHAT IT MEANS"), "FIRST SITE"));
	ck_assert_ptr_nonnull(
		strstr(row_with("cudaErrorMemoryAllocation"), "step at train.py:12 (python)"));
	ck_assert_ptr_nonnull(
		strstr(row_with("cudaErrorInvalidConfiguration"), "launch+0x8 (failing)"));
	ck_assert_ptr_nonnull(strstr(row_with("cudaErrorIllegalAddress"), " -  "));
	/* All of the way there is in the details, below the list. */
	ck_assert_int_gt(row_number("<module>"), row_number("cudaErrorIllegalAddress"));
	/* The kernel stands below the launch that failed. */
	ck_assert_int_eq(row_number("  kernel saxpy<float>"),
			 row_number("cudaErrorInvalidConfiguration") + 1);
}
END_TEST

START_TEST(without_room_it_stands_below)
{
	places(80);
	keys("4");
	ck_assert_str_eq(row_with("FIRST SITE"), "");
	ck_assert_ptr_nonnull(strstr(row_with("step at"), "  step at train.py:12 (python)"));
	ck_assert_ptr_null(strstr(row_with("step at"), "cudaErrorMemoryAllocation"));
	ck_assert_int_eq(row_number("  launch+0x8 (failing)"),
			 row_number("  kernel saxpy<float>") + 1);
	/* Sorted, each stays behind its failure. */
	keys("<<<>");
	ck_assert_str_ne(row_with("step at train.py:12 (python)"), "");
}
END_TEST

START_TEST(the_stack_is_in_the_details)
{
	places(200);
	keys("4zz\r");
	ck_assert_int_eq(view.focus, FOCUS_DETAILS);
	ck_assert_str_ne(row_with("libffi.so.8+0x6f7a"), "");
	ck_assert_str_ne(row_with("<module> at train.py:30 (python)"), "");
}
END_TEST

START_TEST(the_log_tells_who_held_most)
{
	places(80);
	keys("7z");
	ck_assert_str_eq(row_with("12.0G in 3"), "");
	keys("\r");
	for (size_t i = 0; i < 20 && !*row_with("12.0G in 3"); i++)
		keys("\033j\r");
	ck_assert_ptr_nonnull(
		strstr(row_with("12.0G in 3"), "12.0G in 3 allocations from step at"));
	ck_assert_str_ne(row_with("1.0M in 1 allocation from main+0x20"), "");
}
END_TEST

Suite *suite_places(void)
{
	Suite *suite = suite_create("places");
	TCase *tests = tcase_create("places");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, failures_have_their_first_site);
	tcase_add_test(tests, without_room_it_stands_below);
	tcase_add_test(tests, the_stack_is_in_the_details);
	tcase_add_test(tests, the_log_tells_who_held_most);
	suite_add_tcase(suite, tests);
	return suite;
}
