/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical memory (cuMemCreate) has a handle but no address; it is mapped at one or more addresses,
 * in whole or in part, or into sparse arrays. Its bytes live as long as the handle, a mapping or a
 * tile: each of these holds the allocation. "The memory allocation will be freed when all
 * outstanding mappings to the memory are unmapped and when all outstanding references to the handle
 * are also released" (cuda.h of CUDA 13.0, cuMemRelease()). A tile exists until something is
 * unmapped or mapped that begins at the same place, or its array is destroyed.
 */
#include "model/physical.h"

#include <errno.h>

#include "model/limits.h"

void physical_unmap(struct ledger *ledger, struct mappings *mappings, uint64_t address,
		    uint64_t bytes, uint64_t time)
{
	struct mapping was;

	while (mappings_take(mappings, address, bytes, &was))
		ledger_let_go(ledger, was.handle, was.born, time);
}

int physical_map(struct ledger *ledger, struct mappings *mappings, const struct rec_map *record)
{
	const struct alloc_node *node = ledger_mappable(ledger, record->handle);
	uint64_t born = node ? node->born : 0;
	int error;

	if (!record->bytes || record->bytes > BYTES_MAX)
		return 0;
	/* If something is still mapped there, its unmapping was missed. */
	physical_unmap(ledger, mappings, record->address, record->bytes, record->hdr.time);
	error = mappings_add(mappings, record->address, record->bytes, record->handle, born);
	if (!error)
		ledger_hold(ledger, record->handle, born);
	ledger->inexact |= error == -ENOSPC;
	return error == -ENOMEM ? -ENOMEM : 0;
}

int physical_map_tiles(struct ledger *ledger, const struct rec_tiles *record)
{
	const struct array_mapping *mapping = &record->mapping;
	const struct alloc_node *node = ledger_mappable(ledger, mapping->handle);
	uint64_t born = node ? node->born : 0;
	struct tile was;
	int error;

	if (tiles_remove(&ledger->tiles, mapping, &was))
		ledger_let_go(ledger, was.handle, was.born, record->hdr.time);
	if (mapping->operation != ARRAY_MAP)
		return 0;
	error = tiles_add(&ledger->tiles, mapping, born);
	if (!error)
		ledger_hold(ledger, mapping->handle, born);
	ledger->inexact |= error == -ENOSPC;
	return error == -ENOMEM ? -ENOMEM : 0;
}

struct alloc_node *physical_at(struct ledger *ledger, const struct mappings *mappings,
			       uint64_t address)
{
	const struct mapping *mapping = mappings_find(mappings, address);

	return mapping ? book_handle(&ledger->book, mapping->handle) : NULL;
}
