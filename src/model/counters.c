/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/counters.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/outcomes.h"
#include "model/limits.h"
#include "util/saturated.h"
#include "util/util.h"

/*
 * Percentiles of a log2 histogram of latencies: linear inside a bucket, never above the exact
 * maximum.
 */

static double percentile(const uint64_t *hist, uint64_t total, double max, double share)
{
	double rank = share * (double)total, below = 0;
	unsigned int i;

	for (i = 0; i < CUTOP_HIST_BUCKETS; i++) {
		double count = (double)hist[i];

		if (!hist[i])
			continue;
		if (below + count >= rank) {
			double low = i ? (double)(1ull << (i + CUTOP_HIST_SHIFT)) : 0;
			double high = (double)(1ull << (i + CUTOP_HIST_SHIFT + 1));

			/* The last bucket has no upper bound except the maximum. */
			if (i == CUTOP_HIST_BUCKETS - 1)
				high = fmax(max, low);
			return fmin(low + (rank - below) / count * (high - low), max);
		}
		below += count;
	}
	return max;
}

struct snap_latency histogram_latency(const uint64_t hist[CUTOP_HIST_BUCKETS], uint64_t max_ns)
{
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		total = add_saturated(total, hist[i]);
	if (!total)
		return (struct snap_latency){ NAN, NAN, NAN };
	return (struct snap_latency){
		.p50 = percentile(hist, total, (double)max_ns, 0.50) / 1e9,
		.p99 = percentile(hist, total, (double)max_ns, 0.99) / 1e9,
		.max = (double)max_ns / 1e9,
	};
}

unsigned int histogram_bucket(uint64_t value, unsigned int shift, unsigned int buckets)
{
	unsigned int log;

	value >>= shift;
	log = value ? 63 - (unsigned int)__builtin_clzll(value) : 0;
	return log < buckets ? log : buckets - 1;
}

/* A few shapes, the last one first; one more takes the place of the one not seen for longest. */

struct launch_shapes {
	struct snap_shape list[SHAPES_MAX];
	size_t count;
	bool more;
};

static struct snap_shape shape_of(const struct launch_row *row)
{
	struct snap_shape shape = { .shared_bytes = row->shared_bytes };

	memcpy(shape.grid, row->grid, sizeof(shape.grid));
	memcpy(shape.block, row->block, sizeof(shape.block));
	return shape;
}

static bool is_same(const struct snap_shape *a, const struct snap_shape *b)
{
	return !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       !memcmp(a->block, b->block, sizeof(a->block)) && a->shared_bytes == b->shared_bytes;
}

static void put_first(struct launch_shapes *shapes, const struct snap_shape *shape)
{
	size_t at;

	for (at = 0; at < shapes->count; at++)
		if (is_same(&shapes->list[at], shape))
			break;
	if (at == SHAPES_MAX) {
		shapes->more = true;
		at--;
	} else if (at == shapes->count) {
		shapes->count++;
	}
	memmove(shapes->list + 1, shapes->list, at * sizeof(shapes->list[0]));
	shapes->list[0] = *shape;
}

int launch_shapes_note(struct launch_shapes **shapes, const struct launch_row *before,
		       const struct launch_row *row)
{
	struct snap_shape last = shape_of(before), shape = shape_of(row);

	/* A row without a grid is of calls that were captured into a graph, or failed. */
	if (!last.grid[0] || !shape.grid[0] || is_same(&last, &shape))
		return 0;
	if (!*shapes) {
		*shapes = calloc(1, sizeof(**shapes));
		if (!*shapes)
			return -ENOMEM;
		put_first(*shapes, &last);
	}
	put_first(*shapes, &shape);
	return 0;
}

const struct snap_shape *launch_shapes_list(const struct launch_shapes *shapes, size_t *count,
					    bool *more)
{
	*count = shapes ? shapes->count : 0;
	*more = shapes && shapes->more;
	return shapes ? shapes->list : NULL;
}

static void launch_shapes_free(struct launch_shapes *shapes)
{
	free(shapes);
}

static int launch_compare(const struct launch_entry *a, const struct launch_entry *b)
{
	int order = ORDER(a->key.function, b->key.function);

	if (!order)
		order = ORDER(a->key.device, b->key.device);
	return order ? order : ORDER(a->key.call, b->key.call);
}

