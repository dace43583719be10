/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plots: a figure over time as a filled area, in dots of braille, two beside each other and four
 * above each other in a cell. All plots show the same time, and have a cursor that reads values:
 * plot_time.h.
 */
#ifndef VIEW_PLOT_H
#define VIEW_PLOT_H

#include "view/canvas.h"
#include "view/track.h"

struct view;

enum plot_unit { PLOT_BYTES, PLOT_COUNT, PLOT_SHARE };

struct plot {
	const struct track *track;
	enum series series;
	enum style style;
	const char *title;
	enum plot_unit unit;
	const char *per;    /* "/s" or "" */
	unsigned int marks; /* of enum mark: which are drawn */
};

/* Rows of a plot: a title and an area at least; an axis below; not more than can be taken in. */
enum { PLOT_ROWS_MIN = 2, PLOT_ROWS_AXIS = 3, PLOT_ROWS_MOST = 20 };

/* A pane with so many rows has a plot, however long its list is. */
enum { PLOT_PANE_ROWS = 16 };

void plot_draw(struct view *view, const struct area *area, const struct plot *plot);

/* The rows that a plot gets in a pane of @rows whose list needs @wanted; 0: there is no room. */
int plot_rows(int rows, int wanted);

/* Draws it in @rows of a pane from @row on, in a cell from its sides; nothing if they are 0. */
void plot_below(struct view *view, const struct area *area, int row, int rows,
		const struct plot *plot);

#endif
