/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Screens drawn into text, which is compared with a file of tests/view/golden. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "cast.h"

#define GOLDEN_STEPS 60 /* snapshots that the views of these tests have seen, one each second */

/*
 * What comes between the two is compared with golden/@name.txt, or written to it (UPDATE_GOLDEN).
 */
void golden_begin(void);
void golden_end(const char *name);

/* Draws the view in this size, below a line with the title; @styles: with the letters of styles. */
void golden_draw(struct view *view, int rows, int cols, const char *title, bool styles);

/* The canvas as text, and the looks of its cells in a theme on a terminal of @colors colours. */
void golden_canvas(const struct canvas *canvas, bool styles);
void golden_looks(const struct canvas *canvas, const struct theme *theme, int colors);

/* Text between screens. */
__attribute__((format(printf, 1, 2))) void golden_say(const char *format, ...);

#endif
