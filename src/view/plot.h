/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plots: a figure over time as a filled area, in dots of braille, two beside each other and four
 * above each other in a cell. All plots show the same time, and have a cursor that reads values.
 */
#ifndef VIEW_PLOT_H
#define VIEW_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "view/canvas.h"
#include "view/history.h"

struct list;
struct view;

enum { PLOTS_MAX = 6 }; /* in a pane */

/* In seconds since the start. */
struct plot_time {
	/* 0: a dot is at most one interval; each step out lets the time grow further */
	unsigned int zoom;
	bool held; /* it ends at `end`, not at the present */
	double end;
	bool reads; /* there is a cursor: */
	double cursor;
	/* As last drawn, for keys; drawn: a plot was */
	bool drawn;
	double first, last, step; /* what is shown, and the seconds that a dot stands for */
	int stride;               /* dots that an interval has */
	double wanted;            /* seconds that would show all there is */
	/* where each plot's dots were on the screen, two in a cell */
	struct rect areas[PLOTS_MAX];
	size_t area_count;
};

/* Before a pane is drawn: no plot is. */
void plot_time_begin(struct plot_time *time);

/* What keys do: show more (1) or less (-1) time; move it, to the left (-1) or the right (1). */
void plot_zoom(struct view *view, int step);
void plot_pan(struct view *view, int step);

/* Moves the cursor by a dot; at first, to the end. Beyond the end it goes. */
void plot_cursor_move(struct view *view, int step);

/* Removes the cursor, and shows the present. False: there was none to be seen. */
bool plot_cursor_end(struct view *view);

/* Whether a plot is there on the screen. */
bool plot_hit(const struct plot_time *time, int row, int col);
/* Moves the cursor there, or removes it if it is there. False: there is no plot. */
bool plot_click(struct view *view, int row, int col);

/* A replay went back to @elapsed. */
void plot_rewind(struct plot_time *time, double elapsed);

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
enum { PLOT_ROWS_MIN = 2, PLOT_ROWS_AXIS = 3, PLOT_ROWS_MOST = 12 };

/* A pane with so many rows has a plot, however long its list is. */
enum { PLOT_PANE_ROWS = 16 };

void plot_draw(struct view *view, const struct area *area, const struct plot *plot);

/* The rows that a plot gets in a pane of @rows whose list needs @wanted; 0: there is no room. */
int plot_rows(int rows, int wanted);

/* Draws it in @rows of a pane from @row on, in a cell from its sides; nothing if they are 0. */
void plot_below(struct view *view, const struct area *area, int row, int rows,
		const struct plot *plot);

/*
 * Draws @list in @area as details_below_list() does, and below it the plot, unless that is NULL or has
 * no room.
 */
void plot_below_list(struct view *view, const struct area *area, const struct list *list,
		     const struct plot *plot);

#endif
