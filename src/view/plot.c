/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plots. The area is filled up to the mean of what a dot stands for; a dot above is its peak. From
 * top to bottom: the title, which has the latest value or that at the cursor; the area; the axis,
 * dotted where nothing is known, with marks where something happened; and times, in a row of their
 * own if there is room. The canvas knows the ASCII form of each cell.
 */
#include "view/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/columns.h"
#include "util/utf8.h"
#include "util/util.h"
#include "view/cells.h"
#include "view/details.h"
#include "view/list.h"
#include "view/view_internal.h"

/* ---- the time that is shown, and the cursor ---- */

/* Seconds that a dot may stand for. */
static const double steps[] = { 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120 };

/* So many seconds are shown even if there are less, and hardly more. */
#define SECONDS_AT_FIRST 20

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/*
 * The usual seconds between samples. In a replay the view is not told, and where it jumped or plays
 * faster, some are far apart: take what is in the middle of the latest.
 */
static double usual_interval(const struct view *view)
{
	double lengths[15], middle;
	struct sample sample;
	size_t count = 0, i = 0;

	if (!view->host.play.is_on)
		return (double)view->settings.delay / 1e9;
	while (count < ARRAY_LEN(lengths) && track_sample(&view->history.all, count, &sample))
		lengths[count++] = sample.length;
	if (!count)
		return 1;
	qsort(lengths, count, sizeof(*lengths), compare);
	middle = lengths[count / 2];
	while (i + 1 < ARRAY_LEN(steps) && steps[i] < middle * 0.7)
		i++;
	return steps[i];
}

static double step_of(double interval, unsigned int zoom)
{
	size_t i = 0;

	if (!zoom)
		return interval;
	while (i + 1 < ARRAY_LEN(steps) && steps[i] <= interval * 1.01)
		i++;
	i += zoom - 1;
	return steps[i < ARRAY_LEN(steps) ? i : ARRAY_LEN(steps) - 1];
}

void plot_time_begin(struct plot_time *time)
{
	time->drawn = false;
	time->area_count = 0;
}

/* Zooms out to the hour at most. */
static void zoom_limit(struct plot_time *time, double interval, double dots)
{
	while (time->zoom && (step_of(interval, time->zoom - 1) * dots >= HISTORY_SPAN ||
			      step_of(interval, time->zoom - 1) == step_of(interval, time->zoom)))
		time->zoom--;
}

/* The seconds to be seen of a track that began at @first and reaches to @newest. */
static double seconds_wanted(const struct view *view, double first, double newest)
{
	const struct play *play = &view->host.play;
	double least = SECONDS_AT_FIRST;

	if (play->is_on)
		least = fmin(least, (double)play->total / 1e9);
	/* Its process has ended: it will not grow. */
	if (newest < track_time(&view->history.all, 0))
		least = 0;
	return fmax(newest - first, least);
}

/*
 * Before a plot of @track with dots in @area of the screen is drawn: finds what it shows, and limits
 * what keys asked for.
 */
static void plot_time_fit(struct view *view, const struct track *track, const struct rect *area)
{
	struct plot_time *time = &view->plots;
	double dots = 2 * area->cols, interval = usual_interval(view);
	double newest = track_time(track, 0), first;
	unsigned int zoom = 0;
	struct sample oldest;

	if (isnan(newest))
		newest = view->shown->elapsed_seconds;
	first = newest;
	if (track_sample(track, track_count(track) - 1, &oldest))
		first = oldest.time - oldest.length;
	zoom_limit(time, interval, dots);
	/* Of less time than that only what there is: intervals have several dots, or zoom less. */
	time->wanted = seconds_wanted(view, first, newest);
	time->stride = cells_each((int)dots, time->wanted / interval);
	while (zoom < time->zoom && step_of(interval, zoom) * dots < time->wanted)
		zoom++;
	time->step = step_of(interval, zoom) / time->stride;
	if (time->held) {
		time->end = fmax(time->end, first + time->step * dots);
		time->held = time->end < newest;
	}
	/* Dots begin at multiples of what they stand for: the past stands still. */
	time->last = ceil((time->held ? time->end : newest) / time->step - 1e-6) * time->step;
	time->first = time->last - time->step * dots;
	time->drawn = true;
	if (time->area_count < PLOTS_MAX)
		time->areas[time->area_count++] = *area;
}

