/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The themes. "colorblind" uses the hues of Okabe and Ito, which can be told apart with the common
 * kinds of colour blindness; "light" is for dark text on a bright terminal, the others with colours
 * for a dark one; "mono" has no colour at all, and is used with NO_COLOR and on terminals without
 * colours. Nothing is dim by attribute: how dark that is, each terminal decides for itself.
 */
#include "view/theme.h"

#include <string.h>

#include "view/canvas.h"

#define D COLOR_DEFAULT
#define B LOOK_BOLD
#define R LOOK_REVERSE
#define U LOOK_UNDERLINE

const char style_letters[ST_COUNT] = {
	[ST_PLAIN] = '.',      [ST_DIM] = 'd',    [ST_HEAD] = 'H', [ST_TITLE] = 't',
	[ST_TITLE_SORT] = 'T', [ST_FRAME] = 'f',  [ST_KEY] = 'k',  [ST_KEY_TEXT] = 'x',
	[ST_TAB] = 'b',        [ST_EXITED] = 'e', [ST_LIVE] = 'L', [ST_SUSPECT] = 'S',
	[ST_LEAKED] = 'K',     [ST_HELD] = 'h',   [ST_FREE] = 'r', [ST_FAILED] = 'F',
	[ST_LAUNCH] = 'U',     [ST_H2D] = '1',    [ST_D2H] = '2',  [ST_D2D] = '3',
	[ST_P2P] = '4',        [ST_WAIT] = 'W',   [ST_GOOD] = 'G', [ST_INPUT] = 'i',
	[ST_MESSAGE] = 'm',
};

/*
 * A colour of the text: 24 bits, of 256, of 16 and of 8; with attributes for 256 and more, and for
 * fewer. In 8 colours bold also means bright, on the Linux console and in xterm.
 */
#define INK(rgb, rich, bright, plain, attributes, few) \
	{ \
		[DEPTH_RGB] = { COLOR_RGB | (rgb), D, attributes }, \
		[DEPTH_256] = { rich, D, attributes }, [DEPTH_16] = { bright, D, few }, \
		[DEPTH_8] = { plain, D, few }, \
	}

/* The colours of text and background; attributes where there are few colours. */
#define ON(rgb, rgb_bg, rich, rich_bg, attributes, few) \
	{ \
		[DEPTH_RGB] = { COLOR_RGB | (rgb), COLOR_RGB | (rgb_bg), attributes }, \
		[DEPTH_256] = { rich, rich_bg, attributes }, [DEPTH_16] = { D, D, few }, \
		[DEPTH_8] = { D, D, few }, \
	}

/* The terminal's own colours */
#define OWN(attributes) \
	{ \
		[DEPTH_RGB] = { D, D, attributes }, [DEPTH_256] = { D, D, attributes }, \
		[DEPTH_16] = { D, D, attributes }, [DEPTH_8] = { D, D, attributes }, \
	}

static const struct look mono[ST_COUNT][DEPTH_COUNT] = {
	[ST_PLAIN] = OWN(0),
	[ST_DIM] = OWN(0),
	[ST_HEAD] = OWN(B),
	[ST_TITLE] = OWN(U),
	[ST_TITLE_SORT] = OWN(U | B),
	[ST_FRAME] = OWN(0),
	[ST_KEY] = OWN(B),
	[ST_KEY_TEXT] = OWN(0),
	[ST_TAB] = OWN(R),
	[ST_EXITED] = OWN(0),
	[ST_LIVE] = OWN(0),
	[ST_SUSPECT] = OWN(B),
	[ST_LEAKED] = OWN(B),
	[ST_HELD] = OWN(0),
	[ST_FREE] = OWN(0),
	[ST_FAILED] = OWN(B),
	[ST_LAUNCH] = OWN(0),
	[ST_H2D] = OWN(0),
	[ST_D2H] = OWN(0),
	[ST_D2D] = OWN(0),
	[ST_P2P] = OWN(0),
	[ST_WAIT] = OWN(0),
	[ST_GOOD] = OWN(0),
	[ST_INPUT] = OWN(B),
	[ST_MESSAGE] = OWN(B),
};

