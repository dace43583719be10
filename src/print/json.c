/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot as one line of JSON: schema 1.
 *
 * The functions follow the document from the outside in, and each writes its
 * members in the schema's order. What is not known is left out, and so is
 * what this machine cannot say. Counters are integers, durations and rates reals.
 * Figures of a process that are columns, too, come from the column table.
 */
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "util/json_writer.h"
#include "print/json_parts.h"
#include "print/print.h"

#define SCHEMA 1

/* The name of @index in a table, "unknown" for a number outside it. */
#define NAME_OF(table, index) \
	((index) < sizeof(table) / sizeof((table)[0]) && (table)[index] ? (table)[index] : \
									  "unknown")

void json_put_latency(struct json_writer *w, json_t *object, const struct snap_latency *latency)
{
	json_t *seconds;

	if (!isfinite(latency->max))
		return;
	seconds = put_new(w);
	put_number(w, seconds, "p50", latency->p50);
	put_number(w, seconds, "p99", latency->p99);
	put_number(w, seconds, "max", latency->max);
	put(w, object, "latency_seconds", seconds);
}

static json_t *alloc_object(struct json_writer *w, const struct snap_alloc *alloc)
{
	json_t *o = put_new(w);

	put_hex(w, o, "address", alloc->address);
	put_count(w, o, "size", alloc->bytes);
	put_text(w, o, "kind", NAME_OF(alloc_kind_names, alloc->kind));
	put_device(w, o, alloc->device);
	put_seconds(w, o, "age_seconds", alloc->age);
	put_text(w, o, "call", call_name(alloc->call));
	put_text(w, o, "site", alloc->site);
	put_text(w, o, "state", NAME_OF(alloc_state_names, alloc->state));
	return o;
}

/* ---- what columns hold, too ---- */

static void put_value(struct json_writer *w, json_t *o, const char *key,
		      const struct column *column, const struct snap_process *process)
{
	const struct column_value value = column->value(process);

	if (column->unit == UNIT_TEXT)
		put_text(w, o, key, value.text);
	else if (!value.absent && (column->unit == UNIT_COUNT || column->unit == UNIT_BYTES ||
				   column->unit == UNIT_ID))
		put_count(w, o, key, value.count);
	else if (!value.absent)
		put_number(w, o, key,
			   column->unit == UNIT_PERCENT ? value.number / 100 : value.number);
}

/* Puts the member @path of @process ("memory.frees") into @o, the object it is in. */
static void put_column(struct json_writer *w, json_t *o, const char *path,
		       const struct snap_process *process)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; i < column_count; i++)
		if (columns[i].json && !strcmp(columns[i].json, path))
			put_value(w, o, dot ? dot + 1 : path, &columns[i], process);
}

/*
 * Puts the remaining columns of @object ("memory."), which have no fixed place in the schema's
 * order.
 */
static void put_new_columns(struct json_writer *w, json_t *o, const char *object,
			    const struct snap_process *process)
{
	size_t len = strlen(object);

	for (size_t i = 0; i < column_count; i++) {
		const char *path = columns[i].json,
			   *key = path && !strncmp(path, object, len) ? path + len : NULL;

		if (key && !strchr(key, '.') && !json_object_get(o, key))
			put_value(w, o, key, &columns[i], process);
	}
}

