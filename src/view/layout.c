/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout. Rows are given out by priority: first one row of the table, then the titles, the
 * status, the bar, the totals, and from 15 rows on the pane, which then gets three rows for every
 * two of the table; larger screens have a row for each device. The table takes no more of its share
 * than its rows need, and keeps what it once had: it grows with the number of processes, a row at a
 * time, and never shrinks, so that nothing jumps.
 */
#include "view/layout.h"

#include <string.h>

enum {
	ROWS_TITLES = 3,
	ROWS_STATUS = 4,
	ROWS_BAR = 6,
	ROWS_TOTALS = 9,
	ROWS_PANE = 15,
	ROWS_DEVICES = 18,
	ROWS_PER_DEVICE = 4,
	COLS_TOTALS = 31,
	COLS_DEVICES = 40
};

static struct rect take(int *row, int rows, int cols)
{
	struct rect rect = { *row, 0, rows, cols };

	*row += rows;
	return rect;
}

/* The devices get one in four of the remaining rows. */
static int device_rows(int rows, int cols, int devices)
{
	int most = rows > ROWS_DEVICES && cols >= COLS_DEVICES ?
			   (rows - ROWS_DEVICES) / ROWS_PER_DEVICE :
			   0;

	return devices < most ? devices : most;
}

struct layout layout_make(int rows, int cols, bool full, int devices, size_t processes)
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
	devices = device_rows(rows, cols, devices);
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
