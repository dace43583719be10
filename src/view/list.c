/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists in panes: fitting columns, sorting, searching, drawing. */
#include "view/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/bars.h"
#include "view/list_cursor.h"

/* The cells of @column, of @cols in all, before it gets what is left over. */
static int column_width(const struct list_column *column, int cols)
{
	int most = cols * 5 / 9;

	if (column->width)
		return column->width;
	/* A name that is cut says little; but beside it there is to be something else. */
	most = column->good < most ? column->good : most;
	return most > column->least ? most : column->least;
}

struct fit columns_fit(const struct list_column *all, size_t count, uint64_t hidden, size_t sort,
		       int cols, const struct fit_rule *rule)
{
	struct fit fit = { .start = { 0 } };
	int room = cols, rank, col = rule->begin;
	size_t i;

	for (rank = -1; rank <= COLUMNS_MAX; rank++)
		for (i = 0; i < count; i++) {
			int its = sort && i + 1 == sort ? -1 : all[i].rank,
			    need = column_width(&all[i], cols) + rule->gap;

			if (fit.shown[i] || hidden >> i & 1 || its != rank)
				continue;
			if (need > room + 1 && rule->ends) {
				rank = COLUMNS_MAX;
				break;
			}
			fit.shown[i] = need <= room + 1;
			room -= fit.shown[i] ? need : 0;
		}
	room = room > 0 ? room : 0;
	for (i = 0; i < count; i++) {
		int bar = room / 4;

		if (!fit.shown[i])
			continue;
		fit.start[i] = col;
		fit.width[i] = column_width(&all[i], cols);
		/* Names get most of the remaining width, a bar before them a part of it. */
		if (!all[i].width && all[i].is_bar) {
			fit.width[i] += bar;
			room -= bar;
		} else if (!all[i].width) {
			fit.width[i] += room;
			room = 0;
		}
		col += fit.width[i] + rule->gap;
	}
	return fit;
}

void title_draw(const struct area *area, int start, int width, const char *title, bool left,
		const char *arrow)
{
	enum style style = arrow ? ST_TITLE_SORT : ST_TITLE;
	int end = start + width;

	if (left)
		end = area_cut(area, 0, start, width, style, title);
	else
		area_right(area, 0, end, style, title);
	/* It goes into the gap to the right, so that no title moves; or to the left of the last. */
	if (arrow)
		area_text(area, 0,
			  left || end < area->rect.cols ? end : end - (int)strlen(title) - 1, style,
			  arrow);
}

void match_mark(const struct area *area, int row, int col, int room, const char *text,
		const char *search)
{
	const char *match = search[0] ? text_find(text, search) : NULL;
	char before[CELL_TEXT];
	int start, cells;

	if (!match || match - text >= CELL_TEXT)
		return;
	memcpy(before, text, (size_t)(match - text));
	before[match - text] = 0;
	start = canvas_width(area->canvas, before);
	cells = canvas_width(area->canvas, search);
	if (start < room)
		area_flags(area, row, col + start, cells < room - start ? cells : room - start,
			   CELL_MATCH);
}

void rows_scroll(size_t *top, size_t first, size_t last, size_t rows)
{
	if (rows && last >= *top + rows)
		*top = last + 1 - rows;
	if (first < *top)
		*top = first;
}

void rows_limit(size_t *top, size_t rows, size_t count)
{
	if (*top + rows > count)
		*top = count > rows ? count - rows : 0;
}

/* ---- order ---- */

struct order {
	const struct list *list;
	size_t column;
	bool reverse;
};

