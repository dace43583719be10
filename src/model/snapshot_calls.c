/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of one kernel, launched by several handles or calls, become one line of the list. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "model/build.h"
#include "model/counters.h"
#include "model/model_state.h"
#include "util/saturated.h"
#include "util/util.h"

/*
 * Each of a kernel's longer names may be another's shorter one. In names from compilers that does
 * not happen twice; in hostile ones it could go on for as many rounds as there are kernels.
 */
#define ROUNDS_MAX 8

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

int snapshot_kernel_order(const void *left, const void *right)
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
	const struct launch_shapes *shapes = entry->shapes;

	if (!shapes)
		return 0;
	kernel->shapes = arena_alloc(build->arena, shapes->count, sizeof(shapes->list[0]));
	if (!kernel->shapes)
		return -ENOMEM;
	memcpy(kernel->shapes, shapes->list, shapes->count * sizeof(shapes->list[0]));
	kernel->shape_count = shapes->count;
	kernel->more_shapes = shapes->more;
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

static int object_order(const void *left, const void *right)
{
	const struct snap_object_site *a = left, *b = right;
	int order = ORDER(b->launches, a->launches);

	if (!order)
		order = ORDER(b->live, a->live);
	if (!order)
		order = ORDER(b->made, a->made);
	if (!order)
		order = strcmp(a->where.site, b->where.site);
	return order ? order : strcmp(a->kind, b->kind);
}

int build_objects(struct build *build, struct program *program, struct snap_process *process)
{
	struct snap_object_site *list =
		arena_alloc(build->arena, program->objects.sites.count, sizeof(*list));
	size_t graphs = 0, count = 0;
	struct object_site *site;

	if (!list)
		return -ENOMEM;
	/* Graphs are the first kind. */
	for (site = table_first(&program->objects.sites); site; site = table_next(site)) {
		const struct object_desc *desc = &object_descs[site->kind];
		struct snap_object_site *shown = &list[count];

		*shown = (struct snap_object_site){
			.address = site->site,
			.stack_id = site->stack,
			.kind = desc->name,
			.plural = desc->plural,
			.call = site->call,
			.made = site->made,
			.live = site->live,
			.left = site->left,
			.rising = program->ended ?
					  site->risen :
					  objects_rising(site, build->model->config.leak_age,
							 build->now),
			.launches = site->launches,
		};
		if (build_place_at(build, program, site->site, site->stack, &shown->where))
			return -ENOMEM;
		count += shown->where.site != NULL;
		if (site->kind == OBJECT_GRAPH)
			graphs = count;
	}
	process->graph_sites = list;
	process->graph_site_count = graphs;
	process->object_sites = list + graphs;
	process->object_site_count = count - graphs;
	qsort(process->graph_sites, graphs, sizeof(*list), object_order);
	qsort(process->object_sites, count - graphs, sizeof(*list), object_order);
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
	struct launched *list = malloc((program->counters.launches.count + 1) * sizeof(*list));
	struct launch_entry *entry;

	*count = 0;
	if (!list)
		return NULL;
	for (entry = table_first(&program->counters.launches); entry; entry = table_next(entry))
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
		      snapshot_kernel_order);
out:
	free(list);
	return err;
}

/* ---- copies ---- */

static void add_copy_row(struct snap_copy *copy, const struct copy_row *row, uint64_t *ns,
			 uint64_t *timed_bytes, uint64_t *timed_ns)
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

static void sum_copy_row(struct build *build, const struct copy_entry *entry,
			 const struct copy_row *row)
{
	struct call_row call = {
		.calls = row->calls,
		.failures = row->failures,
		.ns = row->ns,
		.max_ns = row->max_ns,
	};

	memcpy(call.hist, row->hist, sizeof(call.hist));
	if (row->calls)
		build_add_call(build, entry->key.call, &call, false);
}

static bool same_copy(const struct own_devices *devices, const struct copy_entry *a,
		      const struct copy_entry *b)
{
	return a->key.direction == b->key.direction && a->key.mode == b->key.mode &&
	       own_devices_machine(devices, a->key.device) ==
		       own_devices_machine(devices, b->key.device);
}

