/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rates are differences to each counter's value at the previous snapshot, which is stored beside
 * the counter.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/build.h"
#include "model/histogram.h"
#include "model/model_state.h"
#include "util/saturated.h"

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
		snprintf(line, command + arguments + 2, "%s %s", process->command,
			 process->arguments);
	return line;
}

static void build_identity(struct build *build, const struct program *program,
			   struct snap_process *process)
{
	process->program = program->number;
	process->pid = program->identity.pid;
	process->parent_pid = program->identity.parent_pid;
	process->ns_pid = program->identity.ns_pid;
	process->uid = program->identity.uid;
	process->start_time = program_start(build->model, program);
	process->exited = program->ended;
	process->end_time =
		program->ended ? wall_clock_at(&build->model->clock, program->end_time) : 0;
	process->exit_code = program->exit_code;
	process->end_reason = program->end_reason;
	process->end_is_guess = program->end_is_guess;
	process->from_attach = program->identity.from_attach;
	process->runtime_late = program->identity.runtime_late;
	process->inexact = program_is_inexact(program);
	process->unreturned = program->unreturned;
}

static int build_devices(struct build *build, const struct program *program,
			 struct snap_process *process)
{
	char text[256] = "";
	size_t used = 0;
	int device, last;

	process->devices = arena_alloc(build->arena, own_devices_count(&program->devices),
				       sizeof(*process->devices));
	if (!process->devices)
		return -ENOMEM;
	for (device = own_devices_next(&program->devices, 0); device >= 0;
	     device = own_devices_next(&program->devices, last + 1)) {
		last = device;
		while (own_devices_next(&program->devices, last + 1) == last + 1)
			last++;
		for (int i = device; i <= last; i++)
			process->devices[process->device_count++] = i;
		/* The text is cut if the list is too long; the numbers are complete. */
		if (used + 16 > sizeof(text))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", used ? "," : "",
					 device);
		if (last > device)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "-%d", last);
	}
	process->device_list = arena_string(build->arena, text);
	return process->device_list ? 0 : -ENOMEM;
}

static int build_texts(struct build *build, const struct program *program,
		       struct snap_process *process)
{
	char uid[16];

	snprintf(uid, sizeof(uid), "%u", program->identity.uid);
	process->user = string_or(build, program->identity.user, uid);
	process->command = arena_string(build->arena, identity_name(&program->identity));
	process->arguments = string_or(build, program->identity.arguments, "");
	if (!process->user || !process->command || !process->arguments)
		return -ENOMEM;
	process->command_line = command_line(build, process);
	if (!process->command_line)
		return -ENOMEM;
	if (program->identity.container &&
	    !(process->container = arena_string(build->arena, program->identity.container)))
		return -ENOMEM;
	if (program->identity.pod &&
	    !(process->pod = arena_string(build->arena, program->identity.pod)))
		return -ENOMEM;
	return build_devices(build, program, process);
}

uint64_t build_last_time(const struct build *build, const struct program *program)
{
	return program->ended && program->end_time < build->now ? program->end_time : build->now;
}

/* Seconds between its first call and then. */
static double life_of(const struct build *build, const struct program *program)
{
	return (double)subtract_saturated(build_last_time(build, program), program->first_time) /
	       1e9;
}

/*
 * Seconds of the interval in which @program ran; NAN if there is no interval. What counts of one
 * that has ended is its life, not the piece of an interval in which it ended.
 */
static double interval_of(const struct build *build, const struct program *program)
{
	uint64_t begin = build->model->snapshot_time;

	if (isnan(build->interval) || program->ended)
		return NAN;
	if (begin < program->first_time)
		begin = program->first_time;
	return build->now > begin ? (double)(build->now - begin) / 1e9 : NAN;
}

/* Times that a hostile record tells of can be longer than a number has room for. */
static uint64_t ns_of(double seconds)
{
	return seconds < 1.8e10 ? (uint64_t)(seconds * 1e9) : UINT64_MAX;
}

