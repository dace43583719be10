/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures as the screen shows them: numbers in cells (zero and absent values are dim, so that the
 * others stand out), bars and sparklines in eighths of a cell, times of day and ages.
 */
#include "view/cells.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/columns.h"
#include "print/fields.h"
#include "print/text.h"
#include "util/utf8.h"
#include "util/util.h"
#include "view/view_internal.h"

/* ---- bars and sparklines ---- */

/* Room for so many samples is left where there are less. */
#define SAMPLES_AT_FIRST 20

static const char *const lower[9] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const left[9] = { " ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };

static int eighths(double fraction, int cells)
{
	int value;

	if (!(fraction > 0) || cells <= 0)
		return 0;
	value = (int)lround(fmin(fraction, 1) * cells * 8);
	return value ? value : 1;
}

void bar_of(const struct area *area, int row, int col, int cells, enum style style, double fraction)
{
	int whole = eighths(fraction, cells), rest = whole % 8;

	whole /= 8;
	area_repeat(area, row, col, whole, style, "█");
	if (rest)
		area_text(area, row, col + whole, style, left[rest]);
}

enum style tone_style(enum event_tone tone)
{
	static const enum style styles[TONE_COUNT] = {
		[TONE_QUIET] = ST_DIM,   [TONE_GOOD] = ST_GOOD,      [TONE_NOTICE] = ST_SUSPECT,
		[TONE_LEAK] = ST_LEAKED, [TONE_FAILURE] = ST_FAILED,
	};

	return styles[tone];
}

const char *level_of(double fraction)
{
	return lower[eighths(fraction, 1)];
}

/* The lowest height is for nothing alone: without colours, too, a little is more than that. */
static void sample_draw(const struct area *area, int row, int col, enum style style,
			double fraction)
{
	if (isnan(fraction))
		return;
	if (fraction > 0)
		area_text(area, row, col, style, level_of(fmax(fraction, 2 / 8.)));
	else
		area_text(area, row, col, ST_FREE, lower[1]);
}

int cells_each(int cells, double samples)
{
	static const int widths[] = { 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2 };

	for (size_t i = 0; i < ARRAY_LEN(widths); i++)
		if (cells >= widths[i] * samples)
			return widths[i];
	return 1;
}

void spark_of(const struct area *area, int row, int col, int cells, enum style style,
	      const struct track *track, enum series series, double top)
{
	int each = cells_each(cells, fmax((double)track_count(track), SAMPLES_AT_FIRST)), i;
	double most = 0;

	for (i = 0; i < cells && !(top > 0); i += each)
		most = fmax(most, track_value(track, series, (size_t)(i / each)));
	for (i = 0; i < cells; i++) {
		double value = track_value(track, series, (size_t)((cells - 1 - i) / each));

		/* 0 of 0 is nothing, too. */
		sample_draw(area, row, col + i, style,
			    value > 0 ? fmin(value / (top > 0 ? top : most / 0.9), 1) : value);
	}
}

bool scrollbar_top(struct rect rect, int row, size_t count, size_t *top)
{
	if (rect.rows < 2 || count <= (size_t)rect.rows)
		return false;
	*top = (size_t)((double)(row - rect.row) / (rect.rows - 1) *
				(double)(count - (size_t)rect.rows) +
			0.5);
	return true;
}

void scrollbar_draw(const struct area *area, size_t top, size_t count)
{
	int rows = area->rect.rows, size, at;

	if (count <= (size_t)rows || rows < 2)
		return;
	size = (int)((size_t)rows * (size_t)rows / count);
	size = size < 1 ? 1 : size;
	at = (int)((double)top / (double)(count - (size_t)rows) * (rows - size) + 0.5);
	for (int i = 0; i < rows; i++)
		area_text(area, i, area->rect.cols - 1, ST_FRAME,
			  i >= at && i < at + size ? "█" : "│");
}

/* ---- lines ---- */

struct segment *segment_add(struct segments *segments, int rank, enum style style, bool right,
			    const char *format, ...)
{
	struct segment *segment = &segments->list[segments->count++];
	va_list args;

	*segment = (struct segment){ .style = style, .rank = rank, .right = right };
	va_start(args, format);
	vsnprintf(segment->text, sizeof(segment->text), format, args);
	va_end(args);
	return segment;
}

int segments_draw(struct segments *segments, const struct area *area, int row, int cols)
{
	int used = 1, rank, col = 1, end = cols - 1;
	struct segment *segment, *last = segments->list + segments->count;

	for (rank = 0; rank < 20; rank++)
		for (segment = segments->list; segment < last; segment++) {
			int width = canvas_width(area->canvas, segment->text);

			if (segment->rank != rank || used + width + 1 > cols)
				continue;
			segment->shown = true;
			used += width + 2;
		}
	for (segment = segments->list; segment < last; segment++)
		if (segment->shown && !segment->right)
			col = area_text(area, row, col, segment->style, segment->text) + 2;
	while (segment-- > segments->list) {
		if (!segment->shown || !segment->right)
			continue;
		area_right(area, row, end, segment->style, segment->text);
		segment->end = end;
		segment->start = end - canvas_width(area->canvas, segment->text);
		end = segment->start - 2;
	}
	return col;
}

/* ---- times ---- */

#define DAY (86400 * NSEC_PER_SEC)

void format_clock(const struct view *view, uint64_t real_ns, char *out, size_t size)
{
	time_t seconds = (time_t)(real_ns / NSEC_PER_SEC);
	struct tm tm;

	if (!(view->timezone_fixed ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)) ||
	    !strftime(out, size, "%H:%M:%S", &tm))
		snprintf(out, size, "-");
}