int build_copies(struct build *build, struct program *program, struct snap_process *process)
{
	struct copy_entry *entry, *next;
	size_t count = 0;

	for (entry = table_first(&program->counters.copies); entry; entry = table_next(entry))
		count++;
	process->copies = arena_alloc(build->arena, count, sizeof(*process->copies));
	if (!process->copies)
		return -ENOMEM;
	/*
	 * The tree is sorted by direction, mode, device, call: rows to be summed up are adjacent,
	 * also those of an unknown device, if the program uses only one.
	 */
	for (entry = table_first(&program->counters.copies); entry; entry = next) {
		struct snap_copy *copy = &process->copies[process->copy_count++];
		uint64_t ns = 0, timed_bytes = 0, timed_ns = 0, before = 0;

		copy->direction = entry->key.direction;
		copy->mode = entry->key.mode;
		copy->device = own_devices_machine(&program->devices, entry->key.device);
		for (next = entry; next && same_copy(&program->devices, entry, next);
		     next = table_next(next)) {
			sum_copy_row(build, next, &next->row);
			sum_copy_row(build, next, &next->resolved);
			add_copy_row(copy, &next->row, &ns, &timed_bytes, &timed_ns);
			add_copy_row(copy, &next->resolved, &ns, &timed_bytes, &timed_ns);
			copy->pageable |= next->pageable;
			before = add_saturated(before, next->before);
			next->before = add_saturated(next->row.bytes, next->resolved.bytes);
		}
		copy->seconds = (double)ns / 1e9;
		copy->bytes_per_second = copy->mode == COPY_SYNC && timed_ns ?
						 (double)timed_bytes * 1e9 / (double)timed_ns :
						 NAN;
		copy->rate_bytes_per_second = build_rate(build, copy->bytes, before);
		process->copy_bytes[copy->direction] =
			add_saturated(process->copy_bytes[copy->direction], copy->bytes);
	}
	return 0;
}

/* ---- calls ---- */

int build_calls(struct build *build, struct program *program, struct snap_process *process)
{
	struct call_entry *entry;
	enum extra_result result;
	unsigned int i;
	size_t count = 0;

	for (entry = table_first(&program->counters.calls); entry; entry = table_next(entry)) {
		struct call_row row = entry->row;

		/* BPF counts all errors; of those in records the model has counted the failures. */
		row.failures = counters_failures(&program->counters, entry->call, row.failures);
		build_add_call(build, entry->call, &row, false);
		build_add_call(build, entry->call, &entry->told, false);
	}
	for (i = build_next_sum(build, 0); i < CALL_SUMS; i = build_next_sum(build, i + 1))
		count++;
	process->call_list = arena_alloc(build->arena, count, sizeof(*process->call_list));
	if (!process->call_list)
		return -ENOMEM;
	for (i = build_next_sum(build, 0); i < CALL_SUMS; i = build_next_sum(build, i + 1)) {
		struct call_sum *sum = &build->sums[i];

		sum->call.seconds = (double)sum->ns / 1e9;
		sum->call.latency = histogram_latency(sum->call.hist, sum->max_ns);
		if (CUTOP_IS_EXTRA(sum->call.call)) {
			if (build_extra(build, sum->call.call, &sum->call.extra))
				return -ENOMEM;
			result = extra_names_find(&build->model->extras, sum->call.call)->result;
			sum->call.untimed = result == EXTRA_RESULT_UNSEEN;
			sum->call.judged = result != EXTRA_RESULT_NONE && !sum->call.untimed;
		} else {
			process->calls += sum->call.calls;
		}
		process->call_list[process->call_count++] = sum->call;
		memset(sum, 0, sizeof(*sum));
	}
	memset(build->used_sums, 0, sizeof(build->used_sums));
	return 0;
}

/* ---- failures ---- */

int snapshot_failure_order(const void *left, const void *right)
{
	const struct snap_failure *a = left, *b = right;
	int order = ORDER(call_outcome(a->call, a->code), call_outcome(b->call, b->code));

	if (!order)
		order = ORDER(b->count, a->count);
	if (!order)
		order = ORDER(a->call, b->call);
	return order ? order : ORDER(a->code, b->code);
}

/* The names of the launched kernel: a kernel has one row for all functions with its symbol. */
static int build_failed_kernel(struct program *program, const struct snap_process *process,
			       uint64_t function, struct snap_failure *failure)
{
	const struct kernel_name *kernel = function ? names_kernel(&program->names, function) :
						      NULL;
	const struct kernel_texts *texts;

	if (!kernel)
		return 0;
	if (build_kernel_name(program, kernel, &texts))
		return -ENOMEM;
	failure->kernel = failure->shown = texts->brief;
	for (size_t i = 0; kernel->symbol && i < process->kernel_count; i++)
		if (process->kernels[i].symbol &&
		    !strcmp(process->kernels[i].symbol, kernel->symbol))
			failure->shown = process->kernels[i].shown;
	return 0;
}

