/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Golden screens: the text of every row and, below it, a letter for the style
 * of each cell (theme.c, style_letters; ^ below those that are selected is left
 * out: upper rows of "~" say it). A theme's file has the looks themselves.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cast.h"
#include "util/util.h"

#define STEPS 60

static FILE *out;
static char *written;
static size_t written_size;

static void golden_begin(void)
{
	out = open_memstream(&written, &written_size);
	ck_assert_ptr_nonnull(out);
}

static void golden_end(const char *name)
{
	char path[512], *expected;
	FILE *file;

	fclose(out);
	snprintf(path, sizeof(path), "%s/%s.txt", GOLDEN_DIR, name);
	if (getenv("UPDATE_GOLDEN")) {
		file = fopen(path, "w");
		ck_assert_ptr_nonnull(file);
		fputs(written, file);
		fclose(file);
	} else {
		expected = file_read(path, 4 << 20, NULL);
		ck_assert_msg(expected != NULL, "%s is missing; UPDATE_GOLDEN=1 makes it", path);
		if (strcmp(expected, written)) {
			file = fopen("golden.actual", "w");
			if (file) {
				fputs(written, file);
				fclose(file);
			}
			ck_abort_msg(
				"%s has changed; see golden.actual, and UPDATE_GOLDEN=1 if it is right",
				path);
		}
		free(expected);
	}
	free(written);
}

static void trimmed(char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		text[--len] = 0;
	fprintf(out, "%s\n", text);
}

static void print_canvas(const struct canvas *canvas, bool styles)
{
	static char text[64 * 1024];
	int row, col;

	for (row = 0; row < canvas->rows; row++) {
		text[0] = 0;
		for (col = 0; col < canvas->cols; col++)
			strcat(text, canvas_cell(canvas, row, col)->text);
		fputc('|', out);
		trimmed(text);
		if (!styles)
			continue;
		for (col = 0; col < canvas->cols; col++) {
			const struct cell *cell = canvas_cell(canvas, row, col);
			char letter = style_letters[cell->style];

			text[col] = letter == '.' ? ' ' : letter;
			if (cell->flags & CELL_SELECTED && text[col] == ' ')
				text[col] = '~';
			if (cell->flags & CELL_MATCH)
				text[col] = '!';
		}
		text[col] = 0;
		fputc(' ', out);
		trimmed(text);
	}
}

static void print_color(int32_t color)
{
	if (color >= COLOR_RGB)
		fprintf(out, "#%06x", (unsigned int)(color - COLOR_RGB));
	else
		fprintf(out, "%d", color);
}

static void print_looks(const struct canvas *canvas, const struct theme *theme, int colors)
{
	int row, col;

	for (row = 0; row < canvas->rows; row++) {
		struct look last = { -2, -2, 0 };

		for (col = 0; col < canvas->cols; col++) {
			const struct cell *cell = canvas_cell(canvas, row, col);
			struct look look = theme_look(theme, colors, cell->style, cell->flags);

			if (look.fg == last.fg && look.bg == last.bg &&
			    look.attributes == last.attributes)
				continue;
			fprintf(out, "%s%d:", col ? " " : "", col);
			print_color(look.fg);
			fputc('/', out);
			print_color(look.bg);
			fprintf(out, "%s%s%s", look.attributes & LOOK_BOLD ? "b" : "",
				look.attributes & LOOK_REVERSE ? "r" : "",
				look.attributes & LOOK_UNDERLINE ? "u" : "");
			last = look;
		}
		fputc('\n', out);
	}
}

static void draw(struct view *view, int rows, int cols, const char *title, bool styles)
{
	struct canvas canvas = { .cells = NULL };

	ck_assert_int_eq(canvas_resize(&canvas, rows, cols), 0);
	view_draw(view, &canvas);
	view_draw(view, &canvas); /* what it changes is done: twice is once */
	fprintf(out, "==== %s\n", title);
	print_canvas(&canvas, styles);
	canvas_free(&canvas);
}

