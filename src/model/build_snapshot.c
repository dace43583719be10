/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a snapshot: every known process with its lists, the totals, the log. All of it is in one
 * arena.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build_totals.h"
#include "model/device_numbers.h"
#include "model/lives.h"
#include "model/model_state.h"
#include "model/telling.h"
#include "util/saturated.h"

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
	return (a->program > b->program) - (a->program < b->program);
}

static int build_processes(struct build *build)
{
	struct snapshot *snapshot = build->snapshot;
	double none = isnan(build->interval) ? NAN : 0;
	struct program *program;
	size_t count = 0;
	unsigned int i;

	snapshot->launches_per_second = snapshot->graph_launches_per_second =
		snapshot->failures_per_second = none;
	for (i = 0; i < DIR_COUNT; i++)
		snapshot->copy_rate[i] = none;
	snapshot->sync_share = NAN;
	snapshot->gone = build->model->gone;
	memcpy(snapshot->unseen, build->model->unseen, sizeof(snapshot->unseen));
	snapshot->leaked = snapshot->gone.leaked;
	snapshot->launches = snapshot->gone.launches;
	snapshot->graph_launches = snapshot->gone.graph_launches;
	snapshot->failures = snapshot->gone.failures;

	for (program = programs_first(&build->model->programs); program;
	     program = programs_next(program))
		count += program->known;
	build->cheap_max = build_cheap_max(count);
	snapshot->processes = arena_alloc(build->arena, count, sizeof(*snapshot->processes));
	if (!snapshot->processes)
		return -ENOMEM;
	for (program = programs_first(&build->model->programs); program;
	     program = programs_next(program)) {
		struct snap_process *process = &snapshot->processes[snapshot->process_count];

		if (!program->known)
			continue;
		if (!program->ended)
			lives_expire(build->model, program, build->model->latest);
		if (build_process(build, program, process) < 0)
			return -ENOMEM;
		tell_suspect(build->model, program, process, build->now);
		add_totals(snapshot, process);
		build_totals_note(build->model, program);
		snapshot->process_count++;
	}
	if (count)
		qsort(snapshot->processes, count, sizeof(snapshot->processes[0]), process_order);
	return 0;
}

/* Names what @detail mentions as its program calls it by now, if that is kept. */
static int build_detail(struct build *build, uint32_t number, struct snap_detail *detail)
{
	struct program *program = number ? programs_find(&build->model->programs, number) : NULL;
	size_t i;

	if (!program)
		return 0;
	if (build_place_at(build, program, detail->address, detail->stack, &detail->where))
		return -ENOMEM;
	for (i = 0; i < detail->line_count; i++) {
		struct snap_line *line = &detail->lines[i];

		if (build_place_at(build, program, line->site, line->stack, &line->where))
			return -ENOMEM;
	}
	return 0;
}

static int build_event(struct build *build, const struct event *event, struct snap_event *snap)
{
	size_t size = strlen(event->text) + 1 + (event->name ? strlen(event->name) : 0);
	char *text = arena_alloc(build->arena, size, 1);
	struct snap_detail *detail;

	*snap = (struct snap_event){
		.time = wall_clock_at(&build->model->clock, event->time),
		.pid = event->pid,
		.program = event->program,
		.kind = event->kind,
		.failed = event->failed,
		.bytes = event->bytes,
		.repeated = event->repeated,
		.text = text,
		.name = event->name ? arena_string(build->arena, event->name) : NULL,
	};
	if (!text || !snap->name != !event->name)
		return -ENOMEM;
	snprintf(text, size, "%s%s", event->name ? event->name : "", event->text);
	if (!event->detail)
		return 0;
	snap->detail = detail = arena_alloc(build->arena, 1, sizeof(*detail));
	if (!detail)
		return -ENOMEM;
	*detail = *event->detail;
	return build_detail(build, event->program, detail);
}

