/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/mappings.h"

#include <errno.h>
#include <stdlib.h>

#include "model/limits.h"
#include "util/saturated.h"

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

static void drop(struct mappings *mappings, struct mapping *mapping)
{
	RB_REMOVE(mapping_tree, &mappings->by_address, mapping);
	RB_REMOVE(mapping_handle_tree, &mappings->by_handle, mapping);
	mappings->count--;
	free(mapping);
}

int mappings_add(struct mappings *mappings, uint64_t address, uint64_t bytes, uint64_t handle,
		 uint64_t born)
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

bool mappings_take(struct mappings *mappings, uint64_t address, uint64_t bytes, struct mapping *was)
{
	struct mapping *mapping = find(mappings, address, last_of(address, bytes));

	if (!mapping)
		return false;
	*was = *mapping;
	drop(mappings, mapping);
	return true;
}

const struct mapping *mappings_find(const struct mappings *mappings, uint64_t address)
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
		drop(mappings, mapping);
}
