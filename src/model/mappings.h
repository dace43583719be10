/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where physical memory is mapped: by address, to find what an address points to, and by handle, to
 * find where memory is; and the memory that the mappings hold.
 */
#ifndef MODEL_MAPPINGS_H
#define MODEL_MAPPINGS_H

#include <linux/types.h>
#include <stdint.h>

#include "cutop_event.h"
#include "model/ledger.h"
#include "model/ordered_table.h"

struct mapping {
	struct entry by_address;
	uint64_t address;
	uint64_t bytes;
	/*
	 * when the memory of the handle was created: the handle may be reused before the unmapping
	 * is reported
	 */
	uint64_t born;
	struct mapped_handle *by_handle;
};

struct mapped_handle {
	struct entry entry;
	uint64_t handle, address;
};

struct mappings {
	struct table by_address, by_handle;
};

/* Returns 0 or -ENOMEM. */
int physical_map(struct ledger *ledger, struct mappings *mappings, const struct rec_map *record);
void physical_unmap(struct ledger *ledger, struct mappings *mappings, uint64_t address,
		    uint64_t bytes, uint64_t time);
/* Returns the physical memory that @address points into, or NULL. */
struct alloc_node *physical_at(struct ledger *ledger, const struct mappings *mappings,
			       uint64_t address);
/* The lowest address where the memory of @handle is mapped, 0: nowhere. */
uint64_t mappings_address(const struct mappings *mappings, uint64_t handle);
void mappings_free(struct mappings *mappings);

#endif
