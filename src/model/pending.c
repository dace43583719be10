/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream's row says how many bytes of each direction were submitted to it, and how many of these
 * are known to be done. For copies whose direction is resolved here, it has only one sum; which of
 * them were the last ones, and so are pending, is known from the stream's latest copies, which are
 * remembered as runs of one direction.
 */
#include "model/pending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/snapshot.h"
#include "util/saturated.h"

#define RUNS_MAX 1024 /* runs remembered per stream; older ones are joined */
/* Successive copies of one direction to one device. */
struct run {
	/* Total units submitted to the stream up to here, as the row counts them */
	uint64_t end;
	uint64_t units, bytes;
	uint8_t direction;
	int device; /* as the process numbers it */
};

struct pending_entry {
	RB_ENTRY(pending_entry) link;
	struct pending_key key;
	struct pending_row row;
	struct run *runs; /* oldest first */
	size_t run_count, run_size;
	uint64_t units; /* units of all copies that came as records */
};

static int pending_compare(const struct pending_entry *a, const struct pending_entry *b)
{
	if (a->key.stream != b->key.stream)
		return a->key.stream < b->key.stream ? -1 : 1;
	return (a->key.device > b->key.device) - (a->key.device < b->key.device);
}

TREE_GENERATE(pending_tree, pending_entry, link, pending_compare)

static struct pending_entry *entry_get(struct pending *pending, uint64_t stream, int device)
{
	struct pending_entry *entry, wanted = { .key = { .stream = stream, .device = device } };

	entry = RB_FIND(pending_tree, &pending->streams, &wanted);
	if (entry || pending->stream_count >= STREAMS_MAX)
		return entry;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->key = wanted.key;
	RB_INSERT(pending_tree, &pending->streams, entry);
	pending->stream_count++;
	return entry;
}

/*
 * The bytes of @slot that are done, including those that a synchronization of the whole device
 * covers.
 */
static uint64_t covered(const struct pending *pending, const struct pending_row *row,
			unsigned int slot)
{
	unsigned int at = row->device == CUTOP_DEVICE_UNKNOWN ? CUTOP_SYNC_SLOTS - 1 :
								(unsigned int)row->device;
	uint64_t bytes = row->covered[slot], done;

	if (at >= CUTOP_SYNC_SLOTS || (row->device >= 0 && at == CUTOP_SYNC_SLOTS - 1))
		return bytes;
	done = pending->synced[at].done;
	if (row->last <= done)
		return row->enqueued[slot];
	if (row->mark_time && row->mark_time <= done && row->mark[slot] > bytes)
		return row->mark[slot];
	return bytes;
}

static void runs_trim(struct pending_entry *entry, uint64_t done)
{
	size_t first = 0;

	while (first < entry->run_count && entry->runs[first].end <= done)
		first++;
	entry->run_count -= first;
	if (first)
		memmove(entry->runs, entry->runs + first, entry->run_count * sizeof(*entry->runs));
}

void pending_synced(struct pending *pending, const struct sync_slot slots[CUTOP_SYNC_SLOTS])
{
	struct pending_entry *entry;

	memcpy(pending->synced, slots, sizeof(pending->synced));
	RB_FOREACH(entry, pending_tree, &pending->streams)
	runs_trim(entry, covered(pending, &entry->row, DIR_DEFAULT));
}

int pending_row(struct pending *pending, const struct pending_key *key,
		const struct pending_row *row)
{
	struct pending_entry *entry = entry_get(pending, key->stream, key->device);

	if (!entry)
		return -ENOMEM;
	entry->row = *row;
	runs_trim(entry, covered(pending, row, DIR_DEFAULT));
	return 0;
}

int pending_copy(struct pending *pending, const struct rec_copy *record, unsigned int direction,
		 int device, uint64_t bytes)
{
	struct pending_entry *entry = entry_get(pending, record->stream, record->stream_device);
	struct run *last, *runs;
	bool joins;

	if (!entry)
		return -ENOMEM;
	entry->units = add_saturated(entry->units, record->bytes);
	last = entry->run_count ? &entry->runs[entry->run_count - 1] : NULL;
	joins = last && last->direction == direction && last->device == device &&
		last->units == last->bytes && record->bytes == bytes;
	if (!joins && entry->run_count == RUNS_MAX) {
		/*
		 * Joins the two oldest runs: the pending amount stays right, its direction may not.
		 */
		entry->runs[1].units += entry->runs[0].units;
		entry->runs[1].bytes = add_saturated(entry->runs[1].bytes, entry->runs[0].bytes);
		memmove(entry->runs, entry->runs + 1, --entry->run_count * sizeof(*entry->runs));
	}
	if (!joins && entry->run_count == entry->run_size) {
		entry->run_size = entry->run_size ? 2 * entry->run_size : 4;
		runs = realloc(entry->runs, entry->run_size * sizeof(*runs));
		if (!runs) {
			entry->run_size = entry->run_count;
			return -ENOMEM;
		}
		entry->runs = runs;
	}
	if (!joins) {
		last = &entry->runs[entry->run_count++];
		*last = (struct run){ .direction = (uint8_t)direction, .device = device };
	}
	last->end = entry->units;
	last->units += record->bytes;
	last->bytes = add_saturated(last->bytes, bytes);
	return 0;
}

/*
 * Adds @bytes to the figure of their direction and device, or, if that device has no figure, of
 * another device.
 */
static void add(const struct own_devices *devices, struct snap_copy *copies, size_t count,
		unsigned int direction, int device, uint64_t bytes)
{
	struct snap_copy *found = NULL;
	size_t i;

	device = own_devices_machine(devices, device);
	for (i = 0; bytes && i < count; i++)
		if (copies[i].mode == COPY_ASYNC && copies[i].direction == direction &&
		    (!found || copies[i].device == device))
			found = &copies[i];
	if (found)
		found->pending = add_saturated(found->pending, bytes);
}

void pending_sum(const struct pending *pending, const struct own_devices *devices,
		 struct snap_copy *copies, size_t count)
{
	struct pending_entry *entry;
	unsigned int slot;
	size_t i;

	RB_FOREACH(entry, pending_tree, (struct pending_tree *)&pending->streams)
	{
		const struct pending_row *row = &entry->row;
		uint64_t done = covered(pending, row, DIR_DEFAULT);

		for (slot = 0; slot < DIR_COUNT; slot++)
			add(devices, copies, count, slot, row->device,
			    subtract_saturated(row->enqueued[slot], covered(pending, row, slot)));
		for (i = 0; i < entry->run_count; i++) {
			const struct run *run = &entry->runs[i];
			uint64_t start = run->end - run->units, end = run->end;

			if (start < done)
				start = done;
			if (end > row->enqueued[DIR_DEFAULT])
				/* Reported, but not counted by the row yet */
				end = row->enqueued[DIR_DEFAULT];
			if (start >= end)
				continue;
			add(devices, copies, count, run->direction, run->device,
			    end - start == run->units ?
				    run->bytes :
				    (uint64_t)((double)run->bytes * (double)(end - start) /
					       (double)run->units));
		}
	}
}

void pending_free(struct pending *pending)
{
	struct pending_entry *entry;

	while ((entry = RB_MIN(pending_tree, &pending->streams)) != NULL) {
		RB_REMOVE(pending_tree, &pending->streams, entry);
		free(entry->runs);
		free(entry);
	}
}
