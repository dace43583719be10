/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of fields, each in the order of JSON's members. */
#include "print/fields.h"

#include <math.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "util/util.h"

#define SIZE_OF(type, member) sizeof(((struct type *)0)->member)
#define F(type, name, sort, member, ...) \
	{ \
		.key = (name), .kind = FIELD_##sort, .offset = offsetof(struct type, member), \
		.size = SIZE_OF(type, member), ##__VA_ARGS__ \
	}
#define PART(type, name, sort, member, ...) \
	F(type, name, sort, member, .is_part = true, __VA_ARGS__)
/* The field is known only where @member is not 0. */
#define IF(type, member) .flag = offsetof(struct type, member), .flag_size = SIZE_OF(type, member)
#define TITLE(text)      .title = (text)
#define NAMES(table)     .names = (table), .name_count = ARRAY_LEN(table)
#define GAUGE(text)      .metric = { .help = (text) }
#define COUNTER(text)    .metric = { .is_counter = true, .help = (text) }
#define TABLE(name) \
	const struct fields name##_fields = { name##_list_of_fields, \
					      ARRAY_LEN(name##_list_of_fields) }
#define FIELDS(name) static const struct field name##_list_of_fields[]
#define LIST(type, key, items, count, fields, ...) \
	{ \
		key, offsetof(struct type, items), offsetof(struct type, count), \
			sizeof(*((struct type *)0)->items), __VA_ARGS__, &fields##_fields \
	}

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "field_count() reads both");

/* ---- allocations and their call sites ---- */

FIELDS(alloc) = {
	F(snap_alloc, "address", ADDRESS, address, TITLE("ADDRESS")),
	F(snap_alloc, "size", COUNT, bytes, TITLE("BYTES")),
	F(snap_alloc, "kind", NAME, kind, TITLE("KIND"), NAMES(alloc_kind_names)),
	F(snap_alloc, "device", DEVICE, device, TITLE("DEV")),
	F(snap_alloc, "age_seconds", DURATION, age, TITLE("AGE")),
	F(snap_alloc, "call", CALL, call, TITLE("CALL")),
	F(snap_alloc, "site", TEXT, site, TITLE("SITE")),
	F(snap_alloc, "state", NAME, state, TITLE("STATE"), NAMES(alloc_state_names)),
};
static TABLE(alloc);

FIELDS(site) = {
	F(snap_site, "site", TEXT, site),
	F(snap_site, "live_bytes", BYTES, live),
	F(snap_site, "leaked_bytes", BYTES, leaked),
	F(snap_site, "held_bytes", BYTES, held),
	F(snap_site, "suspect_bytes", BYTES, suspect, .when = WHEN_SUSPECT),
	F(snap_site, "held_rising_bytes", BYTES, held_rising, .when = WHEN_ANY),
	F(snap_site, "host_live_bytes", BYTES, host.live, .when = WHEN_ANY),
	F(snap_site, "host_left_bytes", BYTES, host.left, .when = WHEN_ANY),
	F(snap_site, "host_suspect_bytes", BYTES, host.suspect, .when = WHEN_ANY),
	F(snap_site, "host_blocks", COUNT, host.blocks, .when = WHEN_ANY),
	F(snap_site, "freed_late_bytes", BYTES, late.bytes, .when = WHEN_ANY),
	F(snap_site, "freed_late_blocks", COUNT, late.count, .when = WHEN_ANY),
	F(snap_site, "freed_late_call", CALL, late.call, IF(snap_site, late.count)),
	F(snap_site, "freed_late_site", TEXT, late.site),
	F(snap_site, "allocations", COUNT, allocations),
	F(snap_site, "allocated_bytes", BYTES, allocated),
	{ .key = "", .kind = FIELD_SITE },
};
static TABLE(site);

/* ---- frameworks' allocators ---- */

FIELDS(block) = {
	F(snap_alloc, "address", ADDRESS, address),
	F(snap_alloc, "size", COUNT, bytes),
	F(snap_alloc, "age_seconds", DURATION, age),
	F(snap_alloc, "state", NAME, state, NAMES(alloc_state_names)),
	F(snap_alloc, "site", TEXT, site),
};
static TABLE(block);
static const struct field_list block_list =
	LIST(snap_allocator, "map", map, map_count, block, false, true);

FIELDS(block_site) = {
	F(snap_site, "site", TEXT, site),
	F(snap_site, "live_bytes", BYTES, live),
	F(snap_site, "blocks", COUNT, live_count),
	F(snap_site, "live_at_exit_bytes", BYTES, held, .when = WHEN_EXITED),
	F(snap_site, "rising_bytes", BYTES, suspect, .when = WHEN_SUSPECT),
	F(snap_site, "sampled", TRUE, sampled),
	F(snap_site, "allocations", COUNT, allocations),
	F(snap_site, "allocated_bytes", BYTES, allocated),
	{ .key = "", .kind = FIELD_SITE },
};
static TABLE(block_site);
static const struct field_list block_site_list =
	LIST(snap_allocator, "sites", sites, site_count, block_site, false, true);

