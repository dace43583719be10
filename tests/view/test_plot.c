/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plots: what is drawn, by time; keys that zoom, move and read. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "at_screen.h"
#include "util/util.h"
#include "view/cells.h"
#include "view/plot.h"

/* A plot of its own, on a canvas of 6 rows and 18 columns: 10 cells, 20 dots. */
enum { ROWS = 6, COLS = 18 };

static struct snapshot *now; /* what the view shows */

static void resized(int rows, int cols)
{
	ck_assert_int_eq(canvas_resize(&canvas, rows, cols), 0);
}

/* Feeds the leaker's live bytes, one value a second from 101 s on. */
static void feed(const double *values, size_t count)
{
	view_clear(&view);
	view_init(&view);
	view.timezone_fixed = 1;
	for (size_t i = 0; i < count; i++) {
		now = cast_snapshot(0);
		now->process_count = 1;
		now->processes[0].live = (uint64_t)values[i];
		now->processes[0].suspect = now->processes[0].leaked = 0;
		now->processes[0].failures = now->processes[0].failed_allocations = 0;
		now->elapsed_seconds = 101 + (double)i;
		view_feed(&view, now);
	}
}

static void plot(bool ascii, unsigned int marks)
{
	struct area area;
	struct plot plot = { .track = history_find(&view.history, view.shown->processes[0].program),
			     .series = SERIES_LIVE,
			     .style = ST_LIVE,
			     .title = "live",
			     .unit = PLOT_BYTES,
			     .per = "",
			     .marks = marks };

	canvas.ascii = ascii;
	canvas_clear(&canvas);
	area = area_of(&canvas, (struct rect){ 0, 0, canvas.rows, canvas.cols });
	plot_draw(&view, &area, &plot);
}

static const char *row_at(int row)
{
	static char line[4096];

	line[0] = 0;
	for (int col = 0; col < canvas.cols; col++)
		strcat(line, canvas_cell(&canvas, row, col)->text);
	return line;
}

/* A dot is a second across, and a quarter of a cell up; what is not known is no zero. */
START_TEST(dots)
{
	static const double values[] = { 1024, 2048, 3072, 4096, 4096, 0, 0, 1 };

	resized(ROWS, COLS);
	feed(values, ARRAY_LEN(values));
	plot(false, 0);
	ck_assert_str_eq(row_at(0), "live 1B   last 20s");
	/* 5K are 16 dots: 1K is 3, 2K are 6, 3K 10, 4K 13; what is above 0 has a dot. */
	ck_assert_str_eq(row_at(1), "   5.0K│       ⢀⡀ ");
	ck_assert_str_eq(row_at(2), "       │       ⣼⡇ ");
	ck_assert_str_eq(row_at(3), "       │      ⢠⣿⡇ ");
	ck_assert_str_eq(row_at(4), "       │      ⣾⣿⡇⢀");
	ck_assert_str_eq(row_at(5), "      0└······────");
	plot(true, 0);
	ck_assert_str_eq(row_at(1), "   5.0K|       __ ");
	ck_assert_str_eq(row_at(2), "       |       +- ");
	ck_assert_str_eq(row_at(4), "       |      *#-_");
	ck_assert_str_eq(row_at(5), "      0+......----");
	/* One row of dots is all there is room for; and nothing, and no harm, below that. */
	resized(2, COLS);
	plot(false, 0);
	ck_assert_str_eq(row_at(1), "   5.0K│      ⣠⣴⡆⢀");
	for (int rows = 0; rows < 12; rows++)
		for (int cols = 0; cols < 40; cols++) {
			resized(rows, cols);
			plot(false, MARKS_OF_MEMORY);
		}
}
END_TEST

/* A peak is seen however much time a dot stands for. */
START_TEST(peaks)
{
	double values[3700];

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		values[i] = i == ARRAY_LEN(values) - 350 ? 4096 : 1024;
	resized(ROWS, COLS);
	feed(values, ARRAY_LEN(values));
	plot(false, 0);
	ck_assert_str_eq(row_at(0), "live 1.0K         ");
	for (int i = 0; i < 6; i++)
		plot_zoom(&view, 1);
	plot(false, 0);
	ck_assert_double_eq(view.plots.step, 60);
	ck_assert_str_eq(row_at(0), "live 1.0K         ");
	ck_assert_str_eq(row_at(1), "   5.0K│      ⢀   ");
	ck_assert_str_eq(row_at(4), "       │⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶");
	/* An hour is the most. */
	for (int i = 0; i < 40; i++)
		plot_zoom(&view, 1);
	plot(false, 0);
	ck_assert_double_eq(view.plots.step, 120);
	resized(ROWS, 88);
	plot(false, 0);
	ck_assert_double_eq(view.plots.step, 30);
	for (int i = 0; i < 40; i++)
		plot_zoom(&view, -1);
	plot(false, 0);
	ck_assert_double_eq(view.plots.step, 1);
}
END_TEST

