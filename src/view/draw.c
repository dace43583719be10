/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is drawn, and where: that depends only on the view and the canvas. Drawing leaves in the view
 * what later clicks and pages are about: where rows, titles, blocks and flags were drawn, and how
 * far there is to scroll; and the zoom that fits a block, if a key has asked for that.
 */
#include "view/details.h"

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