/* Of both, for text. */
FIELDS(block_line) = {
	F(snap_block_line, "site", TEXT, site, TITLE("SITE")),
	F(snap_block_line, "live_bytes", BYTES, live, TITLE("LIVE")),
	F(snap_block_line, "rising_bytes", BYTES, rising, TITLE("RISING")),
	F(snap_block_line, "blocks", COUNT, blocks, TITLE("BLOCKS")),
	F(snap_block_line, "sampled", TRUE, sampled),
};
static TABLE(block_line);
const struct field_list block_line_list =
	LIST(snap_process, NULL, block_lines, block_line_count, block_line, false, false);

FIELDS(allocator) = {
	F(snap_allocator, "name", TEXT, name),
	F(snap_allocator, "device", DEVICE, device),
	F(snap_allocator, "allocated_bytes", BYTES, allocated,
	  GAUGE("What it has handed out, as it says itself.")),
	F(snap_allocator, "reserved_bytes", BYTES, reserved, IF(snap_allocator, has_totals),
	  GAUGE("What it took from the driver, as it says itself.")),
	F(snap_allocator, "peak_allocated_bytes", BYTES, peak_allocated),
	F(snap_allocator, "peak_reserved_bytes", BYTES, peak_reserved,
	  IF(snap_allocator, has_totals)),
	F(snap_allocator, "free_in_segments_bytes", BYTES, free_in_segments,
	  IF(snap_allocator, has_gaps), GAUGE("What of its segments is in no block.")),
	F(snap_allocator, "largest_gap_bytes", BYTES, largest_gap, IF(snap_allocator, has_gaps),
	  GAUGE("The longest stretch of a segment that is in no block.")),
	F(snap_allocator, "fragmentation", NUMBER, fragmentation, IF(snap_allocator, has_gaps),
	  .metric = { "fragmentation_ratio", false,
		      "Share of what it took from the driver, from 0 to 1, in gaps smaller than the largest request of the last minute." }),
	F(snap_allocator, "largest_request_bytes", BYTES, largest_request),
	F(snap_allocator, "segments", COUNT, segment_count),
	F(snap_allocator, "blocks", COUNT, blocks, GAUGE("Blocks handed out and not taken back.")),
	F(snap_allocator, "unknown_bytes", BYTES, unknown),
	F(snap_allocator, "handed_out", COUNT, handed_out, COUNTER("Blocks handed out.")),
	F(snap_allocator, "taken_back", COUNT, taken_back),
	F(snap_allocator, "out_of_memory", COUNT, shortages,
	  COUNTER("Requests that found no memory.")),
	F(snap_allocator, "rising_bytes", BYTES, rising, IF(snap_allocator, is_judged),
	  .when = WHEN_SUSPECT, GAUGE("Bytes of blocks at call sites whose floor keeps rising.")),
	F(snap_allocator, "live_at_exit_bytes", BYTES, ended, .when = WHEN_EXITED),
	F(snap_allocator, "watched_from", ATTACH, from_attach),
	F(snap_allocator, "inexact", BOOL, inexact),
	F(snap_allocator, "sites_sampled", BOOL, sampled),
	{ .key = "", .kind = FIELD_LIST, .list = &block_list },
	F(snap_allocator, "map_omitted", COUNT, map_omitted),
	{ .key = "", .kind = FIELD_LIST, .list = &block_site_list },
};
static TABLE(allocator);

/* ---- launches ---- */

/* By the program's calls and by graphs. */
static double runs_per_second(const void *item)
{
	const struct snap_kernel *kernel = item;

	return kernel->launches_per_second + kernel->graph_launches_per_second;
}

