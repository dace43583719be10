/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names and figures where there is little room: whole characters, whole numbers, and a sign for
 * what is missing.
 */
#include <stdlib.h>
#include <string.h>

#include "at_screen.h"
#include "util/utf8.h"
#include "util/util.h"

/* Ten of two cells */
#define MANY \
	"\346\216\250\350\253\226\346\216\250\350\253\226\346\216\250\350\253\226\346\216\250\350\253\226\346\216\250\350\253\226"

static struct snap_process *process_of(uint32_t program)
{
	return (struct snap_process *)(uintptr_t)snapshot_process(view.shown, program);
}

static void resize(int rows, int cols)
{
	ck_assert_int_eq(canvas_resize(&canvas, rows, cols), 0);
	draw();
}

START_TEST(fitted)
{
	static const struct {
		const char *text, *fitted;
		size_t size;
		int cells;
	} texts[] = {
		{ "", "", 4, 0 },
		{ "abc", "abc", 4, 3 },
		{ "abcd", "\u2026", 4, 9 },
		{ "abcdef", "ab\u2026", 6, 9 },
		{ "abcdef", "abcdef", 7, 9 },
		{ "abcdef", "abcdef", 20, 6 },
		{ "abcdefg", "ab\u2026", 20, 3 },
		{ "a", "\u2026", 20, 0 },
		{ "\346\216\250\350\253\226", "\346\216\250\350\253\226", 20, 4 },
		{ "\346\216\250\350\253\226", "\346\216\250\u2026", 20, 3 },
		{ "\346\216\250\350\253\226", "\u2026", 20, 2 },
		{ "\346\216\250\350\253\226", "\346\216\250\350\253\226", 7, 9 },
		{ "\346\216\250\350\253\226", "\346\216\250\u2026", 8, 3 },
		{ "e\314\201", "e\314\201", 20, 1 },
		{ "\377\376", "\377\376", 20, 2 },
	};
	char out[20];

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		ck_assert_str_eq(utf8_fit(out, texts[i].size, texts[i].text, texts[i].cells),
				 texts[i].fitted);
}
END_TEST

/* What is not known is not shown as nothing. */
START_TEST(without_returns)
{
	static const char *const nothing[] = { "0 live",      "0 allocations", "No allocation",
					       "No call has", "No memory",     " failed" };
	struct snap_process *copier = process_of(CAST_COPIER);
	size_t i;
	char pane;

	copier->unreturned = UNRETURNED_SECCOMP;
	copier->allocations = copier->frees = copier->live = copier->peak =
		copier->live_allocations = 0;
	copier->map_count = copier->failure_count = copier->site_count =
		copier->failed_allocations = 0;
	for (i = 0; i < copier->copy_count; i++) {
		copier->copies[i].failures = 0;
		copier->copies[i].seconds = 0;
	}
	resize(50, 160);
	keys("/4311\r");
	ck_assert_uint_eq(selected_pid(), copier->pid);
	for (pane = '1'; pane <= '6'; pane++) {
		keys((char[]){ pane, 0 });
		for (i = 0; pane != '2' && i < ARRAY_LEN(nothing); i++)
			ck_assert_msg(!*row_with(nothing[i]) || strstr(row_with(nothing[i]), "/s"),
				      "%c: %s", pane, row_with(nothing[i]));
		if (strchr("146", pane))
			ck_assert_str_ne(row_with("not known: returns of its calls are not probed"),
					 "");
		if (pane == '3')
			ck_assert_msg(strstr(row_with(" sync "), " - ") != NULL, "%s",
				      row_with(" sync "));
	}
}
END_TEST

