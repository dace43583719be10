/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes in records: passes each to the book that it concerns, and reports the effects in the log.
 * The books meet only here; none knows another, except those it consists of.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/types.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "cutop_event.h"
#include "model/counters.h"
#include "model/model_state.h"
#include "model/ledger.h"
#include "model/limits.h"
#include "model/mappings.h"
#include "model/program.h"
#include "model/stream.h"
#include "model/telling.h"
#include "util/saturated.h"

/*
 * Copies whose direction or size only the allocations can tell, and asynchronous copies of pageable
 * memory.
 */

struct program;

/* What a copy has led to. */
struct copy_news {
	/* It is the process's first asynchronous copy of pageable memory: */
	bool is_pageable;
	struct rec_host pageable;
};

/*
 * Copies that came as records, because only the allocations can tell their direction
 * (cudaMemcpyDefault; between device addresses, which may be on two devices), their size (elements
 * of an array) or their device. Once resolved, they are added to a row of the same form as those of the
 * counter map.
 */

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

/* Host memory at some address is copied asynchronously for the first time. */
static int copies_host(struct program *program, const struct rec_host *record,
		       struct copy_news *news)
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

/* Each returns 0 with *@news set, or -ENOMEM. */
static int copies_record(struct program *program, const struct rec_copy *record,
			 struct copy_news *news)
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

/*
 * True if @address is of memory that @program did not allocate, but one that it was forked from: a
 * child has its parent's objects, and what frees them.
 */
static bool is_inherited(const struct model *model, struct program *program, uint64_t address)
{
	int generations = 8;

	if (book_at(&program->ledger.book, address))
		return false;
	while (generations-- && (program = programs_find(&model->programs, program->forked_from)))
		if (book_at(&program->ledger.book, address) ||
		    book_was_freed(&program->ledger.book, address))
			return true;
	return false;
}

/* Takes in a name of @program, and updates what depends on it. */
static int take_site(struct model *model, struct program *program, const union record *record,
		     const char *tail)
{
	uint64_t address = record->text.address;
	char old[256], new[256];
	bool is_told = names_told(&program->names, address, old, sizeof(old));
	bool is_news = names_is_news(&program->names, &record->text);
	int error = names_record(&program->names, &record->hdr, tail);

	if (is_news)
		ledger_judge(&program->ledger, address);
	if (is_told && names_told(&program->names, address, new, sizeof(new)) && strcmp(old, new))
		events_rename(&model->log, program->number, old, new);
	return error;
}

static int take_name(struct program *program, const union record *record, const char *tail)
{
	switch (record->hdr.type) {
	case REC_KERNEL:
		if (record->kernel.call < CALL_COUNT)
			program->devices.runtime_launched |=
				call_descs[record->kernel.call].layer == LAYER_RUNTIME;
		break;
	case REC_LAUNCHED_AT:
		/*
		 * A driver call made by the runtime: it says nothing about the kernel, but shows on
		 * which device the runtime is at work.
		 */
		if (call_descs[record->launched_at.call].layer == LAYER_DRIVER &&
		    names_is_runtime(&program->names, record->launched_at.site)) {
			program->devices.runtime_launched = true;
			return 0;
		}
		break;
	default: break;
	}
	return names_record(&program->names, &record->hdr, tail);
}

static int take_identity(struct model *model, struct program *program,
			 const struct rec_identity *record, const char *strings, size_t len)
{
	char name[IDENTITY_BRIEF];
	bool was_unknown = own_devices_are_unknown(&program->devices);
	const char *devices;
	size_t devices_len;
	int error =
		identity_learn(&program->identity, record, strings, len, &devices, &devices_len);

	/* What it did before it had its title keeps the name that it had then. */
	if (!record->has_title)
		events_name(&model->log, program->number, identity_brief(&program->identity, name));
	if (error || !devices)
		return error;
	error = own_devices_learn(&program->devices, devices, devices_len);
	if (error > 0)
		device_numbers_learned(model, program, was_unknown);
	return error < 0 ? error : 0;
}

/* Time (ns) from @entry to the record, which was made at the call's return. */
static uint64_t time_inside(const struct rec_hdr *hdr, uint64_t entry)
{
	return subtract_saturated(hdr->time, entry);
}

