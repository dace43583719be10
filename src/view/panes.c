/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernels, failures and calls: panes that are a list each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "view/cells.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- kernels ---- */

static const struct list_column kernel_columns[] = {
	{ "", 0, 8, true, 6, true },
	{ "KERNEL", 0, 16, true, 0, false },
	{ "LAUNCHES", 9, 0, false, 1, false },
	{ "BY GRAPH", 9, 0, false, 2, false },
	{ "RATE/s", 7, 0, false, 2, false },
	{ "SHARE", 6, 0, false, 3, false },
	{ "GRID", 11, 0, false, 7, false },
	{ "BLOCK", 8, 0, false, 8, false },
	{ "SHARED", 6, 0, false, 10, false },
	{ "p50", 6, 0, false, 4, false },
	{ "p99", 6, 0, false, 5, false },
	{ "MAX", 6, 0, false, 11, false },
	{ "FAILED", 7, 0, false, 9, false },
	{ "DEV", 3, 0, false, 12, false },
};
enum { K_BAR, K_NAME, K_LAUNCHES, K_GRAPH, K_RATE, K_SHARE, K_GRID, K_BLOCK, K_SHARED, K_P50, K_P99, K_MAX, K_FAILED, K_DEVICE };

static enum style cell_shape(char out[CELL_TEXT], const uint32_t shape[3])
{
	if (!shape[0])
		return cell_text(out, ST_DIM, "-");
	if (shape[2] > 1)
		snprintf(out, CELL_TEXT, "%u×%u×%u", shape[0], shape[1], shape[2]);
	else if (shape[1] > 1)
		snprintf(out, CELL_TEXT, "%u×%u", shape[0], shape[1]);
	else
		snprintf(out, CELL_TEXT, "%u", shape[0]);
	return ST_PLAIN;
}

/* Launches of the program's own and by graphs. */
static double kernel_runs(const struct snap_kernel *kernel)
{
	return (double)kernel->launches + (double)kernel->graph_launches;
}

