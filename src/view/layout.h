/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where things are on the screen: a pure function of the terminal's size and of what is open. What
 * has no room is dropped, least important first; a dropped part has no rows. The table of processes
 * is never dropped, unless a pane fills the screen.
 */
#ifndef VIEW_LAYOUT_H
#define VIEW_LAYOUT_H

#include <stdbool.h>

#include "view/canvas.h"

struct layout {
	struct rect status;  /* processes, probes, lost, the clock */
	struct rect totals;  /* memory, launches, copies: 1 or 2 rows */
	struct rect devices; /* rows with several devices each, or one or two rows per device */
	struct rect titles;  /* of the table's columns */
	struct rect table;
	struct rect tabs;
	struct rect pane;
	struct rect bar; /* keys, or what is being typed */
};

/*
 * @devices: how many there are, with parts of devices; @lines: how many rows they fill where the
 * processes that use them have rows of their own; @processes: how many rows these have ever filled.
 */
struct layout layout_make(int rows, int cols, bool full, int devices, int lines, size_t processes);

#endif
