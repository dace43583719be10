/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer. Strings of the description may contain marks for delays that only printing
 * terminals needed; they are left out.
 */
#include "view/renderer.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/utf8.h"
#include "util/util.h"

/* Include this last: it defines words like "columns". */
#include <term.h>
#undef columns
#undef lines

/* ---- the buffer ---- */

static void bytes_add(struct renderer *renderer, const char *bytes, size_t len)
{
	if (len > renderer->size - renderer->used) {
		size_t size = renderer->size * 2 + len + 16384;
		char *buffer = realloc(renderer->buffer, size);

		if (!buffer) {
			renderer->failed = true;
			return;
		}
		renderer->buffer = buffer;
		renderer->size = size;
	}
	memcpy(renderer->buffer + renderer->used, bytes, len);
	renderer->used += len;
}

/* A string of the description, without its delays: "$<5>" */
static void string_add(struct renderer *renderer, const char *text)
{
	if (!text)
		return;
	while (*text) {
		const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;

		if (!end)
			bytes_add(renderer, text, 1);
		text = end ? end + 1 : text + 1;
	}
}

static char *described(const char *name)
{
	char *text = tigetstr(name);

	return text == (char *)-1 ? NULL : text;
}

static void number_add(struct renderer *renderer, const char *name, int number)
{
	char *text = described(name);

	if (text)
		string_add(renderer, tparm(text, number, 0, 0, 0, 0, 0, 0, 0, 0));
}

/* ---- life ---- */

/* Attributes that the terminal cannot show together with a colour: terminfo(5), ncv */
static unsigned int lost_of(int numbers)
{
	return numbers <= 0 ? 0 :
			      (numbers & 2 ? LOOK_UNDERLINE : 0) | (numbers & 32 ? LOOK_BOLD : 0);
}

void renderer_init(struct renderer *renderer, bool colors)
{
	int count = tigetnum("colors");
	const char *plain;
	bool has_rgb = tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || described("RGB");

	memset(renderer, 0, sizeof(*renderer));
	renderer->row = renderer->col = -1;
	renderer->keeps_last_cell = tigetflag("am") <= 0 || tigetflag("xenl") > 0;
	renderer->has_own_colors = described("op") || described("oc");
	renderer->lost = lost_of(tigetnum("ncv"));
	plain = described("sgr0");
	renderer->ends_colors = plain && (strstr(plain, "\033[m") || strstr(plain, "\033[0m"));
	if (!colors || !described("setaf") || !described("setab"))
		return;
	renderer->is_described = has_rgb && count >= COLORS_RGB;
	renderer->colors = theme_colors(count, has_rgb || tigetflag("Tc") > 0, getenv("TERM"),
					getenv("COLORTERM"), getenv("TMUX"));
}

void renderer_free(struct renderer *renderer)
{
	free(renderer->buffer);
	renderer->buffer = NULL;
	renderer->used = renderer->size = 0;
}

/* ---- colours and the cursor ---- */

static void color_add(struct renderer *renderer, int32_t color, bool is_back)
{
	char text[32];

	if (color == COLOR_DEFAULT)
		return;
	if (!(color & COLOR_RGB)) {
		number_add(renderer, is_back ? "setab" : "setaf", color);
		return;
	}
	color &= COLOR_RGB - 1;
	if (renderer->is_described) {
		number_add(renderer, is_back ? "setab" : "setaf", color);
		return;
	}
	snprintf(text, sizeof(text), "\033[%d;2;%d;%d;%dm", is_back ? 48 : 38, color >> 16,
		 color >> 8 & 255, color & 255);
	bytes_add(renderer, text, strlen(text));
}

static bool same_look(struct look a, struct look b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attributes == b.attributes;
}

