/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clicks and the wheel, to actions to state, without a terminal. */
#include "at_screen.h"

START_TEST(on_the_screen)
{
	struct table_columns fit = table_fit(&view, 80);

	keys("P");
	view_mouse(&view, view.layout.table.row + 2, 5, MOUSE_CLICK);
	ck_assert_uint_eq(selected_pid(), view.rows[2].process->pid);
	view_mouse(&view, view.layout.titles.row, fit.start[1] + 1, MOUSE_CLICK);
	ck_assert_ptr_eq(view.settings.sort.keys[0], fit.columns[1]);
	view_mouse(&view, view.layout.tabs.row, 22, MOUSE_CLICK);
	ck_assert_int_eq(view.settings.pane, PANE_COPIES);
	view_mouse(&view, view.layout.tabs.row, 2, MOUSE_CLICK);
	ck_assert_int_eq(view.settings.pane, PANE_MEMORY);
	view_mouse(&view, view.layout.table.row, 5, MOUSE_DOUBLE);
	ck_assert(view_in_pane(&view));
	keys("\033");
	/* However long after the first, but not with a key or another click between. */
	draw();
	view_mouse(&view, view.layout.table.row + 1, 5, MOUSE_CLICK);
	ck_assert(!view_in_pane(&view));
	keys("j");
	view_mouse(&view, view.layout.table.row + 2, 5, MOUSE_CLICK);
	view_mouse(&view, view.layout.table.row + 1, 5, MOUSE_CLICK);
	view_mouse(&view, view.layout.tabs.row, 2, MOUSE_CLICK);
	view_mouse(&view, view.layout.table.row + 1, 5, MOUSE_CLICK);
	ck_assert(!view_in_pane(&view));
	view_mouse(&view, view.layout.table.row + 1, 5, MOUSE_CLICK);
	ck_assert(view_in_pane(&view));
	keys("\033");
	draw();
	view_mouse(&view, view.layout.bar.row, 2, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_HELP);
	view_mouse(&view, 5, 5, MOUSE_WHEEL_DOWN);
	ck_assert_int_eq(view.help_top, 1);
	view_mouse(&view, 5, 5, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	for (int row = -2; row < 30; row++)
		for (int col = -2; col < 90; col += 3)
			view_mouse(&view, row, col, MOUSE_WHEEL_UP);
}
END_TEST

START_TEST(in_menus)
{
	const struct column *second = &columns[1];

	keys("g");
	press(K_F6);
	view_mouse(&view, 0, 0, MOUSE_CLICK);
	ck_assert_msg(view.mode == INPUT_SORT, "a menu that was not drawn yet was clicked at");
	draw();
	view_mouse(&view, view.menu.row + 1, view.menu.col + 3, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_ptr_eq(view.settings.sort.keys[0], second);
	press(K_F6);
	keys("G");
	draw();
	ck_assert_uint_gt(view.menu_top, 0);
	view_mouse(&view, view.menu.row, view.menu.col, MOUSE_CLICK);
	ck_assert_ptr_eq(view.settings.sort.keys[0], &columns[view.menu_top]);
	press(K_F6);
	draw();
	view_mouse(&view, view.menu.row - 1, view.menu.col, MOUSE_CLICK);
	ck_assert_msg(view.mode == INPUT_SORT, "a click at the frame closes the menu");
	view_mouse(&view, view.menu.row, 0, MOUSE_CLICK);
	ck_assert_msg(view.mode == INPUT_NORMAL, "a click beside the menu does not close it");

	/* Two clicks on one line: what lies behind the menu is not opened by the second. */
	press(K_F6);
	draw();
	view_mouse(&view, view.menu.row + 1, view.menu.col + 3, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	view_mouse(&view, view.layout.table.row + 1, view.menu.col + 3, MOUSE_DOUBLE);
	ck_assert(!view_in_pane(&view));
	view_mouse(&view, view.layout.table.row + 1, view.menu.col + 3, MOUSE_CLICK);
	view_mouse(&view, view.layout.table.row + 1, view.menu.col + 3, MOUSE_DOUBLE);
	ck_assert(view_in_pane(&view));
	keys("\033g");

	press(K_F9);
	draw();
	view_mouse(&view, view.menu.row + 3, view.menu.col + 3, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_CONFIRM);
	ck_assert_int_eq(view.signal_number, menu_signals[3].number);
	view_mouse(&view, 12, 40, MOUSE_CLICK);
	ck_assert_msg(view.request == REQUEST_NONE, "a click confirms a signal");
	view_mouse(&view, 12, 40, MOUSE_WHEEL_DOWN);
	ck_assert_msg(view.mode == INPUT_CONFIRM, "the wheel answers a question");
	keys("\033");

	press(K_F2);
	draw();
	view_mouse(&view, view.menu.row + 1, view.menu.col + 3, MOUSE_CLICK);
	ck_assert_uint_eq(view.menu_row, 1);
	ck_assert(!view.settings.ascii);
	view_mouse(&view, view.menu.row + 1, view.menu.col + 3, MOUSE_DOUBLE);
	ck_assert(view.settings.ascii);
	keys(" \033");
}
END_TEST

START_TEST(in_panes)
{
	struct pane_state *pane = &view.panes[PANE_KERNELS];

	keys("g2");
	draw();
	ck_assert_int_gt(pane->title_end[2], 0);
	view_mouse(&view, pane->title_row, pane->title_end[2] - 1, MOUSE_CLICK);
	ck_assert_uint_eq(pane->sort, 3);
	ck_assert(!pane->reverse);
	view_mouse(&view, pane->title_row, pane->title_end[2] - 1, MOUSE_CLICK);
	ck_assert(pane->reverse);
	view_mouse(&view, pane->title_row, pane->title_start[1], MOUSE_CLICK);
	ck_assert_uint_eq(pane->sort, 2);
	ck_assert(!pane->reverse);
	view_mouse(&view, pane->title_row, 0, MOUSE_CLICK);
	ck_assert_uint_eq(pane->sort, 2);
}
END_TEST

Suite *suite_mouse(void)
{
	Suite *suite = suite_create("mouse");
	TCase *tests = tcase_create("mouse");

	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, on_the_screen);
	tcase_add_test(tests, in_menus);
	tcase_add_test(tests, in_panes);
	suite_add_tcase(suite, tests);
	return suite;
}
