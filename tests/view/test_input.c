/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys to actions to state, without a terminal. What they do while something is open: test_modes.c.
 */
#include <stdio.h>
#include <string.h>

#include "at_screen.h"
#include "util/util.h"

/* Keys of the view's own time are those of the recording's in a replay. */
START_TEST(in_a_replay)
{
	static const struct {
		const char *key;
		enum request request;
	} acts[] = {
		{ " ", REQUEST_PAUSE },    { "+", REQUEST_FASTER },  { "-", REQUEST_SLOWER },
		{ "[", REQUEST_BACKWARD }, { "]", REQUEST_FORWARD },
	};
	struct snapshot *again;
	size_t i, count;
	double before;

	ck_assert_int_eq(canvas_resize(&canvas, 24, 160), 0);
	draw();
	ck_assert_str_ne(row_with("Space Freeze"), "");
	keys(" ");
	ck_assert(view.frozen);
	ck_assert_str_ne(row_with("Space Resume"), "");
	keys(" ");
	view.host.play = (struct play){
		.is_on = true, .position = 12 * NSEC_PER_SEC, .total = 90 * NSEC_PER_SEC, .speed = 1
	};
	for (i = 0; i < ARRAY_LEN(acts); i++) {
		view.request = REQUEST_NONE;
		keys(acts[i].key);
		ck_assert_int_eq(view.request, acts[i].request);
		ck_assert(!view.frozen);
		ck_assert_uint_eq(view.map.zoom, 0);
	}
	ck_assert_ptr_nonnull(strstr(row_with("REPLAY"), "REPLAY 00:12/01:30 "));
	ck_assert_str_eq(row_with("PAUSED"), "");
	ck_assert_str_ne(row_with("Space Pause "), "");
	view.host.play.speed = 4;
	view.host.play.paused = true;
	view_draw(&view, &canvas);
	ck_assert_str_ne(row_with("REPLAY 00:12/01:30 \303\2274 PAUSED"), "");
	ck_assert_str_ne(row_with("Space Resume"), "");
	view.host.play.speed = 0.25;
	view.host.play.paused = false;
	view.host.play.ended = true;
	view.host.ascii = true;
	view_draw(&view, &canvas);
	ck_assert_str_ne(row_with("REPLAY 00:12/01:30 x1/4 END"), "");
	ck_assert_str_ne(row_with("Space Replay"), "");
	/* Nor are there exited processes to clear, where no other snapshot comes. */
	view.request = REQUEST_NONE;
	keys("X");
	ck_assert_int_eq(view.request, REQUEST_NONE);
	ck_assert_ptr_nonnull(strstr(view.message, "stands still"));
	/* Nobody is there to be sent a signal. */
	view_key(&view, K_F9);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	/* The clock was set back while this was recorded: that is no way back. */
	count = track_count(&view.history.all);
	ck_assert_uint_gt(count, 1);
	again = cast_snapshot(11);
	again->time -= 3600 * NSEC_PER_SEC;
	view_feed(&view, again);
	ck_assert_uint_eq(track_count(&view.history.all), count + 1);
	/*
	 * Time that goes back takes with it what had been seen of the time after; plots keep what
	 * was before.
	 */
	before = track_value(&view.history.all, SERIES_LIVE, track_count(&view.history.all) - 1);
	again = cast_snapshot(6);
	view_feed(&view, again);
	ck_assert_uint_gt(track_count(&view.history.all), 1);
	ck_assert_uint_lt(track_count(&view.history.all), count);
	ck_assert_double_eq(track_time(&view.history.all, 0), again->elapsed_seconds);
	ck_assert_double_lt(track_time(&view.history.all, 1), again->elapsed_seconds);
	ck_assert_double_eq(track_value(&view.history.all, SERIES_LIVE,
					track_count(&view.history.all) - 1),
			    before);
	ck_assert_uint_le(track_count(history_find(&view.history, CAST_TRAINER)),
			  track_count(&view.history.all));
	again = cast_snapshot(0);
	view_feed(&view, again);
	ck_assert_uint_eq(track_count(&view.history.all), 1);
}
END_TEST