static const struct size {
	int cols, rows;
} sizes[] = { { 80, 24 }, { 200, 60 }, { 40, 10 }, { 20, 5 } };

START_TEST(every_pane)
{
	const struct size *size = &sizes[_i / 2];
	bool ascii = _i % 2;
	char name[64], key[2] = "1";
	struct view view;

	cast_view(&view, STEPS);
	view.settings.ascii = ascii;
	cast_keys(&view, "g");
	golden_begin();
	for (int i = 0; i < PANE_COUNT; i++) {
		if (i == PANE_FAILURES)
			cast_keys(&view, "/failing\r");
		else if (i == PANE_CALLS)
			cast_keys(&view, "/python\r");
		view.search[0] = 0;
		if (size->rows >= 15)
			key[0] = (char)('1' + i);
		else
			view.settings.pane = (enum pane)i;
		view.full = size->rows < 15 && i;
		view.focus = view.full ? FOCUS_PANE : FOCUS_TABLE;
		if (size->rows >= 15)
			cast_keys(&view, key);
		draw(&view, size->rows, size->cols, panes[i]->title, size->cols < 200);
	}
	snprintf(name, sizeof(name), "%s-%dx%d", ascii ? "ascii" : "utf8", size->cols, size->rows);
	golden_end(name);
	view_clear(&view);
}
END_TEST

START_TEST(full_height)
{
	struct view view;

	cast_view(&view, STEPS);
	cast_keys(&view, "gz");
	golden_begin();
	for (int i = 0; i < PANE_COUNT; i++) {
		view.settings.pane = (enum pane)i;
		draw(&view, 24, 80, panes[i]->title, true);
	}
	golden_end("full-80x24");
	view_clear(&view);
}
END_TEST

START_TEST(themed)
{
	static const int depths[] = { 0, 8, 16, 256, COLORS_RGB };
	const struct theme *theme = &themes[_i];
	struct canvas canvas = { .cells = NULL };
	struct view view;
	char name[64];

	cast_view(&view, STEPS);
	view.settings.theme = theme;
	cast_keys(&view, "L/leaky\r1");
	golden_begin();
	ck_assert_int_eq(canvas_resize(&canvas, 24, 80), 0);
	view_draw(&view, &canvas);
	print_canvas(&canvas, false);
	for (size_t i = 0; i < ARRAY_LEN(depths); i++) {
		fprintf(out, "==== %d colours: column:foreground/background\n", depths[i]);
		print_looks(&canvas, theme, depths[i]);
	}
	snprintf(name, sizeof(name), "theme-%s", theme->name);
	golden_end(name);
	canvas_free(&canvas);
	view_clear(&view);
}
END_TEST

START_TEST(overlays)
{
	struct view view;

	cast_view(&view, STEPS);
	golden_begin();
	cast_keys(&view, "?");
	draw(&view, 24, 80, "help", true);
	draw(&view, 50, 130, "help, wide", false);
	cast_keys(&view, "\t");
	draw(&view, 24, 80, "help, the table", false);
	cast_keys(&view, "2");
	draw(&view, 24, 80, "help, a pane", true);
	draw(&view, 14, 40, "help, a pane, narrow", false);
	cast_keys(&view, "7\t");
	draw(&view, 40, 120, "help, signs", false);
	view.settings.ascii = true;
	draw(&view, 40, 120, "help, signs in ASCII", false);
	view.settings.ascii = false;
	cast_keys(&view, "\033");
	view_key(&view, K_F2);
	draw(&view, 40, 80, "settings", true);
	cast_keys(&view, "\033");
	view_key(&view, K_F6);
	draw(&view, 24, 80, "sort", true);
	cast_keys(&view, "\033");
	cast_keys(&view, "g");
	view_key(&view, K_F9);
	draw(&view, 24, 80, "signal", true);
	cast_keys(&view, "\r");
	draw(&view, 24, 80, "confirm", true);
	cast_keys(&view, "\033gTTTtgo");
	view.message[0] = 0;
	draw(&view, 24, 80, "tagged and folded", true);
	view_key(&view, K_F9);
	cast_keys(&view, "\r");
	draw(&view, 24, 80, "confirm, of three", false);
	cast_keys(&view, "\033oUt");
	cast_keys(&view, "u");
	draw(&view, 24, 80, "users", true);
	cast_keys(&view, "\033ge");
	view_environment(&view, "CUDA_VISIBLE_DEVICES=0\0LD_LIBRARY_PATH=/opt/a:/opt/b", 53, NULL);
	draw(&view, 24, 80, "variables", true);
	cast_keys(&view, "\033");
	view.host.from_command = true;
	cast_keys(&view, "q");
	draw(&view, 24, 80, "quit", true);
	golden_end("overlays");
	view_clear(&view);
}
END_TEST