/*
 * Records number devices as the process does; the books, which are compared between processes, use
 * the machine's numbers. Counter rows, and copies, which become rows, keep the process's numbers
 * until they are shown.
 */
static void translate_device(struct program *program, union record *record)
{
	switch (record->hdr.type) {
	case REC_ALLOC:
		own_devices_use(&program->devices, record->alloc.device);
		record->alloc.device =
			ledger_device(&program->devices, record->alloc.kind, record->alloc.device);
		break;
	case REC_RESET:
		record->reset.device = own_devices_machine(&program->devices, record->reset.device);
		break;
	case REC_BLOCK:
		own_devices_use(&program->devices, record->block.device);
		record->block.device = own_devices_machine(&program->devices, record->block.device);
		break;
	case REC_SHORT:
		record->shortage.device =
			own_devices_machine(&program->devices, record->shortage.device);
		break;
	case REC_OBJECT:
		record->object.device =
			own_devices_machine(&program->devices, record->object.device);
		break;
	case REC_DEVICE:
		record->device.device =
			own_devices_machine(&program->devices, record->device.device);
		break;
	default: break;
	}
}

static int take_alloc(struct model *model, struct program *program, const struct rec_alloc *record)
{
	struct ledger *ledger = &program->ledger;
	struct ledger_news news;
	int error;

	if (record->result == ERROR_OUT_OF_MEMORY)
		tell_out_of_memory(model, program, record);
	else if (!record->result)
		tell_recovered(model, program, record);
	error = ledger_alloc(ledger, record, &news);
	if (news.lost_frees)
		model_lose(model, LOST_FREE, news.lost_frees);
	if (news.full)
		tell_nearly_full(model, program, news.full, record->hdr.time);
	return error;
}

/*
 * What the user says of a pool may be wrong: then its calls hand out nothing that lies in memory of
 * CUDA's, or none of it comes back. @kind: the pool's; @is_known: this call's block is.
 */
static void pool_check(struct model *model, struct program *program, const struct rec_hdr *call,
		       unsigned int kind, bool hands_out, bool is_known)
{
	struct pool_trial *trial;

	/* Of a program that ran before cutop its pool's memory may be unknown: no fault of FILE's. */
	if (kind < ALLOCATOR_KINDS || program->identity.from_attach)
		return;
	trial = &model->pool_trials[kind - ALLOCATOR_KINDS];
	if (trial->requests == POOL_TRIAL)
		return;
	trial->requests += hands_out;
	trial->handed_out += hands_out && is_known;
	trial->taken_back += !hands_out && is_known;
	if (trial->requests == POOL_TRIAL && (!trial->handed_out || !trial->taken_back))
		tell_pool(model, program, call, kind, !trial->handed_out);
}

/*
 * A block of a pool that tells nothing: it counts if it lies in device memory that is known, or, of
 * a program that ran before its probes, in memory that the processor cannot read. Such pools serve
 * host memory, too.
 */
static int take_pooled(struct model *model, struct program *program, const struct rec_block *record)
{
	struct rec_block placed = *record;
	struct ledger *ledger = &program->ledger;
	struct alloc_node *node;

	if (!record->bytes) {
		pool_check(model, program, &record->hdr, record->allocator, false,
			   blocks_return(&program->blocks, record, ledger->leak_age));
		return 0;
	}
	node = book_containing(&ledger->book, record->address);
	if (!node)
		node = physical_at(ledger, &program->mappings, record->address);
	if (node && node->state != NODE_LIVE)
		node = NULL;
	pool_check(model, program, &record->hdr, record->allocator, true, node != NULL);
	if (!node && !(record->allocated && program->identity.from_attach))
		return 0;
	if (node) {
		ledger_pool_told(ledger, node, record->allocator);
		if (!KIND_IS_VRAM(node->kind))
			return 0;
		placed.device = node->device;
	}
	return blocks_record(&program->blocks, &program->names, &placed, ledger->leak_age);
}

