/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cursor of a pane, which is there while the keys are about the pane. There are rows only while a list is drawn; what stands at the cursor is
 * left in the state of the pane then. So what the keys before this one changed is drawn first, on a
 * canvas that is not shown: of keys that come at once, each means the row that it would mean if it
 * had come alone.
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

void view_draw_unseen(struct view *view)
{
	struct canvas canvas = { .cells = NULL };

	if (!canvas_resize(&canvas, view->screen_rows, view->screen_cols))
		view_draw(view, &canvas);
	canvas_free(&canvas);
}

/*
 * The cursor of the pane that is shown, as it is after all that has happened; NULL if it has none.
 */
static struct pane_cursor *cursor_of(struct view *view)
{
	enum pane pane = view->settings.pane;

	if (view->focus != FOCUS_PANE || !panes[pane]->key)
		return NULL;
	view_draw_unseen(view);
	return &view->panes[pane].cursor;
}

bool cursor_move(struct view *view, long step)
{
	struct pane_cursor *cursor = cursor_of(view);

	if (!cursor)
		return false;
	if (step < 0)
		cursor->row -= cursor->row < (size_t)-step ? cursor->row : (size_t)-step;
	else
		cursor->row += (size_t)step; /* the end is found when drawn */
	cursor->moved = cursor->chosen = true;
	return true;
}

static bool close_it(struct pane_cursor *cursor)
{
	size_t at = open_find(cursor, cursor->opens);

	if (!cursor->count || !cursor->can_open || at == cursor->open_count)
		return false;
	cursor->open_count--;
	memmove(cursor->open + at, cursor->open + at + 1,
		(cursor->open_count - at) * sizeof(cursor->open[0]));
	cursor->key = cursor->opens;
	cursor->revealed = cursor->chosen = true;
	return true;
}

bool cursor_close(struct view *view)
{
	struct pane_cursor *cursor = cursor_of(view);

	return cursor && close_it(cursor);
}

bool cursor_open(struct view *view)
{
	struct pane_cursor *cursor = cursor_of(view);

	if (!cursor)
		return false;
	if (!cursor->count || close_it(cursor))
		return true;
	if (cursor->has_details) {
		view->details_key = cursor->opens;
		view->details_top = 0;
		focus_set(view, FOCUS_DETAILS);
		return true;
	}
	if (!cursor->can_open) {
		view_message(view, "%s", panes[view->settings.pane]->closed);
		return true;
	}
	/* Of so many the one that was opened first is closed. */
	if (cursor->open_count == ARRAY_LEN(cursor->open))
		memmove(cursor->open, cursor->open + 1,
			--cursor->open_count * sizeof(cursor->open[0]));
	cursor->open[cursor->open_count++] = cursor->opens;
	cursor->chosen = cursor->revealed = true;
	return true;
}

bool cursor_click(struct view *view, int row, bool again)
{
	struct pane_state *pane = &view->panes[view->settings.pane];
	struct pane_cursor *cursor = &pane->cursor;
	/* By what is on the screen: with the focus, rows may get other places. */
	size_t at = pane->top + (size_t)(row - pane->title_row - 1);
	bool had_focus = view->focus == FOCUS_PANE, is_row = row > pane->title_row &&
							     row <= pane->title_row + pane->rows &&
							     at < pane->count;

	focus_set(view, FOCUS_PANE);
	if (!is_row || !panes[view->settings.pane]->key)
		return false;
	if (again && had_focus && at == cursor->row)
		return cursor_open(view);
	cursor->row = at;
	cursor->moved = cursor->chosen = true;
	return true;
}

/* How many rows behind the one at @row belong to it, or to the same as it. */
static size_t rows_below(const struct list *list, const size_t *items, size_t row)
{
	const struct pane_desc *desc = list->desc;
	size_t owner = desc->owner ? desc->owner(list, items[row]) : items[row], end = row + 1;

	while (desc->owner && end < list->count && desc->owner(list, items[end]) == owner)
		end++;
	return end - row - 1;
}

void list_cursor_place(const struct list *list, struct pane_state *pane, const size_t *items)
{
	struct pane_cursor *cursor = &pane->cursor;
	size_t rows = pane->rows > 0 ? (size_t)pane->rows : 1, row, last, opens;

	/* As long as no row was chosen, the cursor is on the first. */
	if (!cursor->chosen)
		cursor->row = 0;
	for (row = 0; cursor->chosen && !cursor->moved && row < list->count; row++)
		if (list->desc->key(list, items[row]) == cursor->key) {
			cursor->row = row;
			break;
		}
	if (cursor->row >= list->count)
		cursor->row = list->count - 1;
	last = cursor->row + (cursor->revealed ? rows_below(list, items, cursor->row) : 0);
	if (cursor->moved || cursor->revealed || cursor->in_sight) {
		if (last >= pane->top + rows)
			pane->top = last + 1 - rows;
		if (cursor->row < pane->top)
			pane->top = cursor->row;
	}
	if (pane->top + rows > list->count)
		pane->top = list->count > rows ? list->count - rows : 0;
	cursor->in_sight = cursor->row >= pane->top && cursor->row < pane->top + rows;
	cursor->moved = cursor->revealed = false;
	cursor->count = list->count;
	cursor->key = list->desc->key(list, items[cursor->row]);
	opens = list_opens(list, items[cursor->row]);
	cursor->opens = list->desc->key(list, opens);
	cursor->can_open = list->desc->can_open && list->desc->can_open(list, opens);
	cursor->has_details = list->desc->details != NULL;
}