static bool can_move(struct view *view)
{
	if (!view->plots.drawn)
		view_message(view, "no plot is shown here: Memory, Kernels, Copies and Calls have "
				   "them where there is room");
	return view->plots.drawn;
}

void plot_zoom(struct view *view, int step)
{
	struct plot_time *time = &view->plots;
	double interval = usual_interval(view), dots, most;
	char text[24];

	if (!can_move(view))
		return;
	if (step > 0)
		time->zoom++;
	else if (time->zoom)
		time->zoom--;
	dots = 2 * time->areas[0].cols;
	zoom_limit(time, interval, dots);
	most = step_of(interval, time->zoom) * dots;
	if (time->wanted <= most && time->wanted <= time->last - time->first)
		view_message(view, "plots show all the time there is, up to %s",
			     format_duration(most, 0, text));
}

void plot_pan(struct view *view, int step)
{
	struct plot_time *time = &view->plots;

	if (!time->drawn)
		return;
	/* By a quarter of what is shown; both ends are found when it is drawn. */
	if (!time->held)
		time->end = time->last;
	time->end += step * (time->last - time->first) / 4;
	time->held |= step < 0;
}

void plot_cursor_move(struct view *view, int step)
{
	struct plot_time *time = &view->plots;

	if (!can_move(view))
		return;
	if (!time->reads) {
		time->reads = step < 0;
		time->cursor = time->last - time->step / 2;
		return;
	}
	/* In the middle of a dot; from the edge if it was out of sight. */
	step *= time->stride;
	time->cursor = (floor(time->cursor / time->step) + 0.5 + step) * time->step;
	time->cursor = fmax(time->cursor, time->first - time->step / 2);
	if (time->cursor < time->first)
		plot_pan(view, -1);
	if (time->cursor > time->last && time->held) {
		time->cursor = time->last + time->step / 2;
		plot_pan(view, 1);
	} else if (time->cursor > time->last) {
		time->reads = false;
	}
}

bool plot_cursor_end(struct view *view)
{
	struct plot_time *time = &view->plots;
	bool seen = time->drawn && time->reads;

	if (seen)
		time->reads = time->held = false;
	return seen;
}

static const struct rect *area_at(const struct plot_time *time, int row, int col)
{
	for (size_t i = 0; i < time->area_count; i++) {
		const struct rect *area = &time->areas[i];

		if (row >= area->row && row < area->row + area->rows && col >= area->col &&
		    col < area->col + area->cols)
			return area;
	}
	return NULL;
}

bool plot_hit(const struct plot_time *time, int row, int col)
{
	return area_at(time, row, col) != NULL;
}

bool plot_click(struct view *view, int row, int col)
{
	struct plot_time *time = &view->plots;
	const struct rect *area = area_at(time, row, col);
	double at;

	if (!area)
		return false;
	/* The later of the cell's two dots */
	at = time->first + (2 * (col - area->col) + 1.5) * time->step;
	time->reads = !time->reads || fabs(time->cursor - at) > time->step * 1.1;
	time->cursor = at;
	return true;
}

void plot_rewind(struct plot_time *time, double elapsed)
{
	if (time->cursor >= elapsed)
		time->reads = false;
	if (time->end >= elapsed)
		time->held = false;
}

/* ---- drawing ---- */

enum {
	AXIS = 8,        /* cells left of the area */
	DOTS = 4,        /* of a cell, above each other */
	ROWS_TIMES = 9,  /* from so many rows on times have their own */
	LABEL_CELLS = 10 /* between two times, at least */
};

static const struct {
	unsigned int mark;
	const char *sign, *text;
	enum style style;
} mark_signs[] = {
	/* what matters most first: a cell has room for one */
	{ MARK_NO_MEMORY, "✗", "an allocation failed", ST_FAILED },
	{ MARK_LEAK, "▲", "leaked", ST_LEAKED },
	{ MARK_FAILURE, "!", "a call failed", ST_FAILED },
	{ MARK_SUSPECT, "~", "suspect", ST_SUSPECT },
	{ MARK_EXIT, "■", "exited", ST_PLAIN },
};

/* What is drawn: parts of the area, and what was read for each dot. */
struct drawing {
	const struct area *area;
	const struct plot *plot;
	const struct plot_time *time;
	const struct view *view;
	struct track_reading *readings;
	size_t dots;
	int rows, cols; /* of cells that are filled */
	double top;     /* the value at their upper edge */
};

