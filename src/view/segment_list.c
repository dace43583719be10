/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments and blocks are sorted by address, so they are gone through together, once.
 */
#include "view/segment_list.h"

#include <errno.h>
#include <stdlib.h>

#include "util/saturated.h"

#define GUESS_STEP (2ull << 20) /* segments are multiples of this */

static uint64_t end_of(const struct snap_alloc *block)
{
	return add_saturated(block->address, block->bytes);
}

bool segment_list_is_known(const struct snap_process *process)
{
	bool any = false;

	for (size_t i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];

		/* Of a process that was selected just now, blocks come with the next snapshot. */
		if (allocator->blocks && !allocator->drawn_count)
			return false;
		any |= allocator->drawn_count || allocator->segment_count;
	}
	return any;
}

static struct stretch *stretch_add(struct segment_list *list, struct stretch stretch)
{
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 64;
		struct stretch *items = realloc(list->items, room * sizeof(*items));

		if (!items)
			return NULL;
		list->items = items;
		list->room = room;
	}
	stretch.filled = stretch.start;
	list->items[list->count] = stretch;
	return &list->items[list->count++];
}

static struct stretch *known_add(struct segment_list *list, size_t allocator, size_t segment)
{
	const struct snap_segment *from = &list->process->allocators[allocator].segments[segment];

	return stretch_add(list, (struct stretch){ .start = from->start,
						   .end = from->end,
						   .allocator = allocator });
}

/* For @block, which lies in no segment: none from @limit on is known to be there. */
static struct stretch *guess_add(struct segment_list *list, size_t allocator,
				 const struct snap_alloc *block, uint64_t limit)
{
	struct stretch *last = list->count ? &list->items[list->count - 1] : NULL;
	uint64_t start = block->address - block->address % GUESS_STEP, end = end_of(block);

	end = add_saturated(end, (GUESS_STEP - end % GUESS_STEP) % GUESS_STEP);
	end = end > limit ? limit : end;
	if (last && last->allocator == allocator) {
		start = start < last->end ? last->end : start;
		if (last->is_guess && start <= last->end) {
			last->end = end > last->end ? end : last->end;
			return last;
		}
	}
	return stretch_add(list, (struct stretch){ .start = start < end ? start : block->address,
						   .end = end,
						   .allocator = allocator,
						   .is_guess = true });
}

static void block_note(struct stretch *stretch, const struct snap_alloc *block)
{
	uint64_t end = end_of(block) < stretch->end ? end_of(block) : stretch->end;

	if (block->address > stretch->filled &&
	    block->address - stretch->filled > stretch->largest_gap)
		stretch->largest_gap = block->address - stretch->filled;
	if (end > stretch->filled) {
		stretch->used +=
			end - (block->address > stretch->filled ? block->address : stretch->filled);
		stretch->filled = end;
	}
	stretch->blocks++;
}

static int allocator_add(struct segment_list *list, size_t at)
{
	const struct snap_allocator *from = &list->process->allocators[at];
	size_t segment = 0, first = list->count, i;
	struct stretch *here = NULL;

	for (i = 0; i < from->drawn_count; i++) {
		const struct snap_alloc *block = &from->drawn[i];

		while (segment < from->segment_count &&
		       from->segments[segment].end <= block->address)
			if (!(here = known_add(list, at, segment++)))
				return -ENOMEM;
		if (segment < from->segment_count &&
		    from->segments[segment].start <= block->address)
			here = known_add(list, at, segment++);
		else if (!here || here->is_guess || block->address >= here->end)
			here = guess_add(list, at, block,
					 segment < from->segment_count ?
						 from->segments[segment].start :
						 UINT64_MAX);
		if (!here)
			return -ENOMEM;
		block_note(here, block);
	}
	while (segment < from->segment_count)
		if (!known_add(list, at, segment++))
			return -ENOMEM;
	for (i = first; i < list->count; i++) {
		struct stretch *stretch = &list->items[i];

		/* What is in no known block of a guess may be in a block of before. */
		if (stretch->is_guess)
			stretch->largest_gap = 0;
		else if (stretch->end > stretch->filled &&
			 stretch->end - stretch->filled > stretch->largest_gap)
			stretch->largest_gap = stretch->end - stretch->filled;
	}
	return 0;
}

int segment_list_make(struct segment_list *list, const struct snap_process *process)
{
	int err = 0;

	*list = (struct segment_list){ .process = process };
	for (size_t i = 0; !err && i < process->allocator_count; i++)
		err = allocator_add(list, i);
	return err;
}

void segment_list_free(struct segment_list *list)
{
	free(list->items);
	*list = (struct segment_list){ .items = NULL };
}

const struct stretch *segment_list_find(const struct segment_list *list, int device,
					uint64_t address)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct stretch *stretch = &list->items[i];

		if (address >= stretch->start && address < stretch->end &&
		    list->process->allocators[stretch->allocator].device == device)
			return stretch;
	}
	return NULL;
}
