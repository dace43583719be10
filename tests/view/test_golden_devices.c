/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Golden screens (golden.c) of devices, and of the memory that frameworks hold on them. */
#include <stdio.h>

#include "golden.h"
#include "util/util.h"

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
	struct snapshot *snapshot = cast_snapshot(GOLDEN_STEPS);
	struct view view;

	cast_devices(snapshot);
	cast_view(&view, GOLDEN_STEPS);
	view_feed(&view, snapshot);
	golden_begin();
	cast_keys(&view, "g/python\r1");
	view.search[0] = 0;
	for (size_t i = 0; i < ARRAY_LEN(screens); i++)
		golden_draw(&view, screens[i].rows, screens[i].cols, screens[i].name, i < 2);
	view.settings.ascii = true;
	golden_draw(&view, 32, 120, "ascii", false);
	view.settings.columns[4] = column_find("used");
	view.settings.columns[5] = column_find("untracked");
	view.settings.columns[7] = column_find("tensors"); /* instead of leaked: there are none */
	golden_draw(&view, 24, 120, "columns", false);
	view.settings.ascii = false;
	snapshot->devices[0].has_used = false;
	golden_draw(&view, 12, 120, "unified memory", false);
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

	cast_view(&view, GOLDEN_STEPS);
	golden_begin();
	for (size_t i = 0; i < ARRAY_LEN(screens); i++) {
		for (int step = 12; step >= 0; step--) {
			struct snapshot *snapshot =
				cast_snapshot(GOLDEN_STEPS + (int)i * 20 - step);

			cast_many_devices(snapshot, screens[i].devices, screens[i].divided);
			for (size_t j = 0; j < snapshot->device_count; j++)
				cast_device_change(&snapshot->devices[j], step);
			view_feed(&view, snapshot);
		}
		golden_draw(&view, screens[i].rows, screens[i].cols, screens[i].name, i < 2);
	}
	view.settings.ascii = true;
	golden_draw(&view, 24, 80, "ascii", false);
	golden_end("many-devices");
	view_clear(&view);
}
END_TEST

static void tensors_view(struct view *view, int on)
{
	cast_view(view, GOLDEN_STEPS);
	for (int step = 0; step < 3; step++) {
		struct snapshot *snapshot = cast_snapshot(GOLDEN_STEPS + step);

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
	golden_draw(&view, 24, 80, "one device", true);
	golden_draw(&view, 40, 120, "one device, larger", false);
	cast_keys(&view, "zjj");
	golden_draw(&view, 40, 120, "one device, full height", false);
	golden_draw(&view, 24, 80, "one device, full height, smaller", false);
	golden_draw(&view, 10, 40, "one device, full height, smallest", true);
	cast_keys(&view, "\r");
	golden_draw(&view, 24, 80, "details", true);
	golden_draw(&view, 12, 40, "details, narrow", false);
	cast_keys(&view, "\033");
	cast_keys(&view, "6");
	golden_draw(&view, 24, 80, "sites", false);
	cast_keys(&view, "a");
	golden_draw(&view, 24, 80, "sites of the driver", false);
	cast_keys(&view, "1");
	golden_draw(&view, 24, 80, "the driver's allocations", false);
	view_clear(&view);
	tensors_view(&view, 2);
	golden_draw(&view, 24, 80, "two devices", true);
	golden_draw(&view, 40, 120, "two devices, larger", false);
	cast_keys(&view, "++]");
	golden_draw(&view, 40, 120, "zoomed", false);
	cast_keys(&view, "--zj");
	view.settings.ascii = true;
	golden_draw(&view, 24, 80, "ascii", false);
	golden_draw(&view, 10, 40, "ascii, smallest", false);
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
	golden_canvas(&canvas, false);
	for (size_t i = 0; i < ARRAY_LEN(named); i++)
		for (int colors = 8; colors <= 256; colors *= 32) {
			golden_say("==== %s, %d colours\n", named[i], colors);
			golden_looks(&canvas, theme_find(named[i]), colors);
		}
	golden_end("tensors-themes");
	canvas_free(&canvas);
	view_clear(&view);
}
END_TEST

Suite *suite_golden_devices(void)
{
	Suite *suite = suite_create("golden_devices");
	TCase *tests = tcase_create("golden_devices");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, devices);
	tcase_add_test(tests, many_devices);
	tcase_add_test(tests, tensors);
	tcase_add_test(tests, tensors_themed);
	suite_add_tcase(suite, tests);
	return suite;
}
