/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A style says what something means; a theme says how it looks. Views only ever name styles. Colour
 * never carries a meaning alone: leaked, suspect and failed items have a sign or a word too. Text
 * has a contrast of at least 4.5:1 to its background, and what is only drawn with (ST_FRAME,
 * ST_FREE) one of 3:1: tests/view/test_themes.c.
 */
#ifndef VIEW_THEME_H
#define VIEW_THEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum style {
	ST_PLAIN,
	ST_DIM,        /* units, labels, zero and absent values */
	ST_HEAD,       /* names of things */
	ST_TITLE,      /* the row of column titles */
	ST_TITLE_SORT, /* the title of the sort column */
	ST_FRAME,
	ST_KEY,      /* a key in the bar */
	ST_KEY_TEXT, /* what the key does */
	ST_TAB,      /* the tab of the shown pane */
	ST_EXITED,
	ST_LIVE,
	ST_SUSPECT,
	ST_LEAKED,
	ST_HELD,
	ST_FREE,
	ST_FAILED,
	ST_LAUNCH,
	ST_H2D,
	ST_D2H,
	ST_D2D,
	ST_P2P,
	ST_WAIT,
	ST_GOOD,
	ST_INPUT, /* what is typed */
	ST_MESSAGE,
	ST_COUNT,
};

enum { LOOK_BOLD = 1, LOOK_REVERSE = 2, LOOK_UNDERLINE = 4 };

#define COLOR_DEFAULT (-1)
#define COLOR_RGB     0x1000000 /* with 0xRRGGBB */
#define COLORS_RGB    0x1000000 /* how many colours a terminal has that shows any of them */

struct look {
	int32_t fg, bg; /* of the terminal's palette; COLOR_RGB | 0xRRGGBB; COLOR_DEFAULT */
	uint8_t attributes;
};

/* How many colours there are to choose from. */
enum depth { DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_RGB, DEPTH_COUNT };

struct theme {
	const char *name, *help;
	bool is_light;                           /* for dark text on a bright background */
	const struct look (*looks)[DEPTH_COUNT]; /* of ST_COUNT styles */
	/* Only what differs: bg, unless the style has one; and fg if that was the terminal's own */
	struct look selected[DEPTH_COUNT], match[DEPTH_COUNT];
};

extern const struct theme themes[];
extern const size_t theme_count;

const struct theme *theme_find(const char *name);

/*
 * How a cell of @style with @flags looks with @colors colours: 0, 8, 16, 256 or COLORS_RGB; with
 * fewer than 8, as in the theme "mono".
 */
struct look theme_look(const struct theme *theme, int colors, unsigned int style,
		       unsigned int flags);

/*
 * How many colours to use on a terminal whose description has @described: 0, 8, 16, 256 or
 * COLORS_RGB. @has_rgb: it says that it shows any; else @colorterm does, $COLORTERM, unless it has
 * been handed down from another terminal than @term. @tmux: $TMUX; each may be NULL.
 */
int theme_colors(int described, bool has_rgb, const char *term, const char *colorterm,
		 const char *tmux);

/* One letter per style, for expected screens in tests */
extern const char style_letters[ST_COUNT];

#endif
