/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps of memory. Allocations lie in a few regions with terabytes between them: gaps much longer than
 * the allocations are left out and shown as a thin line, and every region begins in a new cell. All
 * cells stand for the same number of bytes, the smallest with which everything fits. Where the
 * snapshot has each allocation, neighbours are told apart; of a process with very many it has only
 * spans.
 *
 * Regions, or segments of frameworks' allocators, are placed first; then the blocks in them, which
 * have the same order, are gone through once to fill the cells. Only cells that are in sight exist: whatever sizes a
 * program reports, the work is that for its blocks plus that for the screen.
 */
#include "view/map.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/columns.h"
#include "util/saturated.h"
#include "util/util.h"
#include "view/view_internal.h"

/* ---- how blocks look ---- */

enum { TALLIES = 2048 }; /* a power of two */

struct tally {
	const char *name;
	double bytes;
};

/* ---- keys ---- */

const char *map_colors_text(enum map_colors by)
{
	static const char *const texts[] = {
		[MAP_BY_STATE] = "", [MAP_BY_SITE] = "by site, ", [MAP_BY_AGE] = "by age, "
	};

	return texts[by];
}

void map_colors_switch(struct view *view)
{
	static const char *const texts[] = { [MAP_BY_STATE] = "the map shows states",
					     [MAP_BY_SITE] = "the map shows call sites",
					     [MAP_BY_AGE] = "the map shows ages" };

	view->map.by = (enum map_colors)((view->map.by + 1) % MAP_BY_COUNT);
	view_message(view, "%s", texts[view->map.by]);
}

void map_zoom_block(struct view *view)
{
	if (view->map.zoom) {
		view->map.zoom = 0;
		view->map.pan = 0;
	} else if (view->settings.pane == PANE_MEMORY && view_in_pane(view)) {
		view->map.zooms_to_block = true; /* when the map is drawn */
	} else {
		view_message(view, "no allocation is chosen: put the cursor on one in Memory");
	}
}

void map_begin(struct view *view, const struct area *area)
{
	free(view->map.blocks);
	view->map.blocks = calloc((size_t)area->rect.rows * (size_t)area->rect.cols + 1,
				  sizeof(*view->map.blocks));
	view->map.rect = area->rect;
}

static void map_note(struct view *view, int row, int col, const struct snap_alloc *block)
{
	struct rect rect = view->map.rect;

	if (view->map.blocks && block && row < rect.rows && col < rect.cols)
		view->map.blocks[row * rect.cols + col] = block->address;
}

uint64_t map_block_at(const struct view *view, int row, int col)
{
	struct rect rect = view->map.rect;

	row -= rect.row;
	col -= rect.col;
	if (!view->map.blocks || row < 0 || row >= rect.rows || col < 0 || col >= rect.cols)
		return 0;
	return view->map.blocks[row * rect.cols + col];
}

typedef double (*block_place)(const void *context, double per_cell, double *at);

/*
 * Sets zoom and pan so that the cells from @at on, for a block of @bytes, fill half of the @cells
 * in sight. @total(context, per_cell, &at) says how many cells all of it takes, and where the block
 * begins.
 */
static void map_zoom_fit(struct view *view, double bytes, double per_cell, double cells,
			 block_place place, const void *context)
{
	double at, total, skip;

	view->map.zoom = 0;
	while (view->map.zoom < MAP_ZOOM_MAX &&
	       bytes / (per_cell / (double)(2u << view->map.zoom)) <= cells / 2 &&
	       per_cell / (double)(2u << view->map.zoom) >= 1)
		view->map.zoom++;
	per_cell = fmax(per_cell / (double)(1u << view->map.zoom), 1);
	total = place(context, per_cell, &at);
	skip = at + bytes / per_cell / 2 - cells / 2;
	view->map.pan = total > cells ? fmin(fmax(skip / (total - cells), 0), 1) : 0;
}

/* ---- sites ---- */

static void tally_add(struct tally *tallies, const struct snap_alloc *block, double *other)
{
	size_t at = (size_t)((uintptr_t)block->site * 0x9e3779b97f4a7c15ull >> 40) % TALLIES;

	for (size_t i = 0; i < 16; i++, at = (at + 1) % TALLIES)
		if (!tallies[at].name || tallies[at].name == block->site) {
			tallies[at].name = block->site;
			tallies[at].bytes += (double)block->bytes;
			return;
		}
	*other += (double)block->bytes;
}

