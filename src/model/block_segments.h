/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The device memory of a program in order of addresses. */
#ifndef MODEL_BLOCK_SEGMENTS_H
#define MODEL_BLOCK_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/program.h"
#include "model/snapshot.h"

/* An allocation with an address, or physical memory where it is mapped. */
struct piece {
	uint64_t address, bytes;
	const struct alloc_node *node; /* NULL: mapped memory that is unknown */
	bool is_mapped;
};

/* Both kinds together. */
struct pieces {
	struct program *program;
	struct alloc_node *node;
	const struct mapping *mapping;
};

void pieces_begin(struct pieces *pieces, struct program *program);
/* False at the end. */
bool pieces_next(struct pieces *pieces, struct piece *piece);

/* The memory that an allocator took from the driver, and how its blocks lie in it. */
struct block_segments {
	struct snap_segment *list; /* by address */
	size_t count, size;
	uint64_t bytes; /* of all */
	/* All blocks are known, and where they lie: else the following are 0 */
	bool has_gaps;
	uint64_t free_bytes, largest_gap;
	uint64_t unusable;   /* bytes in gaps smaller than the largest request */
	bool last_is_mapped; /* the last one is physical memory */
};

/* Finds those of @program's @allocator. Returns 0 or -ENOMEM; free with block_segments_free(). */
int block_segments_find(struct block_segments *segments, struct program *program,
			struct allocator *allocator);
void block_segments_free(struct block_segments *segments);

#endif
