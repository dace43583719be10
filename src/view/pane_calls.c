/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls: where the time goes, and every function that was called, with the time inside it. With
 * --launch-sites those that wait are followed by the places that wait longest in them; not with a
 * baseline, since figures are differences then.
 *
 * Above the list: one line with a stacked bar of the last interval (of all time where there is no
 * interval) and its figures; one with the verdict; one with the histogram of gaps between launches,
 * a cell for each power of two. Each part of the bar has its own sign, which stands before its word
 * as well: so colour is not needed.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/snapshot.h"
#include "model/time_shares.h"
#include "print/fields.h"
#include "util/util.h"
#include "view/cells.h"
#include "view/canvas.h"
#include "view/details.h"
#include "view/list.h"
#include "view/plot.h"

/* ---- where the time goes ---- */

#define BAR_CELLS 30

static const struct part_look {
	const char *sign, *ascii;
	enum style style;
} looks[TIME_PARTS] = {
	[TIME_SYNC] = { "█", "#", ST_WAIT },     [TIME_COPY] = { "▓", "=", ST_H2D },
	[TIME_LAUNCH] = { "▒", "+", ST_LAUNCH }, [TIME_OTHER] = { "░", ":", ST_HELD },
	[TIME_NONE] = { "·", ".", ST_DIM },
};

static const char *sign_of(const struct area *area, int part)
{
	return area->canvas->ascii ? looks[part].ascii : looks[part].sign;
}

/* The bar: shares of several threads can be more than 1 together, and then fill it. */
static void stack_draw(const struct area *area, int col, const double share[TIME_PARTS])
{
	double sum = 0, before = 0;
	int from = 0;

	for (int part = 0; part < TIME_PARTS; part++)
		sum += share[part];
	for (int part = 0; part < TIME_PARTS && sum > 0; part++) {
		int to;

		before += share[part];
		to = (int)lround(before / fmax(sum, 1) * BAR_CELLS);
		area_repeat(area, 0, col + from, to - from, looks[part].style, sign_of(area, part));
		from = to;
	}
}

static void shares_draw(const struct area *area, const struct snap_time *time)
{
	bool in_all = isnan(time->share[TIME_NONE]);
	double share[TIME_PARTS];
	int col, part;

	for (part = 0; part < TIME_PARTS; part++)
		share[part] = in_all ? time->seconds[part] / time->wall_seconds : time->share[part];
	col = area_text(area, 0, 1, ST_HEAD, "time ");
	if (area->rect.cols >= BAR_CELLS + 70) {
		stack_draw(area, col, share);
		col += BAR_CELLS + 2;
	}
	for (part = 0; part < TIME_PARTS; part++) {
		const char *mark = part == TIME_LAUNCH && time->sampled && share[part] > 0 ? "~" :
				   part == TIME_NONE && time->threads > 1                  ? "≥" :
											     "";

		col = area_text(area, 0, col, looks[part].style, sign_of(area, part));
		col = area_format(area, 0, col, ST_PLAIN, " %s %s%.0f%%  ", time_part_names[part],
				  mark, 100 * share[part]);
	}
	if (in_all)
		area_text(area, 0, col, ST_DIM, "in all");
}

/* "gaps p50 12µs p99 1.2ms max 30ms, 1234 samples  64ns ▁▃█▂ 33ms" */
static void gaps_draw(const struct area *area, int row, const struct snap_time *time)
{
	char p50[CELL_TEXT], p99[CELL_TEXT], max[CELL_TEXT], count[CELL_TEXT];
	int col, first = 0, last = CUTOP_HIST_BUCKETS - 1;
	uint64_t most = 0;

	for (int i = 0; i < CUTOP_HIST_BUCKETS; i++)
		if (most < time->gap_hist[i])
			most = time->gap_hist[i];
	if (!most)
		return;
	while (!time->gap_hist[first])
		first++;
	while (!time->gap_hist[last])
		last--;
	cell_time(p50, time->gap.p50);
	cell_time(p99, time->gap.p99);
	cell_time(max, time->gap.max);
	cell_count(count, (double)time->gaps, 8);
	col = area_text(area, row, 1, ST_HEAD, "gaps between launches ");
	col = area_format(area, row, col, ST_PLAIN, "p50 %.16s  p99 %.16s  max %.16s  ", p50, p99,
			  max);
	col = area_format(area, row, col, ST_DIM, "%.16s sample%s  ", count,
			  strcmp(count, "1") != 0 ? "s" : "");
	cell_time(p50, first ? ldexp(1e-9, first + CUTOP_HIST_SHIFT) : 0);
	cell_time(max, ldexp(1e-9, last + 1 + CUTOP_HIST_SHIFT));
	if (col + last - first + 20 > area->rect.cols)
		return;
	col = area_format(area, row, col, ST_DIM, "%.16s ", p50);
	for (int i = first; i <= last; i++)
		col = area_text(area, row, col, ST_LAUNCH,
				level_of((double)time->gap_hist[i] / (double)most));
	area_format(area, row, col, ST_DIM, " %.16s", max);
}

