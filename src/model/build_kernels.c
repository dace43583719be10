/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of one kernel, launched by several handles or calls, become one line of the list. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/histogram.h"
#include "util/saturated.h"

/*
 * Each of a kernel's longer names may be another's shorter one. In names from compilers that does
 * not happen twice; in hostile ones it could go on for as many rounds as there are kernels.
 */
#define ROUNDS_MAX 8

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Launches of a function. */
struct launched {
	struct launch_entry *entry;
	/* NULL: nothing is known, and there is no room to note it */
	const struct kernel_name *name;
	int device; /* the machine's number */
};

static uint64_t kernel_address(const struct launched *launched)
{
	return launched->name && launched->name->stub ? launched->name->stub :
							launched->entry->key.function;
}

static const char *kernel_symbol(const struct launched *launched)
{
	return launched->name ? launched->name->symbol : NULL;
}

/*
 * Orders launches by device and kernel. Returns 0 if both are of one kernel on one device, by whichever
 * handle and call.
 */
static int kernel_compare(const struct launched *a, const struct launched *b)
{
	const char *left = kernel_symbol(a), *right = kernel_symbol(b);
	int order = ORDER(a->device, b->device);

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
	int order = kernel_compare(a, b);

	/* Of one kernel's rows the busiest comes first: its configuration is shown for all. */
	if (!order)
		order = ORDER(b->entry->row.launches, a->entry->row.launches);
	if (!order)
		order = ORDER(a->entry->key.function, b->entry->key.function);
	return order ? order : ORDER(a->entry->key.call, b->entry->key.call);
}

static int kernel_order(const void *left, const void *right)
{
	const struct snap_kernel *a = left, *b = right;
	int order = ORDER(add_saturated(b->launches, b->graph_launches),
			  add_saturated(a->launches, a->graph_launches));

	if (!order)
		order = strcmp(a->signature, b->signature);
	if (!order)
		order = ORDER(a->device, b->device);
	return order ? order : ORDER(a->function, b->function);
}

static int name_kernel(struct build *build, struct program *program,
		       const struct launched *launched, struct snap_kernel *kernel)
{
	const struct kernel_name *name = launched->name;
	const struct kernel_texts *texts;
	char where[128];

	if (launched->entry->is_graph) {
		snprintf(where, sizeof(where), "graph 0x%" PRIx64,
			 (uint64_t)launched->entry->key.function);
		kernel->name = kernel->signature = arena_string(build->arena, where);
	} else if (name) {
		if (build_kernel_name(program, name, &texts))
			return -ENOMEM;
		kernel->name = texts->brief;
		kernel->signature = texts->full;
		kernel->symbol = texts->symbol;
	} else {
		names_describe(&program->names, launched->entry->key.function, where,
			       sizeof(where));
		kernel->name = kernel->signature = arena_string(build->arena, where);
	}
	return kernel->name && kernel->signature ? 0 : -ENOMEM;
}

static void add_launches(struct snap_kernel *kernel, const struct launch_entry *entry,
			 uint64_t *max_ns)
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

/* The shapes of the busiest of a kernel's entries, whose configuration is shown. */
static int shapes_fill(struct build *build, const struct launch_entry *entry,
		       struct snap_kernel *kernel)
{
	const struct snap_shape *list =
		launch_shapes_list(entry->shapes, &kernel->shape_count, &kernel->more_shapes);

	if (!kernel->shape_count)
		return 0;
	kernel->shapes = arena_alloc(build->arena, kernel->shape_count, sizeof(*list));
	if (!kernel->shapes)
		return -ENOMEM;
	memcpy(kernel->shapes, list, kernel->shape_count * sizeof(*list));
	return 0;
}

static void sum_launches(struct build *build, struct launch_entry *entry,
			 struct snap_process *process)
{
	const struct launch_row *row = &entry->row;