static int compare_names(const void *left, const void *right)
{
	const struct tally *a = left, *b = right;

	return !a->name || !b->name ? !a->name - !b->name : strcmp(a->name, b->name);
}

static int compare_bytes(const void *left, const void *right)
{
	const struct tally *a = left, *b = right;

	return a->bytes != b->bytes ? (a->bytes < b->bytes) - (a->bytes > b->bytes) :
				      compare_names(left, right);
}

static void sites_rank(struct block_looks *looks, struct tally *tallies)
{
	size_t count = 0, i;

	qsort(tallies, TALLIES, sizeof(*tallies), compare_names);
	for (i = 0; i < TALLIES && tallies[i].name; i++)
		if (count && !strcmp(tallies[count - 1].name, tallies[i].name))
			tallies[count - 1].bytes += tallies[i].bytes;
		else
			tallies[count++] = tallies[i];
	qsort(tallies, count, sizeof(*tallies), compare_bytes);
	for (i = 0; i < count && i < BLOCK_SITES; i++) {
		looks->sites[i].name = tallies[i].name;
		looks->sites[i].bytes = tallies[i].bytes;
	}
	looks->site_count = i;
	for (; i < count; i++)
		looks->other += tallies[i].bytes;
}

void block_looks_make(struct block_looks *looks, enum map_colors by,
		      const struct snap_process *process, bool tensors)
{
	struct tally *tallies;
	size_t i, j;

	*looks = (struct block_looks){ .by = by };
	if (by != MAP_BY_SITE)
		return;
	tallies = calloc(TALLIES, sizeof(*tallies));
	if (!tallies)
		return;
	for (i = 0; !tensors && i < process->drawn_count; i++)
		tally_add(tallies, &process->drawn[i], &looks->other);
	for (i = 0; tensors && i < process->allocator_count; i++)
		for (j = 0; j < process->allocators[i].drawn_count; j++)
			tally_add(tallies, &process->allocators[i].drawn[j], &looks->other);
	sites_rank(looks, tallies);
	free(tallies);
}

/* ---- looks ---- */

/* Styles whose colours are far apart, whatever else they mean. */
static const enum style site_styles[BLOCK_SITES] = { ST_H2D, ST_D2H,    ST_D2D,
						     ST_P2P, ST_LAUNCH, ST_WAIT };

static const struct age {
	uint64_t below; /* ns */
	const char *letters[2], *text;
	enum style style;
} ages[] = {
	{ 60 * NSEC_PER_SEC, { "S", "s" }, "seconds", ST_D2D },
	{ 3600 * NSEC_PER_SEC, { "M", "m" }, "minutes", ST_H2D },
	{ 86400 * NSEC_PER_SEC, { "H", "h" }, "hours", ST_D2H },
	{ UINT64_MAX, { "D", "d" }, "days", ST_P2P },
};

static const char *site_look(const struct block_looks *looks, const struct block_mix *mix,
			     enum style *style)
{
	static const char *const letters[][2] = { { "A", "a" }, { "B", "b" }, { "C", "c" },
						  { "D", "d" }, { "E", "e" }, { "F", "f" } };

	for (size_t i = 0; i < looks->site_count; i++)
		if (looks->sites[i].name == mix->most->site ||
		    !strcmp(looks->sites[i].name, mix->most->site)) {
			*style = site_styles[i];
			return letters[i][mix->is_odd];
		}
	*style = ST_DIM;
	return mix->is_odd ? "▓" : "█";
}

static const char *age_look(const struct block_mix *mix, enum style *style)
{
	size_t i = 0;

	while (mix->age >= ages[i].below && i + 1 < ARRAY_LEN(ages))
		i++;
	*style = ages[i].style;
	return ages[i].letters[mix->is_odd];
}

static const char *state_look(const struct block_mix *mix, double size, enum style *style)
{
	static const char *const levels[] = { "▁", "▄", "▆" };
	int level = (int)(fmin(mix->used / fmax(size, 1), 1) * 4 + 0.5) - 1;

	/* Leaked and suspect bytes are never hidden by what surrounds them. */
	if (mix->bytes[ALLOC_LEAKED] > 0) {
		*style = ST_LEAKED;
		return "▚";
	}
	if (mix->bytes[ALLOC_SUSPECT] > 0) {
		*style = ST_SUSPECT;
		return "▒";
	}
	if (mix->bytes[ALLOC_HELD] > mix->bytes[ALLOC_LIVE]) {
		*style = ST_HELD;
		return "▌";
	}
	*style = ST_LIVE;
	if (level >= 3)
		return mix->is_odd ? "▓" : "█";
	return levels[level < 0 ? 0 : level];
}