static void write_memory(struct json_writer *w, const struct snap_process *process)
{
	json_t *o = put_new(w), *kinds = put_new(w);

	json_open(w, "memory", '{');
	put_column(w, o, "memory.live_bytes", process);
	put_column(w, o, "memory.peak_bytes", process);
	put_count(w, o, "leaked_bytes", process->leaked);
	put_column(w, o, "memory.held_bytes", process);
	if (process->leaked_by_reset)
		put_count(w, o, "leaked_by_reset_bytes", process->leaked_by_reset);
	if (process->leaked_by_context)
		put_count(w, o, "leaked_by_context_bytes", process->leaked_by_context);
	if (process->held_unproven)
		put_count(w, o, "held_unproven_bytes", process->held_unproven);
	put_column(w, o, "memory.suspect_bytes", process);
	put_count(w, o, "allocated_bytes", process->allocated);
	put_column(w, o, "memory.used_bytes", process);
	put_column(w, o, "memory.untracked_bytes", process);
	put_count(w, o, "live_allocations", process->live_allocations);
	put_count(w, o, "allocations", process->allocations);
	put_column(w, o, "memory.frees", process);
	put_count(w, o, "failed_allocations", process->failed_allocations);
	put_count(w, o, "failed_frees", process->failed_frees);
	put_count(w, o, "double_frees", process->double_frees);
	put_count(w, o, "unknown_frees", process->unknown_frees);
	put_new_columns(w, o, "memory.", process);
	for (size_t i = 0; i < KIND_COUNT; i++)
		put_count(w, kinds, alloc_kind_names[i], process->kinds[i]);
	put(w, o, "kinds", kinds);
	json_members(w, o);

	json_open(w, "map", '[');
	for (size_t i = 0; i < process->map_count && !w->sink->error; i++)
		json_item(w, alloc_object(w, &process->map[i]));
	json_close(w, ']');

	if (process->allocator_count) {
		json_open(w, "allocators", '[');
		for (size_t i = 0; i < process->allocator_count && !w->sink->error; i++)
			json_item(w, json_allocator(w, process, &process->allocators[i]));
		json_close(w, ']');
	}

	o = put_new(w);
	put_count(w, o, "map_omitted", process->map_omitted);
	json_members(w, o);
	json_close(w, '}');
}

static const char *returns_name(bool unreturned, bool sampled)
{
	return unreturned ? "none" : sampled ? "sampled" : "all";
}

static json_t *kernel_object(struct json_writer *w, const struct snap_kernel *kernel,
			     bool unreturned)
{
	json_t *o = put_new(w);

	put_text(w, o, "name", kernel->name);
	put_text(w, o, "signature", kernel->signature);
	put_text(w, o, "symbol", kernel->symbol);
	put_device(w, o, kernel->device);
	put_count(w, o, "launches", kernel->launches);
	if (!unreturned)
		put_count(w, o, "failures", kernel->failures);
	put_count(w, o, "captured", kernel->captured);
	put_count(w, o, "graph_launches", kernel->graph_launches);
	if (kernel->updatable)
		put(w, o, "graph_launches_exact", json_false());
	if (kernel->is_graph)
		put(w, o, "unknown_graph", json_true());
	put(w, o, "grid", dim_array(w, kernel->grid));
	put(w, o, "block", dim_array(w, kernel->block));
	put_count(w, o, "shared_bytes", kernel->shared_bytes);
	put_hex(w, o, "stream", kernel->stream);
	put_number(w, o, "launches_per_second", kernel->launches_per_second);
	put_number(w, o, "graph_launches_per_second", kernel->graph_launches_per_second);
	put_text(w, o, "returns", returns_name(unreturned, kernel->sampled));
	put_count(w, o, "latency_samples", kernel->samples);
	json_put_latency(w, o, &kernel->latency);
	return o;
}

static json_t *copy_object(struct json_writer *w, const struct snap_copy *copy, bool unreturned)
{
	json_t *o = put_new(w);

	put_text(w, o, "direction", NAME_OF(copy_direction_names, copy->direction));
	put_text(w, o, "mode", NAME_OF(copy_mode_names, copy->mode));
	put_device(w, o, copy->device);
	put_count(w, o, "calls", copy->calls);
	if (!unreturned)
		put_count(w, o, "failures", copy->failures);
	put_count(w, o, "bytes", copy->bytes);
	if (!unreturned)
		put_number(w, o, "seconds", copy->seconds);
	if (copy->mode == COPY_SYNC && !unreturned)
		put_number(w, o, "bytes_per_second", copy->bytes_per_second);
	put_number(w, o, "rate_bytes_per_second", copy->rate_bytes_per_second);
	if (copy->pageable)
		put(w, o, "pageable", json_true());
	put(w, o, "sizes", count_array(w, copy->sizes, CUTOP_SIZE_BUCKETS));
	return o;
}

