/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where physical memory is mapped: by address, to find what an address points to, and by handle, to
 * find where memory is.
 */
#ifndef MODEL_MAPPINGS_H
#define MODEL_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/tree.h"

/*
 * Physical memory that is mapped into sparse arrays (cuMemMapArrayAsync), by the places where boxes
 * of elements, or parts of a mip tail, begin.
 */
struct ledger;
struct alloc_node;

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

/* Removes one tile of @array, and copies it to *@was. Returns false if there is none. */
bool tiles_take(struct tiles *tiles, uint64_t array, struct tile *was);
void tiles_free(struct tiles *tiles);

struct mapping {
	RB_ENTRY(mapping) by_address, by_handle;
	uint64_t address, bytes, handle;
	/*
	 * when the memory of @handle was created: the handle may be reused before the unmapping is
	 * reported
	 */
	uint64_t born;
};

RB_HEAD(mapping_tree, mapping);
RB_HEAD(mapping_handle_tree, mapping);

struct mappings {
	struct mapping_tree by_address;
	struct mapping_handle_tree by_handle;
	size_t count;
};

/* The lowest address where the memory of @handle is mapped, 0: nowhere. */
uint64_t mappings_address(const struct mappings *mappings, uint64_t handle);
/* Walks the mappings in ascending order; NULL at the end. */
const struct mapping *mappings_lowest(const struct mappings *mappings);
const struct mapping *mappings_higher(const struct mapping *mapping);
void mappings_free(struct mappings *mappings);

/* Mappings of physical memory, at addresses and in sparse arrays, and the memory that they hold. */
/* Each returns 0 or -ENOMEM. */
int physical_map(struct ledger *ledger, struct mappings *mappings, const struct rec_map *record);
int physical_map_tiles(struct ledger *ledger, const struct rec_tiles *record);

void physical_unmap(struct ledger *ledger, struct mappings *mappings, uint64_t address,
		    uint64_t bytes, uint64_t time);
/* Returns the physical memory that @address points into, or NULL. */
struct alloc_node *physical_at(struct ledger *ledger, const struct mappings *mappings,
			       uint64_t address);

#endif
