/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The themes. "colorblind" uses the hues of Okabe and Ito, which can be told apart with the common
 * kinds of colour blindness; "light" is for dark text on a bright terminal; "mono" has no colour at
 * all, and is used with NO_COLOR and on terminals without colours.
 */
#include "view/theme.h"

#include <string.h>

#include "view/canvas.h"

#define D COLOR_DEFAULT
#define B LOOK_BOLD
#define R LOOK_REVERSE
#define U LOOK_UNDERLINE
#define F LOOK_DIM

const char style_letters[ST_COUNT] = {
	[ST_PLAIN] = '.',      [ST_DIM] = 'd',    [ST_HEAD] = 'H', [ST_TITLE] = 't',
	[ST_TITLE_SORT] = 'T', [ST_FRAME] = 'f',  [ST_KEY] = 'k',  [ST_KEY_TEXT] = 'x',
	[ST_TAB] = 'b',        [ST_EXITED] = 'e', [ST_LIVE] = 'L', [ST_SUSPECT] = 'S',
	[ST_LEAKED] = 'K',     [ST_HELD] = 'h',   [ST_FREE] = 'r', [ST_FAILED] = 'F',
	[ST_LAUNCH] = 'U',     [ST_H2D] = '1',    [ST_D2H] = '2',  [ST_D2D] = '3',
	[ST_P2P] = '4',        [ST_WAIT] = 'W',   [ST_GOOD] = 'G', [ST_INPUT] = 'i',
	[ST_MESSAGE] = 'm',
};

static const struct look mono[ST_COUNT] = {
	[ST_PLAIN] = { D, D, 0 },
	[ST_DIM] = { D, D, 0 },
	[ST_HEAD] = { D, D, B },
	[ST_TITLE] = { D, D, U },
	[ST_TITLE_SORT] = { D, D, U | B },
	[ST_FRAME] = { D, D, 0 },
	[ST_KEY] = { D, D, B },
	[ST_KEY_TEXT] = { D, D, 0 },
	[ST_TAB] = { D, D, R },
	[ST_EXITED] = { D, D, 0 },
	[ST_LIVE] = { D, D, 0 },
	[ST_SUSPECT] = { D, D, B },
	[ST_LEAKED] = { D, D, B },
	[ST_HELD] = { D, D, 0 },
	[ST_FREE] = { D, D, 0 },
	[ST_FAILED] = { D, D, B },
	[ST_LAUNCH] = { D, D, 0 },
	[ST_H2D] = { D, D, 0 },
	[ST_D2H] = { D, D, 0 },
	[ST_D2D] = { D, D, 0 },
	[ST_P2P] = { D, D, 0 },
	[ST_WAIT] = { D, D, 0 },
	[ST_GOOD] = { D, D, 0 },
	[ST_INPUT] = { D, D, B },
	[ST_MESSAGE] = { D, D, B },
};

static const struct look default_rich[ST_COUNT] = {
	[ST_PLAIN] = { D, D, 0 },          [ST_DIM] = { 245, D, 0 },
	[ST_HEAD] = { D, D, B },           [ST_TITLE] = { 250, 236, 0 },
	[ST_TITLE_SORT] = { 231, 236, B }, [ST_FRAME] = { 240, D, 0 },
	[ST_KEY] = { 75, D, B },           [ST_KEY_TEXT] = { 248, D, 0 },
	[ST_TAB] = { 231, 24, B },         [ST_EXITED] = { 244, D, 0 },
	[ST_LIVE] = { 78, D, 0 },          [ST_SUSPECT] = { 221, D, 0 },
	[ST_LEAKED] = { 203, D, B },       [ST_HELD] = { 110, D, 0 },
	[ST_FREE] = { 238, D, 0 },         [ST_FAILED] = { 209, D, B },
	[ST_LAUNCH] = { 75, D, 0 },        [ST_H2D] = { 80, D, 0 },
	[ST_D2H] = { 141, D, 0 },          [ST_D2D] = { 114, D, 0 },
	[ST_P2P] = { 179, D, 0 },          [ST_WAIT] = { 180, D, 0 },
	[ST_GOOD] = { 78, D, 0 },          [ST_INPUT] = { D, D, B },
	[ST_MESSAGE] = { 222, D, 0 },
};