START_TEST(the_table_is_sound)
{
	bool seen[ACT_COUNT] = { false };
	char text[80];

	for (size_t i = 0; i < binding_count; i++) {
		ck_assert_uint_gt(strlen(binding_help(&bindings[i], text, sizeof(text))), 0);
		ck_assert_uint_gt(strlen(bindings[i].label), 0);
		ck_assert_int_ne(bindings[i].keys[0], 0);
		ck_assert(!seen[bindings[i].action]);
		seen[bindings[i].action] = true;
		/* No key twice. */
		for (int k = 0; k < 3 && bindings[i].keys[k]; k++)
			ck_assert_int_eq(keys_action(bindings[i].keys[k]), bindings[i].action);
	}
	for (int action = 1; action < ACT_COUNT; action++)
		ck_assert_msg(seen[action], "action %d has no key", action);
	ck_assert_int_eq(keys_action('~'), ACT_NONE);
	ck_assert_int_eq(keys_action(0), ACT_NONE);
}
END_TEST

START_TEST(letters_sort)
{
	static const struct {
		const char *key, *column;
	} list[] = { { "L", "leaked" }, { "M", "live" },   { "K", "launch_rate" },
		     { "B", "h2d" },    { "E", "failed" }, { "P", "pid" } };

	keys("P"); /* away from the first */
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		view.settings.sort.keys[0] = column_find("user");
		keys(list[i].key);
		ck_assert_str_eq(view.settings.sort.keys[0]->name, list[i].column);
		ck_assert(!view.settings.sort.reverse);
		/* A key means an order, whatever it was; only I inverts. */
		keys("I");
		ck_assert(view.settings.sort.reverse);
		keys(list[i].key);
		ck_assert(!view.settings.sort.reverse);
		keys(list[i].key);
		ck_assert(!view.settings.sort.reverse);
	}
	keys("P>");
	ck_assert_str_eq(view.settings.sort.keys[0]->name, "user");
	keys("<<");
	ck_assert_str_eq(view.settings.sort.keys[0]->name, "command");
}
END_TEST

START_TEST(the_selection_is_a_process)
{
	uint32_t pid;

	keys("g");
	pid = selected_pid();
	ck_assert_uint_eq(pid, 4242);
	keys("L");
	ck_assert_uint_eq(selected_pid(), pid);
	keys("PI");
	ck_assert_uint_eq(selected_pid(), pid);
	keys("j");
	ck_assert_uint_ne(selected_pid(), pid);
	keys("k");
	ck_assert_uint_eq(selected_pid(), pid);
	keys("G");
	view_feed(&view, cast_snapshot(11));
	ck_assert_uint_eq(view.table.selected_row, view.table.row_count - 1);
}
END_TEST

/* Until somebody chooses, a sort shows who is first by it, in the table and in the pane. */
START_TEST(a_sort_shows_its_first)
{
	uint32_t first;

	ck_assert_int_eq(canvas_resize(&canvas, 12, 80), 0);
	draw();
	ck_assert_uint_eq(selected_pid(), 4242);
	keys("L");
	first = view.table.rows[0].process->pid;
	ck_assert_uint_ne(first, 4242);
	ck_assert_uint_eq(selected_pid(), first);
	ck_assert_uint_eq(view.table.list.top, 0);
	keys("P");
	ck_assert_uint_eq(selected_pid(), view.table.rows[0].process->pid);
	keys("j");
	first = selected_pid();
	keys("L");
	ck_assert_uint_eq(selected_pid(), first);
	/* Also where the chosen process is out of sight then. */
	ck_assert_int_eq(canvas_resize(&canvas, 10, 40), 0);
	draw();
	keys("PG");
	draw();
	ck_assert_uint_gt(view.table.list.top, 0);
	keys("L");
	draw();
	ck_assert_uint_eq(view.table.list.top, 0);
	view_feed(&view, cast_snapshot(12));
	draw();
	ck_assert_uint_eq(view.table.list.top, 0);
}
END_TEST

