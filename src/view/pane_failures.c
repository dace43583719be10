/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failures: calls that failed, with what the error means, and where the first of them was made: in
 * a column, or where there is no room for one, below. Questions that were answered with no, which are no failures, follow under a line of
 * their own.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "print/fields.h"
#include "util/util.h"
#include "view/cells.h"
#include "view/details.h"
#include "view/plot.h"

enum { F_COUNT, F_CALL, F_ERROR, F_CODE, F_FIRST, F_LAST, F_SITE, F_MEANING };

#define SITE_COLS    90  /* for a column of sites */
#define MEANING_COLS 143 /* for one of meanings; with sites, SITE_MORE more */
#define SITE_MORE    22
#define PLOT_ROWS    8 /* what failed matters more than when */
#define PREVIEW_ROWS 8 /* in fewer, what all errors mean says more than the details of one */

static const struct list_column failure_columns[] = {
	[F_COUNT] = { NULL, "count", .width = 7, .rank = 0, .help = "how often" },
	[F_CALL] = { NULL, "call", .width = 22, .left = true, .rank = 2,
		     .help = "the function that returned the error" },
	/* cudaErrorInvalidMemcpyDirection */
	[F_ERROR] = { NULL, "error", .width = 31, .left = true, .rank = 1,
		      .help = "the error's name" },
	[F_CODE] = { NULL, "code", .width = 4, .rank = 7, .help = "its number" },
	[F_FIRST] = { NULL, "first", .width = 8, .rank = 5, .help = "when it was returned first" },
	[F_LAST] = { NULL, "last", .width = 8, .rank = 4, .help = "when last" },
	[F_SITE] = { NULL, "site", .least = 20, .left = true, .rank = 3,
		     .help = "where the first of them was called" },
	[F_MEANING] = { "WHAT IT MEANS", .least = 50, .left = true, .rank = 6,
			.help = "in plain words" },
};

/*
 * A row: a failure or question; or the kernel that it launched, or its site; or the line above the
 * questions.
 */
struct failure_row {
	const struct snap_failure *failure; /* of that line: the first below */
	const char *place;                  /* or kernel, or that line; NULL: the failure itself */
	size_t number;                      /* of rows behind it */
	bool is_kernel, is_title;
};

static const struct failure_row *row_of(const struct list *list, size_t item)
{
	return (const struct failure_row *)list->items + item;
}

static size_t failure_owner(const struct list *list, size_t item)
{
	return item - row_of(list, item)->number;
}

static int failure_section(const struct list *list, size_t item)
{
	const struct failure_row *row = row_of(list, item);

	return row->is_title ? 1 : row->failure->reason ? 2 : 0;
}

static int failure_whole(const struct list *list, size_t item)
{
	if (row_of(list, item)->is_title)
		return F_COUNT;
	return row_of(list, item)->place ? F_CALL : -1;
}

static double failure_number(const struct list *list, size_t item, size_t column)
{
	return item_number(list, column, row_of(list, item)->failure);
}

static const char *words_of(const struct snap_failure *failure)
{
	return failure->reason ? failure->reason :
				 error_meaning(call_layer(failure->call), failure->code);
}

static enum style failure_cell(const struct list *list, size_t item, size_t column,
			       char out[CELL_TEXT])
{
	const struct snap_failure *failure = row_of(list, item)->failure;
	const char *words, *place = row_of(list, item)->place;

	if (place) {
		out[0] = 0;
		if (row_of(list, item)->is_title)
			return cell_text(out, ST_HEAD, column == F_COUNT ? place : "");
		if (column == F_CALL)
			snprintf(out, CELL_TEXT, "  %s%s",
				 row_of(list, item)->is_kernel ? "kernel " : "", place);
		return ST_DIM;
	}
	switch (column) {
	case F_COUNT:
		if (failure->reason)
			return cell_count(out, (double)failure->count,
					  list->desc->columns[column].width);
		return cell_failures(out, (double)failure->count, false,
				     list->desc->columns[column].width);
	case F_CALL:
		return cell_text(out, ST_PLAIN,
				 snapshot_call_brief(failure->call, &failure->extra));
	case F_ERROR:
		return cell_text(out,
				 !failure->extra.symbol && error_is_sticky(failure->code) ?
					 ST_FAILED :
					 ST_HEAD,
				 failure->error);
	case F_CODE: snprintf(out, CELL_TEXT, "%d", failure->code); return ST_DIM;
	case F_FIRST: format_when(list->view, failure->first, out, CELL_TEXT); return ST_PLAIN;
	case F_LAST: format_when(list->view, failure->last, out, CELL_TEXT); return ST_PLAIN;
	case F_SITE:
		return cell_text(out, ST_PLAIN, failure->where.site ? failure->where.site : "-");
	default: words = words_of(failure); return cell_text(out, ST_PLAIN, words ? words : "-");
	}
}

static uint64_t failure_key(const struct list *list, size_t item)
{
	const struct failure_row *row = row_of(list, item);
	const uint32_t parts[] = { list->process->program, row->failure->call,
				   (uint32_t)row->failure->code, (uint32_t)row->number,
				   row->is_title };

	return key_text(key_add(KEY_BEGIN, parts, sizeof(parts)), row->failure->extra.symbol);
}