/* A round number above @value: the axis does not move with every sample. */
static double axis_top(double value, enum plot_unit unit_of)
{
	static const double parts[] = { 1, 1.5, 2, 3, 5, 7, 10 };
	double unit = 1;

	if (unit_of == PLOT_SHARE || !(value > 0))
		return 1;
	if (unit_of == PLOT_BYTES)
		while (unit * 1024 <= value)
			unit *= 1024;
	while (unit * 10 < value)
		unit *= 10;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (value <= unit * parts[i])
			return unit * parts[i];
	return value;
}

static const char *value_text(const struct plot *plot, double value, char out[48])
{
	char number[32];

	if (isnan(value))
		snprintf(number, sizeof(number), "-");
	else if (plot->unit == PLOT_COUNT && value < 10 && value > floor(value))
		snprintf(number, sizeof(number), "%.1f", value);
	else if (plot->unit == PLOT_BYTES && value > 0 && value < 1000)
		snprintf(number, sizeof(number), "%.0fB", value);
	else if (plot->unit == PLOT_BYTES)
		format_bytes(value, number, sizeof(number));
	else if (plot->unit == PLOT_COUNT)
		format_count(value, number, sizeof(number));
	else
		snprintf(number, sizeof(number), "%.0f%%", 100 * value);
	snprintf(out, 48, "%s%s", number, plot->per);
	return out;
}

static void clock_text(const struct view *view, double time, char *out, size_t size)
{
	double ago = view->shown->elapsed_seconds - time;

	format_clock(view, view->shown->time - (uint64_t)(int64_t)llround(ago * 1e9), out, size);
}

/* ---- the area ---- */

static int dots_of(const struct drawing *drawing, double value)
{
	int most = drawing->rows * DOTS, dots;

	if (!(value > 0))
		return 0;
	dots = (int)lround(fmin(value / drawing->top, 1) * most);
	return dots ? dots : 1;
}

static void cells_fill(const struct drawing *drawing, int col)
{
	static const unsigned int bits[2][DOTS] = { { 0x40, 0x04, 0x02, 0x01 },
						    { 0x80, 0x20, 0x10, 0x08 } };
	int fill[2], peak[2];
	char text[5];

	for (int side = 0; side < 2; side++) {
		const struct track_reading *reading = &drawing->readings[2 * col + side];

		fill[side] = dots_of(drawing, reading->mean);
		peak[side] = dots_of(drawing, reading->most);
	}
	for (int row = 0; row < drawing->rows; row++) {
		unsigned int cell = 0;

		for (int dot = 0; dot < 2 * DOTS; dot++) {
			int side = dot % 2, at = (drawing->rows - 1 - row) * DOTS + dot / 2 + 1;

			if (at <= fill[side] || at == peak[side])
				cell |= bits[side][dot / 2];
		}
		if (cell)
			area_text(drawing->area, row + 1, AXIS + col, drawing->plot->style,
				  utf8_encode(0x2800 + (int32_t)cell, text));
	}
}

/* The dot at the cursor; -1: there is none in sight. */
static int cursor_dot(const struct drawing *drawing)
{
	const struct plot_time *time = drawing->time;

	if (!time->reads || time->cursor < time->first || time->cursor >= time->last)
		return -1;
	return (int)((time->cursor - time->first) / time->step);
}

static void cursor_draw(const struct drawing *drawing)
{
	int dot = cursor_dot(drawing), col = AXIS + dot / 2;
	const struct area *area = drawing->area;

	if (dot < 0)
		return;
	for (int row = 1; row <= drawing->rows; row++) {
		const struct cell *cell =
			canvas_cell(area->canvas, area->rect.row + row, area->rect.col + col);

		if (!strcmp(cell->text, " "))
			area_text(area, row, col, ST_PLAIN, "│");
	}
	for (int row = 1; row <= drawing->rows + 1; row++)
		area_flags(area, row, col, 1, CELL_SELECTED);
}

/* ---- the axes ---- */

static void value_label(const struct drawing *drawing, int row, double value)
{
	char text[48];

	area_right(drawing->area, row, AXIS - 1, ST_DIM, value_text(drawing->plot, value, text));
}