/* A complaint about the settings is older than the first snapshot. */
START_TEST(what_is_said_at_the_start)
{
	view_clear(&view);
	view_init(&view);
	view_message(&view, "a complaint");
	view_feed(&view, cast_snapshot(1));
	draw();
	ck_assert_str_ne(row_with("a complaint"), "");
	view_feed(&view, cast_snapshot(4));
	draw();
	ck_assert_str_ne(row_with("a complaint"), "");
	view_feed(&view, cast_snapshot(7));
	draw();
	ck_assert_str_eq(row_with("a complaint"), "");
}
END_TEST

/* Of whom something was lost is told from others, in the table and above the pane. */
START_TEST(who_is_inexact)
{
	ck_assert_int_eq(canvas_resize(&canvas, 24, 160), 0);
	draw();
	ck_assert_str_eq(row_with("inexact"), "");
	for (size_t i = 0; i < view.shown->process_count; i++)
		view.shown->processes[i].inexact = view.shown->processes[i].program == CAST_TRAINER;
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("4242 ana"), " (inexact)"));
	ck_assert_ptr_nonnull(strstr(row_with("2 Kernels"), "4242 python (inexact)"));
}
END_TEST

START_TEST(a_process_that_goes_leaves_its_place)
{
	struct snapshot *snapshot = cast_snapshot(12);

	keys("Pg");
	ck_assert_uint_eq(selected_pid(), 4600); /* the largest pid first */
	snapshot->process_count = 5;             /* without it */
	view_feed(&view, snapshot);
	ck_assert_uint_eq(selected_pid(), 4500);
	snapshot = cast_snapshot(13);
	snapshot->process_count = 0;
	view_feed(&view, snapshot);
	ck_assert_uint_eq(selected_pid(), 0);
	view_draw(&view, &canvas);
	keys("jkgG\r1234567L/x\r");
	view_feed(&view, cast_snapshot(14));
	view_draw(&view, &canvas);
}
END_TEST

START_TEST(panes_by_key)
{
	for (int i = 0; i < PANE_COUNT; i++) {
		char key[2] = { (char)('0' + i), 0 };

		keys(key);
		ck_assert_int_eq(view.settings.pane, i);
		ck_assert(!view.full);
	}
	keys("1\t");
	ck_assert_int_eq(view.settings.pane, PANE_KERNELS);
	view_key(&view, K_BACK_TAB);
	view_key(&view, K_BACK_TAB);
	ck_assert_int_eq(view.settings.pane, 0);
	view_key(&view, K_BACK_TAB);
	ck_assert_int_eq(view.settings.pane, PANE_COUNT - 1);
	keys("z");
	ck_assert(view.full);
	ck_assert_int_eq(view.focus, FOCUS_PANE);
	keys("\033");
	ck_assert(!view.full);
	ck_assert_int_eq(view.focus, FOCUS_TABLE);
	/* Where there is no room for a pane beside the table, it fills the screen. */
	ck_assert_int_eq(canvas_resize(&canvas, 10, 40), 0);
	view_draw(&view, &canvas);
	keys("2");
	ck_assert(view.full);
}
END_TEST

START_TEST(a_column_out_of_sight_is_not_sorted_by)
{
	struct list_state *pane = &view.panes[PANE_KERNELS];
	unsigned int seen = 0;

	keys("g\r2");
	ck_assert(view_in_pane(&view));
	ck_assert_uint_ne(pane->hidden, 0); /* no graph was launched */
	for (unsigned int i = 0; i < pane->columns; i++) {
		keys(">");
		seen |= 1u << pane->sort;
		ck_assert(!pane->sort || !(pane->hidden >> (pane->sort - 1) & 1));
	}
	ck_assert(seen & 1);
	keys("<");
	ck_assert(!pane->sort || !(pane->hidden >> (pane->sort - 1) & 1));
}
END_TEST

