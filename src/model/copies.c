/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies that came as records, because only the allocations can tell their direction
 * (cudaMemcpyDefault; between device addresses, which may be on two devices), their size (elements
 * of an array) or their device. Once resolved, they are added to a row of the same form as those of the
 * counter map.
 */
#include "model/copies.h"

#include <errno.h>

#include "cuda/calls.h"
#include "model/histogram.h"
#include "model/program.h"
#include "model/limits.h"
#include "model/physical.h"
#include "util/saturated.h"

/* Where an end of a copy is. Managed memory counts as its device's, wherever its pages are. */
struct end {
	enum { SIDE_UNKNOWN, SIDE_HOST, SIDE_DEVICE } side;
	int device; /* the machine's number, or CUTOP_DEVICE_UNKNOWN */
};

/* The CUDA allocation that @address points into, or NULL. */
static const struct alloc_node *find_node(struct program *program, uint64_t address)
{
	return book_containing(&program->ledger.book, address) ?:
		       physical_at(&program->ledger, &program->mappings, address);
}

/*
 * Memory that is no CUDA allocation is the host's, if all CUDA allocations were seen and their
 * sizes are known.
 */
static bool is_host_else(struct program *program, uint64_t address)
{
	return !program->identity.from_attach && !program_is_inexact(program) &&
	       !book_may_contain(&program->ledger.book, address);
}

static struct end find_end(struct program *program, uint64_t address, bool is_readable)
{
	const struct alloc_node *node = find_node(program, address);
	struct end end = { SIDE_UNKNOWN, CUTOP_DEVICE_UNKNOWN };

	if (!node || node->state != NODE_LIVE)
		node = levels_whole(&program->levels, &program->ledger.book, address);
	if (node && node->state == NODE_LIVE) {
		if (node->kind == KIND_PINNED || node->kind == KIND_REGISTERED)
			end.side = SIDE_HOST;
		else
			end = (struct end){ SIDE_DEVICE, node->device };
	} else if (globals_contain(&program->globals, address)) {
		end.side = SIDE_DEVICE;
	} else if (is_readable || is_host_else(program, address)) {
		end.side = SIDE_HOST;
	}
	return end;
}

/*
 * Within a device it is D2D, from one to another P2P: CUpti_ActivityMemcpyKind, cupti_activity.h of
 * CUDA 13.0. CUDA accepts cudaMemcpyDeviceToDevice for both.
 */
static unsigned int between(const struct end *to, const struct end *from)
{
	bool are_known = to->device != CUTOP_DEVICE_UNKNOWN && from->device != CUTOP_DEVICE_UNKNOWN;

	return are_known && to->device != from->device ? DIR_P2P : DIR_D2D;
}

static unsigned int find_direction(const struct rec_copy *record, const struct end *to,
				   const struct end *from)
{
	if (record->direction == DIR_D2D)
		return between(to, from);
	if (record->direction != DIR_DEFAULT)
		return record->direction;
	if (to->side == SIDE_UNKNOWN || from->side == SIDE_UNKNOWN)
		return DIR_UNKNOWN;
	if (to->side == SIDE_HOST)
		return from->side == SIDE_HOST ? DIR_H2H : DIR_D2H;
	return from->side == SIDE_HOST ? DIR_H2D : between(to, from);
}

/*
 * Returns the copy's direction. *@device is that of the call; if it is unknown, it becomes that of
 * the device memory which is written, or else read.
 */
static unsigned int resolve(struct program *program, const struct rec_copy *record, int *device)
{
	unsigned int call_flags = record->call < CALL_COUNT ? call_descs[record->call].flags : 0;
	struct end to = find_end(program, record->destination, record->flags & COPY_TO_READABLE);
	struct end from = find_end(program, record->source, record->flags & COPY_FROM_READABLE);

	if (call_flags & CALL_TO_SYMBOL)
		to.side = SIDE_DEVICE;
	if (call_flags & CALL_FROM_SYMBOL)
		from.side = SIDE_DEVICE;
	if (*device == CUTOP_DEVICE_UNKNOWN)
		*device = own_devices_number(&program->devices,
					     to.side == SIDE_DEVICE ? to.device : from.device);
	return find_direction(record, &to, &from);
}