FIELDS(kernel) = {
	F(snap_kernel, "name", TEXT, name),
	F(snap_kernel, "signature", TEXT, signature),
	F(snap_kernel, "symbol", TEXT, symbol),
	F(snap_kernel, "device", DEVICE, device, TITLE("DEV")),
	F(snap_kernel, "launches", COUNT, launches, TITLE("LAUNCHES")),
	F(snap_kernel, "failures", COUNT, failures, TITLE("FAILED"), .when = WHEN_RETURNS),
	F(snap_kernel, "captured", COUNT, captured),
	F(snap_kernel, "graph_launches", COUNT, graph_launches, TITLE("BY GRAPH")),
	F(snap_kernel, "graph_launches_exact", FALSE, updatable),
	F(snap_kernel, "unknown_graph", TRUE, is_graph),
	F(snap_kernel, "grid", DIMS, grid, TITLE("GRID")),
	F(snap_kernel, "block", DIMS, block, TITLE("BLOCK")),
	F(snap_kernel, "shared_bytes", COUNT, shared_bytes, TITLE("SHARED")),
	F(snap_kernel, "stream", ADDRESS, stream),
	F(snap_kernel, "launches_per_second", NUMBER, launches_per_second),
	F(snap_kernel, "graph_launches_per_second", NUMBER, graph_launches_per_second),
	F(snap_kernel, "returns", RETURNS, sampled),
	F(snap_kernel, "latency_samples", COUNT, samples),
	F(snap_kernel, "latency_seconds", LATENCY, latency),
	PART(snap_kernel, "p50_seconds", NUMBER, latency.p50, TITLE("P50")),
	PART(snap_kernel, "p99_seconds", NUMBER, latency.p99, TITLE("P99")),
	PART(snap_kernel, "max_seconds", NUMBER, latency.max, TITLE("MAX")),
	{ .key = "runs_per_second",
	  .kind = FIELD_FIGURE,
	  .figure = runs_per_second,
	  .is_part = true,
	  TITLE("LAUNCH/s") },
};
static TABLE(kernel);

FIELDS(launched) = {
	F(snap_kernel, "kernel", TEXT, name),
	F(snap_kernel, "device", DEVICE, device),
};
static TABLE(launched);

FIELDS(launch_site) = {
	F(snap_launch_site, "site", TEXT, at.site, TITLE("LAUNCHED AT")),
	F(snap_launch_site, "", PLACE, at),
	F(snap_launch_site, "", MEMBERS, kernel, .fields = &launched_fields),
	F(snap_launch_site, "launches", COUNT, launches, TITLE("LAUNCHES")),
	F(snap_launch_site, "samples", COUNT, samples),
	F(snap_launch_site, "sampled", BOOL, sampled),
};
static TABLE(launch_site);

FIELDS(wait_site) = {
	F(snap_wait_site, "site", TEXT, at.site, TITLE("WAITED AT")),
	F(snap_wait_site, "", PLACE, at),
	F(snap_wait_site, "call", CALL, call, TITLE("CALL")),
	F(snap_wait_site, "calls", COUNT, calls, TITLE("WAITS")),
	F(snap_wait_site, "seconds", NUMBER, seconds, TITLE("TIME")),
};
static TABLE(wait_site);

FIELDS(graph) = {
	F(snap_object_site, "call", CALL, call),
	F(snap_object_site, "instantiated", COUNT, made, TITLE("INSTANTIATED")),
	F(snap_object_site, "live", COUNT, live, TITLE("LIVE")),
	F(snap_object_site, "rising", COUNT, rising, .when = WHEN_ANY),
	F(snap_object_site, "launches", COUNT, launches, TITLE("LAUNCHES")),
	F(snap_object_site, "site", TEXT, where.site, TITLE("SITE")),
	F(snap_object_site, "", PLACE, where),
};
static TABLE(graph);

FIELDS(object) = {
	F(snap_object_site, "kind", TEXT, kind, TITLE("KIND")),
	F(snap_object_site, "call", CALL, call),
	F(snap_object_site, "made", COUNT, made, TITLE("MADE")),
	F(snap_object_site, "live", COUNT, live, TITLE("LIVE")),
	F(snap_object_site, "left", COUNT, left, TITLE("LEFT"), .when = WHEN_ANY),
	F(snap_object_site, "rising", COUNT, rising, TITLE("RISING"), .when = WHEN_ANY),
	F(snap_object_site, "site", TEXT, where.site, TITLE("SITE")),
	F(snap_object_site, "", PLACE, where),
};
static TABLE(object);

/* ---- copies and other calls ---- */

static bool is_synchronous(const void *item)
{
	return ((const struct snap_copy *)item)->mode == COPY_SYNC;
}

FIELDS(copy) = {
	F(snap_copy, "direction", NAME, direction, TITLE("DIR"), NAMES(copy_direction_names)),
	F(snap_copy, "mode", NAME, mode, TITLE("MODE"), NAMES(copy_mode_names)),
	F(snap_copy, "device", DEVICE, device, TITLE("DEV")),
	F(snap_copy, "calls", COUNT, calls, TITLE("CALLS"),
	  .metric = { "copies", true, "Copies." }),
	F(snap_copy, "failures", COUNT, failures, TITLE("FAILED"), .when = WHEN_RETURNS,
	  .metric = { "copy_failures", true, "Copies that failed." }),
	F(snap_copy, "bytes", BYTES, bytes, TITLE("BYTES"),
	  .metric = { "copy_bytes", true, "Bytes copied, or enqueued to be." }),
	F(snap_copy, "seconds", NUMBER, seconds, TITLE("TIME"), .when = WHEN_RETURNS,
	  .metric = { "copy_seconds", true, "Time inside the copying calls." }),
	F(snap_copy, "bytes_per_second", NUMBER, bytes_per_second, TITLE("THROUGHPUT"),
	  .when = WHEN_RETURNS, .known = is_synchronous),
	F(snap_copy, "rate_bytes_per_second", NUMBER, rate_bytes_per_second, TITLE("RATE")),
	F(snap_copy, "pageable", TRUE, pageable),
	F(snap_copy, "sizes", COUNTS, sizes),
};
static TABLE(copy);

