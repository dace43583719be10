/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical memory that is mapped into sparse arrays (cuMemMapArrayAsync): boxes
 * of a level's elements, parts of a mip tail, or an array as a whole.
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
	uint64_t born;		/* of what @handle named then: it may be given to other memory before the unmapping is told */
};

RB_HEAD(tile_tree, tile);

struct tiles {
	struct tile_tree tree;
	size_t count;
	uint64_t extent[3];	/* no tile is larger */
};

/* Fills @box with the part of its array that @mapping means; all of it if the array @is_deferred. False if that is none. */
bool tile_read(struct tile *box, const struct array_mapping *mapping, bool is_deferred);

/* Adds what @tile says; nothing may lie there. Returns 0, -ENOMEM, or -ENOSPC past TILES_MAX. */
int tiles_add(struct tiles *tiles, const struct tile *tile);
/* What tiles_cut() did. */
struct tile_cut {
	struct tile was;
	unsigned int rest;	/* so many tiles, up to six, are what of it lies outside */
	int error;		/* -ENOMEM or -ENOSPC: not all of the rest found room */
};

/* Takes out one tile that has an element of @box, and adds what of it lies outside. Returns false if there is none. */
bool tiles_cut(struct tiles *tiles, const struct tile *box, struct tile_cut *cut);
/* Takes out one tile of @array: *@was is it. Returns false if there is none. */
bool tiles_take(struct tiles *tiles, uint64_t array, struct tile *was);
void tiles_free(struct tiles *tiles);

#endif
