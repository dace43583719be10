/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sites: where memory is allocated. Where stacks were asked for, a site is a
 * way to an allocation; in full height each is followed by its frames. With a
 * baseline, figures are differences; bars stay those of what there is.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/utf8.h"
#include "util/util.h"
#include "view/cells.h"

enum { S_BAR, S_SITE, S_LIVE, S_SUSPECT, S_LEAKED, S_HELD, S_ALLOCS, S_STACK };

/* Where there is little room, a site's source line is worth more than a bar. */
static const struct list_column site_columns[] = {
	[S_BAR] = { "", .least = 14, .left = true, .rank = 7, .is_bar = true },
	[S_SITE] = { "SITE", .least = 20, .left = true, .rank = 0 },
	[S_LIVE] = { "LIVE", .width = 7, .rank = 1 },
	[S_SUSPECT] = { "SUSPECT", .width = 7, .rank = 3 },
	[S_LEAKED] = { "LEAKED", .width = 7, .rank = 2 },
	[S_HELD] = { "HELD", .width = 7, .rank = 4 },
	[S_ALLOCS] = { "ALLOCS", .width = 8, .rank = 5 },
	[S_STACK] = { "STACK", .width = 5, .rank = 6 },
};

/* A row: a site, or a frame of the site that stands before it. */
struct site_row {
	const struct snap_site *site, *before;	/* before: as it was at the baseline, or NULL */
	size_t frame;		/* 0: the site itself, which is the innermost */
};

static const struct site_row *row_of(const struct list *list, size_t item)
{
	return (const struct site_row *)list->items + item;
}

static size_t site_owner(const struct list *list, size_t item)
{
	return item - row_of(list, item)->frame;
}

static int site_whole(const struct list *list, size_t item)
{
	return row_of(list, item)->frame ? S_SITE : -1;
}

static double figure_of(const struct snap_site *site, size_t column)
{
	switch (column) {
	case S_LIVE: return (double)site->live;
	case S_SUSPECT: return (double)site->suspect;
	case S_LEAKED: return (double)site->leaked;
	case S_HELD: return (double)site->held;
	case S_STACK: return (double)site->stack_count;
	default: return (double)site->allocations;
	}
}

static double site_number(const struct list *list, size_t item, size_t column)
{
	const struct site_row *row = row_of(list, item);
	double number = figure_of(row->site, column);

	return row->before && column != S_STACK ? number - figure_of(row->before, column) : number;
}

static enum style frame_cell(const struct site_row *row, size_t column, char out[CELL_TEXT])
{
	out[0] = 0;
	if (column == S_SITE) {
		strcpy(out, "  ");
		utf8_fit(out + 2, CELL_TEXT - 2, row->site->stack[row->frame], INT_MAX);
	}
	return ST_DIM;
}

static enum style site_cell(const struct list *list, size_t item, size_t column, char out[CELL_TEXT])
{
	static const enum style styles[] = {
		[S_LIVE] = ST_LIVE, [S_SUSPECT] = ST_SUSPECT, [S_LEAKED] = ST_LEAKED, [S_HELD] = ST_HELD,
	};
	const struct site_row *row = row_of(list, item);
	double number = site_number(list, item, column);
	char body[CELL_TEXT];

	if (row->frame)
		return frame_cell(row, column, out);
	switch (column) {
	case S_SITE:
		return cell_text(out, ST_PLAIN, row->site->site);
	case S_ALLOCS:
		return cell_count(out, number, list->desc->columns[column].width);
	case S_STACK:
		if (!row->site->stack_count)
			return cell_text(out, ST_DIM, "-");
		snprintf(out, CELL_TEXT, "%zu", row->site->stack_count);
		return ST_DIM;
	default:
		cell_bytes(body, number);
		snprintf(out, CELL_TEXT, "%s%.32s", column == S_SUSPECT && number > 0 ? "~" : "", body);
		return number > 0 ? styles[column] : ST_DIM;
	}
}

static double site_bar(const struct list *list, size_t item, size_t column, enum style *style)
{
	const struct snap_site *site = row_of(list, item)->site, *first = list->process->sites;
	double most = (double)first->live + (double)first->leaked + (double)first->held;

	(void)column;
	*style = site->leaked ? ST_LEAKED : site->suspect ? ST_SUSPECT : site->held > site->live ? ST_HELD : ST_LIVE;
	if (row_of(list, item)->frame)
		return 0;
	return most > 0 ? ((double)site->live + (double)site->leaked + (double)site->held) / most : 0;
}

static int compare_places(const void *left, const void *right)
{
	const struct snap_site *a = ((const struct site_row *)left)->site, *b = ((const struct site_row *)right)->site;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->stack_id > b->stack_id) - (a->stack_id < b->stack_id);
}

/* Gives the @count rows what @base knew of their sites. */
static void befores_find(struct site_row *rows, size_t count, const struct snap_process *base)
{
	struct site_row *then = calloc(base->site_count + 1, sizeof(*then)), *found;

	for (size_t i = 0; then && i < base->site_count; i++)
		then[i].site = &base->sites[i];
	if (then)
		qsort(then, base->site_count, sizeof(*then), compare_places);
	for (size_t i = 0; then && i < count; i++) {
		found = bsearch(&rows[i], then, base->site_count, sizeof(*then), compare_places);
		rows[i].before = found ? found->site : NULL;
	}
	free(then);
}

/* One row for each site, and, if @expanded, one for each frame behind its first. Returns NULL without memory. */
static struct site_row *rows_make(const struct snap_process *process, bool expanded, size_t *count)
{
	size_t room = process->site_count, at = 0;
	struct site_row *rows;

	for (size_t i = 0; expanded && i < process->site_count; i++)
		room += process->sites[i].stack_count;
	rows = calloc(room + 1, sizeof(*rows));
	for (size_t i = 0; rows && i < process->site_count; i++) {
		rows[at++].site = &process->sites[i];
		for (size_t frame = 1; expanded && frame < process->sites[i].stack_count; frame++)
			rows[at++] = (struct site_row){ &process->sites[i], NULL, frame };
	}
	*count = at;
	return rows;
}

static bool has_stacks(const struct snap_process *process)
{
	for (size_t i = 0; i < process->site_count; i++)
		if (process->sites[i].stack_count)
			return true;
	return false;
}

static void sites_draw(struct view *view, const struct area *area, const struct snap_process *process)
{
	struct list list = {
		.desc = &pane_sites, .view = view, .process = process, .hidden = has_stacks(process) ? 0 : 1u << S_STACK,
		.empty = process->unreturned ? "Where it allocates is not known: " NO_RETURNS : "No memory was allocated.",
	};
	struct site_row *rows = rows_make(process, view->full, &list.count);
	const struct snap_process *base = view->base ? baseline_of(view, process) : NULL;

	if (!rows)
		return;
	if (base)
		befores_find(rows, list.count, base);
	list.items = rows;
	list_draw(view, area, &list);
	free(rows);
}

const struct pane_desc pane_sites = {
	.pane = PANE_SITES,
	.title = "Sites",
	.help = "where memory is allocated",
	.columns = site_columns,
	.column_count = ARRAY_LEN(site_columns),
	.cell = site_cell,
	.number = site_number,
	.owner = site_owner,
	.whole = site_whole,
	.bar = site_bar,
	.draw = sites_draw,
};