/* Full cells of the bar in @row of the pane's list. */
static int bar_cells(int row)
{
	int count = 0;

	for (int col = 0; col < canvas.cols / 2; col++)
		count += !strcmp(canvas_cell(&canvas, view.layout.pane.row + 1 + row, col)->text,
				 "\u2588");
	return count;
}

/* They are of what the list is sorted by, and logarithmic on demand. */
START_TEST(bars)
{
	struct snapshot *snapshot = cast_snapshot(11);
	struct snap_kernel *kernels = cast_member(snapshot, CAST_TRAINER)->kernels;
	int full;

	ck_assert_int_eq(canvas_resize(&canvas, 24, 150), 0);
	kernels[0].launches = 1000;
	kernels[0].failures = 0;
	kernels[1].launches = 10;
	kernels[1].failures = 500;
	view_feed(&view, snapshot);
	keys("/4242\r2");
	full = bar_cells(0);
	ck_assert_int_ge(full, 8);
	ck_assert_int_eq(bar_cells(1), 0);
	keys("y");
	ck_assert_int_eq(bar_cells(0), full);
	/* a hundredth: one of three decades */
	ck_assert_int_eq(bar_cells(1), full * 347 / 1000);
	keys("y\r");
	for (int i = 0; i < 20 && !strstr(row_with("KERNEL"), "FAILED▼"); i++)
		keys(">");
	ck_assert_str_ne(row_with("FAILED▼"), "");
	ck_assert_int_ge(bar_cells(0), 8);
	ck_assert_int_eq(bar_cells(1), 0);
	keys("I");
	ck_assert_int_eq(bar_cells(0), 0);
}
END_TEST

START_TEST(freezing)
{
	struct sample sample;
	uint64_t time;

	time = view.shown->time;
	keys(" ");
	ck_assert(view.frozen);
	view_feed(&view, cast_snapshot(20));
	view_feed(&view, cast_snapshot(21));
	ck_assert_uint_eq(view.shown->time, time);
	ck_assert_uint_eq(track_count(&view.history.all), 10);
	keys(" ");
	ck_assert(!view.frozen);
	ck_assert_uint_eq(view.shown->time, CAST_NOW + 21000000000ull);
	/* What came while it was frozen was not sampled, but for the latest. */
	ck_assert_uint_eq(track_count(&view.history.all), 11);
	/* Nor does that stand for the time before it. */
	ck_assert(track_sample(&view.history.all, 0, &sample));
	ck_assert_double_eq(sample.length, 1);
	/* A selection made while frozen holds afterwards. */
	keys(" Pg");
	view_feed(&view, cast_snapshot(22));
	keys(" ");
	ck_assert_uint_eq(selected_pid(), 4600);
}
END_TEST

/* Whatever came while nothing was looked at, the bar has its cells and no more. */
START_TEST(freezing_before_the_first)
{
	view_clear(&view);
	view_init(&view);
	ck_assert_int_eq(canvas_resize(&canvas, 24, 160), 0);
	keys(" ");
	view_feed(&view, cast_snapshot(1));
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("VRAM"), " live "));
	ck_assert_ptr_nonnull(strstr(row_with("VRAM"), " leaked"));
}
END_TEST

