// SPDX-License-Identifier: GPL-2.0-or-later
/* Text from anywhere: decoded, measured, cleaned, fitted, in any locale. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "holds.h"

#include "util/utf8.h"
#include "util/util.h"

static void clean(const char *text, const char *expected)
{
	char out[64];

	ck_assert_str_eq(utf8_clean(text, out, sizeof(out)), expected);
}

TEST(text_is_cleaned)
{
	char out[8];

	clean("plain", "plain");
	clean("\033[31mred\007\r\n\t\x7f", "?[31mred?????");
	clean("\xc3\xa9\xe2\x89\xa5\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x89\xa5\xf0\x9f\x98\x80");
	clean("\xc2\x85\xc2\x9b"
	      "31m",
	      "??31m"); /* C1 */
	clean("a\xff\x80\xc3", "a???");
	clean("\xc0\x80\xc1\xbf", "????"); /* overlong */
	clean("\xe0\x80\xaf", "???");
	clean("\xed\xa0\x80", "???");      /* surrogate */
	clean("\xf4\x90\x80\x80", "????"); /* past the last */
	clean("\xf5\x80\x80\x80", "????");
	clean("\xe2\x80\xae"
	      "abc",
	      "?abc"); /* writes from right to left */
	/* U+200B, U+E0000: not seen */
	clean("a\xe2\x80\x8b"
	      "b\xf3\xa0\x80\x80"
	      "c",
	      "a?b?c");
	clean("\xe2\x89", "??"); /* ends within a character */
	ck_assert_str_eq(utf8_clean("abcdefghij", out, sizeof(out)), "abcdefg");
	/* Never half a character */
	ck_assert_str_eq(utf8_clean("abcdef\xc3\xa9", out, sizeof(out)), "abcdef");
	ck_assert_str_eq(utf8_clean("abc", out, 1), "");
}

/*
 * What is hostile to one is so to all: cleaned, it is a question mark; it has no width; measured,
 * it is one cell.
 */
TEST(all_agree)
{
	char text[5], out[8];
	int32_t point, read;

	for (point = 1; point < 0x110000; point++) {
		if (point >= 0xd800 && point < 0xe000)
			continue;
		utf8_encode(point, text);
		holds(utf8_next(text, &read) == strlen(text) && read == point,
		      "U+%04X: read as %04X", (unsigned int)point, (unsigned int)read);
		utf8_clean(text, out, sizeof(out));
		holds(!strcmp(out, utf8_is_hostile(point) ? "?" : text), "U+%04X: cleaned to %s",
		      (unsigned int)point, out);
		holds(!utf8_is_hostile(point) || utf8_width(point) == -1,
		      "U+%04X: hostile, and has a width", (unsigned int)point);
		holds(utf8_cells(text) == (utf8_width(point) < 0 ? 1 : utf8_width(point)),
		      "U+%04X: %d cells", (unsigned int)point, utf8_cells(text));
		holds(utf8_ascii(point) > 0, "U+%04X: nothing in ASCII", (unsigned int)point);
	}
}

TEST(hostile)
{
	static const int32_t points[] = { 0x1b,    0x7f,    0x9b,    0xad,    0x200b,
					  0x200d,  0x202e,  0x2028,  0x2066,  0xfe0f,
					  0xfeff,  0x13430, 0x1343f, 0x1bca0, 0x1bca3,
					  0x1d173, 0x1d17a, 0xe0000, 0xe0041, -1 };
	static const int32_t others[] = { 'a',     0xe9,    0x301,   0x2265,  0x63a8,
					  0x1342f, 0x1bca4, 0x1d172, 0x1d17b, 0x1f600 };

	for (size_t i = 0; i < ARRAY_LEN(points); i++)
		ck_assert_msg(utf8_is_hostile(points[i]), "U+%04X", (unsigned int)points[i]);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		ck_assert_msg(!utf8_is_hostile(others[i]), "U+%04X", (unsigned int)others[i]);
}

/* The user's locale decides nothing. */
TEST(widths)
{
	static const char *const locales[] = { "C", "C.UTF-8" };

	for (size_t i = 0; i < ARRAY_LEN(locales); i++) {
		setlocale(LC_ALL, locales[i]);
		ck_assert_int_eq(utf8_width('a'), 1);
		ck_assert_int_eq(utf8_width(0x63a8), 2);
		ck_assert_int_eq(utf8_width(0x301), 0);
		ck_assert_int_eq(utf8_width(0x2588), 1);
		ck_assert_int_eq(utf8_cells("a\xe6\x8e\xa8\xff"), 4);
	}
}

/* Nor in which letters words differ: in Turkish i is not the small I. */
TEST(letters)
{
	setlocale(LC_ALL, "tr_TR.UTF-8"); /* where it is installed */
	ck_assert_int_eq(ascii_casecmp("LIVE", "live"), 0);
	ck_assert_int_lt(ascii_casecmp("live", "LIVES"), 0);
	ck_assert_int_gt(ascii_casecmp("b", "A"), 0);
	ck_assert_int_eq(ascii_ncasecmp("PIDs", "pid", 3), 0);
	ck_assert_int_ne(ascii_ncasecmp("PI", "pid", 3), 0);
	ck_assert_int_eq(ascii_ncasecmp("a", "b", 0), 0);
	ck_assert_int_ne(ascii_casecmp("\xc3\x89", "\xc3\xa9"), 0);
}