/* The character of a cell of @size bytes, and its @style. */
static const char *block_look(const struct block_looks *looks, const struct block_mix *mix,
			      double size, enum style *style)
{
	if (mix->is_chosen) {
		*style = ST_TAB;
		return "●";
	}
	if (!(mix->used > 0)) {
		*style = ST_FREE;
		return "░";
	}
	if (looks->by == MAP_BY_SITE && mix->most)
		return site_look(looks, mix, style);
	if (looks->by == MAP_BY_AGE && mix->most)
		return age_look(mix, style);
	return state_look(mix, size, style);
}

void block_legend_draw(const struct area *area, int row, const struct block_looks *looks)
{
	int cols = area->rect.cols - 1, col = 1, i, count = (int)looks->site_count,
	    room = count ? (cols - 1) / count - 1 : 0;
	char text[256], number[32];

	for (i = 0; looks->by == MAP_BY_AGE && i < (int)ARRAY_LEN(ages); i++) {
		col = area_text(area, row, col, ages[i].style, ages[i].letters[0]);
		col = area_cut(area, row, col + 1, cols - col - 1, ST_DIM, ages[i].text) + 2;
	}
	/* As many sites as have room for their beginning */
	if (room < 12) {
		count = (cols - 1) / 13;
		room = 12;
	}
	for (i = 0; looks->by == MAP_BY_SITE && i < count && i < (int)looks->site_count; i++) {
		format_bytes(looks->sites[i].bytes, number, sizeof(number));
		snprintf(text, sizeof(text), "%s %.200s", number, looks->sites[i].name);
		area_format(area, row, col, site_styles[i], "%c", 'A' + i);
		area_cut(area, row, col + 2, room - 3, ST_DIM, text);
		col += room + 1;
	}
}

/* ---- segments ---- */

#define GUESS_STEP (2ull << 20) /* segments are multiples of this */

static uint64_t end_of(const struct snap_alloc *block)
{
	return add_saturated(block->address, block->bytes);
}

bool segment_list_is_known(const struct snap_process *process)
{
	bool any = false;

	for (size_t i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];

		/* Of a process that was selected just now, blocks come with the next snapshot. */
		if (allocator->blocks && !allocator->drawn_count)
			return false;
		any |= allocator->drawn_count || allocator->segment_count;
	}
	return any;
}

static struct stretch *stretch_add(struct segment_list *list, struct stretch stretch)
{
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 64;
		struct stretch *items = realloc(list->items, room * sizeof(*items));

		if (!items)
			return NULL;
		list->items = items;
		list->room = room;
	}
	list->items[list->count] = stretch;
	return &list->items[list->count++];
}

static struct stretch *known_add(struct segment_list *list, size_t allocator, size_t segment)
{
	const struct snap_segment *from = &list->process->allocators[allocator].segments[segment];

	return stretch_add(list, (struct stretch){ .start = from->start,
						   .end = from->end,
						   .used = from->used,
						   .largest_gap = from->largest_gap,
						   .blocks = from->blocks,
						   .allocator = allocator });
}

/* For @block, which lies in no segment: none from @limit on is known to be there. */
static struct stretch *guess_add(struct segment_list *list, size_t allocator,
				 const struct snap_alloc *block, uint64_t limit)
{
	struct stretch *last = list->count ? &list->items[list->count - 1] : NULL;
	uint64_t start = block->address - block->address % GUESS_STEP, end = end_of(block);

	end = add_saturated(end, (GUESS_STEP - end % GUESS_STEP) % GUESS_STEP);
	end = end > limit ? limit : end;
	if (last && last->allocator == allocator) {
		start = start < last->end ? last->end : start;
		if (last->is_guess && start <= last->end) {
			last->end = end > last->end ? end : last->end;
			return last;
		}
	}
	return stretch_add(list, (struct stretch){ .start = start < end ? start : block->address,
						   .end = end,
						   .allocator = allocator,
						   .is_guess = true });
}

