/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums that never go down: what all processes of a command have done, and all calls of a function.
 * A process is dropped some time after its end. Its counters are then added to those of the
 * processes dropped before; a snapshot adds the processes that still exist. A process belongs to
 * the command it was first shown under, even if it turns out to have another name; commands beyond
 * COMMANDS_MAX share one entry.
 * Times are added up in whole nanoseconds: a sum of floating point numbers depends on the order,
 * which changes when a process leaves, and its last digit might fall.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/model_state.h"
#include "util/saturated.h"
#include "util/utf8.h"

#define OTHER "other" /* a program of that name is counted here, too */

/* The sums of one snapshot. */
struct total_sums {
	struct snap_command *commands;
	size_t command_count;
	struct snap_call calls[CALL_SUMS]; /* by call_index(); without their seconds */
	uint64_t ns[CALL_SUMS];
};

struct totals {
	struct snap_command commands[COMMANDS_MAX + 1]; /* names in it are owned */
	uint64_t told_leaked[COMMANDS_MAX + 1], told_held[COMMANDS_MAX + 1];
	/* sums of dropped processes; its commands are the ones above */
	struct total_sums gone;
};

struct totals *totals_new(void)
{
	struct totals *totals = calloc(1, sizeof(*totals));

	if (totals)
		totals->gone.commands = totals->commands;
	return totals;
}

void totals_free(struct totals *totals)
{
	size_t i;

	if (!totals)
		return;
	for (i = 0; i < totals->gone.command_count; i++)
		free((char *)totals->commands[i].command);
	free(totals);
}

/* with the NUL: room of a metrics label. Longer names that begin in the same way become one */
#define NAME_SIZE 256

/* The index of the command's entry, from 1; 0 without memory. */
static uint16_t entry_of(struct totals *totals, const char *whole)
{
	char command[NAME_SIZE], *name;
	bool is_other;
	size_t i;

	utf8_clean(whole, command, sizeof(command));
	is_other = !strcmp(command, OTHER);

	for (i = 0; i < totals->gone.command_count; i++)
		if (!strcmp(totals->commands[i].command, command))
			return (uint16_t)(i + 1);
	/* The last entry is kept free for "other". */
	if (!is_other && totals->gone.command_count >= COMMANDS_MAX)
		return entry_of(totals, OTHER);
	if (totals->gone.command_count > COMMANDS_MAX)
		return 0;
	name = strdup(command);
	if (!name)
		return 0;
	totals->commands[totals->gone.command_count] =
		(struct snap_command){ .command = name, .is_other = is_other };
	return (uint16_t)++totals->gone.command_count;
}

static void add(uint64_t *sum, uint64_t value)
{
	*sum = add_saturated(*sum, value);
}

/*
 * A snapshot stores whole nanoseconds as @seconds: converts them back. After weeks the result is
 * rounded, but always in the same way.
 */
static void add_time(uint64_t *sum, double seconds)
{
	add(sum, (uint64_t)llround(seconds * 1e9));
}

static void add_copies(struct snap_command *command, const struct snap_process *process)
{
	size_t i;

	for (i = 0; i < process->copy_count; i++) {
		const struct snap_copy *copy = &process->copies[i];
		struct snap_copy_total *total = &command->copies[copy->direction][copy->mode];

		add(&total->calls, copy->calls);
		add(&total->failures, copy->failures);
		add(&total->bytes, copy->bytes);
		add_time(&total->ns, copy->seconds);
	}
}

static void add_calls(struct total_sums *sums, const struct snap_process *process)
{
	unsigned int bucket;
	size_t i;

	for (i = 0; i < process->call_count; i++) {
		const struct snap_call *from = &process->call_list[i];
		unsigned int index = call_index(from->call);
		struct snap_call *to = &sums->calls[index];

		add(&to->calls, from->calls);
		add(&to->failures, from->failures);
		add_time(&sums->ns[index], from->seconds);
		to->sampled |= from->sampled;
		to->judged = from->judged;
		to->untimed = from->untimed;
		for (bucket = 0; bucket < CUTOP_HIST_BUCKETS; bucket++)
			add(&to->hist[bucket], from->hist[bucket]);
	}
}

/* Adds a process with entry @number. */
static void totals_add(struct total_sums *sums, uint16_t number, const struct snap_process *process)
{
	struct snap_command *command = &sums->commands[number - 1];

	add(&command->leaked, process->leaked);
	add(&command->held, process->held);
	add(&command->allocations, process->allocations);
	add(&command->allocated, process->allocated);
	add(&command->frees, process->frees);
	add(&command->failed_allocations, process->failed_allocations);
	add(&command->recovered_allocations, process->recovered_allocations);
	add(&command->failed_frees, process->failed_frees);
	add(&command->double_frees, process->double_frees);
	add(&command->unknown_frees, process->unknown_frees);
	add(&command->calls, process->calls);
	add(&command->failures, process->failures);
	add(&command->launches, process->launches);
	add(&command->graph_launches, process->graph_launches);
	add_time(&command->sync_ns, process->sync_seconds);
	add_copies(command, process);
	add_calls(sums, process);
}

/* New sums in @arena, starting with those of dropped processes. NULL without memory. */
static struct total_sums *totals_begin(const struct totals *totals, struct arena *arena)
{
	struct total_sums *sums = arena_alloc(arena, 1, sizeof(*sums));
	size_t count = totals->gone.command_count;