/* No name is cut inside a character: half of one is a question mark. */
START_TEST(names_of_wide_characters)
{
	struct snap_process *trainer = process_of(CAST_TRAINER);
	char name[128] = "a";

	strcat(strcat(strcat(name, MANY), MANY), MANY); /* 61 cells, of 91 bytes */
	trainer->command = name;
	resize(24, 200);
	keys("/4242\r");
	ck_assert_str_ne(row_with(MANY MANY), "");
	ck_assert_ptr_nonnull(strstr(row_with("7 Log"), "\u2026 "));
	ck_assert_ptr_null(strstr(row_with("7 Log"), "?"));
	press(K_F9);
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("Signal to 4242 a"), "\u2026 "));
	keys("\r");
	ck_assert_ptr_nonnull(strstr(row_with("Send SIGTERM to 4242 a"), "\u2026?"));
	ck_assert_ptr_null(strstr(row_with("Send SIGTERM to 4242 a"), "??"));
	keys("\033\\x" MANY MANY MANY);
	ck_assert_ptr_nonnull(strstr(row_with("filter x"), "\u2026 (6 hidden)"));
}
END_TEST

/* A signature of thousands of characters is read to its end. */
START_TEST(names_of_thousands)
{
	struct snap_kernel *kernels;
	char *name = malloc(9000);

	ck_assert_ptr_nonnull(name);
	keys("/4242\r2\r");
	kernels = (struct snap_kernel *)(uintptr_t)process_of(CAST_TRAINER)->kernels;
	memset(name, 'x', 8999);
	name[8999] = 0;
	strcpy(name + 3990, "its end");
	kernels[0].shown = name;
	for (int i = 0; i < 600; i++)
		press(']');
	draw();
	ck_assert_str_ne(row_with("xits end "), "");
	strcpy(name + 3990, "xxxxxxx");
	name[3997] = 'x';
	draw();
	for (int i = 0; i < 600; i++)
		press(']');
	draw();
	ck_assert_str_ne(row_with("xxx\u2026 "), "");
	free(name);
}
END_TEST

/* Where there is no room for a kernel's name, both its ends are left: that is where names differ. */
START_TEST(long_names_stay_different)
{
	struct snap_kernel *kernels;

	keys("/4242\r2");
	kernels = (struct snap_kernel *)(uintptr_t)process_of(CAST_TRAINER)->kernels;
	kernels[0].shown = "cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_tn_align8";
	kernels[1].shown = "cutlass_80_tensorop_f16_s16816gemm_relu_f16_128x128_64x3_nn_align8";
	draw();
	ck_assert_str_ne(row_with("cutlass_80_tensorop_f\u2026"
				  "56x128_32x3_tn_align8 "),
			 "");
	ck_assert_str_ne(row_with("cutlass_80_tensorop_f\u2026"
				  "28x128_64x3_nn_align8 "),
			 "");
	/* Panned, it is the whole name that moves. */
	keys("\r]");
	ck_assert_str_ne(row_with("\u2026op_f16_s16816gemm_relu_f16_256x128_32x3"), "");
	ck_assert_int_eq(canvas_resize(&canvas, 10, 20), 0);
	draw();
}
END_TEST

/* Whose pane it is stands beside the panes' names, for which there is room for their beginnings. */
START_TEST(whose_pane_it_is)
{
	keys("/4242\r1");
	ck_assert_ptr_nonnull(strstr(row_with("1 Memory"), "2 Ker "));
	ck_assert_ptr_nonnull(strstr(row_with("1 Memory"), "7 Log"));
	ck_assert_ptr_nonnull(strstr(row_with("1 Memory"), " 4242 python "));
	keys("\033\\pid:4400\r");
	ck_assert_ptr_nonnull(strstr(row_with("1 Memory"), " 4242 python "));
	/* A click meets what is drawn. */
	view_mouse(&view, view.layout.tabs.row, 20, MOUSE_CLICK);
	ck_assert_int_eq(view.settings.pane, PANE_KERNELS);
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("2 Kernels"), " 4242 pytho"));
	ck_assert_ptr_nonnull(strstr(row_with("2 Kernels"), "1 Mem "));
	/* The log is about all processes. */
	keys("\0337");
	ck_assert_ptr_null(strstr(row_with("7 Log"), "4242 python"));
	keys("2");
	resize(24, 60);
	ck_assert_ptr_nonnull(strstr(row_with("2 Kernels"), " 1 "));
	ck_assert_ptr_nonnull(strstr(row_with("2 Kernels"), " 4242 pytho"));
}
END_TEST

