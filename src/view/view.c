/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view's life: it is created, told about the program around it, fed snapshots, drawn, and asked
 * what that program has to do. What is drawn, and where, depends only on the view and the canvas.
 * Drawing leaves in the view what later clicks and pages are about: where rows, titles, blocks and
 * flags were drawn, and how far there is to scroll; and the zoom that fits a block, if a key has asked
 * for that.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "view/details.h"
#include "view/view_internal.h"

#define MESSAGE_SECONDS 5

void view_init(struct view *view)
{
	memset(view, 0, sizeof(*view));
	settings_default(&view->settings);
	view->settings_before = view->settings;
}

void view_clear(struct view *view)
{
	baseline_end(view);
	if (view->latest != view->shown)
		snapshot_free(view->latest);
	snapshot_free(view->shown);
	history_free(&view->history);
	free(view->table.rows);
	free(view->table.groups);
	free(view->table.members);
	free(view->map.blocks);
	program_set_clear(&view->table.folds);
	program_set_clear(&view->table.opened);
	program_set_clear(&view->table.tags);
	program_set_clear(&view->targets);
	users_close(view);
	memset(view, 0, sizeof(*view));
}

struct view *view_new(void)
{
	struct view *view = malloc(sizeof(*view));

	if (view)
		view_init(view);
	return view;
}

void view_free(struct view *view)
{
	if (view)
		view_clear(view);
	free(view);
}

struct host *view_host(struct view *view)
{
	return &view->host;
}

struct settings *view_settings(struct view *view)
{
	return &view->settings;
}

enum request view_request(struct view *view)
{
	enum request request = view->request;

	view->request = REQUEST_NONE;
	return request;
}

const struct snapshot *view_shown(const struct view *view)
{
	return view->shown;
}

bool view_is_frozen(const struct view *view)
{
	return view->frozen;
}

uint32_t view_focus(const struct view *view)
{
	return view->table.has_selected ? view->table.selected : 0;
}

/*
 * Measured over the last interval: an average since the start would show the start's cost for
 * minutes.
 */
static void self_measure(struct view *view, const struct snapshot *snapshot)
{
	double seconds = snapshot->elapsed_seconds - view->self_elapsed;

	view->self_share = view->self_elapsed > 0 && seconds > 0.01 ?
				   (snapshot->self_cpu_seconds - view->self_before) / seconds :
				   NAN;
	view->self_before = snapshot->self_cpu_seconds;
	view->self_elapsed = snapshot->elapsed_seconds;
}

static void most_measure(struct view *view, const struct snapshot *snapshot)
{
	double sum = (double)snapshot->live + (double)snapshot->leaked;

	if (sum > view->most_live)
		view->most_live = sum;
}

/* A replay went back: what was shown has not happened yet. */
static void rewind_to(struct view *view, double elapsed)
{
	history_rewind(&view->history, elapsed);
	plot_rewind(&view->plots, elapsed);
	baseline_end(view);
	view->self_elapsed = 0;
	view->most_live = 0;
	view->message[0] = 0;
	view->warned = 0;
}

/*
 * Warnings that must be seen at once, not found in the log later: a program is about to be harmed.
 */
static void warnings_show(struct view *view, const struct snapshot *snapshot)
{
	size_t i;

	for (i = 0; i < snapshot->event_count; i++) {
		const struct snap_event *event = &snapshot->events[i];

		if (event->kind != EVENT_TRANSLATED || event->time <= view->warned)
			continue;
		view_message(view, "%s", event->text);
		view->warned = event->time;
	}
}