START_TEST(states)
{
	struct view view;

	view_init(&view);
	view.timezone_fixed = 1;
	golden_begin();
	draw(&view, 24, 80, "before the first snapshot", false);
	view_clear(&view);
	cast_view(&view, 1);
	draw(&view, 24, 80, "the first snapshot", false);
	view_clear(&view);
	cast_view(&view, STEPS);
	cast_keys(&view, "t");
	draw(&view, 24, 100, "tree", true);
	cast_keys(&view, "tx");
	view_feed(&view, cast_snapshot(STEPS + 10));
	draw(&view, 24, 100, "baseline", true);
	cast_keys(&view, "x \\user:ana\r");
	draw(&view, 24, 100, "frozen and filtered", true);
	cast_keys(&view, "\\nobody\r");
	draw(&view, 24, 80, "all filtered", false);
	cast_keys(&view, "\033/trai");
	draw(&view, 24, 100, "searching", true);
	cast_keys(&view, "\r2c");
	draw(&view, 24, 130, "full names", false);
	cast_keys(&view, "L/leaky\r1+++]]");
	draw(&view, 30, 100, "zoomed", false);
	golden_end("states");
	view_clear(&view);
}
END_TEST

/*
 * A program that launches graphs: a column more, busiest first by both, and the key that sorts by
 * it.
 */
START_TEST(graphs)
{
	struct snapshot *snapshot = cast_snapshot(STEPS);
	struct snap_process *trainer = NULL;
	struct view view;

	for (size_t i = 0; i < snapshot->process_count; i++)
		if (snapshot->processes[i].program == CAST_TRAINER)
			trainer = &snapshot->processes[i];
	ck_assert_ptr_nonnull(trainer);
	trainer->kernels[2].graph_launches = 48000;
	trainer->kernels[2].graph_launches_per_second = 800;
	trainer->kernels[3] = (struct snap_kernel){
		.name = "graph 0x7f1230001000",
		.shown = "graph 0x7f1230001000",
		.signature = "graph 0x7f1230001000",
		.is_graph = true,
		.device = 0,
		.graph_launches = 1200,
		.graph_launches_per_second = 20,
		.latency = { .p50 = NAN, .p99 = NAN, .max = NAN },
	};
	trainer->graph_launches = 49200;
	cast_view(&view, STEPS);
	view_feed(&view, snapshot);
	golden_begin();
	cast_keys(&view, "/python\r2");
	view.search[0] = 0;
	draw(&view, 24, 80, "graphs", true);
	draw(&view, 24, 130, "graphs, wide", false);
	cast_keys(&view, "z");
	cast_keys(&view, ">>>");
	draw(&view, 24, 80, "by graph launches", true);
	golden_end("graphs");
	view_clear(&view);
}
END_TEST

