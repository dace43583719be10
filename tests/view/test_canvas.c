/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The canvas: clipping, wide and combining characters, hostile text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/holds.h"
#include "cast.h"
#include "util/utf8.h"

static struct canvas canvas;

static struct area area_new(int rows, int cols, bool ascii)
{
	canvas_free(&canvas);
	canvas.ascii = ascii;
	ck_assert_int_eq(canvas_resize(&canvas, rows, cols), 0);
	return area_of(&canvas, (struct rect){ 0, 0, rows, cols });
}

/* A row as text; the right half of a wide character adds nothing. */
static const char *row_text(int row)
{
	static char text[65536];

	text[0] = 0;
	for (int col = 0; col < canvas.cols; col++)
		strcat(text, canvas_cell(&canvas, row, col)->text);
	return text;
}

/* Every row takes as many cells as it has. */
static void check_widths(void)
{
	for (int row = 0; row < canvas.rows; row++) {
		int cells = 0;

		for (int col = 0; col < canvas.cols; col++) {
			const char *text = canvas_cell(&canvas, row, col)->text;
			int32_t point;

			if (!*text)
				continue;
			utf8_next(text, &point);
			holds(point >= 0x20 && (point < 0x7f || point >= 0xa0), "U+%04X",
			      (unsigned int)point);
			cells += utf8_width(point);
		}
		holds(cells == canvas.cols, "%d cells of %d", cells, canvas.cols);
	}
}

START_TEST(clipped)
{
	struct area whole = area_new(3, 10, false), part = area_part(&whole, 1, 2, 1, 5);

	ck_assert_int_eq(area_text(&part, 0, -2, ST_PLAIN, "abcdefghijkl"), 5);
	ck_assert_str_eq(row_text(1), "  cdefg   ");
	area_text(&part, 1, 0, ST_PLAIN, "below");
	area_text(&part, -1, 0, ST_PLAIN, "above");
	ck_assert_str_eq(row_text(0), "          ");
	ck_assert_str_eq(row_text(2), "          ");
	area_right(&whole, 2, 10, ST_PLAIN, "right");
	ck_assert_str_eq(row_text(2), "     right");
	area_right(&whole, 2, 3, ST_PLAIN, "longer");
	ck_assert_str_eq(row_text(2), "ger  right");
	part = area_part(&whole, 5, 20, 3, 3);
	ck_assert_int_eq(part.rect.rows, 0);
	ck_assert_int_eq(part.rect.cols, 0);
	area_text(&part, 0, 0, ST_PLAIN, "x");
	area_repeat(&whole, 0, 8, 100, ST_PLAIN, "-");
	ck_assert_str_eq(row_text(0), "        --");
	area_flags(&whole, 0, -5, 100, CELL_SELECTED);
	check_widths();
}
END_TEST

START_TEST(cut)
{
	struct area area = area_new(1, 12, false);

	ck_assert_int_eq(area_cut(&area, 0, 0, 5, ST_PLAIN, "abcde"), 5);
	ck_assert_int_eq(area_cut(&area, 0, 6, 4, ST_PLAIN, "abcde"), 10);
	ck_assert_str_eq(row_text(0), "abcde abc\u2026  ");
	area = area_new(1, 8, true);
	area_cut(&area, 0, 0, 4, ST_PLAIN, "abcde");
	ck_assert_str_eq(row_text(0), "abc+    ");
}
END_TEST

START_TEST(wide_characters)
{
	struct area area = area_new(1, 8, false);

	ck_assert_int_eq(area_text(&area, 0, 0, ST_PLAIN, "推論"), 4);
	ck_assert_str_eq(canvas_cell(&canvas, 0, 1)->text, "");
	check_widths();
	/* Half overwritten: the other half goes as well. */
	area_text(&area, 0, 1, ST_PLAIN, "x");
	ck_assert_str_eq(row_text(0), " x論    ");
	check_widths();
	area_text(&area, 0, 7, ST_PLAIN, "論");
	check_widths();
	area_text(&area, 0, -1, ST_PLAIN, "論");
	check_widths();
	/* Cut in the middle of one */
	area = area_new(1, 8, false);
	area_cut(&area, 0, 0, 4, ST_PLAIN, "a推論b");
	ck_assert_str_eq(row_text(0), "a推\u2026    ");
	check_widths();
}
END_TEST

START_TEST(combining_characters)
{
	struct area area = area_new(1, 4, false);
	char many[1000] = "e";

	ck_assert_int_eq(area_text(&area, 0, 0, ST_PLAIN, "e\xcc\x81x"), 2);
	ck_assert_str_eq(canvas_cell(&canvas, 0, 0)->text, "e\xcc\x81");
	ck_assert_str_eq(canvas_cell(&canvas, 0, 1)->text, "x");
	while (strlen(many) < 900)
		strcat(many, "\xcc\x81");
	area_text(&area, 0, 2, ST_PLAIN, many);
	ck_assert_uint_lt(strlen(canvas_cell(&canvas, 0, 2)->text), CELL_BYTES);
	area_text(&area, 0, 0, ST_PLAIN, "\xcc\x81"); /* nothing before it */
	ck_assert_int_eq(canvas_width(&canvas, many), 1);
	check_widths();
}
END_TEST

