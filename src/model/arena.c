/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of blocks. A piece is cut from the newest block; a large piece gets a block of its own. */
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/arena.h"

#define BLOCK_SIZE (64 * 1024 - 64)

struct block {
	struct block *next;
	size_t used, size;
	alignas(max_align_t) char data[];
};

struct arena {
	struct block *blocks;
};

struct arena *arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

void arena_free(struct arena *arena)
{
	struct block *block, *next;

	if (!arena)
		return;
	for (block = arena->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	free(arena);
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
	struct block *block = arena->blocks;
	size_t need;

	if (size && count > (SIZE_MAX / 2) / size)
		return NULL;
	need = (count * size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (!block || block->size - block->used < need) {
		size_t room = need > BLOCK_SIZE / 2 ? need : BLOCK_SIZE;

		block = calloc(1, sizeof(*block) + room);
		if (!block)
			return NULL;
		block->size = room;
		if (room == need && arena->blocks) {
			/*
			 * This block is full at once: keep the newest one first in the list, since
			 * it still has room.
			 */
			block->next = arena->blocks->next;
			arena->blocks->next = block;
		} else {
			block->next = arena->blocks;
			arena->blocks = block;
		}
	}
	block->used += need;
	return block->data + block->used - need;
}

char *arena_string(struct arena *arena, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = arena_alloc(arena, size, 1);

	return copy ? memcpy(copy, text, size) : NULL;
}
