/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Golden screens (golden.c) of the whole, of each pane and of what lies over them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "util/util.h"

static const struct size {
	int cols, rows;
} sizes[] = { { 80, 24 }, { 200, 60 }, { 40, 10 }, { 20, 5 } };

/* In ASCII one size is enough, and its looks are those of UTF-8: test_sizes.c draws each. */
START_TEST(every_pane)
{
	bool ascii = _i == (int)ARRAY_LEN(sizes);
	const struct size *size = &sizes[ascii ? 0 : _i];
	char name[64], key[2] = "1";
	struct view view;

	cast_view(&view, GOLDEN_STEPS);
	view.settings.ascii = ascii;
	cast_keys(&view, "g");
	golden_begin();
	for (int i = 0; i < PANE_COUNT; i++) {
		if (i == PANE_FAILURES)
			cast_keys(&view, "/failing\r");
		else if (i == PANE_CALLS)
			cast_keys(&view, "/python\r");
		view.search[0] = view.message[0] = 0; /* of a search in the pane */
		if (size->rows >= 15)
			key[0] = (char)('0' + i);
		else
			view.settings.pane = (enum pane)i;
		view.full = size->rows < 15 && i != PANE_MEMORY;
		view.focus = view.full ? FOCUS_PANE : FOCUS_TABLE;
		if (size->rows >= 15)
			cast_keys(&view, key);
		golden_draw(&view, size->rows, size->cols, panes[i]->title,
			    !ascii && size->cols < 200);
	}
	snprintf(name, sizeof(name), "%s-%dx%d", ascii ? "ascii" : "utf8", size->cols, size->rows);
	golden_end(name);
	view_clear(&view);
}
END_TEST

START_TEST(full_height)
{
	struct view view;

	cast_view(&view, GOLDEN_STEPS);
	cast_keys(&view, "gz");
	golden_begin();
	for (int i = 0; i < PANE_COUNT; i++) {
		view.settings.pane = (enum pane)i;
		golden_draw(&view, 24, 80, panes[i]->title, false);
	}
	golden_end("full-80x24");
	view_clear(&view);
}
END_TEST

/* The default theme; of the others, tensors-themes has some, and test_themes.c holds what is asked of each. */
START_TEST(themed)
{
	static const int depths[] = { 0, 8, 16, 256, COLORS_RGB };
	struct canvas canvas = { .cells = NULL };
	struct view view;

	cast_view(&view, GOLDEN_STEPS);
	cast_keys(&view, "L/leaky\r1");
	golden_begin();
	ck_assert_int_eq(canvas_resize(&canvas, 24, 80), 0);
	view_draw(&view, &canvas);
	golden_canvas(&canvas, false);
	for (size_t i = 0; i < ARRAY_LEN(depths); i++) {
		golden_say("==== %d colours: column:foreground/background\n", depths[i]);
		golden_looks(&canvas, view.settings.theme, depths[i]);
	}
	golden_end("theme-default");
	canvas_free(&canvas);
	view_clear(&view);
}
END_TEST

START_TEST(overlays)
{
	struct view view;

	cast_view(&view, GOLDEN_STEPS);
	golden_begin();
	cast_keys(&view, "?");
	golden_draw(&view, 24, 80, "help", true);
	golden_draw(&view, 50, 130, "help, wide", false);
	cast_keys(&view, "\t");
	golden_draw(&view, 24, 80, "help, the table", false);
	cast_keys(&view, "2");
	golden_draw(&view, 24, 80, "help, a pane", true);
	golden_draw(&view, 14, 40, "help, a pane, narrow", false);
	cast_keys(&view, "7\t");
	golden_draw(&view, 40, 120, "help, signs", false);
	view.settings.ascii = true;
	golden_draw(&view, 40, 120, "help, signs in ASCII", false);
	view.settings.ascii = false;
	cast_keys(&view, "\033");
	view_key(&view, K_F2);
	golden_draw(&view, 40, 80, "settings", true);
	cast_keys(&view, "\033");
	view_key(&view, K_F6);
	golden_draw(&view, 24, 80, "sort", true);
	cast_keys(&view, "\033");
	cast_keys(&view, "g");
	view_key(&view, K_F9);
	golden_draw(&view, 24, 80, "signal", true);
	cast_keys(&view, "\r");
	golden_draw(&view, 24, 80, "confirm", true);
	cast_keys(&view, "\033gTTTtgo");
	view.message[0] = 0;
	golden_draw(&view, 24, 80, "tagged and folded", true);
	view_key(&view, K_F9);
	cast_keys(&view, "\r");
	golden_draw(&view, 24, 80, "confirm, of three", false);
	cast_keys(&view, "\033oUt");
	cast_keys(&view, "u");
	golden_draw(&view, 24, 80, "users", true);
	cast_keys(&view, "\033");
	view.host.from_command = true;
	cast_keys(&view, "q");
	golden_draw(&view, 24, 80, "quit", true);
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
	golden_draw(&view, 24, 80, "before the first snapshot", false);
	view_clear(&view);
	cast_view(&view, 1);
	golden_draw(&view, 24, 80, "the first snapshot", false);
	view_clear(&view);
	cast_view(&view, GOLDEN_STEPS);
	cast_keys(&view, "t");
	golden_draw(&view, 24, 100, "tree", true);
	cast_keys(&view, "tx");
	view_feed(&view, cast_snapshot(GOLDEN_STEPS + 10));
	golden_draw(&view, 24, 100, "baseline", true);
	cast_keys(&view, "x \\user:ana\r");
	golden_draw(&view, 24, 100, "frozen and filtered", true);
	cast_keys(&view, "\\nobody\r");
	golden_draw(&view, 24, 80, "all filtered", false);
	cast_keys(&view, "\033/trai");
	golden_draw(&view, 24, 100, "searching", true);
	cast_keys(&view, "\r2c");
	golden_draw(&view, 24, 130, "full names", false);
	cast_keys(&view, "L/leaky\r1+++]]");
	golden_draw(&view, 30, 100, "zoomed", false);
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
	struct snapshot *snapshot = cast_snapshot(GOLDEN_STEPS);
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
	cast_view(&view, GOLDEN_STEPS);
	view_feed(&view, snapshot);
	golden_begin();
	cast_keys(&view, "/python\r2");
	view.search[0] = 0;
	golden_draw(&view, 24, 80, "graphs", true);
	golden_draw(&view, 24, 130, "graphs, wide", false);
	cast_keys(&view, "z");
	cast_keys(&view, ">>>");
	golden_draw(&view, 24, 80, "by graph launches", true);
	golden_end("graphs");
	view_clear(&view);
}
END_TEST