static void build_time(struct build *build, struct program *program, struct snap_process *process)
{
	uint64_t hist[CUTOP_HIST_BUCKETS] = { 0 }, max_ns = 0;
	struct time_sums sums = { .sampled = process->sampled, .times = program->time.times };
	struct launch_entry *entry;

	for (entry = launch_first(&program->counters); entry; entry = launch_next(entry)) {
		sums.launches = add_saturated(sums.launches, entry->row.launches);
		sums.launches_ns = add_saturated(sums.launches_ns, entry->row.ns);
		for (unsigned int i = 0; i < CUTOP_HIST_BUCKETS; i++)
			hist[i] += entry->row.hist[i];
		if (max_ns < entry->row.max_ns)
			max_ns = entry->row.max_ns;
	}
	for (size_t i = 0; i < process->call_count; i++) {
		const struct snap_call *call = &process->call_list[i];
		uint64_t *part;

		/*
		 * Functions named with --probe are in no class: others that count may be called by
		 * them.
		 */
		if (call->call >= CALL_COUNT)
			continue;
		part = &sums.ns[class_time_part(call_descs[call->call].class,
						call_descs[call->call].a)];
		*part = add_saturated(*part, ns_of(call->seconds));
	}
	sums.ns[TIME_LAUNCH] = subtract_saturated(sums.ns[TIME_LAUNCH], sums.launches_ns);
	for (int part = 0; part < TIME_NONE; part++)
		sums.ns[part] = add_saturated(sums.ns[part], sums.times.open_ns[part]);
	sums.ns[TIME_SYNC] = program->sync_ns; /* with those under way */
	sums.typical = histogram_latency(hist, max_ns).p50 * 1e9;
	if (build->is_whole)
		program->time.before = (struct time_sums){ 0 };
	time_shares_build(&program->time, &sums, life_of(build, program),
			  build->is_whole ? life_of(build, program) : interval_of(build, program),
			  &process->time);
	if (program->unreturned)
		process->time.is_known = false;
}

#define SEEN_LEAST 0.2 /* seconds of a window that a rate is of */

/* While launches are watched in windows, the rate is that of the last one. */
static double launch_rate(const struct build *build, struct program *program,
			  const struct snap_process *process)
{
	double seen =
		(double)subtract_saturated(program->cost.launches_ns, program->launches_ns_before) /
		1e9;

	if (!program->cost.since[SPARE_LAUNCHES] || build->is_whole)
		return build_rate(build, process->launches, program->launches_before);
	if (seen >= SEEN_LEAST)
		program->cost.launch_rate =
			(double)subtract_saturated(process->launches, program->launches_before) /
			seen;
	return program->cost.launch_rate;
}

/* What it pays, as a share of its own processor time. */
static void build_cost(const struct build *build, struct program *program,
		       struct snap_process *process)
{
	uint64_t paid_before = build->is_whole ? 0 : program->paid_before,
		 cpu_before = build->is_whole ? 0 : program->cpu_before,
		 paid = subtract_saturated(program->cost.paid_ns, paid_before),
		 cpu = subtract_saturated(program->cost.cpu_ns, cpu_before);

	process->cost = cpu > paid ? (double)paid / (double)(cpu - paid) : NAN;
	for (int kind = 0; kind < SPARE_COUNT; kind++)
		process->given_up[kind] =
			program->cost.since[kind] && !program->ended ?
				wall_clock_at(&build->model->clock, program->cost.since[kind]) :
				0;
	process->given_ever = program->cost.ever;
	program->paid_before = program->cost.paid_ns;
	program->cpu_before = program->cost.cpu_ns;
	program->launches_ns_before = program->cost.launches_ns;
}

static void build_rates(struct build *build, struct program *program, struct snap_process *process)
{
	bool was_over = program->ended && build->model->has_snapshot &&
			program->end_time <= build->model->snapshot_time;
	unsigned int i;

	process->launches_per_second = launch_rate(build, program, process);
	process->failures_per_second =
		build_rate(build, process->failures, program->failures_before);
	process->graph_launches_per_second =
		build_rate(build, process->graph_launches, program->graph_launches_before);
	build_cost(build, program, process);
	program->launches_before = process->launches;
	program->graph_launches_before = process->graph_launches;
	program->failures_before = process->failures;
	for (i = 0; i < DIR_COUNT; i++) {
		process->copy_rate[i] =
			build_rate(build, process->copy_bytes[i], program->copies_before[i]);
		program->copies_before[i] = process->copy_bytes[i];
	}
	process->sync_share =
		(was_over && !build->is_whole) || program->unreturned ?
			NAN :
			build_rate(build, program->sync_ns, program->sync_before) / 1e9;
	if (process->sync_share > 1)
		process->sync_share = 1;
	program->sync_before = program->sync_ns;
}

int build_counters(struct build *build, struct program *program, struct snap_process *process)
{
	build_memory(program, process);
	process->sync_seconds = (double)program->sync_ns / 1e9;
	return build_kernels(build, program, process)        ?:
		       build_copies(build, program, process) ?:
		       build_graphs(build, program, process) ?:
		       build_calls(build, program, process)  ?:
		       build_failures(build, program, process);
}

int build_process(struct build *build, struct program *program, struct snap_process *process)
{
	int result;

	if (build->is_whole)
		build_interval_set(build, life_of(build, program));
	build_identity(build, program, process);
	result = build_names(build, program)                       ?:
			 build_ledger(build, program, process)     ?:
			 build_texts(build, program, process)      ?:
			 build_counters(build, program, process)   ?:
			 build_call_sites(build, program, process) ?:
			 build_blocks(build, program, process);
	if (result)
		return result;
	build_rates(build, program, process);
	build_time(build, program, process);
	return 0;
}
