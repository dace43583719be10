/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocators of frameworks in a snapshot: their sites, segments and blocks. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/allocators.h"
#include "model/build.h"
#include "model/model_state.h"
#include "model/block_segments.h"
#include "model/suspect.h"
#include "util/saturated.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* ---- sites ---- */

static int site_order(const void *left, const void *right)
{
	const struct snap_site *a = left, *b = right;
	int order = ORDER(add_saturated(b->live, b->held), add_saturated(a->live, a->held));

	if (!order)
		order = ORDER(b->allocations, a->allocations);
	if (!order)
		order = ORDER(a->address, b->address);
	return order ? order : ORDER(a->stack_id, b->stack_id);
}

/* @list has room for all sites of @allocator, and keeps their order. */
static int sites_build(struct build *build, struct program *program,
		       const struct allocator *allocator, struct snap_site *list)
{
	size_t i;

	for (i = 0; i < allocator->sites.count; i++) {
		struct site *site = allocator->sites.list[i];
		struct snap_place where;

		if (build_place(program, site->place, site->stack, &where))
			return -ENOMEM;
		list[i] = (struct snap_site){
			.site = where.site,
			.address = site->address,
			.stack_id = site->stack_id,
			.live = site->live,
			.live_count = site->live_count,
			.held = site->ended,
			.suspect = program->ended ? site->unsure :
						    suspect_bytes(site->suspect,
								  build->model->config.leak_age,
								  build->now, &site->suspect_since),
			.allocations = site->allocations,
			.allocated = site->allocated,
			.device = allocator->device,
			.stack = where.stack,
			.stack_count = where.stack_count,
			.shown = where.shown,
			.frames = where.frames,
			.frame_count = where.frame_count,
			.sampled = site->sampled,
		};
		if (!site->allocations)
			list[i].site = "not sampled";
	}
	return 0;
}

/* ---- segments ---- */

static int segments_build(struct build *build, struct program *program, struct allocator *allocator,
			  struct snap_allocator *snap)
{
	struct block_segments found;
	int err = block_segments_find(&found, program, allocator);
	uint64_t reserved;

	if (err)
		return err;
	snap->has_gaps = found.has_gaps && !program->ended;
	/* What the allocator gives back to the driver it reports only with the next block. */
	if (snap->has_gaps && !snap->from_attach && !program->identity.from_attach &&
	    found.bytes < snap->reserved)
		snap->reserved = found.bytes;
	if (snap->has_gaps) {
		snap->free_in_segments = found.free_bytes;
		snap->largest_gap = found.largest_gap;
		/* Likewise what it took from the driver: gaps are a share of that, too. */
		reserved = found.bytes > snap->reserved ? found.bytes : snap->reserved;
		snap->fragmentation = reserved ? (double)found.unusable / (double)reserved : 0;
	}
	snap->segments = arena_alloc(build->arena, found.count, sizeof(*snap->segments));
	if (!snap->segments)
		err = -ENOMEM;
	else if (found.count)
		memcpy(snap->segments, found.list, found.count * sizeof(*found.list));
	snap->segment_count = found.count;
	block_segments_free(&found);
	return err;
}

/* ---- blocks ---- */

/* What @node is, with its site as an index in snap->sites while those are in the book's order. */
static void block_fill(const struct build *build, const struct allocator *allocator,
		       const struct snap_allocator *snap, const struct alloc_node *node,
		       struct snap_alloc *block)
{
	const struct snap_site *site = &snap->sites[node->site];
	bool is_rising =
		site->suspect && node->born >= allocator->sites.list[node->site]->suspect_since &&
		subtract_saturated(build->now, node->born) >= build->model->config.leak_age;

	*block = (struct snap_alloc){
		.address = node->address,
		.bytes = node->bytes,
		.age = subtract_saturated(build->now, node->born),
		.site = site->site,
		.site_address = site->address,
		.stack_id = site->stack_id,
		.device = allocator->device,
		.call = CALL_COUNT,
		.kind = KIND_DEVICE,
		.state = is_rising ? ALLOC_SUSPECT : ALLOC_LIVE,
	};
}

/* All blocks in order of addresses, to be drawn. */
static int blocks_build(struct build *build, const struct program *program,
			struct allocator *allocator, struct snap_allocator *snap)
{
	const struct model *model = build->model;
	struct alloc_node *node;
	size_t count = allocator->book.count;

