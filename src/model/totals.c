/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums that never go down: all calls of each function, and what leaked. A process is dropped some
 * time after its end. Its counters are then added to those of the processes dropped before; a
 * snapshot adds the processes that still exist.
 * Times are added up in whole nanoseconds: a sum of floating point numbers depends on the order,
 * which changes when a process leaves, and its last digit might fall.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "model/build.h"
#include "model/model_state.h"
#include "util/saturated.h"

/* Of dropped processes, or of all of a snapshot. */
struct totals {
	struct snap_call calls[CALL_SUMS]; /* by call_index(); without their seconds */
	uint64_t ns[CALL_SUMS];
};

struct totals *totals_new(void)
{
	return calloc(1, sizeof(struct totals));
}

void totals_free(struct totals *totals)
{
	free(totals);
}

static void add(uint64_t *sum, uint64_t value)
{
	*sum = add_saturated(*sum, value);
}

static void totals_add(struct totals *sums, const struct snap_process *process)
{
	unsigned int bucket;
	size_t i;

	for (i = 0; i < process->call_count; i++) {
		const struct snap_call *from = &process->call_list[i];
		unsigned int index = call_index(from->call);
		struct snap_call *to = &sums->calls[index];

		add(&to->calls, from->calls);
		add(&to->failures, from->failures);
		/*
		 * A snapshot stores whole nanoseconds as seconds. After weeks the result is
		 * rounded, but always in the same way.
		 */
		add(&sums->ns[index], (uint64_t)llround(from->seconds * 1e9));
		to->sampled |= from->sampled;
		to->judged = from->judged;
		to->untimed = from->untimed;
		for (bucket = 0; bucket < CUTOP_HIST_BUCKETS; bucket++)
			add(&to->hist[bucket], from->hist[bucket]);
	}
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

void build_totals_retire(struct model *model, struct program *program)
{
	struct build build = { .model = model,
			       .now = model->latest,
			       .number = ++model->snapshot_number };
	struct snap_process process = { .program = program->number };

	if (!program->known)
		return;
	if (build_begin(&build) || build_names(&build, program) ||
	    build_counters(&build, program, &process)) {
		model_lose(model, LOST_MEMORY, 1);
		goto out;
	}
	if (model->totals)
		totals_add(model->totals, &process);
	gone_add(&model->gone, program, &process);
out:
	build_end(&build);
	arena_free(build.arena);
}

int build_totals(struct build *build)
{
	struct snapshot *snapshot = build->snapshot;
	struct totals *sums;
	unsigned int i;

	if (!build->model->totals)
		return 0;
	sums = arena_alloc(build->arena, 1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	*sums = *build->model->totals;
	for (i = 0; i < snapshot->process_count; i++)
		totals_add(sums, &snapshot->processes[i]);
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
