/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical memory (cuMemCreate) has a handle but no address; it is mapped at one or more addresses,
 * in whole or in part. Its bytes live as long as the handle or a mapping: each of these holds the
 * allocation. "The memory allocation will be freed when all outstanding mappings to the memory are
 * unmapped and when all outstanding references to the handle are also released" (cuda.h of CUDA
 * 13.0, cuMemRelease()).
 */
#include "model/mappings.h"

#include <errno.h>
#include <stddef.h>

#include "model/limits.h"
#include "util/saturated.h"

static uint64_t last_of(uint64_t address, uint64_t bytes)
{
	return bytes ? add_saturated(address, bytes - 1) : address;
}

/* The lowest mapping that overlaps @address to @last, or NULL. */
static struct mapping *find(const struct mappings *mappings, uint64_t address, uint64_t last)
{
	struct mapping *best = table_up_to(&mappings->by_address, KEY(address));

	if (!best || last_of(best->address, best->bytes) < address)
		best = table_from(&mappings->by_address, KEY(address));
	return best && best->address <= last ? best : NULL;
}

/* Adds a mapping; its addresses must be free. Returns 0, -ENOMEM, or -ENOSPC beyond MAPPINGS_MAX. */
static int add(struct mappings *mappings, const struct rec_map *record, uint64_t born)
{
	struct mapped_handle *by_handle;
	struct mapping *mapping;

	if (mappings->by_address.count >= MAPPINGS_MAX)
		return -ENOSPC;
	by_handle = table_get(&mappings->by_handle, KEY(record->handle, record->address),
			      sizeof(*by_handle));
	mapping = by_handle ?
			  table_get(&mappings->by_address, KEY(record->address), sizeof(*mapping)) :
			  NULL;
	if (!mapping) {
		if (by_handle)
			table_drop(&mappings->by_handle, by_handle);
		return -ENOMEM;
	}
	mapping->bytes = record->bytes;
	mapping->born = born;
	mapping->by_handle = by_handle;
	return 0;
}

void physical_unmap(struct ledger *ledger, struct mappings *mappings, uint64_t address,
		    uint64_t bytes, uint64_t time)
{
	struct mapping *mapping;

	while ((mapping = find(mappings, address, last_of(address, bytes))) != NULL) {
		ledger_let_go(ledger, mapping->by_handle->handle, mapping->born, time);
		table_drop(&mappings->by_handle, mapping->by_handle);
		table_drop(&mappings->by_address, mapping);
	}
}

int physical_map(struct ledger *ledger, struct mappings *mappings, const struct rec_map *record)
{
	const struct alloc_node *node = book_handle(&ledger->book, record->handle);
	uint64_t born = node ? node->born : 0;
	int error;

	if (!record->bytes || record->bytes > BYTES_MAX)
		return 0;
	/* If something is still mapped there, its unmapping was missed. */
	physical_unmap(ledger, mappings, record->address, record->bytes, record->hdr.time);
	error = add(mappings, record, born);
	if (!error)
		ledger_hold(ledger, record->handle, born);
	ledger->inexact |= error == -ENOSPC;
	return error == -ENOMEM ? -ENOMEM : 0;
}

struct alloc_node *physical_at(struct ledger *ledger, const struct mappings *mappings,
			       uint64_t address)
{
	const struct mapping *mapping = find(mappings, address, address);

	return mapping ? book_handle(&ledger->book, mapping->by_handle->handle) : NULL;
}

uint64_t mappings_address(const struct mappings *mappings, uint64_t handle)
{
	const struct mapped_handle *lowest = table_from(&mappings->by_handle, KEY(handle));

	return lowest && lowest->handle == handle ? lowest->address : 0;
}

void mappings_free(struct mappings *mappings)
{
	table_free(&mappings->by_handle);
	table_free(&mappings->by_address);
}
