/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps of memory: the address space of a process, one cell for a run of bytes, and the segments of its
 * allocators with the blocks in them. Neighbours have two shades in turn, and each state has a sign of
 * its own besides its colour.
 */
#ifndef VIEW_MAP_H
#define VIEW_MAP_H

#include "model/snapshot.h"
#include "view/canvas.h"

/* A segment. Where none is known, blocks that lie close together are taken for one. */
struct stretch {
	uint64_t start, end;
	uint64_t used, largest_gap; /* bytes, as far as blocks are known */
	uint64_t filled;            /* where its last block ends */
	size_t blocks;
	size_t allocator; /* in the process's list */
	bool is_guess;    /* no segment is known there: it was made before cutop watched */
	/* Where it is drawn: cells from there on, and bytes that each stands for; 0 cells: not */
	long first, cells;
	double per_cell;
};

struct segment_list {
	const struct snap_process *process;
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

/*
 * Draws the address space of @process; @chosen is marked; NULL: none. Returns how many bytes a cell
 * stands for; 0: nothing was drawn.
 */
double map_draw(const struct area *area, const struct snap_process *process,
		const struct snap_alloc *chosen);

/*
 * Draws the memory that frameworks' allocators took from the driver, with the blocks that they handed
 * out of it, and what lies free between these. With room for it, a row for each segment, with its
 * figures; else they follow one another, the largest if there are too many, and a line sums up the
 * others. @selected is marked; NULL: none. Returns the same.
 */
double segment_map_draw(const struct area *area, struct segment_list *list,
			const struct snap_alloc *selected);

#endif