/* A figure is whole, or not there: one that lost its end is another one. */
START_TEST(whole_figures)
{
	static const struct {
		double seconds;
		const char *text;
	} times[] = {
		{ 4838400, " 1344h " },  { 99999.4, " 99999s " }, { 99999.6, " 27.8h " },
		{ 3599000, " 999.7h " }, { 3.6e7, " 417d " },     { 1e9, " 11574d " },
	};
	struct snap_process *trainer = process_of(CAST_TRAINER);
	struct snap_call *calls = (struct snap_call *)(uintptr_t)trainer->call_list;
	char age[32];

	keys("/4242\r1");
	trainer->allocations = 1234567890;
	trainer->frees = 1234567;
	for (int cols = 31; cols < 140; cols++) {
		const char *row;

		resize(24, cols);
		row = row_with("VRAM");
		ck_assert_msg(strstr(row, " leaked") != NULL, "%d: %s", cols, row);
		ck_assert_msg(strstr(row, strstr(row, " live ") ? " live \u2588" : "G \u2588") !=
				      NULL,
			      "%d: %s", cols, row);
		ck_assert_msg(!strstr(row, " of ") || strstr(row, " of 19.7G peak "), "%d: %s",
			      cols, row);
		ck_assert_msg(cols < 100 || strstr(row, " of "), "%d: %s", cols, row);
		row = row_with("alloc");
		ck_assert_msg(!strstr(row, "alloc") ||
				      strstr(row, "1234567890 allocations, 1234567 frees ") ||
				      strstr(row, "1.2G allocations, 1.2M frees "),
			      "%d: %s", cols, row);
	}
	resize(24, 80);
	trainer->has_used = true;
	trainer->untracked = 512ull << 20;
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("G peak   "), "64.0M held    512M untracked"));
	keys("5");
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		calls[3].seconds = times[i].seconds;
		draw();
		ck_assert_msg(strstr(row_with("cudaDeviceSynchronize"), times[i].text) != NULL,
			      "%s: %s", times[i].text, row_with("cudaDeviceSynchronize"));
	}
	calls[2].seconds = 5e6;
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("cudaLaunchKernel"), " \u22651389h "));
	format_age(999ull * 86400 * NSEC_PER_SEC, age, sizeof(age));
	ck_assert_str_eq(age, "999d00h");
	format_age(9000ull * 86400 * NSEC_PER_SEC, age, sizeof(age));
	ck_assert_str_eq(age, "9000d");
}
END_TEST

/* The cells of @program's row of the table: '!' for one that is part of a match. */
static const char *marks_of(uint32_t program)
{
	static char marks[512];

	marks[0] = 0;
	for (size_t i = 0; i < view.table.row_count && i < (size_t)view.layout.table.rows; i++)
		for (int col = 0;
		     view.table.rows[view.table.list.top + i].process->program == program &&
		     col < canvas.cols;
		     col++)
			strcat(marks,
			       canvas_cell(&canvas, view.layout.table.row + (int)i, col)->flags &
					       CELL_MATCH ?
				       "!" :
				       ".");
	return marks;
}

/* What is looked for is marked where it stands, and nothing beside it. */
START_TEST(marks)
{
	struct settings *settings = &view.settings;
	const char *row;

	resize(12, 80);
	keys("/sho\r");
	row = row_with("\u00d7 short");
	ck_assert_str_ne(row, "");
	/* A sign of two bytes */
	ck_assert_ptr_eq(strchr(marks_of(CAST_SHORT), '!'),
			 marks_of(CAST_SHORT) + (strstr(row, "short") - row - 1));
	ck_assert_ptr_nonnull(strstr(marks_of(CAST_SHORT), ".!!!."));
	/* Out of sight, and in a column that is not the last. */
	memmove(settings->columns + 1, settings->columns,
		(settings->column_count - 1) * sizeof(settings->columns[0]));
	settings->columns[0] = column_find("command");
	keys("/epochs\r");
	ck_assert_ptr_null(strchr(marks_of(CAST_TRAINER), '!'));
	keys("/train.py --ep\r");
	ck_assert_int_eq((int)strcspn(marks_of(CAST_TRAINER), "!"), 7);
	ck_assert_int_eq((int)(strrchr(marks_of(CAST_TRAINER), '!') - marks_of(CAST_TRAINER)),
			 view.table.list.title_end[0] - view.table.list.title_start[0] - 1);
}
END_TEST