START_TEST(baseline)
{
	const struct snap_process *leaker;
	struct column_value value;

	keys("x");
	view_feed(&view, cast_snapshot(12));
	leaker = snapshot_process(view.shown, CAST_LEAKER);
	value = view_value(&view, column_find("live"), leaker);
	ck_assert_double_eq(value.number, 60 * 1048576.0); /* 3 steps of 20M */
	value = view_value(&view, column_find("leaked"), leaker);
	ck_assert_double_eq(value.number, 60 * 1048576.0);
	ck_assert_int_eq(value.mark, '~'); /* suspected only */
	ck_assert_int_eq(view_value(&view, column_find("failed"),
				    snapshot_process(view.shown, CAST_TRAINER))
				 .mark,
			 '>');
	ck_assert_int_eq(view_value(&view, column_find("live"),
				    snapshot_process(view.shown, CAST_COPIER))
				 .mark,
			 0);
	value = view_value(&view, column_find("pid"), leaker);
	ck_assert_double_eq(value.number, 4107);
	ck_assert_uint_eq(view.table.rows[0].process->pid, 4242); /* +600M: by what is shown */
	keys("g2"); /* lists, too: 310 launches a step */
	rows_select(&view, 0);
	view_feed(&view, cast_snapshot(13));
	view_draw(&view, &canvas);
	ck_assert_ptr_nonnull(strstr(row_with("saxpy"), " 1240 "));
	for (size_t i = 0; i < view.table.row_count; i++)
		if (view.table.rows[i].process->program == CAST_LEAKER)
			rows_select(&view, i);
	keys("6"); /* half of what its live bytes grew by */
	ck_assert_ptr_nonnull(strstr(row_with("load_weights"), " 40.0M "));
	keys("\033");
	ck_assert_ptr_null(view.base);
	leaker = snapshot_process(view.shown, CAST_LEAKER);
	value = view_value(&view, column_find("live"), leaker);
	ck_assert_double_gt(value.number, 300 * 1048576.0);
}
END_TEST

/* What is empty is said as it is. */
START_TEST(nobody_left)
{
	struct snapshot *snapshot = cast_snapshot(11);

	snapshot->process_count = 0;
	view_feed(&view, snapshot);
	draw();
	ck_assert_str_ne(row_with("No CUDA program has made a call yet."), "");
	snapshot = cast_snapshot(12);
	snapshot->process_count = 0;
	snapshot->gone.processes = 6;
	view_feed(&view, snapshot);
	draw();
	ck_assert_str_ne(row_with("No CUDA program runs any more."), "");
	ck_assert_str_eq(row_with("has made a call yet"), "");
}
END_TEST

START_TEST(the_clock_is_set)
{
	struct snapshot *snapshot = cast_snapshot(11);
	size_t count = track_count(&view.history.all);

	keys("x");
	view_message(&view, "not for ever");
	snapshot->time -= 3600 * NSEC_PER_SEC;
	view_feed(&view, snapshot);
	ck_assert_ptr_nonnull(view.base);
	ck_assert_uint_eq(track_count(&view.history.all), count + 1);
	/*
	 * What cutop itself takes is a share of the time that went by, and a message stays for
	 * seconds of it.
	 */
	ck_assert_double_ge(view.self_share, 0);
	draw();
	ck_assert_str_ne(row_with("not for ever"), "");
	snapshot = cast_snapshot(17);
	snapshot->time -= 3600 * NSEC_PER_SEC;
	view_feed(&view, snapshot);
	draw();
	ck_assert_str_eq(row_with("not for ever"), "");
}
END_TEST

/* What nobody knows comes last among differences, too. */
START_TEST(differences_in_order)
{
	struct snap_process *process;

	keys("Mx");
	ck_assert_uint_eq(view.table.rows[0].process->pid, 4107);
	process = (struct snap_process *)(uintptr_t)view.table.rows[0].process;
	process->unreturned = true;
	rows_arrange(&view);
	ck_assert_uint_eq(view.table.rows[view.table.row_count - 1].process->pid, 4107);
	keys("I");
	ck_assert_uint_eq(view.table.rows[view.table.row_count - 1].process->pid, 4107);
}
END_TEST

START_TEST(requests)
{
	keys("w");
	ck_assert_int_eq(view.request, REQUEST_WRITE);
	keys("W");
	ck_assert_int_eq(view.request, REQUEST_SAVE);
	keys("X");
	ck_assert_int_eq(view.request, REQUEST_CLEAR);
}
END_TEST

