/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays that are levels of mipmapped arrays. */
#ifndef MODEL_LEVELS_H
#define MODEL_LEVELS_H

#include <stddef.h>
#include <stdint.h>

#include "model/allocations.h"
#include "model/tree.h"

struct level;

RB_HEAD(level_tree, level);

struct levels {
	struct level_tree tree;
	size_t count;
};

/* The array @handle is a level of the array @whole, if @book has that. Returns 0 or -ENOMEM. */
int levels_learn(struct levels *levels, struct book *book, uint64_t handle, uint64_t whole);
/* Returns the live mipmapped array that @handle is a level of, or NULL. */
struct alloc_node *levels_whole(const struct levels *levels, struct book *book, uint64_t handle);
void levels_free(struct levels *levels);

#endif