	if (!model->has_focus || program->number != model->focus)
		return 0;
	/* Of several allocators each gets its part. */
	if (count > BLOCKS_DRAWN_MAX / program->blocks.count)
		count = BLOCKS_DRAWN_MAX / program->blocks.count;
	snap->drawn = arena_alloc(build->arena, count, sizeof(*snap->drawn));
	if (!snap->drawn)
		return -ENOMEM;
	for (node = book_lowest(&allocator->book); node && snap->drawn_count < count;
	     node = book_higher(node))
		block_fill(build, allocator, snap, node, &snap->drawn[snap->drawn_count++]);
	return 0;
}

static int largest_build(struct build *build, struct allocator *allocator,
			 struct snap_allocator *snap)
{
	size_t i, count,
		room = allocator->book.count < build->map_max ? allocator->book.count :
								build->map_max;
	const struct alloc_node **list = malloc((room + 1) * sizeof(struct alloc_node *));

	if (!list)
		return -ENOMEM;
	count = build_largest(&allocator->book, list, room);
	snap->map = arena_alloc(build->arena, count, sizeof(*snap->map));
	for (i = 0; snap->map && i < count; i++)
		block_fill(build, allocator, snap, list[i], &snap->map[i]);
	snap->map_count = snap->map ? count : 0;
	snap->map_omitted = allocator->book.count - count;
	free(list);
	return snap->map ? 0 : -ENOMEM;
}

/* ---- all of it ---- */

static int allocator_build(struct build *build, struct program *program,
			   struct allocator *allocator, struct snap_allocator *snap)
{
	size_t i;
	int err;

	*snap = (struct snap_allocator){
		.name = allocator_names[allocator->kind],
		.device = allocator->device,
		.from_attach = allocator->from_attach,
		.has_totals = allocator->has_totals,
		.inexact = allocator->inexact,
		.sampled = allocator->sampled,
		.is_judged = program->ended ?
				     allocator->is_judged :
				     suspect_can_tell(program->blocks.first,
						      build->model->config.leak_age, build->now),
		.allocated = allocator->allocated,
		.reserved = allocator->reserved,
		.peak_allocated = allocator->peak_allocated,
		.peak_reserved = allocator->peak_reserved,
		.unknown = subtract_saturated(allocator->allocated, allocator->booked),
		.blocks = allocator->book.count,
		.handed_out = allocator->handed_out,
		.taken_back = allocator->taken_back,
		.shortages = allocator->shortages,
		.ended = allocator->ended,
		.largest_request = blocks_request(allocator),
		.fragmentation = NAN,
	};
	snap->sites = arena_alloc(build->arena, allocator->sites.count, sizeof(*snap->sites));
	if (!snap->sites)
		return -ENOMEM;
	err = sites_build(build, program, allocator, snap->sites);
	if (err)
		return err;
	snap->site_count = allocator->sites.count;
	for (i = 0; i < snap->site_count; i++)
		snap->rising = add_saturated(snap->rising, snap->sites[i].suspect);
	err = segments_build(build, program, allocator, snap) ?:
		      largest_build(build, allocator, snap)   ?:
		      blocks_build(build, program, allocator, snap);
	if (!err && snap->site_count)
		qsort(snap->sites, snap->site_count, sizeof(snap->sites[0]), site_order);
	/* That of all blocks that were not drawn is the last. */
	if (!err && snap->site_count && !snap->sites[snap->site_count - 1].allocations)
		snap->site_count--;
	return err;
}

int build_blocks(struct build *build, struct program *program, struct snap_process *process)
{
	size_t i;
	int err;

	process->allocators =
		arena_alloc(build->arena, program->blocks.count, sizeof(*process->allocators));
	if (!process->allocators)
		return -ENOMEM;
	for (i = 0; i < program->blocks.count; i++) {
		struct snap_allocator *snap = &process->allocators[i];

		err = allocator_build(build, program, program->blocks.list[i], snap);
		if (err)
			return err;
		process->allocator_count++;
		process->tensors = add_saturated(process->tensors, snap->allocated);
		process->reserved = add_saturated(process->reserved, snap->reserved);
		process->tensors_ended = add_saturated(process->tensors_ended, snap->ended);
		process->tensors_rising = add_saturated(process->tensors_rising, snap->rising);
		process->has_reserved = (i == 0 || process->has_reserved) && snap->has_totals;
		process->tensors_judged = (i == 0 || process->tensors_judged) && snap->is_judged;
	}
	return 0;
}