/* Sites of a Python program: each, opened, and grouped. */
START_TEST(sites)
{
	struct snapshot *snapshot = cast_snapshot(STEPS);
	struct view view;

	cast_python(snapshot);
	cast_view(&view, STEPS);
	view_feed(&view, snapshot);
	golden_begin();
	cast_keys(&view, "/4242\r6");
	view.search[0] = 0;
	draw(&view, 24, 80, "sites", false);
	cast_keys(&view, "z");
	draw(&view, 24, 80, "full", false);
	cast_keys(&view, "\r");
	draw(&view, 24, 80, "opened", true);
	draw(&view, 24, 160, "opened, wide", false);
	draw(&view, 10, 40, "opened, narrow", false);
	view.settings.ascii = true;
	draw(&view, 24, 80, "opened, ascii", false);
	view.settings.ascii = false;
	cast_keys(&view, "b");
	draw(&view, 24, 80, "by function", true);
	cast_keys(&view, "b");
	draw(&view, 24, 140, "by file", false);
	cast_keys(&view, "\rj\r");
	draw(&view, 24, 80, "by file, opened", true);
	cast_keys(&view, "b");
	draw(&view, 24, 120, "by library", true);
	golden_end("sites");
	view_clear(&view);
}
END_TEST

/* The details of the first row of each pane but Sites, whose rows open instead. */
START_TEST(details)
{
	struct snapshot *snapshot = cast_snapshot(STEPS);
	struct view view;

	cast_python(snapshot);
	cast_view(&view, STEPS);
	view_feed(&view, snapshot);
	golden_begin();
	draw(&view, 24, 80, "before", false);
	for (int i = 0; i < PANE_COUNT; i++) {
		char key[8] = { (char)('1' + i), 'z', '\r', 0 };

		if (!panes[i]->details)
			continue;
		cast_keys(&view, i == PANE_FAILURES ? "/failing\r" : "/4242\r");
		view.search[0] = 0;
		cast_keys(&view, key);
		draw(&view, 24, 80, panes[i]->title, i == 1);
		draw(&view, 40, 120, panes[i]->title, false);
		cast_keys(&view, "\033\033");
	}
	golden_end("details");
	view_clear(&view);
}
END_TEST

/*
 * With --launch-sites: places below their kernels and calls, the same one once, in the order of the
 * rows above; all in full height.
 */
START_TEST(places)
{
	static const char *const lines[] = {
		"step at train.py:12 (python)", "evaluate at train.py:31 (python)",
		"warm at train.py:44 (python)", "log at train.py:52 (python)",
		"save at train.py:60 (python)", "load at train.py:71 (python)"
	};
	static const uint64_t launches[] = { 16000, 9000, 2500, 1100, 900, 600, 500 };
	struct snap_launch_site placed[ARRAY_LEN(launches) + 1] = { 0 };
	struct snap_wait_site waits[3] = { 0 };
	struct snapshot *snapshot = cast_snapshot(STEPS);
	struct snap_process *trainer = NULL;
	struct view view;

	for (size_t i = 0; i < snapshot->process_count; i++)
		if (snapshot->processes[i].program == CAST_TRAINER)
			trainer = &snapshot->processes[i];
	ck_assert_ptr_nonnull(trainer);
	/* The last line is the first one's, by another way. */
	for (size_t i = 0; i < ARRAY_LEN(launches); i++)
		placed[i] = (struct snap_launch_site){
			.at.site = lines[i % ARRAY_LEN(lines)],
			.kernel = &trainer->kernels[0],
			.launches = launches[i],
			.samples = 9,
			.sampled = true,
		};
	placed[ARRAY_LEN(launches)] = (struct snap_launch_site){ .at.site = lines[1],
								 .kernel = &trainer->kernels[1],
								 .launches = 12 };
	trainer->launch_sites = placed;
	trainer->launch_site_count = ARRAY_LEN(placed);
	waits[0] = (struct snap_wait_site){
		.at.site = lines[3], .call = CALL_cudaDeviceSynchronize, .calls = 100, .seconds = 40
	};
	waits[1] = (struct snap_wait_site){ .at.site = lines[4],
					    .call = CALL_cudaDeviceSynchronize,
					    .calls = 300,
					    .seconds = 18.2 };
	/* Of a call that is not in the list. */
	waits[2] = (struct snap_wait_site){
		.at.site = lines[4], .call = CALL_cudaStreamSynchronize, .calls = 1, .seconds = 1
	};
	trainer->wait_sites = waits;
	trainer->wait_site_count = ARRAY_LEN(waits);
	cast_view(&view, STEPS);
	view_feed(&view, snapshot);
	golden_begin();
	cast_keys(&view, "/python\r2");
	view.search[0] = 0;
	draw(&view, 24, 80, "kernels", true);
	view.settings.ascii = true;
	cast_keys(&view, "5");
	draw(&view, 24, 80, "calls", false);
	view.settings.ascii = false;
	cast_keys(&view, "z");
	cast_keys(&view, "2");
	draw(&view, 24, 80, "all places", false);
	cast_keys(&view, ">");
	draw(&view, 24, 80, "sorted", false);
	golden_end("places");
	view_clear(&view);
}
END_TEST

