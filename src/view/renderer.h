/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes cells to the terminal: moves the cursor, sets colours and attributes, and writes
 * characters. Curses only knows colours of a palette that the program would have to redefine, so
 * what goes to the screen is written here, by the terminal's description; 24-bit colours by the
 * sequence that terminals share (SGR 38;2), which descriptions rarely have.
 */
#ifndef VIEW_RENDERER_H
#define VIEW_RENDERER_H

#include <stdbool.h>
#include <stddef.h>

#include "view/canvas.h"
#include "view/output.h"
#include "view/theme.h"

struct renderer {
	int colors;           /* as theme_look() takes them */
	bool has_own_colors;  /* the terminal can go back to its own */
	bool ends_colors;     /* what ends attributes ends colours, too: ECMA-48 */
	bool is_described;    /* 24-bit colours: by the description */
	bool keeps_last_cell; /* a character in the last cell does not scroll */
	unsigned int lost;    /* attributes that do not go with a colour */
	struct look pen;      /* as last set */
	int row, col;         /* of the cursor; -1: not known */
	char *buffer;         /* what is not yet written */
	size_t used, size;
	bool failed; /* no memory: what is in the buffer has a gap */
};

/* Once curses has read the terminal's description. */
void renderer_init(struct renderer *renderer, bool colors);
void renderer_free(struct renderer *renderer);

/* The whole screen in the terminal's own colours */
void renderer_clear(struct renderer *renderer);
void renderer_line_clear(struct renderer *renderer, int row);

/* The cell at @row and @col; @wide: it takes the next one, too. */
void renderer_cell(struct renderer *renderer, int row, int col, const struct cell *cell, bool wide,
		   struct look look);

/*
 * Writes all that has come since, and leaves the pen plain. False: something is missing on the
 * screen.
 */
bool renderer_flush(struct renderer *renderer, const struct output *output);

#endif
