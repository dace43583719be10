/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failures: calls that failed, with what the error means. */
#include <stdio.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "util/util.h"
#include "view/cells.h"

enum { F_COUNT, F_CALL, F_ERROR, F_CODE, F_FIRST, F_LAST, F_MEANING };

static const struct list_column failure_columns[] = {
	[F_COUNT] = { "COUNT", .width = 7, .rank = 0 },
	[F_CALL] = { "CALL", .width = 22, .left = true, .rank = 2 },
	[F_ERROR] = { "ERROR", .width = 31, .left = true, .rank = 1 },	/* cudaErrorInvalidMemcpyDirection */
	[F_CODE] = { "CODE", .width = 4, .rank = 6 },
	[F_FIRST] = { "FIRST", .width = 8, .rank = 4 },
	[F_LAST] = { "LAST", .width = 8, .rank = 3 },
	[F_MEANING] = { "WHAT IT MEANS", .least = 50, .left = true, .rank = 5 },
};

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
		return cell_failures(out, (double)failure->count, false, list->desc->columns[column].width);
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

static void failures_draw(struct view *view, const struct area *area, const struct snap_process *process)
{
	struct list list = {
		.desc = &pane_failures, .count = process->failure_count, .view = view, .process = process,
		.empty = process->unreturned ? "Whether calls failed is not known: " NO_RETURNS : "No call has failed.",
	};
	size_t i, row = process->failure_count + 2;

	list_draw(view, area, &list);
	/* Too narrow for a column of that: below, as far as there is room. */
	if (area->rect.cols < 143)
		for (i = 0; i < process->failure_count && row < (size_t)area->rect.rows; i++)
			if (same_error(process->failure_list, i) == i)
				meaning_draw(area, (int)row++, &process->failure_list[i]);
}

const struct pane_desc pane_failures = {
	.pane = PANE_FAILURES,
	.title = "Failures",
	.help = "calls that failed, and why",
	.columns = failure_columns,
	.column_count = ARRAY_LEN(failure_columns),
	.cell = failure_cell,
	.number = failure_number,
	.draw = failures_draw,
};
