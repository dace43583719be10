/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory: what a process has allocated. A line of sums, the address space as a map (map.c), live
 * bytes over time, and the largest allocations. Where a framework's allocator is known, these are
 * its blocks, and what is drawn are its segments with the blocks in them.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/variables.h"
#include "print/fields.h"
#include "util/saturated.h"
#include "util/utf8.h"
#include "util/util.h"
#include "view/pane_memory.h"
#include "view/map.h"
#include "view/cells.h"
#include "view/details.h"
#include "view/list.h"
#include "view/plot.h"

/* ---- tensors ---- */

bool tensors_are_shown(const struct view *view, const struct snap_process *process)
{
	return view->settings.tensors && process && process->allocator_count;
}

void tensors_switch(struct view *view)
{
	const struct snap_process *process = view_selected(view);

	if (view->settings.pane != PANE_MEMORY && view->settings.pane != PANE_SITES) {
		view_message(view, "tensors are listed by %d and %d", PANE_MEMORY, PANE_SITES);
		return;
	}
	if (!process || !process->allocator_count) {
		view_message(view, "no framework's allocator is known in this process");
		return;
	}
	view->settings.tensors = !view->settings.tensors;
	for (int i = 0; i < PANE_COUNT; i++)
		if (i == PANE_MEMORY || i == PANE_SITES) {
			view->panes[i].top = 0;
			view->panes[i].cursor.chosen = false;
		}
	view_message(view,
		     view->settings.tensors ?
			     "tensors, and what else is allocated: a shows the driver's view" :
			     "the driver's allocations: a shows tensors");
}

static bool is_segment(const struct snap_process *process, const struct snap_alloc *alloc)
{
	if (alloc->in_cache)
		return true;
	for (size_t i = 0; i < process->allocator_count && KIND_IS_VRAM(alloc->kind); i++) {
		const struct snap_allocator *allocator = &process->allocators[i];
		size_t low = 0, high = allocator->segment_count;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (allocator->segments[middle].end <= alloc->address)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < allocator->segment_count &&
		    allocator->segments[low].start <= alloc->address)
			return true;
	}
	return false;
}

static int compare_rows(const void *left, const void *right)
{
	const struct snap_alloc *a = ((const struct memory_row *)left)->alloc,
				*b = ((const struct memory_row *)right)->alloc;
	int order = ORDER(b->bytes, a->bytes);

	if (!order)
		order = ORDER(a->address, b->address);
	return order ? order : ORDER(a->device, b->device);
}

struct memory_row *memory_rows_make(const struct snap_process *process, bool tensors, size_t *count)
{
	size_t room = process->map_count, at = 0, i, j;
	struct memory_row *rows;

	for (i = 0; tensors && i < process->allocator_count; i++)
		room += process->allocators[i].map_count;
	rows = calloc(room + 1, sizeof(*rows));
	*count = 0;
	if (!rows)
		return NULL;
	for (i = 0; tensors && i < process->allocator_count; i++)
		for (j = 0; j < process->allocators[i].map_count; j++)
			rows[at++] = (struct memory_row){
				.alloc = &process->allocators[i].map[j],
				.allocator = &process->allocators[i],
			};
	for (i = 0; i < process->map_count; i++)
		if (!tensors || !is_segment(process, &process->map[i]))
			rows[at++] = (struct memory_row){ .alloc = &process->map[i] };
	/* The driver's have their order already. */
	if (tensors && at)
		qsort(rows, at, sizeof(*rows), compare_rows);
	*count = at;
	return rows;
}

/* Where that of @row was made, as far as its stack goes; NULL: not known. */
static const struct snap_site *memory_row_site(const struct snap_process *process,
					       const struct memory_row *row)
{
	const struct snap_site *sites = row->allocator ? row->allocator->sites : process->sites;
	size_t count = row->allocator ? row->allocator->site_count : process->site_count;

	for (size_t i = 0; i < count; i++)
		if (sites[i].address == row->alloc->site_address &&
		    sites[i].stack_id == row->alloc->stack_id)
			return &sites[i];
	return NULL;
}

/* ---- the story of an allocation ---- */