/* "call" is the symbol; a mangled symbol's readable name stands beside it, as for kernels. */
static void put_call(struct json_writer *w, json_t *o, unsigned int call,
		     const struct snap_extra *extra)
{
	put_text(w, o, "call", snapshot_call_name(call, extra));
	if (!extra->signature)
		return;
	put_text(w, o, "name", snapshot_call_brief(call, extra));
	put_text(w, o, "signature", extra->signature);
}

static json_t *call_object(struct json_writer *w, const struct snap_call *call, bool unreturned)
{
	json_t *o = put_new(w);

	put_call(w, o, call->call, &call->extra);
	put_text(w, o, "layer", call_layer_name(call_layer(call->call)));
	put_count(w, o, "calls", call->calls);
	if (!unreturned && (!call->extra.symbol || call->judged))
		put_count(w, o, "failures", call->failures);
	put_text(w, o, "returns", returns_name(unreturned, call->sampled));
	if (unreturned)
		return o;
	put_number(w, o, "seconds", call->seconds);
	if (call->calls && !call->sampled)
		put_number(w, o, "mean_seconds", call->seconds / (double)call->calls);
	json_put_latency(w, o, &call->latency);
	return o;
}

static json_t *failure_object(struct json_writer *w, const struct snap_failure *failure)
{
	json_t *o = put_new(w);

	put_call(w, o, failure->call, &failure->extra);
	put_text(w, o, "error", failure->error);
	put(w, o, "code", json_integer(failure->code));
	if (!failure->extra.symbol && error_is_sticky(failure->code))
		put(w, o, "sticky", json_true());
	put_count(w, o, "count", failure->count);
	put_text(w, o, "words", failure->reason);
	put_time(w, o, "first", failure->first);
	put_time(w, o, "last", failure->last);
	put_text(w, o, "site", failure->where.site);
	json_put_place(w, o, &failure->where);
	put_text(w, o, "kernel", failure->kernel);
	return o;
}

static void write_failures(struct json_writer *w, const char *name,
			   const struct snap_process *process, size_t from, size_t count)
{
	json_open(w, name, '[');
	for (size_t i = from; i < from + count && !w->sink->error; i++)
		json_item(w, failure_object(w, &process->failure_list[i]));
	json_close(w, ']');
}

static json_t *site_object(struct json_writer *w, const struct snap_process *process,
			   const struct snap_site *site)
{
	json_t *o = put_new(w);

	put_text(w, o, "site", site->site);
	put_count(w, o, "live_bytes", site->live);
	put_count(w, o, "leaked_bytes", site->leaked);
	put_count(w, o, "held_bytes", site->held);
	if (process->has_suspect)
		put_count(w, o, "suspect_bytes", site->suspect);
	json_put_site(w, o, site);
	return o;
}

static json_t *graph_object(struct json_writer *w, const struct snap_graph_site *site)
{
	json_t *o = put_new(w);

	put_text(w, o, "call", call_name(site->call));
	put_count(w, o, "instantiated", site->made);
	put_count(w, o, "live", site->live);
	put_count(w, o, "launches", site->launches);
	put_text(w, o, "site", site->where.site);
	json_put_place(w, o, &site->where);
	return o;
}

static json_t *launch_site_object(struct json_writer *w, const struct snap_launch_site *site)
{
	json_t *o = put_new(w);

	put_text(w, o, "site", site->at.site);
	json_put_place(w, o, &site->at);
	if (site->kernel) {
		put_text(w, o, "kernel", site->kernel->name);
		put_device(w, o, site->kernel->device);
	}
	put_count(w, o, "launches", site->launches);
	put_count(w, o, "samples", site->samples);
	put(w, o, "sampled", json_boolean(site->sampled));
	return o;
}

