/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fixture of suites that sit at a screen of 24 by 80 with the cast on it,
 * and have hands. Each file that includes this has a view and a canvas of its own.
 */
#ifndef TESTS_AT_SCREEN_H
#define TESTS_AT_SCREEN_H

#include <string.h>

#include "cast.h"

static struct view view;
static struct canvas canvas;

static void setup(void)
{
	cast_view(&view, 10);
	memset(&canvas, 0, sizeof(canvas));
	ck_assert_int_eq(canvas_resize(&canvas, 24, 80), 0);
	view_draw(&view, &canvas);
}

static void teardown(void)
{
	view_clear(&view);
	canvas_free(&canvas);
}

/* Types keys as cast_keys() does, and draws. */
static void keys(const char *text)
{
	cast_keys(&view, text);
	view_draw(&view, &canvas);
}

/* One key, and nothing is drawn after it. */
static inline void press(int32_t key)
{
	view_key(&view, key);
}

static inline void draw(void)
{
	view_draw(&view, &canvas);
}

static inline uint32_t selected_pid(void)
{
	const struct snap_process *process = view_selected(&view);

	return process ? process->pid : 0;
}

/* The first row of the screen that has @text. */
static inline const char *row_with(const char *text)
{
	static char line[4096];

	for (int row = 0; row < canvas.rows; row++) {
		line[0] = 0;
		for (int col = 0; col < canvas.cols; col++)
			strcat(line, canvas_cell(&canvas, row, col)->text);
		if (strstr(line, text))
			return line;
	}
	return "";
}

/* The number of the first row from the panes on that has @text; -1: there is none. */
static inline int row_number(const char *text)
{
	char line[4096];

	for (int row = view.layout.pane.row; row < canvas.rows; row++) {
		line[0] = 0;
		for (int col = 0; col < canvas.cols; col++)
			strcat(line, canvas_cell(&canvas, row, col)->text);
		if (strstr(line, text))
			return row;
	}
	return -1;
}

#endif
