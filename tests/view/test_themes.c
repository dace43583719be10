/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every style of every theme can be read: the contrast of text to its background is at least 4.5:1,
 * and that of what is only drawn with (lines, gaps) 3:1, as the W3C's guidelines (WCAG 2.2, 1.4.3 and
 * 1.4.11) count it; unselected, selected, bold, and where a search has matched. What is a terminal's
 * own is taken from terminals that are common. And how many colours a terminal has.
 */
#include <math.h>
#include <string.h>

#include "cast.h"
#include "util/util.h"

/* Backgrounds: black, GNOME's, VS Code's, Dracula, Tango, Solarized; white, Solarized, grey */
static const int32_t dark[] = { 0x000000, 0x171421, 0x1e1e1e, 0x282a36, 0x2e3436, 0x002b36 };
static const int32_t light[] = { 0xffffff, 0xfdf6e3, 0xeeeeee };

/* The 16 colours of terminals that have no more: the Linux console's (VGA), and xterm's */
static const int32_t palettes[][16] = {
	{ 0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555,
	  0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff },
	{ 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
	  0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff },
};

static double linear(int32_t byte)
{
	double value = byte / 255.0;

	return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double luminance(int32_t rgb)
{
	return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8 & 255) +
	       0.0722 * linear(rgb & 255);
}