static int take_block(struct model *model, struct program *program, const struct rec_block *record)
{
	struct ledger *ledger = &program->ledger;
	const struct device_use *full;

	if (record->allocator != ALLOCATOR_PYTORCH)
		return take_pooled(model, program, record);
	ledger_cache_told(ledger, record->address);
	full = record->bytes > 0 ? ledger_place(ledger, record->address, record->device) : NULL;
	if (full)
		tell_nearly_full(model, program, full, record->hdr.time);
	return blocks_record(&program->blocks, &program->names, record, ledger->leak_age);
}

static int take_short(struct model *model, struct program *program, const struct rec_short *record)
{
	struct allocator *allocator = blocks_short(&program->blocks, record);

	pool_check(model, program, &record->hdr, record->allocator, true, false);
	if (!allocator)
		return record->allocator == ALLOCATOR_PYTORCH ? -ENOMEM : 0;
	tell_short(model, program, allocator, record);
	return 0;
}

static void take_reset(struct model *model, struct program *program, const struct rec_reset *record)
{
	struct reset_news news;

	program->faulted = false;
	program->fault.hdr.size = 0;
	ledger_reset(&program->ledger, record, &news);
	if (record->context)
		objects_gone(&program->objects, OBJECT_CONTEXT, record->context,
			     program->ledger.leak_age, record->hdr.time);
	if (record->context || news.is_told)
		objects_reset(&program->objects, record->context, record->device,
			      own_devices_count(&program->devices) <= 1, program->ledger.leak_age,
			      record->hdr.time);
	if (news.is_told)
		tell_reset(model, program, record, &news);
}

static int take_map(struct program *program, const struct rec_map *record)
{
	struct ledger *ledger = &program->ledger;
	const struct alloc_node *node;

	switch (record->act) {
	case MAP_PLACE: return physical_map(ledger, &program->mappings, record);
	case MAP_REMOVE:
		physical_unmap(ledger, &program->mappings, record->address, record->bytes,
			       record->hdr.time);
		return 0;
	case MAP_RETAIN:
		node = book_handle(&ledger->book, record->handle);
		if (node)
			ledger_hold(ledger, record->handle, node->born);
		return 0;
	case MAP_LEVEL:
		return levels_learn(&program->levels, &ledger->book, record->handle,
				    record->address);
	case MAP_GLOBAL:
		return globals_learn(&program->globals, record->address, record->bytes) ?:
			       record->handle ? statics_learn(&program->statics, record) :
						0;
	case MAP_VARIABLE: return statics_learn(&program->statics, record);
	case MAP_UNLOAD:
		statics_unload(&program->statics, record->address);
		objects_gone(&program->objects, OBJECT_MODULE, record->address, ledger->leak_age,
			     record->hdr.time);
		return 0;
	default: return 0;
	}
}

static int take_graph(struct model *model, struct program *program, const struct rec_graph *record)
{
	bool was_full = program->counters.is_full;
	int error = graphs_record(&program->graphs, &program->counters, &program->devices,
				  &program->names, record);

	model_lose_kernels(model, program, was_full);
	if (record->role == EXEC_CREATE || record->role == EXEC_DESTROY)
		objects_gone(&program->objects, OBJECT_GRAPH, record->exec,
			     program->ledger.leak_age, record->hdr.time);
	if (error != -ENOSPC)
		return error;
	model_lose(model, LOST_GRAPHS, 1);
	return 0;
}

static int take_object(struct model *model, struct program *program,
		       const struct rec_object *record)
{
	struct object_site *site;
	int error;

	site = objects_record(&program->objects, record, program->ledger.leak_age, &error);
	if (record->kind == OBJECT_GRAPH)
		graphs_made(&program->graphs, record->handle, site);
	if (error != -ENOSPC)
		return error;
	model_lose(model, LOST_GRAPHS, 1);
	return 0;
}

static int take_failure(struct model *model, struct program *program,
			const struct rec_fail_at *record)
{
	const struct fail_key key = { .program = program->number,
				      .call = record->fail.call,
				      .result = record->fail.result };
	int error = 0;

	if (call_outcome(key.call, key.result) != OUTCOME_DONE)
		error = counters_failed_at(&program->counters, &key, record->fail.site,
					   record->stack, record->function);
	tell_failure(model, program, record);
	return error;
}

