/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter rows of one image: launches, copies, calls, failures, each kept
 * whole under its key. A row replaces the one before it, so that feeding a row
 * twice counts once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/internal.h"

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

/* first() and next() of a tree, for the other files. */
#define WALK(name, tree, member) \
	struct name##_entry *name##_first(struct image *image) { return RB_MIN(tree, &image->member); } \
	struct name##_entry *name##_next(struct name##_entry *entry) { return RB_NEXT(tree, NULL, entry); }

WALK(launch, launch_tree, launches)
WALK(copy, copy_tree, copies)
WALK(call, call_tree, calls)
WALK(fail, fail_tree, fails)

static int refuse(struct model *model)
{
	model_lose(model, LOST_RECORD, 1);
	return 0;
}

static int no_memory(struct model *model, struct image *image)
{
	model_lose(model, LOST_MEMORY, 1);
	image->inexact = true;
	return -ENOMEM;
}

struct launch_entry *counters_launch_of(struct image *image, const struct launch_key *key)
{
	struct launch_entry least = { .key = { .device = key->device, .function = key->function } };
	struct launch_entry *entry = RB_NFIND(launch_tree, &image->launches, &least);

	return entry && entry->key.function == key->function && entry->key.device == key->device ? entry : NULL;
}

struct launch_entry *counters_launch(struct model *model, struct image *image, const struct launch_key *key)
{
	struct launch_entry *entry, wanted = { .key = *key };

	entry = RB_FIND(launch_tree, &image->launches, &wanted);
	if (entry)
		return entry;
	if (image->launch_count >= KERNELS_MAX) {
		/* The row comes again with each refresh: one loss, not one per refresh. */
		if (!image->kernels_full)
			model_lose(model, LOST_LAUNCH_ROWS, 1);
		image->kernels_full = image->inexact = true;
		return NULL;
	}
	entry = calloc(1, sizeof(*entry));
	if (!entry) {
		no_memory(model, image);
		return NULL;
	}
	entry->key = *key;
	RB_INSERT(launch_tree, &image->launches, entry);
	image->launch_count++;
	image_note_device(image, image_device(image, key->device));
	if (call_descs[key->call].layer == LAYER_RUNTIME)
		image_note_runtime(image, image_device(image, key->device));
	return entry;
}

int model_launch_row(struct model *model, const struct launch_key *key, const struct launch_row *row)
{
	struct launch_entry *entry;
	struct image *image;
	int error;

	/* Rows of graph calls are kernels that a graph was given by hand. */
	if (key->call >= CALL_COUNT ||
	    (call_descs[key->call].class != CLASS_LAUNCH && call_descs[key->call].class != CLASS_GRAPH))
		return refuse(model);
	image = model_image(model, key->image, &error);
	if (!image)
		return error;
	entry = counters_launch(model, image, key);
	if (!entry)
		return image->kernels_full ? 0 : -ENOMEM;
	entry->row = *row;
	return 0;
}

struct copy_entry *counters_copy(struct image *image, const struct copy_key *key)
{
	struct copy_entry *entry, wanted = { .key = *key };

	entry = RB_FIND(copy_tree, &image->copies, &wanted);
	if (entry)
		return entry;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->key = *key;
	RB_INSERT(copy_tree, &image->copies, entry);
	image_note_device(image, image_device(image, key->device));
	return entry;
}

int model_copy_row(struct model *model, const struct copy_key *key, const struct copy_row *row)
{
	struct copy_entry *entry;
	struct image *image;
	int error;

	if (key->call >= CALL_COUNT || call_descs[key->call].class != CLASS_COPY || key->direction >= DIR_COUNT ||
	    key->mode > COPY_ASYNC || key->device < CUTOP_DEVICE_UNKNOWN || key->device >= DEVICES_MAX)
		return refuse(model);
	image = model_image(model, key->image, &error);
	if (!image)
		return error;
	entry = counters_copy(image, key);
	if (!entry)
		return no_memory(model, image);
	entry->row = *row;
	return 0;
}