static int compare_items(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	const struct list *list = order->list;
	size_t a = *(const size_t *)left, b = *(const size_t *)right, first = a, second = b;
	int result = list->desc->section ?
			     list->desc->section(list, a) - list->desc->section(list, b) :
			     0;

	if (result)
		return result;
	if (list->desc->owner) {
		first = list->desc->owner(list, a);
		second = list->desc->owner(list, b);
		/*
		 * Below one owner rows stay behind what they are part of, which has the same order.
		 */
		if (first == second && list->desc->opens && a != first && b != first) {
			first = list->desc->opens(list, a);
			second = list->desc->opens(list, b);
		}
		if (first == second)
			return (a > b) - (a < b);
	}

	if (list->desc->columns[order->column].left) {
		char x[CELL_TEXT], y[CELL_TEXT];

		list->desc->cell(list, first, order->column, x);
		list->desc->cell(list, second, order->column, y);
		result = strcmp(x, y);
	} else {
		double x = list->desc->number(list, first, order->column),
		       y = list->desc->number(list, second, order->column);

		if (isnan(x) || isnan(y))
			result = isnan(x) && isnan(y) ? 0 : isnan(x) ? 1 : -1;
		else
			result = order->reverse ? (x > y) - (x < y) : (x < y) - (x > y);
		return result ? result : (a > b) - (a < b);
	}
	if (order->reverse)
		result = -result;
	return result ? result : (a > b) - (a < b);
}

static bool list_sort(struct list *list, const struct pane_state *pane)
{
	unsigned int sort = pane->sort ? pane->sort : list->desc->sort;
	struct order order = { list, sort - 1, pane->reverse };
	size_t *items = calloc(list->count + 1, sizeof(*items)), i;

	if (!items)
		return false;
	for (i = 0; i < list->count; i++)
		items[i] = i;
	if (sort && sort <= list->desc->column_count && !list->desc->columns[order.column].is_bar)
		qsort_r(items, list->count, sizeof(*items), compare_items, &order);
	list->order = items;
	return true;
}

/* ---- the list ---- */

bool list_open(const struct view *view, struct list *list)
{
	const struct pane_desc *desc = panes[view->settings.pane];
	const struct snap_process *process = view_selected(view);

	*list = (struct list){ .desc = desc, .view = view };
	if (!view->shown || (!process && !desc->is_of_all))
		return false;
	if (process) {
		list->since = *process;
		list->has_differences = baseline_apply(view, &list->since);
		list->process = &list->since;
	}
	if (!desc->make(list) && list_sort(list, &view->panes[desc->pane]))
		return true;
	list_close(list);
	return false;
}

void list_close(struct list *list)
{
	if (list->desc->done && list->items)
		list->desc->done(list);
	free((void *)list->items);
	free(list->order);
	if (list->has_differences)
		baseline_undo(&list->since);
}

/* ---- search ---- */

static bool item_matches(const struct list *list, size_t item, const char *search)
{
	char text[CELL_TEXT];

	for (size_t i = 0; i < list->desc->column_count; i++) {
		if (list->desc->columns[i].is_bar)
			continue;
		list->desc->cell(list, item, i, text);
		if (text_find(text, search))
			return true;
	}
	return list->desc->hides && list->desc->hides(list, item, search);
}

void list_search(struct view *view, int direction)
{
	struct pane_state *pane = &view->panes[view->settings.pane];
	size_t i, at, count, from;
	struct list list;

	if (!view->search[0] || !list_open(view, &list))
		return;
	count = list.count;
	from = pane->top < count ? pane->top : 0;
	/*
	 * Near the end, the page cannot begin at each match: continue from the current match while
	 * it is visible.
	 */
	if (pane->found > pane->top && pane->found <= pane->top + (size_t)pane->rows &&
	    pane->found <= count)
		from = pane->found - 1;
	for (i = direction == 2 ? 0 : 1; count && i <= count; i++) {
		at = direction > 0 ? (from + i) % count : (from + count - i % count) % count;
		if (item_matches(&list, list.order[at], view->search)) {
			pane->top = at;
			pane->found = at + 1;
			list_cursor_put(&list, &pane->cursor, at);
			goto out;
		}
	}
	if (count && view->mode == INPUT_NORMAL)
		view_message(view, "no match for \"%s\"", view->search);
out:
	list_close(&list);
}

