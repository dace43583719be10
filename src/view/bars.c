/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bars, sparklines and plots made of block characters, in eighths of a cell. The canvas knows the
 * ASCII form of each.
 */
#include "view/bars.h"

#include <math.h>
#include <stdio.h>

#include "model/columns.h"

static const char *const lower[9] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const left[9] = { " ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };

static int eighths(double fraction, int cells)
{
	int value;

	if (!(fraction > 0) || cells <= 0)
		return 0;
	value = (int)lround(fmin(fraction, 1) * cells * 8);
	return value ? value : 1;
}

void bar_of(const struct area *area, int row, int col, int cells, enum style style, double fraction)
{
	int whole = eighths(fraction, cells), rest = whole % 8;

	whole /= 8;
	area_repeat(area, row, col, whole, style, "█");
	if (rest)
		area_text(area, row, col + whole, style, left[rest]);
}

const char *level_of(double fraction)
{
	return lower[eighths(fraction, 1)];
}

void spark_of(const struct area *area, int row, int col, int cells, enum style style,
	      const struct track *track, enum series series)
{
	double most = 0, value;
	int i;

	for (i = 0; i < cells; i++) {
		value = track_value(track, series, (size_t)i);
		if (value > most)
			most = value;
	}
	for (i = 0; i < cells; i++) {
		value = track_value(track, series, (size_t)(cells - 1 - i));
		if (isnan(value))
			continue;
		if (value > 0)
			area_text(area, row, col + i, style, level_of(value / most * 0.9));
		else
			area_text(area, row, col + i, ST_FREE, "▁");
	}
}

/* A round number above @value: the axis does not move with every sample. */
static double axis_top(double value, bool bytes)
{
	double unit = 1;

	if (!(value > 0))
		return 1;
	if (bytes)
		while (unit * 1024 <= value)
			unit *= 1024;
	value /= unit;
	for (double ten = 1;; ten *= 10) {
		if (value <= ten)
			return unit * ten;
		if (value <= ten * 1.5)
			return unit * ten * 1.5;
		if (value <= ten * 2)
			return unit * ten * 2;
		if (value <= ten * 3)
			return unit * ten * 3;
		if (value <= ten * 5)
			return unit * ten * 5;
		if (value <= ten * 7)
			return unit * ten * 7;
	}
}

static void axis_label(const struct area *area, int row, int end, double value,
		       const struct plot *plot)
{
	char number[32], text[48];

	if (plot->bytes)
		format_bytes(value, number, sizeof(number));
	else
		format_count(value, number, sizeof(number));
	snprintf(text, sizeof(text), "%s%s", number, plot->per);
	area_right(area, row, end, ST_DIM, text);
}

static void plot_column(const struct area *area, int col, int rows, const struct plot *plot,
			size_t back, double top)
{
	double value = track_value(plot->track, plot->series, back);
	struct sample sample;
	bool marked = track_sample(plot->track, back, &sample) && sample.marks & plot->marks;
	int height = isnan(value) ? 0 : eighths(value / top, rows), row;

	for (row = 0; row < rows; row++) {
		int here = height - (rows - 1 - row) * 8;

		if (here > 0)
			area_text(area, row + 1, col, plot->style, lower[here > 8 ? 8 : here]);
	}
	if (marked)
		area_text(area, 1, col, ST_FAILED, "✗");
}

/* The shown period in seconds ago, in a unit that gives readable numbers. */
static void span_text(char *out, size_t size, double from, double to)
{
	static const struct {
		double seconds, from;
		const char *name;
	} units[] = {
		{ 1, 0, "s" }, { 60, 1000, "min" }, { 3600, 6000, "h" }, { 86400, 360000, "d" }
	};
	size_t i = 0;

	while (i + 1 < sizeof(units) / sizeof(units[0]) && to >= units[i + 1].from)
		i++;
	if (from > 0)
		snprintf(out, size, "%.0f to %.0f%s ago", to / units[i].seconds,
			 from / units[i].seconds, units[i].name);
	else
		snprintf(out, size, "last %.0f%s", to / units[i].seconds, units[i].name);
}

void plot_draw(const struct area *area, const struct plot *plot)
{
	int axis = 8, rows = area->rect.rows - 1, cols = area->rect.cols - axis, i,
	    wide = 1 << (plot->zoom > 3 ? 3 : plot->zoom);
	size_t back = plot->back, seen;
	double most = 0, top;
	char age[32];

	if (rows < 1 || cols < 4)
		return;
	seen = (size_t)(cols / wide);
	if (back + seen > track_count(plot->track))
		back = track_count(plot->track) < seen ? 0 : track_count(plot->track) - seen;
	*plot->seen = back;
	for (i = 0; i < cols; i++)
		most = fmax(most,
			    track_value(plot->track, plot->series, back + (size_t)(i / wide)));
	top = axis_top(most, plot->bytes);
	area_cut(area, 0, 0, area->rect.cols, ST_HEAD, plot->title);
	span_text(age, sizeof(age), (double)back * plot->delay,
		  (double)(back + seen) * plot->delay);
	if (area->rect.cols > 40)
		area_right(area, 0, area->rect.cols, ST_DIM, age);
	axis_label(area, 1, axis - 1, top, plot);
	if (rows > 2)
		axis_label(area, rows, axis - 1, 0, plot);
	if (rows > 6)
		axis_label(area, 1 + rows / 2, axis - 1, top * (rows - rows / 2) / rows, plot);
	for (i = 0; i < rows; i++)
		area_text(area, i + 1, axis - 1, ST_FRAME, "│");
	for (i = 0; i < cols; i++)
		plot_column(area, axis + cols - 1 - i, rows, plot, back + (size_t)(i / wide), top);
}

void scrollbar_draw(const struct area *area, size_t top, size_t count)
{
	int rows = area->rect.rows, size, at;

	if (count <= (size_t)rows || rows < 2)
		return;
	size = (int)((size_t)rows * (size_t)rows / count);
	size = size < 1 ? 1 : size;
	at = (int)((double)top / (double)(count - (size_t)rows) * (rows - size) + 0.5);
	for (int i = 0; i < rows; i++)
		area_text(area, i, area->rect.cols - 1, ST_FRAME,
			  i >= at && i < at + size ? "█" : "│");
}