/*
 * Draws them at the top of @area, as much as fits without taking more than a quarter of it. Returns
 * what is left.
 */
static struct area time_bar_draw(const struct area *area, const struct snapshot *snapshot,
				 const struct snap_process *process)
{
	int most = area->rect.rows / 4, row = 0;
	char verdict[VERDICT_TEXT];

	if (!process || !process->time.is_known || !(process->time.wall_seconds > 0) || most < 1)
		return *area;
	shares_draw(area, &process->time);
	row++;
	if (row < most && *time_verdict_text(snapshot, process, verdict)) {
		area_cut(area, row, 6, area->rect.cols - 6, ST_PLAIN, verdict);
		row++;
	}
	if (row < most && process->time.gaps) {
		gaps_draw(area, row, &process->time);
		row++;
	}
	return area_part(area, row, 0, area->rect.rows - row, area->rect.cols);
}

/* ---- the list ---- */

enum { C_CALL, C_LAYER, C_CALLS, C_FAILED, C_TIME, C_SHARE, C_BAR, C_AVERAGE, C_P50, C_P99, C_MAX };

static const struct list_column call_columns[] = {
	[C_CALL] = { NULL, "call", .least = 22, .left = true, .rank = 0, .help = "the function" },
	[C_LAYER] = { NULL, "layer", .width = 7, .left = true, .rank = 9,
		      .help = "runtime, driver, or probe for one that --probe names" },
	[C_CALLS] = { NULL, "calls", .width = 10, .rank = 1,
		      .help = "how often it was called, failed calls included" },
	[C_FAILED] = { NULL, "failures", .width = 8, .rank = 4,
		       .help = "how often it returned an error" },
	[C_TIME] = { NULL, "seconds", .width = 7, .rank = 2, .help = "time inside it" },
	[C_SHARE] = { "SHARE", .width = 6, .rank = 3,
		      .help = "share of the time in all calls of this list" },
	[C_BAR] = { "", .width = 12, .left = true, .rank = 8, .is_bar = true,
		    .help = "the same share" },
	[C_AVERAGE] = { NULL, "mean_seconds", .width = 6, .rank = 7,
			.help = "time of a call; a dash where only a sample was timed" },
	[C_P50] = { "p50", "p50_seconds", .width = 6, .rank = 5,
		    .help = "the time on the CPU that half of the calls do not exceed" },
	[C_P99] = { "p99", "p99_seconds", .width = 6, .rank = 6, .help = "the same for 99 of 100" },
	[C_MAX] = { NULL, "max_seconds", .width = 6, .rank = 7, .help = "the longest" },
};

#define PLACES_SHOWN 4 /* of a call; in full height all */

static double calls_seconds(const struct snap_process *process)
{
	double seconds = 0;

	for (size_t i = 0; i < process->call_count; i++)
		seconds += process->call_list[i].seconds;
	return seconds;
}

static const struct snap_call *call_of(const struct list *list, size_t row)
{
	return &list->process->call_list[place_row_of(list, row)->item];
}

static int call_whole(const struct list *list, size_t row)
{
	return place_row_of(list, row)->is_place ? C_CALL : -1;
}

static double call_number(const struct list *list, size_t row, size_t column)
{
	const struct snap_call *call = call_of(list, row);
	double seconds = column == C_SHARE ? calls_seconds(list->process) : 0;

	if (column == C_SHARE)
		return seconds > 0 && !call->untimed ? call->seconds / seconds : NAN;
	return item_number(list, column, call);
}

static enum style call_cell(const struct list *list, size_t row, size_t column, char out[CELL_TEXT])
{
	const struct snap_call *call = call_of(list, row);
	const struct place_row *place = place_row_of(list, row);
	bool is_bound = list->process->runtime_late && call_layer(call->call) == LAYER_RUNTIME;
	int width = list->desc->columns[column].width;
	char time[CELL_TEXT], calls[CELL_TEXT];
	enum style style;
	double number;

	if (place->is_place) {
		cell_count(calls, place->place.calls, list->desc->columns[C_CALLS].width);
		cell_time(time, place->place.amount);
		return place_row_cell(place, column == C_CALL, calls,
				      list->desc->columns[C_CALLS].width, time, out);
	}
	if (column == C_CALL)
		return cell_text(out, ST_PLAIN, snapshot_call_brief(call->call, &call->extra));
	if (column == C_LAYER)
		return cell_text(out, ST_DIM, call_layer_name(call_layer(call->call)));
	number = call_number(list, row, column);
	switch (column) {
	case C_CALLS:
		style = cell_count(time, number, width - is_bound);
		snprintf(out, CELL_TEXT, "%s%.32s", is_bound ? "≥" : "", time);
		return style;
	case C_FAILED: return cell_failures(out, number, call->sampled || is_bound, width);
	case C_SHARE: return cell_share(out, number);
	case C_TIME: /* launches that are not watched until they return are not included */
		style = cell_time(time, number);
		snprintf(out, CELL_TEXT, "%s%.32s", call->sampled && number > 0 ? "≥" : "", time);
		return style;
	default: return item_cell(list, column, call, out);
	}
}

