/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists: fitting columns, sorting, searching, drawing; and the cursor of a pane's list, which is there
 * while the keys are about the pane. A key makes the list, as drawing does, to know what it is about: so of
 * keys that come at once, each means the row that it would mean if it had come alone.
 */
#include "print/fields.h"
#include "view/list.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "view/cells.h"
#include "view/view_internal.h"

#define PANE_ENTRY(constant, name) [PANE_##constant] = &pane_##name,
const struct pane_desc *const panes[PANE_COUNT] = { PANES(PANE_ENTRY) };

/* ---- the cursor ---- */

bool list_has_cursor(const struct list *list)
{
	return view_in_pane(list->view) && list->desc->key;
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

bool cursor_open(struct view *view)
{
	struct pane_cursor *cursor = &view->panes[view->settings.pane].cursor;
	struct list list;

	if (!cursor_list(view, &list))
		return false;
	if (list.count) {
		size_t item = list.order[cursor_row(&list, cursor)];

		/* Of a row that belongs to another, they are the other's. */
		item = list.desc->owner ? list.desc->owner(&list, item) : item;
		view->details.key = list.desc->key(&list, item);
		view->details.top = 0;
		focus_set(view, FOCUS_DETAILS);
	}
	list_close(&list);
	return true;
}

bool cursor_click(struct view *view, int row, bool again)
{
	struct list_state *pane = &view->panes[view->settings.pane];
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

/* When drawn: finds the row where the cursor is by then, and scrolls to it if it has moved. */
static void list_cursor_place(const struct list *list, struct list_state *pane)
{
	struct pane_cursor *cursor = &pane->cursor;
	size_t rows = pane->rows > 0 ? (size_t)pane->rows : 1;

	cursor->row = cursor_row(list, cursor);
	cursor->key = list->desc->key(list, list->order[cursor->row]);
	if (cursor->in_sight)
		rows_scroll(&pane->top, cursor->row, cursor->row, rows);
	rows_limit(&pane->top, rows, list->count);
	cursor->in_sight = cursor->row >= pane->top && cursor->row < pane->top + rows;
}

/* ---- rows of items and their places ---- */

static int compare_sites(const void *left, const void *right)
{
	const struct item_place *a = left, *b = right;
	int order = ORDER(a->item, b->item);

	return order ? order : ORDER((uintptr_t)a->site, (uintptr_t)b->site);
}

static int compare_amounts(const void *left, const void *right)
{
	const struct item_place *a = left, *b = right;
	int order = ORDER(a->item, b->item);

	if (!order)
		order = ORDER(b->amount, a->amount);
	return order ? order : ORDER(b->calls, a->calls);
}

/* One for each site of an item, by whichever way; most first. Returns how many. */
static size_t places_merge(struct item_place *places, size_t count)
{
	size_t i, kept = 0;

	qsort(places, count, sizeof(*places), compare_sites);
	for (i = 0; i < count; i++) {
		if (!kept || compare_sites(&places[kept - 1], &places[i])) {
			places[kept++] = places[i];
			continue;
		}
		places[kept - 1].amount += places[i].amount;
		places[kept - 1].calls += places[i].calls;
		places[kept - 1].sampled |= places[i].sampled;
	}
	qsort(places, kept, sizeof(*places), compare_amounts);
	return kept;
}

struct place_row *place_rows_make(size_t item_count, struct item_place *places, size_t count,
				  size_t most, size_t *row_count)
{
	struct place_row *rows = calloc(item_count + count + 1, sizeof(*rows));
	size_t item, place = 0, at = 0, first, shown;

	*row_count = 0;
	if (!rows)
		return NULL;
	if (count)
		count = places_merge(places, count);
	for (item = 0; item < item_count; item++) {
		first = at;
		rows[at++] = (struct place_row){ .item = item, .first = first };
		for (shown = 0; place < count && places[place].item == item; place++, shown++)
			if (shown < most)
				rows[at++] = (struct place_row){ .item = item,
								 .first = first,
								 .is_place = true,
								 .place = places[place] };
			else if (shown == most)
				rows[at++] = (struct place_row){
					.item = item, .first = first, .is_place = true, .more = 1
				};
			else
				rows[at - 1].more++;
	}
	*row_count = at;
	return rows;
}

const struct place_row *place_row_of(const struct list *list, size_t row)
{
	return (const struct place_row *)list->items + row;
}

size_t place_row_owner(const struct list *list, size_t row)
{
	return place_row_of(list, row)->first;
}

uint64_t place_row_key(uint64_t key, const struct place_row *row)
{
	if (!row->is_place)
		return key;
	key = key_add(key, "place", 5);
	return row->more ? key : key_text(key, row->place.site);
}

enum style place_row_cell(const struct place_row *row, bool is_name, const char *number, int cells,
			  const char *amount, char out[CELL_TEXT])
{
	out[0] = 0;
	if (is_name && row->more)
		snprintf(out, CELL_TEXT, "  and %zu more places", row->more);
	else if (is_name)
		snprintf(out, CELL_TEXT, "%*.32s %7.32s  %.*s", cells, number, amount,
			 CELL_TEXT - 80, row->place.site);
	return is_name && !row->more ? ST_PLAIN : ST_DIM;
}

/* ---- sorting ---- */

static void sorted(struct view *view)
{
	/* If the user has chosen no process, go to the one that is first in the new order. */
	if (!view->table.selected_by_user)
		view->table.has_selected = false;
	rows_arrange(view);
	/* Who asks for an order wants to see what is first by it. */
	view->table.list.top = 0;
	view->table.scroll_to_selected = false;
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

void sort_click(struct view *view, size_t at)
{
	const struct column *list[COLUMNS_MAX];
	struct sort_order *order = &view->settings.sort;

	if (at >= table_columns(view, list))
		return;
	if (!order->count || order->keys[0] != list[at])
		return sort_by(view, list[at]);
	order->reverse = !order->reverse;
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

static void pane_sort_move(struct view *view, int step)
{
	struct list_state *pane = &view->panes[view->settings.pane];
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
	struct list_state *pane = &view->panes[view->settings.pane];

	if (view_in_pane(view) && pane->sort) {
		pane->reverse = !pane->reverse;
		return;
	}
	view->settings.sort.reverse = !view->settings.sort.reverse;
	sorted(view);
}

/* ---- the menu ---- */

size_t sort_choices(const struct view *view, struct sort_choice list[COLUMNS_MAX + 1])
{
	const struct pane_desc *desc = panes[view->settings.pane];
	const struct list_state *state = &view->panes[view->settings.pane];
	size_t count = 0;

	for (unsigned int i = 0; !view_in_pane(view) && i < column_count; i++)
		list[count++] = (struct sort_choice){ i + 1, columns[i].title, columns[i].help,
						      columns[i].unit == UNIT_TEXT };
	if (view_in_pane(view) && !desc->sort)
		list[count++] = (struct sort_choice){ 0, "as it comes", "", false };
	for (unsigned int i = 0; view_in_pane(view) && i < state->columns; i++)
		if (!(state->hidden >> i & 1))
			list[count++] = (struct sort_choice){ i + 1,
							      column_title(desc, &desc->columns[i]),
							      desc->columns[i].help,
							      desc->columns[i].left };
	return count;
}

unsigned int sort_present(const struct view *view)
{
	return view_in_pane(view) ? view->panes[view->settings.pane].sort :
				    (unsigned int)(view->settings.sort.keys[0] - columns) + 1;
}

void sort_menu_choose(struct view *view)
{
	struct list_state *state = &view->panes[view->settings.pane];
	struct sort_choice list[COLUMNS_MAX + 1];
	unsigned int number;

	if (view->menu.row >= sort_choices(view, list))
		return;
	number = list[view->menu.row].number;
	if (view_in_pane(view)) {
		state->sort = number;
		state->reverse = false;
		state->top = 0;
	} else if (number != sort_present(view)) {
		sort_by(view, &columns[number - 1]);
	}
}

/* ---- lists ---- */

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

/* Those that have room in @cols cells: the one that is sorted by, @sort - 1, then by their rank. */
static struct fit columns_fit(const struct list_column *all, size_t count, uint64_t hidden,
			      size_t sort, int cols, const struct fit_rule *rule)
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

static void title_draw(const struct area *area, int start, int width, const char *title, bool left,
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

static bool list_sort(struct list *list, const struct list_state *pane)
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
	bool made;

	*list = (struct list){ .desc = desc,
			       .view = view,
			       .columns = desc->columns,
			       .column_count = desc->column_count };
	if (!view->shown || (!process && !desc->is_of_all))
		return false;
	if (process) {
		list->since = *process;
		list->has_differences = baseline_apply(view, &list->since);
		list->process = &list->since;
	}
	made = !desc->make(list);
	/* Whose calls are not known has made some. */
	if (process && process->is_listed && !desc->is_of_all)
		list->empty = "It is not watched: only the driver tells of it.";
	if (made && list_sort(list, &view->panes[desc->pane]))
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
	struct list_state *pane = &view->panes[view->settings.pane];
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

/* ---- columns of fields ---- */

const char *column_title(const struct pane_desc *desc, const struct list_column *column)
{
	return column->title ? column->title :
			       field_find(desc->items->fields, column->field)->title;
}

/* ---- drawing ---- */

static void titles_draw(const struct area *area, const struct list *list, const struct fit *fit,
			struct list_state *state)
{
	memset(state->title_end, 0, sizeof(state->title_end));
	area_clear(area, ST_TITLE);
	for (size_t i = 0; i < list->column_count; i++) {
		const struct list_column *column = &list->columns[i];
		const char *title = list->titles && list->titles[i] ?
					    list->titles[i] :
					    column_title(list->desc, column);
		const char *arrow = (column->left || column->ascends) == state->reverse ? "▼" : "▲";

		if (!fit->shown[i])
			continue;
		if (!column->is_bar) {
			state->title_start[i] = area->rect.col + fit->start[i];
			state->title_end[i] = area->rect.col + fit->start[i] + fit->width[i];
		}
		title_draw(area, fit->start[i], fit->width[i], title, column->left,
			   state->sort == i + 1 && !column->is_bar ? arrow : NULL);
	}
}

/* The item in the row @at. */
static size_t list_item(const struct list *list, size_t at)
{
	return list->order ? list->order[at] : at;
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

/* By how many cells the longest name in the @count rows from @top on exceeds its column. */
static int names_excess(const struct area *area, const struct list *list, size_t top, size_t count,
			const struct fit *fit)
{
	char text[CELL_TEXT];
	int most = 0;

	for (size_t i = 0; i < list->column_count; i++)
		for (size_t j = 0; is_name(&list->columns[i]) && fit->shown[i] && j < count; j++) {
			size_t item = list_item(list, top + j);
			bool is_whole = list->desc->whole &&
					list->desc->whole(list, item) == (int)i;
			int room = is_whole ? area->rect.cols - 1 - fit->start[i] : fit->width[i],
			    excess;

			list->desc->cell(list, item, i, text);
			excess = canvas_width(area->canvas, text) - room;
			most = excess > most ? excess : most;
		}
	return most;
}

/* What the bars of a list are of. */
struct bars {
	bool is_sorted; /* of what it is sorted by; else of what the pane's descriptor says */
	size_t column;
	double most;
};

static struct bars bars_of(const struct list *list, unsigned int sort)
{
	struct bars bars = { .column = sort ? sort - 1 : 0 };

	if (!sort || sort == list->desc->sort || sort > list->desc->column_count ||
	    list->columns[bars.column].left || !list->desc->number || !list->desc->bar)
		return bars;
	for (size_t i = 0; i < list->count; i++) {
		double value = list->desc->number(list, i, bars.column);

		bars.most = isfinite(value) && value > bars.most ? value : bars.most;
	}
	bars.is_sorted = bars.most > 0;
	return bars;
}

/* A logarithmic bar shows three decades, with what is nothing at nothing. */
static double bar_fraction(const struct list *list, const struct bars *bars, size_t item,
			   size_t column, enum style *style)
{
	double fraction = list->desc->bar(list, item, column, style);

	if (bars->is_sorted)
		fraction = list->desc->number(list, item, bars->column) / bars->most;
	if (!(fraction > 0))
		return 0;
	return list->view->settings.log_bars ? log10(1 + 999 * fraction) / 3 : fraction;
}

static void item_draw(const struct area *area, int row, const struct list *list, size_t item,
		      const struct fit *fit, const struct fit_rule *rule, int shift,
		      const struct bars *bars)
{
	const struct pane_desc *desc = list->desc;
	int whole = desc->whole ? desc->whole(list, item) : -1;
	char text[CELL_TEXT];

	for (size_t i = 0; i < list->column_count; i++) {
		const struct list_column *column = &list->columns[i];
		enum style style = ST_PLAIN;

		if (!fit->shown[i] || (whole >= 0 && i != (size_t)whole))
			continue;
		if (desc->cell_draw && desc->cell_draw(list, area, row, item, i, fit))
			continue;
		if (whole >= 0) {
			style = desc->cell(list, item, i, text);
			text_shift(area->canvas, text, shift);
			area_cut(area, row, fit->start[i], area->rect.cols - 1 - fit->start[i],
				 style, text);
			continue;
		}
		if (column->is_bar && desc->bar) {
			double fraction = bar_fraction(list, bars, item, i, &style);

			bar_of(area, row, fit->start[i], fit->width[i], style, fraction);
			continue;
		}
		text[0] = 0;
		style = desc->cell(list, item, i, text);
		if (is_name(column))
			text_shift(area->canvas, text, shift);
		if (column->middle && !shift)
			text_shorten(area->canvas, text, fit->width[i]);
		/* A long number is cut, too: it must not take the next column's cells. */
		if (column->left || canvas_width(area->canvas, text) > fit->width[i] + rule->spill)
			area_cut(area, row, fit->start[i], fit->width[i], style, text);
		else
			area_right(area, row, fit->start[i] + fit->width[i], style, text);
		if (column->left && desc->key)
			match_mark(area, row, fit->start[i], fit->width[i], text,
				   list->view->search);
	}
}

void list_draw_at(struct list_state *state, const struct area *titles, const struct area *area,
		  const struct list *list)
{
	static const struct fit_rule usual = { .begin = 1, .gap = 2, .end = 1 };
	const struct fit_rule *rule = list->desc->rule ? list->desc->rule : &usual;
	const char *search = list->view->search;
	size_t i, rows = (size_t)area->rect.rows, shown;
	struct bars bars;
	struct fit fit;
	int most;

	if (!state->sort)
		state->sort = list->desc->sort;
	bars = bars_of(list, state->sort);
	fit = columns_fit(list->columns, list->column_count, list->hidden, state->sort,
			  area->rect.cols - rule->end, rule);
	state->columns = 0;
	state->hidden = list->hidden;
	for (i = 0; i < list->column_count; i++)
		if (list->columns[i].is_bar)
			state->hidden |= UINT64_C(1) << i;
		else
			state->columns = (unsigned int)i + 1;
	state->rows = area->rect.rows;
	state->count = list->count;
	state->title_row = area->rect.row - 1;
	titles_draw(titles, list, &fit, state);
	if (!list->count) {
		area_cut(area, 0, 1, area->rect.cols - 2, ST_DIM, list->empty);
		return;
	}
	if (list_has_cursor(list))
		list_cursor_place(list, state);
	rows_limit(&state->top, rows, list->count);
	shown = list->count - state->top < rows ? list->count - state->top : rows;
	most = state->shift ? names_excess(area, list, state->top, shown, &fit) : 0;
	state->shift = state->shift < most ? state->shift : most;
	for (i = 0; i < shown; i++) {
		size_t at = state->top + i, item = list_item(list, at);

		item_draw(area, (int)i, list, item, &fit, rule, state->shift, &bars);
		if (search[0] && state->found == at + 1 && item_matches(list, item, search))
			area_flags(area, (int)i, 0, area->rect.cols - 1, CELL_BOLD);
		if (list_has_cursor(list) && at == state->cursor.row)
			area_flags(area, (int)i, 0, area->rect.cols - 1, CELL_SELECTED);
		if (list->desc->mark)
			list->desc->mark(list, area, (int)i, item, &fit);
	}
	scrollbar_draw(area, state->top, list->count);
}

void list_draw(struct view *view, const struct area *area, const struct list *list)
{
	struct area titles = area_part(area, 0, 0, 1, area->rect.cols),
		    rest = area_part(area, 1, 0, area->rect.rows - 1, area->rect.cols);

	list_draw_at(&view->panes[list->desc->pane], &titles, &rest, list);
}