/* Sites of a Python program: each, its details, and grouped. */
START_TEST(sites)
{
	struct snapshot *snapshot = cast_snapshot(GOLDEN_STEPS);
	struct view view;

	cast_python(snapshot);
	cast_view(&view, GOLDEN_STEPS);
	view_feed(&view, snapshot);
	golden_begin();
	cast_keys(&view, "/4242\r6");
	view.search[0] = 0;
	golden_draw(&view, 24, 80, "sites", false);
	cast_keys(&view, "z");
	golden_draw(&view, 24, 80, "full", false);
	cast_keys(&view, "\r");
	golden_draw(&view, 24, 80, "details", true);
	golden_draw(&view, 24, 160, "details, wide", false);
	golden_draw(&view, 10, 40, "details, narrow", false);
	view.settings.ascii = true;
	golden_draw(&view, 24, 80, "details, ascii", false);
	view.settings.ascii = false;
	cast_keys(&view, "\033b");
	golden_draw(&view, 24, 80, "by function", true);
	cast_keys(&view, "b");
	golden_draw(&view, 24, 140, "by file", false);
	cast_keys(&view, "\r");
	golden_draw(&view, 24, 80, "by file, details", true);
	cast_keys(&view, "\033b");
	golden_draw(&view, 24, 120, "by library", true);
	golden_end("sites");
	view_clear(&view);
}
END_TEST

/* The details of the first row of each pane. */
START_TEST(details)
{
	struct snapshot *snapshot = cast_snapshot(GOLDEN_STEPS);
	struct view view;

	cast_python(snapshot);
	cast_view(&view, GOLDEN_STEPS);
	view_feed(&view, snapshot);
	golden_begin();
	golden_draw(&view, 24, 80, "before", false);
	for (int i = 0; i < PANE_COUNT; i++) {
		char key[8] = { (char)('0' + i), 'z', '\r', 0 };

		cast_keys(&view, i == PANE_FAILURES ? "/failing\r" : "/4242\r");
		view.search[0] = view.message[0] = 0; /* of a search in the pane */
		cast_keys(&view, key);
		golden_draw(&view, 24, 80, panes[i]->title, i == 1);
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
	struct snapshot *snapshot = cast_snapshot(GOLDEN_STEPS);
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
	cast_view(&view, GOLDEN_STEPS);
	view_feed(&view, snapshot);
	golden_begin();
	cast_keys(&view, "/python\r2");
	view.search[0] = 0;
	golden_draw(&view, 24, 80, "kernels", true);
	view.settings.ascii = true;
	cast_keys(&view, "5");
	golden_draw(&view, 24, 80, "calls", false);
	view.settings.ascii = false;
	cast_keys(&view, "z");
	cast_keys(&view, "2");
	golden_draw(&view, 24, 80, "all places", false);
	cast_keys(&view, ">");
	golden_draw(&view, 24, 80, "sorted", false);
	golden_end("places");
	view_clear(&view);
}
END_TEST

Suite *suite_golden(void)
{
	Suite *suite = suite_create("golden");
	TCase *tests = tcase_create("golden");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, every_pane, 0, (int)ARRAY_LEN(sizes) + 1);
	tcase_add_test(tests, full_height);
	tcase_add_test(tests, themed);
	tcase_add_test(tests, overlays);
	tcase_add_test(tests, states);
	tcase_add_test(tests, graphs);
	tcase_add_test(tests, sites);
	tcase_add_test(tests, details);
	tcase_add_test(tests, places);
	suite_add_tcase(suite, tests);
	return suite;
}
