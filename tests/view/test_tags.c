/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tags: who has one, how that shows, and who gets the signal. */
#include "at_screen.h"
#include "util/util.h"

static void select_pid(const char *pid)
{
	keys("/");
	keys(pid);
	keys("\r");
	view.search[0] = 0;
}

static bool is_target(uint32_t pid)
{
	for (size_t i = 0; i < view_signal_count(&view); i++) {
		const struct snap_process *process = view_signal_target(&view, i);

		if (process && process->pid == pid)
			return true;
	}
	return false;
}

static bool is_tagged(uint32_t pid)
{
	for (size_t i = 0; i < view.latest->process_count; i++)
		if (view.latest->processes[i].pid == pid)
			return program_set_has(&view.table.tags, view.latest->processes[i].program);
	return false;
}

/* A sign and a look, in the row of the process, wherever that goes. */
START_TEST(a_tag_shows)
{
	int row;

	keys("P");
	select_pid("4242");
	keys("T");
	ck_assert(is_tagged(4242));
	ck_assert_uint_ne(selected_pid(), 4242); /* the next one: the key can be held down */
	view.message[0] = 0;
	draw();
	ck_assert_str_ne(row_with("4242*"), "");
	ck_assert_str_eq(row_with("4107*"), "");
	ck_assert_str_ne(row_with("1 tagged"), "");
	for (row = 0; view.table.rows[row].process->pid != 4242;)
		row++;
	row += view.layout.table.row;
	for (int col = 0; col < 79; col++)
		ck_assert(canvas_cell(&canvas, row, col)->flags & CELL_BOLD);
	keys("I");
	view_feed(&view, cast_snapshot(11));
	draw();
	ck_assert_str_ne(row_with("4242*"), "");
	select_pid("4242");
	keys("T");
	ck_assert(!is_tagged(4242));
	ck_assert_str_eq(row_with("4242*"), "");
	ck_assert_str_eq(row_with("1 tagged"), "");
}
END_TEST

START_TEST(signals_go_to_all)
{
	select_pid("4242");
	keys("T");
	select_pid("4311");
	keys("T");
	select_pid("4400");
	press(K_F9);
	draw();
	ck_assert_str_ne(row_with("Signal to 2 processes"), "");
	press(K_ENTER);
	draw();
	ck_assert_str_ne(row_with("Send SIGTERM to 2 processes?"), "");
	ck_assert_str_ne(row_with("4242 python"), "");
	ck_assert_str_ne(row_with("4311 "), "");
	ck_assert_str_ne(row_with("y send it"), "");
	ck_assert_str_eq(row_with("not in sight"), "");
	/* One that is tagged while this is asked is not meant. */
	program_set_add(&view.table.tags, CAST_FAILING);
	keys("y");
	ck_assert_int_eq(view_request(&view), REQUEST_SIGNAL);
	ck_assert_uint_eq(view_signal_count(&view), 2);
	ck_assert(is_target(4242) && is_target(4311) && !is_target(4400));
	ck_assert_int_eq(view_signal(&view), 15);
	ck_assert_int_eq(view_signal(&view), 0);
	keys("U");
	ck_assert_uint_eq(view.table.tags.count, 0);
	/* None is tagged: the selected one. */
	press(K_F9);
	keys("\r");
	ck_assert_str_ne(row_with("Send SIGTERM to 4400 "), "");
	keys("y");
	ck_assert_uint_eq(view_signal_count(&view), 1);
	ck_assert(is_target(4400));
}
END_TEST

/* Those that are not in sight get it, too, and the question says so. */
START_TEST(hidden_targets_are_counted)
{
	select_pid("4242");
	keys("T");
	select_pid("4311");
	keys("T");
	keys("\\pid:4242\r");
	press(K_F9);
	keys("\r");
	ck_assert_str_ne(row_with("1 of them is not in sight"), "");
	keys("y");
	ck_assert_uint_eq(view_signal_count(&view), 2);
}
END_TEST

