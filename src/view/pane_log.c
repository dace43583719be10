/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log: what happened lately, in plain words, the latest first. In full height an allocation
 * that found no memory is followed by the call sites that held most.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
	[TONE_QUIET] = ST_DIM,   [TONE_GOOD] = ST_GOOD,      [TONE_NOTICE] = ST_SUSPECT,
	[TONE_LEAK] = ST_LEAKED, [TONE_FAILURE] = ST_FAILED,
};

/* A row: an event, or a call site that the event before it names. */
struct log_row {
	const struct snap_event *event;
	size_t line; /* 0: the event itself */
};

static const struct log_row *row_of(const struct list *list, size_t item)
{
	return (const struct log_row *)list->items + item;
}

static size_t log_owner(const struct list *list, size_t item)
{
	return item - row_of(list, item)->line;
}

static int log_whole(const struct list *list, size_t item)
{
	return row_of(list, item)->line ? L_WHAT : -1;
}

static double log_number(const struct list *list, size_t item, size_t column)
{
	const struct snap_event *event = row_of(list, item)->event;

	return column == L_PID ? event->pid : (double)event->time;
}

static enum style line_cell(const struct log_row *row, size_t column, char out[CELL_TEXT])
{
	char text[LINE_TEXT];

	out[0] = 0;
	if (column == L_WHAT)
		snprintf(out, CELL_TEXT, "  %s",
			 snapshot_line(&row->event->detail->lines[row->line - 1], text));
	return ST_DIM;
}

static enum style log_cell(const struct list *list, size_t item, size_t column, char out[CELL_TEXT])
{
	const struct snap_event *event = row_of(list, item)->event;
	bool ours = list->process && list->process->pid == event->pid;

	if (row_of(list, item)->line)
		return line_cell(row_of(list, item), column, out);
	switch (column) {
	case L_TIME: format_when(list->view, event->time, out, CELL_TEXT); return ST_DIM;
	case L_PID: snprintf(out, CELL_TEXT, "%u", event->pid); return ours ? ST_HEAD : ST_PLAIN;
	case L_EVENT:
		return cell_text(out, tones[event_kinds[event->kind].tone],
				 event_kinds[event->kind].title);
	default:
		cell_text(out, ST_PLAIN, event->text);
		if (event->repeated)
			snprintf(out, CELL_TEXT, "(%" PRIu64 " times) %s", event->repeated + 1,
				 event->text);
		return ours ? ST_HEAD : ST_PLAIN;
	}
}

/*
 * One row for each event, and, if @expanded, one for each line that it names. Returns NULL without
 * memory.
 */
static struct log_row *rows_make(const struct snapshot *snapshot, bool expanded, size_t *count)
{
	size_t room = snapshot->event_count, at = 0;
	struct log_row *rows;

	for (size_t i = 0; expanded && i < snapshot->event_count; i++)
		room += snapshot->events[i].detail ? snapshot->events[i].detail->line_count : 0;
	rows = calloc(room + 1, sizeof(*rows));
	for (size_t i = snapshot->event_count; rows && i-- > 0;) {
		const struct snap_event *event = &snapshot->events[i];

		rows[at++].event = event;
		for (size_t line = 1;
		     expanded && event->detail && line <= event->detail->line_count; line++)
			rows[at++] = (struct log_row){ event, line };
	}
	*count = at;
	return rows;
}

static void log_draw(struct view *view, const struct area *area, const struct snap_process *process)
{
	struct list list = { .desc = &pane_log,
			     .view = view,
			     .process = process,
			     .empty = "Nothing has happened yet." };
	struct log_row *rows = rows_make(view->shown, view->full, &list.count);

	if (!rows)
		return;
	list.items = rows;
	list_draw(view, area, &list);
	free(rows);
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
	.owner = log_owner,
	.whole = log_whole,
	.draw = log_draw,
};