static void failure_details(const struct list *list, size_t item, struct details *details)
{
	const struct snap_failure *failure = row_of(list, item)->failure;
	const char *words = words_of(failure);
	char text[CELL_TEXT];

	details_text(details, ST_HEAD, "%s", failure->error);
	if (words && !failure->extra.symbol)
		details_text(details, ST_PLAIN, "%s", words);
	if (!failure->extra.symbol && error_is_sticky(failure->code))
		details_text(details, ST_FAILED,
			     "It is sticky: every later call of the process fails, too.");
	details_section(details, failure->reason ? "Questions" : "Failures");
	details_field(details, "call", ST_PLAIN, "%s",
		      snapshot_call_name(failure->call, &failure->extra));
	details_field(details, "code", ST_PLAIN, "%d", failure->code);
	details_field(details, "count", failure->reason ? ST_PLAIN : ST_FAILED, "%" PRIu64,
		      failure->count);
	format_when(list->view, failure->first, text, CELL_TEXT);
	details_field(details, "first", ST_PLAIN, "%s", text);
	format_when(list->view, failure->last, text, CELL_TEXT);
	details_field(details, "last", ST_PLAIN, "%s", text);
	if (failure->kernel)
		details_field(details, "kernel", ST_PLAIN, "%s", failure->shown);
	details_place(details, "The first was made at", &failure->where);
}

/* The first of @failures with the same error as @at: the meaning is shown only there. */
static size_t same_error(const struct snap_failure *failures, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (failures[i].code == failures[at].code &&
		    failures[i].reason == failures[at].reason &&
		    !strcmp(failures[i].error, failures[at].error))
			break;
	return i;
}

static void meaning_draw(const struct area *area, int row, const struct snap_failure *failure)
{
	const char *words = words_of(failure);
	int col = area_text(area, row, 1, ST_DIM, failure->error) + 1;

	if (words)
		area_cut(area, row, col, area->rect.cols - col - 1, ST_PLAIN, words);
}

static size_t listed_count(const struct snap_process *process)
{
	return process->failure_count + process->answer_count;
}

/*
 * Rows of failures and questions, each followed by the kernel that it launched, and by its site if
 * that is wanted. Returns NULL without memory.
 */
static struct failure_row *rows_make(const struct snap_process *process, bool with_sites,
				     size_t *count)
{
	struct failure_row *rows = calloc(3 * listed_count(process) + 2, sizeof(*rows));
	size_t at = 0;

	for (size_t i = 0; rows && i < listed_count(process); i++) {
		const struct snap_failure *failure = &process->failure_list[i];
		const struct snap_place *where = &failure->where;
		size_t first;

		if (i == process->failure_count)
			rows[at++] = (struct failure_row){ .failure = failure,
							   .place = "questions (answered with no)",
							   .is_title = true };
		first = at;
		rows[at++].failure = failure;
		if (failure->kernel)
			rows[at++] = (struct failure_row){ .failure = failure,
							   .place = failure->shown,
							   .number = 1,
							   .is_kernel = true };
		if (with_sites && where->site) {
			rows[at] = (struct failure_row){ .failure = failure,
							 .place = where->site,
							 .number = at - first };
			at++;
		}
	}
	*count = at;
	return rows;
}

static bool has_sites(const struct snap_process *process)
{
	for (size_t i = 0; i < listed_count(process); i++)
		if (process->failure_list[i].where.site)
			return true;
	return false;
}

static bool is_in_column(const struct list *list)
{
	return has_sites(list->process) && list->view->layout.pane.cols >= SITE_COLS;
}

static int failures_make(struct list *list)
{
	bool in_column = is_in_column(list);

	list->hidden = in_column ? 0 : 1u << F_SITE;
	list->empty = list->process->unreturned ? "Whether calls failed is not known: " NO_RETURNS :
						  "No call has failed.";
	list->items = rows_make(list->process, !in_column, &list->count);
	return list->items ? 0 : -ENOMEM;
}

static void failures_draw(struct view *view, const struct area *area, const struct list *list)
{
	const struct snap_process *process = list->process;
	bool in_column = is_in_column(list);
	size_t i, row = list->count + 2;
	struct plot plot = {
		.track = history_find(&view->history, process->program),
		.series = SERIES_FAILURES,
		.style = ST_FAILED,
		.title = "failures",
		.unit = PLOT_COUNT,
		.per = "/s",
		.marks = MARK_NO_MEMORY | MARK_EXIT,
	};

	int rows = area->rect.rows, spare = rows - (int)row;

	if (spare > PREVIEW_ROWS) {
		int plotted = process->failures && spare > PREVIEW_ROWS + PLOT_ROWS ? PLOT_ROWS : 0;
		struct area part = area_part(area, 0, 0, rows - plotted, area->rect.cols);

		details_below_list(view, &part, list);
		plot_below(view, area, rows - plotted, plotted, &plot);
		return;
	}
	list_draw(view, area, list);
	/* Too narrow for a column of that: below, as far as there is room. */
	if (area->rect.cols < MEANING_COLS + (in_column ? SITE_MORE : 0))
		for (i = 0; i < listed_count(process) && row < (size_t)area->rect.rows; i++)
			if (same_error(process->failure_list, i) == i)
				meaning_draw(area, (int)row++, &process->failure_list[i]);
}

const struct pane_desc pane_failures = {
	.pane = PANE_FAILURES,
	.title = "Failures",
	.help = "calls that failed, and why",
	.columns = failure_columns,
	.column_count = ARRAY_LEN(failure_columns),
	.items = &failure_lists[0],
	.cell = failure_cell,
	.number = failure_number,
	.owner = failure_owner,
	.section = failure_section,
	.whole = failure_whole,
	.key = failure_key,
	.details = failure_details,
	.make = failures_make,
	.draw = failures_draw,
};