static int allocator_add(struct segment_list *list, size_t at)
{
	const struct snap_allocator *from = &list->process->allocators[at];
	const struct snap_segment *segments = from->segments;
	size_t segment = 0, i;
	struct stretch *here;

	for (i = 0; i < from->drawn_count; i++) {
		const struct snap_alloc *block = &from->drawn[i];

		for (; segment < from->segment_count && segments[segment].start <= block->address;
		     segment++)
			if (!known_add(list, at, segment))
				return -ENOMEM;
		if (segment && block->address < segments[segment - 1].end)
			continue;
		here = guess_add(list, at, block,
				 segment < from->segment_count ? segments[segment].start :
								 UINT64_MAX);
		if (!here)
			return -ENOMEM;
		/* What is in none of them may be in a block of before: it is no gap. */
		here->used += end_of(block) < here->end ? block->bytes : here->end - block->address;
		here->blocks++;
	}
	for (; segment < from->segment_count; segment++)
		if (!known_add(list, at, segment))
			return -ENOMEM;
	return 0;
}

int segment_list_make(struct segment_list *list, const struct snap_process *process)
{
	int err = 0;

	*list = (struct segment_list){ .process = process };
	for (size_t i = 0; !err && i < process->allocator_count; i++)
		err = allocator_add(list, i);
	return err;
}

void segment_list_free(struct segment_list *list)
{
	free(list->items);
	*list = (struct segment_list){ .items = NULL };
}

const struct stretch *segment_list_find(const struct segment_list *list, int device,
					uint64_t address)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct stretch *stretch = &list->items[i];

		if (address >= stretch->start && address < stretch->end &&
		    (list->is_plain ||
		     list->process->allocators[stretch->allocator].device == device))
			return stretch;
	}
	return NULL;
}

/* ---- regions of allocations ---- */

enum { LABEL = 15, REGIONS_MAX = 256 };

/* Splits at gaps longer than @gap. -E2BIG: that makes more than @most regions. */
static int regions_find(struct segment_list *list, uint64_t gap, size_t most)
{
	list->count = 0;
	for (size_t i = 0; i < list->process->span_count; i++) {
		const struct snap_span *span = &list->process->spans[i];
		struct stretch *last = list->count ? &list->items[list->count - 1] : NULL;

		if (last && span->start - last->end <= gap)
			last->end = span->end;
		else if (list->count == most)
			return -E2BIG;
		else if (!stretch_add(list,
				      (struct stretch){ .start = span->start, .end = span->end }))
			return -ENOMEM;
	}
	return 0;
}

/* The regions in which @process's allocations lie, as few as can be told apart in @cells. */
static int regions_make(struct segment_list *list, const struct snap_process *process, int cells)
{
	size_t most = (size_t)cells / 6 + 1;
	uint64_t covered = 0, gap;
	int err;

	*list = (struct segment_list){ .process = process, .is_plain = true };
	for (size_t i = 0; i < process->span_count; i++)
		covered += process->spans[i].end - process->spans[i].start;
	gap = covered / 8 + 4096;
	while ((err = regions_find(list, gap, most > REGIONS_MAX ? REGIONS_MAX : most)) == -E2BIG)
		gap = gap > UINT64_MAX / 4 ? UINT64_MAX : gap * 4;
	return err;
}

/* ---- drawing ---- */

#define BYTES_MOST 2e19        /* no segment has more */
#define CELLS_MAX  1000000000l /* of one segment, however far it is zoomed */

enum { DEVICE = 7, FIGURES = 36, FIGURES_BRIEF = 13 };

/* ---- where it is drawn ---- */

struct sheet {
	struct view *view;
	struct segment_list *list;
	int label, cols, rows;   /* cells are to the right of the label */
	bool has_addresses;      /* in the label, before cells of a row */
	bool has_devices;        /* before those */
	bool is_rows;            /* each segment has a row */
	bool has_breaks;         /* each allocator begins a row */
	int labelled;            /* rows that have their address */
	long skip;               /* how many cells are out of sight, before those that are drawn */
	size_t shown;            /* segments */
	struct block_mix *mixes; /* rows × cols */
	const struct block_looks *looks;
	const struct snap_alloc *selected;
};

/* Allocators whose segments they are; the driver alone has regions. */
static size_t owners_of(const struct segment_list *list)
{
	return list->is_plain ? 1 : list->process->allocator_count;
}

/* Cells before a segment that is not the first: between two of them, or with a device's number. */
static long space_before(const struct sheet *sheet, const struct stretch *stretch,
			 const struct stretch *before)
{
	if (before && before->allocator == stretch->allocator)
		return 1;
	if (sheet->has_breaks || owners_of(sheet->list) < 2)
		return 0;
	return before ? 4 : 3;
}

