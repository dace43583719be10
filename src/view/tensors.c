/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/tensors.h"

#include <stdlib.h>

#include "model/variables.h"
#include "util/util.h"
#include "util/saturated.h"

bool tensors_are_shown(const struct view *view, const struct snap_process *process)
{
	return view->settings.tensors && process && process->allocator_count;
}

void tensors_switch(struct view *view)
{
	const struct snap_process *process = view_selected(view);

	if (view->settings.pane != PANE_MEMORY && view->settings.pane != PANE_SITES) {
		view_message(view, "tensors are listed by %d and %d", PANE_MEMORY + 1,
			     PANE_SITES + 1);
		return;
	}
	if (!process || !process->allocator_count) {
		view_message(view, "no framework's allocator is known in this process");
		return;
	}
	view->settings.tensors = !view->settings.tensors;
	for (int i = 0; i < PANE_COUNT; i++)
		if (i == PANE_MEMORY || i == PANE_SITES) {
			view->panes[i].top = 0;
			view->panes[i].cursor.chosen = false;
		}
	view_message(view,
		     view->settings.tensors ?
			     "tensors, and what else is allocated: a shows the driver's view" :
			     "the driver's allocations: a shows tensors");
}

/* ---- allocations ---- */

static bool is_segment(const struct snap_process *process, const struct snap_alloc *alloc)
{
	if (alloc->in_cache)
		return true;
	for (size_t i = 0; i < process->allocator_count && KIND_IS_VRAM(alloc->kind); i++) {
		const struct snap_allocator *allocator = &process->allocators[i];
		size_t low = 0, high = allocator->segment_count;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (allocator->segments[middle].end <= alloc->address)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < allocator->segment_count &&
		    allocator->segments[low].start <= alloc->address)
			return true;
	}
	return false;
}

static int compare_rows(const void *left, const void *right)
{
	const struct snap_alloc *a = ((const struct memory_row *)left)->alloc,
				*b = ((const struct memory_row *)right)->alloc;
	int order = ORDER(b->bytes, a->bytes);

	if (!order)
		order = ORDER(a->address, b->address);
	return order ? order : ORDER(a->device, b->device);
}

struct memory_row *memory_rows_make(const struct snap_process *process, bool tensors, size_t *count)
{
	size_t room = process->map_count, at = 0, i, j;
	struct memory_row *rows;

	for (i = 0; tensors && i < process->allocator_count; i++)
		room += process->allocators[i].map_count;
	rows = calloc(room + 1, sizeof(*rows));
	*count = 0;
	if (!rows)
		return NULL;
	for (i = 0; tensors && i < process->allocator_count; i++)
		for (j = 0; j < process->allocators[i].map_count; j++)
			rows[at++] = (struct memory_row){
				.alloc = &process->allocators[i].map[j],
				.allocator = &process->allocators[i],
			};
	for (i = 0; i < process->map_count; i++)
		if (!tensors || !is_segment(process, &process->map[i]))
			rows[at++] = (struct memory_row){ .alloc = &process->map[i] };
	/* The driver's have their order already. */
	if (tensors && at)
		qsort(rows, at, sizeof(*rows), compare_rows);
	*count = at;
	return rows;
}

const struct snap_site *memory_row_site(const struct snap_process *process,
					const struct memory_row *row)
{
	const struct snap_site *sites = row->allocator ? row->allocator->sites : process->sites;
	size_t count = row->allocator ? row->allocator->site_count : process->site_count;

	for (size_t i = 0; i < count; i++)
		if (sites[i].address == row->alloc->site_address &&
		    sites[i].stack_id == row->alloc->stack_id)
			return &sites[i];
	return NULL;
}

/* ---- sites ---- */

static int compare_places(const void *left, const void *right)
{
	const struct snap_site *a = left, *b = right;
	int order = ORDER(a->address, b->address);

	return order ? order : ORDER(a->stack_id, b->stack_id);
}

static uint64_t weight(const struct snap_site *site)
{
	return add_saturated(add_saturated(site->live, site->held), site->leaked);
}

static int compare_weights(const void *left, const void *right)
{
	const struct snap_site *a = left, *b = right;
	int order = ORDER(weight(b), weight(a));

	if (!order)
		order = ORDER(b->allocations, a->allocations);
	return order ? order : compare_places(left, right);
}

static void site_merge(struct snap_site *site, const struct snap_site *other)
{
	site->live = add_saturated(site->live, other->live);
	site->suspect = add_saturated(site->suspect, other->suspect);
	site->leaked = add_saturated(site->leaked, other->leaked);
	site->held = add_saturated(site->held, other->held);
	site->allocations = add_saturated(site->allocations, other->allocations);
	site->allocated = add_saturated(site->allocated, other->allocated);
	site->live_count = add_saturated(site->live_count, other->live_count);
	site->sampled |= other->sampled;
	if (site->device != other->device)
		site->device = CUTOP_DEVICE_UNKNOWN;
}

struct snap_site *tensor_sites_make(const struct snap_process *process, size_t *count)
{
	size_t room = process->site_count, at = 0, kept = 0, i, j;
	struct snap_site *sites;

	*count = 0;
	for (i = 0; i < process->allocator_count; i++)
		room += process->allocators[i].site_count;
	sites = calloc(room + 1, sizeof(*sites));
	if (!sites)
		return NULL;
	for (i = 0; i < process->allocator_count; i++)
		for (j = 0; j < process->allocators[i].site_count; j++)
			sites[at++] = process->allocators[i].sites[j];
	for (i = 0; i < process->site_count; i++)
		if (!process->sites[i].in_cache)
			sites[at++] = process->sites[i];
	if (at)
		qsort(sites, at, sizeof(*sites), compare_places);
	for (i = 0; i < at; i++)
		if (kept && !compare_places(&sites[kept - 1], &sites[i]))
			site_merge(&sites[kept - 1], &sites[i]);
		else
			sites[kept++] = sites[i];
	if (kept)
		qsort(sites, kept, sizeof(*sites), compare_weights);
	*count = kept;
	return sites;
}