static double call_bar(const struct list *list, size_t row, size_t column, enum style *style)
{
	(void)column;
	*style = ST_WAIT;
	return call_number(list, row, C_SHARE);
}

static uint64_t call_key(const struct list *list, size_t row)
{
	const struct snap_call *call = call_of(list, row);
	uint64_t key = key_add(KEY_BEGIN, &list->process->program, sizeof(list->process->program));

	key = key_add(key, &call->call, sizeof(call->call));
	return place_row_key(key_text(key, call->extra.symbol), place_row_of(list, row));
}

static void call_details(const struct list *list, size_t row, struct details *details)
{
	const struct snap_process *process = list->process;
	const struct snap_call *call = call_of(list, row);
	char text[CELL_TEXT];
	const struct snap_wait_site *first = NULL;
	enum style style;

	details_text(details, ST_HEAD, "%s",
		     call->extra.signature ? call->extra.signature :
					     snapshot_call_name(call->call, &call->extra));
	details_section(details, "Calls");
	details_field(details, "layer", ST_PLAIN, "%s", call_layer_name(call_layer(call->call)));
	style = cell_count(text, (double)call->calls, 20);
	details_field(details, "calls", style, "%s", text);
	style = call_cell(list, row, C_FAILED, text);
	details_field(details, "failed", style, "%s", text);
	style = call_cell(list, row, C_TIME, text);
	details_field(details, "time in it", style, "%s%s", text,
		      call->sampled ? ", in launches that were timed" : "");
	style = call_cell(list, row, C_AVERAGE, text);
	details_field(details, "on average", style, "%s", text);
	details_section(details, "Time of a call");
	details_latency(details, &call->latency, call->sampled);
	details_histogram(details, call->hist, CUTOP_HIST_BUCKETS, HIST_NS, ST_WAIT);
	for (size_t i = 0; i < process->wait_site_count; i++) {
		const struct snap_wait_site *wait = &process->wait_sites[i];

		if (wait->call != call->call || call->extra.symbol)
			continue;
		if (!first)
			details_section(details, "Waits at");
		first = first ? first : wait;
		cell_time(text, wait->seconds);
		details_text(details, ST_PLAIN, "%7.32s in %.0f  %s", text, (double)wait->calls,
			     wait->at.site ? wait->at.site : "?");
	}
	if (first && first->at.stack_count > 1)
		details_place(details, "The way to the first of these", &first->at);
	for (size_t i = 0; i < process->failure_count; i++) {
		const struct snap_failure *failure = &process->failure_list[i];

		if (failure->call != call->call || failure->extra.symbol || call->extra.symbol)
			continue;
		details_section(details, "Failed");
		details_text(details, ST_FAILED, "%.0f with %s", (double)failure->count,
			     failure->error);
		if (failure->where.site)
			details_text(details, ST_PLAIN, "the first at %s", failure->where.site);
	}
}

/* Returns where the calls of @process wait, NULL without memory; the caller frees it. */
static struct item_place *wait_places(const struct snap_process *process)
{
	struct item_place *places = calloc(process->wait_site_count + 1, sizeof(*places));
	size_t call;

	for (size_t i = 0; places && i < process->wait_site_count; i++) {
		const struct snap_wait_site *wait = &process->wait_sites[i];

		for (call = 0;
		     call < process->call_count && process->call_list[call].call != wait->call;
		     call++)
			;
		places[i] = (struct item_place){
			.item = call,
			.site = wait->at.site,
			.amount = wait->seconds,
			.calls = (double)wait->calls,
		};
	}
	return places;
}

static int calls_make(struct list *list)
{
	const struct snap_process *process = list->process;
	struct item_place *places = list->view->base ? NULL : wait_places(process);

	list->empty = "No call was made.";
	list->items = place_rows_make(process->call_count, places,
				      places ? process->wait_site_count : 0,
				      list->view->full ? SIZE_MAX : PLACES_SHOWN, &list->count);
	free(places);
	return list->items ? 0 : -ENOMEM;
}

static void calls_draw(struct view *view, const struct area *area, const struct list *list)
{
	const struct snap_process *process = list->process;
	struct plot plot = {
		.track = history_find(&view->history, process->program),
		.series = SERIES_WAIT,
		.style = ST_WAIT,
		.title = "time spent waiting",
		.unit = PLOT_SHARE,
		.per = "",
		.marks = MARK_NO_MEMORY | MARK_FAILURE | MARK_EXIT,
	};
	struct area rest = time_bar_draw(area, view->shown, process);

	plot_below_list(view, &rest, list, process->unreturned ? NULL : &plot);
}

const struct pane_desc pane_calls = {
	.pane = PANE_CALLS,
	.title = "Calls",
	.help = "every function, with times",
	.sort = C_TIME + 1, /* the order of the table of functions would say nothing */
	.columns = call_columns,
	.column_count = ARRAY_LEN(call_columns),
	.items = &call_list,
	.cell = call_cell,
	.number = call_number,
	.owner = place_row_owner,
	.whole = call_whole,
	.key = call_key,
	.details = call_details,
	.bar = call_bar,
	.make = calls_make,
	.draw = calls_draw,
};