static void pen_set(struct renderer *renderer, struct look look)
{
	struct look pen = renderer->pen;

	if (same_look(pen, look))
		return;
	renderer->pen = look;
	/* The terminal's own colour, and no attribute, can only be had by starting anew. */
	if (pen.attributes != look.attributes || (pen.fg != look.fg && look.fg == COLOR_DEFAULT) ||
	    (pen.bg != look.bg && look.bg == COLOR_DEFAULT)) {
		string_add(renderer, described("sgr0"));
		if (!renderer->ends_colors && (pen.fg != COLOR_DEFAULT || pen.bg != COLOR_DEFAULT))
			string_add(renderer, described("op"));
		pen.fg = pen.bg = COLOR_DEFAULT;
		if (look.attributes & LOOK_BOLD)
			string_add(renderer, described("bold"));
		if (look.attributes & LOOK_REVERSE)
			string_add(renderer, described("rev"));
		if (look.attributes & LOOK_UNDERLINE)
			string_add(renderer, described("smul"));
	}
	if (pen.fg != look.fg)
		color_add(renderer, look.fg, false);
	if (pen.bg != look.bg)
		color_add(renderer, look.bg, true);
}

static void pen_reset(struct renderer *renderer)
{
	pen_set(renderer, (struct look){ COLOR_DEFAULT, COLOR_DEFAULT, 0 });
}

static void move_to(struct renderer *renderer, int row, int col)
{
	char *text = described("cup");

	if (renderer->row == row && renderer->col == col)
		return;
	if (renderer->row == row && renderer->col < col && described("cuf"))
		number_add(renderer, "cuf", col - renderer->col);
	else if (text)
		string_add(renderer, tparm(text, row, col, 0, 0, 0, 0, 0, 0, 0));
	renderer->row = row;
	renderer->col = col;
}

/* ---- what is drawn ---- */

void renderer_clear(struct renderer *renderer)
{
	/* The terminal's state is not known: curses has written, or another program. */
	renderer->pen = (struct look){ COLOR_DEFAULT, COLOR_DEFAULT, 0 };
	string_add(renderer, described("sgr0"));
	if (renderer->colors)
		string_add(renderer, described("op"));
	string_add(renderer, described("clear"));
	renderer->row = renderer->col = -1;
}

void renderer_line_clear(struct renderer *renderer, int row)
{
	pen_reset(renderer);
	move_to(renderer, row, 0);
	string_add(renderer, described("el"));
}

/* True if every terminal moves its cursor by one cell for @text. */
static bool is_plain_cell(const char *text)
{
	int32_t point;
	size_t len = utf8_next(text, &point);

	return !text[len] && (point < 0x300 || (point >= 0x2190 && point < 0x2300) ||
			      (point >= 0x2500 && point < 0x25a0));
}

void renderer_cell(struct renderer *renderer, int row, int col, const struct cell *cell, bool wide,
		   struct look look)
{
	const char *text = cell->text[0] ? cell->text : " ";
	int end = col + (wide ? 2 : 1);

	if (!renderer->keeps_last_cell && row == LINES - 1 && end >= COLS)
		return;
	if (!renderer->colors)
		look.fg = look.bg = COLOR_DEFAULT;
	else if (!renderer->has_own_colors) {
		look.fg = look.fg == COLOR_DEFAULT ? COLOR_WHITE : look.fg;
		look.bg = look.bg == COLOR_DEFAULT ? COLOR_BLACK : look.bg;
	}
	if (look.fg != COLOR_DEFAULT || look.bg != COLOR_DEFAULT)
		look.attributes &= (uint8_t)~renderer->lost;
	move_to(renderer, row, col);
	pen_set(renderer, look);
	bytes_add(renderer, text, strlen(text));
	renderer->col = end;
	/* Terminals differ in where the cursor is now: the next cell has to say its place. */
	if (wide || end >= COLS || !is_plain_cell(text))
		renderer->row = renderer->col = -1;
}

bool renderer_flush(struct renderer *renderer, const struct output *output)
{
	bool failed;

	pen_reset(renderer);
	failed = output_write(output, renderer->buffer, renderer->used) || renderer->failed;
	renderer->failed = false;
	renderer->used = 0;
	return !failed;
}