static int dispatch(struct model *model, struct program *program, const union record *record,
		    const char *tail, size_t tail_len)
{
	const struct device_use *use;
	struct copy_news news;
	int error;

	switch (record->hdr.type) {
	case REC_PROCESS: lives_begin(model, program, &record->process); return 0;
	case REC_END:
		program->sync_ns = record->end.sync_ns > program->sync_ns ? record->end.sync_ns :
									    program->sync_ns;
		lives_end(model, program, &record->end);
		return 0;
	case REC_ALLOC:
		error = counters_told(&program->counters, record->alloc.call,
				      time_inside(&record->hdr, record->alloc.entry),
				      call_failed(record->alloc.call, record->alloc.result));
		/*
		 * In a capture it becomes a node: the graph's memory is not in these books. But
		 * that it is device memory may matter.
		 */
		if (record->alloc.how & ALLOC_CAPTURED && !record->alloc.result)
			return globals_learn(&program->globals, record->alloc.address, record->alloc.bytes) ?:
				       error;
		return take_alloc(model, program, &record->alloc) ?: error;
	case REC_FREE:
		error = counters_told(&program->counters, record->free.call,
				      time_inside(&record->hdr, record->free.entry),
				      call_failed(record->free.call, record->free.result));
		if (!record->free.captured || record->free.result)
			tell_bad_free(
				model, program, &record->free_at,
				ledger_free(&program->ledger, &record->free, record->free_at.stack,
					    is_inherited(model, program, record->free.address)));
		return error;
	case REC_BLOCK: return take_block(model, program, &record->block);
	case REC_SHORT: return take_short(model, program, &record->shortage);
	case REC_COPY:
		error = copies_record(program, &record->copy, &news);
		if (news.is_pageable)
			tell_pageable(model, program, &news.pageable);
		return error;
	case REC_FAIL: return take_failure(model, program, &record->fail_at);
	case REC_RESET: take_reset(model, program, &record->reset); return 0;
	case REC_FAULT: program->fault = record->fault; return 0;
	case REC_HOST:
		error = copies_host(program, &record->host, &news);
		if (news.is_pageable)
			tell_pageable(model, program, &news.pageable);
		return error;
	case REC_DEVICE:
		use = devices_size(&model->held_on, &program->ledger.held_on, record->device.device,
				   record->device.total);
		if (use)
			tell_nearly_full(model, program, use, record->hdr.time);
		return 0;
	case REC_MAP: return take_map(program, &record->map);
	case REC_SITE: return take_site(model, program, record, tail);
	case REC_KERNEL:
	case REC_LAUNCHED_AT:
	case REC_MODULE:
	case REC_STACK:
	case REC_FRAME:
	case REC_NAME: return take_name(program, record, tail);
	case REC_GRAPH: return take_graph(model, program, &record->graph);
	case REC_OBJECT: return take_object(model, program, &record->object);
	case REC_IDENTITY: return take_identity(model, program, &record->identity, tail, tail_len);
	default: return 0;
	}
}

static void take_unseen(struct model *model, const struct rec_unseen *record)
{
	struct snap_unseen *unseen;

	if (record->cause >= UNSEEN_COUNT)
		return; /* from a later version */
	unseen = &model->unseen[record->cause];
	unseen->total = record->total;
	unseen->pid = record->hdr.tgid;
	identity_comm(record->comm, unseen->comm);
}

/*
 * What is read at each refresh: counter rows, and other facts about a program. The same rows come
 * with each refresh; a row of an unknown program creates the program, but only records that
 * identify its process make that known.
 */

static unsigned int class_of(unsigned int call)
{
	return call < CALL_COUNT ? call_descs[call].class : CLASS_COUNT;
}

