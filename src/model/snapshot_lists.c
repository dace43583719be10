/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lists of one process of a snapshot: its map and call sites, kernels,
 * copies, calls and failures, with the totals that are sums of them.
 *
 * The map holds the largest allocations only. A process can have a million: one
 * walk through them keeps the largest in a heap of the size asked for, and only
 * those are sorted.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "model/snapshot_lists.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

double build_rate(const struct build *build, uint64_t now, uint64_t before)
{
	return (double)subtract_saturated(now, before) / build->interval;
}

/* Sites */

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

/* What @place is called: one text for all who stand there. Returns NULL without memory. */
static const char *place_text(struct build *build, struct image *image, struct place *place)
{
	const char *name = place->name;
	char where[256];

	if (place->shown && place->shown_in == build->number)
		return place->shown;
	if (!name) {
		kernels_describe(image, place->address, where, sizeof(where));
		name = where;
	}
	place->shown = arena_string(build->arena, name);
	place->shown_in = build->number;
	return place->shown;
}

static int build_stack(struct build *build, struct image *image, const struct stack *stack, struct snap_site *site)
{
	const char **frames = arena_alloc(build->arena, stack->count, sizeof(*frames));
	size_t i;

	if (!frames)
		return -ENOMEM;
	for (i = 0; i < stack->count; i++) {
		frames[i] = place_text(build, image, stack->frames[i]);
		if (!frames[i])
			return -ENOMEM;
	}
	site->stack = frames;
	site->stack_count = stack->count;
	return 0;
}