/* Places segments one after the other. Returns the cells that they take together. */
static long flow(const struct sheet *sheet, double per_cell)
{
	const struct stretch *before = NULL;
	long at = 0;

	for (size_t i = 0; i < sheet->list->count; i++) {
		struct stretch *stretch = &sheet->list->items[i];

		if (!stretch->cells)
			continue;
		if (before && sheet->has_breaks && before->allocator != stretch->allocator)
			at += (sheet->cols - at % sheet->cols) % sheet->cols;
		at += space_before(sheet, stretch, before);
		stretch->first = at;
		stretch->per_cell = per_cell;
		stretch->cells =
			(long)fmin(ceil(stretch_size(stretch) / per_cell), (double)CELLS_MAX);
		at += stretch->cells;
		before = stretch;
	}
	return at;
}

static int compare_sizes(const void *left, const void *right)
{
	const struct stretch *a = *(struct stretch *const *)left,
			     *b = *(struct stretch *const *)right;
	double x = stretch_size(a), y = stretch_size(b);

	return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

/* Marks the @most largest segments to be drawn. */
static int largest_choose(const struct sheet *sheet, size_t most)
{
	struct segment_list *list = sheet->list;
	struct stretch **order = malloc((list->count + 1) * sizeof(struct stretch *));
	size_t i;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < list->count; i++) {
		list->items[i].cells = 0;
		order[i] = &list->items[i];
	}
	if (list->count > most)
		qsort(order, list->count, sizeof(struct stretch *), compare_sizes);
	for (i = 0; i < list->count && i < most; i++)
		order[i]->cells = 1;
	free(order);
	return 0;
}

static double largest_of(const struct segment_list *list)
{
	double largest = 1;

	for (size_t i = 0; i < list->count; i++)
		largest = fmax(largest, stretch_size(&list->items[i]));
	return largest;
}

static void rows_place(const struct sheet *sheet)
{
	double largest = largest_of(sheet->list);

	for (size_t i = 0; i < sheet->list->count; i++) {
		struct stretch *stretch = &sheet->list->items[i];

		stretch->cells = lround(stretch_size(stretch) / largest * sheet->cols);
		stretch->cells = stretch->cells ? stretch->cells : 1;
		stretch->first = (long)i * sheet->cols;
		stretch->per_cell = stretch_size(stretch) / (double)stretch->cells;
	}
}

/* The smallest number of bytes for a cell with which all that is chosen fits; a round one. */
static double per_cell_find(const struct sheet *sheet)
{
	long cells = (long)sheet->cols * sheet->rows;
	double low = 1, high = 1;

	while (flow(sheet, high) > cells && high < BYTES_MOST)
		high *= 2;
	for (int i = 0; i < 40 && high - low > 1; i++) {
		double middle = (low + high) / 2;

		if (flow(sheet, middle) > cells)
			low = middle;
		else
			high = middle;
	}
	for (low = 1; low * 16 <= high; low *= 2)
		;
	return ceil(high / low) * low;
}

/* What has no place even so is not drawn. */
static void excess_drop(struct sheet *sheet)
{
	long cells = (long)sheet->cols * sheet->rows;

	for (size_t i = 0; i < sheet->list->count; i++) {
		struct stretch *stretch = &sheet->list->items[i];

		if (stretch->cells && stretch->first + stretch->cells > cells) {
			stretch->cells = 0;
			sheet->shown--;
		}
	}
}

static void label_fit(struct sheet *sheet, const struct area *area)
{
	int cols = area->rect.cols, figures = 0;

	if (sheet->is_rows)
		figures = cols >= 100 ? FIGURES : cols >= 60 ? FIGURES_BRIEF : 0;
	sheet->has_addresses = cols >= 50;
	sheet->has_devices = owners_of(sheet->list) > 1 && (sheet->is_rows || sheet->has_breaks);
	sheet->label = (sheet->has_addresses ? LABEL : 0) + (sheet->has_devices ? DEVICE : 0);
	sheet->cols = cols - sheet->label - figures - 1;
}

/* How many cells all takes, and where the chosen block is. */
static double segment_place(const void *context, double per_cell, double *at)
{
	const struct sheet *sheet = context;
	double cells = (double)flow(sheet, per_cell);
	const struct stretch *stretch =
		segment_list_find(sheet->list, sheet->selected->device, sheet->selected->address);

	*at = stretch && stretch->cells ?
		      (double)stretch->first +
			      floor((double)(sheet->selected->address - stretch->start) /
				    per_cell) :
		      0;
	return cells;
}

