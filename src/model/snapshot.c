/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a snapshot: every known process with its lists, the totals, the log.
 * All of it lies in one arena. Rates are differences to what each counter was
 * at the snapshot before, which the model remembers beside the counter.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/snapshot_lists.h"
#include "model/stream.h"

#define RATE_SECONDS_MIN 0.010

const char *command_basename(const char *command)
{
	const char *slash = strrchr(command, '/');

	return slash && slash[1] ? slash + 1 : command;
}

struct snapshot *snapshot_hold(struct snapshot *snapshot)
{
	__atomic_add_fetch(&snapshot->shared, 1, __ATOMIC_RELAXED);
	return snapshot;
}

void snapshot_free(struct snapshot *snapshot)
{
	if (snapshot && !__atomic_fetch_sub(&snapshot->shared, 1, __ATOMIC_ACQ_REL))
		arena_free(snapshot->arena);
}

static const char *string_or(struct build *build, const char *text, const char *otherwise)
{
	return arena_string(build->arena, text ? text : otherwise);
}

static const char *command_line(struct build *build, const struct snap_process *process)
{
	size_t command = strlen(process->command), arguments = strlen(process->arguments);
	char *line;

	if (!arguments)
		return process->command;
	line = arena_alloc(build->arena, command + arguments + 2, 1);
	if (line)
		snprintf(line, command + arguments + 2, "%s %s", process->command, process->arguments);
	return line;
}

static int build_identity(struct build *build, const struct image *image, struct snap_process *process)
{
	char uid[16];

	process->image = image->number;
	process->pid = image->pid;
	process->parent_pid = image->parent_pid;
	process->ns_pid = image->ns_pid;
	process->uid = image->uid;
	process->start_time = image->identified && image->start_real ? image->start_real
								     : model_to_real(build->model, image->first_time);
	process->exited = image->ended;
	process->end_time = image->ended ? model_to_real(build->model, image->end_time) : 0;
	process->exit_code = image->exit_code;
	process->end_reason = image->end_reason;
	process->from_attach = image->from_attach;
	process->inexact = image->inexact;
	process->unreturned = image->unreturned;

	snprintf(uid, sizeof(uid), "%u", image->uid);
	process->user = string_or(build, image->user, uid);
	process->command = string_or(build, image->command, image->comm);
	process->arguments = string_or(build, image->arguments, "");
	if (!process->user || !process->command || !process->arguments)
		return -ENOMEM;
	process->command_line = command_line(build, process);
	if (!process->command_line)
		return -ENOMEM;
	if (image->container && !(process->container = arena_string(build->arena, image->container)))
		return -ENOMEM;
	if (image->pod && !(process->pod = arena_string(build->arena, image->pod)))
		return -ENOMEM;
	return 0;
}

/* What of the leaked bytes was live at another end than the process's. */
static uint64_t leaked_by(const struct image *image, enum node_end end)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; image->end_calls[end] && i < image->sites.count; i++)
		if (!image->sites.list[i]->held)
			bytes = add_saturated(bytes, image->sites.list[i]->ended_by[end]);
	return bytes;
}

static void build_memory(const struct image *image, struct snap_process *process)
{
	process->leaked_by_reset = leaked_by(image, NODE_END_RESET);
	process->leaked_by_context = leaked_by(image, NODE_END_CONTEXT);
	process->reset_call = image->end_calls[NODE_END_RESET];
	process->context_call = image->end_calls[NODE_END_CONTEXT];
	process->live = image->live;
	process->peak = image->peak;
	process->leaked = image->leaked;
	process->held = image->held;
	process->allocated = image->allocated;
	process->live_allocations = image->live_allocations;
	process->allocations = image->allocations;
	process->frees = image->frees;
	process->failed_allocations = image->failed_allocations;
	process->failed_frees = image->failed_frees;
	process->double_frees = image->double_frees;
	process->unknown_frees = image->unknown_frees;
	memcpy(process->kinds, image->kinds, sizeof(process->kinds));
}