static int build_events(struct build *build)
{
	const struct event_log *log = &build->model->log;
	struct snapshot *snapshot = build->snapshot;

	snapshot->events = arena_alloc(build->arena, log->count, sizeof(*snapshot->events));
	if (!snapshot->events)
		return -ENOMEM;
	for (; snapshot->event_count < log->count; snapshot->event_count++)
		if (build_event(build, &log->events[snapshot->event_count],
				&snapshot->events[snapshot->event_count]))
			return -ENOMEM;
	return 0;
}

/*
 * Rates of all processes together, of the whole run: some ran after others, so their own rates do
 * not add up.
 */
static void build_whole_totals(struct build *build)
{
	struct snapshot *snapshot = build->snapshot;
	uint64_t begin = build->model->begun, end = 0, bytes[DIR_COUNT] = { 0 };
	const struct program *program;

	for (program = programs_first(&build->model->programs); program;
	     program = programs_next((struct program *)program))
		if (program->known && end < build_last_time(build, program))
			end = build_last_time(build, program);
	if (end > begin)
		snapshot->interval_seconds = (double)(end - begin) / 1e9;
	build_interval_set(build, snapshot->interval_seconds);
	snapshot->launches_per_second = build_rate(build, snapshot->launches, 0);
	snapshot->graph_launches_per_second = build_rate(build, snapshot->graph_launches, 0);
	snapshot->failures_per_second = build_rate(build, snapshot->failures, 0);
	for (size_t i = 0; i < snapshot->process_count; i++)
		for (int direction = 0; direction < DIR_COUNT; direction++)
			bytes[direction] = add_saturated(
				bytes[direction], snapshot->processes[i].copy_bytes[direction]);
	for (int direction = 0; direction < DIR_COUNT; direction++)
		snapshot->copy_rate[direction] = build_rate(build, bytes[direction], 0);
}

static struct snapshot *snapshot_build(struct model *model, uint64_t now, unsigned int map_max,
				       bool is_whole)
{
	struct build build = { .model = model,
			       .now = now,
			       .number = ++model->snapshot_number,
			       .map_max = map_max,
			       .interval = NAN,
			       .is_whole = is_whole };
	struct snapshot *snapshot;
	unsigned int i;

	lives_trim(model);
	device_numbers_listed(model);
	snapshot = build_begin(&build) ? NULL : arena_alloc(build.arena, 1, sizeof(*snapshot));
	if (!snapshot)
		goto fail;
	build.snapshot = snapshot;
	snapshot->arena = build.arena;
	snapshot->started = model->config.start_real;
	snapshot->time = wall_clock_at(&model->clock, now);
	snapshot->elapsed_seconds = (double)subtract_saturated(now, model->config.start_mono) / 1e9;
	snapshot->is_whole = is_whole;
	snapshot->interval_seconds = NAN;
	if (is_whole)
		snapshot->interval_seconds = snapshot->elapsed_seconds;
	else if (model->has_snapshot)
		snapshot->interval_seconds =
			(double)subtract_saturated(now, model->snapshot_time) / 1e9;
	build_interval_set(&build, snapshot->interval_seconds);
	if (build_processes(&build) < 0 || build_device_list(&build) < 0 ||
	    build_events(&build) < 0 || build_totals(&build) < 0)
		goto fail;
	if (is_whole)
		build_whole_totals(&build);
	for (i = 0; i < LOST_COUNT; i++)
		snapshot->lost[i] = losses_total(&model->losses, (enum lost_cause)i);
	model->snapshot_time = now;
	model->has_snapshot = true;
	build_end(&build);
	return snapshot;
fail:
	model_lose(model, LOST_MEMORY, 1);
	build_end(&build);
	arena_free(build.arena);
	return NULL;
}

struct snapshot *model_snapshot(struct model *model, uint64_t now, unsigned int map_max)
{
	return snapshot_build(model, now, map_max, false);
}

struct snapshot *model_whole(struct model *model, uint64_t now, unsigned int map_max)
{
	return snapshot_build(model, now, map_max, true);
}