START_TEST(zooming)
{
	keys("1");
	for (int i = 0; i < 40; i++)
		keys("+");
	for (int i = 0; i < 40; i++)
		keys("]");
	ck_assert_double_gt(view.map.pan, 0);
	ck_assert_double_le(view.map.pan, 1);
	for (int i = 0; i < 60; i++)
		keys("-");
	ck_assert_uint_eq(view.map.zoom, 0);
	ck_assert_double_eq(view.map.pan, 0);
}
END_TEST

/* Each key goes to a column that can be sorted by, and those of a list go round. */
START_TEST(columns_in_turn)
{
	static const enum pane all[] = { PANE_MEMORY, PANE_KERNELS, PANE_COPIES, PANE_FAILURES,
					 PANE_CALLS,  PANE_SITES,   PANE_LOG };

	ck_assert_int_eq(canvas_resize(&canvas, 60, 200), 0);
	keys("/4242\r\r");
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct list_state *pane = &view.panes[all[i]];
		unsigned int seen[2] = { 0 }, first;

		pane_show(&view, all[i]);
		draw();
		first = pane->sort;
		for (int turn = 0; turn < 2; turn++)
			do {
				keys(turn ? "<" : ">");
				ck_assert_msg(!pane->sort || pane->title_end[pane->sort - 1],
					      "pane %zu has no column %u to sort by", i,
					      pane->sort);
				seen[turn] |= 1u << pane->sort;
			} while (pane->sort != first);
		ck_assert_uint_eq(seen[0], seen[1]);
	}
}
END_TEST

/* Any keys at all, in any order: no crash, and what is selected exists. */
START_TEST(monkey)
{
	static const int sizes[][2] = { { 24, 80 }, { 5, 20 }, { 60, 200 }, { 1, 1 }, { 10, 40 } };
	uint32_t random = 12345;

	for (int i = 0; i < 20000; i++) {
		int32_t key;

		random = random * 1664525 + 1013904223;
		key = random >> 16 & 1 ? bindings[(random >> 17) % binding_count].keys[0] :
					 (int32_t)(random >> 20 & 0x7f);
		view_key(&view, key);
		if (view.request != REQUEST_NONE)
			view.request = REQUEST_NONE;
		if (i % 50 == 0) {
			struct snapshot *snapshot = cast_snapshot(i / 50);

			snapshot->process_count = random >> 8 & 7 ? CAST_COUNT :
								    (random >> 12) % CAST_COUNT;
			view_feed(&view, snapshot);
		}
		if (i % 7 == 0) {
			const int *size = sizes[(random >> 22) % 5];

			ck_assert_int_eq(canvas_resize(&canvas, size[0], size[1]), 0);
			view_draw(&view, &canvas);
			view_mouse(&view, (int)(random >> 5 & 63), (int)(random >> 11 & 255),
				   (enum mouse)(random >> 29 & 3));
		}
	}
}
END_TEST

Suite *suite_input(void)
{
	Suite *suite = suite_create("input");
	TCase *tests = tcase_create("input");

	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, the_table_is_sound);
	tcase_add_test(tests, letters_sort);
	tcase_add_test(tests, the_selection_is_a_process);
	tcase_add_test(tests, a_sort_shows_its_first);
	tcase_add_test(tests, what_is_said_at_the_start);
	tcase_add_test(tests, who_is_inexact);
	tcase_add_test(tests, a_process_that_goes_leaves_its_place);
	tcase_add_test(tests, panes_by_key);
	tcase_add_test(tests, a_column_out_of_sight_is_not_sorted_by);
	tcase_add_test(tests, bars);
	tcase_add_test(tests, freezing);
	tcase_add_test(tests, freezing_before_the_first);
	tcase_add_test(tests, baseline);
	tcase_add_test(tests, nobody_left);
	tcase_add_test(tests, the_clock_is_set);
	tcase_add_test(tests, differences_in_order);
	tcase_add_test(tests, requests);
	tcase_add_test(tests, zooming);
	tcase_add_test(tests, in_a_replay);
	tcase_add_test(tests, columns_in_turn);
	tcase_add_test(tests, monkey);
	suite_add_tcase(suite, tests);
	return suite;
}
