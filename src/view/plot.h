/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plots: a figure over time as a filled area, in dots of braille, two beside each other and four
 * above each other in a cell. All plots show the same time.
 */
#ifndef VIEW_PLOT_H
#define VIEW_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "view/canvas.h"
#include "view/history.h"

struct track;
struct view;

/* In seconds since the start. */
struct plot_time {
	/* 0: a dot is at most one interval; each step out lets the time grow further */
	unsigned int zoom;
	bool held; /* it ends at `end`, not at the present */
	double end;
	/* As last drawn, for keys; drawn: a plot was */
	bool drawn;
	double first, last, step; /* what is shown, and the seconds that a dot stands for */
	int stride;               /* dots that an interval has */
	int cols;                 /* cells of a plot */
	double wanted;            /* seconds that would show all there is */
};

/* Before a pane is drawn: no plot is. */
void plot_time_begin(struct plot_time *time);

/* What keys do: show more (1) or less (-1) time; move it, to the left (-1) or the right (1). */
void plot_zoom(struct view *view, int step);
void plot_pan(struct view *view, int step);

/* A replay went back to @elapsed. */
void plot_rewind(struct plot_time *time, double elapsed);

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
