/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps of memory. Allocations lie in a few regions with terabytes between them: gaps much longer than
 * the allocations are left out and shown as a thin line, and every region begins in a new cell. All
 * cells stand for the same number of bytes, the smallest with which everything fits. Where the
 * snapshot has each allocation, neighbours are told apart; of a process with very many it has only
 * spans.
 *
 * Segments of frameworks' allocators are placed first; then their blocks, which have the same order,
 * are gone through once to fill the cells. Only cells that are in sight exist: whatever sizes a
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

/* ---- how blocks look ---- */

/* What is in a cell. */
struct block_mix {
	double used;                     /* bytes */
	double bytes[ALLOC_STATE_COUNT]; /* of them */
	bool is_odd;                     /* the second shade */
	bool is_chosen;                  /* the cursor is on a block here */
};

/* The character of a cell of @size bytes, and its @style. */
static const char *block_look(const struct block_mix *mix, double size, enum style *style)
{
	static const char *const levels[] = { "▁", "▄", "▆" };
	int level = (int)(fmin(mix->used / fmax(size, 1), 1) * 4 + 0.5) - 1;

	if (mix->is_chosen) {
		*style = ST_TAB;
		return "●";
	}
	if (!(mix->used > 0)) {
		*style = ST_FREE;
		return "░";
	}
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
	stretch.filled = stretch.start;
	list->items[list->count] = stretch;
	return &list->items[list->count++];
}

static struct stretch *known_add(struct segment_list *list, size_t allocator, size_t segment)
{
	const struct snap_segment *from = &list->process->allocators[allocator].segments[segment];

	return stretch_add(list, (struct stretch){ .start = from->start,
						   .end = from->end,
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

static void block_note(struct stretch *stretch, const struct snap_alloc *block)
{
	uint64_t end = end_of(block) < stretch->end ? end_of(block) : stretch->end;

	if (block->address > stretch->filled &&
	    block->address - stretch->filled > stretch->largest_gap)
		stretch->largest_gap = block->address - stretch->filled;
	if (end > stretch->filled) {
		stretch->used +=
			end - (block->address > stretch->filled ? block->address : stretch->filled);
		stretch->filled = end;
	}
	stretch->blocks++;
}

static int allocator_add(struct segment_list *list, size_t at)
{
	const struct snap_allocator *from = &list->process->allocators[at];
	size_t segment = 0, first = list->count, i;
	struct stretch *here = NULL;

	for (i = 0; i < from->drawn_count; i++) {
		const struct snap_alloc *block = &from->drawn[i];

		while (segment < from->segment_count &&
		       from->segments[segment].end <= block->address)
			if (!(here = known_add(list, at, segment++)))
				return -ENOMEM;
		if (segment < from->segment_count &&
		    from->segments[segment].start <= block->address)
			here = known_add(list, at, segment++);
		else if (!here || here->is_guess || block->address >= here->end)
			here = guess_add(list, at, block,
					 segment < from->segment_count ?
						 from->segments[segment].start :
						 UINT64_MAX);
		if (!here)
			return -ENOMEM;
		block_note(here, block);
	}
	while (segment < from->segment_count)
		if (!known_add(list, at, segment++))
			return -ENOMEM;
	for (i = first; i < list->count; i++) {
		struct stretch *stretch = &list->items[i];

		/* What is in no known block of a guess may be in a block of before. */
		if (stretch->is_guess)
			stretch->largest_gap = 0;
		else if (stretch->end > stretch->filled &&
			 stretch->end - stretch->filled > stretch->largest_gap)
			stretch->largest_gap = stretch->end - stretch->filled;
	}
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
		    list->process->allocators[stretch->allocator].device == device)
			return stretch;
	}
	return NULL;
}

/* ---- allocations ---- */

enum { LABEL = 15, REGIONS_MAX = 256 };

struct region {
	uint64_t start, end;
	size_t first, count; /* its spans */
};

struct map {
	struct region regions[REGIONS_MAX];
	size_t count;
	double per_cell; /* bytes that a cell stands for */
};

/* Splits at gaps longer than @gap. False if that makes more than @most regions. */
static bool regions_find(struct map *map, const struct snap_process *process, uint64_t gap,
			 size_t most)
{
	size_t i;

	map->count = 0;
	for (i = 0; i < process->span_count; i++) {
		const struct snap_span *span = &process->spans[i];
		struct region *last = map->count ? &map->regions[map->count - 1] : NULL;

		if (last && span->start - last->end <= gap) {
			last->end = span->end;
			last->count++;
			continue;
		}
		if (map->count == most)
			return false;
		map->regions[map->count++] = (struct region){ span->start, span->end, i, 1 };
	}
	return true;
}

static double cells_needed(const struct map *map, double per_cell)
{
	double cells = (double)(map->count ? map->count - 1 : 0);

	for (size_t i = 0; i < map->count; i++)
		cells += ceil((double)(map->regions[i].end - map->regions[i].start) / per_cell);
	return cells;
}

static void map_make(struct map *map, const struct snap_process *process, int cells)
{
	uint64_t covered = 0, gap;
	size_t i, most = (size_t)cells / 6 + 1;
	double low = 1, high;

	most = most > REGIONS_MAX ? REGIONS_MAX : most;
	for (i = 0; i < process->span_count; i++)
		covered += process->spans[i].end - process->spans[i].start;
	for (gap = covered / 8 + 4096; !regions_find(map, process, gap, most);
	     gap = gap > UINT64_MAX / 4 ? UINT64_MAX : gap * 4)
		;
	for (high = 1; cells_needed(map, high) > cells; high *= 2)
		;
	for (i = 0; i < 40 && high - low > 1; i++) {
		double middle = (low + high) / 2;

		if (cells_needed(map, middle) > cells)
			low = middle;
		else
			high = middle;
	}
	/* Sizes with up to three leading bits: then the addresses at the left are round, too. */
	for (low = 1; low * 16 <= high; low *= 2)
		;
	map->per_cell = ceil(high / low) * low;
}

/*
 * Adds up the bytes between two addresses, by state; each span counts evenly over its addresses.
 * *@first: a span that is not above @from; set to the first one that ends above it.
 */
static void spans_weigh(const struct snap_process *process, const struct region *region,
			size_t *first, double from, double to, struct block_mix *mix)
{
	size_t i, end = region->first + region->count;

	if (*first < region->first)
		*first = region->first;
	while (*first < end && (double)process->spans[*first].end <= from)
		++*first;
	for (i = *first; i < end && (double)process->spans[i].start < to; i++) {
		const struct snap_span *span = &process->spans[i];
		double begins = fmax(from, (double)span->start), ends = fmin(to, (double)span->end);
		double share = (ends - begins) / fmax((double)(span->end - span->start), 1);

		for (int state = 0; share > 0 && state < ALLOC_STATE_COUNT; state++) {
			mix->bytes[state] += (double)span->bytes[state] * share;
			mix->used += (double)span->bytes[state] * share;
		}
	}
}

static void blocks_weigh(const struct snap_process *process, double from, double to,
			 struct block_mix *mix)
{
	size_t low = 0, high = process->drawn_count, i;
	double most = 0;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct snap_alloc *block = &process->drawn[middle];