/* The time below is that of the samples, whatever the delay. */
START_TEST(times)
{
	double values[90];

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		values[i] = 1024;
	resized(ROWS, 58);
	feed(values, ARRAY_LEN(values));
	plot(false, 0);
	ck_assert_str_eq(row_at(5), "      0└·····┴-1m30s────────┴-1m───────────┴-30s──────────");
	/* In a row of their own. */
	resized(9, 58);
	plot(false, 0);
	ck_assert_str_eq(row_at(7), "      0└·····┴──────────────┴──────────────┴──────────────");
	ck_assert_str_eq(row_at(8), "             -1m30s         -1m            -30s           ");
}
END_TEST

/* Seconds from one end of the plot to the other, and how many of its dots are of a time that is known. */
static double seconds_shown(double *known)
{
	const char *axis;
	size_t cells = 0, of = 0;

	plot(true, 0);
	axis = strchr(row_at(ROWS - 1), '+');
	ck_assert_ptr_nonnull(axis);
	for (axis++; *axis; axis++, of++)
		cells += *axis != '.' && *axis != ' ';
	*known = (double)cells / (double)of;
	return view.plots.last - view.plots.first;
}

/* The time that is shown begins with what there is, and grows until a dot is an interval. */
START_TEST(grows)
{
	double values[150], seconds, before = 0, known;
	unsigned int scales = 0;

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		values[i] = 1024;
	resized(ROWS, 68);
	for (size_t count = 1; count <= ARRAY_LEN(values); count++) {
		feed(values, count);
		seconds = seconds_shown(&known);
		ck_assert_double_ge(known, 0.05);
		ck_assert_double_ge(known, fmin((double)count / 30, 0.6));
		ck_assert_double_ge(seconds + 1e-6, fmin((double)count, 120));
		ck_assert(count > 20 || seconds < 30.001);
		ck_assert_double_ge(seconds + 1e-6, before);
		scales += seconds > before + 1e-6;
		before = seconds;
	}
	ck_assert_double_eq_tol(seconds, 120, 1e-6);
	ck_assert_uint_le(scales, 6);
	/* As far as it was zoomed, and at first no further than what there is. */
	feed(values, 4);
	seconds = seconds_shown(&known);
	plot_zoom(&view, 1);
	ck_assert_ptr_nonnull(strstr(view.message, "all the time there is, up to 4m"));
	plot_zoom(&view, 1);
	ck_assert_double_eq(seconds_shown(&known), seconds);
	for (int i = 4; i < 1000; i++) {
		now = cast_snapshot(0);
		now->elapsed_seconds = 101 + i;
		view_feed(&view, now);
		if (i == 200)
			ck_assert_double_eq(seconds_shown(&known), 240);
	}
	ck_assert_double_eq(seconds_shown(&known), 600);
	view.message[0] = 0;
	plot_zoom(&view, -1);
	ck_assert_str_eq(view.message, "");
	ck_assert_double_eq(seconds_shown(&known), 240);
}
END_TEST

/* What cannot grow any more fills the plot, however short it was. */
START_TEST(of_what_ended)
{
	static const double values[] = { 1024, 2048, 3072, 4096, 4096, 5120 };
	double known;

	resized(ROWS, 68);
	feed(values, ARRAY_LEN(values));
	now = cast_snapshot(0);
	now->processes[0].live = 0;
	now->processes[0].exited = true;
	now->elapsed_seconds = 107;
	view_feed(&view, now);
	for (int i = 0; i < 5; i++) {
		now = cast_snapshot(0);
		now->processes[0].live = 0;
		now->processes[0].exited = true;
		now->elapsed_seconds = 108 + i;
		view_feed(&view, now);
	}
	ck_assert_double_lt(seconds_shown(&known), 12);
	ck_assert_double_ge(known, 0.6);
	ck_assert_ptr_nonnull(strstr(row_at(0), " 8s until 14:03:1"));
	/* A recording that is shorter than what is shown at first. */
	feed(values, ARRAY_LEN(values));
	view.host.play.is_on = true;
	view.host.play.total = 8 * NSEC_PER_SEC;
	ck_assert_double_lt(seconds_shown(&known), 12);
}
END_TEST