/* True if the row may be what BPF counts: in a recording it may be anything. */
static bool row_makes_sense(const union record *record)
{
	const struct copy_key *copy = &record->copy_row.key;
	unsigned int class;

	switch (record->hdr.type) {
	case REC_LAUNCH_ROW:
		class = class_of(record->launch.key.call);
		/* Rows of graph calls are kernels that were put into a graph with an explicit call. */
		return class == CLASS_LAUNCH || class == CLASS_GRAPH;
	case REC_CALL_SITE:
		class = class_of(record->call_site.key.launch.call);
		return class == CLASS_LAUNCH || class == CLASS_SYNC || class == CLASS_COPY;
	case REC_COPY_ROW:
		return class_of(copy->call) == CLASS_COPY && copy->direction < DIR_COUNT &&
		       copy->mode <= COPY_ASYNC && copy->device >= CUTOP_DEVICE_UNKNOWN &&
		       copy->device < DEVICES_MAX;
	case REC_CALL_ROW:
		return record->call.key.call < CALL_COUNT || CUTOP_IS_EXTRA(record->call.key.call);
	case REC_FAIL_ROW:
		return record->fail_row.key.call < CALL_COUNT ||
		       CUTOP_IS_EXTRA(record->fail_row.key.call);
	case REC_GRAPH_ROW: return class_of(record->graph_row.row.call) == CLASS_GRAPH;
	default: return true;
	}
}

static void take_cost(struct model *model, struct program *program, const struct rec_cost *record)
{
	program->cost.paid_ns = record->paid_ns;
	program->cost.cpu_ns = record->cpu_ns;
	program->cost.launches_ns = record->launches_ns;
	for (int kind = 0; kind < SPARE_COUNT; kind++) {
		bool was_given = program->cost.since[kind], is_given = record->since[kind];

		program->cost.since[kind] = record->since[kind];
		if (was_given == is_given)
			continue;
		program->cost.ever |= 1u << kind;
		if (kind == SPARE_BLOCKS)
			blocks_pause(&program->blocks);
		if (kind == SPARE_CALLS)
			objects_pause(&program->objects);
		if (!program->ended)
			tell_budget(model, program, (enum spare)kind, is_given);
	}
}

static int take_graph_row(struct model *model, struct program *program,
			  const struct rec_graph_row *record)
{
	bool was_full = program->counters.is_full;
	int error = graphs_row(&program->graphs, &program->counters, &program->devices,
			       &record->key, &record->row, program->ended);

	model_lose_kernels(model, program, was_full);
	if (error == -ENOSPC)
		model_lose(model, LOST_GRAPHS, 1);
	return error == -ENOSPC ? 0 : error;
}

/* Returns 0 or -ENOMEM. */
static int take_row(struct model *model, struct program *program, const union record *record)
{
	struct counters *counters = &program->counters;
	bool was_full = counters->is_full;
	struct launch_entry *launch;
	struct copy_entry *copy;
	struct call_entry *call;
	struct fail_entry *fail;

	switch (record->hdr.type) {
	case REC_LAUNCH_ROW:
		launch = counters_launch(counters, &program->devices, &record->launch.key);
		if (launch)
			launch_entry_set(launch, &record->launch.row);
		else
			model_lose_kernels(model, program, was_full);
		return launch || counters->is_full ? 0 : -ENOMEM;
	case REC_COPY_ROW:
		copy = counters_copy(counters, &program->devices, &record->copy_row.key);
		if (copy)
			copy->row = record->copy_row.row;
		return copy ? 0 : -ENOMEM;
	case REC_CALL_ROW:
		call = counters_call(counters, record->call.key.call);
		if (call)
			call->row = record->call.row;
		return call ? 0 : -ENOMEM;
	case REC_FAIL_ROW:
		fail = counters_fail(counters, &record->fail_row.key);
		if (fail)
			fail->row = record->fail_row.row;
		return fail ? 0 : -ENOMEM;
	case REC_CALL_SITE:
		return call_sites_add(&program->call_sites, &program->names, &record->call_site.key,
				      &record->call_site.row);
	case REC_GRAPH_ROW:
		return record->graph_row.row.launches ?
			       take_graph_row(model, program, &record->graph_row) :
			       0;
	case REC_GRAPH_LAST:
		graphs_last(&program->graphs, &record->graph_row.key, &record->graph_row.row);
		return 0;
	case REC_SYNC:
		if (record->sync.ns > program->sync_ns)
			program->sync_ns = record->sync.ns;
		return 0;
	case REC_TIMES:
		program->time.times = record->times.times;
		program->time.is_told = true;
		return 0;
	case REC_COST: take_cost(model, program, &record->cost); return 0;
	case REC_INEXACT:
		program->inexact = true;
		if (record->hdr.time > program->ledger.lost_time)
			program->ledger.lost_time = record->hdr.time;
		return 0;
	case REC_UNRETURNED:
		if (program->unreturned || record->unreturned.why >= UNRETURNED_COUNT)
			return 0;
		program->unreturned = (enum unreturned)record->unreturned.why;
		tell_unreturned(model, program);
		return 0;
	default: return 0;
	}
}

