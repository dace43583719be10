/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What panes list of a process with a framework's allocator: by default the blocks that it handed
 * out, and only such allocations of the driver as are not its segments; or all of the driver's.
 */
#ifndef VIEW_PANE_MEMORY_H
#define VIEW_PANE_MEMORY_H

#include "view/map.h"
#include "view/view_internal.h"

/* True if @process has blocks, and they are to be listed. */
bool tensors_are_shown(const struct view *view, const struct snap_process *process);

/* A row of the list of allocations. */
struct memory_row {
	const struct snap_alloc *alloc;
	const struct snap_allocator *allocator; /* whose block it is; NULL: it is the driver's */
};

/*
 * Blocks and allocations of @process, the largest first; only allocations unless @tensors. Returns
 * NULL without memory; the caller frees them.
 */
struct memory_row *memory_rows_make(const struct snap_process *process, bool tensors,
				    size_t *count);

#endif