/* What the driver says: a line per device, as many as there is room for, in every width. */
START_TEST(devices)
{
	static const struct {
		int rows, cols;
		const char *name;
	} screens[] = {
		{ 24, 80, "devices" },    { 24, 40, "narrow" }, { 22, 80, "without room" },
		{ 32, 120, "two lines" }, { 60, 200, "all" },
	};
	struct snapshot *snapshot = cast_snapshot(STEPS);
	struct view view;

	cast_devices(snapshot);
	cast_view(&view, STEPS);
	view_feed(&view, snapshot);
	golden_begin();
	cast_keys(&view, "g/python\r1");
	view.search[0] = 0;
	for (size_t i = 0; i < ARRAY_LEN(screens); i++)
		draw(&view, screens[i].rows, screens[i].cols, screens[i].name, i < 2);
	view.settings.ascii = true;
	draw(&view, 32, 120, "ascii", false);
	view.settings.columns[4] = column_find("used");
	view.settings.columns[5] = column_find("untracked");
	view.settings.columns[7] = column_find("tensors"); /* instead of leaked: there are none */
	draw(&view, 24, 120, "columns", false);
	golden_end("devices");
	view_clear(&view);
}
END_TEST

/*
 * Many devices: on every screen each has its cell, with fewer fields where it is narrower; and
 * divided ones with their parts.
 */
START_TEST(many_devices)
{
	static const struct {
		int rows, cols, devices, divided;
		const char *name;
	} screens[] = {
		{ 24, 80, 8, 0, "eight" },
		{ 20, 60, 8, 0, "eight, small" },
		{ 15, 40, 8, 0, "eight, smallest" },
		{ 40, 120, 8, 0, "eight, larger" },
		{ 60, 200, 8, 0, "eight, a row each" },
		{ 40, 120, 2, 0, "two rows each" },
		{ 30, 120, 16, 0, "sixteen" },
		{ 24, 80, 8, 8, "eight, divided" },
		{ 40, 120, 2, 1, "two, divided" },
		{ 60, 200, 2, 1, "two, divided, two rows each" },
		{ 24, 80, 64, 64, "more than there is room for" },
	};
	struct view view;

	cast_view(&view, STEPS);
	golden_begin();
	for (size_t i = 0; i < ARRAY_LEN(screens); i++) {
		for (int step = 12; step >= 0; step--) {
			struct snapshot *snapshot = cast_snapshot(STEPS + (int)i * 20 - step);

			cast_many_devices(snapshot, screens[i].devices, screens[i].divided);
			for (size_t j = 0; j < snapshot->device_count; j++)
				cast_device_change(&snapshot->devices[j], step);
			view_feed(&view, snapshot);
		}
		draw(&view, screens[i].rows, screens[i].cols, screens[i].name, i < 2);
	}
	view.settings.ascii = true;
	draw(&view, 24, 80, "ascii", false);
	golden_end("many-devices");
	view_clear(&view);
}
END_TEST