/* What a refresh reads. */
static int dispatch_row(struct model *model, const union record *record)
{
	struct program *program;
	int error;

	switch (record->hdr.type) {
	case REC_UNSEEN: take_unseen(model, &record->unseen); return 0;
	case REC_LIMIT: tell_limit(model, &record->limit); return 0;
	case REC_GRAPHS_DONE: lives_settle(model, record->hdr.program); return 0;
	case REC_LOST:
		model_lost(model, (enum lost_cause)record->lost.cause, record->lost.total);
		return 0;
	case REC_READINGS: readings_clear(&model->readings); return 0;
	case REC_DEVICE_READING: return readings_device(&model->readings, &record->device_reading);
	case REC_INSTANCE_READING:
		return readings_instance(&model->readings, &record->instance_reading);
	case REC_PROCESS_READING:
		return readings_process(&model->readings, &record->process_reading);
	case REC_CLOCK:
		wall_clock_set(&model->clock, record->hdr.time, record->clock.real);
		return 0;
	case REC_MOMENT: return 0; /* for the code that makes the snapshot */
	default: break;
	}
	if (!row_makes_sense(record)) {
		model_lose(model, LOST_RECORD, 1);
		return 0;
	}
	if (record->hdr.type == REC_FAIL_ROW &&
	    call_outcome(record->fail_row.key.call, record->fail_row.key.result) == OUTCOME_DONE)
		return 0;
	program = model_program(model, record->hdr.program, &error);
	if (!program)
		return error;
	error = take_row(model, program, record);
	if (error) {
		model_lose(model, LOST_MEMORY, 1);
		program->inexact = true;
	}
	return error;
}

static int learn_extra(struct model *model, const struct rec_text *record, const char *symbol)
{
	int error;

	error = extra_names_learn(&model->extras, record, symbol);

	if (error)
		model_lose(model, LOST_MEMORY, 1);
	return error;
}

int model_record(struct model *model, const struct rec_hdr *raw, size_t len)
{
	const char *bytes = (const char *)raw;
	union record record;
	size_t fixed = stream_read(&record, raw, len);
	struct program *program;
	int error;

	if (!fixed)
		goto bad;
	/* Of a traced call, other records update the books; REC_CALL itself is not needed. */
	if (record.hdr.type == REC_EXEC || record.hdr.type == REC_MMAP ||
	    record.hdr.type == REC_CALL)
		return 0;
	if (record.hdr.type >= REC_LAUNCH_ROW)
		return dispatch_row(model, &record);

	if (record.hdr.time > model->latest)
		model->latest = record.hdr.time;
	if (record.hdr.type == REC_EXTRA)
		return learn_extra(model, &record.text, bytes + fixed);
	if (record.hdr.type == REC_NOTICE) {
		tell_notice(model, &record.text, bytes + fixed);
		return 0;
	}
	program = model_program(model, record.hdr.program, &error);
	if (!program)
		return error;
	if (program->ended && record_is(record.hdr.type, RECORD_ACT) &&
	    !(program->end_is_guess && record.hdr.type == REC_END)) {
		program->inexact = true;
		goto bad;
	}
	if (!program->known) {
		program->known = true;
		program->identity.pid = record.hdr.tgid;
		program->first_time = record.hdr.time;
		if (!model->begun || model->begun > program->first_time)
			model->begun = program->first_time;
	}
	if (program->ledger.book.displaced_count)
		lives_expire(model, program, record.hdr.time);
	device_numbers_listed(model);
	translate_device(program, &record);
	error = dispatch(model, program, &record, bytes + fixed, record.hdr.size - fixed);
	if (error)
		model_lose(model, LOST_MEMORY, 1);
	return error;
bad:
	model_lose(model, LOST_RECORD, 1);
	return -EINVAL;
}
