/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout. Rows are given out by priority: first one row of the table, then the titles, the
 * status, the bar, the totals, and from 15 rows on the pane, which then gets three rows for every
 * two of the table. From 12 rows on there are devices: few rows, each with several devices, on small
 * screens, a row for each on larger ones, and two for each, the second for the processes that use
 * it, on large ones. The table takes no more of its share than its rows need, and keeps what it once
 * had: it grows with the number of processes, a row at a time, and never shrinks, so that nothing
 * jumps.
 */
#include "view/view_internal.h"

#include <string.h>

enum {
	ROWS_TITLES = 3,
	ROWS_STATUS = 4,
	ROWS_BAR = 6,
	ROWS_TOTALS = 9,
	ROWS_PANE = 15,
	ROWS_DEVICES = 12,
	ROWS_USES = 30, /* of the screen, for rows with the processes that use a device */
	COLS_TOTALS = 31,
	COLS_DEVICES = 40,
	COLS_DEVICE = 15, /* of a device with its most important figures */
};

static struct rect take(int *row, int rows, int cols)
{
	struct rect rect = { *row, 0, rows, cols };

	*row += rows;
	return rect;
}

/*
 * Of what is left after 14 rows the devices get one in four; if that is not enough for all of them
 * side by side, as many as it takes, but at most one in three after 8.
 */
static int device_rows(int rows, int cols, int devices, int lines)
{
	int share = rows < 18 ? 1 : (rows - 14) / 4, most = (rows - 8) / 3, per_row, need;

	if (!devices || rows < ROWS_DEVICES || cols < COLS_DEVICES)
		return 0;
	if (lines <= share && rows >= ROWS_USES)
		return lines;
	if (devices <= share)
		return devices;
	per_row = cols / COLS_DEVICE;
	need = (devices + per_row - 1) / per_row;
	need = need > most ? most : need;
	need = need > share ? need : share;
	/* All rows have as many devices, but for the last. */
	per_row = (devices + need - 1) / need;
	return (devices + per_row - 1) / per_row;
}

struct layout layout_make(int rows, int cols, bool full, int devices, int lines, size_t processes)
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
	devices = device_rows(rows, cols, devices, lines);
	table = rows - titles - status - bar - totals - devices;
	if (full) {
		/* Keep one table row if there is room: it shows which process the pane is about. */
		tabs = rows >= 2;
		if (rows < 10) {
			titles = 0;
			totals = 0;
			table = 0;
		} else {
			table = 1;
		}
		pane = rows - titles - status - bar - totals - devices - table - tabs;
	} else if (rows >= ROWS_PANE) {
		tabs = 1;
		table = (table - tabs) * 2 / 5;
		if (processes < (size_t)table)
			table = processes ? (int)processes : 1;
		pane = rows - titles - status - bar - totals - devices - table - tabs;
	}
	layout.status = take(&row, status, cols);
	layout.totals = take(&row, totals, cols);
	layout.devices = take(&row, devices, cols);
	layout.titles = take(&row, titles, cols);
	layout.table = take(&row, table, cols);
	layout.tabs = take(&row, tabs, cols);
	layout.pane = take(&row, pane, cols);
	layout.bar = take(&row, bar, cols);
	return layout;
}