static const struct look dark_looks[ST_COUNT][DEPTH_COUNT] = {
	[ST_PLAIN] = OWN(0),
	[ST_DIM] = INK(0xa8adb2, 248, D, D, 0, 0),
	[ST_HEAD] = OWN(B),
	[ST_TITLE] = ON(0xc0c5ca, 0x2b3138, 250, 236, 0, U),
	[ST_TITLE_SORT] = ON(0xffffff, 0x2b3138, 231, 236, B, U | B),
	[ST_FRAME] = INK(0x868d94, 245, D, D, 0, 0),
	[ST_KEY] = INK(0x62b0ff, 75, D, D, B, B),
	[ST_KEY_TEXT] = INK(0xb4b9be, 250, D, D, 0, 0),
	[ST_TAB] = ON(0xffffff, 0x1d5f8a, 231, 24, B, R),
	[ST_EXITED] = INK(0xa8adb2, 248, D, D, 0, 0),
	[ST_LIVE] = INK(0x5fd787, 78, 10, 2, 0, 0),
	[ST_SUSPECT] = INK(0xffd75f, 221, 11, 3, 0, B),
	[ST_LEAKED] = INK(0xff7b7b, 210, 9, 1, B, B),
	[ST_HELD] = INK(0x87b0da, 110, 6, 6, 0, 0),
	[ST_FREE] = INK(0x868d94, 245, D, D, 0, 0),
	[ST_FAILED] = INK(0xff8f66, 209, 9, 1, B, B),
	[ST_LAUNCH] = INK(0x62b0ff, 75, 14, 6, 0, 0),
	[ST_H2D] = INK(0x5fd7d7, 80, 14, 6, 0, 0),
	[ST_D2H] = INK(0xb0a5ff, 147, 13, 5, 0, B),
	[ST_D2D] = INK(0x87d787, 114, 2, 2, 0, 0),
	[ST_P2P] = INK(0xd9b063, 179, 11, 3, 0, B),
	[ST_WAIT] = INK(0xd7af87, 180, 11, 3, 0, B),
	[ST_GOOD] = INK(0x5fd787, 78, 10, 2, 0, 0),
	[ST_INPUT] = OWN(B),
	[ST_MESSAGE] = INK(0xffd787, 222, 11, 3, 0, B),
};

/*
 * Blue, sky, green, yellow, vermilion, orange and purple; brighter than Okabe and Ito have them
 * where they would be too dark on black.
 */
static const struct look colorblind_looks[ST_COUNT][DEPTH_COUNT] = {
	[ST_PLAIN] = OWN(0),
	[ST_DIM] = INK(0xb2b6ba, 249, D, D, 0, 0),
	[ST_HEAD] = OWN(B),
	[ST_TITLE] = ON(0xcfd3d7, 0x2b3138, 252, 236, 0, U),
	[ST_TITLE_SORT] = ON(0xffffff, 0x2b3138, 231, 236, B, U | B),
	[ST_FRAME] = INK(0x8d939a, 246, D, D, 0, 0),
	[ST_KEY] = INK(0x62b0ff, 75, D, D, B, B),
	[ST_KEY_TEXT] = INK(0xbcc0c4, 250, D, D, 0, 0),
	[ST_TAB] = ON(0xffffff, 0x00598c, 231, 25, B, R),
	[ST_EXITED] = INK(0xb2b6ba, 249, D, D, 0, 0),
	[ST_LIVE] = INK(0x56b4e9, 74, 14, 6, 0, 0),
	[ST_SUSPECT] = INK(0xf0e442, 227, 11, 3, 0, B),
	[ST_LEAKED] = INK(0xff8128, 208, 11, 3, B, B | U),
	[ST_HELD] = INK(0x86aef5, 111, 6, 6, 0, B),
	[ST_FREE] = INK(0x8d939a, 246, D, D, 0, 0),
	[ST_FAILED] = INK(0xff8128, 208, 11, 3, B, B | U),
	[ST_LAUNCH] = INK(0x56b4e9, 74, 14, 6, 0, 0),
	[ST_H2D] = INK(0x86aef5, 111, 14, 6, 0, B),
	[ST_D2H] = INK(0xe69f00, 214, 11, 3, 0, B),
	[ST_D2D] = INK(0x2fc79b, 43, 2, 6, 0, 0),
	[ST_P2P] = INK(0xe69ac4, 218, 13, 5, 0, B),
	[ST_WAIT] = INK(0xf0e442, 227, 11, 3, 0, B),
	[ST_GOOD] = INK(0x56b4e9, 74, 14, 6, 0, 0),
	[ST_INPUT] = OWN(B),
	[ST_MESSAGE] = INK(0xf0e442, 227, 11, 3, 0, B),
};

