/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes records apart, and gives each to who keeps the books of it.
 *
 * Records may lie at any alignment (a recording is mapped as it is) and may
 * lie about their length: each is copied into a struct of its own before it is
 * looked at, and its strings never leave its bytes.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "model/internal.h"
#include "model/stream.h"

static void tell_failure(struct model *model, struct image *image, const struct rec_fail *record)
{
	enum call_layer layer = call_layer(record->call);
	const char *name = error_name(layer, record->result), *meaning = error_meaning(layer, record->result);
	unsigned int hidden;

	if (!call_failed(record->call, record->result))
		return;
	if (layer != LAYER_EXTRA && error_is_sticky(record->result)) {
		/* That every call fails from then on was said: only the figures tell of the others. */
		if (!image->faulted)
			mortem_fault(model, image, record);
		image->faulted = true;
		return;
	}
	/* Allocations that found no memory are told one by one, with who holds it. */
	if (layer != LAYER_EXTRA && call_descs[record->call].class == CLASS_ALLOC && record->result == 2)
		return;
	if (!events_allow(image, EVENT_FAILURE, record->hdr.time, &hidden))
		return;
	if (name)
		events_add(model, image, EVENT_FAILURE, record->hdr.time, 0, "%s failed: %s (%d)%s%s", call_name(record->call),
			   name, record->result, meaning ? ": " : "", meaning ? meaning : "");
	else
		events_add(model, image, EVENT_FAILURE, record->hdr.time, 0, "%s failed with %s%d",
			   model_call_brief(model, record->call), layer == LAYER_EXTRA ? "" : "code ", record->result);
}

/* The fixed part of each record. */
union record {
	struct rec_hdr hdr;
	struct rec_process process;
	struct rec_end end;
	struct rec_alloc alloc;
	struct rec_free free;
	struct rec_copy copy;
	struct rec_fail fail;
	struct rec_reset reset;
	struct rec_map map;
	struct rec_tiles tiles;
	struct rec_kernel kernel;
	struct rec_launched_at launched_at;
	struct rec_fault fault;
	struct rec_host host;
	struct rec_device device;
	struct rec_module module;
	struct rec_graph graph;
	struct rec_stack stack;
	struct rec_identity identity;
	struct rec_text text;
	struct rec_launch_row launch;
	struct rec_copy_row copy_row;
	struct rec_call_row call;
	struct rec_call traced;
	struct rec_graph_row graph_row;
	struct rec_fail_row fail_row;
	struct rec_pending_row pending;
	struct rec_sync sync;
	struct rec_unseen unseen;
	struct rec_limit limit;
	struct rec_unreturned unreturned;
	struct rec_synced synced;
	struct rec_lost lost;
	struct rec_moment moment;
	struct rec_clock clock;
	struct rec_device_reading device_reading;
	struct rec_process_reading process_reading;
};

size_t record_size(unsigned int type)
{
	switch (type) {
	case REC_PROCESS: return sizeof(struct rec_process);
	case REC_END: return sizeof(struct rec_end);
	case REC_ALLOC: return sizeof(struct rec_alloc);
	case REC_FREE: return sizeof(struct rec_free);
	case REC_COPY: return sizeof(struct rec_copy);
	case REC_FAIL: return sizeof(struct rec_fail);
	case REC_RESET: return sizeof(struct rec_reset);
	case REC_LAUNCHED_AT: return sizeof(struct rec_launched_at);
	case REC_FAULT: return sizeof(struct rec_fault);
	case REC_HOST: return sizeof(struct rec_host);
	case REC_DEVICE: return sizeof(struct rec_device);
	case REC_MAP: return sizeof(struct rec_map);
	case REC_TILES: return sizeof(struct rec_tiles);
	case REC_KERNEL: return sizeof(struct rec_kernel);
	case REC_MODULE: return sizeof(struct rec_module);
	case REC_GRAPH: return sizeof(struct rec_graph);
	case REC_EXEC: return sizeof(struct rec_exec);
	case REC_MMAP: return sizeof(struct rec_mmap);
	case REC_STACK: return sizeof(struct rec_stack);
	case REC_IDENTITY: return sizeof(struct rec_identity);
	case REC_SITE:
	case REC_NAME:
	case REC_EXTRA: return sizeof(struct rec_text);
	case REC_LAUNCH_ROW: return sizeof(struct rec_launch_row);
	case REC_COPY_ROW: return sizeof(struct rec_copy_row);
	case REC_CALL_ROW: return sizeof(struct rec_call_row);
	case REC_GRAPH_ROW:
	case REC_GRAPH_LAST: return sizeof(struct rec_graph_row);
	case REC_FAIL_ROW: return sizeof(struct rec_fail_row);
	case REC_PENDING_ROW: return sizeof(struct rec_pending_row);
	case REC_SYNC: return sizeof(struct rec_sync);
	case REC_SYNCED: return sizeof(struct rec_synced);
	case REC_INEXACT:
	case REC_READINGS:
	case REC_GRAPHS_DONE: return sizeof(struct rec_hdr);
	case REC_LOST: return sizeof(struct rec_lost);
	case REC_MOMENT: return offsetof(struct rec_moment, at_entry);
	case REC_CLOCK: return sizeof(struct rec_clock);
	case REC_CALL: return sizeof(struct rec_call);
	case REC_DEVICE_READING: return sizeof(struct rec_device_reading);
	case REC_PROCESS_READING: return sizeof(struct rec_process_reading);
	case REC_UNRETURNED: return sizeof(struct rec_unreturned);
	case REC_UNSEEN: return sizeof(struct rec_unseen);
	case REC_LIMIT: return sizeof(struct rec_limit);
	default: return 0;
	}
}

