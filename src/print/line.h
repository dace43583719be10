/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of text counted in terminal cells: columns, cutting, colour and an
 * ASCII form, all in one place, so that printers only say what stands where.
 */
#ifndef PRINT_LINE_H
#define PRINT_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "print/print.h"
#include "util/sink.h"
#include "util/utf8.h"

enum line_style { STYLE_PLAIN, STYLE_HEAD, STYLE_LEAKED, STYLE_FAILED };

struct line {
	struct sink *sink;
	bool color, ascii;
	int width;		/* 0: no limit */
	int wrap;		/* of line_wrapped(); 0: no limit */
	int cells;		/* up to where the next character goes */
	int blanks;		/* of them, not written yet: none may end a line */
	bool cut;		/* the limit is reached, the rest is dropped */
	char last[8];		/* what would stand in the last cell, if nothing follows: else a sign that something is cut */
	size_t last_len;
	bool styled;
};

void line_init(struct line *line, struct sink *sink, const struct out_options *options);

void line_text(struct line *line, const char *text);
void line_text_max(struct line *line, const char *text, int max_cells);
void line_cut(struct line *line, const char *text, int max_cells);	/* the same, with a sign that something is cut */
void line_format(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Moves on to @cell, by one blank at least where something stands already. */
void line_to(struct line *line, int cell);

/*
 * Puts @text so that it ends before @end, further right only where there is no
 * room. Where the line's limit would cut it, the line ends before it.
 */
void line_right(struct line *line, int end, const char *text);

void line_style(struct line *line, enum line_style style);
void line_end(struct line *line);

/* Writes @text, and goes on in the next line, at cell @indent, where a word would pass line->wrap. No word is cut. */
void line_wrapped(struct line *line, int indent, const char *text);

#endif