/* Places segments one after the other, and finds out for how many bytes a cell stands. */
static int flow_make(struct view *view, const struct area *area, struct sheet *sheet)
{
	struct segment_list *list = sheet->list;
	long cells = (long)sheet->cols * sheet->rows;
	double per_cell;

	if (list->count > (size_t)cells / 4) {
		sheet->rows -= sheet->rows > 1;
		cells = (long)sheet->cols * sheet->rows;
		sheet->shown = (size_t)cells / 4;
	}
	if (largest_choose(sheet, sheet->shown))
		return -ENOMEM;
	if (sheet->has_breaks && flow(sheet, BYTES_MOST) > cells) {
		sheet->has_breaks = false;
		label_fit(sheet, area);
		cells = (long)sheet->cols * sheet->rows;
	}
	per_cell = per_cell_find(sheet);
	if (flow(sheet, per_cell) > cells)
		excess_drop(sheet);
	if (view->map.zooms_to_block && sheet->selected)
		map_zoom_fit(view, (double)sheet->selected->bytes, per_cell, (double)cells,
			     segment_place, sheet);
	per_cell = fmax(per_cell / (double)(1u << view->map.zoom), 1);
	view->map.cell = per_cell;
	cells = flow(sheet, per_cell) - cells;
	sheet->skip = view->map.zoom && cells > 0 ? (long)(view->map.pan * (double)cells) : 0;
	return 0;
}

static int sheet_make(struct view *view, const struct area *area, struct sheet *sheet)
{
	struct segment_list *list = sheet->list;

	sheet->rows = area->rect.rows;
	sheet->is_rows = !list->is_plain && list->count <= (size_t)sheet->rows && !view->map.zoom &&
			 !(view->map.zooms_to_block && sheet->selected);
	sheet->has_breaks = !list->is_plain && owners_of(list) <= (size_t)sheet->rows;
	sheet->shown = list->count;
	label_fit(sheet, area);
	if (sheet->cols < 4 || sheet->rows < 1 || !list->count)
		return -EINVAL;
	if (!sheet->is_rows)
		return flow_make(view, area, sheet);
	rows_place(sheet);
	view->map.cell = largest_of(list) / sheet->cols;
	return 0;
}

/* ---- cells ---- */

/* What is in a stretch: a block, or, where blocks are too many to be known, a span of them. */
struct run {
	uint64_t start, end;
	const struct snap_alloc *block;
	const struct snap_span *span;
};

/* The @at-th of the owner @owner; false: there are not so many. */
static bool run_of(const struct segment_list *list, size_t owner, size_t at, struct run *run)
{
	const struct snap_process *process = list->process;
	const struct snap_alloc *blocks = list->is_plain ? process->drawn :
							   process->allocators[owner].drawn;
	size_t count = list->is_plain ? process->drawn_count :
					process->allocators[owner].drawn_count;

	if (list->is_plain && !count) {
		if (at >= process->span_count)
			return false;
		*run = (struct run){ .start = process->spans[at].start,
				     .end = process->spans[at].end,
				     .span = &process->spans[at] };
		return true;
	}
	if (at >= count)
		return false;
	*run = (struct run){ .start = blocks[at].address,
			     .end = end_of(&blocks[at]),
			     .block = &blocks[at] };
	return true;
}

/* The first cell in sight, and the one after the last, of the bytes @from to @to of @stretch. */
static long cells_find(const struct sheet *sheet, const struct stretch *stretch, double from,
		       double to, long *end)
{
	long cell = (long)fmin(from / stretch->per_cell, (double)(stretch->cells - 1)),
	     seen = sheet->skip - stretch->first; /* the first that is in sight */

	*end = (long)fmin(ceil(to / stretch->per_cell), (double)stretch->cells);
	if (*end > seen + (long)sheet->cols * sheet->rows)
		*end = seen + (long)sheet->cols * sheet->rows;
	return cell < seen ? seen : cell;
}

static void block_add(struct block_mix *mix, const struct snap_alloc *block, double share,
		      bool is_odd)
{
	unsigned int state = block->state < ALLOC_STATE_COUNT ? block->state : ALLOC_LIVE;

	mix->used += share;
	/* What rises or leaks shows, however little of the cell it takes. */
	mix->bytes[state] += state == ALLOC_SUSPECT || state == ALLOC_LEAKED ? fmax(share, 1) :
									       share;
	if (share <= mix->most_bytes)
		return;
	mix->most_bytes = share;
	mix->most = block;
	mix->age = block->age;
	mix->is_odd = is_odd;
}