size_t record_call_offset(unsigned int type)
{
	switch (type) {
	case REC_ALLOC: return offsetof(struct rec_alloc, call);
	case REC_FREE: return offsetof(struct rec_free, call);
	case REC_COPY: return offsetof(struct rec_copy, call);
	case REC_FAIL: return offsetof(struct rec_fail, call);
	case REC_RESET: return offsetof(struct rec_reset, call);
	case REC_KERNEL: return offsetof(struct rec_kernel, call);
	case REC_LAUNCHED_AT: return offsetof(struct rec_launched_at, call);
	case REC_HOST: return offsetof(struct rec_host, call);
	case REC_MAP: return offsetof(struct rec_map, call);
	case REC_TILES: return offsetof(struct rec_tiles, call);
	case REC_GRAPH: return offsetof(struct rec_graph, call);
	case REC_CALL: return offsetof(struct rec_call, call);
	case REC_LAUNCH_ROW: return offsetof(struct rec_launch_row, key.call);
	case REC_COPY_ROW: return offsetof(struct rec_copy_row, key.call);
	case REC_CALL_ROW: return offsetof(struct rec_call_row, key.call);
	case REC_FAIL_ROW: return offsetof(struct rec_fail_row, key.call);
	case REC_GRAPH_ROW:
	case REC_GRAPH_LAST: return offsetof(struct rec_graph_row, row.call);
	default: return 0;
	}
}

static bool makes_sense(const union record *record, size_t tail)
{
	switch (record->hdr.type) {
	case REC_END:
		return record->end.reason <= END_EXEC;
	case REC_ALLOC:
		return record->alloc.call < CALL_COUNT && record->alloc.kind < KIND_COUNT;
	case REC_FREE:
		return record->free.call < CALL_COUNT;
	case REC_COPY:
		return record->copy.call < CALL_COUNT && record->copy.direction <= DIR_DEFAULT;
	case REC_FAIL:
		return record->fail.call < CALL_COUNT || CUTOP_IS_EXTRA(record->fail.call);
	case REC_LAUNCHED_AT:
		return record->launched_at.call < CALL_COUNT;
	case REC_HOST:
		return record->host.call < CALL_COUNT;
	case REC_RESET:
		return record->reset.call < CALL_COUNT;
	case REC_MAP:
		return record->map.call < CALL_COUNT && record->map.act < MAP_ACT_COUNT;
	case REC_TILES:
		return record->tiles.call < CALL_COUNT;
	case REC_GRAPH:
		return record->graph.call < CALL_COUNT && record->graph.role >= GRAPH_CREATE && record->graph.role < GRAPH_ROLE_COUNT &&
		       record->graph.role != EXEC_LAUNCH;
	case REC_STACK:
		return record->stack.stack && record->stack.count <= CUTOP_STACK_FRAMES &&
		       record->stack.count <= tail / sizeof(record->stack.frames[0]);
	case REC_KERNEL:
		return record->kernel.name_len <= tail;
	case REC_CALL:
		return (record->traced.call < CALL_COUNT || CUTOP_IS_EXTRA(record->traced.call)) &&
		       record->traced.moment <= CALL_LEFT &&
		       record->traced.kernel_words <= tail / sizeof(__u64);
	case REC_SITE:
	case REC_NAME:
		return record->text.text_len <= tail;
	case REC_EXTRA:
		return record->text.text_len <= tail && CUTOP_IS_EXTRA(record->text.address) &&
		       record->text.flags < EXTRA_RESULT_COUNT;
	default:
		return true;
	}
}

