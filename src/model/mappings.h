/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where physical memory is mapped: by address, for what an address points to, and by handle, for where memory lies. */
#ifndef MODEL_MAPPINGS_H
#define MODEL_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree.h"

struct mapping {
	RB_ENTRY(mapping) by_address, by_handle;
	uint64_t address, bytes, handle;
	uint64_t born;		/* of what @handle named then: it may be given to other memory before the unmapping is told */
};

RB_HEAD(mapping_tree, mapping);
RB_HEAD(mapping_handle_tree, mapping);

struct mappings {
	struct mapping_tree by_address;
	struct mapping_handle_tree by_handle;
	size_t count;
};

/* Adds a mapping, where nothing may be mapped. Returns 0, -ENOMEM, or -ENOSPC past MAPPINGS_MAX. */
int mappings_add(struct mappings *mappings, uint64_t address, uint64_t bytes, uint64_t handle, uint64_t born);
/* Takes out one mapping that has an address of what is described: *@was is it. Returns false if there is none. */
bool mappings_take(struct mappings *mappings, uint64_t address, uint64_t bytes, struct mapping *was);
/* The mapping that @address lies in, or NULL. */
const struct mapping *mappings_find(const struct mappings *mappings, uint64_t address);
/* The lowest address where the memory of @handle is mapped, 0: nowhere. */
uint64_t mappings_address(const struct mappings *mappings, uint64_t handle);
/* Walks the mappings by address; NULL at the end. */
const struct mapping *mappings_lowest(const struct mappings *mappings);
const struct mapping *mappings_higher(const struct mapping *mapping);
void mappings_free(struct mappings *mappings);

#endif
