/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory: what a process has allocated. A line of sums, the address space as a map (map.c), live
 * bytes over time, and the largest allocations.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cuda/calls.h"
#include "util/util.h"
#include "view/bars.h"
#include "view/cells.h"
#include "view/map.h"

enum { M_ADDRESS, M_SIZE, M_AGE, M_KIND, M_DEVICE, M_STATE, M_SITE, M_CALL };

static const struct list_column memory_columns[] = {
	[M_ADDRESS] = { "ADDRESS", .width = 16, .rank = 3 },
	[M_SIZE] = { "SIZE", .width = 7, .rank = 1 },
	[M_AGE] = { "AGE", .width = 7, .rank = 2 },
	[M_KIND] = { "KIND", .width = 10, .left = true, .rank = 5 },
	[M_DEVICE] = { "DEV", .width = 3, .rank = 7 },
	[M_STATE] = { "STATE", .width = 7, .left = true, .rank = 4 },
	[M_SITE] = { "SITE", .least = 20, .left = true, .rank = 1 },
	[M_CALL] = { "CALL", .width = 22, .left = true, .rank = 8 },
};
#define SITE_AND_CALL 130 /* cells from which on there is room for both */
#define SUM           9   /* cells besides the label of a sum: its number and gaps */

static const char *const state_names[ALLOC_STATE_COUNT] = { "live", "suspect", "leaked", "held",
							    "saved" };
static const enum style state_styles[ALLOC_STATE_COUNT] = { ST_LIVE, ST_SUSPECT, ST_LEAKED, ST_HELD,
							    ST_DIM };

static enum style memory_cell(const struct list *list, size_t item, size_t column,
			      char out[CELL_TEXT])
{
	const struct snap_alloc *alloc = &list->process->map[item];
	enum style style = alloc->state < ALLOC_STATE_COUNT ? state_styles[alloc->state] : ST_PLAIN;

	switch (column) {
	case M_ADDRESS: snprintf(out, CELL_TEXT, "0x%" PRIx64, alloc->address); return ST_PLAIN;
	case M_SIZE: cell_bytes(out, (double)alloc->bytes); return style;
	case M_AGE: format_age(alloc->age, out, CELL_TEXT); return ST_PLAIN;
	case M_KIND:
		return cell_text(out, ST_PLAIN,
				 alloc->kind < KIND_COUNT ? alloc_kind_names[alloc->kind] : "?");
	case M_DEVICE: return cell_device(out, alloc->device);
	case M_STATE:
		return cell_text(out, style,
				 alloc->state < ALLOC_STATE_COUNT ? state_names[alloc->state] :
								    "?");
	case M_SITE: return cell_text(out, ST_PLAIN, alloc->site);
	default: return cell_text(out, ST_DIM, call_name(alloc->call));
	}
}

static double memory_number(const struct list *list, size_t item, size_t column)
{
	const struct snap_alloc *alloc = &list->process->map[item];

	switch (column) {
	case M_ADDRESS: return (double)alloc->address;
	case M_SIZE: return (double)alloc->bytes;
	case M_AGE: return (double)alloc->age;
	default: return alloc->device;
	}
}

/* If it does not fit, it is left out: a number cut short would be another number. */
static int sum(const struct area *area, int col, const char *label, double bytes, enum style style,
	       const char *mark)
{
	char number[32], text[40];

	format_bytes(bytes, number, sizeof(number));
	snprintf(text, sizeof(text), "%s%s", mark, number);
	if (col + 7 + (int)strlen(label) > area->rect.cols)
		return col;
	area_right(area, 0, col + 6, bytes > 0 ? style : ST_DIM, text);
	return area_text(area, 0, col + 7, ST_DIM, label) + 2;
}

/*
 * @first and, with @then, a second number, each with its label; abbreviated if there is no room for
 * all digits.
 */
static int counts(const struct area *area, int col, enum style style, uint64_t first,
		  const char *label, const uint64_t *then, const char *label_then)
{
	char text[96], one[32], two[32] = "";

	snprintf(one, sizeof(one), "%" PRIu64, first);
	if (then)
		snprintf(two, sizeof(two), "%" PRIu64, *then);
	for (int brief = 0; brief < 2; brief++) {
		snprintf(text, sizeof(text), "%s %s%s%s%s%s", one, label, then ? ", " : "", two,
			 then ? " " : "", then ? label_then : "");
		if (col + (int)strlen(text) < area->rect.cols)
			return area_text(area, 0, col, style, text) + 2;
		format_count((double)first, one, sizeof(one));
		if (then)
			format_count((double)*then, two, sizeof(two));
	}
	return col;
}

struct sum {
	const char *label;
	double bytes;
	enum style style;
	const char *mark;
	/* Optional: left out if it is 0 and there is no room for all */
	bool optional, left_out;
};