/* For some functions named with --probe, failures are unknown. */
static bool is_judged(const void *item)
{
	const struct snap_call *call = item;

	return !call->extra.symbol || call->judged;
}

static bool is_timed(const void *item)
{
	return !((const struct snap_call *)item)->untimed;
}

static double mean_seconds(const void *item)
{
	const struct snap_call *call = item;

	return call->calls && !call->sampled && !call->untimed ?
		       call->seconds / (double)call->calls :
		       NAN;
}

FIELDS(call) = {
	F(snap_call, "call", EXTRA_CALL, call, TITLE("CALL"),
	  .other = offsetof(struct snap_call, extra)),
	F(snap_call, "layer", LAYER, call, TITLE("LAYER")),
	F(snap_call, "calls", COUNT, calls, TITLE("CALLS"),
	  .metric = { "calls", true, "Calls of CUDA functions, by all processes ever." }),
	F(snap_call, "failures", COUNT, failures, TITLE("FAILED"), .when = WHEN_RETURNS,
	  .known = is_judged,
	  .metric = { "call_failures", true,
		      "Calls of CUDA functions that failed, by all processes ever." }),
	F(snap_call, "returns", RETURNS, sampled, .other = offsetof(struct snap_call, untimed)),
	F(snap_call, "seconds", NUMBER, seconds, TITLE("TIME"), .when = WHEN_RETURNS,
	  .known = is_timed),
	{ .key = "mean_seconds",
	  .kind = FIELD_FIGURE,
	  .when = WHEN_RETURNS,
	  .figure = mean_seconds,
	  TITLE("AVG") },
	F(snap_call, "latency_seconds", LATENCY, latency, .when = WHEN_RETURNS, .known = is_timed),
	PART(snap_call, "p50_seconds", NUMBER, latency.p50, TITLE("P50")),
	PART(snap_call, "p99_seconds", NUMBER, latency.p99, TITLE("P99")),
	PART(snap_call, "max_seconds", NUMBER, latency.max, TITLE("MAX")),
};
static TABLE(call);

static bool is_sticky(const void *item)
{
	const struct snap_failure *failure = item;

	return !failure->extra.symbol && error_is_sticky(failure->code);
}

FIELDS(failure) = {
	F(snap_failure, "call", EXTRA_CALL, call, TITLE("CALL"),
	  .other = offsetof(struct snap_failure, extra)),
	F(snap_failure, "error", TEXT, error, TITLE("ERROR")),
	F(snap_failure, "code", INT, code, TITLE("CODE")),
	F(snap_failure, "sticky", TRUE, code, .known = is_sticky),
	F(snap_failure, "count", COUNT, count, TITLE("COUNT")),
	F(snap_failure, "words", TEXT, reason),
	F(snap_failure, "first", TIME, first, TITLE("FIRST")),
	F(snap_failure, "last", TIME, last, TITLE("LAST")),
	F(snap_failure, "site", TEXT, where.site, TITLE("FIRST SITE")),
	F(snap_failure, "", PLACE, where),
	F(snap_failure, "kernel", TEXT, kernel),
};
static TABLE(failure);

/* ---- processes ---- */

static double is_running(const void *item)
{
	return !((const struct snap_process *)item)->exited;
}

static double has_no_returns(const void *item)
{
	return ((const struct snap_process *)item)->unreturned != UNRETURNED_NOT;
}

