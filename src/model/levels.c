/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The levels of a mipmapped array are arrays with handles of their own, which are neither allocated
 * nor freed. They live as long as the whole array, and share its elements. Once the whole is gone,
 * a level's handle may mean something else: then looking it up finds nothing.
 */
#include "model/levels.h"

#include <errno.h>
#include <stdlib.h>

#include "model/limits.h"

struct level {
	RB_ENTRY(level) link;
	uint64_t handle, whole;
	uint64_t born; /* when the whole was allocated: its handle may be reused */
};

static int level_compare(const struct level *a, const struct level *b)
{
	return (a->handle > b->handle) - (a->handle < b->handle);
}

TREE_GENERATE(level_tree, level, link, level_compare)

int levels_learn(struct levels *levels, struct book *book, uint64_t handle, uint64_t whole)
{
	struct alloc_node *node = book_handle(book, whole);
	struct level *level, key = { .handle = handle };

	if (!handle || handle == whole || !node || node->state != NODE_LIVE)
		return 0;
	level = RB_FIND(level_tree, &levels->tree, &key);
	if (!level) {
		/* With so many, most belong to arrays that are gone. */
		if (levels->count >= LEVELS_MAX)
			levels_free(levels);
		level = calloc(1, sizeof(*level));
		if (!level)
			return -ENOMEM;
		level->handle = handle;
		RB_INSERT(level_tree, &levels->tree, level);
		levels->count++;
	}
	level->whole = whole;
	level->born = node->born;
	return 0;
}

struct alloc_node *levels_whole(const struct levels *levels, struct book *book, uint64_t handle)
{
	struct level key = { .handle = handle },
		     *level = RB_FIND(level_tree, (struct level_tree *)&levels->tree, &key);
	struct alloc_node *node = level ? book_handle(book, level->whole) : NULL;

	return node && node->state == NODE_LIVE && node->born == level->born ? node : NULL;
}

void levels_free(struct levels *levels)
{
	struct level *level;

	while ((level = RB_MIN(level_tree, &levels->tree)) != NULL) {
		RB_REMOVE(level_tree, &levels->tree, level);
		free(level);
	}
	levels->count = 0;
}
