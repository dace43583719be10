/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical memory that is mapped into sparse arrays (cuMemMapArrayAsync): boxes
 * of a level's elements, parts of a mip tail, or an array as a whole. "The
 * memory allocation will be freed when all outstanding mappings to the memory
 * are unmapped and when all outstanding references to the handle are also
 * released" (cuda.h of CUDA 13.0, cuMemRelease()): each box holds the
 * allocation, as a mapping at an address does (mappings.c), until it is
 * unmapped, other memory is mapped there, or its array is destroyed.
 *
 * What is unmapped need not be what was mapped: a box that is partly unmapped is
 * replaced by up to six that are left of it. Boxes are ordered by array, part,
 * layer and place; as none is larger than tile_extent, those that may reach into
 * another lie side by side.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/internal.h"

#define PART_TAIL	0x100000000ull	/* tile.part: levels have 32 bits */
#define PART_WHOLE	0x100000001ull

enum { X, Y, Z };

struct tile {
	RB_ENTRY(tile) link;
	uint64_t array, part, layer;
	uint64_t start[3], end[3];
	uint64_t handle;
	uint64_t born;		/* of what @handle named then: it may be given to other memory before the unmapping is told */
};

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int tile_compare(const struct tile *a, const struct tile *b)
{
	return order(a->array, b->array) ?: order(a->part, b->part) ?: order(a->layer, b->layer) ?:
	       order(a->start[Z], b->start[Z]) ?: order(a->start[Y], b->start[Y]) ?: order(a->start[X], b->start[X]);
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

/* The first tile that has an element of @box, or NULL. */
static struct tile *find(struct image *image, const struct tile *box)
{
	struct tile *tile, from = *box;
	int i;

	/* The first that may reach into it. Only if all tiles are flat do the lower coordinates narrow it down further. */
	for (i = Z; i >= X; i--) {
		from.start[i] = subtract_saturated(box->start[i], subtract_saturated(image->tile_extent[i], 1));
		if (image->tile_extent[i] > 1)
			break;
	}
	while (i-- > X)
		from.start[i] = 0;
	for (tile = RB_NFIND(tile_tree, &image->tiles, &from); tile; tile = RB_NEXT(tile_tree, &image->tiles, tile)) {
		if (tile->array != box->array || tile->part != box->part || tile->layer != box->layer ||
		    tile->start[Z] >= box->end[Z] || (tile->start[Z] + 1 == box->end[Z] && tile->start[Y] >= box->end[Y]))
			return NULL;
		if (is_overlapping(tile, box))
			return tile;
	}
	return NULL;
}

/* Takes @tile out of the tree, and frees it. */
static void drop(struct image *image, struct tile *tile)
{
	RB_REMOVE(tile_tree, &image->tiles, tile);
	image->tile_count--;
	free(tile);
}

/* One of the memory's tiles, @tile, which is dropped already, holds it no more. */
static void release(struct model *model, struct image *image, const struct tile *tile, uint64_t time)
{
	struct alloc_node *node = book_handle(&image->book, tile->handle);

	if (!node || node->born != tile->born)
		image->frees += book_claim(&image->book, tile->handle, tile->born);
	else if (node->state == NODE_LIVE)
		ledger_release(model, image, node, time);
}

/* Adds what @tile says; nothing may lie there. */
static int add(struct image *image, const struct tile *what)
{
	struct alloc_node *node = book_handle(&image->book, what->handle);
	struct tile *tile;
	int i;

	if (!image->tile_count)
		image->tile_extent[X] = image->tile_extent[Y] = image->tile_extent[Z] = 0;
	if (image->tile_count >= TILES_MAX) {
		image->inexact = true;
		return 0;
	}
	tile = malloc(sizeof(*tile));
	if (!tile)
		return -ENOMEM;
	*tile = *what;
	RB_INSERT(tile_tree, &image->tiles, tile);
	image->tile_count++;
	for (i = X; i <= Z; i++)
		if (tile->end[i] - tile->start[i] > image->tile_extent[i])
			image->tile_extent[i] = tile->end[i] - tile->start[i];
	if (node && node->state == NODE_LIVE && node->born == what->born)
		ledger_retain(node);
	return 0;
}

/* Adds what of @tile lies outside of @box: in front and behind, then what is left of that above and below, and so on. */
static int add_rest(struct image *image, struct tile tile, const struct tile *box)
{
	struct tile rest;
	int i, error = 0;

	for (i = Z; i >= X && !error; i--) {
		if (tile.start[i] < box->start[i]) {
			rest = tile;
			rest.end[i] = tile.start[i] = box->start[i];
			error = add(image, &rest);
		}
		if (!error && tile.end[i] > box->end[i]) {
			rest = tile;
			rest.start[i] = tile.end[i] = box->end[i];
			error = add(image, &rest);
		}
	}
	return error;
}

static int unmap(struct model *model, struct image *image, const struct tile *box, uint64_t time)
{
	struct tile *tile, was;
	int error = 0;

	while (!error && (tile = find(image, box)) != NULL) {
		was = *tile;
		drop(image, tile);
		error = add_rest(image, was, box);	/* which holds the memory before the whole lets go of it */
		release(model, image, &was, time);
	}
	return error;
}

/* Which part of its array @mapping means. Returns false if it is none. */
static bool read_box(struct image *image, const struct array_mapping *mapping, struct tile *box)
{
	const struct alloc_node *array = book_handle(&image->book, mapping->array);
	int i;

	*box = (struct tile){ .array = mapping->array, .end = { 1, 1, 1 } };
	if (array && array->is_deferred) {
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

int tiles_record(struct model *model, struct image *image, const struct rec_tiles *record)
{
	struct alloc_node *node = book_handle(&image->book, record->mapping.handle);
	struct tile box;
	int error;

	if (!read_box(image, &record->mapping, &box))
		return 0;
	error = unmap(model, image, &box, record->hdr.time);
	if (error || record->mapping.operation != ARRAY_MAP)
		return error;
	box.handle = record->mapping.handle;
	box.born = node ? node->born : 0;
	return add(image, &box);
}

void tiles_end(struct model *model, struct image *image, uint64_t handle, uint64_t time)
{
	struct tile key = { .array = handle }, *tile;

	while (image->tile_count && (tile = RB_NFIND(tile_tree, &image->tiles, &key)) != NULL && tile->array == handle) {
		struct tile was = *tile;

		drop(image, tile);
		release(model, image, &was, time);
	}
}

void tiles_free(struct image *image)
{
	struct tile *tile;

	while ((tile = RB_MIN(tile_tree, &image->tiles)) != NULL)
		drop(image, tile);
}