/* What each state means, as the man page says it. */
static const char *const meanings[ALLOC_STATE_COUNT] = {
	[ALLOC_LIVE] = "It was allocated, and not freed yet.",
	[ALLOC_SUSPECT] = "It may be leaked: the least that is live from its site keeps rising.",
	[ALLOC_LEAKED] = "It was never freed: its process has ended, or its context is gone.",
	[ALLOC_HELD] =
		"It was live when its process ended, and no leak: a cache or a pool kept it.",
};

static void site_section(const struct snap_site *site, bool is_block, struct details *details)
{
	char text[CELL_TEXT];

	details_section(details, "All that was allocated there");
	details_field(details, "made", ST_PLAIN, "%" PRIu64, site->allocations);
	cell_bytes(text, (double)site->allocated);
	details_field(details, "bytes of all", ST_PLAIN, "%s", text);
	cell_bytes(text, (double)site->live);
	details_field(details, "live", ST_LIVE, "%s", text);
	if (site->suspect) {
		cell_bytes(text, (double)site->suspect);
		details_field(details, is_block ? "rising" : "suspect", ST_SUSPECT, "~%s", text);
	}
	if (site->leaked) {
		cell_bytes(text, (double)site->leaked);
		details_field(details, "leaked", ST_LEAKED, "%s", text);
	}
}

static void segment_section(const struct snap_segment *segment, struct details *details)
{
	char text[CELL_TEXT], more[CELL_TEXT];

	details_section(details, "The segment that it is in");
	details_field(details, "address", ST_PLAIN, "0x%" PRIx64 "%s", segment->start,
		      segment->is_expandable ? ", expandable" : "");
	cell_bytes(text, (double)segment->used);
	cell_bytes(more, (double)(segment->end - segment->start));
	details_field(details, "used", ST_PLAIN, "%.32s of %.32s, in %zu block%s", text, more,
		      segment->blocks, segment->blocks == 1 ? "" : "s");
	cell_bytes(text, (double)segment->largest_gap);
	details_field(details, "largest gap", ST_PLAIN, "%s", text);
}

/* Tells all that is known of the allocation of @row, which is in the state called @state. */
static void memory_details(const struct list *list, const struct memory_row *row, enum style style,
			   const char *state, struct details *details)
{
	const struct snap_alloc *alloc = row->alloc;
	const struct snap_site *site = memory_row_site(list->process, row);
	const struct snap_place where = site ? site_place(site) :
					       (struct snap_place){ .site = alloc->site };
	char size[CELL_TEXT], age[32], when[32];
	bool is_known = alloc->state < ALLOC_STATE_COUNT;
	uint64_t lasted = row->alloc->age;
	uint64_t until = list->process->end_time ? list->process->end_time :
						   list->view->shown->time;

	cell_bytes(size, (double)alloc->bytes);
	details_text(details, ST_HEAD, "%.32s at 0x%" PRIx64 ", %s", size, alloc->address, state);
	details_section(details, row->allocator ? "Block" : "Allocation");
	details_field(details, "size", ST_PLAIN, "%" PRIu64 " bytes", alloc->bytes);
	format_age(lasted, age, sizeof(age));
	format_when(list->view, until > lasted ? until - lasted : 0, when, sizeof(when));
	details_field(details, "made", ST_PLAIN, "at %s, %s before %s", when, age,
		      list->process->end_time ? "its process ended" : "now");
	if (row->allocator)
		details_field(details, "by", ST_PLAIN, "%s's allocator", row->allocator->name);
	else
		details_field(details, "by", ST_PLAIN, "%s", call_name(alloc->call));
	if (!row->allocator && alloc->kind < KIND_COUNT)
		details_field(details, "kind", ST_PLAIN, "%s%s", alloc_kind_names[alloc->kind],
			      alloc->in_cache ? ", for a caching allocator" : "");
	if (alloc->device >= 0)
		details_field(details, "device", ST_PLAIN, "%d", alloc->device);
	details_field(details, "state", style, "%s", state);
	if (is_known)
		details_text(details, ST_DIM, "%s", meanings[alloc->state]);
	details_place(details, "Where it was made", &where);
	if (!site || site->stack_count < 2)
		details_text(details, ST_DIM, "Its stack is not known: see --stacks, and doctor.");
	for (size_t i = 0; row->allocator && i < row->allocator->segment_count; i++)
		if (alloc->address >= row->allocator->segments[i].start &&
		    alloc->address < row->allocator->segments[i].end)
			segment_section(&row->allocator->segments[i], details);
	if (site)
		site_section(site, row->allocator != NULL, details);
}

