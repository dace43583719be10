/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time that plots show. */
#ifndef VIEW_PLOT_TIME_H
#define VIEW_PLOT_TIME_H

#include <stdbool.h>
#include <stddef.h>

#include "view/canvas.h"

struct track;
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

/*
 * Before a plot of @track with dots in @area of the screen is drawn: finds what it shows, and limits
 * what keys asked for.
 */
void plot_time_fit(struct view *view, const struct track *track, const struct rect *area);

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

#endif