static const struct look default_plain[ST_COUNT] = {
	[ST_PLAIN] = { D, D, 0 },
	[ST_DIM] = { D, D, F },
	[ST_HEAD] = { D, D, B },
	[ST_TITLE] = { D, D, U },
	[ST_TITLE_SORT] = { D, D, U | B },
	[ST_FRAME] = { D, D, F },
	[ST_KEY] = { D, D, B },
	[ST_KEY_TEXT] = { D, D, 0 },
	[ST_TAB] = { D, D, R },
	[ST_EXITED] = { D, D, F },
	[ST_LIVE] = { 2, D, 0 },
	[ST_SUSPECT] = { 3, D, B },
	[ST_LEAKED] = { 1, D, B },
	[ST_HELD] = { 4, D, 0 },
	[ST_FREE] = { D, D, F },
	[ST_FAILED] = { 1, D, B },
	[ST_LAUNCH] = { 4, D, B },
	[ST_H2D] = { 6, D, 0 },
	[ST_D2H] = { 5, D, 0 },
	[ST_D2D] = { 2, D, 0 },
	[ST_P2P] = { 3, D, 0 },
	[ST_WAIT] = { 3, D, 0 },
	[ST_GOOD] = { 2, D, 0 },
	[ST_INPUT] = { D, D, B },
	[ST_MESSAGE] = { 3, D, B },
};

/* blue 33, sky 74, green 36, yellow 227, vermilion 166, orange 214, purple 175 */
static const struct look colorblind_rich[ST_COUNT] = {
	[ST_PLAIN] = { D, D, 0 },          [ST_DIM] = { 247, D, 0 },
	[ST_HEAD] = { D, D, B },           [ST_TITLE] = { 252, 236, 0 },
	[ST_TITLE_SORT] = { 231, 236, B }, [ST_FRAME] = { 243, D, 0 },
	[ST_KEY] = { 75, D, B },           [ST_KEY_TEXT] = { 250, D, 0 },
	[ST_TAB] = { 231, 25, B },         [ST_EXITED] = { 245, D, 0 },
	[ST_LIVE] = { 74, D, 0 },          [ST_SUSPECT] = { 227, D, 0 },
	[ST_LEAKED] = { 208, D, B },       [ST_HELD] = { 33, D, 0 },
	[ST_FREE] = { 238, D, 0 },         [ST_FAILED] = { 208, D, B },
	[ST_LAUNCH] = { 74, D, 0 },        [ST_H2D] = { 33, D, 0 },
	[ST_D2H] = { 214, D, 0 },          [ST_D2D] = { 36, D, 0 },
	[ST_P2P] = { 175, D, 0 },          [ST_WAIT] = { 227, D, 0 },
	[ST_GOOD] = { 74, D, 0 },          [ST_INPUT] = { D, D, B },
	[ST_MESSAGE] = { 227, D, 0 },
};

static const struct look colorblind_plain[ST_COUNT] = {
	[ST_PLAIN] = { D, D, 0 },
	[ST_DIM] = { D, D, F },
	[ST_HEAD] = { D, D, B },
	[ST_TITLE] = { D, D, U },
	[ST_TITLE_SORT] = { D, D, U | B },
	[ST_FRAME] = { D, D, F },
	[ST_KEY] = { D, D, B },
	[ST_KEY_TEXT] = { D, D, 0 },
	[ST_TAB] = { D, D, R },
	[ST_EXITED] = { D, D, F },
	[ST_LIVE] = { 6, D, 0 },
	[ST_SUSPECT] = { 3, D, B },
	[ST_LEAKED] = { 3, D, B | U },
	[ST_HELD] = { 4, D, B },
	[ST_FREE] = { D, D, F },
	[ST_FAILED] = { 3, D, B | U },
	[ST_LAUNCH] = { 6, D, 0 },
	[ST_H2D] = { 4, D, B },
	[ST_D2H] = { 3, D, B },
	[ST_D2D] = { 6, D, 0 },
	[ST_P2P] = { 5, D, B },
	[ST_WAIT] = { 3, D, 0 },
	[ST_GOOD] = { 6, D, 0 },
	[ST_INPUT] = { D, D, B },
	[ST_MESSAGE] = { 3, D, B },
};

