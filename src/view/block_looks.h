/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How blocks look in a map: by state, by site or by age, with two shades in turn, so that neighbours
 * are told apart. Each has a character of its own besides its colour: a sign for a state, a letter
 * for a site or an age.
 */
#ifndef VIEW_BLOCK_LOOKS_H
#define VIEW_BLOCK_LOOKS_H

#include "view/view_internal.h"

enum { BLOCK_SITES = 6 }; /* with most bytes; the others look alike */

struct block_looks {
	enum map_colors by;
	struct {
		const char *name; /* of the snapshot */
		double bytes;
	} sites[BLOCK_SITES]; /* most bytes first */
	size_t site_count;
	double other; /* bytes of other sites */
};

/* What is in a cell. */
struct block_mix {
	double used;                     /* bytes */
	double bytes[ALLOC_STATE_COUNT]; /* of them */
	const struct snap_alloc *most;   /* the block with most of them; NULL: not known */
	uint64_t age;                    /* of that: ns */
	bool is_odd;                     /* the second shade */
	bool is_chosen;                  /* the cursor is on a block here */
};

/* @tensors: of the blocks of @process's allocators, not of its allocations. */
void block_looks_make(struct block_looks *looks, enum map_colors by,
		      const struct snap_process *process, bool tensors);

/* The character of a cell of @size bytes, and its @style. */
const char *block_look(const struct block_looks *looks, const struct block_mix *mix, double size,
		       enum style *style);

/* A map will be drawn in @area; @block is in that cell of it; the block in that cell of the screen. */
void map_begin(struct view *view, const struct area *area);
void map_note(struct view *view, int row, int col, const struct snap_alloc *block);
uint64_t map_block_at(const struct view *view, int row, int col); /* 0: none */

/* What letters stand for: a row; nothing if the map is by state, which the help explains. */
void block_legend_draw(const struct area *area, int row, const struct block_looks *looks);

/* What the map is by, if not by state: ", by site" */
const char *map_colors_text(enum map_colors by);

/*
 * Sets zoom and pan so that the cells from @at on, for a block of @bytes, fill half of the @cells
 * in sight. @total(context, per_cell, &at) says how many cells all of it takes, and where the block
 * begins.
 */
typedef double (*block_place)(const void *context, double per_cell, double *at);
void map_zoom_fit(struct view *view, double bytes, double per_cell, double cells, block_place place,
		  const void *context);

#endif
