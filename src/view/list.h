/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list in a pane: titled columns that drop by rank where there is no room,
 * sorted, searched and scrolled alike in all panes. A pane says what stands in
 * a cell and what it is sorted by.
 */
#ifndef VIEW_LIST_H
#define VIEW_LIST_H

#include "view/view_internal.h"

struct list_column {
	const char *title;
	int width;		/* 0: what is left, of @least at least */
	int least;
	bool left;		/* text: left, and sorted by what is written, ascending */
	int rank;		/* lowest stays longest */
	bool unsorted;		/* a bar: nothing to sort by */
};

enum { CELL_TEXT = 4096 };	/* signatures of kernels go into the thousands */

struct list {
	const struct list_column *columns;
	size_t column_count;
	uint32_t hidden;		/* bit set of columns that would be empty */
	size_t count;
	const void *items;
	const struct view *view;
	const struct snap_process *process;
	const char *empty;		/* what to say when there is nothing */

	/* Writes what stands in a cell to @out, and returns its style. */
	enum style (*cell)(const struct list *list, size_t item, size_t column, char out[CELL_TEXT]);
	double (*number)(const struct list *list, size_t item, size_t column);	/* to sort by; NAN last */
	/* The item with which @item is sorted: it stays right behind that one. NULL: each by itself */
	size_t (*owner)(const struct list *list, size_t item);
	/* The column whose cell is all of @item's row; -1: it has cells in all. NULL: each has */
	int (*whole)(const struct list *list, size_t item);
	/* A bar, where a column has one: 0..1; NULL: none has */
	double (*bar)(const struct list *list, size_t item, size_t column, enum style *style);
};

void list_draw(struct view *view, const struct area *area, struct pane_state *pane, const struct list *list);

#endif
