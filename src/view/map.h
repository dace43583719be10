/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps of memory: the address space of a process, one cell for a run of bytes, and the segments of its
 * allocators with the blocks in them. Blocks look by state, by site or by age, with two shades in
 * turn, so that neighbours are told apart. Each has a character of its own besides its colour: a sign
 * for a state, a letter for a site or an age.
 */
#ifndef VIEW_MAP_H
#define VIEW_MAP_H

#include "model/snapshot.h"
#include "view/canvas.h"

struct view;

enum map_colors { MAP_BY_STATE, MAP_BY_SITE, MAP_BY_AGE, MAP_BY_COUNT };
#define MAP_ZOOM_MAX 20

/* What keys have chosen; and the map as last drawn, to be clicked. */
struct map_state {
	enum map_colors by;  /* what it shows */
	unsigned int zoom;   /* as a power of two */
	double pan;          /* position (0..1) within what is not visible */
	bool zooms_to_block; /* when drawn next */
	double cell;         /* bytes that a cell stood for */
	struct rect rect;
	uint64_t *blocks; /* in its cells, by address; 0: none */
};

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
	double most_bytes;               /* of that */
	uint64_t age;                    /* of that: ns */
	bool is_odd;                     /* the second shade */
	bool is_chosen;                  /* the cursor is on a block here */
};

/* @tensors: of the blocks of @process's allocators, not of its allocations. */
void block_looks_make(struct block_looks *looks, enum map_colors by,
		      const struct snap_process *process, bool tensors);

/* A map will be drawn in @area; @block is in that cell of it; the block in that cell of the screen. */
void map_begin(struct view *view, const struct area *area);
uint64_t map_block_at(const struct view *view, int row, int col); /* 0: none */

/* What letters stand for: a row; nothing if the map is by state, which the help explains. */
void block_legend_draw(const struct area *area, int row, const struct block_looks *looks);

/* What the map is by, if not by state: "by site, " */
const char *map_colors_text(enum map_colors by);

/* A segment. Where none is known, blocks that lie close together are taken for one. */
struct stretch {
	uint64_t start, end;
	uint64_t used, largest_gap; /* bytes, as far as blocks are known */
	size_t blocks;
	size_t allocator; /* in the process's list */
	bool is_guess;    /* no segment is known there: it was made before cutop watched */
	/* Where it is drawn: cells from there on, and bytes that each stands for; 0 cells: not */
	long first, cells;
	double per_cell;
};

struct segment_list {
	const struct snap_process *process;
	bool is_plain;         /* they are regions of what the driver allocated, of no allocator */
	struct stretch *items; /* by allocator, then by address */
	size_t count, room;
};

static inline double stretch_size(const struct stretch *stretch)
{
	return stretch->end > stretch->start ? (double)(stretch->end - stretch->start) : 1;
}

/* True if what @process's allocators have handed out is known, and there is anything of it. */
bool segment_list_is_known(const struct snap_process *process);

/* Returns 0 or -ENOMEM; segment_list_free() in any case. @process is to outlive @list. */
int segment_list_make(struct segment_list *list, const struct snap_process *process);
void segment_list_free(struct segment_list *list);

/* The one of @device where @address lies, or NULL. */
const struct stretch *segment_list_find(const struct segment_list *list, int device,
					uint64_t address);

/* @chosen is marked; NULL: none. */
void map_draw(struct view *view, const struct area *area, const struct snap_process *process,
	      const struct block_looks *looks, const struct snap_alloc *chosen);

/*
 * With room for it, a row for each segment, with its figures; else they follow one another, the
 * largest if there are too many, and a line sums up the others. @selected is marked; NULL: none.
 */
void segment_map_draw(struct view *view, const struct area *area, struct segment_list *list,
		      const struct block_looks *looks, const struct snap_alloc *selected);

#endif
