/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map. Allocations lie in a few regions with terabytes between them. Gaps much longer than the
 * allocations are left out and shown as a thin line; every region begins in a new cell. All cells
 * stand for the same number of bytes, the smallest with which everything fits. Where the snapshot has
 * each allocation, neighbours are told apart; of a process with very many it has only spans.
 */
#include "view/map.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/columns.h"

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
		mix->most = block;
		mix->age = block->age;
		mix->is_odd = i & 1;
	}
}

static bool lies_in(const struct snap_alloc *block, double from, double to)
{
	return block && (double)block->address < to &&
	       (double)block->address + (double)block->bytes > from;
}

/* Where a block is, for zooming to it */
struct place {
	const struct map *map;
	uint64_t address;
};

/* How many cells all takes, and where the address is. */
static double place_find(const void *context, double per_cell, double *at)
{
	const struct place *place = context;
	double cells = 0;

	*at = 0;
	for (size_t i = 0; i < place->map->count; i++) {
		const struct region *region = &place->map->regions[i];

		if (place->address >= region->start && place->address < region->end)
			*at = cells + floor((double)(place->address - region->start) / per_cell);
		cells += ceil((double)(region->end - region->start) / per_cell) + 1;
	}
	return cells - 1;
}

void map_draw(struct view *view, const struct area *area, const struct snap_process *process,
	      const struct block_looks *looks, const struct snap_alloc *chosen)
{
	int label = area->rect.cols >= 50 ? LABEL : 0, cols = area->rect.cols - label - 1,
	    rows = area->rect.rows;
	double offset;
	long cells = (long)cols * rows, total, at, skip;
	struct map *map;
	size_t region = 0, first = 0;
	int i;

	if (cols < 4 || rows < 1 || !process->span_count)
		return;
	map = malloc(sizeof(*map));
	if (!map)
		return;
	map_make(map, process, (int)cells);
	if (view->zooms_to_block && chosen)
		map_zoom_fit(view, (double)chosen->bytes, map->per_cell, (double)cells, place_find,
			     &(struct place){ map, chosen->address });
	map->per_cell /= (double)(1u << view->zoom);
	if (map->per_cell < 1)
		map->per_cell = 1;
	view->map_cell = map->per_cell;
	total = (long)fmin(cells_needed(map, map->per_cell), 1e9);
	skip = total > cells ? (long)(view->pan * (double)(total - cells)) : 0;
	at = 0;
	offset = 0;
	for (i = 0; i < cells && region < map->count;) {
		const struct region *here = &map->regions[region];
		double from = (double)here->start + offset,
		       size = fmin(map->per_cell, (double)here->end - from);
		int row = i / cols, col = label + i % cols;
		enum style style = ST_FRAME;
		const char *look = "┊";
		long whole =
			(long)fmin(ceil((double)(here->end - here->start) / map->per_cell), 1e9);

		/* Skip whole regions at a time. */
		if (offset == 0 && at + whole + 1 <= skip) {
			at += whole + 1;
			region++;
			continue;
		}
		if (offset == 0 && at < skip) {
			offset = (double)(skip - at) * map->per_cell;
			at = skip;
			if (offset < (double)(here->end - here->start))
				continue;
		}
		if (label && i % cols == 0 && size > 0)
			area_format(area, row, 0, ST_DIM, "%#14" PRIx64,
				    here->start + (uint64_t)offset);
		if (size > 0) {
			struct block_mix mix = { .is_chosen = lies_in(chosen, from, from + size) };

			if (process->drawn_count)
				blocks_weigh(process, from, from + size, &mix);
			else
				spans_weigh(process, here, &first, from, from + size, &mix);
			look = block_look(looks, &mix, size, &style);
			map_note(view, row, col, mix.most);
			offset += map->per_cell;
		} else {
			region++;
			offset = 0;
			if (region == map->count)
				break;
		}
		area_text(area, row, col, style, look);
		at++;
		i++;
	}
	free(map);
}
