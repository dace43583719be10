/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/arena.h"
#include "model/build.h"
#include "model/columns.h"
#include "model/counters.h"
#include "model/findings.h"
#include "model/model_state.h"
#include "model/stream.h"
#include "model/telling.h"
#include "util/saturated.h"
#include "util/util.h"

const char *command_basename(const char *command)
{
	const char *slash = strrchr(command, '/');
	bool is_path = strchr("./", *command) || !memchr(command, ' ', strcspn(command, "/"));

	/* "gunicorn: master [app/wsgi]" */
	return slash && slash[1] && is_path ? slash + 1 : command;
}

int snapshot_process_order(const void *left, const void *right)
{
	const struct snap_process *a = left, *b = right;
	int order = ORDER(a->pid, b->pid);

	if (!order)
		order = ORDER(a->start_time, b->start_time);
	return order ? order : ORDER(a->program, b->program);
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

const char *const alloc_state_names[ALLOC_STATE_COUNT] = {
	[ALLOC_LIVE] = "live",
	[ALLOC_SUSPECT] = "suspect",
	[ALLOC_LEAKED] = "leaked",
	[ALLOC_HELD] = "held",
};

const char *snapshot_call_name(unsigned int call, const struct snap_extra *extra)
{
	return extra->symbol ? extra->symbol : call_name(call);
}

const char *snapshot_call_brief(unsigned int call, const struct snap_extra *extra)
{
	return extra->symbol && extra->brief ? extra->brief : snapshot_call_name(call, extra);
}

const char *snapshot_instance(const struct snap_device *device,
			      const struct snap_instance *instance, char out[INSTANCE_TEXT])
{
	int len = snprintf(out, INSTANCE_TEXT, "%d:%u", device->device, instance->gpu_instance);

	if (instance->compute_instance)
		snprintf(out + len, INSTANCE_TEXT - (size_t)len, ":%u", instance->compute_instance);
	return out;
}

const char *snapshot_line(const struct snap_line *line, char out[LINE_TEXT])
{
	const char *about = line->sampled ? "~" : "";
	char bytes[16];

	format_bytes((double)line->live, bytes, sizeof(bytes));
	snprintf(out, LINE_TEXT, "%s%s in %s%" PRIu64 " allocation%s from %s", about, bytes, about,
		 line->allocations, line->allocations == 1 ? "" : "s",
		 line->where.site ? line->where.site : line->text);
	return out;
}

void moment_fill(struct snapshot *snapshot, const struct rec_moment *moment)
{
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

int build_begin(struct build *build)
{
	build->arena = arena_new();
	build->sums = calloc(CALL_SUMS, sizeof(*build->sums));
	return build->arena && build->sums ? 0 : -ENOMEM;
}

void build_end(struct build *build)
{
	free(build->sums);
}

#define RATE_SECONDS_MIN 0.010

/* Sets the interval, unless @seconds are too few for rates. */
static void build_interval_set(struct build *build, double seconds)
{
	/* A life is whole, however short; a piece of one may say little of the rest. */
	build->interval = seconds > (build->is_whole ? 0 : RATE_SECONDS_MIN) ? seconds : NAN;
}

double build_rate(const struct build *build, uint64_t now, uint64_t before)
{
	return (double)subtract_saturated(now, build->is_whole ? 0 : before) / build->interval;
}

/* The sum of @call, which gets @calls more calls, and so on. */
static struct call_sum *sum_add(struct build *build, unsigned int call, uint64_t calls,
				uint64_t failures, uint64_t ns, uint64_t max_ns,
				const __u64 hist[CUTOP_HIST_BUCKETS])
{
	unsigned int i, index = call_index(call);
	struct call_sum *sum = &build->sums[index];

	build->used_sums[index / 64] |= 1ull << index % 64;
	sum->call.call = (uint16_t)call;
	sum->call.calls += calls;
	sum->call.failures += failures;
	sum->ns = add_saturated(sum->ns, ns);
	if (max_ns > sum->max_ns)
		sum->max_ns = max_ns;
	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		sum->call.hist[i] += hist[i];
	return sum;
}

void build_add_call(struct build *build, unsigned int call, const struct call_row *row,
		    bool sampled)
{
	sum_add(build, call, row->calls, row->failures, row->ns, row->max_ns, row->hist)
		->call.sampled |= sampled;
}

void build_add_launches(struct build *build, unsigned int call, const struct launch_row *row)
{
	sum_add(build, call, row->launches, row->failures, row->ns, row->max_ns, row->hist)
		->call.sampled |= row->sampled != 0;
}

unsigned int build_next_sum(const struct build *build, unsigned int index)
{
	for (; index < CALL_SUMS; index = (index / 64 + 1) * 64) {
		uint64_t used = build->used_sums[index / 64] >> index % 64;

		if (used)
			return index + (unsigned int)__builtin_ctzll(used);
	}
	return CALL_SUMS;
}

int build_extra(const struct build *build, unsigned int call, struct snap_extra *names)
{
	const struct extra_name *extra = extra_names_find(&build->model->extras, call);
	char unknown[16];

	/* In a recording, their names may be missing: they are different functions all the same. */
	snprintf(unknown, sizeof(unknown), "?#%u", call - CUTOP_EXTRA);
	names->symbol = arena_string(build->arena, extra->symbol ? extra->symbol : unknown);
	names->brief = extra->brief ? arena_string(build->arena, extra->brief) : names->symbol;
	names->signature = extra->full ? arena_string(build->arena, extra->full) : NULL;
	return names->symbol && names->brief && !names->signature == !extra->full ? 0 : -ENOMEM;
}

/*
 * Rates are differences to each counter's value at the previous snapshot, which is stored beside
 * the counter.
 */

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
	process->rank = program->identity.rank;
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

int build_devices(struct build *build, const struct own_devices *devices,
		  struct snap_process *process)
{
	char text[256] = "";
	size_t used = 0;
	int device, last;

	process->devices =
		arena_alloc(build->arena, own_devices_count(devices), sizeof(*process->devices));
	if (!process->devices)
		return -ENOMEM;
	for (device = own_devices_next(devices, 0); device >= 0;
	     device = own_devices_next(devices, last + 1)) {
		last = device;
		while (own_devices_next(devices, last + 1) == last + 1)
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
	char uid[16], brief[IDENTITY_BRIEF];

	snprintf(uid, sizeof(uid), "%u", program->identity.uid);
	process->user = string_or(build, program->identity.user, uid);
	process->command = arena_string(build->arena, identity_name(&program->identity));
	process->label = program->identity.title ?
				 arena_string(build->arena, identity_label(&program->identity)) :
				 NULL;
	process->arguments = string_or(build, program->identity.arguments, "");
	process->brief = arena_string(build->arena, identity_brief(&program->identity, brief));
	if ((program->identity.title && !process->label) || !process->user || !process->command ||
	    !process->arguments || !process->brief)
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
	return build_devices(build, &program->devices, process);
}

/* When @program was last watched: at its end, or now. */
static uint64_t build_last_time(const struct build *build, const struct program *program)
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

	for (entry = table_first(&program->counters.launches); entry; entry = table_next(entry)) {
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

	/* An estimate cannot leave a program less than a tenth of what it used: then it is too high. */
	paid = paid < cpu - cpu / 10 ? paid : cpu - cpu / 10;
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
	return build_kernels(build, program, process)         ?:
		       build_copies(build, program, process)  ?:
		       build_objects(build, program, process) ?:
		       build_calls(build, program, process)   ?:
		       build_failures(build, program, process);
}

static int build_process(struct build *build, struct program *program, struct snap_process *process)
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

/*
 * Makes a snapshot: every known process with its lists, the totals, the log. All of it is in one
 * arena.
 */

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

	for (program = table_first(&build->model->programs.table); program;
	     program = table_next(program))
		count += program->known;
	build->cheap_max = build_cheap_max(count);
	snapshot->processes = arena_alloc(build->arena,
					  count + build->model->readings.process_count,
					  sizeof(*snapshot->processes));
	if (!snapshot->processes)
		return -ENOMEM;
	for (program = table_first(&build->model->programs.table); program;
	     program = table_next(program)) {
		struct snap_process *process = &snapshot->processes[snapshot->process_count];

		if (!program->known)
			continue;
		if (!program->ended)
			lives_expire(build->model, program, build->model->latest);
		if (build_process(build, program, process) < 0)
			return -ENOMEM;
		tell_suspect(build->model, program, process, build->now);
		add_totals(snapshot, process);
		snapshot->process_count++;
	}
	if (count)
		qsort(snapshot->processes, count, sizeof(snapshot->processes[0]),
		      snapshot_process_order);
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
	for (i = 0; i < detail->object_count; i++) {
		struct snap_many *many = &detail->objects[i];

		if (build_place_at(build, program, many->address, many->stack, &many->where))
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

	for (program = table_first(&build->model->programs.table); program;
	     program = table_next((struct program *)program))
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

	lives_clear(model);
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
	    build_events(&build) < 0 || build_totals(&build) < 0 ||
	    findings_find(snapshot, build.arena) < 0)
		goto fail;
	if (is_whole)
		build_whole_totals(&build);
	for (i = 0; i < LOST_COUNT; i++)
		snapshot->lost[i] = losses_total(&model->losses, (enum lost_cause)i);
	model->snapshot_time = now;
	model->has_snapshot = true;
	build_end(&build);
	lives_bound(model);
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
