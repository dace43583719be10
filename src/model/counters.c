/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/counters.h"

#include <errno.h>
#include <stdlib.h>

#include "cuda/calls.h"
#include "cuda/outcomes.h"
#include "model/histogram.h"
#include "util/saturated.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

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
