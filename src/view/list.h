/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list in a pane: titled columns that are dropped by rank if there is no room, and that are
 * sorted, searched and scrolled alike in all panes. The pane's descriptor says what a cell shows
 * and what it is sorted by.
 */
#ifndef VIEW_LIST_H
#define VIEW_LIST_H

#include "view/panes.h"
#include "view/view_internal.h"

struct list_column {
	const char *title;
	int width; /* 0: the remaining cells, at least @least */
	int least;
	int good;    /* of one without a width: cells that it gets before others come; 0: least */
	bool left;   /* text: left-aligned, and sorted ascending by the shown text */
	int rank;    /* which stay if there is no room: lowest last */
	bool is_bar; /* a bar: cannot be sorted by or searched */
	bool middle; /* where there is no room for all of a text, its middle is left out */
	/* What it shows: a line of the help, of at most COLUMN_HELP characters, and the manual's */
	const char *help;
};

enum { COLUMN_HELP = 60 };
enum { CELL_TEXT = 4096 }; /* kernels' signatures can have thousands of characters */

struct list {
	const struct pane_desc *desc;
	uint32_t hidden; /* bit set: columns that would be empty */
	size_t count;
	const void *items; /* the pane's own data */
	const struct view *view;
	const struct snap_process *process;
	const char *empty; /* what to say when there is nothing */
	/* Of columns, instead of their own where not NULL; NULL: all have their own */
	const char *const *titles;
	size_t *order;             /* the items as they are sorted */
	struct snap_process since; /* `process`, with differences if there is a baseline */
	bool has_differences;
};

/*
 * Makes the list of the shown pane, for keys as for drawing. False: there is no process, or no
 * memory. Else close it.
 */
bool list_open(const struct view *view, struct list *list);
void list_close(struct list *list);

/* Goes to the next match (1), the previous one (-1), or from the present row on (2). */
void list_search(struct view *view, int direction);

/* The item that Enter means: @item, or the one it belongs to. */
size_t list_opens(const struct list *list, size_t item);

void list_draw(struct view *view, const struct area *area, const struct list *list);

#endif
