/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every pane at every size that a terminal is likely to have, with much to show: no two fields
 * touch, titles are there, and no row stays empty while there is more to be scrolled to.
 */
#include <ctype.h>
#include <string.h>

#include "../unit/holds.h"
#include "at_screen.h"
#include "util/util.h"

static const struct {
	int rows, cols;
} sizes[] = {
	{ 3, 12 },  { 5, 20 },   { 10, 40 },  { 15, 31 },  { 18, 50 },  { 20, 60 },
	{ 24, 80 }, { 30, 100 }, { 40, 120 }, { 50, 132 }, { 60, 200 }, { 100, 300 },
};

static const char *text_at(int row, int col)
{
	return canvas_cell(&canvas, row, col)->text;
}

static void row_text(int row, char *out)
{
	out[0] = 0;
	for (int col = 0; col < canvas.cols; col++)
		out = stpcpy(out, text_at(row, col));
}

static const char *what(const char *problem, int row, int col)
{
	static char text[8192];
	char line[4096];

	row_text(row, line);
	snprintf(text, sizeof(text), "%dx%d%s, %s%s: %s at row %d, column %d:\n%s", canvas.cols,
		 canvas.rows, view.settings.ascii ? " in ASCII" : "",
		 panes[view.settings.pane]->title, view.full ? " in full height" : "", problem, row,
		 col, line);
	return text;
}

static bool is_letter(const char *text)
{
	return isalnum((unsigned char)text[0]) && !text[1];
}

static bool is_blank(const char *text)
{
	return !strcmp(text, " ");
}

static bool is_title(const struct cell *cell)
{
	return cell->style == ST_TITLE || cell->style == ST_TITLE_SORT;
}

/*
 * Two fields of different styles have something between them. A unit may follow its number; the
 * arrow of a sorted title stands in the gap.
 */
static void fields_apart(void)
{
	for (int row = 0; row < canvas.rows; row++)
		for (int col = 1; col < canvas.cols; col++) {
			const struct cell *cell = canvas_cell(&canvas, row, col);
			bool is_unit = col + 1 == canvas.cols || !is_letter(cell[1].text);

			holds(cell[-1].style == cell->style || is_title(cell) || is_unit ||
				      !is_letter(cell->text) || !is_letter(cell[-1].text),
			      "%s", what("two fields touch", row, col));
		}
}

static void table_columns_apart(void)
{
	for (int row = 0; row < view.layout.titles.rows + view.layout.table.rows; row++)
		for (size_t i = 0; i < COLUMNS_MAX; i++) {
			int at = view.table.list.title_end[i];
			const char *text = text_at(view.layout.titles.row + row, at);

			holds(!at || at >= canvas.cols - 1 || is_blank(text) ||
				      (!row && view.layout.titles.rows && strstr("▲▼^v", text)),
			      "%s", what("no gap", view.layout.titles.row + row, at));
		}
}

static void list_columns_apart(void)
{
	const struct list_state *pane = &view.panes[view.settings.pane];
	const struct pane_desc *desc = panes[view.settings.pane];

	for (int row = 1; view.layout.pane.rows && !desc->whole && row <= pane->rows; row++)
		for (size_t i = 0; i < desc->column_count; i++) {
			int at = pane->title_end[i];

			holds(!at || at >= canvas.cols - 1 ||
				      is_blank(text_at(pane->title_row + row, at)),
			      "%s", what("no gap", pane->title_row + row, at));
		}
}

static void titles_are_there(void)
{
	const struct list_state *pane = &view.panes[view.settings.pane];
	char line[4096];

	if (view.layout.titles.rows) {
		row_text(view.layout.titles.row, line);
		ck_assert_msg(strstr(line, "PID") || canvas.cols < 30, "%s",
			      what("no titles", view.layout.titles.row, 0));
	}
	if (view.layout.pane.rows < 2)
		return;
	ck_assert_int_ge(pane->title_row, view.layout.pane.row);
	ck_assert_int_lt(pane->title_row, view.layout.pane.row + view.layout.pane.rows);
	for (int col = view.layout.pane.col; col < view.layout.pane.col + view.layout.pane.cols;
	     col++) {
		const struct cell *cell = canvas_cell(&canvas, pane->title_row, col);

		holds(is_title(cell), "%s", what("no titles", pane->title_row, col));
	}
}

static int blank_rows(struct rect rect)
{
	int count = 0;

	for (int row = rect.row; row < rect.row + rect.rows; row++) {
		bool blank = true;

		for (int col = rect.col; col < rect.col + rect.cols - 1; col++)
			blank &= is_blank(text_at(row, col));
		count += blank;
	}
	return count;
}

/* A list that has more than its rows has a scrollbar. */
static bool is_scrolled(void)
{
	int row = view.panes[view.settings.pane].title_row + 1;

	return view.panes[view.settings.pane].rows > 1 &&
	       canvas_cell(&canvas, row, view.layout.pane.col + view.layout.pane.cols - 1)->style ==
		       ST_FRAME;
}

static void nothing_wasted(void)
{
	struct rect pane = view.layout.pane, table = view.layout.table;
	int spare = blank_rows(table);

	ck_assert_msg(!spare || view.table.row_count <= (size_t)table.rows, "%s",
		      what("the table has empty rows, and more to show", table.row, 0));
	if (pane.rows < 2 || !is_scrolled())
		return;
	ck_assert_msg(!blank_rows(pane), "%s",
		      what("the pane has empty rows, and more to show", pane.row, 0));
	ck_assert_msg(!spare || view.full, "%s",
		      what("the table has empty rows, and the pane more to show", table.row, 0));
}

static void rich_view(bool tensors)
{
	view_clear(&view);
	cast_view(&view, 60);
	for (int step = 60; step < 63; step++) {
		struct snapshot *snapshot = cast_snapshot(step);

		cast_devices(snapshot);
		cast_python(snapshot);
		if (tensors)
			cast_tensors(snapshot, 2);
		view_feed(&view, snapshot);
	}
	keys("g/4242\r");
	view.search[0] = 0;
}

static void sizes_check(void)
{
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		canvas_resize(&canvas, sizes[i].rows, sizes[i].cols);
		for (int j = 0; j < PANE_COUNT * 3; j++) {
			view.settings.pane = (enum pane)(j / 3);
			view.full = j % 3;
			view.two = !(j % 3) && j % 2;
			view.other = (enum pane)(j % PANE_COUNT);
			view.focus = j % 3 == 2 ? FOCUS_PANE : FOCUS_TABLE;
			draw();
			draw();
			fields_apart();
			table_columns_apart();
			titles_are_there();
			list_columns_apart();
			nothing_wasted();
		}
	}
}

START_TEST(every_size)
{
	rich_view(_i & 1);
	view.settings.ascii = _i & 2;
	sizes_check();
}
END_TEST

/* One process, which the table needs a row for */
START_TEST(one_process)
{
	rich_view(false);
	keys("\\pid:4242\r");
	view.table.most_rows = 1;
	sizes_check();
}
END_TEST

Suite *suite_sizes(void)
{
	Suite *suite = suite_create("sizes");
	TCase *tests = tcase_create("sizes");

	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, every_size, 0, 4);
	tcase_add_test(tests, one_process);
	suite_add_tcase(suite, tests);
	return suite;
}