	if (!sums)
		return NULL;
	*sums = totals->gone;
	sums->commands = arena_alloc(arena, count, sizeof(*sums->commands));
	if (!sums->commands)
		return NULL;
	memcpy(sums->commands, totals->commands, count * sizeof(*sums->commands));
	return sums;
}

/*
 * A leak that turned out to be none has been exported already: the sum stays until the true value
 * has caught up.
 */
static void never_less(uint64_t *value, uint64_t *told)
{
	if (*value < *told)
		*value = *told;
	*told = *value;
}

/*
 * To be called when all processes were added: no sum may be lower than in an earlier snapshot.
 * Returns 0 or -ENOMEM.
 */
static int totals_end(struct totals *totals, struct total_sums *sums, struct arena *arena)
{
	size_t i;

	for (i = 0; i < sums->command_count; i++) {
		struct snap_command *command = &sums->commands[i];

		never_less(&command->leaked, &totals->told_leaked[i]);
		never_less(&command->held, &totals->told_held[i]);
		command->command = arena_string(arena, command->command);
		if (!command->command)
			return -ENOMEM;
	}
	return 0;
}

static void gone_add(struct snap_gone *gone, const struct program *program,
		     const struct snap_process *process)
{
	size_t i;

	gone->processes++;
	gone->from_attach |= program->identity.from_attach;
	gone->inexact |= program_is_inexact(program);
	gone->sampled |= process->sampled || process->runtime_late;
	gone->from_attach |= process->given_ever != 0;
	gone->unreturned |= program->unreturned != UNRETURNED_NOT;
	add(&gone->leaked, process->leaked);
	add(&gone->held, process->held);
	add(&gone->leaked_by_reset, process->leaked_by_reset);
	add(&gone->leaked_by_context, process->leaked_by_context);
	for (i = 0; i < program->ledger.sites.count; i++) {
		const struct site *site = program->ledger.sites.list[i];

		add(&gone->suspect, sites_ended(site, VERDICT_UNKNOWN));
		add(&gone->held_unproven, sites_unproven(&program->ledger.sites, site));
		add(&gone->freed_late, site->late.bytes);
		add(&gone->held_rising, sites_risen(site));
		add(&gone->host_left, sites_host_left(site));
	}
	for (i = 0; i < program->blocks.count; i++) {
		const struct allocator *allocator = program->blocks.list[i];

		add(&gone->tensors_ended, allocator->ended);
		add(&gone->tensors_rising, allocator->rising);
		add(&gone->tensors_unjudged, allocator->is_judged ? 0 : allocator->ended);
	}
	add(&gone->calls, process->calls);
	add(&gone->launches, process->launches);
	add(&gone->graph_launches, process->graph_launches);
	add(&gone->failures, process->failures);
}

void build_totals_note(struct model *model, struct program *program)
{
	struct totals *totals = model->totals;

	if (!totals || program->total)
		return;
	program->total = entry_of(totals, command_basename(identity_label(&program->identity)));
	if (program->total)
		totals->commands[program->total - 1].processes++;
	else
		model_lose(model, LOST_MEMORY, 1);
}

void build_totals_retire(struct model *model, struct program *program)
{
	struct build build = { .model = model,
			       .now = model->latest,
			       .number = ++model->snapshot_number };
	struct snap_process process = { .program = program->number };

	if (!program->known)
		return;
	build_totals_note(model, program);
	if (build_begin(&build) || build_names(&build, program) ||
	    build_counters(&build, program, &process) || (model->totals && !program->total)) {
		model_lose(model, LOST_MEMORY, 1);
		goto out;
	}
	if (model->totals)
		totals_add(&model->totals->gone, program->total, &process);
	gone_add(&model->gone, program, &process);
out:
	build_end(&build);
	arena_free(build.arena);
}

static void add_processes(struct build *build, struct total_sums *sums)
{
	struct snapshot *snapshot = build->snapshot;
	size_t i;

	for (i = 0; i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i];
		const struct program *program =
			programs_find(&build->model->programs, process->program);
		struct snap_command *command;

		if (!program || !program->total)
			continue;
		command = &sums->commands[program->total - 1];
		command->running += !process->exited;
		add(&command->live, process->live);
		add(&command->suspect, process->suspect);
		totals_add(sums, program->total, process);
	}
}

int build_totals(struct build *build)
{
	struct snapshot *snapshot = build->snapshot;
	struct totals *totals = build->model->totals;
	struct total_sums *sums;
	unsigned int i;

	if (!totals)
		return 0;
	sums = totals_begin(totals, build->arena);
	if (!sums)
		return -ENOMEM;
	add_processes(build, sums);
	if (totals_end(totals, sums, build->arena))
		return -ENOMEM;
	snapshot->commands = sums->commands;
	snapshot->command_count = sums->command_count;
	snapshot->calls = sums->calls;
	for (i = 0; i < CALL_SUMS; i++) {
		struct snap_call *call = &sums->calls[snapshot->call_count];

		if (!sums->calls[i].calls)
			continue;
		*call = sums->calls[i];
		call->seconds = (double)sums->ns[i] / 1e9;
		call->call = call_number(i);
		if (CUTOP_IS_EXTRA(call->call) && build_extra(build, call->call, &call->extra))
			return -ENOMEM;
		snapshot->call_count++;
	}
	return 0;
}