static void values_draw(const struct drawing *drawing)
{
	int rows = drawing->rows;

	value_label(drawing, 1, drawing->top);
	if (rows > 6 && (drawing->top > 1 || drawing->plot->unit == PLOT_SHARE))
		value_label(drawing, 1 + rows / 2, drawing->top / 2);
	for (int row = 1; row <= rows; row++)
		area_text(drawing->area, row, AXIS - 1, ST_FRAME, "│");
	if (drawing->area->rect.rows < PLOT_ROWS_AXIS)
		return;
	value_label(drawing, rows + 1, 0);
	area_text(drawing->area, rows + 1, AXIS - 1, ST_FRAME, "└");
}

/* Marks in the cell that is the @col-th of the area. */
static unsigned int marks_at(const struct drawing *drawing, int col)
{
	return (drawing->readings[2 * col].marks | drawing->readings[2 * col + 1].marks) &
	       drawing->plot->marks;
}

static void marks_draw(const struct drawing *drawing)
{
	int row = drawing->rows + 1;

	for (int col = 0; col < drawing->cols; col++) {
		unsigned int marks = marks_at(drawing, col);
		bool known = !isnan(drawing->readings[2 * col].mean) ||
			     !isnan(drawing->readings[2 * col + 1].mean);
		size_t i = 0;

		while (i < ARRAY_LEN(mark_signs) && !(marks & mark_signs[i].mark))
			i++;
		if (i < ARRAY_LEN(mark_signs))
			area_text(drawing->area, row, AXIS + col, mark_signs[i].style,
				  mark_signs[i].sign);
		else
			area_text(drawing->area, row, AXIS + col, known ? ST_FRAME : ST_FREE,
				  known ? "─" : "·");
	}
}

/* A time at the axis, unless a mark stands where it would. */
static void time_label(const struct drawing *drawing, int row, double ago)
{
	double at = drawing->view->shown->elapsed_seconds - ago;
	int col = (int)floor((at - drawing->time->first) / drawing->time->step / 2 + 1e-6), width;
	char text[24], label[32];

	snprintf(label, sizeof(label), "-%s", format_duration(ago, 0, text));
	width = canvas_width(drawing->area->canvas, label);
	if (col < 0 || col + 1 + width > drawing->cols)
		return;
	if (row == drawing->rows + 1) {
		for (int i = 0; i <= width; i++)
			if (marks_at(drawing, col + i))
				return;
		area_text(drawing->area, row, AXIS + col + 1, ST_DIM, label);
	} else {
		area_text(drawing->area, row, AXIS + col, ST_DIM, label);
		if (marks_at(drawing, col))
			return;
	}
	area_text(drawing->area, drawing->rows + 1, AXIS + col, ST_FRAME, "┴");
}

static void times_draw(const struct drawing *drawing, int row)
{
	static const double spaces[] = { 1,   2,   5,   10,  15,   30,   60,
					 120, 300, 600, 900, 1800, 3600, 7200 };
	const struct plot_time *time = drawing->time;
	double now = drawing->view->shown->elapsed_seconds, space;
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(spaces) && spaces[i] / time->step / 2 < LABEL_CELLS)
		i++;
	/* With a long delay even the widest is narrow. */
	for (space = spaces[i]; space / time->step / 2 < LABEL_CELLS;)
		space *= 2;
	for (double ago = fmax(ceil((now - time->last) / space), 1) * space;
	     ago <= now - time->first; ago += space)
		time_label(drawing, row, ago);
}

/* ---- the title ---- */

/* Names the marks that are in sight, or those at the cursor, as far as there is room. */
static void legend_draw(const struct drawing *drawing, int col, int end, int dot)
{
	unsigned int marks = 0;
	char text[64];

	for (size_t i = 0; i < drawing->dots; i++)
		if (dot < 0 || i / 2 == (size_t)dot / 2)
			marks |= drawing->readings[i].marks & drawing->plot->marks;
	for (size_t i = 0; i < ARRAY_LEN(mark_signs); i++) {
		if (!(marks & mark_signs[i].mark))
			continue;
		snprintf(text, sizeof(text), "%s %s", mark_signs[i].sign, mark_signs[i].text);
		if (col + canvas_width(drawing->area->canvas, text) + 1 > end)
			return;
		col = area_text(drawing->area, 0, col, mark_signs[i].style, text) + 2;
	}
}

/* What is shown: "last 2m20s", "5m until 14:03:22". */
static void span_text(const struct drawing *drawing, char *out, size_t size)
{
	const struct plot_time *time = drawing->time;
	char duration[24], clock[16];

	format_duration(time->last - time->first, 0, duration);
	clock_text(drawing->view, time->last, clock, sizeof(clock));
	if (time->last < drawing->view->shown->elapsed_seconds)
		snprintf(out, size, "%s until %s", duration, clock);
	else
		snprintf(out, size, "last %s", duration);
}

