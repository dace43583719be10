/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of one process in a snapshot: its call sites, its largest allocations, its devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/model_state.h"
#include "model/suspect.h"
#include "util/saturated.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* How many of the leaked bytes were ended by @end (not by the end of the process). */
static uint64_t leaked_by(const struct program *program, enum node_end end)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; program->ledger.end_calls[end] && i < program->ledger.sites.count; i++)
		if (program->ledger.sites.list[i]->verdict == VERDICT_LEAKED)
			bytes = add_saturated(bytes, program->ledger.sites.list[i]->ended_by[end]);
	return bytes;
}

/*
 * Of what the process's allocators had reserved on @device (NULL: on all) when it ended, the bytes
 * that they had handed out: those were its tensors, and only the rest was kept by the cache.
 */
static uint64_t handed_out(const struct program *program, const int *device)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < program->blocks.count; i++)
		if (!device || program->blocks.list[i]->device == *device)
			bytes = add_saturated(bytes, program->blocks.list[i]->ended);
	return bytes;
}

void build_memory(const struct program *program, struct snap_process *process)
{
	process->leaked_by_reset = leaked_by(program, NODE_END_RESET);
	process->leaked_by_context = leaked_by(program, NODE_END_CONTEXT);
	process->reset_call = program->ledger.end_calls[NODE_END_RESET];
	process->context_call = program->ledger.end_calls[NODE_END_CONTEXT];
	process->live = program->ledger.live;
	process->peak = program->ledger.peak;
	process->leaked = program->ledger.leaked;
	process->held = subtract_saturated(program->ledger.held, handed_out(program, NULL));
	process->allocated = program->ledger.allocated;
	process->live_allocations = program->ledger.live_allocations;
	process->allocations = program->ledger.allocations;
	process->frees = program->ledger.frees;
	process->failed_allocations = program->ledger.failed_allocations;
	process->failed_frees = program->ledger.failed_frees;
	process->double_frees = program->ledger.double_frees;
	process->unknown_frees = program->ledger.unknown_frees;
	memcpy(process->kinds, program->ledger.kinds, sizeof(process->kinds));
	process->kinds[KIND_STATIC] =
		add_saturated(process->kinds[KIND_STATIC], program->statics.bytes);
}

/* ---- sites ---- */

static int site_order(const void *left, const void *right)
{
	const struct snap_site *a = left, *b = right;
	int order = ORDER(add_saturated(b->live, b->leaked), add_saturated(a->live, a->leaked));

	if (!order)
		order = ORDER(b->allocations, a->allocations);
	if (!order)
		order = ORDER(a->address, b->address);
	return order ? order : ORDER(a->stack_id, b->stack_id);
}