static double kernel_number(const struct list *list, size_t item, size_t column)
{
	const struct snap_kernel *kernel = &list->process->kernels[item];

	switch (column) {
	case K_LAUNCHES: return (double)kernel->launches;
	case K_GRAPH: return (double)kernel->graph_launches;
	case K_RATE: return kernel->launches_per_second + kernel->graph_launches_per_second;
	case K_SHARE: return kernel_runs(kernel) / ((double)list->process->launches + (double)list->process->graph_launches);
	case K_GRID: return (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
	case K_BLOCK: return (double)kernel->block[0] * kernel->block[1] * kernel->block[2];
	case K_SHARED: return kernel->shared_bytes;
	case K_P50: return kernel->latency.p50;
	case K_P99: return kernel->latency.p99;
	case K_MAX: return kernel->latency.max;
	case K_FAILED: return process_known(list->process, (double)kernel->failures);
	default: return kernel->device;
	}
}

static enum style kernel_cell(const struct list *list, size_t item, size_t column, char out[CELL_TEXT])
{
	const struct snap_kernel *kernel = &list->process->kernels[item];
	double number = kernel_number(list, item, column);
	int width = list->columns[column].width;

	switch (column) {
	case K_NAME: return cell_text(out, ST_PLAIN, list->view->settings.full_names ? kernel->signature : kernel->name);
	case K_GRAPH: return cell_about(out, number, !kernel->updatable, width);
	case K_LAUNCHES: return cell_count(out, number, width);
	case K_RATE: return cell_rate(out, number, false);
	case K_SHARE: return cell_share(out, number);
	case K_GRID: return cell_shape(out, kernel->grid);
	case K_BLOCK: return cell_shape(out, kernel->block);
	case K_SHARED: return cell_bytes(out, number);
	case K_P50: case K_P99: case K_MAX: return cell_time(out, number);
	case K_FAILED: return cell_failures(out, number, kernel->sampled, width);
	default: return cell_device(out, kernel->device);
	}
}

static double kernel_bar(const struct list *list, size_t item, size_t column, enum style *style)
{
	const struct snap_kernel *kernels = list->process->kernels;

	(void)column;
	*style = kernels[item].failures ? ST_FAILED : ST_LAUNCH;
	return kernel_runs(&kernels[0]) > 0 ? kernel_runs(&kernels[item]) / kernel_runs(&kernels[0]) : 0;
}

void kernels_draw(struct view *view, const struct area *area, const struct snap_process *process)
{
	struct list list = {
		.columns = kernel_columns, .column_count = COUNT(kernel_columns), .count = process->kernel_count, .view = view,
		.process = process, .empty = "No kernel was launched.", .cell = kernel_cell, .number = kernel_number, .bar = kernel_bar,
	};

	if (!process->graph_launches)
		list.hidden = 1u << K_GRAPH;
	list_draw(view, area, &view->panes[PANE_KERNELS], &list);
}

/* ---- failures ---- */

static const struct list_column failure_columns[] = {
	{ "COUNT", 7, 0, false, 0, false },
	{ "CALL", 22, 0, true, 2, false },
	{ "ERROR", 31, 0, true, 1, false },	/* cudaErrorInvalidMemcpyDirection */
	{ "CODE", 4, 0, false, 6, false },
	{ "FIRST", 8, 0, false, 4, false },
	{ "LAST", 8, 0, false, 3, false },
	{ "WHAT IT MEANS", 0, 50, true, 5, false },
};
enum { F_COUNT, F_CALL, F_ERROR, F_CODE, F_FIRST, F_LAST, F_MEANING };

static double failure_number(const struct list *list, size_t item, size_t column)
{
	const struct snap_failure *failure = &list->process->failure_list[item];

	switch (column) {
	case F_COUNT: return (double)failure->count;
	case F_CODE: return failure->code;
	case F_FIRST: return (double)failure->first;
	default: return (double)failure->last;
	}
}

static enum style failure_cell(const struct list *list, size_t item, size_t column, char out[CELL_TEXT])
{
	const struct snap_failure *failure = &list->process->failure_list[item];
	const char *meaning;

	switch (column) {
	case F_COUNT:
		return cell_failures(out, (double)failure->count, false, list->columns[column].width);
	case F_CALL:
		return cell_text(out, ST_PLAIN, snapshot_call_brief(failure->call, &failure->extra));
	case F_ERROR:
		return cell_text(out, !failure->extra.symbol && error_is_sticky(failure->code) ? ST_FAILED : ST_HEAD, failure->error);
	case F_CODE:
		snprintf(out, CELL_TEXT, "%d", failure->code);
		return ST_DIM;
	case F_FIRST:
		format_when(list->view, failure->first, out, CELL_TEXT);
		return ST_PLAIN;
	case F_LAST:
		format_when(list->view, failure->last, out, CELL_TEXT);
		return ST_PLAIN;
	default:
		meaning = error_meaning(call_layer(failure->call), failure->code);
		return cell_text(out, ST_PLAIN, meaning ? meaning : "-");
	}
}

/* The first of @failures with the same error as @at: what that means is said once. */
static size_t same_error(const struct snap_failure *failures, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (failures[i].code == failures[at].code && !strcmp(failures[i].error, failures[at].error))
			break;
	return i;
}

static void meaning_draw(const struct area *area, int row, const struct snap_failure *failure)
{
	const char *meaning = error_meaning(call_layer(failure->call), failure->code);
	int col = area_text(area, row, 1, ST_DIM, failure->error) + 1;

	if (meaning)
		area_cut(area, row, col, area->rect.cols - col - 1, ST_PLAIN, meaning);
}

void failures_draw(struct view *view, const struct area *area, const struct snap_process *process)
{
	struct list list = {
		.columns = failure_columns, .column_count = COUNT(failure_columns), .count = process->failure_count, .view = view,
		.process = process, .empty = process->unreturned ? "Whether calls failed is not known: " NO_RETURNS : "No call has failed.", .cell = failure_cell, .number = failure_number,
	};
	size_t i, row = process->failure_count + 2;

	list_draw(view, area, &view->panes[PANE_FAILURES], &list);
	/* Too narrow for a column of that: below, as far as there is room. */
	if (area->rect.cols < 143)
		for (i = 0; i < process->failure_count && row < (size_t)area->rect.rows; i++)
			if (same_error(process->failure_list, i) == i)
				meaning_draw(area, (int)row++, &process->failure_list[i]);
}

/* ---- calls ---- */

static const struct list_column call_columns[] = {
	{ "CALL", 0, 22, true, 0, false },
	{ "LAYER", 7, 0, true, 9, false },
	{ "CALLS", 10, 0, false, 1, false },
	{ "FAILED", 8, 0, false, 4, false },
	{ "TIME", 7, 0, false, 2, false },
	{ "SHARE", 6, 0, false, 3, false },
	{ "", 12, 0, true, 8, true },
	{ "AVG", 6, 0, false, 7, false },
	{ "p50", 6, 0, false, 5, false },
	{ "p99", 6, 0, false, 6, false },
	{ "MAX", 6, 0, false, 7, false },
};
enum { C_CALL, C_LAYER, C_CALLS, C_FAILED, C_TIME, C_SHARE, C_BAR, C_AVERAGE, C_P50, C_P99, C_MAX };

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
	/* Of a launch that is not watched to its end nobody knows the time. */
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
	int width = list->columns[column].width;
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

void calls_draw(struct view *view, const struct area *area, const struct snap_process *process)
{
	double seconds = calls_seconds(process);
	struct pane_state *pane = &view->panes[PANE_CALLS];
	struct list list = {
		.columns = call_columns, .column_count = COUNT(call_columns), .count = process->call_count, .view = view, .items = &seconds,
		.process = process, .empty = "No call was made.", .cell = call_cell, .number = call_number, .bar = call_bar,
	};

	pane->is_sorted = true;	/* the table of functions has no order that says something */
	if (!pane->sort)
		pane->sort = C_TIME + 1;
	list_draw(view, area, pane, &list);
}
