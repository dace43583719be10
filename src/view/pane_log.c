/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log: what happened lately, in plain words, the latest first. */
#include <inttypes.h>
#include <stdio.h>

#include "util/util.h"
#include "view/cells.h"

enum { L_TIME, L_PID, L_EVENT, L_WHAT };

static const struct list_column log_columns[] = {
	[L_TIME] = { "TIME", .width = 8, .rank = 1 },
	[L_PID] = { "PID", .width = 7, .rank = 2 },
	[L_EVENT] = { "EVENT", .width = 13, .left = true, .rank = 3 },
	[L_WHAT] = { "WHAT HAPPENED", .least = 20, .left = true, .rank = 0 },
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

	return column == L_PID ? event->pid : (double)event->time;
}

static enum style log_cell(const struct list *list, size_t item, size_t column, char out[CELL_TEXT])
{
	const struct snap_event *event = event_of(list, item);
	bool ours = list->process && list->process->pid == event->pid;

	switch (column) {
	case L_TIME:
		format_when(list->view, event->time, out, CELL_TEXT);
		return ST_DIM;
	case L_PID:
		snprintf(out, CELL_TEXT, "%u", event->pid);
		return ours ? ST_HEAD : ST_PLAIN;
	case L_EVENT:
		return cell_text(out, tones[event_kinds[event->kind].tone], event_kinds[event->kind].title);
	default:
		cell_text(out, ST_PLAIN, event->text);
		if (event->repeated)
			snprintf(out, CELL_TEXT, "(%" PRIu64 " times) %s", event->repeated + 1, event->text);
		return ours ? ST_HEAD : ST_PLAIN;
	}
}

static void log_draw(struct view *view, const struct area *area, const struct snap_process *process)
{
	struct list list = {
		.desc = &pane_log, .count = view->shown->event_count, .view = view, .process = process, .empty = "Nothing has happened yet.",
	};

	list_draw(view, area, &list);
}

const struct pane_desc pane_log = {
	.pane = PANE_LOG,
	.title = "Log",
	.help = "what happened",
	.is_of_all = true,
	.columns = log_columns,
	.column_count = ARRAY_LEN(log_columns),
	.cell = log_cell,
	.number = log_number,
	.draw = log_draw,
};
