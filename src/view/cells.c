/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures in cells. Zero and absent values are dim, so that the others stand out. */
#include "view/cells.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/columns.h"
#include "print/text.h"
#include "util/utf8.h"

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