static int copy_compare(const struct copy_entry *a, const struct copy_entry *b)
{
	int order = ORDER(a->key.direction, b->key.direction);

	if (!order)
		order = ORDER(a->key.mode, b->key.mode);
	if (!order)
		order = ORDER(a->key.device, b->key.device);
	return order ? order : ORDER(a->key.call, b->key.call);
}

static int call_compare(const struct call_entry *a, const struct call_entry *b)
{
	return ORDER(a->key.call, b->key.call);
}

static int fail_compare(const struct fail_entry *a, const struct fail_entry *b)
{
	int order = ORDER(a->key.call, b->key.call);

	return order ? order : ORDER(a->key.result, b->key.result);
}

TREE_GENERATE(launch_tree, launch_entry, link, launch_compare)
TREE_GENERATE(copy_tree, copy_entry, link, copy_compare)
TREE_GENERATE(call_tree, call_entry, link, call_compare)
TREE_GENERATE(fail_tree, fail_entry, link, fail_compare)

/*
 * first() and next() of a tree; and the entry of a key, created if need be (*@is_new), or NULL
 * without memory.
 */
#define ENTRIES(name, tree, member) \
	struct name##_entry *name##_first(struct counters *counters) \
	{ \
		return RB_MIN(tree, &counters->member); \
	} \
	struct name##_entry *name##_next(struct name##_entry *entry) \
	{ \
		return RB_NEXT(tree, NULL, entry); \
	} \
\
	static struct name##_entry *name##_get(struct counters *counters, \
					       const struct name##_key *key, bool *is_new) \
	{ \
		struct name##_entry wanted = { .key = *key }, \
				    *entry = RB_FIND(tree, &counters->member, &wanted); \
\
		*is_new = !entry; \
		if (entry) \
			return entry; \
		entry = calloc(1, sizeof(*entry)); \
		if (!entry) \
			return NULL; \
		entry->key = *key; \
		RB_INSERT(tree, &counters->member, entry); \
		return entry; \
	}

ENTRIES(launch, launch_tree, launches)
ENTRIES(copy, copy_tree, copies)
ENTRIES(call, call_tree, calls)
ENTRIES(fail, fail_tree, fails)

struct launch_entry *counters_find_launch(const struct counters *counters,
					  const struct launch_key *key)
{
	struct launch_entry wanted = { .key = *key };

	return RB_FIND(launch_tree, (struct launch_tree *)&counters->launches, &wanted);
}

struct launch_entry *counters_launch_of(struct counters *counters, const struct launch_key *key)
{
	struct launch_entry least = { .key = { .device = key->device, .function = key->function } };
	struct launch_entry *entry = RB_NFIND(launch_tree, &counters->launches, &least);

	return entry && entry->key.function == key->function && entry->key.device == key->device ?
		       entry :
		       NULL;
}

struct launch_entry *counters_launch(struct counters *counters, struct own_devices *devices,
				     const struct launch_key *key)
{
	struct launch_entry wanted = { .key = *key }, *entry;
	bool is_new;
	int device;

	if (counters->launch_count >= KERNELS_MAX) {
		entry = RB_FIND(launch_tree, &counters->launches, &wanted);
		counters->is_full |= !entry;
		return entry;
	}
	entry = launch_get(counters, key, &is_new);
	if (!entry || !is_new)
		return entry;
	counters->launch_count++;
	device = own_devices_machine(devices, key->device);
	own_devices_note(devices, device);
	if (call_descs[key->call].layer == LAYER_RUNTIME)
		own_devices_note_runtime(devices, device);
	return entry;
}

struct copy_entry *counters_copy(struct counters *counters, struct own_devices *devices,
				 const struct copy_key *key)
{
	bool is_new;
	struct copy_entry *entry = copy_get(counters, key, &is_new);

	if (entry && is_new)
		own_devices_note(devices, own_devices_machine(devices, key->device));
	return entry;
}

struct call_entry *counters_call(struct counters *counters, const struct call_key *key)
{
	bool is_new;

	return call_get(counters, key, &is_new);
}

struct fail_entry *counters_fail(struct counters *counters, const struct fail_key *key)
{
	bool is_new;
	struct fail_entry *entry = fail_get(counters, key, &is_new);

	counters->fail_count += entry && is_new;
	return entry;
}

uint64_t counters_failures(struct counters *counters, unsigned int call, uint64_t errors)
{
	struct fail_entry least = { .key = { .call = (uint16_t)call, .result = INT32_MIN } };
	struct fail_entry *entry = RB_NFIND(fail_tree, &counters->fails, &least);
	uint64_t failures = 0;
	bool is_all = true;

	for (; entry && entry->key.call == call; entry = fail_next(entry))
		if (call_failed(call, entry->key.result))
			failures += entry->row.count;
		else
			is_all = false;
	return is_all || failures > errors ? errors : failures;
}

