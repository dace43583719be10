/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cursor of a pane that has the focus, where the pane's descriptor tells its rows apart. It stays
 * on its row, wherever that goes; rows that it opened stay open.
 */
#ifndef VIEW_LIST_CURSOR_H
#define VIEW_LIST_CURSOR_H

#include "view/list.h"

/* True if @list has one now. */
bool list_has_cursor(const struct list *list);

/* True if the row with @key of @pane is open. */
bool list_is_open(const struct view *view, enum pane pane, uint64_t key);

/* Puts @cursor on @row of @list, which will be scrolled there. */
void list_cursor_put(const struct list *list, struct pane_cursor *cursor, size_t row);

/* When drawn: finds the row where the cursor is by then, and scrolls to it if it has moved. */
void list_cursor_place(const struct list *list, struct pane_state *pane);

#endif