static bool has_device(const struct image *image, int device)
{
	return device < DEVICES_MAX && image->devices[device / 64] >> (device % 64) & 1;
}

static int build_devices(struct build *build, const struct image *image, struct snap_process *process)
{
	char text[256] = "";
	size_t used = 0;
	int device, last;

	for (device = 0; device < DEVICES_MAX; device++)
		process->device_count += has_device(image, device);
	process->devices = arena_alloc(build->arena, process->device_count, sizeof(*process->devices));
	if (!process->devices)
		return -ENOMEM;
	process->device_count = 0;
	for (device = 0; device < DEVICES_MAX; device = last + 1) {
		last = device;
		if (!has_device(image, device))
			continue;
		while (has_device(image, last + 1))
			last++;
		for (int i = device; i <= last; i++)
			process->devices[process->device_count++] = i;
		/* A list too long for the text is cut; the numbers are all there. */
		if (used + 16 > sizeof(text))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", used ? "," : "", device);
		if (last > device)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "-%d", last);
	}
	process->device_list = arena_string(build->arena, text);
	return process->device_list ? 0 : -ENOMEM;
}

static int use_order(const void *left, const void *right)
{
	const struct snap_use *a = left, *b = right;

	return (a->device > b->device) - (a->device < b->device);
}

static struct snap_use *find_use(struct snap_process *process, int device)
{
	size_t i;

	for (i = 0; i < process->use_count; i++)
		if (process->uses[i].device == device)
			return &process->uses[i];
	return NULL;
}

/* After the sites, which know what is suspect. */
static int build_uses(struct build *build, const struct image *image, struct snap_process *process)
{
	size_t i, count = image->held_on.count;

	process->uses = arena_alloc(build->arena, count + 1, sizeof(*process->uses));
	if (!process->uses)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		const struct device_use *use = &image->held_on.list[i];

		/* Of some only the size was asked for. */
		if (use->peak)
			process->uses[process->use_count++] = (struct snap_use){
				.device = use->device, .live = use->live, .peak = use->peak,
				.leaked = use->leaked, .held = use->held,
			};
	}
	for (i = 0; i < process->site_count; i++) {
		const struct snap_site *site = &process->sites[i];
		struct snap_use *use;

		if (!site->suspect)
			continue;
		use = find_use(process, site->device);
		if (!use)
			use = find_use(process, CUTOP_DEVICE_UNKNOWN);
		if (!use) {
			/* There is room for it: nothing else here adds to the list. */
			use = &process->uses[process->use_count++];
			use->device = CUTOP_DEVICE_UNKNOWN;
		}
		use->suspect = add_saturated(use->suspect, site->suspect);
	}
	if (process->use_count)
		qsort(process->uses, process->use_count, sizeof(process->uses[0]), use_order);
	return 0;
}

static void build_rates(struct build *build, struct image *image, struct snap_process *process)
{
	bool was_over = image->ended && build->model->has_snapshot && image->end_time <= build->model->snapshot_time;
	unsigned int i;

	process->launches_per_second = build_rate(build, process->launches, image->launches_before);
	process->failures_per_second = build_rate(build, process->failures, image->failures_before);
	process->graph_launches_per_second = build_rate(build, process->graph_launches, image->graph_launches_before);
	image->launches_before = process->launches;
	image->graph_launches_before = process->graph_launches;
	image->failures_before = process->failures;
	for (i = 0; i < DIR_COUNT; i++) {
		process->copy_rate[i] = build_rate(build, process->copy_bytes[i], image->copies_before[i]);
		image->copies_before[i] = process->copy_bytes[i];
	}
	process->sync_share = was_over || image->unreturned ? NAN : build_rate(build, image->sync_ns, image->sync_before) / 1e9;
	if (process->sync_share > 1)
		process->sync_share = 1;
	image->sync_before = image->sync_ns;
}

