/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cursor of a pane, which is there while the keys are about the pane. A key makes the list, as
 * drawing does, to know what it is about: so of keys that come at once, each means the row that it
 * would mean if it had come alone.
 */
#include "view/list_cursor.h"

#include <string.h>

#include "util/util.h"

bool list_has_cursor(const struct list *list)
{
	return view_in_pane(list->view) && list->desc->key;
}

static size_t open_find(const struct pane_cursor *cursor, uint64_t key)
{
	size_t i;

	for (i = 0; i < cursor->open_count; i++)
		if (cursor->open[i] == key)
			break;
	return i;
}

bool list_is_open(const struct view *view, enum pane pane, uint64_t key)
{
	const struct pane_cursor *cursor = &view->panes[pane].cursor;

	return open_find(cursor, key) < cursor->open_count;
}

/* The row of @list where @cursor is; as long as no row was chosen, the first. */
static size_t cursor_row(const struct list *list, const struct pane_cursor *cursor)
{
	size_t row;

	for (row = 0; cursor->chosen && row < list->count; row++)
		if (list->desc->key(list, list->order[row]) == cursor->key)
			return row;
	row = cursor->chosen ? cursor->row : 0;
	return row < list->count ? row : list->count - 1;
}

void list_cursor_put(const struct list *list, struct pane_cursor *cursor, size_t row)
{
	cursor->row = row;
	cursor->key = list->desc->key(list, list->order[row]);
	cursor->chosen = cursor->in_sight = true;
}

/* The list of the shown pane, if it has a cursor. */
static bool cursor_list(const struct view *view, struct list *list)
{
	return view->focus == FOCUS_PANE && panes[view->settings.pane]->key &&
	       list_open(view, list);
}

bool cursor_move(struct view *view, long step)
{
	struct pane_cursor *cursor = &view->panes[view->settings.pane].cursor;
	struct list list;
	size_t row;

	if (!cursor_list(view, &list))
		return false;
	if (list.count) {
		row = cursor_row(&list, cursor);
		if (step < 0)
			row -= row < (size_t)-step ? row : (size_t)-step;
		else
			row += (size_t)step;
		list_cursor_put(&list, cursor, row < list.count ? row : list.count - 1);
	}
	list_close(&list);
	return true;
}

/* Closes what the row of @key has opened. */
static bool close_it(struct pane_cursor *cursor, uint64_t key)
{
	size_t at = open_find(cursor, key);

	if (at == cursor->open_count)
		return false;
	cursor->open_count--;
	memmove(cursor->open + at, cursor->open + at + 1,
		(cursor->open_count - at) * sizeof(cursor->open[0]));
	cursor->key = key;
	cursor->revealed = cursor->chosen = true;
	return true;
}

/* Whether Enter opens rows below the row at the cursor, and the @key of what it opens. */
static bool can_open(const struct list *list, const struct pane_cursor *cursor, uint64_t *key)
{
	size_t item = list_opens(list, list->order[cursor_row(list, cursor)]);

	*key = list->desc->key(list, item);
	return list->desc->can_open && list->desc->can_open(list, item);
}

bool cursor_close(struct view *view)
{
	struct pane_cursor *cursor = &view->panes[view->settings.pane].cursor;
	bool closed;
	struct list list;
	uint64_t key;

	if (!cursor->open_count || !cursor_list(view, &list))
		return false;
	closed = list.count && can_open(&list, cursor, &key) && close_it(cursor, key);
	list_close(&list);
	return closed;
}

static void open_at(struct view *view, const struct list *list, struct pane_cursor *cursor)
{
	uint64_t key;
	bool opens = can_open(list, cursor, &key);

	if (opens && close_it(cursor, key))
		return;
	if (list->desc->details) {
		view->details_key = key;
		view->details_top = 0;
		focus_set(view, FOCUS_DETAILS);
		return;
	}
	if (!opens) {
		view_message(view, "%s", list->desc->closed);
		return;
	}
	/* Of so many the one that was opened first is closed. */
	if (cursor->open_count == ARRAY_LEN(cursor->open))
		memmove(cursor->open, cursor->open + 1,
			--cursor->open_count * sizeof(cursor->open[0]));
	cursor->open[cursor->open_count++] = key;
	cursor->row = cursor_row(list, cursor);
	cursor->key = list->desc->key(list, list->order[cursor->row]);
	cursor->chosen = cursor->revealed = true;
}

bool cursor_open(struct view *view)
{
	struct pane_cursor *cursor = &view->panes[view->settings.pane].cursor;
	struct list list;

	if (!cursor_list(view, &list))
		return false;
	if (list.count)
		open_at(view, &list, cursor);
	list_close(&list);
	return true;
}

bool cursor_click(struct view *view, int row, bool again)
{
	struct pane_state *pane = &view->panes[view->settings.pane];
	/* By what is on the screen: with the focus, rows may get other places. */
	size_t at = pane->top + (size_t)(row - pane->title_row - 1);
	bool had_focus = view->focus == FOCUS_PANE, is_row = row > pane->title_row &&
							     row <= pane->title_row + pane->rows &&
							     at < pane->count;
	struct list list;

	if (!is_row || !panes[view->settings.pane]->key || !list_open(view, &list)) {
		focus_set(view, FOCUS_PANE);
		return false;
	}
	again = again && had_focus && at == pane->cursor.row;
	if (!again && at < list.count)
		list_cursor_put(&list, &pane->cursor, at);
	list_close(&list);
	focus_set(view, FOCUS_PANE);
	return again ? cursor_open(view) : true;
}

/* How many rows behind the one at @row belong to it, or to the same as it. */
static size_t rows_below(const struct list *list, size_t row)
{
	const size_t *items = list->order;
	const struct pane_desc *desc = list->desc;
	size_t owner = desc->owner ? desc->owner(list, items[row]) : items[row], end = row + 1;

	while (desc->owner && end < list->count && desc->owner(list, items[end]) == owner)
		end++;
	return end - row - 1;
}

void list_cursor_place(const struct list *list, struct pane_state *pane)
{
	struct pane_cursor *cursor = &pane->cursor;
	size_t rows = pane->rows > 0 ? (size_t)pane->rows : 1, last;

	cursor->row = cursor_row(list, cursor);
	cursor->key = list->desc->key(list, list->order[cursor->row]);
	last = cursor->row + (cursor->revealed ? rows_below(list, cursor->row) : 0);
	if (cursor->revealed || cursor->in_sight)
		rows_scroll(&pane->top, cursor->row, last, rows);
	rows_limit(&pane->top, rows, list->count);
	cursor->in_sight = cursor->row >= pane->top && cursor->row < pane->top + rows;
	cursor->revealed = false;
}