START_TEST(hostile_text)
{
	static const char *const texts[] = {
		"\033[2J\033]0;owned\007",
		"a\x7f"
		"b",
		"\xc2\x9b"
		"31m",
		"\xff\xfe\xfd",
		"\xc0\xaf",
		"\xed\xa0\x80",
		"\xf8\x88\x80\x80\x80",
		"\xe2\x80\xae"
		"reverse",
		"\xe2\x80\x8d",
		"\xef\xbb\xbf",
		"tab\there",
		"\r\n",
		"\xe6\x8e",
		"\xf0\x9f\x98",
		"\xf4\x90\x80\x80",
		"\xe2\x81\xa6"
		"x\xe2\x81\xa9",
		"\xf3\xa0\x81\x81",
	};

	for (int ascii = 0; ascii < 2; ascii++) {
		struct area area = area_new(20, 20, ascii);

		for (int i = 0; i < (int)(sizeof(texts) / sizeof(texts[0])); i++) {
			area_text(&area, i, 0, ST_PLAIN, texts[i]);
			area_cut(&area, i, 3, 5, ST_PLAIN, texts[i]);
			area_right(&area, i, 20, ST_PLAIN, texts[i]);
			for (const char *byte = row_text(i); ascii && *byte; byte++)
				ck_assert((unsigned char)*byte < 0x80);
		}
		check_widths();
	}
}
END_TEST

START_TEST(ten_thousand_characters)
{
	struct area area = area_new(2, 30, false);
	char *text = malloc(30001);
	int i;

	for (i = 0; i < 10000; i++)
		memcpy(text + 3 * i, "\xe6\x8e\xa8", 3);
	text[30000] = 0;
	ck_assert_int_eq(canvas_width(&canvas, text), 20000);
	area_cut(&area, 0, 1, 11, ST_PLAIN, text);
	area_right(&area, 1, 30, ST_PLAIN, text);
	check_widths();
	free(text);
}
END_TEST

START_TEST(every_byte_pair)
{
	struct area area = area_new(1, 6, false);
	char text[4] = { 0 };

	for (int a = 1; a < 256; a++)
		for (int b = 1; b < 256; b++) {
			text[0] = (char)a;
			text[1] = (char)b;
			text[2] = 'z';
			canvas_clear(&canvas);
			area_text(&area, 0, 0, ST_PLAIN, text);
			check_widths();
		}
}
END_TEST

START_TEST(themes_are_whole)
{
	for (size_t i = 0; i < theme_count; i++) {
		static const int colors[] = { 0, 8, 256 };

		ck_assert_ptr_eq(theme_find(themes[i].name), &themes[i]);
		for (size_t j = 0; j < 3; j++)
			for (unsigned int style = 0; style < ST_COUNT; style++) {
				struct look look = theme_look(&themes[i], colors[j], style, 0);

				ck_assert(look.fg < (colors[j] ? colors[j] : 1));
				ck_assert(look.bg < (colors[j] ? colors[j] : 1));
				if (!colors[j] || !strcmp(themes[i].name, "mono"))
					ck_assert_int_eq(look.fg, COLOR_DEFAULT);
			}
		/*
		 * Half of a pair of colours is the terminal's only where all of it is: dark on dark
		 * is not read, nor is white on white.
		 */
		for (unsigned int style = 0; style < ST_COUNT; style++)
			for (unsigned int flags = 0; flags < 8; flags++) {
				struct look look = theme_look(&themes[i], 256, style, flags);

				ck_assert_msg(look.bg == COLOR_DEFAULT || look.fg != COLOR_DEFAULT,
					      "%s: %c, %u", themes[i].name, style_letters[style],
					      flags);
			}
		ck_assert_int_eq(theme_look(&themes[i], 256, ST_INPUT, 0).fg, COLOR_DEFAULT);
		/* What is selected is seen, in any number of colours. */
		for (size_t j = 0; j < 3; j++) {
			struct look plain = theme_look(&themes[i], colors[j], ST_PLAIN, 0);
			struct look chosen =
				theme_look(&themes[i], colors[j], ST_PLAIN, CELL_SELECTED);

			ck_assert(memcmp(&plain, &chosen, sizeof(plain)) != 0);
		}
	}
	for (unsigned int style = 0; style < ST_COUNT; style++)
		ck_assert_int_ne(style_letters[style], 0);
	ck_assert_ptr_null(theme_find("nothing"));
}
END_TEST

Suite *suite_canvas(void)
{
	Suite *suite = suite_create("canvas");
	TCase *tests = tcase_create("canvas");

	tcase_add_test(tests, clipped);
	tcase_add_test(tests, cut);
	tcase_add_test(tests, wide_characters);
	tcase_add_test(tests, combining_characters);
	tcase_add_test(tests, hostile_text);
	tcase_add_test(tests, ten_thousand_characters);
	tcase_add_test(tests, every_byte_pair);
	tcase_add_test(tests, themes_are_whole);
	suite_add_tcase(suite, tests);
	return suite;
}
