/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The allocators of frameworks in JSON: memory.allocators[]. */
#include "model/columns.h"
#include "print/json_parts.h"

/* A call site of an allocator's blocks. */
static json_t *block_site_object(struct json_writer *w, const struct snap_process *process,
				 const struct snap_site *site)
{
	json_t *o = put_new(w);

	put_text(w, o, "site", site->site);
	put_count(w, o, "live_bytes", site->live);
	put_count(w, o, "blocks", site->live_count);
	if (process->exited)
		put_count(w, o, "live_at_exit_bytes", site->held);
	if (process->has_suspect)
		put_count(w, o, "rising_bytes", site->suspect);
	if (site->sampled)
		put(w, o, "sampled", json_true());
	json_put_site(w, o, site);
	return o;
}

static json_t *block_object(struct json_writer *w, const struct snap_alloc *block)
{
	json_t *o = put_new(w);

	put_hex(w, o, "address", block->address);
	put_count(w, o, "size", block->bytes);
	put_seconds(w, o, "age_seconds", block->age);
	put_text(w, o, "state", alloc_state_names[block->state]);
	put_text(w, o, "site", block->site);
	return o;
}

json_t *json_allocator(struct json_writer *w, const struct snap_process *process,
		       const struct snap_allocator *allocator)
{
	json_t *o = put_new(w), *list = w->sink->error ? NULL : json_array();

	put_text(w, o, "name", allocator->name);
	put_device(w, o, allocator->device);
	put_count(w, o, "allocated_bytes", allocator->allocated);
	if (allocator->has_totals)
		put_count(w, o, "reserved_bytes", allocator->reserved);
	put_count(w, o, "peak_allocated_bytes", allocator->peak_allocated);
	if (allocator->has_totals)
		put_count(w, o, "peak_reserved_bytes", allocator->peak_reserved);
	if (allocator->has_gaps) {
		put_count(w, o, "free_in_segments_bytes", allocator->free_in_segments);
		put_count(w, o, "largest_gap_bytes", allocator->largest_gap);
		put_number(w, o, "fragmentation", allocator->fragmentation);
	}
	put_count(w, o, "largest_request_bytes", allocator->largest_request);
	put_count(w, o, "segments", allocator->segment_count);
	put_count(w, o, "blocks", allocator->blocks);
	put_count(w, o, "unknown_bytes", allocator->unknown);
	put_count(w, o, "handed_out", allocator->handed_out);
	put_count(w, o, "taken_back", allocator->taken_back);
	put_count(w, o, "out_of_memory", allocator->shortages);
	if (process->has_suspect && allocator->is_judged)
		put_count(w, o, "rising_bytes", allocator->rising);
	if (process->exited)
		put_count(w, o, "live_at_exit_bytes", allocator->ended);
	put_text(w, o, "watched_from", allocator->from_attach ? "attach" : "start");
	put(w, o, "inexact", json_boolean(allocator->inexact));
	put(w, o, "sites_sampled", json_boolean(allocator->sampled));
	for (size_t i = 0; list && i < allocator->map_count; i++)
		json_array_append_new(list, block_object(w, &allocator->map[i]));
	put(w, o, "map", list);
	put_count(w, o, "map_omitted", allocator->map_omitted);
	list = w->sink->error ? NULL : json_array();
	for (size_t i = 0; list && i < allocator->site_count; i++)
		json_array_append_new(list, block_site_object(w, process, &allocator->sites[i]));
	put(w, o, "sites", list);
	return o;
}
