/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines about frameworks' allocators: figures, what to do about gaps, and one block in full. */
#ifndef VIEW_ALLOCATOR_LINES_H
#define VIEW_ALLOCATOR_LINES_H

#include "view/canvas.h"
#include "view/segment_list.h"
#include "view/tensors.h"

/* One line about all of @process's allocators, at most @cols cells. Returns the column after it. */
int allocators_line(const struct area *area, int row, int cols, const struct snap_process *process);

/* A line for each. Returns the column after the first. */
int allocators_lines(const struct area *area, int row, const struct snap_process *process);

/* An allocator that another setting would help. */
struct fragmented {
	const struct snap_allocator *allocator;
	const struct snap_detail *shortage; /* a request that found no memory; NULL: none */
};

/*
 * Finds one of @process: a fifth of what it took from the driver, and at least 256 MiB, is in gaps
 * too small for its requests, or a request found no memory because of gaps. False: there is none.
 */
bool fragmented_find(const struct snapshot *snapshot, const struct snap_process *process,
		     struct fragmented *found);

/* What to do about it. */
void fragmented_line(const struct area *area, int row, const struct snap_process *process,
		     const struct fragmented *found);

/* A block or an allocation in full, in @rows (1 or 2) lines. */
void memory_row_lines(const struct area *area, int row, int rows, const struct memory_row *shown,
		      const struct segment_list *segments);

#endif
