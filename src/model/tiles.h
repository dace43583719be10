/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical memory that is mapped into sparse arrays (cuMemMapArrayAsync), by the places where boxes
 * of elements, or parts of a mip tail, begin.
 */
#ifndef MODEL_TILES_H
#define MODEL_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/tree.h"

struct tile {
	RB_ENTRY(tile) link;
	uint64_t array;
	uint64_t place[5]; /* the level, or that it is the tail; the layer; where it begins */
	uint64_t handle;
	/*
	 * when the memory of @handle was created: the handle may be reused before the unmapping is
	 * reported
	 */
	uint64_t born;
};

RB_HEAD(tile_tree, tile);

struct tiles {
	struct tile_tree tree;
	size_t count;
};

/* Adds the place that @mapping means, which must be free. Returns 0, -ENOMEM, or -ENOSPC beyond TILES_MAX. */
int tiles_add(struct tiles *tiles, const struct array_mapping *mapping, uint64_t born);
/* Removes what is mapped where @mapping begins, and copies it to *@was; false if nothing is. */
bool tiles_remove(struct tiles *tiles, const struct array_mapping *mapping, struct tile *was);
/* Removes one tile of @array, and copies it to *@was. Returns false if there is none. */
bool tiles_take(struct tiles *tiles, uint64_t array, struct tile *was);
void tiles_free(struct tiles *tiles);

#endif
