/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These are, for example, variables of modules whose address a program asked for, buffers of
 * graphics libraries, and memory of graphs. If something is allocated at such an address later, the
 * allocation is found first.
 */
#include "model/globals.h"

#include <errno.h>
#include <stdlib.h>

#include "model/limits.h"

struct global {
	RB_ENTRY(global) link;
	uint64_t address, bytes;
};

static int global_compare(const struct global *a, const struct global *b)
{
	return (a->address > b->address) - (a->address < b->address);
}

TREE_GENERATE(global_tree, global, link, global_compare)

int globals_learn(struct globals *globals, uint64_t address, uint64_t bytes)
{
	struct global *global, key = { .address = address };

	if (!address || bytes > BYTES_MAX)
		return 0;
	global = RB_FIND(global_tree, &globals->tree, &key);
	if (!global) {
		if (globals->count >= GLOBALS_MAX)
			globals_free(globals);
		global = calloc(1, sizeof(*global));
		if (!global)
			return -ENOMEM;
		global->address = address;
		RB_INSERT(global_tree, &globals->tree, global);
		globals->count++;
	}
	/* Some calls do not say how large it is: then only the address is known. */
	if (bytes || !global->bytes)
		global->bytes = bytes ? bytes : 1;
	return 0;
}

bool globals_contain(const struct globals *globals, uint64_t address)
{
	struct global_tree *tree = (struct global_tree *)&globals->tree;
	const struct global *best = TREE_AT_OR_BELOW(tree, link, address, address);

	return best && address - best->address < best->bytes;
}

void globals_free(struct globals *globals)
{
	struct global *global;

	while ((global = RB_MIN(global_tree, &globals->tree)) != NULL) {
		RB_REMOVE(global_tree, &globals->tree, global);
		free(global);
	}
	globals->count = 0;
}
