/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A style says what something means; a theme says how it looks. Views only ever name styles. Colour
 * never carries a meaning alone: leaked, suspect and failed items have a sign or a word too.
 */
#ifndef VIEW_THEME_H
#define VIEW_THEME_H

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

enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_REVERSE = 4, LOOK_UNDERLINE = 8 };

#define COLOR_DEFAULT (-1)

struct look {
	int16_t fg, bg; /* of the terminal's palette; COLOR_DEFAULT */
	uint8_t attributes;
};

struct theme {
	const char *name, *help;
	const struct look *rich;  /* ST_COUNT looks, for 256 colours */
	const struct look *plain; /* for 8 and 16 */
	/* only what differs: bg, and fg if that was the terminal's own */
	struct look selected_rich, selected_plain;
	struct look match;
};

extern const struct theme themes[];
extern const size_t theme_count;

const struct theme *theme_find(const char *name);

/* How a cell of @style with @flags looks with @colors colours (0, 8, 16, 256). */
struct look theme_look(const struct theme *theme, int colors, unsigned int style,
		       unsigned int flags);

/* One letter per style, for expected screens in tests */
extern const char style_letters[ST_COUNT];

#endif