/* So do sparklines. */
START_TEST(sparklines)
{
	double values[90];
	struct area area;

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		values[i] = 1024;
	resized(1, 64);
	area = area_of(&canvas, (struct rect){ 0, 0, 1, 64 });
	for (size_t count = 1; count <= ARRAY_LEN(values); count++) {
		size_t drawn = 0;

		feed(values, count);
		canvas_clear(&canvas);
		spark_of(&area, 0, 0, 64, ST_LIVE,
			 history_find(&view.history, view.shown->processes[0].program), SERIES_LIVE,
			 0);
		for (int col = 0; col < 64; col++)
			drawn += strcmp(canvas_cell(&canvas, 0, col)->text, " ") != 0;
		ck_assert_uint_ge(drawn, 3);
		ck_assert_uint_ge(drawn, count < 64 ? count : 64);
		ck_assert_uint_le(drawn, 3 * count);
	}
}
END_TEST

/* What happened stands at the axis in signs that differ without colour, and in words if there is room. */
START_TEST(marks)
{
	static const double values[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct snap_process *process;

	resized(ROWS, 78);
	feed(values, ARRAY_LEN(values));
	for (int i = 1; i <= 10; i++) {
		now = cast_snapshot(0);
		process = &now->processes[0];
		now->process_count = 1;
		process->suspect = i >= 1;
		process->failures = (uint64_t)(i >= 3) + (i >= 5);
		process->failed_allocations = i >= 5;
		process->leaked = i >= 7;
		process->exited = i >= 9;
		now->elapsed_seconds = 108 + i * 2;
		view_feed(&view, now);
	}
	plot(false, MARKS_OF_MEMORY | MARK_FAILURE);
	ck_assert_ptr_nonnull(
		strstr(row_at(5), "┴-25s────────~───────!───────✗┴-10s──▲──┴-5s─■────"));
	ck_assert_ptr_nonnull(
		strstr(row_at(0), "✗ an allocation failed  ▲ leaked  ! a call failed"));
	plot(true, MARKS_OF_MEMORY | MARK_FAILURE);
	ck_assert_ptr_nonnull(
		strstr(row_at(5), "+-25s--------~-------!-------x+-10s--^--+-5s-#----"));
	/* Only what the plot is about. */
	plot(false, MARK_EXIT);
	ck_assert_ptr_nonnull(strstr(row_at(5), "┴-5s─■────"));
	ck_assert_ptr_null(strstr(row_at(0), "failed"));
}
END_TEST

/* The cursor reads what is at its time, stays there, and goes at the end. */
START_TEST(cursor)
{
	keys("/4242\r1");
	resized(40, 120);
	draw();
	ck_assert_str_ne(row_with("live bytes 12.4G "), "");
	keys("{");
	ck_assert(view.plots.reads);
	ck_assert_ptr_nonnull(strstr(row_with("live bytes"), " at 14:03:31, 0s ago "));
	ck_assert_double_eq(view.plots.cursor, 109 - view.plots.step / 2);
	keys("{{{");
	ck_assert_ptr_nonnull(strstr(row_with("live bytes"), " at 14:03:28, 3s ago "));
	ck_assert_str_ne(row_with("last"), row_with("live bytes"));
	/* It reads what was then, later, too, and in all panes. */
	view_feed(&view, cast_snapshot(12));
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("live bytes"), " at 14:03:28, 6s ago "));
	keys("2");
	ck_assert_str_ne(row_with("/s at 14:03:28, 6s ago "), "");
	keys("5");
	ck_assert_ptr_nonnull(strstr(row_with("time spent waiting"), " at 14:03:28, 6s ago "));
	/* Esc takes it away, and nothing else. */
	keys("z{");
	ck_assert(view.full);
	keys("\033");
	ck_assert(!view.plots.reads);
	ck_assert(view.full);
	keys("\033");
	ck_assert(!view.full);
	/* So does the end. */
	keys("{{}");
	ck_assert(view.plots.reads);
	keys("}");
	ck_assert(!view.plots.reads);
	keys("}");
	ck_assert(!view.plots.reads);
	/* Where there is no pane, or no plot in it, that is said. */
	keys("\033\033");
	resized(10, 120);
	draw();
	ck_assert_int_eq(view.layout.pane.rows, 0);
	keys("{");
	ck_assert(!view.plots.reads);
	ck_assert_ptr_nonnull(strstr(view.message, "no plot"));
	resized(40, 120);
	draw();
	keys("7");
	keys("{");
	ck_assert(!view.plots.reads);
	ck_assert_ptr_nonnull(strstr(view.message, "no plot"));
}
END_TEST

