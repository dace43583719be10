/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells that do not hold what is to be shown: large figures, and names that are panned. */
#include <stdio.h>
#include <string.h>

#include "at_screen.h"

/* Whatever a cell holds, its neighbours' stay theirs. */
START_TEST(large_figures)
{
	struct snap_process *process;
	struct snap_kernel *kernels;

	keys("/4242\r2\r");
	process = (struct snap_process *)(uintptr_t)view_selected(&view);
	kernels = (struct snap_kernel *)(uintptr_t)process->kernels;
	ck_assert_int_eq(canvas_resize(&canvas, 60, 200), 0);
	kernels[0].failures = 123456789;
	kernels[0].launches = 1234567890;
	kernels[0].grid[0] = kernels[0].grid[1] = kernels[0].grid[2] = UINT32_MAX;
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("saxpy"), " \u2265123M "));
	ck_assert_ptr_nonnull(strstr(row_with("saxpy"), " 1.2G "));
	ck_assert_ptr_nonnull(strstr(row_with("saxpy"), "  4294967295\u2026 "));
	kernels[0].launches = 123456789;
	kernels[0].failures = 999999;
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("saxpy"), " 123456789 "));
	ck_assert_ptr_nonnull(strstr(row_with("saxpy"), " \u2265999999 "));
}
END_TEST

/* What is longer than its column is read by panning, to its end and no further. */
START_TEST(long_names)
{
	struct list_state *pane = &view.panes[PANE_KERNELS];
	int before;

	keys("g2c");
	ck_assert_int_eq(pane->shift, 0);
	keys("[");
	ck_assert_int_eq(pane->shift, 0);
	keys("]");
	ck_assert_int_gt(pane->shift, 0);
	for (int i = 0; i < 40; i++)
		keys("]");
	before = pane->shift;
	ck_assert_int_lt(before, 400);
	ck_assert_str_ne(row_with("Functor<float>)  "), "");
	keys("[");
	ck_assert_int_lt(pane->shift, before);
	keys("c[[[[[[[[[[[[[[[[[[[[");
	ck_assert_int_eq(pane->shift, 0);
}
END_TEST

/* Cells are panned, not characters: those that take none, or that are not shown, do not count. */
START_TEST(long_names_of_odd_characters)
{
	struct snap_process *process;
	struct snap_kernel *kernels;
	char name[400] = "";

	keys("/4242\r2\r");
	process = (struct snap_process *)(uintptr_t)view_selected(&view);
	kernels = (struct snap_kernel *)(uintptr_t)process->kernels;
	for (int i = 0; i < 10; i++)
		strcat(name, "\u0301\xff"); /* none, and one */
	for (char tens = '1', ones = '0'; tens <= '9'; ones == '9' ? ones = '0', tens++ : ones++)
		strncat(strncat(name, &tens, 1), &ones, 1);
	kernels[0].shown = name;
	keys("]");
	ck_assert_ptr_nonnull(strstr(row_with("1415"), "\u2026314151617"));
}
END_TEST

Suite *suite_cells(void)
{
	Suite *suite = suite_create("cells");
	TCase *tests = tcase_create("cells");

	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, large_figures);
	tcase_add_test(tests, long_names);
	tcase_add_test(tests, long_names_of_odd_characters);
	suite_add_tcase(suite, tests);
	return suite;
}