static json_t *wait_site_object(struct json_writer *w, const struct snap_wait_site *site)
{
	json_t *o = put_new(w);

	put_text(w, o, "site", site->at.site);
	json_put_place(w, o, &site->at);
	put_text(w, o, "call", call_name(site->call));
	put_count(w, o, "calls", site->calls);
	put_number(w, o, "seconds", site->seconds);
	return o;
}

/* Where kernels are launched and threads wait: with --launch-sites. */
static void write_call_sites(struct json_writer *w, const struct snap_process *process)
{
	if (process->launch_site_count) {
		json_open(w, "launch_sites", '[');
		for (size_t i = 0; i < process->launch_site_count && !w->sink->error; i++)
			json_item(w, launch_site_object(w, &process->launch_sites[i]));
		json_close(w, ']');
	}
	if (process->wait_site_count) {
		json_open(w, "wait_sites", '[');
		for (size_t i = 0; i < process->wait_site_count && !w->sink->error; i++)
			json_item(w, wait_site_object(w, &process->wait_sites[i]));
		json_close(w, ']');
	}
}

static void put_end(struct json_writer *w, json_t *o, const struct snap_process *process)
{
	if (!process->exited)
		return;
	if (process->end_reason == END_EXEC) {
		put_text(w, o, "ended", "exec");
		return;
	}
	put_text(w, o, "ended", "exit");
	if (process->end_is_guess)
		return;
	if (WIFEXITED(process->exit_code))
		put(w, o, "exit_code", json_integer(WEXITSTATUS(process->exit_code)));
	else if (WIFSIGNALED(process->exit_code))
		put(w, o, "signal", json_integer(WTERMSIG(process->exit_code)));
}

static json_t *given_up_array(struct json_writer *w, const struct snap_process *process)
{
	json_t *array = w->sink->error ? NULL : json_array(), *o;

	for (int kind = 0; array && kind < SPARE_COUNT; kind++) {
		if (!process->given_up[kind])
			continue;
		o = put_new(w);
		put_text(w, o, "what", spare_names[kind]);
		put_seconds(w, o, "since", process->given_up[kind]);
		json_array_append_new(array, o);
	}
	return array;
}

static json_t *process_head(struct json_writer *w, const struct snap_process *process)
{
	json_t *o = put_new(w);

	put_column(w, o, "pid", process);
	put_count(w, o, "parent_pid", process->parent_pid);
	if (process->start_time)
		put_seconds(w, o, "start_time", process->start_time);
	put_column(w, o, "user", process);
	put_text(w, o, "command", process->command);
	put_text(w, o, "arguments", process->arguments);
	put_column(w, o, "container", process);
	put_column(w, o, "pod", process);
	put_column(w, o, "ns_pid", process);
	put_column(w, o, "state", process);
	put_end(w, o, process);
	put_text(w, o, "watched_from", process->from_attach ? "attach" : "start");
	put_text(w, o, "runtime_watched_from",
		 process->from_attach || process->runtime_late ? "attach" : "start");
	put(w, o, "inexact", json_boolean(process->inexact));
	if (process->unreturned)
		put_text(w, o, "no_returns", NAME_OF(unreturned_names, process->unreturned));
	put_number(w, o, "cost", process->cost);
	put(w, o, "given_up", given_up_array(w, process));
	put(w, o, "devices", device_array(w, process->devices, process->device_count));
	put_new_columns(w, o, "", process);
	return o;
}