int build_failures(struct build *build, struct program *program, struct snap_process *process)
{
	struct fail_entry *entry;
	size_t count = 0, listed = 0;
	char number[32];

	for (entry = table_first(&program->counters.fails); entry; entry = table_next(entry))
		count++;
	process->failure_list = arena_alloc(build->arena, count, sizeof(*process->failure_list));
	if (!process->failure_list)
		return -ENOMEM;
	for (entry = table_first(&program->counters.fails); entry; entry = table_next(entry)) {
		const char *name = error_name(call_layer(entry->key.call), entry->key.result);
		struct snap_extra extra = { .brief = NULL };
		struct snap_failure *failure;

		if (!entry->row.count)
			continue;
		failure = &process->failure_list[listed++];
		if (CUTOP_IS_EXTRA(entry->key.call)) {
			if (build_extra(build, entry->key.call, &extra))
				return -ENOMEM;
			if (extra_names_find(&build->model->extras, entry->key.call)->result ==
			    EXTRA_RESULT_NULL)
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
			.first = wall_clock_at(&build->model->clock, entry->row.first),
			.last = wall_clock_at(&build->model->clock, entry->row.last),
			.reason = outcome_reason(entry->key.call, entry->key.result),
			.extra = extra,
		};
		if (build_place_at(build, program, entry->site, entry->stack, &failure->where) ||
		    build_failed_kernel(program, process, entry->function, failure))
			return -ENOMEM;
		switch (call_outcome(entry->key.call, entry->key.result)) {
		case OUTCOME_ANSWERED: process->answer_count++; break;
		case OUTCOME_AT_EXIT: process->at_exit_count++; break;
		default: process->failure_count++; process->failures += entry->row.count;
		}
	}
	if (listed)
		qsort(process->failure_list, listed, sizeof(process->failure_list[0]),
		      snapshot_failure_order);
	return 0;
}

/*
 * BPF takes a sample of the launches (bpf/site_rows.bpf.h). How many launches a kernel has is
 * known, so the figures of its sites are scaled to add up to that. Where each launch was looked at,
 * nothing is scaled.
 */

static bool is_wait(const struct call_site_entry *entry)
{
	return call_descs[entry->launch.call].class != CLASS_LAUNCH;
}

static bool same_launch(const struct launch_key *a, const struct launch_key *b)
{
	return a->call == b->call && a->device == b->device && a->function == b->function;
}

static int where_build(struct build *build, struct program *program,
		       const struct call_site_entry *entry, struct snap_place *at)
{
	if (entry->place)
		return build_place(program, entry->place, entry->called_from, at);
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
	for (entry = table_first(&program->call_sites); entry; entry = table_next(entry)) {
		if (is_wait(entry))
			continue;
		if (!first || !same_launch(&first->launch, &entry->launch)) {
			const struct launch_entry *launch =
				counters_find_launch(&program->counters, &entry->launch);

			launches_settle(list + begin, count - begin, launches);
			begin = count;
			first = entry;
			launches = launch ? launch->row.launches : 0;
			kernel = launches ? kernels[launch->number] : NULL;
			if (kernel)
				kernel->has_sites = true;
		}
		list[count] = (struct snap_launch_site){
			.address = entry->site,
			.stack_id = entry->stack,
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

	for (entry = table_first(&program->call_sites); entry; entry = table_next(entry)) {
		struct snap_wait_site *wait = &process->wait_sites[process->wait_site_count];

		if (!is_wait(entry))
			continue;
		*wait = (struct snap_wait_site){
			.address = entry->site,
			.stack_id = entry->stack,
			.call = entry->launch.call,
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

	for (entry = table_first(&program->call_sites); entry; entry = table_next(entry))
		*(is_wait(entry) ? &waits : &launches) += 1;
	if (!launches && !waits)
		return 0;
	process->launch_sites = arena_alloc(build->arena, launches, sizeof(*process->launch_sites));
	process->wait_sites = arena_alloc(build->arena, waits, sizeof(*process->wait_sites));
	if (!process->launch_sites || !process->wait_sites)
		return -ENOMEM;
	return build_launches(build, program, process) ?: build_waits(build, program, process);
}
