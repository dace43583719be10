/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/tiles.h"

#include <errno.h>
#include <stdlib.h>

#include "model/limits.h"
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
static void drop(struct tiles *tiles, struct tile *tile)
{
	RB_REMOVE(tile_tree, &tiles->tree, tile);
	tiles->count--;
	free(tile);
}

int tiles_add(struct tiles *tiles, const struct array_mapping *mapping, uint64_t born)
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

bool tiles_remove(struct tiles *tiles, const struct array_mapping *mapping, struct tile *was)
{
	struct tile key = tile_read(mapping), *tile = RB_FIND(tile_tree, &tiles->tree, &key);

	if (!tile)
		return false;
	*was = *tile;
	drop(tiles, tile);
	return true;
}

bool tiles_take(struct tiles *tiles, uint64_t array, struct tile *was)
{
	struct tile key = { .array = array },
		    *tile = tiles->count ? RB_NFIND(tile_tree, &tiles->tree, &key) : NULL;

	if (!tile || tile->array != array)
		return false;
	*was = *tile;
	drop(tiles, tile);
	return true;
}

void tiles_free(struct tiles *tiles)
{
	struct tile *tile;

	while ((tile = RB_MIN(tile_tree, &tiles->tree)) != NULL)
		drop(tiles, tile);
}
