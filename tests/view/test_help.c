/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The help: its pages, how they are turned, and that nothing lacks an explanation. */
#include "at_screen.h"
#include "view/list.h"

enum { TABLE = 1, FIRST_PANE = 2, SIGNS = FIRST_PANE + PANE_COUNT };

/* A column without its line does not pass. */
START_TEST(columns_are_explained)
{
	for (int i = 0; i < PANE_COUNT; i++) {
		ck_assert_uint_gt(panes[i]->column_count, 0);
		for (size_t j = 0; j < panes[i]->column_count; j++) {
			const struct list_column *column = &panes[i]->columns[j];

			ck_assert_msg(column->help && column->help[0], "%s: %s has no help",
				      panes[i]->title, column_title(panes[i], column));
			ck_assert_msg(strlen(column->help) <= COLUMN_HELP, "%s: %s: too long",
				      panes[i]->title, column_title(panes[i], column));
			ck_assert(column->help[strlen(column->help) - 1] != '.');
		}
	}
	for (size_t i = 0; i < column_count; i++)
		ck_assert(columns[i].help && strlen(columns[i].help) <= COLUMN_HELP);
}
END_TEST

/* Each column is on the page of its pane, in a screen of any size, and not cut. */
START_TEST(pages_have_all_columns)
{
	static const int sizes[][2] = { { 24, 80 }, { 40, 120 }, { 60, 200 } };

	for (int size = 0; size < 3; size++) {
		ck_assert_int_eq(canvas_resize(&canvas, sizes[size][0], sizes[size][1]), 0);
		for (int i = 0; i < PANE_COUNT; i++) {
			char key[2] = { (char)('0' + i), 0 };

			keys("?");
			keys(key);
			ck_assert_int_eq(view.help.page, FIRST_PANE + i);
			for (size_t j = 0; j < panes[i]->column_count; j++)
				ck_assert_msg(row_with(panes[i]->columns[j].help)[0] != 0,
					      "%s: %s is not there", panes[i]->title,
					      column_title(panes[i], &panes[i]->columns[j]));
			keys("\033");
		}
	}
}
END_TEST

START_TEST(pages_are_turned)
{
	keys("5?");
	ck_assert_int_eq(view.help.page, 0);
	ck_assert_str_ne(row_with(" one row up"), "");
	ck_assert_str_ne(row_with("Tab: columns and signs"), "");
	keys("G");
	ck_assert_int_gt(view.help.top, 0);
	keys("\t");
	ck_assert_int_eq(view.help.page, TABLE);
	ck_assert_int_eq(view.help.top, 0);
	ck_assert_str_ne(row_with("bytes of VRAM allocated"), "");
	keys("hh");
	ck_assert_int_eq(view.help.page, SIGNS);
	ck_assert_str_ne(row_with("seems so, without proof"), "");
	keys("l");
	ck_assert_int_eq(view.help.page, 0);
	/* A second ? explains what is on the screen; any other key closes. */
	keys("?");
	ck_assert_int_eq(view.help.page, TABLE);
	keys("?");
	ck_assert_int_eq(view.help.page, FIRST_PANE + PANE_CALLS);
	keys("?");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	keys("?");
	ck_assert_int_eq(view.help.page, 0);
	keys("z");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_int_eq(view.settings.pane, PANE_CALLS);
}
END_TEST

/* Why a figure is a bound or an estimate stands first on the table's page, of the selected process. */
START_TEST(signs_have_reasons)
{
	struct snapshot *snapshot = cast_snapshot(11);
	struct snap_process *process = cast_member(snapshot, CAST_TRAINER);

	ck_assert_int_eq(canvas_resize(&canvas, 40, 120), 0);
	process->sampled = false;
	keys("/4242\r");
	view_feed(&view, snapshot);
	keys("??");
	ck_assert_str_eq(row_with("and why"), "");
	snapshot = cast_snapshot(12);
	process = cast_member(snapshot, CAST_TRAINER);
	process->from_attach = process->runtime_late = process->inexact = true;
	process->given_ever = 1u << SPARE_CALLS | 1u << SPARE_LAUNCHES;
	process->suspect = 1;
	view_feed(&view, snapshot);
	draw();
	ck_assert_str_ne(row_with("Signs of 4242 python, and why"), "");
	ck_assert_str_ne(row_with("before cutop watched it"), "");
	ck_assert_str_ne(row_with("one launch in 67"), "");
	ck_assert_str_ne(row_with("one second of several"), "");
	ck_assert_str_ne(row_with("given up for a time"), "");
	ck_assert_str_ne(row_with("may be freed yet"), "");
	ck_assert_str_ne(row_with("something of it was lost"), "");
}
END_TEST

START_TEST(by_mouse)
{
	keys("?");
	ck_assert_int_gt(view.help.tabs.rows, 0);
	view_mouse(&view, view.help.tabs.row, view.help.tabs.col + 8, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_HELP);
	ck_assert_int_eq(view.help.page, TABLE);
	draw();
	view_mouse(&view, 10, 10, MOUSE_WHEEL_DOWN);
	draw();
	ck_assert_int_gt(view.help.top, 0);
	view_mouse(&view, view.menu.rect.row + 2, view.menu.rect.col + 3, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
}
END_TEST

/* Text is broken between words where there is no room, and no size is too small. */
START_TEST(narrow)
{
	ck_assert_int_eq(canvas_resize(&canvas, 24, 44), 0);
	keys("?");
	ck_assert_str_ne(row_with("Keys, page 1 of "), "");
	ck_assert_str_ne(row_with(" keep the selected process "), "");
	ck_assert_str_ne(row_with("     in sight "), "");
	ck_assert_str_eq(row_with("…"), "");
	for (int rows = 1; rows < 30; rows += 2)
		for (int cols = 1; cols < 130; cols += 7) {
			ck_assert_int_eq(canvas_resize(&canvas, rows, cols), 0);
			for (int page = 0; page <= SIGNS; page++)
				keys("\t");
		}
}
END_TEST

Suite *suite_help(void)
{
	Suite *suite = suite_create("help");
	TCase *tests = tcase_create("help");

	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, columns_are_explained);
	tcase_add_test(tests, pages_have_all_columns);
	tcase_add_test(tests, pages_are_turned);
	tcase_add_test(tests, signs_have_reasons);
	tcase_add_test(tests, by_mouse);
	tcase_add_test(tests, narrow);
	suite_add_tcase(suite, tests);
	return suite;
}
