/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of blocks. A piece is cut from the newest block; a large piece gets a block of its own.
 * Blocks double in size.
 */
#include "model/arena.h"

#include <errno.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_LEAST 1024
#define BLOCK_MOST  (64 * 1024 - 64)

struct block {
	struct block *next;
	size_t used, size;
	alignas(max_align_t) char data[];
};

struct arena {
	struct block *blocks;
	struct arena **kept;
	size_t kept_count, kept_size;
	size_t next_size;     /* of the next block */
	unsigned int holders; /* besides the first; atomic */
};

struct arena *arena_new(void)
{
	struct arena *arena = calloc(1, sizeof(*arena));

	if (arena)
		arena->next_size = BLOCK_LEAST;
	return arena;
}

static void blocks_free(struct arena *arena)
{
	struct block *block, *next;

	for (block = arena->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	arena->blocks = NULL;
}

static void kept_free(struct arena *arena)
{
	while (arena->kept_count)
		arena_free(arena->kept[--arena->kept_count]);
}

void arena_free(struct arena *arena)
{
	if (!arena || __atomic_fetch_sub(&arena->holders, 1, __ATOMIC_ACQ_REL))
		return;
	kept_free(arena);
	free(arena->kept);
	blocks_free(arena);
	free(arena);
}

int arena_keep(struct arena *arena, struct arena *other)
{
	if (arena->kept_count == arena->kept_size) {
		size_t size = arena->kept_size ? arena->kept_size * 2 : 4;
		struct arena **kept = realloc(arena->kept, size * sizeof(*kept));

		if (!kept)
			return -ENOMEM;
		arena->kept = kept;
		arena->kept_size = size;
	}
	__atomic_add_fetch(&other->holders, 1, __ATOMIC_RELAXED);
	arena->kept[arena->kept_count++] = other;
	return 0;
}

/* A piece of @need bytes, a multiple of the alignment, with anything in it. */
static void *piece_take(struct arena *arena, size_t need)
{
	struct block *block = arena->blocks;

	if (!block || block->size - block->used < need) {
		size_t room = need > arena->next_size / 2 ? need : arena->next_size;

		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		block->size = room;
		block->used = 0;
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
		if (room != need)
			arena->next_size = room * 2 < BLOCK_MOST ? room * 2 : BLOCK_MOST;
	}
	block->used += need;
	return block->data + block->used - need;
}

static size_t aligned(size_t bytes)
{
	return (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
	size_t need;
	void *piece;

	if (size && count > (SIZE_MAX / 2) / size)
		return NULL;
	need = aligned(count * size);
	piece = piece_take(arena, need);
	return piece ? memset(piece, 0, need) : NULL;
}

char *arena_string(struct arena *arena, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = piece_take(arena, aligned(size));

	return copy ? memcpy(copy, text, size) : NULL;
}
