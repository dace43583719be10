/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings of physical memory, at addresses and in sparse arrays, and the memory that they hold. */
#ifndef MODEL_PHYSICAL_H
#define MODEL_PHYSICAL_H

#include <stdint.h>

#include "model/ledger.h"
#include "model/mappings.h"

/* Each returns 0 or -ENOMEM. */
int physical_map(struct ledger *ledger, struct mappings *mappings, const struct rec_map *record);
int physical_map_tiles(struct ledger *ledger, const struct rec_tiles *record);

void physical_unmap(struct ledger *ledger, struct mappings *mappings, uint64_t address,
		    uint64_t bytes, uint64_t time);
/* Returns the physical memory that @address points into, or NULL. */
struct alloc_node *physical_at(struct ledger *ledger, const struct mappings *mappings,
			       uint64_t address);

#endif