static void write_process(struct json_writer *w, const struct snapshot *snapshot,
			  const struct snap_process *process)
{
	json_t *o;

	json_open(w, NULL, '{');
	json_members(w, process_head(w, process));
	if (!process->unreturned)
		write_memory(w, process);
	json_open(w, "kernels", '[');
	for (size_t i = 0; i < process->kernel_count && !w->sink->error; i++)
		json_item(w, kernel_object(w, &process->kernels[i], process->unreturned));
	json_close(w, ']');
	json_open(w, "copies", '[');
	for (size_t i = 0; i < process->copy_count && !w->sink->error; i++)
		json_item(w, copy_object(w, &process->copies[i], process->unreturned));
	json_close(w, ']');
	json_open(w, "calls", '[');
	for (size_t i = 0; i < process->call_count && !w->sink->error; i++)
		json_item(w, call_object(w, &process->call_list[i], process->unreturned));
	json_close(w, ']');
	write_failures(w, "failures", process, 0, process->failure_count);
	write_failures(w, "answers", process, process->failure_count, process->answer_count);
	write_failures(w, "failures_at_exit", process,
		       process->failure_count + process->answer_count, process->at_exit_count);
	json_open(w, "sites", '[');
	for (size_t i = 0; i < process->site_count && !w->sink->error; i++)
		json_item(w, site_object(w, process, &process->sites[i]));
	json_close(w, ']');
	write_call_sites(w, process);

	if (process->graph_site_count) {
		json_open(w, "graphs", '[');
		for (size_t i = 0; i < process->graph_site_count && !w->sink->error; i++)
			json_item(w, graph_object(w, &process->graph_sites[i]));
		json_close(w, ']');
	}
	json_open(w, "synchronize", '{');
	o = put_new(w);
	if (!process->unreturned) {
		put_number(w, o, "seconds", process->sync_seconds);
		put_number(w, o, "share", process->sync_share);
	}
	json_members(w, o);
	json_close(w, '}');
	json_write_time(w, snapshot, process);
	json_close(w, '}');
}

static json_t *instance_object(struct json_writer *w, const struct snap_instance *instance)
{
	json_t *o = put_new(w);

	put_count(w, o, "gpu_instance", instance->gpu_instance);
	put_count(w, o, "compute_instance", instance->compute_instance);
	put_text(w, o, "name", instance->name);
	put_text(w, o, "uuid", instance->uuid);
	if (instance->has_used) {
		put_count(w, o, "used_bytes", instance->used);
		put_count(w, o, "total_bytes", instance->total);
	}
	put_count(w, o, "tracked_bytes", instance->tracked);
	return o;
}

/* What a process uses of a device. */
static json_t *device_use_object(struct json_writer *w, const struct snap_device *device,
				 const struct snap_device_use *use)
{
	json_t *o = put_new(w);

	put_count(w, o, "pid", use->pid);
	if (use->instance >= 0) {
		const struct snap_instance *instance = &device->instances[use->instance];

		put_count(w, o, "gpu_instance", instance->gpu_instance);
		put_count(w, o, "compute_instance", instance->compute_instance);
	}
	if (use->has_used)
		put_count(w, o, "used_bytes", use->used);
	if (use->program)
		put_count(w, o, "tracked_bytes", use->live);
	return o;
}

static json_t *device_object(struct json_writer *w, const struct snap_device *device)
{
	json_t *o = put_new(w), *list;

	put_count(w, o, "device", (uint64_t)device->device);
	put_text(w, o, "name", device->name);
	put_text(w, o, "uuid", device->uuid);
	if (device->has_used)
		put_count(w, o, "used_bytes", device->used);
	if (device->total)
		put_count(w, o, "total_bytes", device->total);
	put_count(w, o, "tracked_bytes", device->tracked);
	put_number(w, o, "utilization", device->utilization);
	put_number(w, o, "temperature_celsius", device->temperature);
	put_number(w, o, "power_watts", device->power);
	put_number(w, o, "power_limit_watts", device->power_limit);
	if (device->instance_count) {
		list = w->sink->error ? NULL : json_array();
		for (size_t i = 0; list && i < device->instance_count; i++)
			json_array_append_new(list, instance_object(w, &device->instances[i]));
		put(w, o, "instances", list);
	}
	if (device->use_count) {
		list = w->sink->error ? NULL : json_array();
		for (size_t i = 0; list && i < device->use_count; i++)
			json_array_append_new(list, device_use_object(w, device, &device->uses[i]));
		put(w, o, "processes", list);
	}
	return o;
}