/* ---- drawing ---- */

static void titles_draw(const struct area *area, const struct list *list, const struct fit *fit,
			struct pane_state *pane)
{
	pane->title_row = area->rect.row;
	memset(pane->title_end, 0, sizeof(pane->title_end));
	area_repeat(area, 0, 0, area->rect.cols, ST_TITLE, " ");
	for (size_t i = 0; i < list->desc->column_count; i++) {
		const struct list_column *column = &list->desc->columns[i];
		const char *title = list->titles && list->titles[i] ? list->titles[i] :
								      column->title;
		const char *arrow = column->left == pane->reverse ? "▼" : "▲";

		if (!fit->shown[i])
			continue;
		if (!column->is_bar) {
			pane->title_start[i] = area->rect.col + fit->start[i];
			pane->title_end[i] = area->rect.col + fit->start[i] + fit->width[i];
		}
		title_draw(area, fit->start[i], fit->width[i], title, column->left,
			   pane->sort == i + 1 && !column->is_bar ? arrow : NULL);
	}
}

/* Names, which can be longer than any screen is wide: they can be panned. */
static bool is_name(const struct list_column *column)
{
	return column->left && !column->width && !column->is_bar;
}

/* Drops the first @cells of @text, and shows that something is missing. */
static void text_shift(const struct canvas *canvas, char text[CELL_TEXT], int cells)
{
	static const char sign[] = "…";
	const char *rest;

	if (!cells)
		return;
	rest = canvas_skip(canvas, text, cells + 1);
	memmove(text + strlen(sign), rest, strnlen(rest, CELL_TEXT - sizeof(sign)) + 1);
	memcpy(text, sign, strlen(sign));
	text[CELL_TEXT - 1] = 0;
}

/* Takes the middle out of @text, so that it fits into @cells. */
static void text_shorten(const struct canvas *canvas, char text[CELL_TEXT], int cells)
{
	static const char sign[] = "…";
	int width = canvas_width(canvas, text), behind = cells / 2;
	size_t head, tail;

	if (width <= cells || cells < 3 || strlen(text) + sizeof(sign) > CELL_TEXT)
		return;
	head = (size_t)(canvas_skip(canvas, text, cells - 1 - behind) - text);
	tail = (size_t)(canvas_skip(canvas, text, width - behind) - text);
	memmove(text + head + strlen(sign), text + tail, strlen(text + tail) + 1);
	memcpy(text + head, sign, strlen(sign));
}

/* By how many cells the longest visible name exceeds its column. */
static int names_excess(const struct area *area, const struct list *list, const size_t *items,
			size_t count, const struct fit *fit)
{
	char text[CELL_TEXT];
	int most = 0;

	for (size_t i = 0; i < list->desc->column_count; i++)
		for (size_t j = 0; is_name(&list->desc->columns[i]) && fit->shown[i] && j < count;
		     j++) {
			bool is_whole = list->desc->whole &&
					list->desc->whole(list, items[j]) == (int)i;
			int room = is_whole ? area->rect.cols - 1 - fit->start[i] : fit->width[i],
			    excess;

			list->desc->cell(list, items[j], i, text);
			excess = canvas_width(area->canvas, text) - room;
			most = excess > most ? excess : most;
		}
	return most;
}