/* A click puts the cursor there, a second one takes it away; the wheel zooms. */
START_TEST(mouse)
{
	const struct rect *area;

	for (int i = 10; i < 300; i++)
		view_feed(&view, cast_snapshot(i));
	resized(40, 120);
	keys("/4242\r3");
	ck_assert_uint_eq(view.plots.area_count, 2);
	for (size_t i = 0; i < 2; i++) {
		area = &view.plots.areas[i];
		view_mouse(&view, area->row, area->col + area->cols - 3, MOUSE_CLICK);
		draw();
		ck_assert(view.plots.reads);
		ck_assert_double_eq(view.plots.cursor, 399 - 4.5);
		ck_assert_ptr_nonnull(strstr(row_with("H2D 2"), " at 14:08:17, 4s ago "));
		ck_assert_str_eq(canvas_cell(&canvas, area->row, area->col + area->cols - 3)->text,
				 "\u2502");
		ck_assert_str_ne(canvas_cell(&canvas, area->row, area->col + area->cols - 4)->text,
				 "\u2502");
		view_mouse(&view, area->row, area->col + area->cols - 3, MOUSE_CLICK);
		draw();
		ck_assert(!view.plots.reads);
		/* The title is no plot. */
		view_mouse(&view, area->row - 1, area->col, MOUSE_CLICK);
		draw();
		ck_assert(!view.plots.reads);
	}
	view_mouse(&view, area->row, area->col, MOUSE_WHEEL_DOWN);
	draw();
	ck_assert_double_eq(view.plots.step, 2);
	view_mouse(&view, area->row, area->col, MOUSE_WHEEL_UP);
	draw();
	ck_assert_double_eq(view.plots.step, 1);
}
END_TEST

/* Back to the oldest sample and no further, so that it is as far back; there it stands still. */
START_TEST(back_in_time)
{
	double first;

	for (int i = 11; i < 600; i++)
		view_feed(&view, cast_snapshot(i));
	keys("/4242\r\r3");
	for (int i = 0; i < 200; i++)
		keys("[");
	first = view.plots.first;
	ck_assert_double_eq_tol(first, 100, 2);
	ck_assert_str_ne(row_with(" until 14:0"), "");
	view_feed(&view, cast_snapshot(600));
	draw();
	ck_assert_double_eq(view.plots.first, first);
	keys("]");
	ck_assert_double_gt(view.plots.first, first);
	for (int i = 0; i < 200; i++)
		keys("]");
	ck_assert(!view.plots.held);
	ck_assert_double_eq(view.plots.last, 700);
	/* The cursor takes it back with it. */
	for (int i = 0; i < 400; i++)
		keys("{");
	ck_assert_double_eq(view.plots.cursor, 300.5);
	ck_assert_double_le(view.plots.first, 300.5);
	keys("\033");
	ck_assert_double_eq(view.plots.last, 700);
	/* A replay that goes back takes away what is not yet. */
	keys("{[");
	view.host.play.is_on = true;
	view_feed(&view, cast_snapshot(20));
	draw();
	ck_assert(!view.plots.reads);
	ck_assert(!view.plots.held);
	ck_assert_double_eq(view.plots.last, 120);
}
END_TEST

/* The axis stays what it is where a replay jumps, or plays faster. */
START_TEST(of_a_replay)
{
	view.host.play.is_on = true;
	for (int i = 11; i < 100; i++)
		view_feed(&view, cast_snapshot(i));
	keys("/4242\r3");
	ck_assert_double_eq(view.plots.step, 1);
	view_feed(&view, cast_snapshot(160));
	draw();
	ck_assert_double_eq(view.plots.step, 1);
	ck_assert_double_eq(view.plots.last, 260);
}
END_TEST

/* With a long delay there are still only as many times as there is room for. */
START_TEST(times_far_apart)
{
	double values[] = { 1024, 1024, 1024 };
	clock_t begun;

	resized(9, 58);
	feed(values, ARRAY_LEN(values));
	view.settings.delay = 1000000000 * NSEC_PER_SEC;
	begun = clock();
	for (int i = 0; i < 100; i++)
		plot(false, 0);
	ck_assert_int_lt(clock() - begun, CLOCKS_PER_SEC);
}
END_TEST

Suite *suite_plot(void)
{
	Suite *suite = suite_create("plot");
	TCase *tests = tcase_create("plot");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, dots);
	tcase_add_test(tests, peaks);
	tcase_add_test(tests, times);
	tcase_add_test(tests, grows);
	tcase_add_test(tests, of_what_ended);
	tcase_add_test(tests, sparklines);
	tcase_add_test(tests, marks);
	tcase_add_test(tests, cursor);
	tcase_add_test(tests, mouse);
	tcase_add_test(tests, back_in_time);
	tcase_add_test(tests, of_a_replay);
	tcase_add_test(tests, times_far_apart);
	suite_add_tcase(suite, tests);
	return suite;
}