void format_when(const struct view *view, uint64_t real_ns, char *out, size_t size)
{
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t seconds = (time_t)(real_ns / NSEC_PER_SEC);
	struct tm tm;

	if (!view->shown || view->shown->time < real_ns || view->shown->time - real_ns < DAY)
		format_clock(view, real_ns, out, size);
	else if (view->timezone_fixed ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm))
		snprintf(out, size, "%s %02d", months[tm.tm_mon % 12], tm.tm_mday);
	else
		snprintf(out, size, "-");
}

void format_age(uint64_t ns, char *out, size_t size)
{
	uint64_t seconds = ns / NSEC_PER_SEC;

	if (seconds < 3600)
		snprintf(out, size, "%02u:%02u", (unsigned int)(seconds / 60),
			 (unsigned int)(seconds % 60));
	else if (seconds < 86400)
		snprintf(out, size, "%uh%02um", (unsigned int)(seconds / 3600),
			 (unsigned int)(seconds / 60 % 60));
	else if (seconds < 86400 * 1000)
		snprintf(out, size, "%ud%02uh", (unsigned int)(seconds / 86400),
			 (unsigned int)(seconds / 3600 % 24));
	else
		snprintf(out, size, "%ud", (unsigned int)(seconds / 86400));
}

/* ---- cells ---- */

/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
uint64_t key_add(uint64_t hash, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
	return hash;
}

uint64_t key_text(uint64_t hash, const char *text)
{
	return text ? key_add(hash, text, strlen(text)) : hash;
}

static enum style seen(double value)
{
	return value != 0 && !isnan(value) ? ST_PLAIN : ST_DIM;
}

enum style cell_text(char out[CELL_TEXT], enum style style, const char *text)
{
	utf8_fit(out, CELL_TEXT, text, INT_MAX);
	return style;
}

enum style cell_bytes(char out[CELL_TEXT], double bytes)
{
	if (isnan(bytes))
		return cell_text(out, ST_DIM, "-");
	format_bytes(bytes, out, CELL_TEXT);
	return seen(bytes);
}

enum style cell_count(char out[CELL_TEXT], double count, int width)
{
	if (isnan(count))
		return cell_text(out, ST_DIM, "-");
	/*
	 * Print every digit as long as there is room: users compare exact numbers in these lists.
	 */
	if (count != floor(count) || snprintf(out, CELL_TEXT, "%.0f", count) > width)
		format_count(count, out, CELL_TEXT);
	return seen(count);
}

enum style cell_about(char out[CELL_TEXT], double count, bool exact, int width)
{
	char number[CELL_TEXT];
	enum style style = cell_count(number, count, width - !exact);

	snprintf(out, CELL_TEXT, "%s%.32s", exact ? "" : "~", number);
	return style;
}

enum style cell_rate(char out[CELL_TEXT], double rate, bool bytes)
{
	if (isnan(rate))
		return cell_text(out, ST_DIM, "-");
	if (bytes)
		format_bytes(rate, out, CELL_TEXT);
	else if (rate > 0 && rate < 9.95)
		snprintf(out, CELL_TEXT, "%.1f", rate);
	else
		format_count(rate, out, CELL_TEXT);
	return seen(rate);
}

enum style cell_time(char out[CELL_TEXT], double seconds)
{
	char text[NUMBER_SIZE];

	if (isnan(seconds))
		return cell_text(out, ST_DIM, "-");
	/* Waits of many threads add up: the seconds go into the millions. */
	if (seconds >= 3600 * 9999.5)
		snprintf(out, CELL_TEXT, "%.0fd", seconds / 86400);
	else if (seconds >= 99999.5)
		snprintf(out, CELL_TEXT, "%.*fh", seconds < 3600 * 999.95, seconds / 3600);
	else if (seconds >= 100)
		snprintf(out, CELL_TEXT, "%.0fs", seconds);
	else if (seconds == 0)
		snprintf(out, CELL_TEXT, "0");
	else
		snprintf(out, CELL_TEXT, "%s", text_seconds(seconds, text));
	return seen(seconds);
}

enum style cell_share(char out[CELL_TEXT], double share)
{
	if (isnan(share))
		return cell_text(out, ST_DIM, "-");
	snprintf(out, CELL_TEXT, "%.1f%%", 100 * share);
	return seen(share);
}

enum style cell_device(char out[CELL_TEXT], int device)
{
	if (device < 0)
		return cell_text(out, ST_DIM, "-");
	snprintf(out, CELL_TEXT, "%d", device);
	return ST_PLAIN;
}

enum style cell_failures(char out[CELL_TEXT], double count, bool lower_bound, int width)
{
	char number[CELL_TEXT];

	lower_bound = lower_bound && count > 0;
	cell_count(number, count, width - lower_bound);
	snprintf(out, CELL_TEXT, "%s%.32s", lower_bound ? "≥" : "", number);
	return count > 0 ? ST_FAILED : ST_DIM;
}

static const struct field *field_of(const struct list *list, size_t column)
{
	return field_find(list->desc->items->fields, list->columns[column].field);
}

double item_number(const struct list *list, size_t column, const void *item)
{
	const struct field *field = field_of(list, column);

	return field_is_known(field, item, list->process) ? field_number(field, item) : NAN;
}

enum style item_cell(const struct list *list, size_t column, const void *item, char out[CELL_TEXT])
{
	const struct field *field = field_of(list, column);
	double number = item_number(list, column, item);

	if (field->kind == FIELD_DEVICE)
		return cell_device(out, (int)number);
	switch (field_unit(field)) {
	case UNIT_BYTES: return cell_bytes(out, number);
	case UNIT_SECONDS: return cell_time(out, number);
	case UNIT_PER_SECOND: return cell_rate(out, number, false);
	case UNIT_BYTES_PER_SECOND: return cell_rate(out, number, true);
	default: return cell_count(out, number, list->columns[column].width);
	}
}
