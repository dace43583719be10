/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout. Rows are given out by weight: first one row of the table, then
 * the titles, the status, the bar, the totals, and from 15 rows on the pane,
 * which then gets three rows for every two of the table. The shares depend on
 * the size only, never on how many processes there are: nothing jumps.
 */
#include "view/layout.h"

#include <string.h>

enum { ROWS_TITLES = 3, ROWS_STATUS = 4, ROWS_BAR = 6, ROWS_TOTALS = 9, ROWS_PANE = 15, COLS_TOTALS = 30 };

static struct rect take(int *row, int rows, int cols)
{
	struct rect rect = { *row, 0, rows, cols };

	*row += rows;
	return rect;
}

struct layout layout_make(int rows, int cols, bool full)
{
	int status, totals, titles, bar, tabs = 0, pane = 0, table, row = 0;
	struct layout layout;

	memset(&layout, 0, sizeof(layout));
	if (rows <= 0 || cols <= 0)
		return layout;
	titles = rows >= ROWS_TITLES;
	status = rows >= ROWS_STATUS;
	bar = rows >= ROWS_BAR;
	totals = rows >= ROWS_TOTALS && cols >= COLS_TOTALS ? 2 : 0;
	table = rows - titles - status - bar - totals;
	if (full) {
		/* One row of the table stays, where there is room: whose pane this is. */
		tabs = rows >= 2;
		if (rows < 10) {
			titles = 0;
			totals = 0;
			table = 0;
		} else {
			table = 1;
		}
		pane = rows - titles - status - bar - totals - table - tabs;
	} else if (rows >= ROWS_PANE) {
		tabs = 1;
		table = (table - tabs) * 2 / 5;
		pane = rows - titles - status - bar - totals - table - tabs;
	}
	layout.status = take(&row, status, cols);
	layout.totals = take(&row, totals, cols);
	layout.titles = take(&row, titles, cols);
	layout.table = take(&row, table, cols);
	layout.tabs = take(&row, tabs, cols);
	layout.pane = take(&row, pane, cols);
	layout.bar = take(&row, bar, cols);
	return layout;
}
