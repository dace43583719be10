/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of one process in a snapshot: its call sites, its largest allocations, its devices. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/allocators.h"
#include "model/build.h"
#include "model/model_state.h"
#include "model/block_segments.h"
#include "model/sites.h"
#include "util/saturated.h"
#include "util/util.h"

/*
 * The largest allocations of a book, in order. A process can have a million: one walk keeps the
 * largest ones in a heap of the size asked for, and only those are sorted.
 */

/* True if @a comes after @b in the map. */
static bool is_smaller(const struct alloc_node *a, const struct alloc_node *b)
{
	return a->bytes != b->bytes ? a->bytes < b->bytes : a->address > b->address;
}

static int node_order(const void *left, const void *right)
{
	const struct alloc_node *a = *(const struct alloc_node *const *)left;
	const struct alloc_node *b = *(const struct alloc_node *const *)right;

	return is_smaller(a, b) - is_smaller(b, a);
}

/* Restores the heap (smallest at the root) after its root was replaced. */
static void sift_down(const struct alloc_node **heap, size_t count, size_t at)
{
	const struct alloc_node *node = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && is_smaller(heap[child + 1], heap[child]))
			child++;
		if (!is_smaller(heap[child], node))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = node;
}

/* Keeps the largest of @book in @heap, in no order. Returns how many. */
static size_t heap_fill(const struct book *book, const struct alloc_node **heap, size_t room)
{
	struct book_cursor cursor;
	struct alloc_node *node;
	size_t count = 0, i;

	book_walk(book, &cursor);
	while (room && (node = book_next(&cursor)) != NULL) {
		if (count < room) {
			heap[count++] = node;
			for (i = count / 2; count == room && i-- > 0;)
				sift_down(heap, count, i);
		} else if (is_smaller(heap[0], node)) {
			heap[0] = node;
			sift_down(heap, count, 0);
		}
	}
	return count;
}

/* The @room largest nodes of @book, largest first, into @list. Returns how many. */
static size_t build_largest(const struct book *book, const struct alloc_node **list, size_t room)
{
	size_t count = heap_fill(book, list, room);

	if (count)
		qsort(list, count, sizeof(*list), node_order);
	return count;
}

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
	process->recovered_allocations = program->ledger.recovered_allocations;
	process->failed_frees = program->ledger.failed_frees;
	process->double_frees = program->ledger.double_frees;
	process->unknown_frees = program->ledger.unknown_frees;
	memcpy(process->kinds, program->ledger.kinds, sizeof(process->kinds));
	process->kinds[KIND_STATIC] =
		add_saturated(process->kinds[KIND_STATIC], program->statics.bytes);
}

/* ---- sites ---- */

/* By @order, or how @a and @b go if that is none. */
static int sites_compare(int order, const struct snap_site *a, const struct snap_site *b)
{
	if (!order)
		order = ORDER(b->allocations, a->allocations);
	if (!order)
		order = ORDER(a->address, b->address);
	return order ? order : ORDER(a->stack_id, b->stack_id);
}

static int site_order(const void *left, const void *right)
{
	const struct snap_site *a = left, *b = right;

	return sites_compare(
		ORDER(add_saturated(b->live, b->leaked), add_saturated(a->live, a->leaked)), a, b);
}

/* What is said of @site whatever it allocates. Returns 0 or -ENOMEM. */
static int site_fill(const struct program *program, const struct site *site, struct snap_site *snap)
{
	struct snap_place where;

	if (build_place(program, site->place, site->stack, &where))
		return -ENOMEM;
	*snap = (struct snap_site){
		.site = where.site,
		.address = site->address,
		.stack_id = site->stack_id,
		.live = site->live,
		.allocations = site->allocations,
		.allocated = site->allocated,
		.call = site->call,
		.device = site->device,
		.stack = where.stack,
		.stack_count = where.stack_count,
		.shown = where.shown,
		.frames = where.frames,
		.frame_count = where.frame_count,
	};
	return 0;
}

/* What is said of @node, which was made at @site and lies at @address. */
static struct snap_alloc alloc_of(const struct build *build, const struct alloc_node *node,
				  const struct snap_site *site, uint64_t address,
				  enum alloc_state state)
{
	return (struct snap_alloc){
		.address = address,
		.bytes = node->bytes,
		.age = node->state == NODE_LIVE ? subtract_saturated(build->now, node->born) :
						  node->born,
		.site = site->site,
		.site_address = site->address,
		.stack_id = site->stack_id,
		.device = node->device,
		.call = node->call,
		.kind = node->kind,
		.state = (uint8_t)state,
		.in_cache = site->in_cache,
	};
}