int build_counters(struct build *build, struct image *image, struct snap_process *process)
{
	int result;

	build_memory(image, process);
	process->sync_seconds = (double)image->sync_ns / 1e9;
	result = build_kernels(build, image, process);
	if (!result)
		result = build_copies(build, image, process);
	if (!result)
		result = build_calls(build, image, process);
	if (!result)
		result = build_failures(build, image, process);
	return result;
}

static int build_process(struct build *build, struct image *image, struct snap_process *process)
{
	int result;

	result = build_identity(build, image, process);
	if (!result)
		result = build_devices(build, image, process);
	if (!result)
		result = build_sites_and_map(build, image, process);
	if (!result)
		result = build_uses(build, image, process);
	if (!result)
		result = build_counters(build, image, process);
	if (!result)
		build_rates(build, image, process);
	return result;
}

static void add_totals(struct snapshot *snapshot, const struct snap_process *process)
{
	unsigned int i;

	snapshot->live = add_saturated(snapshot->live, process->live);
	snapshot->leaked = add_saturated(snapshot->leaked, process->leaked);
	snapshot->launches = add_saturated(snapshot->launches, process->launches);
	snapshot->graph_launches = add_saturated(snapshot->graph_launches, process->graph_launches);
	snapshot->failures = add_saturated(snapshot->failures, process->failures);
	snapshot->launches_per_second += process->launches_per_second;
	snapshot->graph_launches_per_second += process->graph_launches_per_second;
	snapshot->failures_per_second += process->failures_per_second;
	for (i = 0; i < DIR_COUNT; i++)
		snapshot->copy_rate[i] += process->copy_rate[i];
	snapshot->sync_share = fmax(snapshot->sync_share, process->sync_share);
}

static int process_order(const void *left, const void *right)
{
	const struct snap_process *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start_time != b->start_time)
		return a->start_time < b->start_time ? -1 : 1;
	return (a->image > b->image) - (a->image < b->image);
}

static int build_processes(struct build *build)
{
	struct snapshot *snapshot = build->snapshot;
	double none = isnan(build->interval) ? NAN : 0;
	struct image *image;
	size_t count = 0;
	unsigned int i;

	snapshot->launches_per_second = snapshot->graph_launches_per_second = snapshot->failures_per_second = none;
	for (i = 0; i < DIR_COUNT; i++)
		snapshot->copy_rate[i] = none;
	snapshot->sync_share = NAN;
	snapshot->gone = build->model->gone;
	memcpy(snapshot->unseen, build->model->unseen, sizeof(snapshot->unseen));
	snapshot->leaked = snapshot->gone.leaked;
	snapshot->launches = snapshot->gone.launches;
	snapshot->graph_launches = snapshot->gone.graph_launches;
	snapshot->failures = snapshot->gone.failures;

	for (image = image_tree_first(build->model); image; image = image_tree_next(image))
		count += image->known;
	snapshot->processes = arena_alloc(build->arena, count, sizeof(*snapshot->processes));
	if (!snapshot->processes)
		return -ENOMEM;
	for (image = image_tree_first(build->model); image; image = image_tree_next(image)) {
		struct snap_process *process = &snapshot->processes[snapshot->process_count];

		if (!image->known)
			continue;
		if (!image->ended)
			ledger_expire(build->model, image, build->model->latest);
		if (build_process(build, image, process) < 0)
			return -ENOMEM;
		add_totals(snapshot, process);
		totals_note(build->model, image);
		snapshot->process_count++;
	}
	if (count)
		qsort(snapshot->processes, count, sizeof(snapshot->processes[0]), process_order);
	return 0;
}