static void item_draw(const struct area *area, int row, const struct list *list, size_t item,
		      const struct fit *fit, const char *search, int shift)
{
	int whole = list->desc->whole ? list->desc->whole(list, item) : -1;
	char text[CELL_TEXT];

	for (size_t i = 0; i < list->desc->column_count; i++) {
		const struct list_column *column = &list->desc->columns[i];
		enum style style = ST_PLAIN;

		if (!fit->shown[i] || (whole >= 0 && i != (size_t)whole))
			continue;
		if (whole >= 0) {
			style = list->desc->cell(list, item, i, text);
			text_shift(area->canvas, text, shift);
			area_cut(area, row, fit->start[i], area->rect.cols - 1 - fit->start[i],
				 style, text);
			continue;
		}
		if (column->is_bar && list->desc->bar) {
			double fraction = list->desc->bar(list, item, i, &style);

			bar_of(area, row, fit->start[i], fit->width[i], style, fraction);
			continue;
		}
		text[0] = 0;
		style = list->desc->cell(list, item, i, text);
		if (is_name(column))
			text_shift(area->canvas, text, shift);
		if (column->middle && !shift)
			text_shorten(area->canvas, text, fit->width[i]);
		/* A long number is cut, too: it must not take the next column's cells. */
		if (column->left || canvas_width(area->canvas, text) > fit->width[i])
			area_cut(area, row, fit->start[i], fit->width[i], style, text);
		else
			area_right(area, row, fit->start[i] + fit->width[i], style, text);
		if (column->left)
			match_mark(area, row, fit->start[i], fit->width[i], text, search);
	}
}

size_t list_opens(const struct list *list, size_t item)
{
	if (list->desc->opens)
		return list->desc->opens(list, item);
	return list->desc->owner ? list->desc->owner(list, item) : item;
}

/* Before a row that can be opened stands whether it is. */
static void mark_draw(const struct area *area, int row, const struct list *list, size_t item)
{
	const struct pane_desc *desc = list->desc;

	if (!desc->can_open)
		return;
	if (list_opens(list, item) == item && desc->can_open(list, item))
		area_text(area, row, 0, ST_DIM,
			  list_is_open(list->view, desc->pane, desc->key(list, item)) ? "▼" : "▶");
}

void list_draw(struct view *view, const struct area *area, const struct list *list)
{
	struct pane_state *pane = &view->panes[list->desc->pane];
	struct area part;
	struct fit fit;
	size_t i, rows = area->rect.rows > 0 ? (size_t)area->rect.rows - 1 : 0, shown;
	const size_t *items = list->order;
	int most;

	if (!pane->sort)
		pane->sort = list->desc->sort;
	fit = columns_fit(list->desc->columns, list->desc->column_count, list->hidden, pane->sort,
			  area->rect.cols - 1, &(struct fit_rule){ .begin = 1, .gap = 2 });
	pane->columns = 0;
	pane->hidden = list->hidden;
	for (i = 0; i < list->desc->column_count; i++)
		if (list->desc->columns[i].is_bar)
			pane->hidden |= 1u << i;
		else
			pane->columns = (unsigned int)i + 1;
	pane->rows = (int)rows;
	pane->count = list->count;
	if (!area->rect.rows)
		return;
	titles_draw(area, list, &fit, pane);
	if (!list->count) {
		if (rows)
			area_cut(area, 1, 1, area->rect.cols - 2, ST_DIM, list->empty);
		return;
	}
	if (list_has_cursor(list))
		list_cursor_place(list, pane);
	rows_limit(&pane->top, rows, list->count);
	shown = list->count - pane->top < rows ? list->count - pane->top : rows;
	most = pane->shift ? names_excess(area, list, items + pane->top, shown, &fit) : 0;
	pane->shift = pane->shift < most ? pane->shift : most;
	for (i = 0; i < shown; i++) {
		item_draw(area, (int)i + 1, list, items[pane->top + i], &fit, view->search,
			  pane->shift);
		if (view->search[0] && pane->found == pane->top + i + 1 &&
		    item_matches(list, items[pane->top + i], view->search))
			area_flags(area, (int)i + 1, 0, area->rect.cols - 1, CELL_BOLD);
		if (list_has_cursor(list))
			mark_draw(area, (int)i + 1, list, items[pane->top + i]);
		if (list_has_cursor(list) && pane->top + i == pane->cursor.row)
			area_flags(area, (int)i + 1, 0, area->rect.cols - 1, CELL_SELECTED);
	}
	part = area_part(area, 1, 0, (int)rows, area->rect.cols);
	scrollbar_draw(&part, pane->top, list->count);
}
