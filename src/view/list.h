/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list in a pane: titled columns that drop by rank where there is no room,
 * sorted, searched and scrolled alike in all panes. The pane's descriptor says
 * what stands in a cell and what it is sorted by.
 */
#ifndef VIEW_LIST_H
#define VIEW_LIST_H

#include "view/panes.h"
#include "view/view_internal.h"

struct list_column {
	const char *title;
	int width;		/* 0: what is left, of @least at least */
	int least;
	bool left;		/* text: left, and sorted by what is written, ascending */
	int rank;		/* lowest stays longest */
	bool is_bar;		/* nothing to sort by, nor to search */
};

enum { CELL_TEXT = 4096 };	/* signatures of kernels go into the thousands */

struct list {
	const struct pane_desc *desc;
	uint32_t hidden;		/* bit set of columns that would be empty */
	size_t count;
	const void *items;		/* the pane's own */
	const struct view *view;
	const struct snap_process *process;
	const char *empty;		/* what to say when there is nothing */
	const char *const *titles;	/* of columns, instead of their own where not NULL; NULL: all have their own */
};

void list_draw(struct view *view, const struct area *area, const struct list *list);

#endif
