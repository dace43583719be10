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

#define FURTHER 5

/* The cast, with programs that ended as ./short did, which ended @ago seconds ago. */
static struct snapshot *with_ended(int step, unsigned int ago)
{
	struct snapshot *snapshot = cast_snapshot(step);
	size_t count = snapshot->process_count;
	struct snap_process *list = cast_memory(snapshot, count + FURTHER, sizeof(*list));
	const struct snap_process *end = cast_member(snapshot, CAST_SHORT);

	memcpy(list, snapshot->processes, count * sizeof(*list));
	for (size_t i = 0; i < FURTHER; i++) {
		list[count + i] = *end;
		list[count + i].program = 100 + (uint32_t)i;
		list[count + i].pid = 7000 + (uint32_t)i;
		list[count + i].leaked = i == FURTHER - 1 ? 0 : 1 << 20;
		list[count + i].end_time = snapshot->time - ago * NSEC_PER_SEC;
	}
	/* One that failed */
	list[count + FURTHER - 2].exit_code = 1 << 8;
	for (size_t i = 0; i < count; i++)
		list[i].end_time = list[i].exited ? snapshot->time - 20 * NSEC_PER_SEC : 0;
	snapshot->processes = list;
	snapshot->process_count = count + FURTHER;
	return snapshot;
}

static size_t rows_of(const char *text)
{
	char line[4096];
	size_t count = 0;

	for (int row = 0; row < canvas.rows; row++) {
		line[0] = 0;
		for (int col = 0; col < canvas.cols; col++)
			strcat(line, canvas_cell(&canvas, row, col)->text);
		count += strstr(line, text) != NULL;
	}
	return count;
}

/* Some seconds after its end a program shares the row of those that ended alike; what leaked adds up. */
START_TEST(the_ended_share_a_row)
{
	ck_assert_int_eq(canvas_resize(&canvas, 40, 120), 0);
	view_feed(&view, with_ended(20, 9));
	draw();
	ck_assert_uint_eq(rows_of("./short (exited"), 1 + FURTHER);
	view_feed(&view, with_ended(21, 10));
	draw();
	ck_assert_uint_eq(rows_of("./short"), 2);
	/* 8,000,000 bytes and three MiB of the five that ended well */
	ck_assert_ptr_nonnull(strstr(row_with("./short ×5 (exited 0)"), " 10.6M "));
	ck_assert_ptr_nonnull(strstr(row_with("./short (exited 1)"), " 1.0M "));
	ck_assert_ptr_nonnull(strstr(row_with("11 processes"), "cutop"));
	/* At a narrow terminal the number stays. */
	ck_assert_int_eq(canvas_resize(&canvas, 40, 70), 0);
	draw();
	ck_assert_str_ne(row_with("×5 short"), "");
	ck_assert_int_eq(canvas_resize(&canvas, 40, 120), 0);
	/* What the user has chosen has a row of its own, and what it shows stays. */
	keys("/short\r");
	view_feed(&view, with_ended(22, 11));
	draw();
	ck_assert_uint_eq(rows_of("./short"), 3);
	ck_assert_str_ne(row_with("./short ×4 (exited 0)"), "");
	/* The tree lists each, and so do differences. */
	keys("t");
	ck_assert_uint_eq(rows_of("./short"), 1 + FURTHER);
	keys("tx");
	ck_assert_uint_eq(rows_of("./short"), 1 + FURTHER);
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
	tcase_add_test(tests, the_ended_share_a_row);
	suite_add_tcase(suite, tests);
	return suite;
}