	if (row->launches)
		build_add_launches(build, entry->key.call, row);
	process->launches += row->launches;
	process->graph_launches = add_saturated(process->graph_launches, entry->graph_launches);
	process->sampled |= row->sampled != 0;
}

static int merge_kernels(struct build *build, struct program *program, struct snap_process *process,
			 const struct launched *list, size_t count)
{
	size_t i, next;

	for (i = 0; i < count; i = next) {
		size_t number = process->kernel_count++;
		struct snap_kernel *kernel = &process->kernels[number];
		const struct launch_row *row = &list[i].entry->row;
		uint64_t max_ns = 0, launches = 0, before = 0, graph_before = 0;

		kernel->number = number;
		kernel->function = list[i].entry->key.function;
		kernel->is_graph = list[i].entry->is_graph;
		kernel->updatable = program->graphs.updatable && list[i].entry->in_graph;
		kernel->device = list[i].device;
		kernel->stream = row->stream;
		kernel->shared_bytes = row->shared_bytes;
		memcpy(kernel->grid, row->grid, sizeof(kernel->grid));
		memcpy(kernel->block, row->block, sizeof(kernel->block));
		if (shapes_fill(build, list[i].entry, kernel))
			return -ENOMEM;
		for (next = i; next < count && !kernel_compare(&list[i], &list[next]); next++) {
			struct launch_entry *entry = list[next].entry;

			add_launches(kernel, entry, &max_ns);
			launches += entry->row.launches;
			before += entry->before;
			graph_before = add_saturated(graph_before, entry->graph_before);
			entry->before = entry->row.launches;
			entry->number = kernel->number;
			entry->graph_before = entry->graph_launches;
		}
		kernel->launches_per_second = build_rate(build, launches, before);
		kernel->graph_launches_per_second =
			build_rate(build, kernel->graph_launches, graph_before);
		kernel->latency = histogram_latency(kernel->hist, max_ns);
		if (name_kernel(build, program, &list[i], kernel) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int graph_order(const void *left, const void *right)
{
	const struct snap_graph_site *a = left, *b = right;
	int order = ORDER(b->launches, a->launches);

	if (!order)
		order = ORDER(b->made, a->made);
	return order ? order : strcmp(a->where.site, b->where.site);
}

int build_graphs(struct build *build, struct program *program, struct snap_process *process)
{
	struct graph_site *site;

	if (!program->graphs.sites.count)
		return 0;
	process->graph_sites = arena_alloc(build->arena, program->graphs.sites.count,
					   sizeof(*process->graph_sites));
	if (!process->graph_sites)
		return -ENOMEM;
	for (site = graph_sites_first(&program->graphs.sites); site;
	     site = graph_sites_next(site)) {
		struct snap_graph_site *shown = &process->graph_sites[process->graph_site_count];

		*shown = (struct snap_graph_site){ .call = site->call,
						   .made = site->made,
						   .live = site->live,
						   .launches = site->launches };
		if (build_place_at(build, program, site->site, site->stack, &shown->where))
			return -ENOMEM;
		process->graph_site_count += shown->where.site != NULL;
	}
	if (process->graph_site_count)
		qsort(process->graph_sites, process->graph_site_count,
		      sizeof(*process->graph_sites), graph_order);
	return 0;
}

/* A name, and whose: a place in process->kernels. */
struct named_kernel {
	const char *name;
	size_t place;
	const struct kernel_name *known; /* NULL: it is no symbol's */
	enum name_form form;
};

static int name_order(const void *left, const void *right)
{
	const struct named_kernel *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : ORDER(a->place, b->place);
}

/* True if the @count kernels at @list are one, perhaps on several devices. */
static bool is_one(const struct snap_process *process, const struct named_kernel *list,
		   size_t count)
{
	const struct snap_kernel *first = &process->kernels[list[0].place];

	for (size_t i = 1; i < count; i++) {
		const struct snap_kernel *other = &process->kernels[list[i].place];

		/* Kernels of two files may have one full form: "(anonymous namespace)::k()". */
		if (first->symbol && other->symbol ? strcmp(first->symbol, other->symbol) != 0 :
						     strcmp(first->signature, other->signature))
			return false;
	}
	return true;
}

/* How many at the beginning of @list have one name. */
static size_t same_names(const struct named_kernel *list, size_t count)
{
	size_t n = 1;

	while (n < count && !strcmp(list[0].name, list[n].name))
		n++;
	return n;
}

/* Gives all of @list that read alike their next longer names. Returns true if there were any. */
static bool names_lengthen(struct program *program, const struct snap_process *process,
			   struct named_kernel *list, size_t count)
{
	bool any = false;
	size_t i, same;

	qsort(list, count, sizeof(*list), name_order);
	for (i = 0; i < count; i += same) {
		same = same_names(list + i, count - i);
		if (is_one(process, list + i, same))
			continue;
		for (size_t j = i; j < i + same; j++) {
			if (!list[j].known || list[j].form == FORM_SYMBOL)
				continue;
			list[j].name = names_form(&program->names, list[j].known, ++list[j].form);
			any = true;
		}
	}
	return any;
}

/* Kernels are shown by names that people know them by, and by longer ones where those read alike. */
static int kernels_part(struct program *program, struct snap_process *process)
{
	struct named_kernel *list = malloc((process->kernel_count + 1) * sizeof(*list));
	size_t i, count = process->kernel_count;
	int err = 0;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		const struct snap_kernel *kernel = &process->kernels[i];

		list[i] = (struct named_kernel){ kernel->name, i, NULL, FORM_KNOWN };
		if (!kernel->is_graph && kernel->symbol)
			list[i].known = names_kernel(&program->names, kernel->function);
		if (list[i].known)
			list[i].name = names_form(&program->names, list[i].known, FORM_KNOWN);
	}
	for (i = 0; i < ROUNDS_MAX && names_lengthen(program, process, list, count); i++)
		;
	for (i = 0; !err && i < count; i++) {
		struct snap_kernel *kernel = &process->kernels[list[i].place];

		if (list[i].known)
			err = build_kernel_form(program, list[i].known, list[i].form,
						&kernel->shown);
		else
			kernel->shown = kernel->name;
	}
	free(list);
	return err;
}

/* A graph node that has never run is not a launched kernel. */
static bool is_launched(const struct launch_entry *entry)
{
	return entry->row.launches || entry->row.captured || entry->graph_launches;
}

/* All that were launched, in order, and their @count; the caller frees it. NULL without memory. */
static struct launched *launched_list(struct program *program, size_t *count)
{
	struct launched *list = malloc((program->counters.launch_count + 1) * sizeof(*list));
	struct launch_entry *entry;

	*count = 0;
	if (!list)
		return NULL;
	for (entry = launch_first(&program->counters); entry; entry = launch_next(entry))
		if (is_launched(entry))
			list[(*count)++] = (struct launched){
				entry, names_kernel(&program->names, entry->key.function),
				own_devices_machine(&program->devices, entry->key.device)
			};
	qsort(list, *count, sizeof(*list), launched_order);
	return list;
}

int build_kernels(struct build *build, struct program *program, struct snap_process *process)
{
	struct launched *list;
	size_t i, count;
	int err = -ENOMEM;

	graphs_settle(&program->graphs);
	list = launched_list(program, &count);
	process->kernels = list ? arena_alloc(build->arena, count, sizeof(*process->kernels)) :
				  NULL;
	if (!process->kernels)
		goto out;
	for (i = 0; i < count; i++)
		sum_launches(build, list[i].entry, process);
	err = merge_kernels(build, program, process, list, count) ?: kernels_part(program, process);
	if (!err && process->kernel_count)
		qsort(process->kernels, process->kernel_count, sizeof(*process->kernels),
		      kernel_order);
out:
	free(list);
	return err;
}