		if ((double)block->address + (double)block->bytes <= from)
			low = middle + 1;
		else
			high = middle;
	}
	for (i = low; i < process->drawn_count && (double)process->drawn[i].address < to; i++) {
		const struct snap_alloc *block = &process->drawn[i];
		double start = fmax(from, (double)block->address),
		       end = fmin(to, (double)block->address + (double)block->bytes);

		if (end <= start || block->state >= ALLOC_STATE_COUNT)
			continue;
		mix->bytes[block->state] += end - start;
		mix->used += end - start;
		if (end - start <= most)
			continue;
		most = end - start;
		mix->is_odd = i & 1;
	}
}

double map_draw(const struct area *area, const struct snap_process *process,
		const struct snap_alloc *chosen)
{
	int label = area->rect.cols >= 50 ? LABEL : 0, cols = area->rect.cols - label - 1,
	    rows = area->rect.rows, cells = cols * rows;
	size_t region = 0, first = 0;
	double offset = 0, per_cell;
	struct map *map;

	if (cols < 4 || rows < 1 || !process->span_count)
		return 0;
	map = malloc(sizeof(*map));
	if (!map)
		return 0;
	map_make(map, process, cells);
	per_cell = map->per_cell;
	for (int i = 0; i < cells && region < map->count; i++) {
		const struct region *here = &map->regions[region];
		double from = (double)here->start + offset,
		       size = fmin(per_cell, (double)here->end - from);
		int row = i / cols, col = label + i % cols;
		enum style style = ST_FRAME;
		const char *look = "┊";

		if (label && i % cols == 0 && size > 0)
			area_format(area, row, 0, ST_DIM, "%#14" PRIx64,
				    here->start + (uint64_t)offset);
		if (size > 0) {
			struct block_mix mix = {
				.is_chosen = chosen && (double)chosen->address < from + size &&
					     (double)chosen->address + (double)chosen->bytes > from
			};

			if (process->drawn_count)
				blocks_weigh(process, from, from + size, &mix);
			else
				spans_weigh(process, here, &first, from, from + size, &mix);
			look = block_look(&mix, size, &style);
			offset += per_cell;
		} else {
			offset = 0;
			if (++region == map->count)
				break;
		}
		area_text(area, row, col, style, look);
	}
	free(map);
	return per_cell;
}