/* What was lost is told by cause, as far as there is room. */
static int bar_of(const char *text)
{
	const char *line = row_with("VRAM");
	int count = 0;

	while ((line = strstr(line, text)) != NULL) {
		count++;
		line += strlen(text);
	}
	return count;
}

/*
 * What the bar's full length stands for is said: the most there ever was, or what the devices have;
 * where there is little room, in place of what leaked if nothing did.
 */
START_TEST(full_bar)
{
	struct snapshot *snapshot;

	resize(24, 160);
	ck_assert_msg(strstr(row_with("VRAM"), "\u259a of 19.7G peak  ~188M leaked") != NULL, "%s",
		      row_with("VRAM"));
	for (int leaks = 0; leaks < 2; leaks++) {
		snapshot = cast_snapshot(20);
		for (size_t i = 0; i < snapshot->process_count; i++)
			snapshot->processes[i].suspect = snapshot->processes[i].suspect_live = 0;
		snapshot->live = 40ull << 30;
		snapshot->leaked = leaks ? 5 << 20 : 0;
		view_feed(&view, snapshot);
		resize(24, 80);
		ck_assert_ptr_nonnull(strstr(row_with("VRAM"), leaks ? " 5.0M leaked  launch" :
								       " of 40.0G peak  launch"));
		cast_devices(snapshot);
		for (size_t i = 0; i < snapshot->device_count; i++)
			snapshot->devices[i].total = 16ull << 30;
		ck_assert_uint_eq(snapshot->device_count, 5);
		draw();
		ck_assert_msg(
			strstr(row_with("VRAM"),
			       leaks ? "\u2588\u2588\u2588\u259a\u2591   5.0M leaked  launch" :
				       "\u2588\u2588\u2588\u2591\u2591 of 80.0G  ") != NULL,
			"%s", row_with("VRAM"));
		resize(24, 160);
		ck_assert_ptr_nonnull(strstr(row_with("VRAM"), " of 80.0G  "));
	}
}
END_TEST

/* Managed memory leaks, too, but is in no live: its part of the bar stands beyond that. */
START_TEST(suspects_beyond_live)
{
	struct snapshot *snapshot = cast_snapshot(20);

	snapshot->live = 0;
	snapshot->leaked = 0;
	for (size_t i = 0; i < snapshot->process_count; i++)
		snapshot->processes[i].suspect = snapshot->processes[i].suspect_live = 0;
	snapshot->processes[0].suspect = 300u << 20;
	view_clear(&view);
	cast_view(&view, 0);
	view_feed(&view, snapshot);
	ck_assert_int_eq(canvas_resize(&canvas, 24, 160), 0);
	draw();
	ck_assert_int_eq(bar_of("█"), 0);
	ck_assert_int_gt(bar_of("▒"), 0);
}
END_TEST

START_TEST(what_was_lost)
{
	struct snapshot *shown = (struct snapshot *)(uintptr_t)view.shown;

	resize(24, 200);
	ck_assert_str_ne(row_with(" lost 12  (returns 12)  self "), "");
	shown->lost[LOST_RETURN] = 0;
	draw();
	ck_assert_str_ne(row_with(" lost 0  self "), "");
	for (int i = 0; i < LOST_COUNT; i++)
		shown->lost[i] = 123456789;
	draw();
	ck_assert_ptr_nonnull(strstr(row_with(" lost "), "  (ring_full 123M, returns 123M, "));
	ck_assert_ptr_nonnull(strstr(row_with(" lost "), " 123M, ...)  self "));
	resize(24, 80);
	ck_assert_ptr_null(strstr(row_with(" lost "), "ring_full"));
}
END_TEST

