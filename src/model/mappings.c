/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical memory (cuMemCreate) has a handle but no address; it is mapped at one
 * or more of them, in whole or in part. Its bytes live while the handle or a
 * mapping does: each holds the allocation open. Mappings stand in two trees, by
 * address, for what an address points to, and by handle, for where memory lies.
 */
#include <errno.h>
#include <stdlib.h>

#include "cuda/calls.h"
#include "model/internal.h"

struct mapping {
	RB_ENTRY(mapping) by_address, by_handle;
	uint64_t address, bytes, handle;
	uint64_t born;		/* of what @handle named then: it may be given to other memory before the unmapping is told */
};

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

/* The lowest mapping that shares an address with @address to @last, or NULL. */
static struct mapping *find(struct image *image, uint64_t address, uint64_t last)
{
	/* The highest that starts at or below; else the lowest above. */
	struct mapping *best = TREE_AT_OR_BELOW(&image->mappings, by_address, address, address);

	if (best && last_of(best->address, best->bytes) < address)
		best = RB_NEXT(mapping_tree, &image->mappings, best);
	else if (!best)
		best = RB_MIN(mapping_tree, &image->mappings);
	return best && best->address <= last ? best : NULL;
}

static void drop(struct image *image, struct mapping *mapping)
{
	RB_REMOVE(mapping_tree, &image->mappings, mapping);
	RB_REMOVE(mapping_handle_tree, &image->mapping_handles, mapping);
	image->mapping_count--;
	free(mapping);
}

static void remove_range(struct model *model, struct image *image, uint64_t address, uint64_t bytes, uint64_t time)
{
	uint64_t last = last_of(address, bytes);
	struct mapping *mapping;

	while ((mapping = find(image, address, last)) != NULL) {
		struct alloc_node *node = book_handle(&image->book, mapping->handle);
		uint64_t handle = mapping->handle, born = mapping->born;

		drop(image, mapping);
		if (!node || node->born != born)
			image->frees += book_claim(&image->book, handle, born);
		else if (node->state == NODE_LIVE)
			ledger_release(model, image, node, time);
	}
}

static int place(struct model *model, struct image *image, const struct rec_map *record)
{
	struct alloc_node *node = book_handle(&image->book, record->handle);
	struct mapping *mapping;

	if (!record->bytes || record->bytes > BYTES_MAX)
		return 0;
	/* What is mapped there still was unmapped without our seeing it. */
	remove_range(model, image, record->address, record->bytes, record->hdr.time);
	if (image->mapping_count >= MAPPINGS_MAX) {
		image->inexact = true;
		return 0;
	}
	mapping = calloc(1, sizeof(*mapping));
	if (!mapping)
		return -ENOMEM;
	mapping->address = record->address;
	mapping->bytes = record->bytes;
	mapping->handle = record->handle;
	mapping->born = node ? node->born : 0;
	RB_INSERT(mapping_tree, &image->mappings, mapping);
	RB_INSERT(mapping_handle_tree, &image->mapping_handles, mapping);
	image->mapping_count++;
	if (node && node->state == NODE_LIVE)
		ledger_retain(node);
	return 0;
}

int mappings_record(struct model *model, struct image *image, const struct rec_map *record)
{
	struct alloc_node *node;

	switch (record->act) {
	case MAP_PLACE:
		return place(model, image, record);
	case MAP_REMOVE:
		remove_range(model, image, record->address, record->bytes, record->hdr.time);
		return 0;
	case MAP_LEVEL:
		return levels_learn(image, record->handle, record->address);
	case MAP_GLOBAL:
		return globals_learn(image, record->address, record->bytes) ?: record->handle ? statics_learn(image, record) : 0;
	case MAP_VARIABLE:
		return statics_learn(image, record);
	case MAP_OWNED:
		statics_own(image, record);
		return 0;
	case MAP_UNLOAD:
		statics_unload(image, record->address);
		return 0;
	case MAP_CHECKPOINT:
	case MAP_RESTORE:
		image = images_running(model, image, (uint32_t)record->address);
		if (image)
			ledger_checkpoint(model, image, record->act == MAP_CHECKPOINT, record->hdr.time);
		return 0;
	case MAP_RETAIN:
		node = book_handle(&image->book, record->handle);
		if (node && node->state == NODE_LIVE)
			ledger_retain(node);
		return 0;
	default:
		return 0;
	}
}

struct alloc_node *mappings_containing(struct image *image, uint64_t address)
{
	struct mapping *mapping = find(image, address, address);

	return mapping ? book_handle(&image->book, mapping->handle) : NULL;
}

uint64_t mappings_address(struct image *image, uint64_t handle)
{
	struct mapping key = { .handle = handle }, *mapping = RB_NFIND(mapping_handle_tree, &image->mapping_handles, &key);

	return mapping && mapping->handle == handle ? mapping->address : 0;
}

struct mapping *mappings_lowest(struct image *image)
{
	return RB_MIN(mapping_tree, &image->mappings);
}

struct mapping *mappings_higher(struct mapping *mapping)
{
	return RB_NEXT(mapping_tree, NULL, mapping);
}

struct alloc_node *mapping_look(struct image *image, const struct mapping *mapping, uint64_t *address, uint64_t *bytes)
{
	*address = mapping->address;
	*bytes = mapping->bytes;
	return book_handle(&image->book, mapping->handle);
}

void mappings_free(struct image *image)
{
	struct mapping *mapping;

	while ((mapping = RB_MIN(mapping_tree, &image->mappings)) != NULL)
		drop(image, mapping);
}