static uint64_t copy_bytes(struct program *program, const struct rec_copy *record)
{
	uint64_t ends[2] = { record->destination, record->source };
	uint64_t bytes = record->bytes;
	int i;

	for (i = 0; record->flags & COPY_IN_ELEMENTS && i < 2; i++) {
		const struct alloc_node *node = book_at(&program->ledger.book, ends[i]);

		if (!node || node->state != NODE_LIVE)
			node = levels_whole(&program->levels, &program->ledger.book, ends[i]);
		if (!node || node->kind != KIND_ARRAY || !node->element_bytes)
			continue;
		if (bytes > BYTES_MAX / node->element_bytes)
			return BYTES_MAX;
		bytes *= node->element_bytes;
		break;
	}
	return bytes < BYTES_MAX ? bytes : BYTES_MAX;
}

int copies_host(struct program *program, const struct rec_host *record, struct copy_news *news)
{
	const struct alloc_node *node = find_node(program, record->address);
	struct copy_key key = {
		.program = program->number,
		.call = record->call,
		.direction = record->direction,
		.mode = COPY_ASYNC,
		.device = record->device >= 0 && record->device < DEVICES_MAX ?
				  record->device :
				  CUTOP_DEVICE_UNKNOWN,
	};
	struct copy_entry *entry;

	news->is_pageable = false;
	if (record->direction != DIR_H2D && record->direction != DIR_D2H)
		return 0;
	/*
	 * Memory that CUDA allocated or registered is not pageable; allocations from before cutop
	 * started are unknown.
	 */
	if ((node && node->state == NODE_LIVE) || !is_host_else(program, record->address))
		return 0;
	entry = counters_copy(&program->counters, &program->devices, &key);
	if (!entry)
		return -ENOMEM;
	entry->pageable = true;
	news->is_pageable = !program->copies_pageable;
	news->pageable = *record;
	program->copies_pageable = true;
	return 0;
}

/* An asynchronous copy of known direction may use pageable memory. */
static int note_async(struct program *program, const struct rec_copy *record, uint8_t direction,
		      int device, struct copy_news *news)
{
	struct rec_host host = {
		.hdr = record->hdr,
		.address = direction == DIR_D2H ? record->destination : record->source,
		.site = record->site,
		.device = device,
		.call = record->call,
		.direction = direction,
	};

	return copies_host(program, &host, news);
}

int copies_record(struct program *program, const struct rec_copy *record, struct copy_news *news)
{
	struct copy_key key = { .program = program->number, .call = record->call };
	int device = record->device;
	struct copy_entry *entry;
	struct copy_row *row;
	uint64_t bytes;

	news->is_pageable = false;
	key.direction = (uint8_t)resolve(program, record, &device);
	key.mode = record->flags & COPY_IS_ASYNC ? COPY_ASYNC : COPY_SYNC;
	key.device = device >= 0 && device < DEVICES_MAX ? device : CUTOP_DEVICE_UNKNOWN;
	entry = counters_copy(&program->counters, &program->devices, &key);
	if (!entry) {
		program->inexact = true;
		return -ENOMEM;
	}
	row = &entry->resolved;
	row->calls++;
	row->ns = add_saturated(row->ns, record->ns);
	if (record->ns > row->max_ns)
		row->max_ns = record->ns;
	row->hist[histogram_bucket(record->ns, CUTOP_HIST_SHIFT, CUTOP_HIST_BUCKETS)]++;
	if (record->result) {
		row->failures++;
		return 0;
	}
	bytes = copy_bytes(program, record);
	row->bytes = add_saturated(row->bytes, bytes);
	row->sizes[histogram_bucket(bytes, 0, CUTOP_SIZE_BUCKETS)]++;
	if (key.mode == COPY_SYNC && CUTOP_COPY_IS_TIMED(key.direction, bytes)) {
		row->timed_bytes = add_saturated(row->timed_bytes, bytes);
		row->timed_ns = add_saturated(row->timed_ns, record->ns);
	}
	return key.mode == COPY_ASYNC ?
		       note_async(program, record, key.direction, key.device, news) :
		       0;
}
