/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout over every size: nothing overlaps, nothing is outside, what matters stays. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../unit/holds.h"
#include "cast.h"
#include "print/fields.h"
#include "view/list.h"

static int place(struct rect rect, int rows, int cols, int row)
{
	if (!rect.rows)
		return row;
	holds(rect.rows >= 0 && rect.row == row && !rect.col && rect.cols == cols &&
		      rect.row + rect.rows <= rows,
	      "%dx%d at %d,%d after row %d of %dx%d", rect.cols, rect.rows, rect.col, rect.row, row,
	      cols, rows);
	return row + rect.rows;
}

START_TEST(every_size)
{
	int rows, cols, full, devices;

	for (full = 0; full < 2; full++)
		for (rows = 1; rows <= 100; rows++)
			for (cols = 1, devices = 0; cols <= 300;
			     cols++, devices = (devices + 7) % 17) {
				struct layout layout =
					layout_make(rows, cols, full, devices, 2 * devices, 100);
				int row = 0;

				row = place(layout.status, rows, cols, row);
				row = place(layout.totals, rows, cols, row);
				row = place(layout.devices, rows, cols, row);
				holds(layout.devices.rows <= 2 * devices, "%d rows for %d devices",
				      layout.devices.rows, devices);
				row = place(layout.titles, rows, cols, row);
				row = place(layout.table, rows, cols, row);
				row = place(layout.tabs, rows, cols, row);
				row = place(layout.pane, rows, cols, row);
				row = place(layout.bar, rows, cols, row);
				/* No row is left over. */
				holds(row == rows, "%d rows of %d", row, rows);
				holds((full ? layout.pane : layout.table).rows > 0,
				      "no rows at %dx%d", cols, rows);
			}
}
END_TEST

START_TEST(essentials)
{
	struct layout layout = layout_make(24, 80, false, 0, 0, 100);

	ck_assert_int_eq(layout.totals.rows, 2);
	ck_assert_int_ge(layout.table.rows, 6);
	ck_assert_int_ge(layout.pane.rows, 9);
	ck_assert_int_eq(layout.bar.rows, 1);
	layout = layout_make(24, 80, false, 8, 16, 100);
	ck_assert_int_eq(layout.devices.rows, 2); /* four in each */
	ck_assert_int_ge(layout.table.rows, 6);
	layout = layout_make(20, 60, false, 8, 16, 100);
	ck_assert_int_eq(layout.devices.rows, 2);
	ck_assert_int_ge(layout.table.rows, 4);
	layout = layout_make(60, 200, false, 8, 16, 100);
	ck_assert_int_eq(layout.devices.rows, 8);
	ck_assert_int_ge(layout.table.rows, 16);
	/* a second row for the processes of each */
	layout = layout_make(60, 200, false, 2, 4, 100);
	ck_assert_int_eq(layout.devices.rows, 4);
	layout = layout_make(24, 80, false, 1, 2, 100);
	ck_assert_int_eq(layout.devices.rows, 1);
	layout = layout_make(10, 40, false, 8, 16, 100);
	ck_assert_int_ge(layout.table.rows, 4);
	ck_assert_int_eq(layout.pane.rows, 0);
	layout = layout_make(5, 20, false, 8, 16, 100);
	ck_assert_int_ge(layout.table.rows, 3);
	/* A table of few rows leaves the rest to the pane. */
	layout = layout_make(24, 80, false, 0, 0, 1);
	ck_assert_int_eq(layout.table.rows, 1);
	ck_assert_int_ge(layout.pane.rows, 17);
	layout = layout_make(24, 80, false, 0, 0, 0);
	ck_assert_int_eq(layout.table.rows, 1);
	layout = layout_make(60, 200, false, 0, 0, 7);
	ck_assert_int_eq(layout.table.rows, 7);
	layout = layout_make(0, 0, false, 8, 16, 100);
	ck_assert_int_eq(layout.table.rows, 0);
}
END_TEST

/* The numbers of the devices that have a cell on @canvas must be 0, 1, ... @count - 1. */
static void all_shown(const struct view *view, const struct canvas *canvas, int count)
{
	struct rect rect = view->layout.devices;
	int next = 0;

	for (int row = rect.row; row < rect.row + rect.rows; row++) {
		char text[1024] = "", *at = text, *end;

		/* Only labels have this style, where no process uses a device. */
		for (int col = 0; col < canvas->cols; col++) {
			const struct cell *cell = canvas_cell(canvas, row, col);

			strcat(text,
			       cell->style == ST_HEAD && *cell->text >= '0' && *cell->text <= '9' ?
				       cell->text :
				       " ");
		}
		for (;; at = end) {
			long number = strtol(at, &end, 10);

			if (end == at)
				break;
			holds(number == next, "%ld is not %d", number, next);
			next++;
		}
	}
	ck_assert_msg(next == count, "%d devices of %d on %d rows of %d cells", next, count,
		      canvas->rows, canvas->cols);
}