/* Figures that are columns, too, are in model/columns.c; those with a metric alone have no key. */
FIELDS(process) = {
	{ .key = NULL,
	  .kind = FIELD_FIGURE,
	  .figure = is_running,
	  .metric = { "running", false,
		      "1 as long as it runs, 0 for some minutes after its end." } },
	F(snap_process, "parent_pid", COUNT, parent_pid),
	F(snap_process, "start_time", DURATION, start_time, .when = WHEN_ANY,
	  .metric = { "start_time_seconds", false, "When it began, in seconds since 1970." }),
	F(snap_process, "command", TEXT, command),
	F(snap_process, "arguments", TEXT, arguments),
	F(snap_process, "watched_from", ATTACH, from_attach,
	  .metric = { "watched_late", false,
		      "1 if it ran before cutop did: its figures are lower bounds." }),
	F(snap_process, "inexact", BOOL, inexact, GAUGE("1 if something of it was lost.")),
	F(snap_process, "no_returns", NAME, unreturned, .when = WHEN_ANY, NAMES(unreturned_names)),
	{ .key = NULL,
	  .kind = FIELD_FIGURE,
	  .figure = has_no_returns,
	  .metric = { "no_returns", false,
		      "1 if returns of its calls are not probed: allocations, failures and times are not known." } },
	F(snap_process, "cost", NUMBER, cost,
	  .metric = { "cost_ratio", false,
		      "What watching costs it, as a share of its own processor time; an estimate." }),
	F(snap_process, NULL, NUMBER, sync_seconds, .when = WHEN_RETURNS,
	  .metric = { "synchronize_seconds", true,
		      "Time in which at least one thread was inside a synchronizing call." }),
};
TABLE(process);

FIELDS(memory) = {
	F(snap_process, "leaked_bytes", BYTES, leaked),
	F(snap_process, "leaked_by_reset_bytes", BYTES, leaked_by_reset, .when = WHEN_ANY),
	F(snap_process, "leaked_by_context_bytes", BYTES, leaked_by_context, .when = WHEN_ANY),
	F(snap_process, "held_unproven_bytes", BYTES, held_unproven, .when = WHEN_ANY),
	F(snap_process, "held_rising_bytes", BYTES, held_rising, .when = WHEN_ANY),
	F(snap_process, "freed_late_bytes", BYTES, freed_late, .when = WHEN_ANY),
	F(snap_process, "host_left_bytes", BYTES, host_left, .when = WHEN_ANY),
	F(snap_process, "host_suspect_bytes", BYTES, host_suspect, .when = WHEN_ANY),
	F(snap_process, "allocated_bytes", BYTES, allocated, .when = WHEN_RETURNS,
	  COUNTER("VRAM and managed memory allocated in all, freed since or not.")),
	F(snap_process, "live_allocations", COUNT, live_allocations, .when = WHEN_RETURNS,
	  GAUGE("Allocations not freed yet, of all kinds.")),
	F(snap_process, "allocations", COUNT, allocations, .when = WHEN_RETURNS,
	  COUNTER("Allocations that succeeded.")),
	F(snap_process, "failed_allocations", COUNT, failed_allocations, .when = WHEN_RETURNS,
	  COUNTER("Allocations that failed.")),
	F(snap_process, "recovered_allocations", COUNT, recovered_allocations, .when = WHEN_RETURNS,
	  COUNTER("Of the allocations that failed, those that the program tried again at once, and got.")),
	F(snap_process, "failed_frees", COUNT, failed_frees, .when = WHEN_RETURNS,
	  COUNTER("Frees that failed, double frees left out.")),
	F(snap_process, "double_frees", COUNT, double_frees, .when = WHEN_RETURNS,
	  COUNTER("Frees of what was freed before.")),
	F(snap_process, "unknown_frees", COUNT, unknown_frees, .when = WHEN_RETURNS,
	  COUNTER("Frees of what was allocated unseen.")),
};
TABLE(memory);

/* For metrics, by device. */
FIELDS(use) = {
	F(snap_use, "live_bytes", BYTES, live,
	  GAUGE("VRAM allocated and not freed yet, by device.")),
	F(snap_use, "peak_bytes", BYTES, peak,
	  GAUGE("The most VRAM that was live at once, by device.")),
	F(snap_use, "leaked_bytes", BYTES, leaked,
	  GAUGE("VRAM and managed memory that was live when its owner ended, by device.")),
	F(snap_use, "held_bytes", BYTES, held,
	  GAUGE("VRAM and managed memory that a caching allocator kept to the end, by device.")),
	F(snap_use, "suspect_bytes", BYTES, suspect,
	  GAUGE("VRAM and managed memory at call sites whose floor keeps rising, by device.")),
};
static TABLE(use);
const struct field_list use_list = LIST(snap_process, "uses", uses, use_count, use, false, false);

/* ---- cutop itself ---- */

FIELDS(snapshot) = {
	F(snapshot, "host", CHARS, host),
	F(snapshot, "started", TIME, started),
	F(snapshot, "time", TIME, time),
	F(snapshot, "elapsed_seconds", NUMBER, elapsed_seconds),
	F(snapshot, "interval_seconds", NUMBER, interval_seconds),
	F(snapshot, "whole_run", BOOL, is_whole),
};
TABLE(snapshot);

FIELDS(probes) = {
	F(snapshot, "targets", COUNT, targets),
	F(snapshot, "attached", COUNT, attached),
	F(snapshot, "missing", COUNT, missing),
	F(snapshot, "at_entry", COUNT, at_entry, IF(snapshot, has_points)),
	F(snapshot, "past_entry", COUNT, past_entry, IF(snapshot, has_points)),
	F(snapshot, "single_stepped", COUNT, single_stepped, IF(snapshot, has_points)),
};
TABLE(probes);