/* ---- lines about allocators ---- */

#define FRAGMENTED       0.2
#define FRAGMENTED_BYTES (256.0 * 1024 * 1024)

/* ---- figures ---- */

static const char *bytes_text(double bytes, char out[32])
{
	format_bytes(bytes, out, 32);
	return out;
}

static double unusable(const struct snap_allocator *allocator)
{
	return allocator->has_gaps && allocator->fragmentation > 0 ?
		       allocator->fragmentation * (double)allocator->reserved :
		       0;
}

static bool is_fragmented(const struct snap_allocator *allocator)
{
	return allocator->fragmentation >= FRAGMENTED && unusable(allocator) >= FRAGMENTED_BYTES;
}

/* What is not as it should be. */
static void caveats_add(struct segments *parts, const struct snap_allocator *allocator)
{
	char text[32];

	if (allocator->shortages)
		segment_add(parts, 3, ST_FAILED, false, "%" PRIu64 " out of memory",
			    allocator->shortages);
	if (allocator->unknown)
		segment_add(parts, 2, ST_HELD, false, "%s in blocks from before cutop watched",
			    bytes_text((double)allocator->unknown, text));
	if (allocator->drawn_count && allocator->drawn_count < allocator->blocks)
		segment_add(parts, 2, ST_HELD, false, "%zu of %zu blocks drawn",
			    allocator->drawn_count, allocator->blocks);
	if (allocator->inexact)
		segment_add(parts, 5, ST_HELD, false, "reports were lost");
}

/* Figures of @allocator, or of several as one: @worst has the highest fragmentation of them. */
static void figures_add(struct segments *parts, const struct snap_allocator *allocator,
			const struct snap_allocator *worst, int width)
{
	char gaps[32], largest[32], whose[24] = "";
	enum style style = worst && is_fragmented(worst) ? ST_SUSPECT : ST_PLAIN;

	if (allocator->segment_count || !allocator->blocks)
		segment_add(parts, 7, ST_PLAIN, false, "%*zu segment%s", width ? 4 : 0,
			    allocator->segment_count,
			    allocator->segment_count == 1 && !width ? "" : "s");
	segment_add(parts, 6, ST_PLAIN, false, "%*zu block%s", width, allocator->blocks,
		    allocator->blocks == 1 && !width ? "" : "s");
	if (!allocator->has_gaps)
		return;
	segment_add(parts, 4, ST_PLAIN, false, "gaps %*s, largest %*s", width,
		    bytes_text((double)allocator->free_in_segments, gaps), width,
		    bytes_text((double)allocator->largest_gap, largest));
	if (!worst || isnan(worst->fragmentation))
		return;
	if (worst != allocator)
		snprintf(whose, sizeof(whose), " on %d", worst->device);
	segment_add(parts, 1, style, false, "fragmentation %*.0f%%%s", width ? 3 : 0,
		    worst->fragmentation * 100, whose);
}

static const struct snap_allocator *fragmented_most(const struct snap_process *process)
{
	const struct snap_allocator *worst = NULL;

	for (size_t i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];

		if (allocator->has_gaps && !isnan(allocator->fragmentation) &&
		    (!worst || allocator->fragmentation > worst->fragmentation))
			worst = allocator;
	}
	return worst;
}

