/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log: what happened lately, in plain words, the latest first. */
#include <inttypes.h>
#include <stdio.h>

#include "view/cells.h"

static const struct list_column log_columns[] = {
	{ "TIME", 8, 0, false, 1, false },
	{ "PID", 7, 0, false, 2, false },
	{ "EVENT", 13, 0, true, 3, false },
	{ "WHAT HAPPENED", 0, 20, true, 0, false },
};

static const enum style tones[TONE_COUNT] = {
	[TONE_QUIET] = ST_DIM,
	[TONE_GOOD] = ST_GOOD,
	[TONE_NOTICE] = ST_SUSPECT,
	[TONE_LEAK] = ST_LEAKED,
	[TONE_FAILURE] = ST_FAILED,
};

static const struct snap_event *event_of(const struct list *list, size_t item)
{
	return &list->view->shown->events[list->count - 1 - item];
}

static double log_number(const struct list *list, size_t item, size_t column)
{
	const struct snap_event *event = event_of(list, item);

	return column ? event->pid : (double)event->time;
}

static enum style log_cell(const struct list *list, size_t item, size_t column, char out[CELL_TEXT])
{
	const struct snap_event *event = event_of(list, item);
	bool ours = list->process && list->process->pid == event->pid;

	switch (column) {
	case 0:
		format_when(list->view, event->time, out, CELL_TEXT);
		return ST_DIM;
	case 1:
		snprintf(out, CELL_TEXT, "%u", event->pid);
		return ours ? ST_HEAD : ST_PLAIN;
	case 2:
		return cell_text(out, tones[event_kinds[event->kind].tone], event_kinds[event->kind].title);
	default:
		cell_text(out, ST_PLAIN, event->text);
		if (event->repeated)
			snprintf(out, CELL_TEXT, "(%" PRIu64 " times) %s", event->repeated + 1, event->text);
		return ours ? ST_HEAD : ST_PLAIN;
	}
}

void log_draw(struct view *view, const struct area *area, const struct snap_process *process)
{
	struct list list = {
		.columns = log_columns, .column_count = sizeof(log_columns) / sizeof(log_columns[0]), .count = view->shown->event_count,
		.view = view, .process = process, .empty = "Nothing has happened yet.", .cell = log_cell, .number = log_number,
	};

	list_draw(view, area, &view->panes[PANE_LOG], &list);
}
