/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folding in the tree: what is hidden, what is said of it, and that it stays so. */
#include "at_screen.h"
#include "util/util.h"

/* Where the process with @pid stands in the table; -1: it does not. */
static int row_of(uint32_t pid)
{
	for (size_t i = 0; i < view.table.row_count; i++)
		if (view.table.rows[i].process->pid == pid)
			return (int)i;
	return -1;
}

static void select_pid(const char *pid)
{
	keys("/");
	keys(pid);
	keys("\r");
	view.search[0] = 0;
}

/* 4242 has the child 4107, and that has 4600. */
START_TEST(children_are_hidden)
{
	ck_assert_int_eq(canvas_resize(&canvas, 24, 140), 0);
	keys("t");
	select_pid("4242");
	ck_assert_str_ne(row_with("▼ python"), "");
	keys("o");
	ck_assert_int_eq(row_of(4107), -1);
	ck_assert_int_eq(row_of(4600), -1);
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT - 2);
	ck_assert_uint_eq(view.table.rows[row_of(4242)].folded, 2);
	ck_assert_str_ne(row_with("▶ python"), "");
	ck_assert_str_ne(row_with("(2 below)"), "");
	/* It stays so over snapshots and orders, and only in the tree. */
	view_feed(&view, cast_snapshot(11));
	keys("PI");
	ck_assert_int_eq(row_of(4107), -1);
	keys("t");
	ck_assert_int_ge(row_of(4107), 0);
	ck_assert_str_eq(row_with("below)"), "");
	keys("to");
	ck_assert_int_ge(row_of(4107), 0);
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
}
END_TEST

/* What has no room for words has the number beside the sign. */
START_TEST(narrow)
{
	keys("t");
	select_pid("4242");
	keys("o");
	ck_assert_str_ne(row_with("▶2 python"), "");
	view.settings.ascii = true;
	draw();
	ck_assert_str_ne(row_with(">2 python"), "");
}
END_TEST

/* A hidden process cannot be the selected one: its keys would hit what is not seen. */
START_TEST(the_selection_goes_up)
{
	keys("t");
	select_pid("4600");
	ck_assert_uint_eq(selected_pid(), 4600);
	keys("*");
	ck_assert_uint_eq(selected_pid(), 4242);
	ck_assert_uint_eq(view.table.selected_row, (size_t)row_of(4242));
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT - 2);
	keys("*");
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
	/* An inner one, by itself, and then the outer one: each keeps what it was. */
	select_pid("4107");
	keys("o");
	ck_assert_uint_eq(view.table.rows[row_of(4107)].folded, 1);
	select_pid("4242");
	keys("o");
	ck_assert_uint_eq(view.table.rows[row_of(4242)].folded, 2);
	keys("o");
	ck_assert_uint_eq(view.table.rows[row_of(4107)].folded, 1);
}
END_TEST

START_TEST(nothing_to_fold)
{
	keys("o");
	ck_assert_ptr_nonnull(strstr(view.message, "only the tree"));
	keys("*");
	ck_assert_ptr_nonnull(strstr(view.message, "only the tree"));
	keys("t");
	select_pid("4600");
	keys("o");
	ck_assert_ptr_nonnull(strstr(view.message, "no children"));
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
}
END_TEST

/* What is gone is forgotten: its number may be another's one day. */
START_TEST(the_gone_are_forgotten)
{
	struct snapshot *snapshot;

	keys("t*");
	ck_assert_uint_eq(view.table.folds.count, 2);
	snapshot = cast_snapshot(12);
	for (size_t i = 0; i < snapshot->process_count; i++)
		if (snapshot->processes[i].pid == 4242)
			snapshot->processes[i].program = 77;
	view_feed(&view, snapshot);
	ck_assert_uint_eq(view.table.folds.count, 1);
	ck_assert_int_ge(row_of(4107), 0);
	ck_assert_int_eq(row_of(4600), -1);
}
END_TEST

/* What is typed is looked for in what is shown, Enter in what is folded, too. */
START_TEST(search_opens)
{
	keys("tG");
	keys("*");
	ck_assert_uint_eq(view.table.folds.count, 2);
	keys("/4107");
	ck_assert_int_eq(row_of(4107), -1);
	keys("\r");
	ck_assert_uint_eq(selected_pid(), 4107);
	ck_assert_uint_eq(view.table.folds.count, 0);
	/* What is nowhere opens nothing. */
	keys("*/no such\r");
	ck_assert_ptr_nonnull(strstr(view.message, "no match"));
	ck_assert_uint_eq(view.table.folds.count, 2);
}
END_TEST

START_TEST(sets)
{
	static const uint32_t numbers[] = { 5, 1, UINT32_MAX, 5, 0, 3, 1 };
	struct program_set set = { .list = NULL };

	ck_assert(!program_set_has(&set, 0));
	program_set_remove(&set, 1);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		ck_assert(program_set_add(&set, numbers[i]));
	ck_assert_uint_eq(set.count, 5);
	for (size_t i = 1; i < set.count; i++)
		ck_assert_uint_lt(set.list[i - 1], set.list[i]);
	program_set_remove(&set, 1);
	program_set_remove(&set, 2);
	ck_assert_uint_eq(set.count, 4);
	ck_assert(!program_set_has(&set, 1));
	ck_assert(program_set_has(&set, UINT32_MAX));
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert(program_set_add(&set, i * 7919 % 1000));
	ck_assert_uint_eq(set.count, 1001);
	program_set_clear(&set);
	ck_assert_uint_eq(set.count, 0);
}
END_TEST

Suite *suite_fold(void)
{
	Suite *suite = suite_create("fold");
	TCase *tests = tcase_create("fold");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, children_are_hidden);
	tcase_add_test(tests, narrow);
	tcase_add_test(tests, the_selection_goes_up);
	tcase_add_test(tests, nothing_to_fold);
	tcase_add_test(tests, the_gone_are_forgotten);
	tcase_add_test(tests, search_opens);
	tcase_add_test(tests, sets);
	suite_add_tcase(suite, tests);
	return suite;
}