static int build_sites(struct build *build, struct image *image, struct snap_process *process)
{
	size_t i, count = image->sites.count;
	struct snap_site *list = arena_alloc(build->arena, count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	/* What is over has no suspects, it leaked or it did not; unless frees of it were lost. */
	process->has_suspect = build->model->config.leak_age != 0;
	for (i = 0; i < count; i++) {
		struct site *site = image->sites.list[i];
		uint64_t vram = image->checkpointed ? 0 : subtract_saturated(site->live, site->managed);

		list[i] = (struct snap_site){
			.site = place_text(build, image, site->place),
			.address = site->address,
			.stack_id = site->stack_id,
			.live = image->checkpointed ? site->managed : site->live,
			.allocations = site->allocations,
			.allocated = site->allocated,
			.device = site->device,
			.leaked = site->held ? 0 : site->ended,
			.held = site->held ? site->ended : 0,
		};
		if (!list[i].site || (site->stack && build_stack(build, image, site->stack, &list[i])))
			return -ENOMEM;
		if (!site->held)
			list[i].suspect = suspect_bytes(build->model, site, build->now, &site->suspect_since);
		process->suspect_live = add_saturated(process->suspect_live, list[i].suspect < vram ? list[i].suspect : vram);
		list[i].suspect += site->held ? 0 : site->unsure;
		process->suspect = add_saturated(process->suspect, list[i].suspect);
		process->held_unproven = add_saturated(process->held_unproven, caches_unproven(image, site));
		process->has_suspect |= site->unsure != 0;
	}
	process->sites = list;
	process->site_count = count;
	return 0;
}

/* The map */

/* Which of two allocations stands further down in the map. */
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

/* Restores a heap with the smallest at its root, which was replaced. */
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

static size_t largest_nodes(const struct book *book, const struct alloc_node **heap, size_t room)
{
	struct book_cursor cursor;
	struct alloc_node *node;
	size_t count = 0, i;

	book_walk(book, &cursor);
	while (room && (node = book_next(&cursor)) != NULL) {
		if (count < room) {
			heap[count++] = node;
			for (i = count / 2; count == room && i-- > 0; )
				sift_down(heap, count, i);
		} else if (is_smaller(heap[0], node)) {
			heap[0] = node;
			sift_down(heap, count, 0);
		}
	}
	qsort(heap, count, sizeof(*heap), node_order);
	return count;
}

enum alloc_state build_state(const struct build *build, const struct image *image, const struct snap_site *snap,
			     const struct alloc_node *node)
{
	const struct site *site = image->sites.list[node->site];

	if (node->state == NODE_ENDED)
		return site->held ? ALLOC_HELD : ALLOC_LEAKED;
	if (node->state == NODE_UNSURE)
		return ALLOC_SUSPECT;
	if (image->checkpointed && KIND_IS_VRAM(node->kind))
		return ALLOC_SAVED;
	if (!snap->suspect || !KIND_CAN_LEAK(node->kind))
		return ALLOC_LIVE;
	/* Those that came since the floor rises and have stayed for a window; older ones are not what lifts it. */
	if (node->born < site->suspect_since || subtract_saturated(build->now, node->born) < build->model->config.leak_age)
		return ALLOC_LIVE;
	return ALLOC_SUSPECT;
}

/* Where it lies: what a handle stands for, where it is mapped; the handle, where it is not. */
static uint64_t node_address(struct image *image, const struct alloc_node *node)
{
	uint64_t mapped = node->is_handle ? mappings_address(image, node->address) : 0;

	return mapped ? mapped : node->address;
}

static int build_map(struct build *build, struct image *image, struct snap_process *process)
{
	size_t i, room = image->book.count < build->map_max ? image->book.count : build->map_max;
	const struct alloc_node **heap = malloc((room + 1) * sizeof(*heap));
	int result = -ENOMEM;

	if (!heap)
		return -ENOMEM;
	process->map_count = largest_nodes(&image->book, heap, room);
	process->map_omitted = image->book.count - process->map_count + image->map_dropped;
	process->map = arena_alloc(build->arena, process->map_count, sizeof(*process->map));
	if (!process->map)
		goto out;
	for (i = 0; i < process->map_count; i++) {
		const struct alloc_node *node = heap[i];
		const struct snap_site *site = &process->sites[node->site];

		process->map[i] = (struct snap_alloc){
			.address = node_address(image, node),
			.bytes = node->bytes,
			.age = node->state == NODE_LIVE ? subtract_saturated(build->now, node->born) : node->born,
			.site = site->site,
			.site_address = site->address,
			.stack_id = site->stack_id,
			.device = node->device,
			.call = node->call,
			.kind = node->kind,
			.state = (uint8_t)build_state(build, image, site, node),
		};
	}
	result = 0;
out:
	free(heap);
	return result;
}

int build_sites_and_map(struct build *build, struct image *image, struct snap_process *process)
{
	int result = build_sites(build, image, process);

	if (!result)
		result = build_map(build, image, process);
	if (!result)
		result = build_spans(build, image, process);
	/* Only now: allocations name their site by its place in the table. */
	if (!result && process->site_count)
		qsort(process->sites, process->site_count, sizeof(process->sites[0]), site_order);
	return result;
}

/* Calls: launches and copies add theirs first. */

static void add_call(struct build *build, unsigned int call, const struct call_row *row, bool sampled)
{
	struct call_sum *sum = &build->sums[call_index(call)];
	unsigned int i;

	sum->used = true;
	sum->call.call = (uint16_t)call;
	sum->call.sampled |= sampled;
	sum->call.calls += row->calls;
	sum->call.failures += row->failures;
	sum->ns = add_saturated(sum->ns, row->ns);
	if (row->max_ns > sum->max_ns)
		sum->max_ns = row->max_ns;
	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		sum->call.hist[i] += row->hist[i];
}

int build_calls(struct build *build, struct image *image, struct snap_process *process)
{
	struct call_entry *entry;
	unsigned int i;
	size_t count = 0;

	for (entry = call_first(image); entry; entry = call_next(entry)) {
		add_call(build, entry->key.call, &entry->row, false);
		add_call(build, entry->key.call, &entry->told, false);
	}
	for (i = 0; i < CALL_SUMS; i++)
		count += build->sums[i].used;
	process->call_list = arena_alloc(build->arena, count, sizeof(*process->call_list));
	if (!process->call_list)
		return -ENOMEM;
	for (i = 0; i < CALL_SUMS; i++) {
		struct call_sum *sum = &build->sums[i];

		if (!sum->used)
			continue;
		sum->call.seconds = (double)sum->ns / 1e9;
		sum->call.latency = histogram_latency(sum->call.hist, sum->max_ns);
		if (CUTOP_IS_EXTRA(sum->call.call)) {
			if (model_extra_names(build->model, build->arena, sum->call.call, &sum->call.extra))
				return -ENOMEM;
			sum->call.judged = model_extra_result(build->model, sum->call.call) != EXTRA_RESULT_NONE;
		} else {
			process->calls += sum->call.calls;
		}
		process->call_list[process->call_count++] = sum->call;
		memset(sum, 0, sizeof(*sum));
	}
	return 0;
}

/* Kernels */

struct launched {
	struct launch_entry *entry;
	const struct kernel_name *name;		/* NULL: nothing known, and no room to know it */
};

static uint64_t kernel_address(const struct launched *launched)
{
	return launched->name && launched->name->stub ? launched->name->stub : launched->entry->key.function;
}

static const char *kernel_symbol(const struct launched *launched)
{
	return launched->name ? launched->name->symbol : NULL;
}

/* Equal are launches of one kernel on one device, by whichever handle and call. */
static int same_kernel(const struct launched *a, const struct launched *b)
{
	const char *left = kernel_symbol(a), *right = kernel_symbol(b);
	int order = ORDER(a->entry->key.device, b->entry->key.device);

	if (!order)
		order = ORDER(a->entry->is_graph, b->entry->is_graph);
	if (order)
		return order;
	if (left && right)
		return strcmp(left, right);
	if (left || right)
		return left ? -1 : 1;
	return ORDER(kernel_address(a), kernel_address(b));
}

static int launched_order(const void *left, const void *right)
{
	const struct launched *a = left, *b = right;
	int order = same_kernel(a, b);

	/* Within a kernel, the busiest row first: its configuration stands for all. */
	if (!order)
		order = ORDER(b->entry->row.launches, a->entry->row.launches);
	if (!order)
		order = ORDER(a->entry->key.function, b->entry->key.function);
	return order ? order : ORDER(a->entry->key.call, b->entry->key.call);
}

static int kernel_order(const void *left, const void *right)
{
	const struct snap_kernel *a = left, *b = right;
	int order = ORDER(add_saturated(b->launches, b->graph_launches), add_saturated(a->launches, a->graph_launches));

	if (!order)
		order = strcmp(a->signature, b->signature);
	if (!order)
		order = ORDER(a->device, b->device);
	return order ? order : ORDER(a->function, b->function);
}

static int name_kernel(struct build *build, struct image *image, const struct launched *launched, struct snap_kernel *kernel)
{
	const struct kernel_name *name = launched->name;
	char where[128];

	if (launched->entry->is_graph) {
		snprintf(where, sizeof(where), "graph 0x%" PRIx64, (uint64_t)launched->entry->key.function);
		kernel->name = kernel->signature = arena_string(build->arena, where);
	} else if (name) {
		kernel->name = arena_string(build->arena, name->brief);
		kernel->signature = arena_string(build->arena, name->full);
		if (name->symbol) {
			kernel->symbol = arena_string(build->arena, name->symbol);
			if (!kernel->symbol)
				return -ENOMEM;
		}
	} else {
		kernels_describe(image, launched->entry->key.function, where, sizeof(where));
		kernel->name = kernel->signature = arena_string(build->arena, where);
	}
	return kernel->name && kernel->signature ? 0 : -ENOMEM;
}

static void add_launches(struct snap_kernel *kernel, const struct launch_entry *entry, uint64_t *max_ns)
{
	const struct launch_row *row = &entry->row;
	unsigned int i;

	kernel->launches += row->launches;
	kernel->captured += row->captured;
	kernel->graph_launches = add_saturated(kernel->graph_launches, entry->graph_launches);
	kernel->updatable |= entry->updatable;
	kernel->failures += row->failures;
	kernel->samples += row->samples;
	kernel->sampled |= row->sampled != 0;
	if (row->max_ns > *max_ns)
		*max_ns = row->max_ns;
	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		kernel->hist[i] += row->hist[i];
}

static void sum_launches(struct build *build, struct launch_entry *entry, struct snap_process *process)
{
	const struct launch_row *row = &entry->row;
	struct call_row call = {
		.calls = row->launches, .failures = row->failures, .ns = row->ns, .max_ns = row->max_ns,
	};

	memcpy(call.hist, row->hist, sizeof(call.hist));
	if (row->launches)
		add_call(build, entry->key.call, &call, row->sampled != 0);
	process->launches += row->launches;
	process->graph_launches = add_saturated(process->graph_launches, entry->graph_launches);
	process->sampled |= row->sampled != 0;
}

static int merge_kernels(struct build *build, struct image *image, struct snap_process *process,
			 const struct launched *list, size_t count)
{
	size_t i, next;

	for (i = 0; i < count; i = next) {
		struct snap_kernel *kernel = &process->kernels[process->kernel_count++];
		const struct launch_row *row = &list[i].entry->row;
		uint64_t max_ns = 0, launches = 0, before = 0, graph_before = 0;

		kernel->function = list[i].entry->key.function;
		kernel->is_graph = list[i].entry->is_graph;
		kernel->updatable = image->updatable && list[i].entry->in_graph;
		kernel->device = image_device(image, list[i].entry->key.device);
		kernel->stream = row->stream;
		kernel->shared_bytes = row->shared_bytes;
		memcpy(kernel->grid, row->grid, sizeof(kernel->grid));
		memcpy(kernel->block, row->block, sizeof(kernel->block));
		for (next = i; next < count && !same_kernel(&list[i], &list[next]); next++) {
			struct launch_entry *entry = list[next].entry;

			add_launches(kernel, entry, &max_ns);
			launches += entry->row.launches;
			before += entry->before;
			graph_before = add_saturated(graph_before, entry->graph_before);
			entry->before = entry->row.launches;
			entry->graph_before = entry->graph_launches;
		}
		kernel->launches_per_second = build_rate(build, launches, before);
		kernel->graph_launches_per_second = build_rate(build, kernel->graph_launches, graph_before);
		kernel->latency = histogram_latency(kernel->hist, max_ns);
		if (name_kernel(build, image, &list[i], kernel) < 0)
			return -ENOMEM;
	}
	return 0;
}

int build_kernels(struct build *build, struct image *image, struct snap_process *process)
{
	struct launched *list = malloc((image->launch_count + 1) * sizeof(*list));
	struct launch_entry *entry;
	int result = -ENOMEM;
	size_t count = 0;

	if (!list)
		return -ENOMEM;
	graphs_settle(image);
	for (entry = launch_first(image); entry; entry = launch_next(entry)) {
		/* A node that was never launched yet is no launched kernel. */
		if (!entry->row.launches && !entry->row.captured && !entry->graph_launches)
			continue;
		sum_launches(build, entry, process);
		list[count++] = (struct launched){ entry, kernels_find(image, entry->key.function) };
	}
	process->kernels = arena_alloc(build->arena, count, sizeof(*process->kernels));
	if (!process->kernels)
		goto out;
	qsort(list, count, sizeof(*list), launched_order);
	result = merge_kernels(build, image, process, list, count);
	if (!result && process->kernel_count)
		qsort(process->kernels, process->kernel_count, sizeof(process->kernels[0]), kernel_order);
out:
	free(list);
	return result;
}

/* Copies */

static void add_copy_row(struct snap_copy *copy, const struct copy_row *row, uint64_t *ns, uint64_t *timed_bytes, uint64_t *timed_ns)
{
	unsigned int i;

	copy->calls += row->calls;
	copy->failures += row->failures;
	copy->bytes = add_saturated(copy->bytes, row->bytes);
	*ns = add_saturated(*ns, row->ns);
	*timed_bytes = add_saturated(*timed_bytes, row->timed_bytes);
	*timed_ns = add_saturated(*timed_ns, row->timed_ns);
	for (i = 0; i < CUTOP_SIZE_BUCKETS; i++)
		copy->sizes[i] += row->sizes[i];
}

static void sum_copy_row(struct build *build, const struct copy_entry *entry, const struct copy_row *row)
{
	struct call_row call = {
		.calls = row->calls, .failures = row->failures, .ns = row->ns, .max_ns = row->max_ns,
	};

	memcpy(call.hist, row->hist, sizeof(call.hist));
	if (row->calls)
		add_call(build, entry->key.call, &call, false);
}

static bool same_copy(const struct copy_entry *a, const struct copy_entry *b)
{
	return a->key.direction == b->key.direction && a->key.mode == b->key.mode && a->key.device == b->key.device;
}

int build_copies(struct build *build, struct image *image, struct snap_process *process)
{
	struct copy_entry *entry, *next;
	size_t count = 0;

	for (entry = copy_first(image); entry; entry = copy_next(entry))
		count++;
	process->copies = arena_alloc(build->arena, count, sizeof(*process->copies));
	if (!process->copies)
		return -ENOMEM;
	/* The tree's order is direction, mode, device, call: what belongs together stands together. */
	for (entry = copy_first(image); entry; entry = next) {
		struct snap_copy *copy = &process->copies[process->copy_count++];
		uint64_t ns = 0, timed_bytes = 0, timed_ns = 0, before = 0;

		copy->direction = entry->key.direction;
		copy->mode = entry->key.mode;
		copy->device = image_device(image, entry->key.device);
		for (next = entry; next && same_copy(entry, next); next = copy_next(next)) {
			sum_copy_row(build, next, &next->row);
			sum_copy_row(build, next, &next->resolved);
			add_copy_row(copy, &next->row, &ns, &timed_bytes, &timed_ns);
			add_copy_row(copy, &next->resolved, &ns, &timed_bytes, &timed_ns);
			copy->pageable |= next->pageable;
			before = add_saturated(before, next->before);
			next->before = add_saturated(next->row.bytes, next->resolved.bytes);
		}
		copy->seconds = (double)ns / 1e9;
		copy->bytes_per_second = copy->mode == COPY_SYNC && timed_ns ? (double)timed_bytes * 1e9 / (double)timed_ns : NAN;
		copy->rate_bytes_per_second = build_rate(build, copy->bytes, before);
		process->copy_bytes[copy->direction] = add_saturated(process->copy_bytes[copy->direction], copy->bytes);
	}
	pending_sum(image, process->copies, process->copy_count);
	return 0;
}

/* Failures */

static int failure_order(const void *left, const void *right)
{
	const struct snap_failure *a = left, *b = right;
	int order = ORDER(b->count, a->count);

	if (!order)
		order = ORDER(a->call, b->call);
	return order ? order : ORDER(a->code, b->code);
}

int build_failures(struct build *build, struct image *image, struct snap_process *process)
{
	struct fail_entry *entry;
	size_t count = 0;
	char number[32];

	for (entry = fail_first(image); entry; entry = fail_next(entry))
		count++;
	process->failure_list = arena_alloc(build->arena, count, sizeof(*process->failure_list));
	if (!process->failure_list)
		return -ENOMEM;
	for (entry = fail_first(image); entry; entry = fail_next(entry)) {
		struct snap_failure *failure = &process->failure_list[process->failure_count++];
		const char *name = error_name(call_layer(entry->key.call), entry->key.result);
		struct snap_extra extra = { .brief = NULL };

		if (CUTOP_IS_EXTRA(entry->key.call)) {
			if (model_extra_names(build->model, build->arena, entry->key.call, &extra))
				return -ENOMEM;
			if (model_extra_result(build->model, entry->key.call) == EXTRA_RESULT_NULL)
				name = "NULL";
		}
		if (!name) {
			snprintf(number, sizeof(number), "error %d", entry->key.result);
			name = arena_string(build->arena, number);
			if (!name)
				return -ENOMEM;
		}
		*failure = (struct snap_failure){
			.call = entry->key.call,
			.code = entry->key.result,
			.error = name,
			.count = entry->row.count,
			.first = model_to_real(build->model, entry->row.first),
			.last = model_to_real(build->model, entry->row.last),
			.extra = extra,
		};
		process->failures += entry->row.count;
	}
	if (count)
		qsort(process->failure_list, count, sizeof(process->failure_list[0]), failure_order);
	return 0;
}
