/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws the address space of a process: one cell for a run of bytes. */
#ifndef VIEW_MAP_H
#define VIEW_MAP_H

#include "view/block_looks.h"

/* @chosen is marked; NULL: none. */
void map_draw(struct view *view, const struct area *area, const struct snap_process *process,
	      const struct block_looks *looks, const struct snap_alloc *chosen);

#endif
