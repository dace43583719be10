/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls: every function that was called, with the time inside it. */
#include <math.h>
#include <stdio.h>

#include "cuda/calls.h"
#include "util/util.h"
#include "view/cells.h"

enum { C_CALL, C_LAYER, C_CALLS, C_FAILED, C_TIME, C_SHARE, C_BAR, C_AVERAGE, C_P50, C_P99, C_MAX };

static const struct list_column call_columns[] = {
	[C_CALL] = { "CALL", .least = 22, .left = true, .rank = 0 },
	[C_LAYER] = { "LAYER", .width = 7, .left = true, .rank = 9 },
	[C_CALLS] = { "CALLS", .width = 10, .rank = 1 },
	[C_FAILED] = { "FAILED", .width = 8, .rank = 4 },
	[C_TIME] = { "TIME", .width = 7, .rank = 2 },
	[C_SHARE] = { "SHARE", .width = 6, .rank = 3 },
	[C_BAR] = { "", .width = 12, .left = true, .rank = 8, .is_bar = true },
	[C_AVERAGE] = { "AVG", .width = 6, .rank = 7 },
	[C_P50] = { "p50", .width = 6, .rank = 5 },
	[C_P99] = { "p99", .width = 6, .rank = 6 },
	[C_MAX] = { "MAX", .width = 6, .rank = 7 },
};

static double calls_seconds(const struct snap_process *process)
{
	double seconds = 0;

	for (size_t i = 0; i < process->call_count; i++)
		seconds += process->call_list[i].seconds;
	return seconds;
}

static double call_number(const struct list *list, size_t item, size_t column)
{
	const struct snap_call *call = &list->process->call_list[item];

	switch (column) {
	case C_CALLS: return (double)call->calls;
	case C_FAILED: return process_known(list->process, (double)call->failures);
	case C_TIME: return process_known(list->process, call->seconds);
	case C_SHARE: return *(const double *)list->items > 0 ? call->seconds / *(const double *)list->items : NAN;
	/* Of a launch that is not watched to its end the time is not known. */
	case C_AVERAGE:
		return call->calls && !call->sampled ? process_known(list->process, call->seconds / (double)call->calls) : NAN;
	case C_P50: return call->latency.p50;
	case C_P99: return call->latency.p99;
	default: return call->latency.max;
	}
}

static enum style call_cell(const struct list *list, size_t item, size_t column, char out[CELL_TEXT])
{
	const struct snap_call *call = &list->process->call_list[item];
	double number = call_number(list, item, column);
	int width = list->desc->columns[column].width;
	char time[CELL_TEXT];
	enum style style;

	switch (column) {
	case C_CALL: return cell_text(out, ST_PLAIN, snapshot_call_brief(call->call, &call->extra));
	case C_LAYER: return cell_text(out, ST_DIM, call_layer_name(call_layer(call->call)));
	case C_CALLS: return cell_count(out, number, width);
	case C_FAILED: return cell_failures(out, number, call->sampled, width);
	case C_SHARE: return cell_share(out, number);
	case C_TIME:	/* of a launch that is not watched to its end it is not among it */
		style = cell_time(time, number);
		snprintf(out, CELL_TEXT, "%s%.32s", call->sampled && number > 0 ? "≥" : "", time);
		return style;
	default: return cell_time(out, number);
	}
}

static double call_bar(const struct list *list, size_t item, size_t column, enum style *style)
{
	(void)column;
	*style = ST_WAIT;
	return call_number(list, item, C_SHARE);
}

static void calls_draw(struct view *view, const struct area *area, const struct snap_process *process)
{
	double seconds = calls_seconds(process);
	struct list list = {
		.desc = &pane_calls, .count = process->call_count, .view = view, .items = &seconds, .process = process,
		.empty = "No call was made.",
	};

	list_draw(view, area, &list);
}

const struct pane_desc pane_calls = {
	.pane = PANE_CALLS,
	.title = "Calls",
	.help = "every function, with times",
	.sort = C_TIME + 1,	/* the table of functions has no order that says something */
	.columns = call_columns,
	.column_count = ARRAY_LEN(call_columns),
	.cell = call_cell,
	.number = call_number,
	.bar = call_bar,
	.draw = calls_draw,
};
