/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is drawn, and where. What is drawn depends only on the view and the canvas. Drawing leaves in
 * the view what later keys and clicks are about: where rows, titles and flags were drawn, what the
 * cursor of a pane is on, and how far there is to scroll. So keys that come at once have the screen
 * drawn between them on a canvas that is not shown: view_draw_unseen().
 */
#include "view/details.h"

static void pane_draw(struct view *view, struct canvas *canvas)
{
	const struct pane_desc *pane = panes[view->settings.pane];
	struct area area = area_of(canvas, view->layout.pane);
	const struct snap_process *process = view_selected(view);
	struct snap_process since;
	bool changed = false;

	if (!view->shown)
		return;
	if (!process && !pane->is_of_all) {
		area_cut(&area, 0, 1, area.rect.cols - 2, ST_DIM, "No process is selected.");
		return;
	}
	if (process) {
		since = *process;
		changed = baseline_apply(view, &since);
		process = &since;
	}
	pane->draw(view, &area, process);
	if (view->focus == FOCUS_DETAILS || view->details)
		details_draw(view, canvas);
	if (changed)
		baseline_undo(&since);
}

static struct layout layout_of(const struct view *view, const struct canvas *canvas, bool full)
{
	return layout_make(canvas->rows, canvas->cols, full, devices_count(view->shown),
			   devices_lines(view->shown), view->rows_most);
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
	header_draw(view, canvas);
	devices_draw(view, canvas);
	table_draw(view, canvas);
	tabs_draw(view, canvas);
	plot_time_begin(&view->plots);
	if (view->layout.pane.rows)
		pane_draw(view, canvas);
	bar_draw(view, canvas);
	overlay_draw(view, canvas);
}
