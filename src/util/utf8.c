/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Widths come from the C library's table for UTF-8, through a locale object of our own, so that the
 * user's locale changes nothing. The lines, blocks and arrows that cutop draws take one cell,
 * whatever the library says.
 */
#include "util/utf8.h"

#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "util/util.h"

size_t utf8_next(const char *text, int32_t *point)
{
	static const int32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *byte = (const unsigned char *)text;
	size_t len, i;
	int32_t value;

	*point = -1;
	if (byte[0] < 0x80) {
		*point = byte[0];
		return 1;
	}
	len = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
	if (byte[0] < 0xc2 || byte[0] > 0xf4)
		return 1;
	value = byte[0] & (0xff >> (len + 1));
	for (i = 1; i < len; i++) {
		if ((byte[i] & 0xc0) != 0x80) /* the NUL at the end is no continuation byte */
			return 1;
		value = value << 6 | (byte[i] & 0x3f);
	}
	if (value < least[len] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 1;
	*point = value;
	return len;
}

bool utf8_is_hostile(int32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return true;
	if (c < 0x300)
		return c == 0x00ad;
	return c == 0x034f || c == 0x061c || c == 0x115f || c == 0x1160 ||
	       (c >= 0x17b4 && c <= 0x17b5) || (c >= 0x180b && c <= 0x180f) ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0x3164 || (c >= 0xfe00 && c <= 0xfe0f) ||
	       c == 0xfeff || c == 0xffa0 || (c >= 0xfff0 && c <= 0xfffb) ||
	       (c >= 0x13430 && c <= 0x1343f) || (c >= 0x1bca0 && c <= 0x1bca3) ||
	       (c >= 0x1d173 && c <= 0x1d17a) || c >= 0xe0000;
}

static locale_t utf8_locale;

static void locale_open(void)
{
	utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

int utf8_width(int32_t point)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	locale_t before;
	int width;

	if (utf8_is_hostile(point))
		return -1;
	if (point < 0x300 || (point >= 0x2190 && point < 0x2300) ||
	    (point >= 0x2500 && point < 0x25a0))
		return 1;
	pthread_once(&once, locale_open);
	before = utf8_locale ? uselocale(utf8_locale) : (locale_t)0;
	width = wcwidth((wchar_t)point);
	if (utf8_locale)
		uselocale(before);
	return width > 2 ? -1 : width;
}

char utf8_ascii(int32_t point)
{
	static const struct {
		int32_t point;
		char ascii;
	} forms[] = {
		{ UTF8_AT_LEAST, '+' }, { 0x2026, '+' }, { 0x2500, '-' }, { 0x2502, '|' },
		{ 0x250a, ':' },        { 0x25bc, 'v' }, { 0x25b2, '^' }, { 0x2191, '^' },
		{ 0x2193, 'v' },        { 0x2190, '<' }, { 0x2192, '>' }, { 0x2013, '-' },
		{ 0x00b5, 'u' },        { 0x00b7, '.' }, { 0x00d7, 'x' }, { 0x2581, '_' },
		{ 0x2582, '.' },        { 0x2583, ':' }, { 0x2584, '-' }, { 0x2585, '=' },
		{ 0x2586, '+' },        { 0x2587, '*' }, { 0x2588, '#' }, { 0x2589, '#' },
		{ 0x258a, '#' },        { 0x258b, '=' }, { 0x258c, '=' }, { 0x258d, '-' },
		{ 0x258e, '-' },        { 0x258f, ' ' }, { 0x2591, '.' }, { 0x2592, '~' },
		{ 0x2593, '%' },        { 0x259a, '!' }, { 0x25b6, '>' }, { 0x25cf, '*' },
		{ 0x2594, '-' },        { 0x2717, 'x' }, { 0x2713, 'v' }, { 0x2501, '=' },
		{ 0x2580, '"' },        { 0x2506, ':' }, { 0x25a0, '#' },
	};

	if (point >= 0 && point < 0x80)
		return (char)point;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (forms[i].point == point)
			return forms[i].ascii;
	/* Braille: the more dots, the fuller */
	if (point >= 0x2800 && point < 0x2900)
		return " _.:-=+*#"[__builtin_popcount((unsigned int)point & 0xff)];
	return point >= 0x2500 && point < 0x2580 ? '+' : '?'; /* corners and crossings */
}

bool utf8_is_figure(const char *text)
{
	return (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') ||
	       (*text >= 'A' && *text <= 'Z') || *text == '%' ||
	       (*text == '.' && text[1] >= '0' && text[1] <= '9');
}

char *utf8_encode(int32_t point, char out[5])
{
	char *at = out;

	if (point < 0x80) {
		*at++ = (char)point;
	} else if (point < 0x800) {
		*at++ = (char)(0xc0 | point >> 6);
		*at++ = (char)(0x80 | (point & 0x3f));
	} else if (point < 0x10000) {
		*at++ = (char)(0xe0 | point >> 12);
		*at++ = (char)(0x80 | (point >> 6 & 0x3f));
		*at++ = (char)(0x80 | (point & 0x3f));
	} else {
		*at++ = (char)(0xf0 | point >> 18);
		*at++ = (char)(0x80 | (point >> 12 & 0x3f));
		*at++ = (char)(0x80 | (point >> 6 & 0x3f));
		*at++ = (char)(0x80 | (point & 0x3f));
	}
	*at = '\0';
	return out;
}

int utf8_cells(const char *text)
{
	int32_t point;
	int total = 0, cells;

	while (*text && total < INT_MAX - 2) {
		text += utf8_next(text, &point);
		cells = utf8_width(point);
		total += cells < 0 ? 1 : cells;
	}
	return total;
}

char *utf8_clean(const char *text, char *out, size_t size)
{
	size_t used = 0;

	while (*text) {
		int32_t point;
		size_t len = utf8_next(text, &point);
		bool bad = utf8_is_hostile(point);

		if (used + (bad ? 1 : len) >= size)
			break;
		if (bad)
			out[used++] = '?';
		else
			for (size_t i = 0; i < len; i++)
				out[used++] = text[i];
		text += len;
	}
	out[used] = '\0';
	return out;
}

char *utf8_clean_copy(const char *text, size_t len)
{
	char *raw = strndup(text, len), *clean = NULL;

	/* A replacement is never longer than the character it replaces. */
	if (raw)
		clean = malloc(strlen(raw) + 1);
	if (clean)
		utf8_clean(raw, clean, strlen(raw) + 1);
	free(raw);
	return clean;
}

char *utf8_fit(char *out, size_t size, const char *text, int cells)
{
	static const char sign[] = "…";
	size_t used = 0, fits = 0, len = strnlen(text, size);
	int taken = 0;

	/* No character has more cells than bytes. */
	if (len < size && len <= (size_t)cells)
		return memcpy(out, text, len + 1);
	for (; *text; text += len) {
		int32_t point;
		int width;

		len = utf8_next(text, &point);
		width = utf8_width(point);
		width = width < 0 ? 1 : width;
		if (width > cells - taken || used + len >= size) {
			memcpy(out + fits, sign, sizeof(sign));
			return out;
		}
		memcpy(out + used, text, len);
		used += len;
		taken += width;
		if (taken < cells && used + sizeof(sign) <= size)
			fits = used; /* there is room for "…" behind the text so far */
	}
	out[used] = 0;
	return out;
}