static const struct look light_rich[ST_COUNT] = {
	[ST_PLAIN] = { D, D, 0 },         [ST_DIM] = { 242, D, 0 },
	[ST_HEAD] = { D, D, B },          [ST_TITLE] = { 237, 253, 0 },
	[ST_TITLE_SORT] = { 16, 253, B }, [ST_FRAME] = { 248, D, 0 },
	[ST_KEY] = { 25, D, B },          [ST_KEY_TEXT] = { 240, D, 0 },
	[ST_TAB] = { 231, 25, B },        [ST_EXITED] = { 243, D, 0 },
	[ST_LIVE] = { 28, D, 0 },         [ST_SUSPECT] = { 130, D, B },
	[ST_LEAKED] = { 160, D, B },      [ST_HELD] = { 25, D, 0 },
	[ST_FREE] = { 252, D, 0 },        [ST_FAILED] = { 160, D, B },
	[ST_LAUNCH] = { 26, D, 0 },       [ST_H2D] = { 30, D, 0 },
	[ST_D2H] = { 91, D, 0 },          [ST_D2D] = { 64, D, 0 },
	[ST_P2P] = { 130, D, 0 },         [ST_WAIT] = { 94, D, 0 },
	[ST_GOOD] = { 28, D, 0 },         [ST_INPUT] = { D, D, B },
	[ST_MESSAGE] = { 94, D, B },
};

static const struct look light_plain[ST_COUNT] = {
	[ST_PLAIN] = { D, D, 0 },
	[ST_DIM] = { D, D, 0 },
	[ST_HEAD] = { D, D, B },
	[ST_TITLE] = { D, D, U },
	[ST_TITLE_SORT] = { D, D, U | B },
	[ST_FRAME] = { D, D, 0 },
	[ST_KEY] = { D, D, B },
	[ST_KEY_TEXT] = { D, D, 0 },
	[ST_TAB] = { 7, 4, B },
	[ST_EXITED] = { D, D, 0 },
	[ST_LIVE] = { 2, D, 0 },
	[ST_SUSPECT] = { 5, D, B },
	[ST_LEAKED] = { 1, D, B },
	[ST_HELD] = { 4, D, 0 },
	[ST_FREE] = { D, D, 0 },
	[ST_FAILED] = { 1, D, B },
	[ST_LAUNCH] = { 4, D, 0 },
	[ST_H2D] = { 4, D, 0 },
	[ST_D2H] = { 5, D, 0 },
	[ST_D2D] = { 2, D, 0 },
	[ST_P2P] = { 1, D, 0 },
	[ST_WAIT] = { 5, D, 0 },
	[ST_GOOD] = { 2, D, 0 },
	[ST_INPUT] = { D, D, B },
	[ST_MESSAGE] = { 4, D, B },
};

const struct theme themes[] = {
	{ "default",
	  "for dark terminals",
	  default_rich,
	  default_plain,
	  { 254, 238, 0 },
	  { D, D, R },
	  { 16, 221, 0 } },
	{ "mono", "no colour", mono, mono, { D, D, R }, { D, D, R }, { D, D, R } },
	{ "colorblind",
	  "hues that stay apart",
	  colorblind_rich,
	  colorblind_plain,
	  { 254, 239, 0 },
	  { D, D, R },
	  { 16, 227, 0 } },
	{ "light",
	  "for bright terminals",
	  light_rich,
	  light_plain,
	  { 16, 254, 0 },
	  { D, D, R },
	  { 16, 222, 0 } },
};

const size_t theme_count = sizeof(themes) / sizeof(themes[0]);

const struct theme *theme_find(const char *name)
{
	for (size_t i = 0; i < theme_count; i++)
		if (!strcmp(themes[i].name, name))
			return &themes[i];
	return NULL;
}

struct look theme_look(const struct theme *theme, int colors, unsigned int style,
		       unsigned int flags)
{
	const struct look *table = colors >= 256 ? theme->rich : theme->plain, *selected;
	struct look look;

	if (colors < 8) {
		table = mono;
		selected = &themes[1].selected_plain;
	} else {
		selected = colors >= 256 ? &theme->selected_rich : &theme->selected_plain;
	}
	look = table[style < ST_COUNT ? style : ST_PLAIN];
	if (flags & CELL_SELECTED) {
		if (selected->bg != COLOR_DEFAULT)
			look.bg = selected->bg;
		/*
		 * The terminal's own colour suits another background: on this one it may be
		 * unreadable.
		 */
		if (look.fg == COLOR_DEFAULT)
			look.fg = selected->fg;
		look.attributes |= selected->attributes;
		if (selected->attributes & LOOK_REVERSE)
			look.attributes &= (uint8_t)~LOOK_DIM;
	}
	if (flags & CELL_BOLD)
		look.attributes |= LOOK_BOLD;
	if (flags & CELL_MATCH) {
		if (colors >= 256 && theme->match.bg != COLOR_DEFAULT) {
			look.fg = theme->match.fg;
			look.bg = theme->match.bg;
		} else {
			look.attributes |= LOOK_UNDERLINE | LOOK_BOLD;
		}
	}
	return look;
}