static int build_events(struct build *build)
{
	const struct model *model = build->model;
	struct snapshot *snapshot = build->snapshot;
	size_t i;

	snapshot->events = arena_alloc(build->arena, model->event_count, sizeof(*snapshot->events));
	if (!snapshot->events)
		return -ENOMEM;
	for (i = 0; i < model->event_count; i++) {
		const struct event *event = &model->events[(model->event_first + i) % EVENTS_MAX];

		snapshot->events[i] = (struct snap_event){
			.time = model_to_real(model, event->time),
			.pid = event->pid,
			.kind = event->kind,
			.bytes = event->bytes,
			.repeated = event->repeated,
			.text = arena_string(build->arena, event->text),
		};
		if (!snapshot->events[i].text)
			return -ENOMEM;
		if (event->detail) {
			struct snap_detail *detail = arena_alloc(build->arena, 1, sizeof(*detail));

			if (!detail)
				return -ENOMEM;
			*detail = *event->detail;
			snapshot->events[i].detail = detail;
		}
	}
	snapshot->event_count = model->event_count;
	return 0;
}

const char *const alloc_state_names[ALLOC_STATE_COUNT] = {
	[ALLOC_LIVE] = "live",
	[ALLOC_SUSPECT] = "suspect",
	[ALLOC_LEAKED] = "leaked",
	[ALLOC_HELD] = "held",
	[ALLOC_SAVED] = "saved",
};

const char *snapshot_call_name(unsigned int call, const struct snap_extra *extra)
{
	return extra->symbol ? extra->symbol : call_name(call);
}

const char *snapshot_call_brief(unsigned int call, const struct snap_extra *extra)
{
	return extra->symbol && extra->brief ? extra->brief : snapshot_call_name(call, extra);
}

struct snapshot *model_snapshot(struct model *model, uint64_t now, unsigned int map_max)
{
	struct build build = { .model = model, .now = now, .number = ++model->snapshot_number, .map_max = map_max, .interval = NAN };
	struct snapshot *snapshot;
	unsigned int i;

	images_trim(model);
	build.arena = arena_new();
	build.sums = calloc(CALL_SUMS, sizeof(*build.sums));
	snapshot = build.arena ? arena_alloc(build.arena, 1, sizeof(*snapshot)) : NULL;
	if (!snapshot || !build.sums)
		goto fail;
	build.snapshot = snapshot;
	snapshot->arena = build.arena;
	snapshot->started = model->config.start_real;
	snapshot->time = model_to_real(model, now);
	snapshot->elapsed_seconds = (double)subtract_saturated(now, model->config.start_mono) / 1e9;
	snapshot->interval_seconds = NAN;
	if (model->has_snapshot) {
		snapshot->interval_seconds = (double)subtract_saturated(now, model->snapshot_time) / 1e9;
		if (snapshot->interval_seconds >= RATE_SECONDS_MIN)
			build.interval = snapshot->interval_seconds;
	}
	if (build_processes(&build) < 0 || build_device_list(&build) < 0 || build_events(&build) < 0 || build_totals(&build) < 0)
		goto fail;
	for (i = 0; i < LOST_COUNT; i++)
		snapshot->lost[i] = model->lost[i] + (i < LOST_FED_COUNT ? model->lost_fed[i] : 0);
	model->snapshot_time = now;
	model->has_snapshot = true;
	free(build.sums);
	return snapshot;
fail:
	model_lose(model, LOST_MEMORY, 1);
	free(build.sums);
	arena_free(build.arena);
	return NULL;
}

void moment_fill(struct snapshot *snapshot, const struct rec_moment *moment)
{
	snapshot->synthetic = moment->is_synthetic;
	snapshot->targets = moment->targets;
	snapshot->attached = moment->attached;
	snapshot->missing = moment->missing;
	snapshot->has_points = moment->has_points;
	snapshot->at_entry = moment->at_entry;
	snapshot->past_entry = moment->past_entry;
	snapshot->single_stepped = moment->single_stepped;
	snapshot->self_cpu_seconds = (double)moment->self_cpu_ns / 1e9;
	snapshot->self_resident_bytes = moment->self_resident;
}
