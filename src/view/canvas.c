/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The canvas. Text comes in as UTF-8 (util/utf8.h), whatever the locale. A character of two cells
 * leaves an empty cell to its right; overwriting one half blanks the other, so that no row changes
 * its length.
 */
#include "view/canvas.h"
#include "util/utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* All of its bytes are set, also those behind the text: rows can be compared as bytes. */
static void cell_blank(struct cell *cell, enum style style)
{
	*cell = (struct cell){ .text = " ", .style = (uint8_t)style };
}

int canvas_resize(struct canvas *canvas, int rows, int cols)
{
	struct cell *cells;

	if (rows < 0 || cols < 0 || rows > 10000 || cols > 10000)
		return -EINVAL;
	if (rows != canvas->rows || cols != canvas->cols || !canvas->cells) {
		cells = calloc((size_t)rows * (size_t)cols + 1, sizeof(*cells));
		free(canvas->cells);
		canvas->cells = cells;
		canvas->rows = cells ? rows : 0;
		canvas->cols = cells ? cols : 0;
		if (!cells)
			return -ENOMEM;
	}
	canvas_clear(canvas);
	return 0;
}

void canvas_clear(struct canvas *canvas)
{
	size_t done, count = (size_t)canvas->rows * (size_t)canvas->cols;

	if (!count)
		return;
	cell_blank(&canvas->cells[0], ST_PLAIN);
	for (done = 1; done < count; done *= 2)
		memcpy(canvas->cells + done, canvas->cells,
		       (done * 2 < count ? done : count - done) * sizeof(*canvas->cells));
}

void canvas_free(struct canvas *canvas)
{
	free(canvas->cells);
	memset(canvas, 0, sizeof(*canvas));
}

struct cell *canvas_cell(const struct canvas *canvas, int row, int col)
{
	return &canvas->cells[(size_t)row * (size_t)canvas->cols + (size_t)col];
}

/* ---- areas ---- */