static const struct look light_looks[ST_COUNT][DEPTH_COUNT] = {
	[ST_PLAIN] = OWN(0),
	[ST_DIM] = INK(0x5c6166, 241, D, D, 0, 0),
	[ST_HEAD] = OWN(B),
	[ST_TITLE] = ON(0x33383d, 0xd9dde1, 237, 253, 0, U),
	[ST_TITLE_SORT] = ON(0x000000, 0xd9dde1, 16, 253, B, U | B),
	[ST_FRAME] = INK(0x7d8388, 244, D, D, 0, 0),
	[ST_KEY] = INK(0x0057a8, 25, D, D, B, B),
	[ST_KEY_TEXT] = INK(0x53585d, 240, D, D, 0, 0),
	[ST_TAB] = ON(0xffffff, 0x0057a8, 231, 25, B, R),
	[ST_EXITED] = INK(0x5c6166, 241, D, D, 0, 0),
	[ST_LIVE] = INK(0x006632, 22, 4, 4, 0, 0),
	[ST_SUSPECT] = INK(0x855a00, 94, 5, 5, B, U),
	[ST_LEAKED] = INK(0xb80018, 124, 1, 1, B, U),
	[ST_HELD] = INK(0x0057a8, 25, 4, 4, 0, 0),
	[ST_FREE] = INK(0x7d8388, 244, D, D, 0, 0),
	[ST_FAILED] = INK(0xb80018, 124, 1, 1, B, U),
	[ST_LAUNCH] = INK(0x005cc8, 26, 4, 4, 0, 0),
	[ST_H2D] = INK(0x00615f, 23, 4, 4, 0, 0),
	[ST_D2H] = INK(0x7d00a8, 91, 5, 5, 0, 0),
	[ST_D2D] = INK(0x565c00, 58, D, D, 0, 0),
	[ST_P2P] = INK(0x87005f, 89, 1, 1, 0, 0),
	[ST_WAIT] = INK(0x7a5600, 94, 5, 5, 0, 0),
	[ST_GOOD] = INK(0x006632, 22, 4, 4, 0, 0),
	[ST_INPUT] = OWN(B),
	[ST_MESSAGE] = INK(0x7a5600, 94, 4, 4, B, 0),
};

