/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of the table, and of the shown pane: keys and the menu are about the one that has the
 * focus.
 */
#include "view/list.h"
#include "view/view_internal.h"

static void sorted(struct view *view)
{
	/* If the user has chosen no process, go to the one that is first in the new order. */
	if (!view->selected_by_user)
		view->has_selected = false;
	rows_arrange(view);
	/* Who asks for an order wants to see what is first by it. */
	view->top = 0;
	view->scroll_to_selected = false;
}

void sort_by(struct view *view, const struct column *column)
{
	struct sort_order *order = &view->settings.sort;

	if (!column)
		return;
	order->keys[0] = column;
	order->count = 1;
	order->reverse = false;
	sorted(view);
}

static void table_sort_move(struct view *view, int step)
{
	struct settings *settings = &view->settings;
	size_t i;

	for (i = 0; i < settings->column_count; i++)
		if (settings->columns[i] == settings->sort.keys[0])
			break;
	if (i == settings->column_count)
		i = 0;
	else
		i = (i + settings->column_count + (size_t)step) % settings->column_count;
	if (settings->columns[i] != settings->sort.keys[0])
		sort_by(view, settings->columns[i]);
}

/* The columns by which the shown pane can be sorted, as pane_state.sort has them. */
size_t pane_sorts(const struct view *view, unsigned int list[PANE_COLUMNS_MAX + 1])
{
	const struct pane_state *pane = &view->panes[view->settings.pane];
	size_t count = 0;
	unsigned int i;

	for (i = 0; i <= pane->columns; i++)
		if (i ? !(pane->hidden >> (i - 1) & 1) : !panes[view->settings.pane]->sort)
			list[count++] = i;
	return count;
}

static void pane_sort_move(struct view *view, int step)
{
	struct pane_state *pane = &view->panes[view->settings.pane];
	unsigned int count = pane->columns + 1;

	if (count < 2)
		return;
	do
		pane->sort = (pane->sort + count + (unsigned int)step) % count;
	while (pane->sort ? pane->hidden >> (pane->sort - 1) & 1 :
			    panes[view->settings.pane]->sort != 0);
	pane->reverse = false;
	pane->top = 0;
}

void sort_move(struct view *view, int step)
{
	if (view_in_pane(view))
		pane_sort_move(view, step);
	else
		table_sort_move(view, step);
}

void sort_invert(struct view *view)
{
	struct pane_state *pane = &view->panes[view->settings.pane];

	if (view_in_pane(view) && pane->sort) {
		pane->reverse = !pane->reverse;
		return;
	}
	view->settings.sort.reverse = !view->settings.sort.reverse;
	sorted(view);
}

/* ---- the menu ---- */

size_t sort_menu_count(const struct view *view)
{
	unsigned int sorts[PANE_COLUMNS_MAX + 1];

	return view_in_pane(view) ? pane_sorts(view, sorts) : column_count;
}

void sort_menu_open(struct view *view)
{
	unsigned int sorts[PANE_COLUMNS_MAX + 1];
	size_t i, count = sort_menu_count(view);

	pane_sorts(view, sorts);
	for (i = 0; i < count; i++)
		if (view_in_pane(view) ? sorts[i] == view->panes[view->settings.pane].sort :
					 &columns[i] == view->settings.sort.keys[0])
			view->menu_row = i;
}

void sort_menu_choose(struct view *view)
{
	struct pane_state *pane = &view->panes[view->settings.pane];
	unsigned int sorts[PANE_COLUMNS_MAX + 1];

	if (view_in_pane(view)) {
		if (view->menu_row < pane_sorts(view, sorts))
			pane->sort = sorts[view->menu_row];
		pane->reverse = false;
		pane->top = 0;
	} else if (view->settings.sort.keys[0] != &columns[view->menu_row]) {
		sort_by(view, &columns[view->menu_row]);
	}
}