static void run_fill(const struct sheet *sheet, const struct stretch *stretch,
		     const struct run *run, bool is_odd)
{
	uint64_t start = run->start > stretch->start ? run->start : stretch->start,
		 end = run->end < stretch->end ? run->end : stretch->end;
	double from = (double)(start - stretch->start), to = (double)(end - stretch->start);
	long cell, last;

	if (end <= start)
		return;
	for (cell = cells_find(sheet, stretch, from, to, &last); cell < last; cell++) {
		struct block_mix *mix = &sheet->mixes[stretch->first + cell - sheet->skip];
		double low = (double)cell * stretch->per_cell,
		       share = fmax(fmin(to, low + stretch->per_cell) - fmax(from, low), 0);

		if (run->block)
			block_add(mix, run->block, share, is_odd);
		/* A span counts evenly over its addresses. */
		for (int state = 0; run->span && state < ALLOC_STATE_COUNT; state++) {
			double bytes = (double)run->span->bytes[state] * share /
				       (double)(run->end - run->start);

			mix->bytes[state] += bytes;
			mix->used += bytes;
		}
	}
}

static void blocks_fill(const struct sheet *sheet)
{
	const struct segment_list *list = sheet->list;
	const struct snap_alloc *selected = sheet->selected;
	const struct stretch *stretch;
	size_t at = 0, i, j;
	struct run run;
	long cell, end;

	for (i = 0; i < owners_of(list); i++) {
		while (at < list->count && list->items[at].allocator < i)
			at++;
		for (j = 0; run_of(list, i, j, &run); j++) {
			while (at < list->count && list->items[at].allocator == i &&
			       list->items[at].end <= run.start)
				at++;
			if (at == list->count || list->items[at].allocator != i)
				break;
			if (list->items[at].cells && run.start >= list->items[at].start)
				run_fill(sheet, &list->items[at], &run, j & 1);
		}
	}
	stretch = selected ? segment_list_find(list, selected->device, selected->address) : NULL;
	if (!stretch || !stretch->cells)
		return;
	for (cell = cells_find(sheet, stretch, (double)(selected->address - stretch->start),
			       (double)(end_of(selected) - stretch->start), &end);
	     cell < end; cell++)
		sheet->mixes[stretch->first + cell - sheet->skip].is_chosen = true;
}

static void device_draw(const struct area *area, int row, const struct sheet *sheet,
			const struct stretch *stretch)
{
	int device = sheet->list->process->allocators[stretch->allocator].device;

	if (device >= 0)
		area_format(area, row, 0, ST_HEAD, "dev %d", device);
	else
		area_text(area, row, 0, ST_HEAD, "dev -");
}

static void figures_draw(const struct area *area, int row, const struct sheet *sheet,
			 const struct stretch *stretch)
{
	int col = sheet->label + sheet->cols + 1;
	char size[32], gap[32], text[96];

	format_bytes(stretch->is_guess ? (double)stretch->used : stretch_size(stretch), size,
		     sizeof(size));
	format_bytes((double)stretch->largest_gap, gap, sizeof(gap));
	area_right(area, row, col + 6, ST_PLAIN, size);
	if (stretch->is_guess)
		snprintf(text, sizeof(text), "used");
	else
		snprintf(text, sizeof(text), "%3.0f%%",
			 floor((double)stretch->used / stretch_size(stretch) * 100));
	area_text(area, row, col + 7, stretch->used ? ST_LIVE : ST_DIM, text);
	if (stretch->blocks)
		snprintf(text, sizeof(text), "%zu block%s%s%s", stretch->blocks,
			 stretch->blocks == 1 ? "" : "s", stretch->largest_gap ? ", gap " : "",
			 stretch->largest_gap ? gap : "");
	else
		snprintf(text, sizeof(text), "empty");
	if (area->rect.cols - col - 13 >= canvas_width(area->canvas, text))
		area_text(area, row, col + 13, ST_DIM, text);
}

/* What stands before a segment in the same row: a thin line, and the number of another device. */
static void space_draw(const struct area *area, const struct sheet *sheet,
		       const struct stretch *stretch, const struct stretch *before)
{
	long space = space_before(sheet, stretch, before);
	char text[16];

	if (space <= 1)
		snprintf(text, sizeof(text), "%s", sheet->list->is_plain ? "┊" : "│");
	else
		snprintf(text, sizeof(text), "%s%2d:", before ? " " : "",
			 sheet->list->process->allocators[stretch->allocator].device);
	for (long i = 0; i < space; i++) {
		long at = stretch->first - space + i - sheet->skip;

		if (at < 0 || at >= (long)sheet->cols * sheet->rows)
			continue;
		if (space == 1)
			area_text(area, (int)(at / sheet->cols),
				  sheet->label + (int)(at % sheet->cols), ST_FRAME, text);
		else
			area_format(area, (int)(at / sheet->cols),
				    sheet->label + (int)(at % sheet->cols), ST_HEAD, "%c", text[i]);
	}
}