static double contrast(int32_t a, int32_t b)
{
	double x = luminance(a), y = luminance(b);

	return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

/* Colours 16 to 255 of xterm's: a cube of six steps, and greys */
static int32_t of_256(int32_t index)
{
	static const int32_t steps[] = { 0, 95, 135, 175, 215, 255 };

	if (index >= 232)
		return (8 + 10 * (index - 232)) * 0x010101;
	index -= 16;
	return steps[index / 36] << 16 | steps[index / 6 % 6] << 8 | steps[index % 6];
}

static int32_t rgb_of(int32_t color, int32_t own, const int32_t palette[16], bool bright)
{
	if (color == COLOR_DEFAULT)
		return own;
	if (color & COLOR_RGB)
		return color - COLOR_RGB;
	return color >= 16 ? of_256(color) : palette[color + (bright && color < 8 ? 8 : 0)];
}

static bool is_drawn_with(unsigned int style)
{
	return style == ST_FRAME || style == ST_FREE;
}

/* With 8 colours bold is also bright, with more it may be: both are looked at. */
static void readable(const struct theme *theme, int colors, unsigned int style, unsigned int flags,
		     int32_t background, const int32_t palette[16])
{
	struct look look = theme_look(theme, colors, style, flags);
	int32_t own = theme->is_light ? palette[0] : palette[7];
	double least = is_drawn_with(style) ? 3 : 4.5;

	for (int bright = 0; bright < 2; bright++) {
		bool bold = look.attributes & LOOK_BOLD;
		double ratio;

		if (bright != bold && (colors == 8 || !bold))
			continue;
		ratio = contrast(rgb_of(look.fg, own, palette, bright),
				 rgb_of(look.bg, background, palette, false));
		ck_assert_msg(ratio >= least,
			      "%s, %d colours: style %c, flags %u: %.2f to 1 on #%06x", theme->name,
			      colors, style_letters[style], flags, ratio, (unsigned int)background);
	}
}

static void all_readable(const struct theme *theme, int colors, int32_t background,
			 const int32_t palette[16])
{
	for (unsigned int style = 0; style < ST_COUNT; style++)
		for (unsigned int flags = 0; flags <= (CELL_SELECTED | CELL_BOLD | CELL_MATCH);
		     flags++)
			readable(theme, colors, style, flags, background, palette);
}

START_TEST(contrasts)
{
	const struct theme *theme = &themes[_i];
	const int32_t *backgrounds = theme->is_light ? light : dark;
	size_t count = theme->is_light ? ARRAY_LEN(light) : ARRAY_LEN(dark), i;

	for (i = 0; i < count; i++) {
		all_readable(theme, 256, backgrounds[i], palettes[1]);
		all_readable(theme, COLORS_RGB, backgrounds[i], palettes[1]);
	}
	for (i = 0; i < ARRAY_LEN(palettes); i++) {
		all_readable(theme, 8, backgrounds[0], palettes[i]);
		all_readable(theme, 16, backgrounds[0], palettes[i]);
	}
}
END_TEST

/* A selected row, and a match in it, differ from the rest by more than nothing, at every depth. */
START_TEST(selection_shows)
{
	static const int depths[] = { 0, 8, 16, 256, COLORS_RGB };
	const struct theme *theme = &themes[_i];

	for (size_t i = 0; i < ARRAY_LEN(depths); i++)
		for (unsigned int flags = 0; flags < 8; flags++) {
			struct look before = theme_look(theme, depths[i], ST_PLAIN, flags), after;

			for (unsigned int more = 1; more <= CELL_MATCH; more *= 2) {
				if (flags & more || (more == CELL_BOLD && flags & CELL_MATCH) ||
				    (more == CELL_SELECTED && flags & CELL_MATCH))
					continue;
				after = theme_look(theme, depths[i], ST_PLAIN, flags | more);
				ck_assert_msg(memcmp(&before, &after, sizeof(after)) != 0,
					      "%s, %d colours: flags %u and %u", theme->name,
					      depths[i], flags, more);
			}
		}
}
END_TEST

/* Without colours nothing but attributes is asked for; with 8, none that there is not. */
START_TEST(within_depth)
{
	static const int depths[] = { 0, 8, 16, 256 };
	const struct theme *theme = &themes[_i];

	for (size_t i = 0; i < ARRAY_LEN(depths); i++)
		for (unsigned int style = 0; style < ST_COUNT; style++)
			for (unsigned int flags = 0; flags < 8; flags++) {
				struct look look = theme_look(theme, depths[i], style, flags);

				ck_assert_int_ge(look.fg, COLOR_DEFAULT);
				ck_assert_int_ge(look.bg, COLOR_DEFAULT);
				ck_assert_int_lt(look.fg, depths[i]);
				ck_assert_int_lt(look.bg, depths[i]);
			}
	ck_assert(theme_find("default") && theme_find("light")->is_light &&
		  !theme_find("colorblind")->is_light);
}
END_TEST

START_TEST(colors_of_terminals)
{
	static const struct {
		int described;
		bool has_rgb;
		const char *term, *colorterm, *tmux;
		int colors;
	} terminals[] = {
		{ -1, false, "vt100", NULL, NULL, 0 },
		{ -1, false, "vt100", "truecolor", NULL, 0 },
		{ 8, false, "linux", NULL, NULL, 8 },
		{ 8, false, "linux", "truecolor", NULL, 8 },
		{ 8, false, "xterm", NULL, NULL, 8 },
		{ 8, false, "xterm", "truecolor", NULL, COLORS_RGB },
		{ 16, false, "xterm-16color", "truecolor", NULL, 16 },
		{ 88, false, "rxvt-88color", NULL, NULL, 16 },
		{ 256, false, "xterm-256color", NULL, NULL, 256 },
		{ 256, false, "xterm-256color", "", NULL, 256 },
		{ 256, false, "xterm-256color", "yes", NULL, 256 },
		{ 256, false, "xterm-256color", "truecolor", NULL, COLORS_RGB },
		{ 256, false, "xterm-256color", "24bit", NULL, COLORS_RGB },
		{ 256, false, "xterm-kitty", "truecolor", NULL, COLORS_RGB },
		{ 256, true, "xterm-kitty", NULL, NULL, COLORS_RGB },
		{ 256, false, "screen-256color", "truecolor", NULL, 256 },
		{ 256, false, "screen-256color", "truecolor", "", 256 },
		{ 256, false, "screen-256color", "truecolor", "/tmp/tmux", COLORS_RGB },
		{ 256, false, "tmux-256color", "truecolor", NULL, COLORS_RGB },
		{ COLORS_RGB, true, "xterm-direct", NULL, NULL, COLORS_RGB },
		{ 256, false, NULL, "truecolor", NULL, COLORS_RGB },
	};

	for (size_t i = 0; i < ARRAY_LEN(terminals); i++)
		ck_assert_msg(theme_colors(terminals[i].described, terminals[i].has_rgb,
					   terminals[i].term, terminals[i].colorterm,
					   terminals[i].tmux) == terminals[i].colors,
			      "%zu: %s", i, terminals[i].term);
}
END_TEST

Suite *suite_themes(void)
{
	Suite *suite = suite_create("themes");
	TCase *tests = tcase_create("themes");

	tcase_add_loop_test(tests, contrasts, 0, (int)theme_count);
	tcase_add_loop_test(tests, selection_shows, 0, (int)theme_count);
	tcase_add_loop_test(tests, within_depth, 0, (int)theme_count);
	tcase_add_test(tests, colors_of_terminals);
	suite_add_tcase(suite, tests);
	return suite;
}