static int build_sites(struct build *build, struct program *program, struct snap_process *process)
{
	size_t i, count = program->ledger.sites.count;
	struct snap_site *list = arena_alloc(build->arena, count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	/*
	 * An ended process has no suspects: memory has leaked or not; unless frees of it were lost.
	 */
	process->has_suspect = build->model->config.leak_age != 0;
	for (i = 0; i < count; i++) {
		struct site *site = program->ledger.sites.list[i];
		uint64_t vram = program->ledger.checkpointed ?
					0 :
					subtract_saturated(site->live, site->managed);
		struct snap_place where;

		if (build_place(program, site->place, site->stack, &where))
			return -ENOMEM;
		list[i] = (struct snap_site){
			.site = where.site,
			.address = site->address,
			.stack_id = site->stack_id,
			.live = program->ledger.checkpointed ? site->managed : site->live,
			.allocations = site->allocations,
			.allocated = site->allocated,
			.device = site->device,
			.leaked = sites_ended(site, VERDICT_LEAKED),
			.held = sites_ended(site, VERDICT_HELD),
			.stack = where.stack,
			.stack_count = where.stack_count,
			.shown = where.shown,
			.frames = where.frames,
			.frame_count = where.frame_count,
			.in_cache = sites_in_cache(site),
		};
		site->suspect_since = UINT64_MAX;
		if (site->verdict != VERDICT_HELD)
			list[i].suspect = suspect_bytes(site->suspect,
							build->model->config.leak_age, build->now,
							&site->suspect_since);
		process->suspect_live = add_saturated(
			process->suspect_live, list[i].suspect < vram ? list[i].suspect : vram);
		list[i].suspect += sites_ended(site, VERDICT_UNKNOWN);
		process->suspect = add_saturated(process->suspect, list[i].suspect);
		process->held_unproven = add_saturated(
			process->held_unproven, sites_unproven(&program->ledger.sites, site));
		process->has_suspect |= sites_ended(site, VERDICT_UNKNOWN) != 0;
	}
	process->sites = list;
	process->site_count = count;
	return 0;
}

/* ---- the map ---- */

enum alloc_state build_state(const struct build *build, const struct program *program,
			     const struct snap_site *snap, const struct alloc_node *node)
{
	static const enum alloc_state states[] = { [VERDICT_LEAKED] = ALLOC_LEAKED,
						   [VERDICT_HELD] = ALLOC_HELD,
						   [VERDICT_UNKNOWN] = ALLOC_SUSPECT };
	const struct site *site = program->ledger.sites.list[node->site];

	if (node->state != NODE_LIVE)
		return states[verdict_if(site->verdict, node->state == NODE_UNSURE)];
	if (program->ledger.checkpointed && KIND_IS_VRAM(node->kind))
		return ALLOC_SAVED;
	if (!snap->suspect || !KIND_CAN_LEAK(node->kind))
		return ALLOC_LIVE;
	/*
	 * Suspects are the allocations made since the floor began to rise that have lived for a
	 * window; older ones do not raise it.
	 */
	if (node->born < site->suspect_since ||
	    subtract_saturated(build->now, node->born) < build->model->config.leak_age)
		return ALLOC_LIVE;
	return ALLOC_SUSPECT;
}

/* Its address: where a handle's memory is mapped, or the handle if it is not mapped. */
static uint64_t node_address(struct program *program, const struct alloc_node *node)
{
	uint64_t mapped = node->is_handle ? mappings_address(&program->mappings, node->address) : 0;

	return mapped ? mapped : node->address;
}

static int build_map(struct build *build, struct program *program, struct snap_process *process)
{
	size_t i, room = program->ledger.book.count < build->map_max ? program->ledger.book.count :
								       build->map_max;
	const struct alloc_node **heap = malloc((room + 1) * sizeof(*heap));
	int result = -ENOMEM;

	if (!heap)
		return -ENOMEM;
	process->map_count = build_largest(&program->ledger.book, heap, room);
	process->map_omitted =
		program->ledger.book.count - process->map_count + program->ledger.map_dropped;
	process->map = arena_alloc(build->arena, process->map_count, sizeof(*process->map));
	if (!process->map)
		goto out;
	for (i = 0; i < process->map_count; i++) {
		const struct alloc_node *node = heap[i];
		const struct snap_site *site = &process->sites[node->site];

		process->map[i] = (struct snap_alloc){
			.address = node_address(program, node),
			.bytes = node->bytes,
			.age = node->state == NODE_LIVE ?
				       subtract_saturated(build->now, node->born) :
				       node->born,
			.site = site->site,
			.site_address = site->address,
			.stack_id = site->stack_id,
			.device = node->device,
			.call = node->call,
			.kind = node->kind,
			.state = (uint8_t)build_state(build, program, site, node),
			.in_cache = site->in_cache,
		};
	}
	result = 0;
out:
	free(heap);
	return result;
}

/* ---- devices ---- */

static int use_order(const void *left, const void *right)
{
	const struct snap_use *a = left, *b = right;

	return (a->device > b->device) - (a->device < b->device);
}

static struct snap_use *find_use(struct snap_process *process, int device)
{
	size_t i;

	for (i = 0; i < process->use_count; i++)
		if (process->uses[i].device == device)
			return &process->uses[i];
	return NULL;
}

/*
 * Of some devices the program asked only for the size; and managed memory, in none of these figures
 * while it is live, may be freed.
 */
static void uses_drop_empty(struct snap_process *process)
{
	size_t i, count = 0;

	for (i = 0; i < process->use_count; i++)
		if (process->uses[i].peak || process->uses[i].leaked || process->uses[i].held ||
		    process->uses[i].suspect)
			process->uses[count++] = process->uses[i];
	process->use_count = count;
}

static int build_uses(struct build *build, const struct program *program,
		      struct snap_process *process)
{
	size_t i, count = program->ledger.held_on.count;

	process->uses = arena_alloc(build->arena, count + 1, sizeof(*process->uses));
	if (!process->uses)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		const struct device_use *use = &program->ledger.held_on.list[i];

		process->uses[process->use_count++] = (struct snap_use){
			.device = use->device,
			.live = use->live,
			.peak = use->peak,
			.leaked = use->leaked,
			.held = subtract_saturated(use->held, handed_out(program, &use->device)),
		};
	}
	for (i = 0; i < process->site_count; i++) {
		const struct snap_site *site = &process->sites[i];
		struct snap_use *use;

		if (!site->suspect)
			continue;
		use = find_use(process, site->device);
		if (!use)
			use = find_use(process, CUTOP_DEVICE_UNKNOWN);
		if (!use) {
			/* There is room for it: nothing else here adds to the list. */
			use = &process->uses[process->use_count++];
			use->device = CUTOP_DEVICE_UNKNOWN;
		}
		use->suspect = add_saturated(use->suspect, site->suspect);
	}
	uses_drop_empty(process);
	if (process->use_count)
		qsort(process->uses, process->use_count, sizeof(process->uses[0]), use_order);
	return 0;
}

int build_ledger(struct build *build, struct program *program, struct snap_process *process)
{
	/* The allocations refer to the sites by index: so these are sorted after them. */
	int err = build_sites(build, program, process)       ?:
			  build_map(build, program, process) ?:
							       build_spans(build, program, process);

	if (err)
		return err;
	if (process->site_count)
		qsort(process->sites, process->site_count, sizeof(process->sites[0]), site_order);
	return build_uses(build, program, process);
}
