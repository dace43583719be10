/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Golden screens: the text of every row and, below it, a letter for the style
 * of each cell (theme.c, style_letters; ^ below those that are selected is left
 * out: upper rows of "~" say it). A theme's file has the looks themselves.
 */
#include "golden.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

static FILE *out;
static char *written;
static size_t written_size;

void golden_begin(void)
{
	out = open_memstream(&written, &written_size);
	ck_assert_ptr_nonnull(out);
}

void golden_end(const char *name)
{
	char path[512], *expected;
	FILE *file;

	fclose(out);
	snprintf(path, sizeof(path), "%s/%s.txt", GOLDEN_DIR, name);
	if (getenv("UPDATE_GOLDEN")) {
		file = fopen(path, "w");
		ck_assert_ptr_nonnull(file);
		fputs(written, file);
		fclose(file);
	} else {
		expected = file_read(path, 4 << 20, NULL);
		ck_assert_msg(expected != NULL, "%s is missing; UPDATE_GOLDEN=1 makes it", path);
		if (strcmp(expected, written)) {
			file = fopen("golden.actual", "w");
			if (file) {
				fputs(written, file);
				fclose(file);
			}
			ck_abort_msg(
				"%s has changed; see golden.actual, and UPDATE_GOLDEN=1 if it is right",
				path);
		}
		free(expected);
	}
	free(written);
}

static void trimmed(char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		text[--len] = 0;
	fprintf(out, "%s\n", text);
}

void golden_canvas(const struct canvas *canvas, bool styles)
{
	static char text[64 * 1024];
	int row, col;

	for (row = 0; row < canvas->rows; row++) {
		text[0] = 0;
		for (col = 0; col < canvas->cols; col++)
			strcat(text, canvas_cell(canvas, row, col)->text);
		fputc('|', out);
		trimmed(text);
		if (!styles)
			continue;
		for (col = 0; col < canvas->cols; col++) {
			const struct cell *cell = canvas_cell(canvas, row, col);
			char letter = style_letters[cell->style];

			text[col] = letter == '.' ? ' ' : letter;
			if (cell->flags & CELL_SELECTED && text[col] == ' ')
				text[col] = '~';
			if (cell->flags & CELL_MATCH)
				text[col] = '!';
		}
		text[col] = 0;
		fputc(' ', out);
		trimmed(text);
	}
}

static void print_color(int32_t color)
{
	if (color >= COLOR_RGB)
		fprintf(out, "#%06x", (unsigned int)(color - COLOR_RGB));
	else
		fprintf(out, "%d", color);
}

void golden_looks(const struct canvas *canvas, const struct theme *theme, int colors)
{
	int row, col;

	for (row = 0; row < canvas->rows; row++) {
		struct look last = { -2, -2, 0 };

		for (col = 0; col < canvas->cols; col++) {
			const struct cell *cell = canvas_cell(canvas, row, col);
			struct look look = theme_look(theme, colors, cell->style, cell->flags);

			if (look.fg == last.fg && look.bg == last.bg &&
			    look.attributes == last.attributes)
				continue;
			fprintf(out, "%s%d:", col ? " " : "", col);
			print_color(look.fg);
			fputc('/', out);
			print_color(look.bg);
			fprintf(out, "%s%s%s", look.attributes & LOOK_BOLD ? "b" : "",
				look.attributes & LOOK_REVERSE ? "r" : "",
				look.attributes & LOOK_UNDERLINE ? "u" : "");
			last = look;
		}
		fputc('\n', out);
	}
}

void golden_draw(struct view *view, int rows, int cols, const char *title, bool styles)
{
	struct canvas canvas = { .cells = NULL };

	ck_assert_int_eq(canvas_resize(&canvas, rows, cols), 0);
	view_draw(view, &canvas);
	view_draw(view, &canvas); /* what it changes is done: twice is once */
	fprintf(out, "==== %s\n", title);
	golden_canvas(&canvas, styles);
	canvas_free(&canvas);
}

void golden_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(out, format, arguments);
	va_end(arguments);
}