/* How far back a plot goes is told in numbers that have few digits. */
START_TEST(how_far_back)
{
	static const struct {
		double delay;
		const char *text;
	} spans[] = {
		{ 0.1, " last 18s " }, { 1, " last 3m " },    { 11, " last 33m " },
		{ 60, " last 3h " },   { 300, " last 15h " }, { 5400, " last 11d06h " },
	};

	resize(30, 100);
	keys("/4242\r1");
	for (int step = 10; step < 200; step++)
		view_feed(&view, cast_snapshot(step));
	view.settings.delay = NSEC_PER_SEC / 2;
	draw();
	keys("[[");
	draw();
	ck_assert_msg(strstr(row_with("live bytes"), " 1m30s until 14:05:56 ") != NULL, "%s",
		      row_with("live bytes"));
	/* After days */
	keys("]]");
	view_feed(&view, cast_snapshot(1000000));
	for (size_t i = 0; i < ARRAY_LEN(spans); i++) {
		view.settings.delay = (uint64_t)(spans[i].delay * 1e9);
		draw();
		ck_assert_msg(strstr(row_with("live bytes"), spans[i].text) != NULL, "%s: %s",
			      spans[i].text, row_with("live bytes"));
	}
}
END_TEST

/* What happened at this time of another day did not happen today. */
START_TEST(days_ago)
{
	struct snap_event *events = (struct snap_event *)(uintptr_t)view.shown->events;
	struct snap_failure *failures;

	events[0].time = view.shown->time - 86399 * NSEC_PER_SEC;
	keys("7");
	ck_assert_str_ne(row_with(" 14:03:32     4400  start "), "");
	events[0].time = view.shown->time - 86400 * NSEC_PER_SEC;
	draw();
	ck_assert_str_ne(row_with("   Nov 12     4400  start "), "");
	keys("/4400\r4");
	failures = (struct snap_failure *)(uintptr_t)process_of(CAST_FAILING)->failure_list;
	failures[0].first = failures[0].last = view.shown->time - 90 * 86400 * NSEC_PER_SEC;
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("cudaErrorMemoryAllocation"), "  Aug 15 "));
}
END_TEST

/* What an error means is said once, however many calls ended with it. */
START_TEST(meanings)
{
	struct snap_failure *failures;
	int rows = 0;

	keys("/4400\r4");
	failures = (struct snap_failure *)(uintptr_t)process_of(CAST_FAILING)->failure_list;
	failures[1].code = failures[0].code;
	failures[1].error = failures[0].error;
	draw();
	for (int row = 0; row < canvas.rows; row++)
		rows += !strcmp(canvas_cell(&canvas, row, 1)->text, "c") &&
			!strcmp(canvas_cell(&canvas, row, 5)->text, "E");
	ck_assert_int_eq(rows, 2);
}
END_TEST

Suite *suite_narrow(void)
{
	Suite *suite = suite_create("narrow");
	TCase *tests = tcase_create("narrow");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, fitted);
	tcase_add_test(tests, names_of_wide_characters);
	tcase_add_test(tests, without_returns);
	tcase_add_test(tests, names_of_thousands);
	tcase_add_test(tests, long_names_stay_different);
	tcase_add_test(tests, whose_pane_it_is);
	tcase_add_test(tests, whole_figures);
	tcase_add_test(tests, marks);
	tcase_add_test(tests, full_bar);
	tcase_add_test(tests, suspects_beyond_live);
	tcase_add_test(tests, what_was_lost);
	tcase_add_test(tests, how_far_back);
	tcase_add_test(tests, days_ago);
	tcase_add_test(tests, meanings);
	suite_add_tcase(suite, tests);
	return suite;
}
