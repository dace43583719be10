/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A canvas: rows × columns of cells, each a character as bytes with a style. Everything on the
 * screen is drawn here, and only terminal.c knows how to show it; so every screen can be drawn and
 * compared without a terminal. Drawing is clipped to an area, a rectangle of the canvas. The text
 * may be hostile: control characters, invalid UTF-8 and characters that change direction or join
 * cells never enter a cell.
 */
#ifndef VIEW_CANVAS_H
#define VIEW_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/theme.h"

struct rect {
	int row, col, rows, cols;
};

enum { CELL_SELECTED = 1, CELL_BOLD = 2, CELL_MATCH = 4 };

#define CELL_BYTES 20 /* room for a character with its combining characters */

struct cell {
	char text[CELL_BYTES]; /* NUL-terminated; empty: right half of a wide character */
	uint8_t style;         /* enum style */
	uint8_t flags;
};

struct canvas {
	int rows, cols;
	bool ascii; /* only ASCII characters are drawn */
	struct cell *cells;
};

/* Sets the size and clears. Returns 0, or -ENOMEM and the canvas has no cells. */
int canvas_resize(struct canvas *canvas, int rows, int cols);
void canvas_clear(struct canvas *canvas);
void canvas_free(struct canvas *canvas);
struct cell *canvas_cell(const struct canvas *canvas, int row, int col);

struct area {
	struct canvas *canvas;
	struct rect rect;
};

/* The part of @rect that lies on the canvas */
struct area area_of(struct canvas *canvas, struct rect rect);
struct area area_part(const struct area *area, int row, int col, int rows, int cols);

/* Positions are relative to the area's corner. Each returns the column after the text. */
int area_text(const struct area *area, int row, int col, enum style style, const char *text);
/* ends in "…" if it was cut */
int area_cut(const struct area *area, int row, int col, int cells, enum style style,
	     const char *text);
int area_format(const struct area *area, int row, int col, enum style style, const char *format,
		...) __attribute__((format(printf, 5, 6)));

/* Puts @text so that it ends before @end. */
void area_right(const struct area *area, int row, int end, enum style style, const char *text);
void area_repeat(const struct area *area, int row, int col, int cells, enum style style,
		 const char *character);
void area_clear(const struct area *area, enum style style);
void area_flags(const struct area *area, int row, int col, int cells, unsigned int flags);

/*
 * A frame around the area, with a title in its upper edge; clears the inside. Returns the inside.
 */
struct area area_frame(const struct area *area, const char *title);

/* How many cells @text takes when drawn on @canvas. */
int canvas_width(const struct canvas *canvas, const char *text);

/* @text without its first @cells cells, including characters that combine with the last of them. */
const char *canvas_skip(const struct canvas *canvas, const char *text, int cells);

#endif