static bool snapshot_has_unseen(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < UNSEEN_COUNT; i++)
		if (snapshot->unseen[i].total)
			return true;
	return false;
}

static json_t *snapshot_head(struct json_writer *w, const struct snapshot *snapshot,
			     const char *version)
{
	json_t *o = put_new(w), *part;

	put_count(w, o, "schema", SCHEMA);
	put_text(w, o, "tool", "cutop");
	put_text(w, o, "version", version);
	put_text(w, o, "host", snapshot->host[0] ? snapshot->host : NULL);
	put_time(w, o, "started", snapshot->started);
	put_time(w, o, "time", snapshot->time);
	put_number(w, o, "elapsed_seconds", snapshot->elapsed_seconds);
	put_number(w, o, "interval_seconds", snapshot->interval_seconds);
	put(w, o, "whole_run", json_boolean(snapshot->is_whole));

	part = put_new(w);
	put_count(w, part, "targets", snapshot->targets);
	put_count(w, part, "attached", snapshot->attached);
	put_count(w, part, "missing", snapshot->missing);
	if (snapshot->has_points) {
		put_count(w, part, "at_entry", snapshot->at_entry);
		put_count(w, part, "past_entry", snapshot->past_entry);
		put_count(w, part, "single_stepped", snapshot->single_stepped);
	}
	put(w, o, "probes", part);

	part = put_new(w);
	put_number(w, part, "cpu_seconds", snapshot->self_cpu_seconds);
	put_count(w, part, "resident_bytes", snapshot->self_resident_bytes);
	put(w, o, "self", part);

	part = put_new(w);
	for (size_t i = 0; i < LOST_COUNT; i++)
		put_count(w, part, lost_cause_names[i], snapshot->lost[i]);
	put(w, o, "lost", part);

	if (snapshot_has_unseen(snapshot)) {
		part = put_new(w);
		for (size_t i = 0; i < UNSEEN_COUNT; i++)
			if (snapshot->unseen[i].total)
				put_count(w, part, unseen_cause_names[i],
					  snapshot->unseen[i].total);
		put(w, o, "unseen", part);
	}

	part = put_new(w);
	put_count(w, part, "processes", snapshot->process_count);
	put_count(w, part, "processes_omitted", snapshot->gone.processes);
	put_count(w, part, "live_bytes", snapshot->live);
	put_count(w, part, "leaked_bytes", snapshot->leaked);
	put_count(w, part, "launches", snapshot->launches);
	put_count(w, part, "graph_launches", snapshot->graph_launches);
	put_count(w, part, "failures", snapshot->failures);
	put(w, o, "totals", part);
	return o;
}

int out_json(FILE *stream, const struct snapshot *snapshot, struct out_options *options)
{
	struct sink sink;
	struct json_writer writer = { .sink = &sink };
	int ret;

	ret = sink_open(&sink, stream);
	if (ret)
		return ret;
	json_open(&writer, NULL, '{');
	json_members(&writer, snapshot_head(&writer, snapshot, options->version));
	if (snapshot->device_count) {
		json_open(&writer, "devices", '[');
		for (size_t i = 0; i < snapshot->device_count && !sink.error; i++)
			json_item(&writer, device_object(&writer, &snapshot->devices[i]));
		json_close(&writer, ']');
	}
	json_open(&writer, "events", '[');
	for (size_t i = 0; i < snapshot->event_count && !sink.error; i++)
		json_item(&writer, json_event(&writer, &snapshot->events[i]));
	json_close(&writer, ']');
	json_open(&writer, "processes", '[');
	for (size_t i = 0; i < snapshot->process_count && !sink.error; i++)
		write_process(&writer, snapshot, &snapshot->processes[i]);
	json_close(&writer, ']');
	json_close(&writer, '}');
	sink_write(&sink, "\n", 1);
	return sink_close(&sink);
}

const struct print_format print_format_json = { .format = FORMAT_JSON, .print = out_json };
