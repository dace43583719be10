/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folding in the tree: what is hidden, what is said of it, and that it stays so. */
#include <math.h>

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
	ck_assert_ptr_nonnull(strstr(view.message, "t shows the tree"));
	keys("*");
	ck_assert_ptr_nonnull(strstr(view.message, "t shows the tree"));
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
	/* The pane stays with the one that the user has chosen; opened, each has a row. */
	select_pid("7002");
	ck_assert_uint_eq(view_selected(&view)->pid, 7002);
	ck_assert_str_ne(row_with("▼ ./short (exited 0)"), "");
	ck_assert_uint_eq(rows_of("./short"), 1 + FURTHER);
	keys("o");
	view_feed(&view, with_ended(22, 11));
	draw();
	ck_assert_uint_eq(view_selected(&view)->pid, 7002);
	ck_assert_uint_eq(rows_of("./short"), 2);
	ck_assert_str_ne(row_with(" 7002 "), "");
	/* The tree lists each, and so do differences. */
	keys("t");
	ck_assert_uint_eq(rows_of("./short"), 1 + FURTHER);
	keys("tx");
	ck_assert_uint_eq(rows_of("./short"), 1 + FURTHER);
}
END_TEST

/* A minute after its end a program that did not leak is gone, as long as others run. */
START_TEST(the_ended_go)
{
	struct snapshot *snapshot;

	ck_assert_int_eq(canvas_resize(&canvas, 40, 120), 0);
	view_feed(&view, with_ended(20, 59));
	draw();
	ck_assert_str_ne(row_with("./short ×5 (exited 0)"), "");
	view_feed(&view, with_ended(21, 60));
	draw();
	ck_assert_str_ne(row_with("./short ×4 (exited 0)"), "");
	ck_assert_uint_eq(view.table.hidden, 0);
	/* What leaked is not, and the one that the user looks at neither. */
	view_feed(&view, with_ended(22, 59));
	select_pid("7004");
	view_feed(&view, with_ended(23, 60));
	ck_assert_uint_eq(view_selected(&view)->pid, 7004);
	keys("P");
	snapshot = with_ended(24, 60);
	for (size_t i = 0; i < snapshot->process_count; i++) {
		snapshot->processes[i].leaked = 0;
		snapshot->processes[i].exited = true;
		snapshot->processes[i].end_time = snapshot->time - 60 * NSEC_PER_SEC;
	}
	view_feed(&view, snapshot);
	ck_assert_int_ge(row_of(4242), 0);
}
END_TEST

#define RANKS 4

/* The cast, with the ranks of a job: rank 2 leaks most. The last of them was started by hand. */
static struct snapshot *with_job(int step, const char *container)
{
	struct snapshot *snapshot = cast_snapshot(step);
	size_t count = snapshot->process_count;
	struct snap_process *list = cast_memory(snapshot, count + RANKS + 1, sizeof(*list));
	static int devices[RANKS + 1] = { 0, 1, 2, 3, 3 };

	memcpy(list, snapshot->processes, count * sizeof(*list));
	for (size_t i = 0; i <= RANKS; i++) {
		list[count + i] = (struct snap_process){
			.program = 200 + (uint32_t)i,
			.pid = 8000 + (uint32_t)i,
			.parent_pid = i == RANKS ? 1 :
				      container  ? 900 + (uint32_t)i :
						   900,
			.user = "ana",
			.command = "/usr/bin/python3",
			.arguments = "-u rank.py",
			.command_line = "/usr/bin/python3 -u rank.py",
			.brief = "python3 -u rank.py",
			.container = i == RANKS ? NULL : container,
			.rank = i == RANKS ? 0 : 5 + (uint32_t)i,
			.live = 1 << 20,
			.peak = 2 << 20,
			.leaked = i == 2 ? 3 << 20 : 1 << 20,
			.launches = 1000,
			.launches_per_second = i ? 10 : NAN,
			.sync_share = i ? 0.25 : NAN,
			.cost = NAN,
			.copy_rate = { 100, 100, 100, 100 },
			.devices = devices + i,
			.device_count = 1,
			.device_list = "0",
		};
	}
	snapshot->processes = list;
	snapshot->process_count = count + RANKS + 1;
	return snapshot;
}

