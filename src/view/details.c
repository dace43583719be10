/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Details. A pane appends lines; these are wrapped to the width of a column, which gives blocks of
 * rows, one for each section. The blocks stand in one column, or, on a wide screen, in the shorter
 * one of two. Positions are counted in rows of the whole, of which the screen shows a part.
 */
#include "view/details.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "view/cells.h"

enum { LABEL_CELLS = 14, BAR_LABEL = 16, BAR_NUMBER = 9, TWO_COLUMNS = 110 };

enum detail_kind { DETAIL_SECTION, DETAIL_TEXT, DETAIL_FIELD, DETAIL_BAR };

struct details_line {
	enum detail_kind kind;
	enum style style;
	char *label, *text; /* owned; NULL: none */
	double fraction;    /* of a bar */
};

/* ---- filling ---- */

static struct details_line *line_add(struct details *details, enum detail_kind kind,
				     enum style style)
{
	if (details->count == details->room) {
		size_t room = details->room ? details->room * 2 : 32;
		struct details_line *lines = realloc(details->lines, room * sizeof(*lines));

		if (!lines) {
			details->failed = true;
			return NULL;
		}
		details->lines = lines;
		details->room = room;
	}
	details->lines[details->count] = (struct details_line){ .kind = kind, .style = style };
	return &details->lines[details->count++];
}

static void __attribute__((format(printf, 4, 0)))
line_set(struct details *details, struct details_line *line, const char *label, const char *format,
	 va_list args)
{
	if (!line)
		return;
	if (label && !(line->label = strdup(label)))
		details->failed = true;
	if (vasprintf(&line->text, format, args) < 0) {
		line->text = NULL;
		details->failed = true;
	}
}

void details_section(struct details *details, const char *title)
{
	struct details_line *line = line_add(details, DETAIL_SECTION, ST_TITLE);

	if (line && !(line->text = strdup(title)))
		details->failed = true;
}

void details_field(struct details *details, const char *label, enum style style, const char *format,
		   ...)
{
	va_list args;

	va_start(args, format);
	line_set(details, line_add(details, DETAIL_FIELD, style), label, format, args);
	va_end(args);
}

void details_text(struct details *details, enum style style, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line_set(details, line_add(details, DETAIL_TEXT, style), NULL, format, args);
	va_end(args);
}

/* A bar of a histogram: @fraction (0..1) of the room between @label and @number. */
static void details_bar(struct details *details, const char *label, const char *number,
			enum style style, double fraction)
{
	struct details_line *line = line_add(details, DETAIL_BAR, style);

	if (!line)
		return;
	line->fraction = fraction;
	line->label = strdup(label);
	line->text = strdup(number);
	if (!line->label || !line->text)
		details->failed = true;
}

/* "1.0us" or "64K": where bucket @bucket begins. */
static void bound_text(char *out, size_t size, size_t bucket, enum hist_unit unit)
{
	static const char *const units[] = { "ns", "µs", "ms", "s" };
	double value = ldexp(1, (int)bucket + CUTOP_HIST_SHIFT);
	size_t i = 0;

	if (unit == HIST_BYTES) {
		format_bytes(ldexp(1, (int)bucket), out, size);
		return;
	}
	while (i < 3 && value >= 1000) {
		value /= 1000;
		i++;
	}
	snprintf(out, size, "%.3g%s", value, units[i]);
}

void details_histogram(struct details *details, const uint64_t *buckets, size_t count,
		       enum hist_unit unit, enum style style)
{
	size_t first = count, last = 0, i;
	uint64_t most = 0;