void view_feed(struct view *view, struct snapshot *snapshot)
{
	struct snapshot *old = view->latest;

	if (!snapshot)
		return;
	/* Compare elapsed time, not the wall clock, which may have been set. */
	if (old && view->host.play.is_on && snapshot->elapsed_seconds < old->elapsed_seconds)
		rewind_to(view, snapshot->elapsed_seconds);
	if (!old) /* what was reported before the first snapshot was not shown yet */
		view->message_until = snapshot->elapsed_seconds + MESSAGE_SECONDS;
	/* Asked to go back from its start, a replay shows the same again. */
	if ((!view->frozen || !view->shown) &&
	    !(old && view->host.play.is_on && snapshot->elapsed_seconds == old->elapsed_seconds)) {
		history_feed(&view->history, snapshot);
		self_measure(view, snapshot);
		most_measure(view, snapshot);
	}
	view->latest = snapshot;
	program_set_prune(&view->table.folds, snapshot, false);
	program_set_prune(&view->table.tags, snapshot, true);
	warnings_show(view, snapshot);
	if (view->frozen && view->shown) {
		if (old != view->shown)
			view_release(view, old);
		return;
	}
	view->shown = snapshot;
	rows_arrange(view);
	if (view->settings.follow)
		view->table.scroll_to_selected = true;
	if (old != snapshot)
		view_release(view, old);
}

void view_message(struct view *view, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(view->message, sizeof(view->message), format, args);
	va_end(args);
	view->message_until = (view->latest ? view->latest->elapsed_seconds : 0) + MESSAGE_SECONDS;
}

/* ---- drawing ---- */

static void pane_draw(struct view *view, struct canvas *canvas)
{
	const struct pane_desc *pane = panes[view->settings.pane];
	struct area area = area_of(canvas, view->layout.pane);
	struct list list;

	if (view->shown && !view_selected(view) && !pane->is_of_all)
		area_cut(&area, 0, 1, area.rect.cols - 2, ST_DIM, "No process is selected.");
	if (!list_open(view, &list))
		return;
	if (view->focus == FOCUS_DETAILS)
		details_draw(view, &area, &list);
	else
		pane->draw(view, &area, &list);
	list_close(&list);
}

/* Each has the room then that one has on a usual terminal. */
enum { TWO_PANES = 2 * 80 };

bool panes_fit(const struct view *view)
{
	return view->screen_cols >= TWO_PANES && view->screen_rows >= PLOT_PANE_ROWS;
}

static void panes_part(struct view *view)
{
	struct rect left = view->layout.pane, right = left;

	if (!view->two || view->full || !panes_fit(view) || !left.rows)
		return;
	left.cols = (left.cols - 1) / 2;
	right.col += left.cols + 1;
	right.cols -= left.cols + 1;
	view->layout.pane = view->other_is_left ? right : left;
	view->layout.other = view->other_is_left ? left : right;
}

/* Draws the second pane as if it were the only one, without a cursor. */
static void other_draw(struct view *view, struct canvas *canvas)
{
	struct rect rect = view->layout.pane, other = view->layout.other;
	enum pane pane = view->settings.pane;
	enum focus focus = view->focus;
	struct area between = area_of(canvas, other);

	between.rect.col = (other.col < rect.col ? rect.col : other.col) - 1;
	between.rect.cols = 1;
	for (int row = 0; row < other.rows; row++)
		area_text(&between, row, 0, ST_FRAME, "│");
	view->layout.pane = other;
	view->settings.pane = view->other;
	view->focus = FOCUS_TABLE;
	pane_draw(view, canvas);
	view->layout.pane = rect;
	view->settings.pane = pane;
	view->focus = focus;
}

static struct layout layout_of(const struct view *view, const struct canvas *canvas, bool full)
{
	return layout_make(canvas->rows, canvas->cols, full, devices_count(view->shown),
			   devices_lines(view->shown), view->table.most_rows);
}

void view_draw(struct view *view, struct canvas *canvas)
{
	canvas->ascii = view->settings.ascii || view->host.ascii;
	canvas_clear(canvas);
	view->layout = layout_of(view, canvas, view->full);
	/* What has the focus is seen, also where there is no room for both. */
	if (view_in_pane(view) && !view->layout.pane.rows)
		view->layout = layout_of(view, canvas, true);
	view->screen_rows = canvas->rows;
	view->screen_cols = canvas->cols;
	panes_part(view);
	header_draw(view, canvas);
	devices_draw(view, canvas);
	table_draw(view, canvas);
	tabs_draw(view, canvas);
	if (view->layout.other.rows)
		other_draw(view, canvas);
	/* The keys are about the plots of this pane. */
	plot_time_begin(&view->plots);
	if (view->layout.pane.rows)
		pane_draw(view, canvas);
	bar_draw(view, canvas);
	overlay_draw(view, canvas);
}
