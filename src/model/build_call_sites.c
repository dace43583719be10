/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF takes a sample of the launches (bpf/site_rows.bpf.h). How many launches a kernel has is
 * known, so the figures of its sites are scaled to add up to that. Where each launch was looked at,
 * nothing is scaled.
 */
#include <errno.h>
#include <stdlib.h>

#include "cuda/calls.h"
#include "model/build.h"
#include "util/saturated.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static bool is_wait(const struct call_site_entry *entry)
{
	return call_descs[entry->key.launch.call].class != CLASS_LAUNCH;
}

static bool same_launch(const struct launch_key *a, const struct launch_key *b)
{
	return a->call == b->call && a->device == b->device && a->function == b->function;
}

static int where_build(struct build *build, struct program *program,
		       const struct call_site_entry *entry, struct snap_place *at)
{
	if (entry->place)
		return build_place(program, entry->place, entry->stack, at);
	at->site = arena_string(build->arena, "other call sites");
	return at->site ? 0 : -ENOMEM;
}

/* ---- launches ---- */

/* @part of @sum, of which it is one, as a part of @whole. */
static uint64_t part_of(uint64_t part, uint64_t sum, uint64_t whole)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)((wide)part * whole / sum);
}

/* The @count sites at @list are all of a kernel that was launched @launches times. */
static void launches_settle(struct snap_launch_site *list, size_t count, uint64_t launches)
{
	uint64_t sum = 0, samples = 0, settled = 0;
	size_t i, most = 0;

	for (i = 0; i < count; i++) {
		sum = add_saturated(sum, list[i].launches);
		samples = add_saturated(samples, list[i].samples);
		if (list[i].launches > list[most].launches)
			most = i;
	}
	/*
	 * Rows are read one after the other: of a program that runs, those of sites may be ahead.
	 */
	if (samples == sum && sum >= launches)
		return;
	for (i = 0; i < count; i++) {
		list[i].sampled = true;
		if (!launches || !sum)
			continue;
		list[i].launches = part_of(list[i].launches, sum, launches);
		settled = add_saturated(settled, list[i].launches);
	}
	list[most].launches = add_saturated(list[most].launches,
					    launches ? subtract_saturated(launches, settled) : 0);
}

/* One kernel may be launched by several functions, or by several handles. */
static int launch_place_order(const void *left, const void *right)
{
	const struct snap_launch_site *a = left, *b = right;
	int order = ORDER((uintptr_t)a->kernel, (uintptr_t)b->kernel);

	if (!order)
		order = ORDER(a->address, b->address);
	return order ? order : ORDER(a->stack_id, b->stack_id);
}

static int launch_order(const void *left, const void *right)
{
	const struct snap_launch_site *a = left, *b = right;
	int order = ORDER(b->launches, a->launches);

	return order ? order : launch_place_order(left, right);
}

static size_t launches_merge(struct snap_launch_site *list, size_t count)
{
	size_t i, kept = 0;

	qsort(list, count, sizeof(*list), launch_place_order);
	for (i = 0; i < count; i++) {
		if (!kept || launch_place_order(&list[kept - 1], &list[i])) {
			list[kept++] = list[i];
			continue;
		}
		list[kept - 1].launches = add_saturated(list[kept - 1].launches, list[i].launches);
		list[kept - 1].samples = add_saturated(list[kept - 1].samples, list[i].samples);
		list[kept - 1].sampled |= list[i].sampled;
	}
	return kept;
}

/* The kernels of @process by their numbers; the caller frees them. NULL without memory. */
static struct snap_kernel **kernels_by_number(const struct snap_process *process)
{
	struct snap_kernel **kernels = calloc(process->kernel_count + 1, sizeof(*kernels));
	size_t i;

	for (i = 0; kernels && i < process->kernel_count; i++)
		kernels[process->kernels[i].number] = &process->kernels[i];
	return kernels;
}

static int build_launches(struct build *build, struct program *program,
			  struct snap_process *process)
{
	struct snap_kernel **kernels = kernels_by_number(process), *kernel = NULL;
	const struct call_site_entry *entry, *first = NULL;
	struct snap_launch_site *list = process->launch_sites;
	size_t count = 0, begin = 0;
	uint64_t launches = 0;

	if (!kernels)
		return -ENOMEM;
	for (entry = call_sites_first(&program->call_sites); entry;
	     entry = call_sites_next(entry)) {
		if (is_wait(entry))
			continue;
		if (!first || !same_launch(&first->key.launch, &entry->key.launch)) {
			const struct launch_entry *launch =
				counters_find_launch(&program->counters, &entry->key.launch);

			launches_settle(list + begin, count - begin, launches);
			begin = count;
			first = entry;
			launches = launch ? launch->row.launches : 0;
			kernel = launches ? kernels[launch->number] : NULL;
			if (kernel)
				kernel->has_sites = true;
		}
		list[count] = (struct snap_launch_site){
			.address = entry->key.site,
			.stack_id = entry->key.stack,
			.kernel = kernel,
			.launches = entry->row.launches,
			.samples = entry->row.samples,
		};
		if (where_build(build, program, entry, &list[count].at)) {
			free(kernels);
			return -ENOMEM;
		}
		count++;
	}
	free(kernels);
	if (!count)
		return 0;
	launches_settle(list + begin, count - begin, launches);
	process->launch_site_count = launches_merge(list, count);
	qsort(list, process->launch_site_count, sizeof(*list), launch_order);
	return 0;
}

/* ---- waits ---- */

static int wait_order(const void *left, const void *right)
{
	const struct snap_wait_site *a = left, *b = right;
	int order = ORDER(b->seconds, a->seconds);

	if (!order)
		order = ORDER(a->call, b->call);
	if (!order)
		order = ORDER(a->address, b->address);
	return order ? order : ORDER(a->stack_id, b->stack_id);
}

static int build_waits(struct build *build, struct program *program, struct snap_process *process)
{
	const struct call_site_entry *entry;

	for (entry = call_sites_first(&program->call_sites); entry;
	     entry = call_sites_next(entry)) {
		struct snap_wait_site *wait = &process->wait_sites[process->wait_site_count];

		if (!is_wait(entry))
			continue;
		*wait = (struct snap_wait_site){
			.address = entry->key.site,
			.stack_id = entry->key.stack,
			.call = entry->key.launch.call,
			.calls = entry->row.samples,
			.seconds = (double)entry->row.ns / 1e9,
		};
		if (where_build(build, program, entry, &wait->at))
			return -ENOMEM;
		process->wait_site_count++;
	}
	if (process->wait_site_count)
		qsort(process->wait_sites, process->wait_site_count, sizeof(process->wait_sites[0]),
		      wait_order);
	return 0;
}

int build_call_sites(struct build *build, struct program *program, struct snap_process *process)
{
	const struct call_site_entry *entry;
	size_t launches = 0, waits = 0;

	for (entry = call_sites_first(&program->call_sites); entry; entry = call_sites_next(entry))
		*(is_wait(entry) ? &waits : &launches) += 1;
	if (!launches && !waits)
		return 0;
	process->launch_sites = arena_alloc(build->arena, launches, sizeof(*process->launch_sites));
	process->wait_sites = arena_alloc(build->arena, waits, sizeof(*process->wait_sites));
	if (!process->launch_sites || !process->wait_sites)
		return -ENOMEM;
	return build_launches(build, program, process) ?: build_waits(build, program, process);
}