static int limit(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

static struct area clipped(struct canvas *canvas, struct rect rect, struct rect bounds)
{
	int row = limit(rect.row, bounds.row, bounds.row + bounds.rows);
	int col = limit(rect.col, bounds.col, bounds.col + bounds.cols);
	int row_end = limit(rect.row + rect.rows, row, bounds.row + bounds.rows);
	int col_end = limit(rect.col + rect.cols, col, bounds.col + bounds.cols);

	return (struct area){ canvas, { row, col, row_end - row, col_end - col } };
}

struct area area_of(struct canvas *canvas, struct rect rect)
{
	return clipped(canvas, rect, (struct rect){ 0, 0, canvas->rows, canvas->cols });
}

struct area area_part(const struct area *area, int row, int col, int rows, int cols)
{
	struct rect rect = { area->rect.row + row, area->rect.col + col, rows, cols };

	return clipped(area->canvas, rect, area->rect);
}

/* ---- characters ---- */

/*
 * Reads one character as it will be drawn: its bytes and cells. Returns the bytes read; 0 at the
 * end.
 */
static size_t next_shown(const struct canvas *canvas, const char *text, char out[8], int *cells)
{
	int32_t point;
	size_t len;

	if (!*text)
		return 0;
	if (*text >= ' ' && *text <= '~') { /* most are */
		out[0] = *text;
		out[1] = 0;
		*cells = 1;
		return 1;
	}
	len = utf8_next(text, &point);
	*cells = utf8_width(point);
	if (*cells < 0 || (canvas->ascii && point >= 0x80)) {
		out[0] = *cells < 0 ? '?' : *cells ? utf8_ascii(point) : 0;
		out[1] = 0;
		*cells = *cells ? 1 : 0;
		return len;
	}
	memcpy(out, text, len);
	out[len] = 0;
	return len;
}

int canvas_width(const struct canvas *canvas, const char *text)
{
	char shown[8];
	int cells, total = 0;
	size_t len;

	for (; (len = next_shown(canvas, text, shown, &cells)) && total < INT_MAX - 2; text += len)
		total += cells;
	return total;
}

const char *canvas_skip(const struct canvas *canvas, const char *text, int cells)
{
	char shown[8];
	size_t len;
	int width;

	for (; (len = next_shown(canvas, text, shown, &width)) && (cells > 0 || !width);
	     text += len)
		cells -= width;
	return text;
}

/* ---- drawing ---- */

/* Called before a cell is overwritten: if a wide character is there, its other half is blanked. */
static void split_wide(struct canvas *canvas, int row, int col)
{
	struct cell *cell = canvas_cell(canvas, row, col);

	if (!cell->text[0] && col > 0)
		cell_blank(canvas_cell(canvas, row, col - 1), (enum style)cell->style);
	if (col + 1 < canvas->cols && !canvas_cell(canvas, row, col + 1)->text[0])
		cell_blank(canvas_cell(canvas, row, col + 1), (enum style)cell->style);
}

static void combine(const struct area *area, int row, int col, const char *mark)
{
	struct cell *cell;
	size_t used;

	if (!*mark || row < 0 || row >= area->rect.rows || col <= 0 || col > area->rect.cols)
		return;
	cell = canvas_cell(area->canvas, area->rect.row + row, area->rect.col + col - 1);
	if (!cell->text[0] && col > 1)
		cell--;
	used = strlen(cell->text);
	if (used && used + strlen(mark) < CELL_BYTES)
		strcpy(cell->text + used, mark);
}

static void put(const struct area *area, int row, int col, int cells, enum style style,
		const char *bytes)
{
	struct canvas *canvas = area->canvas;
	struct cell *cell;
	int i;

	if (row < 0 || row >= area->rect.rows || col + cells <= 0 || col >= area->rect.cols)
		return;
	if (col < 0 || col + cells > area->rect.cols) { /* half of a wide one */
		bytes = " ";
		col = col < 0 ? 0 : col;
		cells = 1;
	}
	row += area->rect.row;
	col += area->rect.col;
	for (i = 0; i < cells; i++)
		split_wide(canvas, row, col + i);
	cell = canvas_cell(canvas, row, col);
	cell_blank(cell, style);
	cell->text[0] = bytes[0];
	if (bytes[1])
		strcpy(cell->text, bytes);
	if (cells == 2) {
		cell_blank(cell + 1, style);
		cell[1].text[0] = 0;
	}
}

static bool is_at_least(const struct canvas *canvas, const char *text)
{
	int32_t point;

	utf8_next(text, &point);
	return canvas->ascii && point == UTF8_AT_LEAST;
}

/* Puts at most @room cells of @text. In ASCII a "≥" comes after its number. */
static int put_text(const struct area *area, int row, int col, int room, enum style style,
		    const char *text)
{
	bool at_least = false;
	char shown[8];
	size_t len;
	int cells;

	for (; at_least || *text; text += len) {
		len = next_shown(area->canvas, text, shown, &cells);
		if (at_least && !utf8_is_figure(text)) {
			at_least = false;
			room++;
			strcpy(shown, "+");
			cells = 1;
			len = 0;
		} else if (room > 0 && is_at_least(area->canvas, text)) {
			at_least = true;
			room--; /* for the '+' */
			continue;
		}
		if (!cells) {
			combine(area, row, col, shown);
			continue;
		}
		if (cells > room || col >= area->rect.cols)
			break;
		put(area, row, col, cells, style, shown);
		col += cells;
		room -= cells;
	}
	return col;
}

int area_text(const struct area *area, int row, int col, enum style style, const char *text)
{
	return put_text(area, row, col, INT_MAX, style, text);
}

/* True if @text takes more than @cells; reads no more of it than it has to. */
static bool is_longer(const struct canvas *canvas, const char *text, int cells)
{
	char shown[8];
	size_t len;
	int width;

	for (; (len = next_shown(canvas, text, shown, &width)); text += len) {
		cells -= width;
		if (cells < 0)
			return true;
	}
	return false;
}

int area_cut(const struct area *area, int row, int col, int cells, enum style style,
	     const char *text)
{
	int end;

	if (cells <= 0)
		return col;
	if (!is_longer(area->canvas, text, cells))
		return put_text(area, row, col, cells, style, text);
	end = put_text(area, row, col, cells - 1, style, text);
	return put_text(area, row, end, 1, style, "…");
}

int area_format(const struct area *area, int row, int col, enum style style, const char *format,
		...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return area_text(area, row, col, style, text);
}

void area_right(const struct area *area, int row, int end, enum style style, const char *text)
{
	area_text(area, row, end - canvas_width(area->canvas, text), style, text);
}

void area_repeat(const struct area *area, int row, int col, int cells, enum style style,
		 const char *character)
{
	for (; cells > 0; cells--, col++)
		put_text(area, row, col, 1, style, character);
}

void area_clear(const struct area *area, enum style style)
{
	int row, col, cols = area->rect.cols;

	for (row = 0; cols && row < area->rect.rows; row++) {
		struct cell *cell = canvas_cell(area->canvas, area->rect.row + row, area->rect.col);

		split_wide(area->canvas, area->rect.row + row, area->rect.col);
		split_wide(area->canvas, area->rect.row + row, area->rect.col + cols - 1);
		for (col = 0; col < cols; col++)
			cell_blank(&cell[col], style);
	}
}

void area_flags(const struct area *area, int row, int col, int cells, unsigned int flags)
{
	int end = col + cells < area->rect.cols ? col + cells : area->rect.cols;

	if (row < 0 || row >= area->rect.rows)
		return;
	for (col = col < 0 ? 0 : col; col < end; col++)
		canvas_cell(area->canvas, area->rect.row + row, area->rect.col + col)->flags |=
			(uint8_t)flags;
}

struct area area_frame(const struct area *area, const char *title)
{
	int row, rows = area->rect.rows, cols = area->rect.cols;

	area_clear(area, ST_PLAIN);
	if (rows < 3 || cols < 4)
		return *area;
	area_text(area, 0, 0, ST_FRAME, "┌");
	area_repeat(area, 0, 1, cols - 2, ST_FRAME, "─");
	area_text(area, 0, cols - 1, ST_FRAME, "┐");
	for (row = 1; row < rows - 1; row++) {
		area_text(area, row, 0, ST_FRAME, "│");
		area_text(area, row, cols - 1, ST_FRAME, "│");
	}
	area_text(area, rows - 1, 0, ST_FRAME, "└");
	area_repeat(area, rows - 1, 1, cols - 2, ST_FRAME, "─");
	area_text(area, rows - 1, cols - 1, ST_FRAME, "┘");
	if (*title && cols > 8) {
		int end = area_cut(area, 0, 3, cols - 6, ST_HEAD, title);

		area_text(area, 0, 2, ST_FRAME, " ");
		area_text(area, 0, end, ST_FRAME, " ");
	}
	return area_part(area, 1, 2, rows - 2, cols - 4);
}
