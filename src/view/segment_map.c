/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The segments' cells are placed first; then the blocks, which have the same order, are gone through
 * once to fill them. Only cells that are in sight exist: whatever sizes a program reports, the work
 * is that for its blocks plus that for the screen.
 */
#include "view/segment_map.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/saturated.h"

#define BYTES_MOST 2e19        /* no segment has more */
#define CELLS_MAX  1000000000l /* of one segment, however far it is zoomed */

enum { LABEL = 15, DEVICE = 7, FIGURES = 36, FIGURES_BRIEF = 13 };

static uint64_t end_of(const struct snap_alloc *block)
{
	return add_saturated(block->address, block->bytes);
}

/* ---- where it is drawn ---- */

struct cell_mix {
	struct block_mix mix;
	double most; /* bytes of the block with most of them */
};

struct sheet {
	struct view *view;
	struct segment_list *list;
	int label, cols, rows;  /* cells are to the right of the label */
	bool has_addresses;     /* in the label, before cells of a row */
	bool has_devices;       /* before those */
	bool is_rows;           /* each segment has a row */
	bool has_breaks;        /* each allocator begins a row */
	int labelled;           /* rows that have their address */
	long skip;              /* how many cells are out of sight, before those that are drawn */
	size_t shown;           /* segments */
	struct cell_mix *mixes; /* rows × cols */
	const struct block_looks *looks;
	const struct snap_alloc *selected;
};

/* Cells before a segment that is not the first: between two of them, or with a device's number. */
static long space_before(const struct sheet *sheet, const struct stretch *stretch,
			 const struct stretch *before)
{
	if (before && before->allocator == stretch->allocator)
		return 1;
	if (sheet->has_breaks || sheet->list->process->allocator_count < 2)
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
	sheet->has_devices = sheet->list->process->allocator_count > 1 &&
			     (sheet->is_rows || sheet->has_breaks);
	sheet->label = (sheet->has_addresses ? LABEL : 0) + (sheet->has_devices ? DEVICE : 0);
	sheet->cols = cols - sheet->label - figures - 1;
}

/* How many cells all takes, and where the chosen block is. */
static double place_find(const void *context, double per_cell, double *at)
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
	if (view->zooms_to_block && sheet->selected)
		map_zoom_fit(view, (double)sheet->selected->bytes, per_cell, (double)cells,
			     place_find, sheet);
	per_cell = fmax(per_cell / (double)(1u << view->zoom), 1);
	view->map_cell = per_cell;
	cells = flow(sheet, per_cell) - cells;
	sheet->skip = view->zoom && cells > 0 ? (long)(view->pan * (double)cells) : 0;
	return 0;
}

static int sheet_make(struct view *view, const struct area *area, struct sheet *sheet)
{
	struct segment_list *list = sheet->list;

	sheet->rows = area->rect.rows;
	sheet->is_rows = list->count <= (size_t)sheet->rows && !view->zoom &&
			 !(view->zooms_to_block && sheet->selected);
	sheet->has_breaks = list->process->allocator_count <= (size_t)sheet->rows;
	sheet->shown = list->count;
	label_fit(sheet, area);
	if (sheet->cols < 4 || sheet->rows < 1 || !list->count)
		return -EINVAL;
	if (!sheet->is_rows)
		return flow_make(view, area, sheet);
	rows_place(sheet);
	view->map_cell = largest_of(list) / sheet->cols;
	return 0;
}

/* ---- cells ---- */

static void block_fill(const struct sheet *sheet, const struct stretch *stretch,
		       const struct snap_alloc *block, bool is_odd, bool is_selected)
{
	uint64_t start = block->address > stretch->start ? block->address : stretch->start,
		 end = end_of(block) < stretch->end ? end_of(block) : stretch->end;
	double from = (double)(start - stretch->start), to = (double)(end - stretch->start);
	long cell, last, seen = (long)sheet->cols * sheet->rows;

	if (end <= start)
		return;
	cell = (long)fmin(from / stretch->per_cell, (double)(stretch->cells - 1));
	last = (long)fmin(ceil(to / stretch->per_cell), (double)stretch->cells) - 1;
	if (cell < sheet->skip - stretch->first)
		cell = sheet->skip - stretch->first;
	if (last > sheet->skip + seen - 1 - stretch->first)
		last = sheet->skip + seen - 1 - stretch->first;
	for (; cell <= last; cell++) {
		struct cell_mix *in = &sheet->mixes[stretch->first + cell - sheet->skip];
		double low = (double)cell * stretch->per_cell,
		       share = fmin(to, low + stretch->per_cell) - fmax(from, low);

		share = fmax(share, 0);
		in->mix.used += share;
		/* What rises shows, however little of the cell it takes. */
		in->mix.bytes[block->state == ALLOC_SUSPECT ? ALLOC_SUSPECT : ALLOC_LIVE] +=
			block->state == ALLOC_SUSPECT ? fmax(share, 1) : share;
		in->mix.is_chosen |= is_selected;
		if (share > in->most) {
			in->most = share;
			in->mix.most = block;
			in->mix.age = block->age;
			in->mix.is_odd = is_odd;
		}
	}
}

static void blocks_fill(const struct sheet *sheet, const struct snap_alloc *selected)
{
	const struct segment_list *list = sheet->list;
	size_t at = 0, i, j;

	for (i = 0; i < list->process->allocator_count; i++) {
		const struct snap_allocator *from = &list->process->allocators[i];

		while (at < list->count && list->items[at].allocator < i)
			at++;
		for (j = 0; j < from->drawn_count; j++) {
			const struct snap_alloc *block = &from->drawn[j];

			while (at < list->count && list->items[at].allocator == i &&
			       list->items[at].end <= block->address)
				at++;
			if (at == list->count || list->items[at].allocator != i)
				break;
			if (list->items[at].cells && block->address >= list->items[at].start)
				block_fill(sheet, &list->items[at], block, j & 1,
					   selected && selected->address == block->address &&
						   selected->device == from->device);
		}
	}
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

	if (space == 1)
		snprintf(text, sizeof(text), "│");
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
		const struct block_mix *mix = &sheet->mixes[at + cell].mix;
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
	blocks_fill(&sheet, selected);
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