FIELDS(self) = {
	F(snapshot, NULL, DURATION, started,
	  .metric = { "start_time_seconds", false, "When watching began, in seconds since 1970." }),
	F(snapshot, NULL, DURATION, time,
	  .metric = { "snapshot_time_seconds", false,
		      "When these figures were collected, in seconds since 1970." }),
	F(snapshot, "cpu_seconds", NUMBER, self_cpu_seconds,
	  .metric = { "self_cpu_seconds", true, "CPU time that cutop has used." }),
	F(snapshot, "resident_bytes", BYTES, self_resident_bytes,
	  .metric = { "self_resident_bytes", false, "Memory of cutop itself." }),
	F(snapshot, NULL, COUNT, targets,
	  .metric = { "probe_targets", false,
		      "Libraries and programs that probes were placed in." }),
};
TABLE(self);

FIELDS(totals) = {
	F(snapshot, "processes", COUNT, process_count),
	F(snapshot, "processes_omitted", COUNT, gone.processes),
	F(snapshot, "live_bytes", BYTES, live),
	F(snapshot, "leaked_bytes", BYTES, leaked),
	F(snapshot, "launches", COUNT, launches),
	F(snapshot, "graph_launches", COUNT, graph_launches),
	F(snapshot, "failures", COUNT, failures),
	F(snapshot, "findings_omitted", COUNT, findings_omitted, .when = WHEN_ANY),
};
TABLE(totals);

const struct field_list map_list = LIST(snap_process, "map", map, map_count, alloc, false, true);
const struct field_list allocator_list =
	LIST(snap_process, "allocators", allocators, allocator_count, allocator, false, false);
const struct field_list kernel_list =
	LIST(snap_process, "kernels", kernels, kernel_count, kernel, false, true);
const struct field_list copy_list =
	LIST(snap_process, "copies", copies, copy_count, copy, false, true);
const struct field_list call_list =
	LIST(snap_process, "calls", call_list, call_count, call, false, true);

/* One behind the other in one array. */
const struct field_list failure_lists[FAILURE_LISTS] = {
	LIST(snap_process, "failures", failure_list, failure_count, failure, false, true),
	LIST(snap_process, "answers", failure_list, answer_count, failure, false, true),
	LIST(snap_process, "failures_at_exit", failure_list, at_exit_count, failure, false, true),
};

const struct field_list site_list =
	LIST(snap_process, "sites", sites, site_count, site, false, true);
const struct field_list launch_site_list = LIST(snap_process, "launch_sites", launch_sites,
						launch_site_count, launch_site, false, false);
const struct field_list wait_site_list =
	LIST(snap_process, "wait_sites", wait_sites, wait_site_count, wait_site, false, false);
const struct field_list graph_list =
	LIST(snap_process, "graphs", graph_sites, graph_site_count, graph, false, false);
const struct field_list object_list =
	LIST(snap_process, "objects", object_sites, object_site_count, object, false, false);

/* ---- devices ---- */

FIELDS(instance) = {
	F(snap_instance, "gpu_instance", COUNT, gpu_instance),
	F(snap_instance, "compute_instance", COUNT, compute_instance),
	F(snap_instance, "name", TEXT, name),
	F(snap_instance, "uuid", TEXT, uuid),
	F(snap_instance, "used_bytes", BYTES, used, IF(snap_instance, has_used),
	  GAUGE("How much of that is in use, by all processes.")),
	F(snap_instance, "total_bytes", BYTES, total, IF(snap_instance, has_used),
	  GAUGE("Its memory.")),
	F(snap_instance, "tracked_bytes", BYTES, tracked,
	  GAUGE("VRAM that watched processes in it have allocated.")),
};
static TABLE(instance);
const struct field_list instance_list =
	LIST(snap_device, "instances", instances, instance_count, instance, false, false);

FIELDS(instance_number) = {
	F(snap_instance, "gpu_instance", COUNT, gpu_instance),
	F(snap_instance, "compute_instance", COUNT, compute_instance),
};
static TABLE(instance_number);

/* What a process uses of a device. */
FIELDS(device_use) = {
	F(snap_device_use, "pid", COUNT, pid),
	F(snap_device_use, "type", TEXT, type),
	F(snap_device_use, "command", TEXT, comm),
	F(snap_device_use, "user", TEXT, user),
	F(snap_device_use, "container", TEXT, container),
	F(snap_device_use, "", INSTANCE, instance, .fields = &instance_number_fields),
	F(snap_device_use, "used_bytes", BYTES, used, IF(snap_device_use, has_used)),
	F(snap_device_use, "tracked_bytes", BYTES, live, IF(snap_device_use, program)),
};
static TABLE(device_use);
static const struct field_list device_use_list =
	LIST(snap_device, "processes", uses, use_count, device_use, false, false);

