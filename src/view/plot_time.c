/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which time plots show, and the cursor in them: what keys do. */
#include <math.h>
#include <stdlib.h>

#include "util/util.h"
#include "view/bars.h"
#include "view/plot_time.h"
#include "view/view_internal.h"

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

void plot_time_fit(struct view *view, const struct track *track, const struct rect *area)
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