static struct call_entry *call_get(struct image *image, const struct call_key *key)
{
	struct call_entry *entry, wanted = { .key = *key };

	entry = RB_FIND(call_tree, &image->calls, &wanted);
	if (entry)
		return entry;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->key = *key;
	RB_INSERT(call_tree, &image->calls, entry);
	return entry;
}

int counters_call(struct image *image, unsigned int call, uint64_t ns, bool failed)
{
	struct call_key key = { .image = image->number, .call = (uint16_t)call };
	struct call_entry *entry = call_get(image, &key);
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

int model_call_row(struct model *model, const struct call_key *key, const struct call_row *row)
{
	struct call_entry *entry;
	struct image *image;
	int error;

	if (key->call >= CALL_COUNT && !CUTOP_IS_EXTRA(key->call))
		return refuse(model);
	image = model_image(model, key->image, &error);
	if (!image)
		return error;
	entry = call_get(image, key);
	if (!entry)
		return no_memory(model, image);
	entry->row = *row;
	return 0;
}

int model_fail_row(struct model *model, const struct fail_key *key, const struct fail_row *row)
{
	struct fail_entry *entry, wanted = { .key = *key };
	struct image *image;
	int error;

	if (key->call >= CALL_COUNT && !CUTOP_IS_EXTRA(key->call))
		return refuse(model);
	if (!call_failed(key->call, key->result))
		return 0;
	image = model_image(model, key->image, &error);
	if (!image)
		return error;
	entry = RB_FIND(fail_tree, &image->fails, &wanted);
	if (!entry) {
		entry = calloc(1, sizeof(*entry));
		if (!entry)
			return no_memory(model, image);
		entry->key = *key;
		RB_INSERT(fail_tree, &image->fails, entry);
		image->fail_count++;
	}
	entry->row = *row;
	return 0;
}

void model_sync(struct model *model, uint32_t number, uint64_t ns)
{
	int error;
	struct image *image = model_image(model, number, &error);

	if (!image)
		return;
	image->has_sync = true;
	if (ns > image->sync_ns)
		image->sync_ns = ns;
}

void model_synced(struct model *model, uint32_t number, const struct sync_slot slots[CUTOP_SYNC_SLOTS])
{
	int error;
	struct image *image = model_image(model, number, &error);

	if (!image)
		return;
	memcpy(image->synced, slots, sizeof(image->synced));
	pending_trim(image);
}

void model_unreturned(struct model *model, uint32_t number, unsigned int why)
{
	int error;
	struct image *image = model_image(model, number, &error);

	if (!image || image->unreturned || why >= UNRETURNED_COUNT)
		return;
	image->unreturned = (enum unreturned)why;
	/* Who asked for it need not be told. */
	if (why == UNRETURNED_SECCOMP || why == UNRETURNED_SHADOW_STACK)
		events_add(model, image, EVENT_NO_RETURNS, model->latest, 0, "%s: returns are not probed, since on this kernel that "
			   "kills programs %s: allocations, failures and times are not known", image->command ? image->command :
			   image->comm, why == UNRETURNED_SECCOMP ? "under a seccomp filter" : "with a shadow stack");
}

void model_inexact(struct model *model, uint32_t number, uint64_t lost_time)
{
	int error;
	struct image *image = model_image(model, number, &error);

	if (!image)
		return;
	image->inexact = true;
	if (lost_time > image->lost_time)
		image->lost_time = lost_time;
}

#define FREE_ALL(name, tree, member) do { \
	struct name##_entry *entry_, *next_; \
	for (entry_ = RB_MIN(tree, &image->member); entry_; entry_ = next_) { \
		next_ = RB_NEXT(tree, &image->member, entry_); \
		RB_REMOVE(tree, &image->member, entry_); \
		free(entry_); \
	} \
} while (0)

void counters_free(struct image *image)
{
	FREE_ALL(launch, launch_tree, launches);
	FREE_ALL(copy, copy_tree, copies);
	FREE_ALL(call, call_tree, calls);
	FREE_ALL(fail, fail_tree, fails);
}
