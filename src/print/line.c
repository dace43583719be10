/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of text counted in terminal cells. Characters go straight to the sink; nothing is buffered.
 * Blanks are held back until something follows, so no line ends in one. Characters that must not be
 * shown become question marks (util/utf8.h).
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "print/line.h"
#include "util/utf8.h"

static const char *const styles[] = {
	[STYLE_PLAIN] = "\033[0m",
	[STYLE_HEAD] = "\033[1m",
	[STYLE_LEAKED] = "\033[31m",
	[STYLE_FAILED] = "\033[33m",
};

void line_init(struct line *line, struct sink *sink, const struct out_options *options)
{
	memset(line, 0, sizeof(*line));
	line->sink = sink;
	line->color = options->color;
	line->ascii = options->ascii;
	line->width = options->width > 0 ? options->width : 0;
}

static void flush_blanks(struct line *line)
{
	while (line->blanks) {
		line->blanks--;
		sink_write(line->sink, " ", 1);
	}
}

static void flush_last(struct line *line)
{
	sink_write(line->sink, line->last, line->last_len);
	line->last_len = 0;
}

/*
 * The limit is reached: the last cell shows that something was cut, unless a word ends exactly
 * there.
 */
static void put_cut_sign(struct line *line)
{
	int written = line->cells - line->blanks;

	line->cut = true;
	if (written >= line->width && (!line->last_len || line->blanks))
		return;
	line->last_len = 0;
	line->blanks = written < line->width ? line->width - 1 - written : 0;
	flush_blanks(line);
	sink_puts(line->sink, line->ascii ? "+" : "…");
}

static void put_char(struct line *line, const char *bytes, size_t len, int cells)
{
	if (line->cut)
		return;
	if (len == 1 && *bytes == ' ') { /* it has no room only if something follows */
		line->cells++;
		line->blanks++;
		return;
	}
	if (line->width && line->cells + cells > line->width) {
		put_cut_sign(line);
		return;
	}
	line->cells += cells;
	flush_blanks(line);
	if (cells && line->cells == line->width && len <= sizeof(line->last)) {
		memcpy(line->last, bytes, len);
		line->last_len = len;
		return;
	}
	if (!cells)
		flush_last(line);
	sink_write(line->sink, bytes, len);
}

void line_text_max(struct line *line, const char *text, int max_cells)
{
	bool at_least = false;
	int32_t point;
	size_t len;
	int cells;

	for (; *text || at_least; text += len) {
		const char *bytes = text;
		size_t bytes_len;
		char ascii;

		bytes_len = len = utf8_next(text, &point);
		cells = utf8_width(point);
		if (at_least && !utf8_is_figure(text)) {
			at_least = false;
			len = 0;
			max_cells++;
			bytes = "+";
			bytes_len = cells = 1;
		} else if (line->ascii && point == UTF8_AT_LEAST && max_cells > 0) {
			at_least = true;
			max_cells--; /* for the '+' */
			continue;
		} else if (cells < 0 || (line->ascii && point >= 0x80)) {
			ascii = cells < 0 ? '?' : utf8_ascii(point);
			bytes = &ascii;
			bytes_len = cells = 1;
		}
		if (cells > max_cells)
			return;
		max_cells -= cells;
		put_char(line, bytes, bytes_len, cells);
	}
}

void line_text(struct line *line, const char *text)
{
	line_text_max(line, text, __INT_MAX__);
}

void line_cut(struct line *line, const char *text, int max_cells)
{
	if (utf8_cells(text) <= max_cells) {
		line_text(line, text);
		return;
	}
	line_text_max(line, text, max_cells - 1);
	line_text(line, "…");
}

void line_format(struct line *line, const char *format, ...)
{
	/* For our own numbers and words; long text goes through line_text() */
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	line_text(line, text);
}

void line_to(struct line *line, int cell)
{
	int blanks = cell - line->cells;

	if (blanks < 1)
		blanks = line->cells ? 1 : 0;
	while (blanks-- > 0)
		put_char(line, " ", 1, 1);
}

void line_right(struct line *line, int end, const char *text)
{
	int cells = utf8_cells(text);

	/* a number cut short would be another number: print all of it or nothing */
	if (line->width &&
	    (end > line->width || line->cells + (line->cells > 0) + cells > line->width)) {
		line->cut = true;
		return;
	}
	line_to(line, end - cells);
	line_text(line, text);
}

void line_style(struct line *line, enum line_style style)
{
	if (!line->color || (style == STYLE_PLAIN && !line->styled) ||
	    (style != STYLE_PLAIN && line->cut))
		return;
	flush_last(line);
	if (style != STYLE_PLAIN)
		flush_blanks(line);
	sink_puts(line->sink, styles[style]);
	line->styled = style != STYLE_PLAIN;
}

void line_end(struct line *line)
{
	flush_last(line);
	line_style(line, STYLE_PLAIN);
	sink_write(line->sink, "\n", 1);
	line->cells = line->blanks = 0;
	line->cut = false;
}

void line_wrapped(struct line *line, int indent, const char *text)
{
	char word[PATH_MAX + 256];
	size_t len;

	for (bool first = true; *text; text += len, first = false) {
		len = strcspn(text, " ");
		if (!len) { /* a blank is written together with the word after it */
			len = 1;
			continue;
		}
		snprintf(word, sizeof(word), "%.*s",
			 (int)(len < sizeof(word) ? len : sizeof(word) - 1), text);
		if (!first && line->wrap && line->cells + 1 + utf8_cells(word) > line->wrap &&
		    line->cells > indent) {
			line_end(line);
			line_to(line, indent);
		} else if (!first) {
			line_text(line, " ");
		}
		line_text(line, word);
	}
}