static void tensors_view(struct view *view, int on)
{
	cast_view(view, STEPS);
	for (int step = 0; step < 3; step++) {
		struct snapshot *snapshot = cast_snapshot(STEPS + step);

		cast_tensors(snapshot, on);
		view_feed(view, snapshot);
	}
	cast_keys(view, "g/python\r1");
	view->search[0] = 0;
}

/* A framework's allocator: its segments, a row each or one after the other, and its blocks. */
START_TEST(tensors)
{
	struct view view;

	tensors_view(&view, 1);
	golden_begin();
	draw(&view, 24, 80, "one device", true);
	draw(&view, 40, 120, "one device, larger", true);
	cast_keys(&view, "zjj");
	draw(&view, 40, 120, "one device, full height", true);
	draw(&view, 24, 80, "one device, full height, smaller", false);
	draw(&view, 10, 40, "one device, full height, smallest", true);
	cast_keys(&view, "\r");
	draw(&view, 24, 80, "details", true);
	draw(&view, 12, 40, "details, narrow", false);
	cast_keys(&view, "\033");
	cast_keys(&view, "6");
	draw(&view, 24, 80, "sites", false);
	cast_keys(&view, "a");
	draw(&view, 24, 80, "sites of the driver", false);
	cast_keys(&view, "1");
	draw(&view, 24, 80, "the driver's allocations", false);
	view_clear(&view);
	tensors_view(&view, 2);
	draw(&view, 24, 80, "two devices", true);
	draw(&view, 40, 120, "two devices, larger", true);
	draw(&view, 60, 200, "two devices, largest", false);
	cast_keys(&view, "++]");
	draw(&view, 40, 120, "zoomed", false);
	cast_keys(&view, "--zj");
	view.settings.ascii = true;
	draw(&view, 24, 80, "ascii", false);
	draw(&view, 40, 120, "ascii, larger", false);
	draw(&view, 10, 40, "ascii, smallest", false);
	golden_end("tensors");
	view_clear(&view);
}
END_TEST

/* Without colours, and in those for the colour-blind, characters and looks tell blocks apart. */
START_TEST(tensors_themed)
{
	static const char *const named[] = { "mono", "colorblind", "light" };
	struct canvas canvas = { .cells = NULL };
	struct view view;

	tensors_view(&view, 1);
	cast_keys(&view, "zj");
	golden_begin();
	ck_assert_int_eq(canvas_resize(&canvas, 24, 80), 0);
	view_draw(&view, &canvas);
	print_canvas(&canvas, false);
	for (size_t i = 0; i < ARRAY_LEN(named); i++)
		for (int colors = 8; colors <= 256; colors *= 32) {
			fprintf(out, "==== %s, %d colours\n", named[i], colors);
			print_looks(&canvas, theme_find(named[i]), colors);
		}
	golden_end("tensors-themes");
	canvas_free(&canvas);
	view_clear(&view);
}
END_TEST

Suite *suite_golden(void)
{
	Suite *suite = suite_create("golden");
	TCase *tests = tcase_create("golden");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, every_pane, 0, 8);
	tcase_add_test(tests, full_height);
	tcase_add_loop_test(tests, themed, 0, (int)theme_count);
	tcase_add_test(tests, overlays);
	tcase_add_test(tests, states);
	tcase_add_test(tests, graphs);
	tcase_add_test(tests, sites);
	tcase_add_test(tests, details);
	tcase_add_test(tests, places);
	tcase_add_test(tests, devices);
	tcase_add_test(tests, many_devices);
	tcase_add_test(tests, tensors);
	tcase_add_test(tests, tensors_themed);
	suite_add_tcase(suite, tests);
	return suite;
}