/* Where what @site allocated was freed too late. Returns 0 or -ENOMEM. */
static int late_fill(struct build *build, struct program *program, const struct site *site,
		     struct snap_site *snap)
{
	struct snap_place where;

	if (!site->late.count)
		return 0;
	if (build_place_at(build, program, site->late.address, site->late.stack, &where))
		return -ENOMEM;
	snap->late.bytes = site->late.bytes;
	snap->late.count = site->late.count;
	snap->late.site = where.site;
	snap->late.call = site->late.call;
	return 0;
}

/* What is said of pinned memory, and of what a library holds. */
static void host_fill(struct build *build, const struct site *site, struct snap_site *snap)
{
	uint64_t since;

	snap->held_rising = sites_risen(site);
	if (sites_by_library(site) && snap->frame_count && snap->frames[0])
		snap->holder = snap->frames[0]->module;
	snap->host.live = site->host.live;
	snap->host.left = sites_host_left(site);
	snap->host.blocks = snap->host.live || snap->host.left ? site->host.blocks : 0;
	if (site->verdict != VERDICT_HELD)
		snap->host.suspect = suspect_bytes(
			site->host.suspect, build->model->config.leak_age, build->now, &since);
}

/* When @site's suspects began, for people. */
static uint64_t since_of(const struct build *build, const struct site *site)
{
	return site->suspect_since < build->now ?
		       wall_clock_at(&build->model->clock, site->suspect_since) :
		       0;
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
		uint64_t vram = subtract_saturated(site->live, site->managed);

		if (site_fill(program, site, &list[i]) || late_fill(build, program, site, &list[i]))
			return -ENOMEM;
		host_fill(build, site, &list[i]);
		process->freed_late = add_saturated(process->freed_late, list[i].late.bytes);
		process->held_rising = add_saturated(process->held_rising, list[i].held_rising);
		process->host_left = add_saturated(process->host_left, list[i].host.left);
		process->host_suspect = add_saturated(process->host_suspect, list[i].host.suspect);
		list[i].leaked = sites_ended(site, VERDICT_LEAKED);
		list[i].held = sites_ended(site, VERDICT_HELD);
		list[i].left_blocks = (list[i].leaked || list[i].held ? site->ended_blocks : 0) +
				      (list[i].held ? site->unsure_blocks : 0);
		list[i].in_cache = sites_in_cache(site);
		site->suspect_since = UINT64_MAX;
		if (site->verdict != VERDICT_HELD || sites_by_library(site))
			list[i].suspect = suspect_bytes(site->suspect,
							build->model->config.leak_age, build->now,
							&site->suspect_since);
		list[i].suspect_since = since_of(build, site);
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

/*
 * The state of @node in the snapshot. @snap is its site's entry in the list of sites, before those
 * are sorted.
 */
static enum alloc_state build_state(const struct build *build, const struct program *program,
				    const struct snap_site *snap, const struct alloc_node *node)
{
	static const enum alloc_state states[] = { [VERDICT_LEAKED] = ALLOC_LEAKED,
						   [VERDICT_HELD] = ALLOC_HELD,
						   [VERDICT_UNKNOWN] = ALLOC_SUSPECT };
	const struct site *site = program->ledger.sites.list[node->site];

	if (node->state != NODE_LIVE)
		return states[verdict_if(site->verdict, node->state == NODE_UNSURE)];
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
	process->map_omitted = program->ledger.book.count - process->map_count;
	process->map = arena_alloc(build->arena, process->map_count, sizeof(*process->map));
	if (!process->map)
		goto out;
	for (i = 0; i < process->map_count; i++) {
		const struct alloc_node *node = heap[i];
		const struct snap_site *site = &process->sites[node->site];

		process->map[i] = alloc_of(build, node, site, node_address(program, node),
					   build_state(build, program, site, node));
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

/*
 * One walk in order of addresses joins an allocation to the previous span if the gap is small. When
 * there are too many spans, the limit for "small" doubles and the spans are joined again. So gaps
 * between spans are at least as long as any inside one. Until then a span has a single state: if
 * neighbours differ, a new span begins, so that a drawing shows which is which. Of the process that
 * is looked at, the allocations themselves are listed as well, unless there are very many.
 */

/* With so few allocations, a process has spans before anything asks for them. */
#define CHEAP_MAX 4096
/* The same of all processes together */
#define CHEAP_SUM 65536

struct spans {
	struct snap_span *list; /* room for 2 * SPANS_MAX */
	size_t count;
	uint64_t gap;
};

void model_focus(struct model *model, uint32_t program)
{
	model->focus = program;
	model->has_focus = true;
}

static void spans_join(struct spans *spans)
{
	size_t i, kept = 0;
	int state;

	spans->gap = spans->gap ? spans->gap * 2 : 512;
	for (i = 1; i < spans->count; i++) {
		struct snap_span *last = &spans->list[kept], *span = &spans->list[i];

		if (span->start - last->end > spans->gap) {
			spans->list[++kept] = *span;
			continue;
		}
		last->end = span->end;
		for (state = 0; state < ALLOC_STATE_COUNT; state++)
			last->bytes[state] = add_saturated(last->bytes[state], span->bytes[state]);
	}
	spans->count = kept + 1;
}

static bool begins_span(const struct spans *spans, const struct snap_span *last,
			const struct piece *piece, enum alloc_state state)
{
	if (!last || piece->address < last->end)
		return !last;
	return piece->address - last->end > spans->gap || (!spans->gap && !last->bytes[state]);
}

static void spans_add(struct spans *spans, const struct piece *piece, enum alloc_state state)
{
	struct snap_span *last = spans->count ? &spans->list[spans->count - 1] : NULL;
	uint64_t end = add_saturated(piece->address, piece->bytes);

	if (begins_span(spans, last, piece, state)) {
		while (spans->count == 2 * SPANS_MAX)
			spans_join(spans);
		last = &spans->list[spans->count++];
		*last = (struct snap_span){ .start = piece->address, .end = piece->address };
	}
	if (end > last->end)
		last->end = end;
	last->bytes[state] = add_saturated(last->bytes[state], piece->bytes);
}

static bool has_drawn(const struct build *build, const struct program *program)
{
	size_t count = program->ledger.book.count;

	return program->number == build->model->focus && count && count <= ALLOCATIONS_DRAWN_MAX;
}

/* Room for each allocation of the process that is in focus; without any, it is not drawn singly. */
static int drawn_begin(struct build *build, const struct program *program,
		       struct snap_process *process)
{
	size_t count = program->ledger.book.count;

	if (!has_drawn(build, program))
		return 0;
	process->drawn = arena_alloc(build->arena, count, sizeof(*process->drawn));
	return process->drawn ? 0 : -ENOMEM;
}

/* Physical memory that is mapped more than once has more pieces than there is room for. */
static void drawn_add(struct build *build, const struct program *program,
		      struct snap_process *process, const struct piece *piece,
		      enum alloc_state state)
{
	const struct alloc_node *node = piece->node;

	if (!process->drawn)
		return;
	if (process->drawn_count == program->ledger.book.count) {
		process->drawn = NULL;
		process->drawn_count = 0;
		return;
	}
	process->drawn[process->drawn_count] =
		alloc_of(build, node, &process->sites[node->site], piece->address, state);
	process->drawn[process->drawn_count++].bytes = piece->bytes;
}

size_t build_cheap_max(size_t processes)
{
	size_t share = CHEAP_SUM / (processes + 1);

	return share < CHEAP_MAX ? share : CHEAP_MAX;
}

static bool has_spans(const struct build *build, const struct program *program)
{
	const struct model *model = build->model;

	return model->has_focus &&
	       (program->ledger.book.count <= build->cheap_max || program->number == model->focus);
}

/*
 * The address space in few enough pieces to draw, if it was asked for; call it after the
 * sites.
 */
static int build_spans(struct build *build, struct program *program, struct snap_process *process)
{
	struct spans spans = { .count = 0 };
	struct pieces pieces;
	struct piece piece;

	if (!has_spans(build, program))
		return 0;
	spans.list = malloc(2 * SPANS_MAX * sizeof(*spans.list));
	if (!spans.list)
		return -ENOMEM;
	if (drawn_begin(build, program, process)) {
		free(spans.list);
		return -ENOMEM;
	}
	pieces_begin(&pieces, program);
	while (pieces_next(&pieces, &piece)) {
		const struct alloc_node *node = piece.node;
		enum alloc_state state;

		if (!node || !KIND_CAN_LEAK(node->kind) || !piece.bytes)
			continue;
		state = build_state(build, program, &process->sites[node->site], node);
		spans_add(&spans, &piece, state);
		drawn_add(build, program, process, &piece, state);
	}
	while (spans.count > SPANS_MAX)
		spans_join(&spans);
	process->spans = arena_alloc(build->arena, spans.count, sizeof(*process->spans));
	if (process->spans) {
		memcpy(process->spans, spans.list, spans.count * sizeof(*process->spans));
		process->span_count = spans.count;
	}
	free(spans.list);
	return process->spans ? 0 : -ENOMEM;
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

/* Allocators of frameworks in a snapshot: their sites, segments and blocks. */

/* ---- sites ---- */

static int block_site_order(const void *left, const void *right)
{
	const struct snap_site *a = left, *b = right;

	return sites_compare(
		ORDER(add_saturated(b->live, b->held), add_saturated(a->live, a->held)), a, b);
}

/* @list has room for all sites of @allocator, and keeps their order. */
static int sites_build(struct build *build, struct program *program,
		       const struct allocator *allocator, struct snap_site *list)
{
	for (size_t i = 0; i < allocator->sites.count; i++) {
		struct site *site = allocator->sites.list[i];

		if (site_fill(program, site, &list[i]))
			return -ENOMEM;
		list[i].live_count = site->live_count;
		list[i].held = site->ended;
		list[i].suspect = program->ended ? site->unsure :
						   suspect_bytes(site->suspect,
								 build->model->config.leak_age,
								 build->now, &site->suspect_since);
		list[i].suspect_since = program->ended ? 0 : since_of(build, site);
		list[i].device = allocator->device;
		list[i].sampled = site->sampled;
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
	/* A pool that tells nothing has what its blocks lie in. */
	if (snap->has_gaps && !snap->has_totals) {
		snap->has_totals = true;
		snap->reserved = found.bytes;
		if (found.bytes > allocator->peak_reserved)
			allocator->peak_reserved = found.bytes;
		snap->peak_reserved = allocator->peak_reserved;
	}
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
static struct snap_alloc block_of(const struct build *build, const struct allocator *allocator,
				  const struct snap_allocator *snap, const struct alloc_node *node)
{
	const struct snap_site *site = &snap->sites[node->site];
	bool is_rising =
		site->suspect && node->born >= allocator->sites.list[node->site]->suspect_since &&
		subtract_saturated(build->now, node->born) >= build->model->config.leak_age;
	struct snap_alloc block =
		alloc_of(build, node, site, node->address, is_rising ? ALLOC_SUSPECT : ALLOC_LIVE);

	block.call = CALL_COUNT;
	return block;
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
		snap->drawn[snap->drawn_count++] = block_of(build, allocator, snap, node);
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
		snap->map[i] = block_of(build, allocator, snap, list[i]);
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
		.name = extra_names_pool(&build->model->extras, allocator->kind),
		.device = allocator->device,
		.from_attach = allocator->from_attach ||
			       (!allocator->has_totals && program->identity.from_attach),
		.noun = allocator_noun(allocator->kind),
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
		qsort(snap->sites, snap->site_count, sizeof(snap->sites[0]), block_site_order);
	/* That of all blocks that were not drawn is the last. */
	if (!err && snap->site_count && !snap->sites[snap->site_count - 1].allocations)
		snap->site_count--;
	return err;
}

static int line_name_order(const void *left, const void *right)
{
	const struct snap_block_line *a = left, *b = right;

	return strcmp(a->site, b->site);
}

static int line_order(const void *left, const void *right, void *ended)
{
	const struct snap_block_line *a = left, *b = right;
	int order = ended ? ORDER(b->rising, a->rising) : 0;

	if (!order)
		order = ORDER(b->live, a->live);
	return order ? order : strcmp(a->site, b->site);
}

static int block_lines_build(struct build *build, const struct program *program,
			     struct snap_process *process)
{
	struct snap_block_line *list;
	size_t i, j, room = 0, count = 0;

	for (i = 0; i < process->allocator_count; i++)
		room += process->allocators[i].site_count;
	process->block_lines = list = arena_alloc(build->arena, room, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (i = 0, room = 0; i < process->allocator_count; i++)
		for (j = 0; j < process->allocators[i].site_count; j++) {
			const struct snap_site *site = &process->allocators[i].sites[j];

			if (site->live || site->held || site->suspect)
				list[room++] = (struct snap_block_line){
					site->site, add_saturated(site->live, site->held),
					site->suspect, site->live_count, site->sampled
				};
		}
	qsort(list, room, sizeof(*list), line_name_order);
	for (i = 0; i < room; i++) {
		if (!count || strcmp(list[count - 1].site, list[i].site)) {
			list[count++] = list[i];
			continue;
		}
		list[count - 1].live = add_saturated(list[count - 1].live, list[i].live);
		list[count - 1].rising = add_saturated(list[count - 1].rising, list[i].rising);
		list[count - 1].blocks += list[i].blocks;
		list[count - 1].sampled |= list[i].sampled;
	}
	process->block_line_count = count;
	qsort_r(list, count, sizeof(*list), line_order, program->ended ? process : NULL);
	return 0;
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
	return process->allocator_count ? block_lines_build(build, program, process) : 0;
}
