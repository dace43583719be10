/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log: what happened lately, in plain words, the latest first. A program's start is not shown
 * once it has ended, and what is the same, or happens to programs of one name, soon one after the
 * other, shares a row.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "view/cells.h"
#include "view/details.h"

enum { L_TIME, L_PID, L_EVENT, L_WHAT };

static const struct list_column log_columns[] = {
	[L_TIME] = { "TIME", .width = 8, .rank = 1, .help = "when" },
	[L_PID] = { "PID", .width = 7, .rank = 2, .help = "the process" },
	[L_EVENT] = { "EVENT", .width = 13, .left = true, .rank = 3, .help = "the kind of event" },
	[L_WHAT] = { "WHAT HAPPENED", .least = 20, .left = true, .rank = 0,
		     .help = "the event in words" },
};

/* What is further apart does not share a row. */
#define FOLD_NS (60 * NSEC_PER_SEC)

struct log_row {
	const struct snap_event *event; /* of several, the latest */
	uint64_t others;                /* that share the row, */
	uint64_t first;                 /* and when the first of all was */
};

static const struct log_row *row_of(const struct list *list, size_t item)
{
	return (const struct log_row *)list->items + item;
}

static enum style tone_of(const struct snap_event *event)
{
	return tone_style(event->failed ? TONE_FAILURE : event_kinds[event->kind].tone);
}

static double log_number(const struct list *list, size_t item, size_t column)
{
	const struct snap_event *event = row_of(list, item)->event;

	return column == L_PID ? event->pid : (double)event->time;
}

static enum style log_cell(const struct list *list, size_t item, size_t column, char out[CELL_TEXT])
{
	const struct log_row *row = row_of(list, item);
	const struct snap_event *event = row->event;
	bool ours = list->process && list->process->pid == event->pid;

	switch (column) {
	case L_TIME: format_when(list->view, event->time, out, CELL_TEXT); return ST_DIM;
	case L_PID:
		snprintf(out, CELL_TEXT, event->pid ? "%u" : "-", event->pid);
		return ours ? ST_HEAD : ST_PLAIN;
	case L_EVENT: return cell_text(out, tone_of(event), event_kinds[event->kind].title);
	default:
		cell_text(out, ST_PLAIN, event->text);
		if (row->others && event->name)
			snprintf(out, CELL_TEXT, "%s ×%" PRIu64 ", the last%s", event->name,
				 row->others + 1, event->text + strlen(event->name));
		else if (row->others)
			snprintf(out, CELL_TEXT, "(%" PRIu64 " times) %s", row->others + 1,
				 event->text);
		return ours ? ST_HEAD : ST_PLAIN;
	}
}

static uint64_t log_key(const struct list *list, size_t item)
{
	const struct log_row *row = row_of(list, item);
	const uint64_t parts[] = { row->event->time, row->event->pid, row->event->kind };

	return key_text(key_add(KEY_BEGIN, parts, sizeof(parts)), row->event->text);
}

static void holders_section(const struct snap_detail *detail, struct details *details)
{
	char bytes[CELL_TEXT];

	if (!detail->holder_count)
		return;
	details_section(details, "Who held memory of the device");
	for (size_t i = 0; i < detail->holder_count; i++) {
		const struct snap_holder *holder = &detail->holders[i];

		cell_bytes(bytes, (double)holder->live);
		details_text(details, ST_PLAIN, "%s%s  %u %s", holder->from_attach ? "≥" : "",
			     bytes, holder->pid, holder->command);
	}
	if (detail->holders_omitted)
		details_text(details, ST_DIM, "and %zu more", detail->holders_omitted);
}

static void lines_section(const struct snap_detail *detail, struct details *details)
{
	char text[LINE_TEXT];

	if (!detail->line_count)
		return;
	details_section(details, "Call sites that held most");
	for (size_t i = 0; i < detail->line_count; i++)
		details_text(details, ST_PLAIN, "%s", snapshot_line(&detail->lines[i], text));
	if (detail->lines_omitted)
		details_text(details, ST_DIM, "and %zu more", detail->lines_omitted);
}

static void suspects_section(const struct snap_detail *detail, struct details *details)
{
	if (!detail->is_fault)
		return;
	details_section(details, "Kernels that may have done it, the last one first");
	for (size_t i = 0; i < detail->suspect_count; i++) {
		const struct snap_suspect *suspect = &detail->suspects[i];

		details_text(details, ST_PLAIN, "%s  stream %s0x%" PRIx64 ", %" PRIu64 " launches",
			     suspect->kernel, suspect->stream_exact ? "" : "perhaps ",
			     suspect->stream, suspect->launches);
	}
	if (!detail->suspect_count)
		details_text(details, ST_DIM, "none is known");
}

static void memory_section(const struct snap_detail *detail, struct details *details)
{
	char text[CELL_TEXT], gap[CELL_TEXT];

	if (!detail->total && !detail->allocator)
		return;
	details_section(details, "Memory then");
	if (detail->total) {
		cell_bytes(text, (double)detail->tracked);
		cell_bytes(gap, (double)detail->total);
		details_field(details, "device", ST_PLAIN, "%d: %.32s tracked of %.32s",
			      detail->device, text, gap);
	}
	if (!detail->allocator)
		return;
	cell_bytes(text, (double)detail->asked);
	details_field(details, "asked for", ST_FAILED, "%s", text);
	cell_bytes(text, (double)detail->allocated);
	cell_bytes(gap, (double)detail->reserved);
	details_field(details, detail->allocator, ST_PLAIN, "%.32s handed out of %.32s reserved",
		      text, gap);
	if (!detail->has_gaps)
		return;
	cell_bytes(text, (double)detail->gaps);
	cell_bytes(gap, (double)detail->largest_gap);
	details_field(details, "in segments", ST_PLAIN, "%.32s free, at most %.32s in one piece",
		      text, gap);
}