/* One line about all of @process's allocators, at most @cols cells. Returns the column after it. */
static int allocators_line(const struct area *area, int row, int cols,
			   const struct snap_process *process)
{
	struct snap_allocator sum = { .has_gaps = true };
	struct segments parts = { .count = 0 };
	size_t i;

	if (!process->allocator_count)
		return 0;
	if (process->allocator_count == 1) {
		const struct snap_allocator *only = &process->allocators[0];

		segment_add(&parts, 0, ST_HEAD, false, "%s", only->name);
		figures_add(&parts, only, only, 0);
		caveats_add(&parts, only);
		return segments_draw(&parts, area, row, cols);
	}
	for (i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];

		sum.segment_count += allocator->segment_count;
		sum.blocks += allocator->blocks;
		sum.drawn_count += allocator->drawn_count;
		sum.unknown += allocator->unknown;
		sum.shortages += allocator->shortages;
		sum.inexact |= allocator->inexact;
		sum.has_gaps &= allocator->has_gaps;
		sum.free_in_segments += allocator->free_in_segments;
		if (allocator->largest_gap > sum.largest_gap)
			sum.largest_gap = allocator->largest_gap;
	}
	segment_add(&parts, 0, ST_HEAD, false, "%s on %zu devices", process->allocators[0].name,
		    process->allocator_count);
	figures_add(&parts, &sum, fragmented_most(process), 0);
	caveats_add(&parts, &sum);
	return segments_draw(&parts, area, row, cols);
}

/* A line for each. Returns the column after the first. */
static int allocators_lines(const struct area *area, int row, const struct snap_process *process)
{
	int end = 0, end_here;

	for (size_t i = 0; i < process->allocator_count; i++, row++) {
		const struct snap_allocator *allocator = &process->allocators[i];
		struct segments parts = { .count = 0 };
		char tensors[32], cache[32];

		segment_add(&parts, 0, ST_HEAD, false, "%s dev %d", allocator->name,
			    allocator->device);
		segment_add(&parts, 2, ST_LIVE, false, "%6s %s",
			    bytes_text((double)allocator->allocated, tensors), allocator->noun);
		if (allocator->has_totals)
			segment_add(&parts, 3, ST_HELD, false, "%6s cache",
				    bytes_text(allocator->reserved > allocator->allocated ?
						       (double)(allocator->reserved -
								allocator->allocated) :
						       0,
					       cache));
		figures_add(&parts, allocator, allocator, 6);
		caveats_add(&parts, allocator);
		end_here = segments_draw(&parts, area, row, area->rect.cols);
		end = i ? end : end_here;
	}
	return end;
}

/* ---- the pane ---- */

enum { M_ADDRESS, M_SIZE, M_AGE, M_KIND, M_DEVICE, M_STATE, M_SITE, M_CALL };

static const struct list_column memory_columns[] = {
	[M_ADDRESS] = { NULL, "address", .width = 16, .rank = 3,
			.help = "where the allocation begins, as the program has it" },
	[M_SIZE] = { "SIZE", "size", .width = 7, .rank = 1,
		     .help = "bytes asked for; CUDA may take more" },
	[M_AGE] = { NULL, "age_seconds", .width = 7, .rank = 2,
		    .help = "time since it was allocated, or up to the end of its owner" },
	[M_KIND] = { NULL, "kind", .width = 10, .left = true, .rank = 5,
		     .help = "kind of memory; tensor: a block of a framework" },
	[M_DEVICE] = { NULL, "device", .width = 3, .rank = 7, .help = "the device it lies on" },
	[M_STATE] = { NULL, "state", .width = 7, .left = true, .rank = 4,
		      .help = "live, suspect, leaked or held; of a tensor, rising" },
	[M_SITE] = { NULL, "site", .least = 20, .left = true, .rank = 1,
		     .help = "the call site: function, file and line, as far as known" },
	[M_CALL] = { NULL, "call", .width = 22, .left = true, .rank = 8,
		     .help = "the function that made it; of a tensor, none" },
};
#define SITE_AND_CALL 130 /* cells from which on there is room for both */
#define SUM           9   /* cells besides the label of a sum: its number and gaps */

static const char *const state_names[ALLOC_STATE_COUNT] = { "live", "suspect", "leaked", "held" };
static const enum style state_styles[ALLOC_STATE_COUNT] = { ST_LIVE, ST_SUSPECT, ST_LEAKED,
							    ST_HELD };

static const struct memory_row *row_of(const struct list *list, size_t item)
{
	return (const struct memory_row *)list->items + item;
}

static const char *state_of(const struct memory_row *row)
{
	if (row->alloc->state >= ALLOC_STATE_COUNT)
		return "?";
	return row->allocator && row->alloc->state == ALLOC_SUSPECT ?
		       "rising" :
		       state_names[row->alloc->state];
}

