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

#include "model/tree.h"

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

/*
 * Adds a mapping; its addresses must be free. Returns 0, -ENOMEM, or -ENOSPC beyond MAPPINGS_MAX.
 */
int mappings_add(struct mappings *mappings, uint64_t address, uint64_t bytes, uint64_t handle,
		 uint64_t born);
/*
 * Removes one mapping that overlaps the given range, and copies it to *@was. Returns false if there
 * is none.
 */
bool mappings_take(struct mappings *mappings, uint64_t address, uint64_t bytes,
		   struct mapping *was);
/* The mapping that contains @address, or NULL. */
const struct mapping *mappings_find(const struct mappings *mappings, uint64_t address);
/* The lowest address where the memory of @handle is mapped, 0: nowhere. */
uint64_t mappings_address(const struct mappings *mappings, uint64_t handle);
/* Walks the mappings in ascending order; NULL at the end. */
const struct mapping *mappings_lowest(const struct mappings *mappings);
const struct mapping *mappings_higher(const struct mapping *mapping);
void mappings_free(struct mappings *mappings);

#endif