/* Records that change the books of an image: none may come after its end. */
static bool is_act(unsigned int type)
{
	return type == REC_PROCESS || type == REC_END || type == REC_ALLOC || type == REC_FREE || type == REC_COPY ||
	       type == REC_RESET || type == REC_FAULT || type == REC_HOST || type == REC_DEVICE || type == REC_MAP ||
	       type == REC_TILES || type == REC_GRAPH;
}

static int name_site(struct image *image, const struct rec_text *record, const char *text)
{
	struct place *place = sites_place(&image->sites, record->address);
	struct site *site;
	int error;

	if (!place)
		return image->sites.place_count >= PLACES_MAX ? 0 : -ENOMEM;
	place->flags = record->flags;
	for (site = sites_at(&image->sites, record->address); site; site = sites_next(site))
		caches_judge(image, site);
	if (!record->text_len)
		return 0;
	if (image->name_bytes + record->text_len > NAME_BYTES_MAX)
		return -ENOMEM;
	image->name_bytes -= place->name ? strlen(place->name) : 0;
	error = place_set_name(place, text, record->text_len);
	image->name_bytes += place->name ? strlen(place->name) : 0;
	return error;
}

/* Time (ns) from @entry to the record's, which was made at return. */
static uint64_t time_inside(const struct rec_hdr *hdr, uint64_t entry)
{
	return subtract_saturated(hdr->time, entry);
}

/*
 * Records say the device as the process counts; the books, which are compared
 * over processes, go by the machine's numbers. Rows of counters, and copies,
 * which become rows, keep the process's until they are shown.
 */
static void translate_device(const struct image *image, union record *record)
{
	switch (record->hdr.type) {
	case REC_ALLOC:
		record->alloc.device = image_device(image, record->alloc.device);
		break;
	case REC_RESET:
		record->reset.device = image_device(image, record->reset.device);
		break;
	case REC_DEVICE:
		record->device.device = image_device(image, record->device.device);
		break;
	default:
		break;
	}
}

static int dispatch(struct model *model, struct image *image, const union record *record, const char *tail, size_t tail_len)
{
	int error;

	switch (record->hdr.type) {
	case REC_PROCESS:
		image_begin(model, image, &record->process);
		return 0;
	case REC_END:
		image->sync_ns = record->end.sync_ns > image->sync_ns ? record->end.sync_ns : image->sync_ns;
		image_end(model, image, record->hdr.time, record->end.reason, (int)record->end.exit_code);
		return 0;
	case REC_ALLOC:
		error = counters_call(image, record->alloc.call, time_inside(&record->hdr, record->alloc.entry),
				      call_failed(record->alloc.call, record->alloc.result));
		/* Captured, it is a node: the graph's memory is not in these books. That it is the device's may matter. */
		if (record->alloc.how & ALLOC_CAPTURED && !record->alloc.result)
			return globals_learn(image, record->alloc.address, record->alloc.bytes) ?: error;
		return ledger_alloc(model, image, &record->alloc) ?: error;
	case REC_FREE:
		error = counters_call(image, record->free.call, time_inside(&record->hdr, record->free.entry),
				      call_failed(record->free.call, record->free.result));
		if (!record->free.captured || record->free.result)
			ledger_free(model, image, &record->free);
		return error;
	case REC_COPY:
		return copies_record(model, image, &record->copy);
	case REC_FAIL:
		tell_failure(model, image, &record->fail);
		return 0;
	case REC_RESET:
		image->faulted = false;
		image->fault.hdr.size = 0;
		ledger_reset(model, image, &record->reset);
		return 0;
	case REC_FAULT:
		image->fault = record->fault;
		return 0;
	case REC_HOST:
		return pending_host(model, image, &record->host);
	case REC_DEVICE:
		devices_size(model, image, record->device.device, record->device.total, record->hdr.time);
		return 0;
	case REC_MAP:
		return mappings_record(model, image, &record->map);
	case REC_TILES:
		return tiles_record(model, image, &record->tiles);
	case REC_KERNEL:
		if (record->kernel.call < CALL_COUNT)
			image->runtime_launched |= call_descs[record->kernel.call].layer == LAYER_RUNTIME;
		return kernels_name(image, record->kernel.function, record->kernel.stub, record->kernel.source,
				    record->kernel.truncated, tail, record->kernel.name_len);
	case REC_LAUNCHED_AT:
		return kernels_place(image, &record->launched_at);
	case REC_MODULE:
		return kernels_module(image, &record->module);
	case REC_GRAPH:
		return graphs_record(model, image, &record->graph);
	case REC_STACK:
		return sites_stack(&image->sites, record->stack.stack, tail, record->stack.count);
	case REC_IDENTITY:
		return image_identify(image, &record->identity, tail, tail_len);
	case REC_SITE:
		return name_site(image, &record->text, tail);
	case REC_NAME:
		return kernels_name(image, record->text.address, 0, record->text.flags, false, tail, record->text.text_len);
	default:
		return 0;
	}
}

