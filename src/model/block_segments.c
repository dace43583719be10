/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/block_segments.h"

#include <errno.h>
#include <stdlib.h>

#include "util/saturated.h"

void pieces_begin(struct pieces *pieces, struct program *program)
{
	*pieces = (struct pieces){ program, book_lowest(&program->ledger.book),
				   table_first(&program->mappings.by_address) };
}

bool pieces_next(struct pieces *pieces, struct piece *piece)
{
	if (pieces->mapping) {
		*piece = (struct piece){
			pieces->mapping->address,
			pieces->mapping->bytes,
			book_handle(&pieces->program->ledger.book,
				    pieces->mapping->by_handle->handle),
			true,
		};
		if (!pieces->node || piece->address < pieces->node->address) {
			pieces->mapping = table_next(pieces->mapping);
			return true;
		}
	}
	if (!pieces->node)
		return false;
	*piece = (struct piece){ pieces->node->address, pieces->node->bytes, pieces->node, false };
	pieces->node = book_higher(pieces->node);
	return true;
}

/*
 * A segment is an allocation in which a block lies, or whose call site is in the allocator's own
 * code. Physical memory is one segment where its mappings touch: a block may lie across them. What
 * is in no block is a gap. That is true only if all blocks are known: not after a late attach,
 * until the older ones are gone, nor after a loss.
 */

/* Of all allocators together, in a snapshot; with more allocations, nothing is said of segments. */
#define STEPS_MAX (4u << 20)

static int segment_add(struct block_segments *segments, const struct piece *piece)
{
	struct snap_segment *last = segments->count ? &segments->list[segments->count - 1] : NULL;
	uint64_t end = add_saturated(piece->address, piece->bytes);

	segments->bytes = add_saturated(segments->bytes, piece->bytes);
	if (last && piece->is_mapped && segments->last_is_mapped && piece->address == last->end) {
		last->end = end;
		return 0;
	}
	if (segments->count == segments->size) {
		size_t size = segments->size ? segments->size * 2 : 64;
		struct snap_segment *list = realloc(segments->list, size * sizeof(*list));

		if (!list)
			return -ENOMEM;
		segments->list = list;
		segments->size = size;
	}
	segments->list[segments->count++] = (struct snap_segment){
		.start = piece->address, .end = end, .is_expandable = piece->is_mapped
	};
	segments->last_is_mapped = piece->is_mapped;
	return 0;
}

static uint64_t end_of(const struct alloc_node *node)
{
	return add_saturated(node->address, node->bytes);
}

static int list_make(struct block_segments *segments, struct program *program,
		     struct allocator *allocator)
{
	struct alloc_node *block = book_lowest(&allocator->book);
	struct pieces pieces;
	struct piece piece;
	int err = 0;

	pieces_begin(&pieces, program);
	while (!err && pieces_next(&pieces, &piece)) {
		const struct alloc_node *node = piece.node;
		const struct site *site;

		if (!node || node->state != NODE_LIVE || !KIND_IS_VRAM(node->kind) ||
		    !piece.bytes || node->device != allocator->device)
			continue;
		site = program->ledger.sites.list[node->site];
		while (block && end_of(block) <= piece.address)
			block = book_higher(block);
		if ((allocator->kind == ALLOCATOR_PYTORCH ? sites_in_cache(site) :
							    site->signs.pool == allocator->kind) ||
		    (block && block->address < add_saturated(piece.address, piece.bytes)))
			err = segment_add(segments, &piece);
	}
	return err;
}

/* A stretch of @bytes in @segment that belongs to no block. */
static void gap_note(struct block_segments *segments, struct snap_segment *segment, uint64_t bytes,
		     uint64_t request)
{
	if (bytes > segment->largest_gap)
		segment->largest_gap = bytes;
	if (bytes > segments->largest_gap)
		segments->largest_gap = bytes;
	if (bytes < request)
		segments->unusable = add_saturated(segments->unusable, bytes);
}

/* Goes through blocks and segments together. Returns false if a block is in no segment. */
static bool gaps_measure(struct block_segments *segments, struct allocator *allocator)
{
	struct alloc_node *block = book_lowest(&allocator->book);
	uint64_t request = blocks_request(allocator);
	size_t i;

	for (i = 0; i < segments->count; i++) {
		struct snap_segment *segment = &segments->list[i];
		uint64_t at = segment->start;

		if (block && block->address < segment->start)
			return false;
		for (; block && block->address < segment->end; block = book_higher(block)) {
			if (block->address > at)
				gap_note(segments, segment, block->address - at, request);
			at = end_of(block);
			segment->used = add_saturated(segment->used, block->bytes);
			segment->blocks++;
		}
		if (at > segment->end)
			return false;
		if (at < segment->end)
			gap_note(segments, segment, segment->end - at, request);
	}
	return !block;
}

int block_segments_find(struct block_segments *segments, struct program *program,
			struct allocator *allocator)
{
	int err;

	*segments = (struct block_segments){ .count = 0 };
	if (program->ledger.book.count > STEPS_MAX / program->blocks.count)
		return 0;
	err = list_make(segments, program, allocator);
	if (err) {
		block_segments_free(segments);
		return err;
	}
	segments->has_gaps = gaps_measure(segments, allocator) &&
			     (allocator->has_totals || allocator->kind != ALLOCATOR_PYTORCH) &&
			     allocator->booked == allocator->allocated;
	if (segments->has_gaps)
		segments->free_bytes = subtract_saturated(segments->bytes, allocator->booked);
	else
		segments->largest_gap = segments->unusable = 0;
	return 0;
}

void block_segments_free(struct block_segments *segments)
{
	free(segments->list);
	*segments = (struct block_segments){ .count = 0 };
}