static void sums_choose(struct sum *sums, size_t count, int cols)
{
	int need = -2;
	size_t i;

	for (i = 0; i < count; i++)
		need += sums[i].left_out ? 0 : SUM + (int)strlen(sums[i].label);
	for (i = 0; i < count && need > cols; i++)
		if (!sums[i].left_out && sums[i].optional && !(sums[i].bytes > 0)) {
			sums[i].left_out = true;
			need -= SUM + (int)strlen(sums[i].label);
		}
}

static int sums_draw(const struct area *area, const struct snap_process *process)
{
	const char *bound = process->from_attach ? "≥" : "";
	struct sum sums[] = {
		{ "live", (double)process->live, ST_LIVE, bound, false, false },
		{ "peak", (double)process->peak, ST_PLAIN, bound, false, false },
		{ "leaked", (double)process->leaked, ST_LEAKED, bound, false, false },
		{ "suspect", (double)process->suspect, ST_SUSPECT, process->suspect ? "~" : "",
		  true, false },
		{ "held", (double)process->held, ST_HELD, "", true, false },
		{ "untracked", (double)process->untracked, ST_HELD, "", true, !process->has_used },
	};
	int col = 0, i;

	if (process->unreturned)
		return area_text(area, 0, col, ST_DIM,
				 "What it allocates is not known: " NO_RETURNS);
	sums_choose(sums, ARRAY_LEN(sums), area->rect.cols);
	for (size_t j = 0; j < ARRAY_LEN(sums); j++)
		if (!sums[j].left_out)
			col = sum(area, col, sums[j].label, sums[j].bytes, sums[j].style,
				  sums[j].mark);
	col = counts(area, col + 1, ST_PLAIN, process->allocations, "allocations", &process->frees,
		     "frees");
	if (process->failed_allocations)
		col = counts(area, col, ST_FAILED, process->failed_allocations, "failed", NULL,
			     NULL);
	if (process->double_frees)
		col = counts(area, col, ST_FAILED, process->double_frees, "freed twice", NULL,
			     NULL);
	for (i = 0; i < KIND_COUNT; i++)
		if (process->kinds[i] && i != KIND_DEVICE)
			col = sum(area, col, alloc_kind_names[i], (double)process->kinds[i],
				  ST_PLAIN, "");
	return col;
}

static void scale_draw(const struct view *view, const struct area *area, int col)
{
	char number[32], text[64];

	format_bytes(view->map_cell, number, sizeof(number));
	snprintf(text, sizeof(text), "  a cell %s%s", number, view->zoom ? " (zoomed)" : "");
	if (col + canvas_width(area->canvas, text) < area->rect.cols)
		area_right(area, 0, area->rect.cols - 1, ST_DIM, text);
}

static void memory_draw(struct view *view, const struct area *area,
			const struct snap_process *process)
{
	int rows = area->rect.rows, cols = area->rect.cols, row = 1, map, plot, sums;
	struct list list = {
		.desc = &pane_memory,
		.count = process->map_count,
		.view = view,
		.process = process,
		.empty = process->unreturned ? "" : "No allocation is live.",
	};
	struct area part;
	bool omitted;

	/* Where memory was allocated says more than which call did it. */
	if (cols < SITE_AND_CALL)
		list.hidden = 1u << M_CALL;
	if (rows < 3) {
		list_draw(view, area, &list);
		return;
	}
	sums = sums_draw(area, process);
	map = rows < 7 || !process->span_count ? 0 : rows < 12 ? 2 : rows < 24 ? 3 : 5;
	plot = rows < 14 || !(process->allocations || process->failed_allocations ||
			      process->live) ?
		       0 :
	       rows < 22 ? 5 :
			   rows / 4 + 1;
	if (map) {
		part = area_part(area, row, 0, map, cols);
		map_draw(view, &part, process);
		scale_draw(view, area, sums);
		row += map;
	}
	if (plot) {
		struct plot live = {
			.track = history_find(&view->history, process->program),
			.series = SERIES_LIVE,
			.style = ST_LIVE,
			.title = process->failed_allocations ?
					 "live bytes  ✗ an allocation failed" :
					 "live bytes",
			.bytes = true,
			.per = "",
			.marks = SERIES_FAILED_ALLOCATIONS,
			.back = view->back,
			.seen = &view->back_seen,
			.zoom = 0,
			.delay = view_interval(view),
		};

		part = area_part(area, row, 1, plot, cols - 2);
		plot_draw(&part, &live);
		row += plot;
	}
	omitted = process->map_omitted && rows - row > 4;
	part = area_part(area, row, 0, rows - row - omitted, cols);
	list_draw(view, &part, &list);
	if (omitted)
		area_format(area, rows - 1, 1, ST_DIM,
			    "and %" PRIu64 " smaller ones (--map lists more)",
			    process->map_omitted);
}

const struct pane_desc pane_memory = {
	.pane = PANE_MEMORY,
	.title = "Memory",
	.help = "what is allocated, and where",
	.pan = PAN_MAP,
	.columns = memory_columns,
	.column_count = ARRAY_LEN(memory_columns),
	.cell = memory_cell,
	.number = memory_number,
	.draw = memory_draw,
};
