/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical memory that is mapped into sparse arrays (cuMemMapArrayAsync): boxes of a level's
 * elements, parts of a mip tail, or whole arrays.
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
	uint64_t array, part, layer;
	uint64_t start[3], end[3];
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
	uint64_t extent[3]; /* no tile is larger */
};

/*
 * Fills @box with the part of its array that @mapping means; all of it if the array @is_deferred.
 * False if there is no such part.
 */
bool tile_read(struct tile *box, const struct array_mapping *mapping, bool is_deferred);

/* Adds @tile; its place must be free. Returns 0, -ENOMEM, or -ENOSPC beyond TILES_MAX. */
int tiles_add(struct tiles *tiles, const struct tile *tile);
/* The result of tiles_cut(). */
struct tile_cut {
	struct tile was;
	/* How many tiles (up to six) replace the part of it outside the box */
	unsigned int rest;
	int error; /* -ENOMEM or -ENOSPC: there was no room for some of them */
};

/*
 * Removes one tile that overlaps @box, and adds the parts of it outside. Returns false if there is
 * none.
 */
bool tiles_cut(struct tiles *tiles, const struct tile *box, struct tile_cut *cut);
/* Removes one tile of @array, and copies it to *@was. Returns false if there is none. */
bool tiles_take(struct tiles *tiles, uint64_t array, struct tile *was);
void tiles_free(struct tiles *tiles);

#endif
