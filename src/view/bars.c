/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bars and sparklines made of block characters, in eighths of a cell. The canvas knows the
 * ASCII form of each.
 */
#include "view/bars.h"

#include <math.h>

#include "util/util.h"

/* Room for so many samples is left where there are less. */
#define SAMPLES_AT_FIRST 20

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

/* The lowest height is for nothing alone: without colours, too, a little is more than that. */
void sample_draw(const struct area *area, int row, int col, enum style style, double fraction)
{
	if (isnan(fraction))
		return;
	if (fraction > 0)
		area_text(area, row, col, style, level_of(fmax(fraction, 2 / 8.)));
	else
		area_text(area, row, col, ST_FREE, lower[1]);
}

int cells_each(int cells, double samples)
{
	static const int widths[] = { 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2 };

	for (size_t i = 0; i < ARRAY_LEN(widths); i++)
		if (cells >= widths[i] * samples)
			return widths[i];
	return 1;
}

int cells_each_of(int cells, const struct track *track)
{
	return cells_each(cells, fmax((double)track_count(track), SAMPLES_AT_FIRST));
}

void spark_of(const struct area *area, int row, int col, int cells, enum style style,
	      const struct track *track, enum series series)
{
	int each = cells_each_of(cells, track), i;
	double most = 0, value;

	for (i = 0; i < cells; i += each) {
		value = track_value(track, series, (size_t)(i / each));
		if (value > most)
			most = value;
	}
	for (i = 0; i < cells; i++) {
		value = track_value(track, series, (size_t)((cells - 1 - i) / each));
		/* 0 of 0 is nothing, too. */
		sample_draw(area, row, col + i, style, value > 0 ? value / most * 0.9 : value);
	}
}

bool scrollbar_top(struct rect rect, int row, size_t count, size_t *top)
{
	if (rect.rows < 2 || count <= (size_t)rect.rows)
		return false;
	*top = (size_t)((double)(row - rect.row) / (rect.rows - 1) *
				(double)(count - (size_t)rect.rows) +
			0.5);
	return true;
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