	for (i = 0; i < count; i++) {
		if (!buckets[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = buckets[i] > most ? buckets[i] : most;
	}
	for (i = first; most && i <= last; i++) {
		char from[24] = "0", to[24], label[64], number[32];

		if (i) /* the first also has what is shorter */
			bound_text(from, sizeof(from), i, unit);
		bound_text(to, sizeof(to), i + 1, unit);
		if (i + 1 == count) /* and the last what is longer */
			snprintf(label, sizeof(label), "%s or more", from);
		else
			snprintf(label, sizeof(label), "%s - %s", from, to);
		format_count((double)buckets[i], number, sizeof(number));
		details_bar(details, label, number, style, (double)buckets[i] / (double)most);
	}
}

void details_latency(struct details *details, const struct snap_latency *latency, bool sampled)
{
	char p50[CELL_TEXT], p99[CELL_TEXT], most[CELL_TEXT];

	cell_time(p50, latency->p50);
	cell_time(p99, latency->p99);
	cell_time(most, latency->max);
	details_text(details, ST_PLAIN, "p50 %.16s  p99 %.16s  max %.16s%s", p50, p99, most,
		     sampled ? "  (of a sample)" : "");
}

void details_stack(struct details *details, const struct snap_place *place)
{
	if (!place->stack_count)
		details_text(details, ST_PLAIN, "%s", place->site);
	for (size_t i = 0; i < place->stack_count; i++)
		details_text(details, i == place->shown ? ST_HEAD : ST_PLAIN, "%s %s",
			     i == place->shown ? "→" : " ", place->stack[i]);
}

void details_place(struct details *details, const char *title, const struct snap_place *place)
{
	if (!place->site)
		return;
	details_section(details, title);
	details_stack(details, place);
}

static void details_free(struct details *details)
{
	for (size_t i = 0; i < details->count; i++) {
		free(details->lines[i].label);
		free(details->lines[i].text);
	}
	free(details->lines);
	memset(details, 0, sizeof(*details));
}

/* ---- layout ---- */

/*
 * The length of the part of @text that one row of @cells takes. It ends after a blank or a sign at
 * which a name can be parted, if one is near the end.
 */
static size_t wrap(const struct canvas *canvas, const char *text, int cells)
{
	const char *end = canvas_skip(canvas, text, cells > 0 ? cells : 1);
	size_t len = (size_t)(end - text), at;

	if (!text[len] || !len)
		return strlen(text) < len || !len ? strlen(text) : len;
	for (at = len; at > len / 2; at--)
		if (text[at - 1] == ' ')
			return at;
	for (at = len; at > len * 2 / 3; at--)
		if (strchr(",<>/:", text[at - 1]))
			return at;
	return len;
}

/*
 * Draws @text in rows of @cells from @row on, if @area is not NULL; below a frame of a stack, which has an
 * arrow or its place before it, further to the right. Returns how many rows it is.
 */
static int wrapped(const struct canvas *canvas, const struct area *area, int row, int col,
		   int cells, enum style style, const char *text)
{
	int hang = !strncmp(text, "  ", 2) || !strncmp(text, "→", strlen("→")) ? 4 : 0, rows = 0;

	do {
		size_t len = wrap(canvas, text, cells);

		if (area && row + rows >= 0 && row + rows < area->rect.rows) {
			char *part = strndup(text, len);

			if (part)
				area_text(area, row + rows, col, style, part);
			free(part);
		}
		text += len;
		if (!rows++) {
			col += hang;
			cells -= hang;
		}
	} while (*text);
	return rows;
}

/*
 * Draws @line into a column, its first row at @row, if @area is not NULL. Returns how many rows it
 * is.
 */
static int line_draw(const struct canvas *canvas, const struct area *area, int row, int cols,
		     const struct details_line *line)
{
	const char *text = line->text ? line->text : "";
	int bar = cols - 2 - BAR_LABEL - BAR_NUMBER;

	switch (line->kind) {
	case DETAIL_SECTION:
		if (area && row >= 0 && row < area->rect.rows) {
			area_repeat(area, row, 0, cols - 1, ST_TITLE, " ");
			area_cut(area, row, 1, cols - 3, ST_TITLE, text);
		}
		return 1;
	case DETAIL_FIELD:
		if (area && row >= 0 && row < area->rect.rows)
			area_cut(area, row, 1, LABEL_CELLS - 1, ST_DIM, line->label);
		return wrapped(canvas, area, row, 1 + LABEL_CELLS, cols - 2 - LABEL_CELLS,
			       line->style, text);
	case DETAIL_BAR:
		if (area && row >= 0 && row < area->rect.rows) {
			area_cut(area, row, 1, BAR_LABEL - 1, ST_DIM, line->label);
			if (bar > 0)
				bar_of(area, row, 1 + BAR_LABEL, bar, line->style, line->fraction);
			area_right(area, row, cols - 1, ST_PLAIN, text);
		}
		return 1;
	default: return wrapped(canvas, area, row, 1, cols - 2, line->style, text);
	}
}

/* A section from line @first on: where it ends, and how many rows it is. */
static size_t section_measure(const struct details *details, const struct canvas *canvas,
			      size_t first, int cols, int *rows)
{
	size_t i = first;

	*rows = 0;
	do
		*rows += line_draw(canvas, NULL, 0, cols, &details->lines[i]);
	while (++i < details->count && details->lines[i].kind != DETAIL_SECTION);
	return i;
}

/* Draws all sections as far as they are in sight. Returns how many rows they are. */
static int sections_draw(const struct details *details, const struct area *area, int top)
{
	bool two = area->rect.cols >= TWO_COLUMNS;
	int cols = two ? area->rect.cols / 2 : area->rect.cols, ends[2] = { 0, 0 };
	size_t first = 0, next;

	for (; first < details->count; first = next) {
		bool whole = !two || details->lines[first].kind != DETAIL_SECTION;
		int side = !whole && ends[1] < ends[0], rows, row;
		struct area part;

		next = section_measure(details, area->canvas, first, whole ? area->rect.cols : cols,
				       &rows);
		row = ends[side];
		part = area_part(area, 0, side * cols, area->rect.rows,
				 whole ? area->rect.cols : cols);
		for (size_t i = first; i < next; i++)
			row += line_draw(area->canvas, &part, row - top, part.rect.cols,
					 &details->lines[i]);
		row += next < details->count; /* a gap */
		ends[side] = row;
		if (whole)
			ends[0] = ends[1] = row;
	}
	return ends[0] > ends[1] ? ends[0] : ends[1];
}

static void draw(struct view *view, const struct area *area, const struct details *details)
{
	int rows = area->rect.rows, all;
	struct area inside = area_part(area, 0, 0, rows, area->rect.cols - 1);

	area_clear(area, ST_PLAIN);
	if (details->failed) {
		area_cut(area, 0, 1, area->rect.cols - 2, ST_FAILED,
			 "There is no memory for the details.");
		return;
	}
	/* Drawn far below the screen, it tells how long it is. */
	all = sections_draw(details, &inside, 1 << 20);
	view->details.rows = all;
	if (view->details.top > all - rows)
		view->details.top = all > rows ? all - rows : 0;
	if (view->details.top < 0)
		view->details.top = 0;
	sections_draw(details, &inside, view->details.top);
	scrollbar_draw(area, (size_t)view->details.top, (size_t)all);
}

/* The item that details are shown of; list->count: it is no longer there. */
static size_t item_shown(const struct view *view, const struct list *list)
{
	size_t i;

	for (i = 0; list->desc->details && i < list->count; i++)
		if (list->desc->key(list, i) == view->details.key)
			return i;
	return list->count;
}

void details_follow(struct view *view)
{
	struct list list;
	size_t item;

	if (!list_open(view, &list))
		return;
	item = item_shown(view, &list);
	if (item < list.count && list.desc->follow)
		list.desc->follow(view, &list, item);
	list_close(&list);
}

void details_draw(struct view *view, const struct area *area, const struct list *list)
{
	struct details details = { .lines = NULL };
	size_t item = item_shown(view, list);

	if (item == list->count) {
		area_cut(area, 0, 1, area->rect.cols - 2, ST_DIM,
			 "It is no longer in the list. Esc goes back there.");
		return;
	}
	list->desc->details(list, item, &details);
	draw(view, area, &details);
	details_free(&details);
}

/* The item that the list's cursor is on, or would be. */
static size_t item_at_cursor(const struct view *view, const struct list *list)
{
	size_t row = list_has_cursor(list) ? view->panes[list->desc->pane].cursor.row : 0;

	row = row < list->count ? row : 0;
	return list->order ? list->order[row] : row;
}

void details_below_list(struct view *view, const struct area *area, const struct list *list)
{
	int rows = (int)list->count + 1, cols = area->rect.cols;
	struct area above = *area, below;
	struct details details = { .lines = NULL };

	if (list->count && list->desc->details && list->count < (size_t)area->rect.rows &&
	    area->rect.rows - rows > PREVIEW_ROWS_MIN)
		above = area_part(area, 0, 0, rows, cols);
	list_draw(view, &above, list);
	if (above.rect.rows == area->rect.rows)
		return;
	below = area_part(area, rows + 1, 0, area->rect.rows - rows - 1, cols - 1);
	list->desc->details(list, item_at_cursor(view, list), &details);
	if (!details.failed)
		sections_draw(&details, &below, 0);
	details_free(&details);
}
