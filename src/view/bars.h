/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures drawn: bars, sparklines. */
#ifndef VIEW_BARS_H
#define VIEW_BARS_H

#include "view/canvas.h"
#include "view/history.h"

/*
 * A bar of @fraction (0..1) of @cells, in eighths of a cell. Anything more than nothing is visible.
 */
void bar_of(const struct area *area, int row, int col, int cells, enum style style,
	    double fraction);

/*
 * How many of @cells each of @samples may have, so that few of them do not look lost. It takes few
 * values: as samples come, what is drawn seldom changes its scale.
 */
int cells_each(int cells, double samples);

/* The same where samples come one by one; room is left for the first of them. */
int cells_each_of(int cells, const struct track *track);

/* The latest samples, as many as @cells have room for, relative to the largest of them. */
void spark_of(const struct area *area, int row, int col, int cells, enum style style,
	      const struct track *track, enum series series);

/* One sample of a sparkline, 0..1; NAN: not known, nothing is drawn. */
void sample_draw(const struct area *area, int row, int col, enum style style, double fraction);

/* One of nine heights, for a fraction of 0..1; " " for none and NAN. */
const char *level_of(double fraction);

/* A thumb on the right edge of @area, which shows @count rows from @top on; nothing if all fit. */
void scrollbar_draw(const struct area *area, size_t top, size_t count);
/* The first item in sight after a click on @row of the screen; false: there is no bar. */
bool scrollbar_top(struct rect rect, int row, size_t count, size_t *top);

#endif
