/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One user's processes: the menu, and how it goes with the filter. */
#include "at_screen.h"

START_TEST(one_is_chosen)
{
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
	keys("u");
	ck_assert_int_eq(view.mode, INPUT_USER);
	ck_assert_str_ne(row_with("All users"), "");
	ck_assert_str_ne(row_with("ana "), "");
	ck_assert_str_ne(row_with("benjamin"), "");
	ck_assert_uint_eq(view.menu.row, 0);
	keys("j\r"); /* by name: ana */
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_str_eq(view.user, "ana");
	ck_assert_uint_eq(view.table.row_count, 3);
	for (size_t i = 0; i < view.table.row_count; i++)
		ck_assert_str_eq(view.table.rows[i].process->user, "ana");
	ck_assert_str_ne(row_with("user ana (3 hidden)"), "");
	/* It stays while snapshots come. */
	view_feed(&view, cast_snapshot(11));
	ck_assert_uint_eq(view.table.row_count, 3);
	/* The menu opens at what is chosen; Esc leaves it as it was. */
	keys("u");
	ck_assert_uint_eq(view.menu.row, 1);
	keys("j\033");
	ck_assert_str_eq(view.user, "ana");
	keys("ug\r");
	ck_assert_str_eq(view.user, "");
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
}
END_TEST

START_TEST(with_the_filter)
{
	keys("uj\r");
	keys("\\pid:4242\r");
	ck_assert_uint_le(view.table.row_count, 1);
	keys("\033");
	ck_assert_str_eq(view.filter, "");
	ck_assert_str_eq(view.user, "ana");
	keys("\\user:ben\r");
	ck_assert_uint_eq(view.table.row_count, 0);
	ck_assert_str_ne(row_with("No process matches the filter"), "");
	ck_assert_str_ne(row_with("filter user:ben (6 hidden)"), "");
	keys("\033\033");
	ck_assert_str_eq(view.user, "");
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
}
END_TEST

/* Names are compared whole, and a line means the user that it meant when the menu was opened. */
START_TEST(whole_names)
{
	struct snapshot *snapshot = cast_snapshot(12);

	for (size_t i = 0; i < snapshot->process_count; i++)
		snapshot->processes[i].user = i ? "an" : "ana";
	keys("uj");
	view_feed(&view, snapshot);
	draw();
	keys("\r");
	ck_assert_str_eq(view.user, "ana");
	ck_assert_uint_eq(view.table.row_count, 1);
}
END_TEST

/* A recording may have users that no system would. */
START_TEST(hostile_names)
{
	static char names[2000][80];
	static struct snap_process many[2000];
	struct snapshot *snapshot = cast_snapshot(12);

	for (size_t i = 0; i < 2000; i++) {
		many[i] = snapshot->processes[0];
		many[i].program = (uint32_t)i + 1;
		snprintf(names[i], sizeof(names[i]), "\033[2J\xff%070zu", i);
		many[i].user = names[i];
	}
	snapshot->processes = many;
	snapshot->process_count = 2000;
	view_feed(&view, snapshot);
	keys("uG");
	ck_assert_uint_le(view.menu.users.count, 1000);
	for (int row = 0; row < canvas.rows; row++)
		for (int col = 0; col < canvas.cols; col++)
			ck_assert(!strpbrk(canvas_cell(&canvas, row, col)->text, "\033\xff"));
	keys("\r");
	ck_assert_uint_ge(view.table.row_count, 1);
	for (int row = 0; row < canvas.rows; row++)
		for (int col = 0; col < canvas.cols; col++)
			ck_assert(!strpbrk(canvas_cell(&canvas, row, col)->text, "\033\xff"));
}
END_TEST

START_TEST(by_mouse)
{
	keys("u");
	view_mouse(&view, view.menu.rect.row + 1, view.menu.rect.col + 3, MOUSE_CLICK);
	ck_assert_str_eq(view.user, "ana");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	keys("u");
	view_mouse(&view, 0, 0, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_str_eq(view.user, "ana");
}
END_TEST

Suite *suite_users(void)
{
	Suite *suite = suite_create("users");
	TCase *tests = tcase_create("users");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, one_is_chosen);
	tcase_add_test(tests, with_the_filter);
	tcase_add_test(tests, whole_names);
	tcase_add_test(tests, hostile_names);
	tcase_add_test(tests, by_mouse);
	suite_add_tcase(suite, tests);
	return suite;
}
