/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is unmapped may differ from what was mapped: a box that is partly unmapped is replaced by up
 * to six boxes for what is left. Boxes are sorted by array, part, layer and place; none is larger
 * than tiles.extent, so those that may overlap a given one are adjacent.
 */
#include "model/tiles.h"

#include <errno.h>
#include <stdlib.h>

#include "model/limits.h"
#include "util/saturated.h"

#define PART_TAIL  0x100000000ull /* for tile.part: a level has 32 bits */
#define PART_WHOLE 0x100000001ull

enum { X, Y, Z };

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int tile_compare(const struct tile *a, const struct tile *b)
{
	return order(a->array, b->array)               ?:
		       order(a->part, b->part)         ?:
		       order(a->layer, b->layer)       ?:
		       order(a->start[Z], b->start[Z]) ?:
		       order(a->start[Y], b->start[Y]) ?:
							 order(a->start[X], b->start[X]);
}

TREE_GENERATE(tile_tree, tile, link, tile_compare)

static bool is_overlapping(const struct tile *a, const struct tile *b)
{
	int i;

	for (i = X; i <= Z; i++)
		if (a->end[i] <= b->start[i] || b->end[i] <= a->start[i])
			return false;
	return true;
}

/* The first tile that overlaps @box, or NULL. */
static struct tile *find(struct tiles *tiles, const struct tile *box)
{
	struct tile *tile, from = *box;
	int i;

	/*
	 * The first one that may overlap it. The lower coordinates narrow the search further only
	 * if all tiles are flat.
	 */
	for (i = Z; i >= X; i--) {
		from.start[i] =
			subtract_saturated(box->start[i], subtract_saturated(tiles->extent[i], 1));
		if (tiles->extent[i] > 1)
			break;
	}
	while (i-- > X)
		from.start[i] = 0;
	for (tile = RB_NFIND(tile_tree, &tiles->tree, &from); tile;
	     tile = RB_NEXT(tile_tree, &tiles->tree, tile)) {
		if (tile->array != box->array || tile->part != box->part ||
		    tile->layer != box->layer || tile->start[Z] >= box->end[Z] ||
		    (tile->start[Z] + 1 == box->end[Z] && tile->start[Y] >= box->end[Y]))
			return NULL;
		if (is_overlapping(tile, box))
			return tile;
	}
	return NULL;
}

/* Removes @tile from the tree, and frees it. */
static void drop(struct tiles *tiles, struct tile *tile)
{
	RB_REMOVE(tile_tree, &tiles->tree, tile);
	tiles->count--;
	free(tile);
}

int tiles_add(struct tiles *tiles, const struct tile *what)
{
	struct tile *tile;
	int i;

	if (!tiles->count)
		tiles->extent[X] = tiles->extent[Y] = tiles->extent[Z] = 0;
	if (tiles->count >= TILES_MAX)
		return -ENOSPC;
	tile = malloc(sizeof(*tile));
	if (!tile)
		return -ENOMEM;
	*tile = *what;
	RB_INSERT(tile_tree, &tiles->tree, tile);
	tiles->count++;
	for (i = X; i <= Z; i++)
		if (tile->end[i] - tile->start[i] > tiles->extent[i])
			tiles->extent[i] = tile->end[i] - tile->start[i];
	return 0;
}

static void add_rest(struct tiles *tiles, const struct tile *rest, struct tile_cut *cut)
{
	int error = cut->error == -ENOMEM ? -ENOMEM : tiles_add(tiles, rest);

	cut->rest += !error;
	if (error)
		cut->error = error;
}

bool tiles_cut(struct tiles *tiles, const struct tile *box, struct tile_cut *cut)
{
	struct tile *tile = find(tiles, box), left, rest;
	int i;

	if (!tile)
		return false;
	*cut = (struct tile_cut){ .was = *tile };
	left = *tile;
	drop(tiles, tile);
	/*
	 * First the parts in front and behind, then above and below the remaining part, and so on.
	 */
	for (i = Z; i >= X; i--) {
		if (left.start[i] < box->start[i]) {
			rest = left;
			rest.end[i] = left.start[i] = box->start[i];
			add_rest(tiles, &rest, cut);
		}
		if (left.end[i] > box->end[i]) {
			rest = left;
			rest.start[i] = left.end[i] = box->end[i];
			add_rest(tiles, &rest, cut);
		}
	}
	return true;
}

bool tile_read(struct tile *box, const struct array_mapping *mapping, bool is_deferred)
{
	int i;

	*box = (struct tile){ .array = mapping->array, .end = { 1, 1, 1 } };
	if (is_deferred) {
		box->part = PART_WHOLE;
		return true;
	}
	if (mapping->part == ARRAY_TAIL) {
		box->part = PART_TAIL;
		box->layer = mapping->tail.layer;
		box->start[X] = mapping->tail.offset;
		box->end[X] = add_saturated(mapping->tail.offset, mapping->tail.bytes);
		return box->end[X] > box->start[X];
	}
	box->part = mapping->level.level;
	box->layer = mapping->level.layer;
	for (i = X; i <= Z; i++) {
		box->start[i] = mapping->level.offset[i];
		box->end[i] = (uint64_t)mapping->level.offset[i] + mapping->level.extent[i];
		if (!mapping->level.extent[i])
			return false;
	}
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
