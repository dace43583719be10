/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/build_totals.h"

#include <errno.h>

#include "model/model_state.h"
#include "util/saturated.h"

static void add(uint64_t *sum, uint64_t value)
{
	*sum = add_saturated(*sum, value);
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
		add(&gone->suspect, sites_ended(program->ledger.sites.list[i], VERDICT_UNKNOWN));
		add(&gone->held_unproven,
		    sites_unproven(&program->ledger.sites, program->ledger.sites.list[i]));
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
	if (!model->totals || program->total)
		return;
	program->total =
		totals_note(model->totals, command_basename(identity_name(&program->identity)));
	if (!program->total)
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
		totals_retire(model->totals, program->total, &process);
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
