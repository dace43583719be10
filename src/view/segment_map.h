/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the memory that frameworks' allocators took from the driver, with the blocks that they
 * handed out of it, and what lies free between these.
 */
#ifndef VIEW_SEGMENT_MAP_H
#define VIEW_SEGMENT_MAP_H

#include "view/block_looks.h"
#include "view/segment_list.h"

/*
 * With room for it, a row for each segment, with its figures; else they follow one another, the
 * largest if there are too many, and a line sums up the others. @selected is marked; NULL: none.
 */
void segment_map_draw(struct view *view, const struct area *area, struct segment_list *list,
		      const struct block_looks *looks, const struct snap_alloc *selected);

#endif