static void heading_draw(const struct drawing *drawing)
{
	const struct area *area = drawing->area;
	const struct plot *plot = drawing->plot;
	int dot = cursor_dot(drawing), col, end = area->rect.cols;
	double value = track_value(plot->track, plot->series, 0), at, most;
	char text[160], number[48], peak[48], clock[16], ago[24];

	col = area_cut(area, 0, 0, area->rect.cols, ST_HEAD, plot->title) + 1;
	if (dot >= 0)
		value = drawing->readings[dot].mean;
	if (col + (int)strlen(value_text(plot, value, number)) > end)
		return;
	col = area_text(area, 0, col, plot->style, number);
	if (dot >= 0) {
		most = drawing->readings[dot].most;
		at = drawing->time->first + (dot + 1) * drawing->time->step;
		clock_text(drawing->view, at, clock, sizeof(clock));
		format_duration(drawing->view->shown->elapsed_seconds - at,
				drawing->time->step * drawing->time->stride < 1 ? 10 : 0, ago);
		if (strcmp(value_text(plot, most, peak), number))
			snprintf(text, sizeof(text), " (up to %s) at %s, %s ago", peak, clock, ago);
		else
			snprintf(text, sizeof(text), " at %s, %s ago", clock, ago);
		col = area_cut(area, 0, col, end - col, ST_PLAIN, text);
	} else {
		span_text(drawing, text, sizeof(text));
		if (col + 2 + (int)strlen(text) <= end) {
			area_right(area, 0, end, ST_DIM, text);
			end -= (int)strlen(text) + 1;
		}
	}
	legend_draw(drawing, col + 2, end, dot);
}

void plot_draw(struct view *view, const struct area *area, const struct plot *plot)
{
	int axis = area->rect.rows >= PLOT_ROWS_AXIS, times = area->rect.rows >= ROWS_TIMES;
	struct drawing drawing = {
		.area = area,
		.plot = plot,
		.time = &view->plots,
		.view = view,
		.rows = area->rect.rows - 1 - axis - times,
		.cols = area->rect.cols - AXIS,
	};
	double most = 0;

	if (drawing.rows < 1 || drawing.cols < 4 || !view->shown)
		return;
	drawing.dots = (size_t)drawing.cols * 2;
	drawing.readings = calloc(drawing.dots, sizeof(*drawing.readings));
	if (!drawing.readings)
		return;
	plot_time_fit(view, plot->track,
		      &(struct rect){ area->rect.row + 1, area->rect.col + AXIS,
				      drawing.rows + axis, drawing.cols });
	track_read(plot->track, plot->series, view->plots.first, view->plots.step, drawing.dots,
		   drawing.readings);
	for (size_t i = 0; i < drawing.dots; i++)
		most = fmax(most, drawing.readings[i].most);
	drawing.top = axis_top(most, plot->unit);
	for (int col = 0; col < drawing.cols; col++)
		cells_fill(&drawing, col);
	values_draw(&drawing);
	if (axis) {
		marks_draw(&drawing);
		times_draw(&drawing, drawing.rows + 1 + times);
	}
	cursor_draw(&drawing);
	heading_draw(&drawing);
	free(drawing.readings);
}

int plot_rows(int rows, int wanted)
{
	int spare = rows - wanted;

	if (rows >= PLOT_PANE_ROWS && spare < rows / 4)
		spare = rows / 4;
	return spare < PLOT_ROWS_MIN ? 0 : spare < PLOT_ROWS_MOST ? spare : PLOT_ROWS_MOST;
}

void plot_below(struct view *view, const struct area *area, int row, int rows,
		const struct plot *plot)
{
	struct area part = area_part(area, row, 1, rows, area->rect.cols - 2);

	if (rows)
		plot_draw(view, &part, plot);
}

void plot_below_list(struct view *view, const struct area *area, const struct list *list,
		     const struct plot *plot)
{
	int rows = area->rect.rows, plotted = plot ? plot_rows(rows, (int)list->count + 1) : 0;
	struct area part = area_part(area, 0, 0, rows - plotted, area->rect.cols);

	details_below_list(view, &part, list);
	if (plotted)
		plot_below(view, area, rows - plotted, plotted, plot);
}
