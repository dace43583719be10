/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mouse: a click acts like the key of the item under the pointer. Drawing stores in the view
 * where items are.
 */
#include "view/bars.h"
#include "view/view_internal.h"

enum { WHEEL_ROWS = 3 };

static bool is_in(struct rect rect, int row, int col)
{
	return row >= rect.row && row < rect.row + rect.rows && col >= rect.col &&
	       col < rect.col + rect.cols;
}

static void click_title(struct view *view, int col)
{
	struct table_columns fit = table_fit(view, view->layout.titles.cols);

	for (size_t i = 0; i < fit.count; i++)
		if (col >= fit.start[i] && col <= fit.start[i] + fit.width[i]) {
			if (view->settings.sort.count &&
			    view->settings.sort.keys[0] == fit.columns[i])
				sort_invert(view);
			else
				sort_by(view, fit.columns[i]);
			return;
		}
}

/* As in the table: a second click on a title reverses the order. */
static void click_pane_title(struct pane_state *pane, int col)
{
	for (unsigned int i = 0; i < PANE_COLUMNS_MAX; i++) {
		if (!pane->title_end[i] || col < pane->title_start[i] || col > pane->title_end[i])
			continue;
		pane->reverse = pane->sort == i + 1 && !pane->reverse;
		pane->sort = i + 1;
		pane->top = 0;
		return;
	}
}

/*
 * A click on a line of a menu chooses it; beside the menu, it closes it. A setting changes at the
 * second click.
 */
static void click_menu(struct view *view, int row, int col, enum mouse what)
{
	struct rect menu = view->menu;
	size_t line;

	if (view->mode != INPUT_SORT && view->mode != INPUT_SIGNAL && view->mode != INPUT_USER &&
	    view->mode != INPUT_SETTINGS) {
		if (view->mode == INPUT_HELP && help_click(view, row, col))
			return;
		if (view->mode == INPUT_HELP)
			mode_set(view, INPUT_NORMAL);
		return;
	}
	if (!menu.rows)
		return; /* opened, and not drawn yet */
	if (!is_in((struct rect){ menu.row - 1, menu.col - 2, menu.rows + 3, menu.cols + 4 }, row,
		   col))
		return view_key(view, K_ESCAPE);
	if (!is_in(menu, row, col))
		return;
	line = view->menu_top + (size_t)(row - menu.row);
	if (view->mode == INPUT_SETTINGS && what == MOUSE_DOUBLE && line == view->menu_row)
		return view_key(view, ' ');
	view->menu_row = line;
	if (view->mode != INPUT_SETTINGS)
		menu_choose(view);
}

static void wheel(struct view *view, int row, int col, int step)
{
	if (view->mode == INPUT_NORMAL && view->focus != FOCUS_DETAILS &&
	    plot_hit(&view->plots, row, col))
		plot_zoom(view, step < 0 ? -1 : 1);
	else if (view->mode == INPUT_NORMAL && view->focus != FOCUS_DETAILS &&
		 is_in(view->layout.pane, row, col))
		pane_scroll(view, step);
	else if (view->mode != INPUT_CONFIRM) /* a question is answered with keys only */
		view_key(view, step < 0 ? K_UP : K_DOWN);
}

/* A click on the bar beside a list: what is shown then begins as far down as the click was. */
static bool click_scrollbar(struct view *view, int row, int col)
{
	const struct layout *layout = &view->layout;
	struct pane_state *pane = &view->panes[view->settings.pane];
	struct rect list = { pane->title_row + 1, layout->pane.col, pane->rows, layout->pane.cols };
	size_t top;

	if (col != layout->table.col + layout->table.cols - 1)
		return false;
	if (is_in(layout->table, row, col) &&
	    scrollbar_top(layout->table, row, view->row_count, &top)) {
		view->top = top;
		view->scroll_to_selected = false;
		return true;
	}
	if (!is_in(layout->pane, row, col))
		return false;
	if (view->focus == FOCUS_DETAILS) {
		if (!scrollbar_top(layout->pane, row, (size_t)view->details_rows, &top))
			return false;
		view->details_top = (int)top;
		return true;
	}
	if (!is_in(list, row, col) || !scrollbar_top(list, row, pane->count, &top))
		return false;
	pane->top = top;
	pane->cursor.in_sight = false; /* it stays where it is */
	return true;
}

static void click(struct view *view, int row, int col, enum mouse what)
{
	const struct layout *layout = &view->layout;
	struct pane_state *pane = &view->panes[view->settings.pane];
	int clicked = view->clicked;

	view->clicked = CLICKED_NONE;
	/* A message is over what the last row shows else, such as keys. */
	if (view->message[0] && row == view->screen_rows - 1) {
		view->message[0] = 0;
		view->closed_by_click = true; /* the second click of two is for nothing */
		return;
	}
	if (click_scrollbar(view, row, col)) {
		return;
	} else if (is_in(layout->status, row, col)) {
		header_click(view, col);
	} else if (is_in(layout->devices, row, col)) {
		device_click(view, row, col);
	} else if (is_in(layout->titles, row, col)) {
		click_title(view, col);
	} else if (is_in(layout->table, row, col)) {
		size_t at = view->top + (size_t)(row - layout->table.row);
		bool again = clicked == CLICKED_TABLE && rows_have_selected(view) &&
			     view->selected_row == at;

		if (fold_click(view, at, col))
			return;
		if (at < view->row_count) {
			rows_select(view, at);
			view->clicked = CLICKED_TABLE;
		}
		focus_set(view, what == MOUSE_DOUBLE || again ? FOCUS_PANE : FOCUS_TABLE);
		if (view_in_pane(view))
			view->clicked = CLICKED_NONE;
	} else if (is_in(layout->tabs, row, col)) {
		int at = tabs_hit(view, col);

		if (at >= 0)
			pane_show(view, (enum pane)at);
	} else if (is_in(layout->bar, row, col)) {
		int32_t key = bar_hit(view, col);

		if (key)
			view_key(view, key);
	} else if (view->focus == FOCUS_DETAILS) {
		return; /* there is nothing to click on in them */
	} else if (what == MOUSE_CLICK && plot_click(view, row, col)) {
		/* The cursor is there now. */
	} else if (is_in(layout->pane, row, col) && map_click(view, row, col)) {
		/* The same */
	} else if (is_in(layout->pane, row, col) && row == pane->title_row) {
		click_pane_title(pane, col);
	} else if (is_in(layout->pane, row, col) &&
		   cursor_click(view, row, what == MOUSE_DOUBLE || clicked == CLICKED_PANE)) {
		view->clicked = CLICKED_PANE;
	} else if (is_in(layout->pane, row, col) && what == MOUSE_DOUBLE) {
		pane_zoom(view);
	}
}

void view_mouse(struct view *view, int row, int col, enum mouse what)
{
	bool was_closed = view->closed_by_click;

	view->closed_by_click = false;
	/*
	 * If the first of two clicks has closed a menu, the second is not meant for what was behind
	 * it.
	 */
	if (was_closed && what == MOUSE_DOUBLE)
		return;
	if (what == MOUSE_WHEEL_UP || what == MOUSE_WHEEL_DOWN) {
		wheel(view, row, col, what == MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
	} else if (view->mode != INPUT_NORMAL) {
		click_menu(view, row, col, what);
		view->closed_by_click = view->mode == INPUT_NORMAL;
	} else {
		click(view, row, col, what);
	}
}