const struct theme themes[] = {
	{
		.name = "default",
		.help = "for dark terminals",
		.looks = dark_looks,
		.selected = { [DEPTH_RGB] = { COLOR_RGB | 0xe9edf1, COLOR_RGB | 0x1f3a5f, 0 },
			      [DEPTH_256] = { 254, 17, 0 },
			      [DEPTH_16] = { D, D, R },
			      [DEPTH_8] = { D, D, R } },
		.match = { [DEPTH_RGB] = { COLOR_RGB | 0x000000, COLOR_RGB | 0xffd75f, 0 },
			   [DEPTH_256] = { 16, 221, 0 },
			   [DEPTH_16] = { D, D, U | B },
			   [DEPTH_8] = { D, D, U | B } },
	},
	{
		.name = "mono",
		.help = "no colour",
		.looks = mono,
		.selected = OWN(R),
		.match = OWN(U | B),
	},
	{
		.name = "colorblind",
		.help = "hues that stay apart, for dark terminals",
		.looks = colorblind_looks,
		.selected = { [DEPTH_RGB] = { COLOR_RGB | 0xe9edf1, COLOR_RGB | 0x1f3a5f, 0 },
			      [DEPTH_256] = { 254, 17, 0 },
			      [DEPTH_16] = { D, D, R },
			      [DEPTH_8] = { D, D, R } },
		.match = { [DEPTH_RGB] = { COLOR_RGB | 0x000000, COLOR_RGB | 0xf0e442, 0 },
			   [DEPTH_256] = { 16, 227, 0 },
			   [DEPTH_16] = { D, D, U | B },
			   [DEPTH_8] = { D, D, U | B } },
	},
	{
		.name = "light",
		.help = "for bright terminals",
		.is_light = true,
		.looks = light_looks,
		.selected = { [DEPTH_RGB] = { COLOR_RGB | 0x000000, COLOR_RGB | 0xdae6f5, 0 },
			      [DEPTH_256] = { 16, 195, 0 },
			      [DEPTH_16] = { D, D, R },
			      [DEPTH_8] = { D, D, R } },
		.match = { [DEPTH_RGB] = { COLOR_RGB | 0x000000, COLOR_RGB | 0xffd787, 0 },
			   [DEPTH_256] = { 16, 222, 0 },
			   [DEPTH_16] = { D, D, U },
			   [DEPTH_8] = { D, D, U } },
	},
};

const size_t theme_count = sizeof(themes) / sizeof(themes[0]);

const struct theme *theme_find(const char *name)
{
	for (size_t i = 0; i < theme_count; i++)
		if (!strcmp(themes[i].name, name))
			return &themes[i];
	return NULL;
}

/*
 * GNU screen and the Linux console have no 24-bit colours, but keep the variable of the terminal
 * that they were started from. tmux calls itself screen, too, and has them. A description of 16 is
 * a choice of the user's.
 */
static bool is_handed_down(int described, const char *term, const char *tmux)
{
	return described == 16 || !strncmp(term, "linux", 5) ||
	       (!strncmp(term, "screen", 6) && !(tmux && *tmux));
}

int theme_colors(int described, bool has_rgb, const char *term, const char *colorterm,
		 const char *tmux)
{
	bool is_told = colorterm &&
		       (!strcmp(colorterm, "truecolor") || !strcmp(colorterm, "24bit"));

	if (described < 8)
		return 0;
	if (has_rgb || described >= COLORS_RGB ||
	    (is_told && !is_handed_down(described, term ? term : "", tmux)))
		return COLORS_RGB;
	return described >= 256 ? 256 : described >= 16 ? 16 : 8;
}

static enum depth depth_of(int colors)
{
	return colors >= COLORS_RGB ? DEPTH_RGB :
	       colors >= 256        ? DEPTH_256 :
	       colors >= 16         ? DEPTH_16 :
				      DEPTH_8;
}

struct look theme_look(const struct theme *theme, int colors, unsigned int style,
		       unsigned int flags)
{
	enum depth depth = depth_of(colors);
	struct look look, selected, match;

	if (colors < 8)
		theme = theme_find("mono");
	look = theme->looks[style < ST_COUNT ? style : ST_PLAIN][depth];
	selected = theme->selected[depth];
	match = theme->match[depth];
	if (flags & CELL_SELECTED) {
		if (look.bg == COLOR_DEFAULT)
			look.bg = selected.bg;
		/*
		 * The terminal's own colour suits another background: on this one it may be
		 * unreadable.
		 */
		if (look.fg == COLOR_DEFAULT)
			look.fg = selected.fg;
		look.attributes |= selected.attributes;
	}
	if (flags & CELL_BOLD)
		look.attributes |= LOOK_BOLD;
	if (flags & CELL_MATCH) {
		if (match.bg != COLOR_DEFAULT) {
			look.fg = match.fg;
			look.bg = match.bg;
		}
		look.attributes |= match.attributes;
	}
	/* Where bold means bright, too, it would be pale on a bright background. */
	if (theme->is_light && depth < DEPTH_256 && look.fg != COLOR_DEFAULT)
		look.attributes &= (uint8_t)~LOOK_BOLD;
	return look;
}