/* A tag ends with its process: an exited one gets no signal, and its number may come again. */
START_TEST(tags_end_with_their_process)
{
	struct snapshot *snapshot;

	select_pid("4242");
	keys("T");
	select_pid("4311");
	keys("T");
	ck_assert_uint_eq(view.table.tags.count, 2);
	snapshot = cast_snapshot(12);
	for (size_t i = 0; i < snapshot->process_count; i++)
		if (snapshot->processes[i].pid == 4311)
			snapshot->processes[i].exited = true,
			snapshot->processes[i].end_time = snapshot->time;
	view_feed(&view, snapshot);
	ck_assert_uint_eq(view.table.tags.count, 1);
	select_pid("4311");
	keys("T");
	ck_assert_uint_eq(view.table.tags.count, 1);
	ck_assert_ptr_nonnull(strstr(view.message, "4311 has exited"));
	/* It is gone between the question and the answer. */
	press(K_F9);
	keys("\r");
	snapshot = cast_snapshot(13);
	for (size_t i = 0; i < snapshot->process_count; i++)
		if (snapshot->processes[i].pid == 4242)
			snapshot->processes[i].program = 99;
	view_feed(&view, snapshot);
	draw();
	ck_assert_str_ne(row_with("to 0 (gone)?"), "");
	keys("y");
	ck_assert_ptr_null(view_signal_target(&view, 0));
}
END_TEST

START_TEST(many_targets)
{
	struct snapshot *snapshot = cast_snapshot(12);
	struct snap_process many[50];

	for (size_t i = 0; i < ARRAY_LEN(many); i++) {
		many[i] = snapshot->processes[1];
		many[i].program = (uint32_t)i + 100;
		many[i].pid = (uint32_t)i + 10000;
		many[i].parent_pid = i ? 10000 : 1;
	}
	snapshot->processes = many;
	snapshot->process_count = ARRAY_LEN(many);
	view_feed(&view, snapshot);
	select_pid("10000");
	for (size_t i = 0; i < ARRAY_LEN(many); i++)
		keys("T");
	ck_assert_uint_eq(view.table.tags.count, ARRAY_LEN(many));
	press(K_F9);
	keys("\r");
	ck_assert_str_ne(row_with("to 50 processes?"), "");
	ck_assert_str_ne(row_with("10005 "), "");
	ck_assert_str_ne(row_with("and 44 more"), "");
	ck_assert_str_ne(row_with("y send it"), "");
	/* On the smallest screen the keys stay in sight. */
	ck_assert_int_eq(canvas_resize(&canvas, 5, 40), 0);
	draw();
	ck_assert_str_ne(row_with("to 50 processes?"), "");
	ck_assert_str_ne(row_with("y send it"), "");
	view_feed(&view, cast_snapshot(13));
}
END_TEST

START_TEST(where_there_are_no_signals)
{
	view.host.readonly = true;
	keys("T");
	ck_assert_uint_eq(view.table.tags.count, 0);
	ck_assert_ptr_nonnull(strstr(view.message, "--readonly"));
	view.host.readonly = false;
	view.host.play.is_on = true;
	keys("T");
	ck_assert_uint_eq(view.table.tags.count, 0);
	ck_assert_ptr_nonnull(strstr(view.message, "a recording"));
	keys("U");
	ck_assert_ptr_nonnull(strstr(view.message, "none is tagged"));
}
END_TEST

Suite *suite_tags(void)
{
	Suite *suite = suite_create("tags");
	TCase *tests = tcase_create("tags");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_tag_shows);
	tcase_add_test(tests, signals_go_to_all);
	tcase_add_test(tests, hidden_targets_are_counted);
	tcase_add_test(tests, tags_end_with_their_process);
	tcase_add_test(tests, many_targets);
	tcase_add_test(tests, where_there_are_no_signals);
	suite_add_tcase(suite, tests);
	return suite;
}
