/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The segments of a process's allocators, with what is known of the blocks in them. */
#ifndef VIEW_SEGMENT_LIST_H
#define VIEW_SEGMENT_LIST_H

#include "model/snapshot.h"

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

#endif
