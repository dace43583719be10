/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of text counted in terminal cells: columns, cutting, colour and an ASCII form, all in one
 * place, so that printers only say what goes where.
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
	int width; /* 0: no limit */
	int wrap;  /* for line_wrapped(): the cell to wrap at; 0: no limit */
	int cells; /* the cell of the next character */
	/* Blanks among them that are not written yet: a line must not end in one */
	int blanks;
	bool cut; /* the limit is reached, the rest is dropped */
	/*
	 * the text of the last cell, written if nothing follows; otherwise a sign that something
	 * was cut
	 */
	char last[8];
	size_t last_len;
	bool styled;
};

void line_init(struct line *line, struct sink *sink, const struct out_options *options);

void line_text(struct line *line, const char *text);
void line_text_max(struct line *line, const char *text, int max_cells);
/* the same, ending in a sign if something was cut */
void line_cut(struct line *line, const char *text, int max_cells);
void line_format(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Moves on to @cell, by at least one blank if something stands before it. */
void line_to(struct line *line, int cell);

/*
 * Writes @text so that it ends before @end, further right only if there is no room. The line ends
 * before @text if the limit would cut it.
 */
void line_right(struct line *line, int end, const char *text);

void line_style(struct line *line, enum line_style style);
void line_end(struct line *line);

/*
 * Writes @text and breaks the line, indented to cell @indent, where a word would pass line->wrap.
 * No word is cut.
 */
void line_wrapped(struct line *line, int indent, const char *text);

#endif