static bool is_tensor(const struct memory_row *row)
{
	return row->allocator && !strcmp(row->allocator->noun, "tensors");
}

static enum style memory_cell(const struct list *list, size_t item, size_t column,
			      char out[CELL_TEXT])
{
	const struct memory_row *row = row_of(list, item);
	const struct snap_alloc *alloc = row->alloc;
	enum style style = alloc->state < ALLOC_STATE_COUNT ? state_styles[alloc->state] : ST_PLAIN;

	switch (column) {
	case M_ADDRESS: snprintf(out, CELL_TEXT, "0x%" PRIx64, alloc->address); return ST_PLAIN;
	case M_SIZE: cell_bytes(out, (double)alloc->bytes); return style;
	case M_AGE: format_age(row->alloc->age, out, CELL_TEXT); return ST_PLAIN;
	case M_KIND:
		return cell_text(out, ST_PLAIN,
				 is_tensor(row)           ? "tensor" :
				 row->allocator           ? "block" :
				 alloc->kind < KIND_COUNT ? alloc_kind_names[alloc->kind] :
							    "?");
	case M_DEVICE: return cell_device(out, alloc->device);
	case M_STATE: return cell_text(out, style, state_of(row));
	case M_SITE: return cell_text(out, ST_PLAIN, alloc->site);
	default: return cell_text(out, ST_DIM, row->allocator ? "" : call_name(alloc->call));
	}
}

static double memory_number(const struct list *list, size_t item, size_t column)
{
	return item_number(list, column, row_of(list, item)->alloc);
}

/* ---- rows ---- */

static uint64_t key_of(const struct snap_process *process, const struct memory_row *row)
{
	const uint64_t parts[] = { process->program, row->alloc->address, row->allocator != NULL };

	return key_add(KEY_BEGIN, parts, sizeof(parts));
}

static uint64_t memory_key(const struct list *list, size_t item)
{
	return key_of(list->process, row_of(list, item));
}

static bool memory_hides(const struct list *list, size_t item, const char *text)
{
	const struct memory_row *row = row_of(list, item);
	const struct snap_site *site = memory_row_site(list->process, row);

	for (size_t i = 0; site && i < site->stack_count; i++)
		if (text_find(site->stack[i], text))
			return true;
	return false;
}

static void details_of(const struct list *list, size_t item, struct details *details)
{
	const struct memory_row *row = row_of(list, item);
	enum style style = row->alloc->state < ALLOC_STATE_COUNT ? state_styles[row->alloc->state] :
								   ST_PLAIN;

	memory_details(list, row, style, state_of(row), details);
}