FIELDS(device) = {
	F(snap_device, "device", INT, device),
	F(snap_device, "name", TEXT, name),
	F(snap_device, "uuid", TEXT, uuid),
	F(snap_device, "used_bytes", BYTES, used, IF(snap_device, has_used),
	  GAUGE("Memory of it that is in use, by all processes.")),
	F(snap_device, "total_bytes", BYTES, total, .when = WHEN_ANY,
	  GAUGE("The device's memory.")),
	F(snap_device, "tracked_bytes", BYTES, tracked,
	  GAUGE("VRAM that watched processes have allocated.")),
	F(snap_device, "utilization", NUMBER, utilization,
	  .metric = { "utilization_ratio", false,
		      "Share of the time in which a kernel ran, from 0 to 1, as the driver says." }),
	F(snap_device, "temperature_celsius", NUMBER, temperature, GAUGE("Its temperature.")),
	F(snap_device, "power_watts", NUMBER, power, GAUGE("The power it draws.")),
	F(snap_device, "power_limit_watts", NUMBER, power_limit,
	  GAUGE("The most that it may draw.")),
	{ .key = "", .kind = FIELD_LIST, .list = &instance_list },
	{ .key = "", .kind = FIELD_LIST, .list = &device_use_list },
};
static TABLE(device);
const struct field_list device_list =
	LIST(snapshot, "devices", devices, device_count, device, false, false);

/* ---- events ---- */

FIELDS(holder) = {
	F(snap_holder, "pid", COUNT, pid),
	F(snap_holder, "command", CHARS, command),
	F(snap_holder, "watched_from", ATTACH, from_attach),
	F(snap_holder, "live_bytes", BYTES, live),
};
static TABLE(holder);
static const struct field_list holder_list =
	LIST(snap_detail, "holders", holders, holder_count, holder, true, true);

FIELDS(line) = {
	F(snap_line, "site", CHARS, text),       F(snap_line, "site", TEXT, where.site),
	F(snap_line, "live_bytes", BYTES, live), F(snap_line, "allocations", COUNT, allocations),
	F(snap_line, "sampled", TRUE, sampled),  F(snap_line, "", PLACE, where),
};
static TABLE(line);
static const struct field_list line_list =
	LIST(snap_detail, "sites", lines, line_count, line, true, true);

FIELDS(suspect) = {
	F(snap_suspect, "kernel", CHARS, kernel),
	F(snap_suspect, "device", DEVICE, device),
	F(snap_suspect, "stream", ADDRESS, stream),
	F(snap_suspect, "stream_exact", BOOL, stream_exact),
	F(snap_suspect, "launches", COUNT, launches),
};
static TABLE(suspect);
static const struct field_list suspect_list =
	LIST(snap_detail, "suspects", suspects, suspect_count, suspect, true, true);

FIELDS(many) = {
	F(snap_many, "kind", TEXT, kind),
	F(snap_many, "live", COUNT, live),
	F(snap_many, "site", CHARS, site),
	F(snap_many, "site", TEXT, where.site),
};
static TABLE(many);
static const struct field_list many_list =
	LIST(snap_detail, "objects", objects, object_count, many, true, true);

static bool is_of_call(const void *item)
{
	return ((const struct snap_detail *)item)->call < CALL_COUNT;
}

FIELDS(detail) = {
	F(snap_detail, "device", DEVICE, device),
	F(snap_detail, "call", CALL, call, .known = is_of_call),
	F(snap_detail, "code", INT, code, .when = WHEN_ANY),
	F(snap_detail, "site", CHARS, site),
	F(snap_detail, "", PLACE, where),
	F(snap_detail, "tracked_bytes", BYTES, tracked, IF(snap_detail, total)),
	F(snap_detail, "total_bytes", BYTES, total, .when = WHEN_ANY),
	F(snap_detail, "allocator", TEXT, allocator),
	F(snap_detail, "asked_bytes", BYTES, asked, IF(snap_detail, allocator)),
	F(snap_detail, "allocated_bytes", BYTES, allocated, IF(snap_detail, allocator)),
	F(snap_detail, "reserved_bytes", BYTES, reserved, IF(snap_detail, allocator)),
	F(snap_detail, "free_in_segments_bytes", BYTES, gaps, IF(snap_detail, has_gaps)),
	F(snap_detail, "largest_gap_bytes", BYTES, largest_gap, IF(snap_detail, has_gaps)),
	{ .key = "", .kind = FIELD_LIST, IF(snap_detail, holder_count), .list = &holder_list },
	F(snap_detail, "holders_omitted", COUNT, holders_omitted, IF(snap_detail, holder_count)),
	{ .key = "", .kind = FIELD_LIST, IF(snap_detail, line_count), .list = &line_list },
	F(snap_detail, "sites_omitted", COUNT, lines_omitted, IF(snap_detail, line_count)),
	{ .key = "", .kind = FIELD_LIST, IF(snap_detail, object_count), .list = &many_list },
	{ .key = "", .kind = FIELD_LIST, IF(snap_detail, is_fault), .list = &suspect_list },
	F(snap_detail, "suspects_omitted", COUNT, suspects_omitted, IF(snap_detail, is_fault)),
};
static TABLE(detail);

