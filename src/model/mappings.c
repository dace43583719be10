/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/mappings.h"

#include <errno.h>
#include <stdlib.h>

#include "model/ledger.h"
#include "model/limits.h"
#include "util/saturated.h"
#include "util/util.h"

#define TAIL UINT64_MAX /* for tile.place[0]: a level has 32 bits */

static int tile_compare(const struct tile *a, const struct tile *b)
{
	size_t i;

	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	for (i = 0; i < ARRAY_LEN(a->place); i++)
		if (a->place[i] != b->place[i])
			return a->place[i] < b->place[i] ? -1 : 1;
	return 0;
}

TREE_GENERATE(tile_tree, tile, link, tile_compare)

static struct tile tile_read(const struct array_mapping *mapping)
{
	struct tile tile = { .array = mapping->array, .handle = mapping->handle };
	int i;

	if (mapping->part == ARRAY_TAIL) {
		tile.place[0] = TAIL;
		tile.place[1] = mapping->tail.layer;
		tile.place[2] = mapping->tail.offset;
		return tile;
	}
	tile.place[0] = mapping->level.level;
	tile.place[1] = mapping->level.layer;
	for (i = 0; i < 3; i++)
		tile.place[2 + i] = mapping->level.offset[i];
	return tile;
}

/* Removes @tile from the tree, and frees it. */
static void tile_drop(struct tiles *tiles, struct tile *tile)
{
	RB_REMOVE(tile_tree, &tiles->tree, tile);
	tiles->count--;
	free(tile);
}

/* Adds the place that @mapping means, which must be free. Returns 0, -ENOMEM, or -ENOSPC beyond TILES_MAX. */
static int tiles_add(struct tiles *tiles, const struct array_mapping *mapping, uint64_t born)
{
	struct tile *tile;

	if (tiles->count >= TILES_MAX)
		return -ENOSPC;
	tile = malloc(sizeof(*tile));
	if (!tile)
		return -ENOMEM;
	*tile = tile_read(mapping);
	tile->born = born;
	RB_INSERT(tile_tree, &tiles->tree, tile);
	tiles->count++;
	return 0;
}

/* Removes what is mapped where @mapping begins, and copies it to *@was; false if nothing is. */
static bool tiles_remove(struct tiles *tiles, const struct array_mapping *mapping, struct tile *was)
{
	struct tile key = tile_read(mapping), *tile = RB_FIND(tile_tree, &tiles->tree, &key);

	if (!tile)
		return false;
	*was = *tile;
	tile_drop(tiles, tile);
	return true;
}

bool tiles_take(struct tiles *tiles, uint64_t array, struct tile *was)
{
	struct tile key = { .array = array },
		    *tile = tiles->count ? RB_NFIND(tile_tree, &tiles->tree, &key) : NULL;

	if (!tile || tile->array != array)
		return false;
	*was = *tile;
	tile_drop(tiles, tile);
	return true;
}

void tiles_free(struct tiles *tiles)
{
	struct tile *tile;

	while ((tile = RB_MIN(tile_tree, &tiles->tree)) != NULL)
		tile_drop(tiles, tile);
}

static int address_compare(const struct mapping *a, const struct mapping *b)
{
	return (a->address > b->address) - (a->address < b->address);
}

static int handle_compare(const struct mapping *a, const struct mapping *b)
{
	int order = (a->handle > b->handle) - (a->handle < b->handle);

	return order ? order : address_compare(a, b);
}

TREE_GENERATE(mapping_tree, mapping, by_address, address_compare)
TREE_GENERATE(mapping_handle_tree, mapping, by_handle, handle_compare)

static uint64_t last_of(uint64_t address, uint64_t bytes)
{
	return bytes ? add_saturated(address, bytes - 1) : address;
}

/* The lowest mapping that overlaps @address to @last, or NULL. */
static struct mapping *find(const struct mappings *mappings, uint64_t address, uint64_t last)
{
	struct mapping_tree *tree = (struct mapping_tree *)&mappings->by_address;
	/* The highest that starts at or below @address; else the lowest above. */
	struct mapping *best = TREE_AT_OR_BELOW(tree, by_address, address, address);

	if (best && last_of(best->address, best->bytes) < address)
		best = RB_NEXT(mapping_tree, tree, best);
	else if (!best)
		best = RB_MIN(mapping_tree, tree);
	return best && best->address <= last ? best : NULL;
}

static void mapping_drop(struct mappings *mappings, struct mapping *mapping)
{
	RB_REMOVE(mapping_tree, &mappings->by_address, mapping);
	RB_REMOVE(mapping_handle_tree, &mappings->by_handle, mapping);
	mappings->count--;
	free(mapping);
}

/*
 * Adds a mapping; its addresses must be free. Returns 0, -ENOMEM, or -ENOSPC beyond MAPPINGS_MAX.
 */
static int mappings_add(struct mappings *mappings, uint64_t address, uint64_t bytes,
			uint64_t handle, uint64_t born)
{
	struct mapping *mapping;

	if (mappings->count >= MAPPINGS_MAX)
		return -ENOSPC;
	mapping = malloc(sizeof(*mapping));
	if (!mapping)
		return -ENOMEM;
	*mapping = (struct mapping){
		.address = address, .bytes = bytes, .handle = handle, .born = born
	};
	RB_INSERT(mapping_tree, &mappings->by_address, mapping);
	RB_INSERT(mapping_handle_tree, &mappings->by_handle, mapping);
	mappings->count++;
	return 0;
}

/*
 * Removes one mapping that overlaps the given range, and copies it to *@was. Returns false if there
 * is none.
 */
static bool mappings_take(struct mappings *mappings, uint64_t address, uint64_t bytes,
			  struct mapping *was)
{
	struct mapping *mapping = find(mappings, address, last_of(address, bytes));

	if (!mapping)
		return false;
	*was = *mapping;
	mapping_drop(mappings, mapping);
	return true;
}

/* The mapping that contains @address, or NULL. */
static const struct mapping *mappings_find(const struct mappings *mappings, uint64_t address)
{
	return find(mappings, address, address);
}

uint64_t mappings_address(const struct mappings *mappings, uint64_t handle)
{
	struct mapping key = { .handle = handle };
	struct mapping *mapping = RB_NFIND(
		mapping_handle_tree, (struct mapping_handle_tree *)&mappings->by_handle, &key);

	return mapping && mapping->handle == handle ? mapping->address : 0;
}

const struct mapping *mappings_lowest(const struct mappings *mappings)
{
	return RB_MIN(mapping_tree, (struct mapping_tree *)&mappings->by_address);
}

const struct mapping *mappings_higher(const struct mapping *mapping)
{
	return RB_NEXT(mapping_tree, NULL, (struct mapping *)mapping);
}

void mappings_free(struct mappings *mappings)
{
	struct mapping *mapping;

	while ((mapping = RB_MIN(mapping_tree, &mappings->by_address)) != NULL)
		mapping_drop(mappings, mapping);
}

/*
 * Physical memory (cuMemCreate) has a handle but no address; it is mapped at one or more addresses,
 * in whole or in part, or into sparse arrays. Its bytes live as long as the handle, a mapping or a
 * tile: each of these holds the allocation. "The memory allocation will be freed when all
 * outstanding mappings to the memory are unmapped and when all outstanding references to the handle
 * are also released" (cuda.h of CUDA 13.0, cuMemRelease()). A tile exists until something is
 * unmapped or mapped that begins at the same place, or its array is destroyed.
 */

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
