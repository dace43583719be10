/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes in what is read at each refresh: counter rows, and what is known of an
 * image besides. Rows come again with each refresh; a row of an image that is not known yet makes it.
 */
#include <errno.h>

#include "cuda/calls.h"
#include "model/model_state.h"
#include "model/telling.h"

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

int model_launch_row(struct model *model, const struct launch_key *key, const struct launch_row *row)
{
	struct launch_entry *entry;
	struct image *image;
	bool was_full;
	int error;

	/* Rows of graph calls are kernels that a graph was given by hand. */
	if (key->call >= CALL_COUNT ||
	    (call_descs[key->call].class != CLASS_LAUNCH && call_descs[key->call].class != CLASS_GRAPH))
		return refuse(model);
	image = model_image(model, key->image, &error);
	if (!image)
		return error;
	was_full = image->counters.is_full;
	entry = counters_launch(&image->counters, &image->devices, key);
	if (!entry && !image->counters.is_full)
		return no_memory(model, image);
	if (entry)
		entry->row = *row;
	else
		model_lose_kernels(model, image, was_full);
	return 0;
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
	entry = counters_copy(&image->counters, &image->devices, key);
	if (!entry)
		return no_memory(model, image);
	entry->row = *row;
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
	entry = counters_call(&image->counters, key);
	if (!entry)
		return no_memory(model, image);
	entry->row = *row;
	return 0;
}

int model_fail_row(struct model *model, const struct fail_key *key, const struct fail_row *row)
{
	struct fail_entry *entry;
	struct image *image;
	int error;

	if (key->call >= CALL_COUNT && !CUTOP_IS_EXTRA(key->call))
		return refuse(model);
	if (!call_failed(key->call, key->result))
		return 0;
	image = model_image(model, key->image, &error);
	if (!image)
		return error;
	entry = counters_fail(&image->counters, key);
	if (!entry)
		return no_memory(model, image);
	entry->row = *row;
	return 0;
}

int model_graph_row(struct model *model, const struct graph_key *key, const struct graph_row *row)
{
	struct image *image;
	bool was_full;
	int error;

	if (row->call >= CALL_COUNT || call_descs[row->call].class != CLASS_GRAPH)
		return refuse(model);
	image = model_image(model, key->image, &error);
	if (!image || !row->launches)
		return error;
	was_full = image->counters.is_full;
	error = graphs_row(&image->graphs, &image->counters, &image->devices, key, row, image->ended);
	model_lose_kernels(model, image, was_full);
	if (error == -ENOMEM)
		return no_memory(model, image);
	if (error)
		model_lose(model, LOST_GRAPHS, 1);
	return 0;
}

void model_graph_last(struct model *model, const struct graph_key *key, const struct graph_row *row)
{
	int error;
	struct image *image = model_image(model, key->image, &error);

	if (image)
		graphs_last(&image->graphs, key, row);
}

int model_pending_row(struct model *model, const struct pending_key *key, const struct pending_row *row)
{
	struct image *image;
	int error;

	if (row->device < CUTOP_DEVICE_UNKNOWN || row->device >= DEVICES_MAX)
		return refuse(model);
	image = model_image(model, key->image, &error);
	if (!image)
		return error;
	return pending_row(&image->pending, key, row) ? no_memory(model, image) : 0;
}

void model_sync(struct model *model, uint32_t number, uint64_t ns)
{
	int error;
	struct image *image = model_image(model, number, &error);

	if (image && ns > image->sync_ns)
		image->sync_ns = ns;
}

void model_synced(struct model *model, uint32_t number, const struct sync_slot slots[CUTOP_SYNC_SLOTS])
{
	int error;
	struct image *image = model_image(model, number, &error);

	if (image)
		pending_synced(&image->pending, slots);
}

void model_unreturned(struct model *model, uint32_t number, unsigned int why)
{
	int error;
	struct image *image = model_image(model, number, &error);

	if (!image || image->unreturned || why >= UNRETURNED_COUNT)
		return;
	image->unreturned = (enum unreturned)why;
	tell_unreturned(model, image);
}

void model_inexact(struct model *model, uint32_t number, uint64_t lost_time)
{
	int error;
	struct image *image = model_image(model, number, &error);

	if (!image)
		return;
	image->inexact = true;
	if (lost_time > image->ledger.lost_time)
		image->ledger.lost_time = lost_time;
}