/* ---- above the list ---- */

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
	bool is_known = process->allocator_count && !process->exited;
	double cache = process->reserved > process->tensors ?
			       (double)(process->reserved - process->tensors) :
			       0;
	struct sum sums[] = {
		{ "live", (double)process->live, ST_LIVE, bound, false, false },
		{ "tensors", (double)process->tensors, ST_LIVE, bound, false, !is_known },
		{ "cache", cache, ST_HELD, bound, false, !is_known || !process->has_reserved },
		{ "rising", (double)process->tensors_rising, ST_SUSPECT, "~", true,
		  !process->tensors_rising },
		{ "tensors at its end", (double)process->tensors_ended, ST_HELD, "", true,
		  !process->tensors_ended },
		{ "peak", (double)process->peak, ST_PLAIN, bound, false, false },
		{ "leaked", (double)process->leaked, ST_LEAKED, bound, is_known, false },
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

/* At the right of @row, if nothing stands there from @col on. */
static void scale_draw(const struct view *view, const struct area *area, int row, int col)
{
	char number[32], text[96];

	format_bytes(view->map.cell, number, sizeof(number));
	snprintf(text, sizeof(text), "  %sa cell %s%s", map_colors_text(view->map.by), number,
		 view->map.zoom ? " (zoomed)" : "");
	if (col + canvas_width(area->canvas, text) < area->rect.cols)
		area_right(area, row, area->rect.cols - 1, ST_DIM, text);
}

static void live_draw(struct view *view, const struct area *area, int row, int rows,
		      const struct snap_process *process, bool tensors)
{
	struct plot live = {
		.track = history_find(&view->history, process->program),
		.series = tensors ? SERIES_TENSORS : SERIES_LIVE,
		.style = ST_LIVE,
		.title = tensors ? "bytes in tensors" : "live bytes",
		.unit = PLOT_BYTES,
		.per = "",
		.marks = MARKS_OF_MEMORY,
	};

	plot_below(view, area, row, rows, &live);
}

/* What is drawn where, from top to bottom; rows of what is left out are 0. */
struct memory_layout {
	int shares, figures, map, legend, plot; /* the list has the others */
};

static struct memory_layout layout_plain(const struct view *view,
					 const struct snap_process *process, int rows)
{
	bool any = process->allocations || process->failed_allocations || process->live;

	return (struct memory_layout){
		.shares = rows >= 14 && device_shares_are_shown(process),
		.map = rows < 7 || !process->span_count ? 0 :
		       rows < 12                        ? 2 :
		       rows < 24                        ? 3 :
							  5,
		.legend = rows >= 10 && process->span_count && view->map.by != MAP_BY_STATE,
		.plot = rows < 14 || !any ? 0 :
			rows < 22         ? 5 :
					    rows / 4 + 1,
	};
}

static struct memory_layout layout_tensors(const struct view *view,
					   const struct snap_process *process,
					   const struct segment_list *segments, int rows)
{
	int each = process->allocator_count < 64 ? (int)process->allocator_count : 64,
	    most = rows < 7  ? 0 :
		   rows < 12 ? 2 :
		   rows < 17 ? 3 :
		   rows < 24 ? 4 :
		   rows < 40 ? 8 :
			       12;
	struct memory_layout layout = {
		.shares = rows >= 14 && device_shares_are_shown(process),
		.figures = rows < 7              ? 0 :
			   rows >= 16 + 2 * each ? each :
						   1,
		.map = segments->count < (size_t)most ? (int)segments->count : most,
		.legend = rows >= 10 && view->map.by != MAP_BY_STATE,
	};
	int left = rows - 1 - layout.shares - layout.figures - layout.map - layout.legend;

	layout.plot = left >= 24 ? left / 4 : left >= 14 ? 5 : 0;
	return layout;
}

/* The row at the cursor, once the list is drawn; NULL: there is none. */
static const struct memory_row *row_chosen(const struct list *list)
{
	for (size_t i = 0; list_has_cursor(list) && i < list->count; i++)
		if (memory_key(list, i) == list->view->panes[PANE_MEMORY].cursor.key)
			return row_of(list, i);
	return NULL;
}

/* Everything above the list, which is drawn before: it knows which row is chosen. */
static void above_draw(struct view *view, const struct area *area, const struct list *list,
		       struct segment_list *segments, const struct memory_layout *layout)
{
	const struct snap_process *process = list->process;
	const struct memory_row *chosen = row_chosen(list);
	struct block_looks looks;
	int cols = area->rect.cols, row = 1 + layout->shares, end = sums_draw(area, process);
	struct area part;

	if (layout->shares)
		device_shares_draw(view, area, 1, process);
	block_looks_make(&looks, view->map.by, process, segments != NULL);
	part = area_part(area, row + layout->figures, 0, layout->map, cols);
	map_begin(view, &part);
	if (layout->map && segments)
		segment_map_draw(view, &part, segments, &looks,
				 chosen && chosen->allocator ? chosen->alloc : NULL);
	else if (layout->map)
		map_draw(view, &part, process, &looks,
			 chosen && !chosen->allocator ? chosen->alloc : NULL);
	view->map.zooms_to_block = false;
	if (layout->figures)
		end = layout->figures > 1 ? allocators_lines(area, row, process) :
					    allocators_line(area, row, cols - 1, process);
	if (layout->map)
		scale_draw(view, area, layout->figures ? row : 0, end);
	row += layout->figures + layout->map;
	if (layout->legend)
		block_legend_draw(area, row, &looks);
	row += layout->legend;
	live_draw(view, area, row, layout->plot, process, segments != NULL);
}

static uint64_t omitted_of(const struct snap_process *process, bool tensors)
{
	uint64_t omitted = process->map_omitted;

	for (size_t i = 0; tensors && i < process->allocator_count; i++)
		omitted += process->allocators[i].map_omitted;
	return omitted;
}

/* The plot gets what the list leaves. */
static int plot_grown(const struct list *list, int plot, int rows, bool tensors)
{
	const struct snap_process *process = list->process;
	int wanted = (int)list->count + 1 + (omitted_of(process, tensors) != 0), spare;

	if (!process->peak)
		return plot;
	spare = rows - wanted < PLOT_ROWS_MOST ? rows - wanted : PLOT_ROWS_MOST;
	return spare > plot && spare >= PLOT_ROWS_MIN ? spare : plot;
}

static void list_below_draw(struct view *view, const struct area *area, const struct list *list,
			    bool tensors)
{
	uint64_t omitted = omitted_of(list->process, tensors);
	int rows = area->rect.rows;
	struct area part = area_part(area, 0, 0, rows - (omitted && rows > 4), area->rect.cols);

	details_below_list(view, &part, list);
	if (omitted && rows > 4)
		area_format(area, rows - 1, 1, ST_DIM,
			    "and %" PRIu64 " smaller ones (--map lists more)", omitted);
}

static bool shows_tensors(const struct list *list)
{
	return tensors_are_shown(list->view, list->process) && !list->process->exited;
}

static int memory_make(struct list *list)
{
	bool tensors = shows_tensors(list);

	list->empty = list->process->unreturned ? "" :
		      tensors                   ? "No tensor is live." :
						  "No allocation is live.";
	/* Where memory was allocated says more than which call did it. */
	list->hidden = list->view->layout.pane.cols < SITE_AND_CALL ? 1u << M_CALL : 0;
	list->items = memory_rows_make(list->process, tensors, &list->count);
	return list->items ? 0 : -ENOMEM;
}

static void memory_draw(struct view *view, const struct area *area, const struct list *list)
{
	const struct snap_process *process = list->process;
	bool tensors = shows_tensors(list);
	int rows = area->rect.rows, cols = area->rect.cols, above;
	struct segment_list segments = { .items = NULL };
	struct memory_layout layout;
	struct area part;

	view->map.rect = (struct rect){ 0 };
	if (rows < 3) {
		list_draw(view, area, list);
		return;
	}
	if (tensors && segment_list_is_known(process) && segment_list_make(&segments, process))
		goto out;
	layout = tensors ? layout_tensors(view, process, &segments, rows) :
			   layout_plain(view, process, rows);
	above = 1 + layout.shares + layout.figures + layout.map + layout.legend;
	layout.plot = plot_grown(list, layout.plot, rows - above, tensors);
	above += layout.plot;
	part = area_part(area, above, 0, rows - above, cols);
	list_below_draw(view, &part, list, tensors);
	above_draw(view, area, list, tensors ? &segments : NULL, &layout);
out:
	segment_list_free(&segments);
}

bool map_click(struct view *view, int row, int col)
{
	uint64_t address = view->settings.pane == PANE_MEMORY ? map_block_at(view, row, col) : 0;
	struct pane_cursor *cursor = &view->panes[PANE_MEMORY].cursor;
	struct list list;
	size_t i;

	if (!address || !list_open(view, &list))
		return false;
	for (i = 0; i < list.count; i++) {
		const struct memory_row *item = row_of(&list, list.order[i]);

		if (item->alloc->address == address &&
		    (item->allocator != NULL) == shows_tensors(&list))
			break;
	}
	if (i < list.count) {
		list_cursor_put(&list, cursor, i);
		focus_set(view, FOCUS_PANE);
	} else {
		view_message(view, "the list has only the largest allocations (--map lists more)");
	}
	i = i < list.count;
	list_close(&list);
	return i;
}

const struct pane_desc pane_memory = {
	.pane = PANE_MEMORY,
	.title = "Memory",
	.help = "what is allocated, and where",
	.pan = PAN_MAP,
	.columns = memory_columns,
	.column_count = ARRAY_LEN(memory_columns),
	.items = &map_list,
	.cell = memory_cell,
	.number = memory_number,
	.key = memory_key,
	.hides = memory_hides,
	.details = details_of,
	.make = memory_make,
	.draw = memory_draw,
};
