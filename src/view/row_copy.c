/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copying a row, and following one to what it is about. What stands in a row is only known while it
 * is drawn: the screen is drawn once more on a canvas that is not shown, and the list leaves the text
 * of the row at its cursor in the view, or acts on it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/view_internal.h"

/* "4242\tpython3 train.py": what other programs are asked about a process with. */
static char *process_text(const struct snap_process *process)
{
	char *text;

	return asprintf(&text, "%u\t%s", process->pid,
			process->command_line ? process->command_line : process->command) < 0 ?
		       NULL :
		       text;
}

static void draw_unseen(struct view *view)
{
	struct canvas canvas = { .cells = NULL };

	if (!canvas_resize(&canvas, view->screen_rows, view->screen_cols))
		view_draw(view, &canvas);
	canvas_free(&canvas);
}

void details_follow(struct view *view)
{
	view->follows = true;
	draw_unseen(view);
	view->follows = false;
}

void row_copy(struct view *view)
{
	const struct snap_process *process = view_selected(view);

	free(view->copied);
	view->copied = NULL;
	if (!view_in_pane(view) && process) {
		view->copied = process_text(process);
	} else if (view_in_pane(view)) {
		view->copies = true;
		draw_unseen(view);
		view->copies = false;
	}
	if (view->copied)
		view->request = REQUEST_COPY;
	else
		view_message(view, "there is nothing to copy");
}