FIELDS(event) = {
	F(snap_event, "time", TIME, time),
	F(snap_event, "pid", COUNT, pid, .when = WHEN_ANY),
	F(snap_event, "kind", EVENT, kind),
	F(snap_event, "command", TEXT, name),
	F(snap_event, "text", TEXT, text),
	F(snap_event, "bytes", BYTES, bytes, .when = WHEN_ANY),
	F(snap_event, "repeated", COUNT, repeated, .when = WHEN_ANY),
	F(snap_event, "", MEMBERS, detail, .fields = &detail_fields),
};
static TABLE(event);
FIELDS(finding) = {
	F(snap_finding, "rule", TEXT, rule),
	F(snap_finding, "pid", COUNT, pid, .when = WHEN_ANY),
	F(snap_finding, "command", TEXT, command),
	F(snap_finding, "device", DEVICE, device),
	F(snap_finding, "others", COUNT, others, .when = WHEN_ANY),
	F(snap_finding, "text", TEXT, text),
};
static TABLE(finding);
const struct field_list finding_list =
	LIST(snapshot, "findings", findings, finding_count, finding, false, true);

const struct field_list event_list =
	LIST(snapshot, "events", events, event_count, event, false, true);

/* ---- reading ---- */

static bool is_any(const void *item, size_t offset, size_t size)
{
	const char *at = (const char *)item + offset;

	while (size && !at[size - 1])
		size--;
	return size;
}

const struct field *field_find(const struct fields *fields, const char *key)
{
	const struct field *field = fields->list;

	while (!field->key || strcmp(field->key, key))
		field++;
	return field;
}

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), tail = strlen(end);

	return len >= tail && !strcmp(text + len - tail, end);
}

enum column_unit field_unit(const struct field *field)
{
	const char *key = field->key ? field->key : "";

	return ends_in(key, "bytes_per_second") ? UNIT_BYTES_PER_SECOND :
	       ends_in(key, "_per_second")      ? UNIT_PER_SECOND :
	       ends_in(key, "seconds")          ? UNIT_SECONDS :
	       ends_in(key, "bytes")            ? UNIT_BYTES :
						  UNIT_COUNT;
}

bool field_is_known(const struct field *field, const void *item, const struct snap_process *process)
{
	if ((field->when & WHEN_RETURNS && process->unreturned) ||
	    (field->when & WHEN_SUSPECT && !process->has_suspect) ||
	    (field->when & WHEN_EXITED && !process->exited) ||
	    (field->when & WHEN_ANY && !is_any(item, field->offset, field->size)))
		return false;
	return (!field->flag_size || is_any(item, field->flag, field->flag_size)) &&
	       (!field->known || field->known(item));
}

uint64_t field_count(const struct field *field, const void *item)
{
	const void *at = (const char *)item + field->offset;

	switch (field->size) {
	case 1: return *(const uint8_t *)at;
	case 2: return *(const uint16_t *)at;
	case 4: return *(const uint32_t *)at;
	default: return *(const uint64_t *)at;
	}
}

double field_number(const struct field *field, const void *item)
{
	switch (field->kind) {
	case FIELD_NUMBER: return *(const double *)((const char *)item + field->offset);
	case FIELD_FIGURE: return field->figure(item);
	case FIELD_INT:
	case FIELD_DEVICE: return *(const int *)(const void *)((const char *)item + field->offset);
	case FIELD_DURATION: return (double)field_count(field, item) / 1e9;
	default: return (double)field_count(field, item);
	}
}

const void *list_items(const struct field_list *list, const void *owner, size_t *count)
{
	const char *at = (const char *)owner + list->items;

	*count = *(const size_t *)(const void *)((const char *)owner + list->count);
	return list->is_array ? (const void *)at : *(const void *const *)(const void *)at;
}

const struct field *metric_after(const struct fields *fields, const struct field *field)
{
	field = field ? field + 1 : fields->list;
	while (field < fields->list + fields->count && !field->metric.help)
		field++;
	return field < fields->list + fields->count ? field : NULL;
}
