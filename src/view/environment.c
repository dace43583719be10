/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables of a process's environment. The view asks for them and goes on: reading them may take
 * long, or forever. A value is broken into as many rows as it needs, where the window ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/utf8.h"
#include "util/util.h"
#include "view/view_internal.h"

enum { INDENT = 2, WIDTH = 100 };

void environment_close(struct view *view)
{
	free(view->environment.words);
	memset(&view->environment, 0, sizeof(view->environment));
}

void environment_open(struct view *view)
{
	const struct snap_process *process = view_selected(view);

	if (view->host.play.is_on)
		view_message(view, "a recording does not have the environments of processes");
	else if (view->host.readonly)
		view_message(view, "no environments with --readonly");
	else if (!process)
		view_message(view, "no process is selected");
	else if (process->exited)
		view_message(view, "process %u has exited", process->pid);
	else {
		environment_close(view);
		mode_set(view, INPUT_ENVIRONMENT);
		view->environment.program = process->program;
		view->request = REQUEST_ENVIRONMENT;
	}
}

const struct snap_process *view_environment_of(const struct view *view)
{
	return snapshot_process(view->latest, view->environment.program);
}

void view_environment(struct view *view, const char *words, size_t len, const char *why)
{
	uint32_t program = view->environment.program;

	environment_close(view);
	if (view->mode != INPUT_ENVIRONMENT)
		return;
	view->environment.program = program;
	view->environment.words = words ? malloc(len + 1) : NULL;
	if (view->environment.words) {
		memcpy(view->environment.words, words, len);
		view->environment.words[len] = 0;
		view->environment.len = len;
	}
	snprintf(view->environment.why, sizeof(view->environment.why), "%s",
		 why                     ? why :
		 view->environment.words ? "" :
					   "There is no memory for it.");
}

/*
 * Draws the rows of one variable from row @row on, which may be above the area or below. Returns the
 * row after them.
 */
static int variable_draw(const struct area *area, int row, const char *word)
{
	const char *equals = strchr(word, '='), *rest, *next;
	int cols = area->rect.cols, col, cells;
	char name[128];

	snprintf(name, sizeof(name), "%.*s", equals ? (int)(equals - word) : (int)sizeof(name) - 1,
		 word);
	area_cut(area, row, 0, cols, ST_HEAD, name);
	col = canvas_width(area->canvas, name);
	rest = equals ? equals : "";
	while (*rest) {
		struct area part;

		if (col >= cols - 1) {
			row++;
			col = INDENT;
		}
		cells = cols - col > 1 ? cols - col : 1;
		if (row >= 0 && row < area->rect.rows) {
			part = area_part(area, row, col, 1, cells);
			area_text(&part, 0, 0, ST_PLAIN, rest);
		}
		next = canvas_fit(area->canvas, rest, cells);
		/* Where there is no room for a wide character at all, it is left out. */
		rest = next > rest || col > INDENT ? next : canvas_skip(area->canvas, rest, cells);
		col = cols;
	}
	return row + 1;
}

/* All variables, from row @row on. Returns the row after them. */
static int variables_draw(const struct view *view, const struct area *area, int row)
{
	for (size_t at = 0; at < view->environment.len;
	     at += strlen(view->environment.words + at) + 1)
		row = variable_draw(area, row, view->environment.words + at);
	return row;
}

void environment_draw(struct view *view, struct canvas *canvas)
{
	const struct snap_process *process = view_environment_of(view);
	int cols = canvas->cols - 4 < WIDTH ? canvas->cols - 4 : WIDTH, rows, body;
	char title[200], name[160];
	struct area nowhere = area_of(canvas, (struct rect){ 0, 0, 0, cols }), area, list;
	bool is_cut = view->environment.words && view->environment.why[0];
	const char *text = NULL;

	snprintf(title, sizeof(title), "Variables of %u %s", process ? process->pid : 0,
		 process ? utf8_fit(name, sizeof(name), command_brief(process), 30) : "(gone)");
	if (!view->environment.words)
		text = view->environment.why[0] ? view->environment.why : "Reading ...";
	else if (!view->environment.len)
		text = "None whose name begins with CUDA_, LD_, PYTORCH or the like.";
	rows = text ? 1 : variables_draw(view, &nowhere, 0);
	rows += is_cut;
	area = frame_open(canvas, rows + 1, cols, title);
	body = area.rect.rows > 1 ? area.rect.rows - 1 : area.rect.rows;
	list = area_part(&area, 0, 0, body, area.rect.cols);
	view->menu = list.rect;
	if (view->help_top > rows - body)
		view->help_top = rows > body ? rows - body : 0;
	if (text)
		area_cut(&list, 0, 0, list.rect.cols, ST_DIM, text);
	else
		variables_draw(view, &list, -view->help_top);
	if (is_cut)
		area_cut(&list, rows - 1 - view->help_top, 0, list.rect.cols, ST_SUSPECT,
			 view->environment.why);
	if (body < area.rect.rows)
		area_cut(&area, body, 0, area.rect.cols, ST_KEY,
			 rows > body ? "Up and Down scroll   Esc close" : "Esc close");
}