static void stretch_draw(const struct area *area, struct sheet *sheet,
			 const struct stretch *stretch)
{
	long seen = (long)sheet->cols * sheet->rows, at = stretch->first - sheet->skip, cell;

	for (cell = at < 0 ? -at : 0; cell < stretch->cells && at + cell < seen; cell++) {
		double low = (double)cell * stretch->per_cell;
		int row = (int)((at + cell) / sheet->cols), col = (int)((at + cell) % sheet->cols);
		const struct block_mix *mix = &sheet->mixes[at + cell];
		enum style style;
		const char *look = block_look(sheet->looks, mix,
					      fmin(stretch->per_cell, stretch_size(stretch) - low),
					      &style);

		/* Where no segment is known, what is between blocks is not known to be free. */
		if (stretch->is_guess && style == ST_FREE)
			look = " ";
		area_text(area, row, sheet->label + col, style, look);
		map_note(sheet->view, row, sheet->label + col, mix->most);
		if (sheet->has_addresses && row >= sheet->labelled) {
			sheet->labelled = row + 1;
			area_format(area, row, sheet->label - LABEL, ST_DIM, "%#14" PRIx64,
				    stretch->start + (uint64_t)low);
		}
	}
	if (at >= 0 && at < seen && sheet->is_rows)
		figures_draw(area, (int)(at / sheet->cols), sheet, stretch);
}

static void more_draw(const struct area *area, const struct sheet *sheet)
{
	double bytes = 0, used = 0;
	char all[32], in_use[32];

	for (size_t i = 0; i < sheet->list->count; i++)
		if (!sheet->list->items[i].cells) {
			bytes += stretch_size(&sheet->list->items[i]);
			used += (double)sheet->list->items[i].used;
		}
	format_bytes(bytes, all, sizeof(all));
	format_bytes(used, in_use, sizeof(in_use));
	area_format(area, sheet->rows, sheet->label, ST_DIM, "and %zu more segments, %s, %s used",
		    sheet->list->count - sheet->shown, all, in_use);
}

void segment_map_draw(struct view *view, const struct area *area, struct segment_list *list,
		      const struct block_looks *looks, const struct snap_alloc *selected)
{
	struct sheet sheet = { .view = view, .list = list, .looks = looks, .selected = selected };
	const struct stretch *before = NULL;
	size_t named = 0; /* allocators */
	long at;

	if (sheet_make(view, area, &sheet))
		return;
	sheet.mixes = calloc((size_t)sheet.rows * (size_t)sheet.cols, sizeof(*sheet.mixes));
	if (!sheet.mixes)
		return;
	blocks_fill(&sheet);
	for (size_t i = 0; i < list->count; i++) {
		const struct stretch *stretch = &list->items[i];

		if (!stretch->cells)
			continue;
		at = stretch->first - sheet.skip;
		/* The first of an allocator that is in sight, or what is in sight of it. */
		if (sheet.has_devices && at + stretch->cells > 0 &&
		    at < (long)sheet.rows * sheet.cols && stretch->allocator + 1 > named) {
			device_draw(area, at > 0 ? (int)(at / sheet.cols) : 0, &sheet, stretch);
			named = stretch->allocator + 1;
		}
		if (!sheet.is_rows)
			space_draw(area, &sheet, stretch, before);
		stretch_draw(area, &sheet, stretch);
		before = stretch;
	}
	if (sheet.shown < list->count && sheet.rows < area->rect.rows)
		more_draw(area, &sheet);
	free(sheet.mixes);
}

void map_draw(struct view *view, const struct area *area, const struct snap_process *process,
	      const struct block_looks *looks, const struct snap_alloc *chosen)
{
	int cols = area->rect.cols - (area->rect.cols >= 50 ? LABEL : 0) - 1;
	struct segment_list list;

	if (cols < 4 || area->rect.rows < 1 || !process->span_count)
		return;
	if (!regions_make(&list, process, cols * area->rect.rows))
		segment_map_draw(view, area, &list, looks, chosen);
	segment_list_free(&list);
}