/* Of two processes with the pid of an event: was the first one more likely there at @time? */
static bool is_nearer(const struct snap_process *a, const struct snap_process *b, uint64_t time)
{
	if ((a->start_time > time) != (b->start_time > time))
		return b->start_time > time;
	return a->start_time > time ? a->start_time < b->start_time : a->start_time > b->start_time;
}

/*
 * The row of the table of the process that @event is about, or SIZE_MAX. Pids are reused: of several
 * it is the last that was started before the event.
 */
static size_t table_row_of(const struct view *view, const struct snap_event *event)
{
	const struct snap_process *found = NULL;
	size_t row = SIZE_MAX;

	for (size_t i = 0; i < view->table.row_count; i++) {
		const struct snap_process *process = view->table.rows[i].process;

		if (process->pid != event->pid ||
		    (found && !is_nearer(process, found, event->time)))
			continue;
		found = process;
		row = i;
	}
	return row;
}

static void log_details(const struct list *list, size_t item, struct details *details)
{
	const struct log_row *row = row_of(list, item);
	const struct snap_event *event = row->event;
	const struct snap_detail *detail = event->detail;
	char text[CELL_TEXT];

	details_text(details, ST_HEAD, "%s", event->text);
	details_section(details, "Event");
	details_field(details, "kind", tone_of(event), "%s", event_kinds[event->kind].title);
	format_when(list->view, event->time, text, CELL_TEXT);
	details_field(details, "time", ST_PLAIN, "%s", text);
	if (event->pid)
		details_field(details, "process", ST_PLAIN, "%u%s", event->pid,
			      table_row_of(list->view, event) == SIZE_MAX ? "" :
									    "  (Enter goes to it)");
	if (row->others) {
		format_when(list->view, row->first, text, CELL_TEXT);
		details_field(details, "times", ST_PLAIN, "%" PRIu64 ", the first at %s",
			      row->others + 1, text);
	}
	if (event->bytes) {
		cell_bytes(text, (double)event->bytes);
		details_field(details, "size", ST_PLAIN, "%s (%" PRIu64 " bytes)", text,
			      event->bytes);
	}
	if (!detail)
		return;
	memory_section(detail, details);
	holders_section(detail, details);
	lines_section(detail, details);
	suspects_section(detail, details);
	if (detail->where.site)
		details_place(details, "Where", &detail->where);
	else if (detail->site[0]) {
		details_section(details, "Where");
		details_text(details, ST_PLAIN, "%s", detail->site);
	}
}

/* True if a later event of the same start or end says more than the @i-th. */
static bool is_outdated(const struct snapshot *snapshot, size_t i)
{
	const struct snap_event *event = &snapshot->events[i];

	for (size_t later = i + 1; event->name && later < snapshot->event_count; later++)
		if (snapshot->events[later].kind == EVENT_END &&
		    snapshot->events[later].program == event->program)
			return true;
	return false;
}

/* Whether one row tells both: programs of one name, or the same words. */
static bool is_same(const struct snap_event *a, const struct snap_event *b)
{
	const char *this = a->name ? a->name : a->text, *that = b->name ? b->name : b->text;

	return a->kind == b->kind && !a->failed && !b->failed && !strcmp(this, that);
}

/* The row among the @count of @rows that @event shares, or NULL. */
static struct log_row *row_shared(struct log_row *rows, size_t count,
				  const struct snap_event *event)
{
	while (count-- > 0)
		if (is_same(rows[count].event, event))
			return rows[count].first - event->time < FOLD_NS ? &rows[count] : NULL;
	return NULL;
}

/* One row for each event, unless it shares one. Returns NULL without memory. */
static struct log_row *rows_make(const struct snapshot *snapshot, size_t *count)
{
	struct log_row *rows = calloc(snapshot->event_count + 1, sizeof(*rows));
	size_t at = 0;

	for (size_t i = snapshot->event_count; rows && i-- > 0;) {
		const struct snap_event *event = &snapshot->events[i];
		struct log_row *shared = row_shared(rows, at, event);

		if (is_outdated(snapshot, i))
			continue;
		if (shared) {
			shared->others += 1 + event->repeated;
			shared->first = event->time;
			continue;
		}
		rows[at++] = (struct log_row){ .event = event,
					       .others = event->repeated,
					       .first = event->time };
	}
	*count = at;
	return rows;
}

static void log_follow(struct view *view, const struct list *list, size_t item)
{
	const struct snap_event *event = row_of(list, item)->event;
	size_t row = table_row_of(view, event);

	if (row == SIZE_MAX) {
		view_message(view, "process %u is not in the table", event->pid);
		return;
	}
	rows_select(view, row);
	view->full = false;
	focus_set(view, FOCUS_TABLE);
}

static int log_make(struct list *list)
{
	list->empty = "Nothing has happened yet.";
	list->items = rows_make(list->view->shown, &list->count);
	return list->items ? 0 : -ENOMEM;
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
	.key = log_key,
	.details = log_details,
	.follow = log_follow,
	.make = log_make,
	.draw = list_draw,
};
