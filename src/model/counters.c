/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/counters.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
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
	if (total == 1)
		return (struct snap_latency){ (double)max_ns / 1e9, (double)max_ns / 1e9,
					      (double)max_ns / 1e9 };
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

void launch_entry_set(struct launch_entry *entry, const struct launch_row *row)
{
	struct snap_shape last = shape_of(&entry->row), shape = shape_of(row);

	entry->row = *row;
	/* A row without a grid is of calls that were captured into a graph, or failed. */
	if (!last.grid[0] || !shape.grid[0] || is_same(&last, &shape))
		return;
	/* Most kernels have only one shape. Without memory no figure is missing. */
	if (!entry->shapes) {
		entry->shapes = calloc(1, sizeof(*entry->shapes));
		if (!entry->shapes)
			return;
		put_first(entry->shapes, &last);
	}
	put_first(entry->shapes, &shape);
}

/* Unknown devices come first. */
static uint64_t device_order(int device)
{
	return (uint16_t)(device + 1);
}

/* The words by which an entry of @key is ordered. */
#define LAUNCH_KEY(key) KEY((key)->function, device_order((key)->device) << 16 | (key)->call)

struct launch_entry *counters_find_launch(const struct counters *counters,
					  const struct launch_key *key)
{
	return table_find(&counters->launches, LAUNCH_KEY(key));
}

struct launch_entry *counters_launch_of(struct counters *counters, const struct launch_key *key)
{
	struct launch_entry *entry = table_from(
		&counters->launches, KEY(key->function, device_order(key->device) << 16));

	return entry && entry->key.function == key->function && entry->key.device == key->device ?
		       entry :
		       NULL;
}

struct launch_entry *counters_launch(struct counters *counters, struct own_devices *devices,
				     const struct launch_key *key)
{
	struct launch_entry *entry = counters_find_launch(counters, key);
	int device;

	if (!entry && counters->launches.count >= KERNELS_MAX)
		counters->is_full = true;
	if (entry || counters->launches.count >= KERNELS_MAX)
		return entry;
	entry = table_get(&counters->launches, LAUNCH_KEY(key), sizeof(*entry));
	if (!entry)
		return NULL;
	entry->key = *key;
	own_devices_use(devices, key->device);
	device = own_devices_machine(devices, key->device);
	own_devices_note(devices, device);
	if (call_descs[key->call].layer == LAYER_RUNTIME)
		own_devices_note_runtime(devices, device);
	return entry;
}

struct copy_entry *counters_copy(struct counters *counters, struct own_devices *devices,
				 const struct copy_key *key)
{
	const uint64_t order = (uint64_t)key->direction << 40 | (uint64_t)key->mode << 32 |
			       device_order(key->device) << 16 | key->call;
	size_t before = counters->copies.count;
	struct copy_entry *entry = table_get(&counters->copies, KEY(order), sizeof(*entry));

	if (!entry || counters->copies.count == before)
		return entry;
	entry->key = *key;
	own_devices_use(devices, key->device);
	own_devices_note(devices, own_devices_machine(devices, key->device));
	return entry;
}

struct call_entry *counters_call(struct counters *counters, unsigned int call)
{
	struct call_entry *entry = table_get(&counters->calls, KEY(call), sizeof(*entry));

	if (entry)
		entry->call = (uint16_t)call;
	return entry;
}

struct fail_entry *counters_fail(struct counters *counters, const struct fail_key *key)
{
	struct fail_entry *entry = table_get(
		&counters->fails, KEY(key->call, (uint32_t)key->result ^ 1u << 31), sizeof(*entry));

	if (entry)
		entry->key = *key;
	return entry;
}

uint64_t counters_failures(struct counters *counters, unsigned int call, uint64_t errors)
{
	struct fail_entry *entry = table_from(&counters->fails, KEY(call));
	uint64_t failures = 0;
	bool is_all = true;

	for (; entry && entry->key.call == call; entry = table_next(entry))
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
	struct call_entry *entry = counters_call(counters, call);
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

void counters_free(struct counters *counters)
{
	struct launch_entry *entry;

	for (entry = table_first(&counters->launches); entry; entry = table_next(entry))
		free(entry->shapes);
	table_free(&counters->launches);
	table_free(&counters->copies);
	table_free(&counters->calls);
	table_free(&counters->fails);
}

/*
 * BPF limits the rows of a program, but a recording may say anything. Past the limit a kernel has
 * one row for all its other sites.
 */
int call_sites_add(struct table *sites, struct name_store *names, const struct call_site_key *key,
		   const struct call_site_row *row)
{
	uint64_t order[] = { (uint64_t)key->launch.call << 16 | device_order(key->launch.device),
			     key->launch.function, key->site, key->stack };
	struct call_site_entry *entry = table_find(sites, ARRAY_LEN(order), order);
	struct place *place = NULL;

	if (!entry && (key->site || key->stack)) {
		place = sites->count < LAUNCH_SITES_MAX ? names_place(names, key->site) : NULL;
		if (!place)
			order[2] = order[3] = 0;
	}
	if (!entry) {
		entry = table_get(sites, ARRAY_LEN(order), order, sizeof(*entry));
		if (!entry)
			return -ENOMEM;
		entry->launch = key->launch;
		if (place) {
			entry->place = place;
			entry->called_from = names_stack(names, entry->stack);
		}
	}
	entry->row.launches += row->launches;
	entry->row.samples += row->samples;
	entry->row.ns += row->ns;
	return 0;
}