/* What was read at a refresh. It makes no image known: that is for those who say which process it is. */
static int dispatch_row(struct model *model, const union record *record)
{
	switch (record->hdr.type) {
	case REC_LAUNCH_ROW:
		return model_launch_row(model, &record->launch.key, &record->launch.row);
	case REC_COPY_ROW:
		return model_copy_row(model, &record->copy_row.key, &record->copy_row.row);
	case REC_CALL_ROW:
		return model_call_row(model, &record->call.key, &record->call.row);
	case REC_GRAPH_ROW:
		return model_graph_row(model, &record->graph_row.key, &record->graph_row.row);
	case REC_FAIL_ROW:
		return model_fail_row(model, &record->fail_row.key, &record->fail_row.row);
	case REC_PENDING_ROW:
		return model_pending_row(model, &record->pending.key, &record->pending.row);
	case REC_GRAPH_LAST:
		model_graph_last(model, &record->graph_row.key, &record->graph_row.row);
		return 0;
	case REC_SYNC:
		model_sync(model, record->hdr.image, record->sync.ns);
		return 0;
	case REC_SYNCED:
		model_synced(model, record->hdr.image, record->synced.slots);
		return 0;
	case REC_INEXACT:
		model_inexact(model, record->hdr.image, record->hdr.time);
		return 0;
	case REC_UNRETURNED:
		model_unreturned(model, record->hdr.image, record->unreturned.why);
		return 0;
	case REC_UNSEEN:
		model_unseen(model, &record->unseen);
		return 0;
	case REC_LIMIT:
		model_limit(model, &record->limit);
		return 0;
	case REC_GRAPHS_DONE:
		model_graphs_done(model, record->hdr.image);
		return 0;
	case REC_LOST:
		model_lost(model, (enum lost_cause)record->lost.cause, record->lost.total);
		return 0;
	case REC_READINGS:
		readings_clear(model);
		return 0;
	case REC_DEVICE_READING:
		return readings_device(model, &record->device_reading);
	case REC_PROCESS_READING:
		return readings_process(model, &record->process_reading);
	case REC_CLOCK:
		model_clock(model, &record->clock);
		return 0;
	default:	/* REC_MOMENT: for whoever makes the snapshot */
		return 0;
	}
}

int model_record(struct model *model, const struct rec_hdr *raw, size_t len)
{
	const char *bytes = (const char *)raw;
	union record record;
	struct image *image;
	size_t fixed;
	int error;

	if (len < sizeof(record.hdr))
		goto bad;
	memcpy(&record.hdr, bytes, sizeof(record.hdr));
	fixed = record_size(record.hdr.type);
	if (!fixed || record.hdr.size > len || record.hdr.size < fixed)
		goto bad;
	if (record.hdr.type == REC_EXEC || record.hdr.type == REC_MMAP)
		return 0;
	memcpy(&record, bytes, fixed);
	if (!makes_sense(&record, record.hdr.size - fixed))
		goto bad;
	if (record.hdr.type == REC_CALL)
		return 0;	/* other records keep the books of it */
	if (record.hdr.type >= REC_LAUNCH_ROW)
		return dispatch_row(model, &record);

	if (record.hdr.time > model->latest)
		model->latest = record.hdr.time;
	if (record.hdr.type == REC_EXTRA)
		return model_extra_learn(model, &record.text, bytes + fixed);
	image = model_image(model, record.hdr.image, &error);
	if (!image)
		return error;
	if (image->ended && is_act(record.hdr.type)) {
		image->inexact = true;
		goto bad;
	}
	if (!image->known) {
		image->known = true;
		image->pid = record.hdr.tgid;
		image->first_time = record.hdr.time;
	}
	ledger_expire(model, image, record.hdr.time);
	translate_device(image, &record);
	error = dispatch(model, image, &record, bytes + fixed, record.hdr.size - fixed);
	if (error)
		model_lose(model, LOST_MEMORY, 1);
	return error;
bad:
	model_lose(model, LOST_RECORD, 1);
	return -EINVAL;
}