/* ---- drawing segments ---- */

#define BYTES_MOST 2e19        /* no segment has more */
#define CELLS_MAX  1000000000l /* of one segment, before all fit */

enum { DEVICE = 7, FIGURES = 36, FIGURES_BRIEF = 13 };

/* ---- where it is drawn ---- */

struct cell_mix {
	struct block_mix mix;
	double most; /* bytes of the block with most of them */
};

struct sheet {
	struct segment_list *list;
	int label, cols, rows;  /* cells are to the right of the label */
	bool has_addresses;     /* in the label, before cells of a row */
	bool has_devices;       /* before those */
	bool is_rows;           /* each segment has a row */
	bool has_breaks;        /* each allocator begins a row */
	int labelled;           /* rows that have their address */
	size_t shown;           /* segments */
	struct cell_mix *mixes; /* rows × cols */
	double per_cell;        /* bytes that a cell stands for */
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

/* Places segments one after the other, and finds out for how many bytes a cell stands. */
static int flow_make(const struct area *area, struct sheet *sheet)
{
	struct segment_list *list = sheet->list;
	long cells = (long)sheet->cols * sheet->rows;

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
	sheet->per_cell = per_cell_find(sheet);
	if (flow(sheet, sheet->per_cell) > cells) {
		excess_drop(sheet);
		flow(sheet, sheet->per_cell);
	}
	return 0;
}

static int sheet_make(const struct area *area, struct sheet *sheet)
{
	struct segment_list *list = sheet->list;

	sheet->rows = area->rect.rows;
	sheet->is_rows = list->count <= (size_t)sheet->rows;
	sheet->has_breaks = list->process->allocator_count <= (size_t)sheet->rows;
	sheet->shown = list->count;
	label_fit(sheet, area);
	if (sheet->cols < 4 || sheet->rows < 1 || !list->count)
		return -EINVAL;
	if (!sheet->is_rows)
		return flow_make(area, sheet);
	rows_place(sheet);
	sheet->per_cell = largest_of(list) / sheet->cols;
	return 0;
}

/* ---- cells ---- */

static void block_fill(const struct sheet *sheet, const struct stretch *stretch,
		       const struct snap_alloc *block, bool is_odd, bool is_selected)
{
	uint64_t start = block->address > stretch->start ? block->address : stretch->start,
		 end = end_of(block) < stretch->end ? end_of(block) : stretch->end;
	double from = (double)(start - stretch->start), to = (double)(end - stretch->start);
	long cell, last;

	if (end <= start)
		return;
	cell = (long)fmin(from / stretch->per_cell, (double)(stretch->cells - 1));
	last = (long)fmin(ceil(to / stretch->per_cell), (double)stretch->cells) - 1;
	for (; cell <= last; cell++) {
		struct cell_mix *in = &sheet->mixes[stretch->first + cell];
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
		long at = stretch->first - space + i;

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
	long at = stretch->first;

	for (long cell = 0; cell < stretch->cells; cell++) {
		double low = (double)cell * stretch->per_cell;
		int row = (int)((at + cell) / sheet->cols), col = (int)((at + cell) % sheet->cols);
		const struct block_mix *mix = &sheet->mixes[at + cell].mix;
		enum style style;
		const char *look = block_look(
			mix, fmin(stretch->per_cell, stretch_size(stretch) - low), &style);

		/* Where no segment is known, what is between blocks is not known to be free. */
		if (stretch->is_guess && style == ST_FREE)
			look = " ";
		area_text(area, row, sheet->label + col, style, look);
		if (sheet->has_addresses && row >= sheet->labelled) {
			sheet->labelled = row + 1;
			area_format(area, row, sheet->label - LABEL, ST_DIM, "%#14" PRIx64,
				    stretch->start + (uint64_t)low);
		}
	}
	if (sheet->is_rows)
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

double segment_map_draw(const struct area *area, struct segment_list *list,
			const struct snap_alloc *selected)
{
	struct sheet sheet = { .list = list };
	const struct stretch *before = NULL;
	size_t named = 0; /* allocators */

	if (sheet_make(area, &sheet))
		return 0;
	sheet.mixes = calloc((size_t)sheet.rows * (size_t)sheet.cols, sizeof(*sheet.mixes));
	if (!sheet.mixes)
		return 0;
	blocks_fill(&sheet, selected);
	for (size_t i = 0; i < list->count; i++) {
		const struct stretch *stretch = &list->items[i];

		if (!stretch->cells)
			continue;
		if (sheet.has_devices && stretch->allocator + 1 > named) {
			device_draw(area, (int)(stretch->first / sheet.cols), &sheet, stretch);
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
	return sheet.per_cell;
}
