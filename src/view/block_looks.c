/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sites are summed up by name; the snapshot has one string for each call site, so most of that is
 * comparing pointers. Of a map with more than TALLIES of them only those seen first have a letter.
 */
#include "view/block_looks.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/columns.h"
#include "util/util.h"

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

	view->map_by = (enum map_colors)((view->map_by + 1) % MAP_BY_COUNT);
	view_message(view, "%s", texts[view->map_by]);
}

void map_zoom_block(struct view *view)
{
	if (view->zoom) {
		view->zoom = 0;
		view->pan = 0;
	} else if (view->settings.pane == PANE_MEMORY && view_in_pane(view)) {
		view->zooms_to_block = true; /* when the map is drawn */
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

void map_note(struct view *view, int row, int col, const struct snap_alloc *block)
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

void map_zoom_fit(struct view *view, double bytes, double per_cell, double cells, block_place place,
		  const void *context)
{
	double at, total, skip;

	view->zoom = 0;
	while (view->zoom < MAP_ZOOM_MAX &&
	       bytes / (per_cell / (double)(2u << view->zoom)) <= cells / 2 &&
	       per_cell / (double)(2u << view->zoom) >= 1)
		view->zoom++;
	per_cell = fmax(per_cell / (double)(1u << view->zoom), 1);
	total = place(context, per_cell, &at);
	skip = at + bytes / per_cell / 2 - cells / 2;
	view->pan = total > cells ? fmin(fmax(skip / (total - cells), 0), 1) : 0;
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

const char *block_look(const struct block_looks *looks, const struct block_mix *mix, double size,
		       enum style *style)
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