/* None is left out on a screen of usual size, and none has another's place. */
START_TEST(every_device_is_shown)
{
	struct canvas canvas = { .cells = NULL };
	struct view view;

	cast_view(&view, 1);
	for (int count = 1; count <= 16; count++) {
		struct snapshot *snapshot = cast_snapshot(2);

		cast_many_devices(snapshot, count, 0);
		for (int i = 0; i < count; i++)
			snapshot->devices[i].use_count = 0;
		view_feed(&view, snapshot);
		for (int rows = count <= 8 ? 12 : 20; rows <= 70; rows += rows < 30 ? 1 : 5)
			for (int cols = 40; cols <= 240; cols += cols < 130 ? 1 : 10) {
				ck_assert_int_eq(canvas_resize(&canvas, rows, cols), 0);
				view_draw(&view, &canvas);
				all_shown(&view, &canvas, count);
			}
	}
	view_clear(&view);
	canvas_free(&canvas);
}
END_TEST

/* What is drawn stays inside, whatever is open: canvas code would be caught by the sanitizers. */
START_TEST(drawn_at_every_size)
{
	static const char *const states[] = { "", "2", "3\r", "?", "\033/x", "", "1\r" };
	struct canvas canvas = { .cells = NULL };
	struct view view;
	int rows, cols, i;

	cast_view(&view, 20);
	for (i = 0; i < (int)(sizeof(states) / sizeof(states[0])); i++) {
		cast_keys(&view, states[i]);
		if (i == 2)
			view_key(&view, K_F2);
		if (i == 3)
			view_key(&view, K_F6);
		for (rows = 1; rows <= 60; rows += rows < 20 ? 1 : 7)
			for (cols = 1; cols <= 220; cols += cols < 50 ? 3 : 23) {
				ck_assert_int_eq(canvas_resize(&canvas, rows, cols), 0);
				view_draw(&view, &canvas);
			}
		view.mode = INPUT_NORMAL;
	}
	view_clear(&view);
	canvas_free(&canvas);
}
END_TEST

START_TEST(columns_fit_every_width)
{
	const struct list_state *list;
	struct canvas canvas = { 0 };
	struct view view;
	int cols;

	cast_view(&view, 1);
	list = &view.table.list;
	for (cols = 1; cols <= 300; cols++) {
		size_t count = 0;
		int end = 0;

		ck_assert_int_eq(canvas_resize(&canvas, 24, cols), 0);
		view_draw(&view, &canvas);
		for (size_t i = 0; i < COLUMNS_MAX; i++) {
			if (!list->title_end[i])
				continue;
			ck_assert_int_eq(list->title_start[i], end);
			end = list->title_end[i] + 1;
			count++;
		}
		ck_assert_int_le(end, cols + 1);
		if (cols >= 8)
			ck_assert_uint_gt(count, 0);
		if (cols >= 101)
			ck_assert_uint_eq(count, 13);
	}
	view_clear(&view);
	canvas_free(&canvas);
}
END_TEST

static bool has_field(const struct pane_desc *pane, const char *key)
{
	for (size_t i = 0; i < pane->items->fields->count; i++)
		if (pane->items->fields->list[i].key &&
		    !strcmp(pane->items->fields->list[i].key, key))
			return true;
	return false;
}

/*
 * Each stands where the list of panes says, and has what everything else takes from its descriptor.
 */
START_TEST(panes_are_sound)
{
	for (size_t i = 0; i < PANE_COUNT; i++) {
		const struct pane_desc *pane = panes[i];
		const struct list_column *titles = pane->columns;

		ck_assert_uint_eq(pane->pane, i);
		ck_assert_uint_gt(strlen(pane->title), 0);
		ck_assert_uint_gt(strlen(pane->help), 0);
		for (size_t j = 0; j < i; j++)
			ck_assert_int_ne(strcasecmp(pane->title, panes[j]->title), 0);
		ck_assert_uint_gt(pane->column_count, 0);
		ck_assert_uint_le(pane->column_count, COLUMNS_MAX);
		ck_assert_uint_le(pane->sort, pane->column_count);
		ck_assert(pane->draw && pane->cell && pane->number);
		for (size_t j = 0; j < pane->column_count; j++) {
			ck_assert_msg(titles[j].title || titles[j].field,
				      "%s: column %zu has no title", pane->title, j);
			ck_assert_msg(!titles[j].field || has_field(pane, titles[j].field),
				      "%s: no field %s", pane->title, titles[j].field);
			ck_assert_msg(!titles[j].width != !titles[j].least,
				      "%s: column %zu has two widths or none", pane->title, j);
			ck_assert(pane->bar || !titles[j].is_bar);
		}
	}
}
END_TEST

Suite *suite_layout(void)
{
	Suite *suite = suite_create("layout");
	TCase *tests = tcase_create("layout");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, every_size);
	tcase_add_test(tests, essentials);
	tcase_add_test(tests, every_device_is_shown);
	tcase_add_test(tests, drawn_at_every_size);
	tcase_add_test(tests, columns_fit_every_width);
	tcase_add_test(tests, panes_are_sound);
	suite_add_tcase(suite, tests);
	return suite;
}