/* Its row has the sums, and says which rank is worst; Enter opens it, o closes it. */
START_TEST(a_job_has_a_row)
{
	static const char *const containers[] = { NULL, "c0ffee" };

	ck_assert_int_eq(canvas_resize(&canvas, 40, 160), 0);
	for (size_t i = 0; i < ARRAY_LEN(containers); i++) {
		keys("L");
		view_feed(&view, with_job(20 + (int)i, containers[i]));
		draw();
		ck_assert_uint_eq(rows_of("rank.py"), 2);
		ck_assert_str_ne(row_with("rank.py ×4, ranks 4-7, most: rank 6"), "");
		ck_assert_ptr_nonnull(strstr(row_with("×4"), i ? " 8003 " : " 8000 "));
		ck_assert_ptr_nonnull(strstr(row_with("×4"), " 0-3 "));
		ck_assert_ptr_nonnull(strstr(row_with("×4"), " 4.0M "));
		ck_assert_ptr_nonnull(strstr(row_with("×4"), " 8.0M "));
		ck_assert_ptr_nonnull(strstr(row_with("×4"), " 6.0M "));
		ck_assert_ptr_nonnull(strstr(row_with("×4"), " 30 "));
		ck_assert_ptr_nonnull(strstr(row_with("×4"), " 25 "));
		rows_select(&view, (size_t)row_of(i ? 8003 : 8000));
		keys("\r");
		ck_assert_int_eq((int)view.focus, FOCUS_TABLE);
		ck_assert_uint_eq(rows_of("rank.py"), 2 + RANKS - 1);
		ck_assert_uint_eq(rows_of("▼ /usr"), RANKS);
		ck_assert_int_ge(row_of(8003), 0);
		rows_select(&view, (size_t)row_of(8003));
		keys("o");
		ck_assert_uint_eq(rows_of("rank.py"), 2);
		ck_assert_uint_eq(view_selected(&view)->pid, 8003);
		keys("+");
		ck_assert_uint_eq(rows_of("rank.py"), 2 + RANKS - 1);
		keys("*");
		ck_assert_uint_eq(rows_of("rank.py"), 2);
		keys("I");
		ck_assert_str_ne(row_with("least: rank"), "");
		keys("I");
	}
	/* Where there is no room, the number is in front. */
	ck_assert_int_eq(canvas_resize(&canvas, 40, 70), 0);
	draw();
	ck_assert_str_ne(row_with("▶ rank.py ×4"), "");
	ck_assert_int_eq(canvas_resize(&canvas, 40, 50), 0);
	draw();
	ck_assert_str_ne(row_with("×4"), "");
}
END_TEST

/* Two are no job, and all of one get the signal. */
START_TEST(signals_go_to_the_job)
{
	struct snapshot *snapshot = with_job(20, NULL);

	ck_assert_int_eq(canvas_resize(&canvas, 40, 160), 0);
	view_feed(&view, snapshot);
	rows_select(&view, (size_t)row_of(8000));
	press(K_F9);
	ck_assert_uint_eq(view_signal_count(&view), RANKS);
	keys("\r");
	ck_assert_str_ne(row_with("8003 python3"), "");
	ck_assert_str_eq(row_with("not in sight"), "");
	keys("\033");
	keys("T");
	ck_assert_uint_eq(view.table.tags.count, RANKS);
	rows_select(&view, (size_t)row_of(8000));
	keys("T");
	ck_assert_uint_eq(view.table.tags.count, 0);
	snapshot = with_job(21, NULL);
	snapshot->process_count -= 3;
	view_feed(&view, snapshot);
	draw();
	ck_assert_uint_eq(rows_of("rank.py"), 2);
	ck_assert_str_eq(row_with("×2"), "");
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
	tcase_add_test(tests, the_ended_go);
	tcase_add_test(tests, a_job_has_a_row);
	tcase_add_test(tests, signals_go_to_the_job);
	suite_add_tcase(suite, tests);
	return suite;
}
