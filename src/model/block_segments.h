/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory that an allocator took from the driver, and how its blocks lie in it. */
#ifndef MODEL_BLOCK_SEGMENTS_H
#define MODEL_BLOCK_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/program.h"
#include "model/snapshot.h"

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
