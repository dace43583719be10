/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which time plots show, and the cursor in them: what keys do. */
#include <math.h>
#include <stdlib.h>

#include "util/util.h"
#include "view/plot_time.h"
#include "view/view_internal.h"

/* Seconds that a dot may stand for. */
static const double steps[] = { 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120 };

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

void plot_time_fit(struct view *view, const struct track *track, const struct rect *area)
{
	struct plot_time *time = &view->plots;
	size_t dots = 2 * (size_t)area->cols;
	double interval = usual_interval(view), width, newest = track_time(track, 0), least;
	size_t count = track_count(track);
	struct sample oldest;

	if (isnan(newest))
		newest = view->shown->elapsed_seconds;
	/* Zoom out to the hour at most. */
	while (time->zoom && (step_of(interval, time->zoom - 1) * (double)dots >= HISTORY_SPAN ||
			      step_of(interval, time->zoom - 1) == step_of(interval, time->zoom)))
		time->zoom--;
	time->step = step_of(interval, time->zoom);
	width = time->step * (double)dots;
	if (count && time->held && track_sample(track, count - 1, &oldest)) {
		least = oldest.time - oldest.length + width;
		time->end = fmax(time->end, least);
		time->held = time->end < newest;
	}
	/* Dots begin at multiples of what they stand for: the past stands still. */
	time->last = ceil((time->held ? time->end : newest) / time->step - 1e-6) * time->step;
	time->first = time->last - width;
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

	if (!can_move(view))
		return;
	if (step > 0)
		time->zoom++; /* limited when it is drawn */
	else if (time->zoom)
		time->zoom--;
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