int counters_failed_at(struct counters *counters, const struct fail_key *key, uint64_t site,
		       uint64_t stack, uint64_t function)
{
	struct fail_entry *entry = counters_fail(counters, key);

	if (!entry)
		return -ENOMEM;
	if (entry->site)
		return 0;
	entry->site = site;
	entry->stack = stack;
	entry->function = function;
	return 0;
}

int counters_told(struct counters *counters, unsigned int call, uint64_t ns, bool failed)
{
	struct call_entry *entry =
		counters_call(counters, &(struct call_key){ .call = (uint16_t)call });
	struct call_row *row;

	if (!entry)
		return -ENOMEM;
	row = &entry->told;
	row->calls++;
	row->failures += failed;
	row->ns = add_saturated(row->ns, ns);
	if (ns > row->max_ns)
		row->max_ns = ns;
	row->hist[histogram_bucket(ns, CUTOP_HIST_SHIFT, CUTOP_HIST_BUCKETS)]++;
	return 0;
}

#define FREE_ALL(name, tree, member) \
	do { \
		struct name##_entry *entry_; \
		while ((entry_ = RB_MIN(tree, &counters->member)) != NULL) { \
			RB_REMOVE(tree, &counters->member, entry_); \
			free(entry_); \
		} \
	} while (0)

void counters_free(struct counters *counters)
{
	struct launch_entry *entry;

	RB_FOREACH(entry, launch_tree, &counters->launches)
	launch_shapes_free(entry->shapes);
	FREE_ALL(launch, launch_tree, launches);
	FREE_ALL(copy, copy_tree, copies);
	FREE_ALL(call, call_tree, calls);
	FREE_ALL(fail, fail_tree, fails);
}

/*
 * BPF limits the rows of a program, but a recording may say anything. Past the limit a kernel has
 * one row for all its other sites.
 */

static int entry_compare(const struct call_site_entry *left, const struct call_site_entry *right)
{
	const struct call_site_key *a = &left->key, *b = &right->key;
	int order = ORDER(a->launch.call, b->launch.call);

	if (!order)
		order = ORDER(a->launch.device, b->launch.device);
	if (!order)
		order = ORDER(a->launch.function, b->launch.function);
	if (!order)
		order = ORDER(a->site, b->site);
	return order ? order : ORDER(a->stack, b->stack);
}

TREE_GENERATE(call_site_tree, call_site_entry, link, entry_compare)

static void row_add(struct call_site_row *sum, const struct call_site_row *row)
{
	sum->launches += row->launches;
	sum->samples += row->samples;
	sum->ns += row->ns;
}

int call_sites_add(struct call_sites *sites, struct name_store *names,
		   const struct call_site_key *key, const struct call_site_row *row)
{
	struct call_site_entry wanted = { .key = *key },
			       *entry = RB_FIND(call_site_tree, &sites->tree, &wanted);
	struct place *place = NULL;

	if (!entry && (wanted.key.site || wanted.key.stack)) {
		place = sites->count < LAUNCH_SITES_MAX ? names_place(names, key->site) : NULL;
		if (!place) {
			wanted.key.site = wanted.key.stack = 0;
			entry = RB_FIND(call_site_tree, &sites->tree, &wanted);
		}
	}
	if (!entry) {
		entry = calloc(1, sizeof(*entry));
		if (!entry)
			return -ENOMEM;
		entry->key = wanted.key;
		entry->place = place;
		entry->stack = names_stack(names, wanted.key.stack);
		RB_INSERT(call_site_tree, &sites->tree, entry);
		sites->count++;
	}
	row_add(&entry->row, row);
	return 0;
}

const struct call_site_entry *call_sites_first(const struct call_sites *sites)
{
	return RB_MIN(call_site_tree, (struct call_site_tree *)&sites->tree);
}

const struct call_site_entry *call_sites_next(const struct call_site_entry *entry)
{
	return RB_NEXT(call_site_tree, NULL, (struct call_site_entry *)entry);
}

void call_sites_free(struct call_sites *sites)
{
	struct call_site_entry *entry;

	while ((entry = RB_MIN(call_site_tree, &sites->tree)) != NULL) {
		RB_REMOVE(call_site_tree, &sites->tree, entry);
		free(entry);
	}
	sites->count = 0;
}
