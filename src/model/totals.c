/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums that never go down: what all processes of a command have done, and all
 * calls of a function, whoever made them.
 *
 * A process leaves the books some time after its end. Its counters are then
 * added to those of the ones gone before it; a snapshot adds the processes that
 * are still there. A process belongs to the command it was first shown under,
 * whatever is learned of it later, and commands past COMMANDS_MAX share an
 * entry of their own.
 *
 * Times are added up as whole nanoseconds: a sum of fractions depends on the order,
 * which changes when a process leaves, and would fall by its last digit.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/snapshot_lists.h"
#include "util/utf8.h"

#define OTHER		"other"		/* a program of that name is one of them: two entries of one name would be none */

struct call_sums {
	struct snap_call list[CALL_SUMS];	/* by call_index(); without their seconds */
	uint64_t ns[CALL_SUMS];
};

struct totals {
	struct snap_command gone[COMMANDS_MAX + 1];	/* names are ours */
	uint64_t told_leaked[COMMANDS_MAX + 1], told_held[COMMANDS_MAX + 1];
	size_t count;
	struct call_sums calls;				/* those of the gone */
};

struct totals *totals_new(void)
{
	return calloc(1, sizeof(struct totals));
}

void totals_free(struct totals *totals)
{
	size_t i;

	if (!totals)
		return;
	for (i = 0; i < totals->count; i++)
		free((char *)totals->gone[i].command);
	free(totals);
}

#define NAME_SIZE	256	/* with its end: what a label of metrics has room for. Names that begin alike are one from there on */

/* The number of the command's entry, from 1; 0 without memory. */
static uint16_t entry_of(struct totals *totals, const char *whole)
{
	char command[NAME_SIZE], *name;
	bool is_other;
	size_t i;

	utf8_clean(whole, command, sizeof(command));
	is_other = !strcmp(command, OTHER);

	for (i = 0; i < totals->count; i++)
		if (!strcmp(totals->gone[i].command, command))
			return (uint16_t)(i + 1);
	/* The last entry is kept free for the rest. */
	if (!is_other && totals->count >= COMMANDS_MAX)
		return entry_of(totals, OTHER);
	if (totals->count > COMMANDS_MAX)
		return 0;
	name = strdup(command);
	if (!name)
		return 0;
	totals->gone[totals->count] = (struct snap_command){ .command = name, .is_other = is_other };
	return (uint16_t)++totals->count;
}

void totals_note(struct model *model, struct image *image)
{
	const char *name = image->command && *image->command ? image->command : image->comm;

	if (!model->totals || image->total)
		return;
	image->total = entry_of(model->totals, command_basename(name));
	if (image->total)
		model->totals->gone[image->total - 1].processes++;
	else
		model_lose(model, LOST_MEMORY, 1);
}

static void add(uint64_t *sum, uint64_t value)
{
	*sum = add_saturated(*sum, value);
}

/* A snapshot has @seconds from whole nanoseconds: they come back, and after weeks to the nearest that there is, each time the same. */
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

static void add_calls(struct call_sums *calls, const struct snap_process *process)
{
	unsigned int bucket;
	size_t i;

	for (i = 0; i < process->call_count; i++) {
		const struct snap_call *from = &process->call_list[i];
		unsigned int index = call_index(from->call);
		struct snap_call *to = &calls->list[index];

		add(&to->calls, from->calls);
		add(&to->failures, from->failures);
		add_time(&calls->ns[index], from->seconds);
		to->sampled |= from->sampled;
		to->judged = from->judged;
		for (bucket = 0; bucket < CUTOP_HIST_BUCKETS; bucket++)
			add(&to->hist[bucket], from->hist[bucket]);
	}
}

static void add_process(struct snap_command *command, struct call_sums *calls, const struct snap_process *process)
{
	add(&command->leaked, process->leaked);
	add(&command->held, process->held);
	add(&command->allocations, process->allocations);
	add(&command->allocated, process->allocated);
	add(&command->frees, process->frees);
	add(&command->failed_allocations, process->failed_allocations);
	add(&command->failed_frees, process->failed_frees);
	add(&command->double_frees, process->double_frees);
	add(&command->unknown_frees, process->unknown_frees);
	add(&command->calls, process->calls);
	add(&command->failures, process->failures);
	add(&command->launches, process->launches);
	add(&command->graph_launches, process->graph_launches);
	add_time(&command->sync_ns, process->sync_seconds);
	add_copies(command, process);
	add_calls(calls, process);
}

static void gone_add(struct snap_gone *gone, const struct image *image, const struct snap_process *process)
{
	size_t i;

	gone->processes++;
	gone->from_attach |= image->from_attach;
	gone->inexact |= image->inexact;
	gone->sampled |= process->sampled;
	gone->unreturned |= image->unreturned != UNRETURNED_NOT;
	add(&gone->leaked, process->leaked);
	add(&gone->held, process->held);
	add(&gone->leaked_by_reset, process->leaked_by_reset);
	add(&gone->leaked_by_context, process->leaked_by_context);
	for (i = 0; i < image->sites.count; i++) {
		add(&gone->suspect, image->sites.list[i]->held ? 0 : image->sites.list[i]->unsure);
		add(&gone->held_unproven, caches_unproven(image, image->sites.list[i]));
	}
	add(&gone->calls, process->calls);
	add(&gone->launches, process->launches);
	add(&gone->graph_launches, process->graph_launches);
	add(&gone->failures, process->failures);
}

void totals_retire(struct model *model, struct image *image)
{
	struct build build = { .model = model, .now = model->latest, .number = ++model->snapshot_number };
	struct snap_process process = { .image = image->number };

	if (!image->known)
		return;
	totals_note(model, image);
	build.arena = arena_new();
	build.sums = calloc(CALL_SUMS, sizeof(*build.sums));
	if (!build.arena || !build.sums || build_counters(&build, image, &process) || (model->totals && !image->total)) {
		model_lose(model, LOST_MEMORY, 1);
		goto out;
	}
	if (model->totals)
		add_process(&model->totals->gone[image->total - 1], &model->totals->calls, &process);
	gone_add(&model->gone, image, &process);
out:
	free(build.sums);
	arena_free(build.arena);
}

/* What turned out to be no leak after all was told already: the sum stays and is caught up with. */
static void never_less(uint64_t *value, uint64_t *told)
{
	if (*value < *told)
		*value = *told;
	*told = *value;
}

static int build_commands(struct build *build, struct call_sums *calls)
{
	struct totals *totals = build->model->totals;
	struct snapshot *snapshot = build->snapshot;
	struct image *image;
	size_t i, count = totals->count;

	snapshot->commands = arena_alloc(build->arena, count, sizeof(*snapshot->commands));
	if (!snapshot->commands)
		return -ENOMEM;
	memcpy(snapshot->commands, totals->gone, count * sizeof(*snapshot->commands));
	snapshot->command_count = count;
	for (i = 0; i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i];
		struct snap_command *command;
		int error;

		image = model_image(build->model, process->image, &error);
		if (!image || !image->total)
			continue;
		command = &snapshot->commands[image->total - 1];
		command->running += !process->exited;
		add(&command->live, process->live);
		add(&command->suspect, process->suspect);
		add_process(command, calls, process);
	}
	for (i = 0; i < count; i++) {
		struct snap_command *command = &snapshot->commands[i];

		never_less(&command->leaked, &totals->told_leaked[i]);
		never_less(&command->held, &totals->told_held[i]);
		command->command = arena_string(build->arena, command->command);
		if (!command->command)
			return -ENOMEM;
	}
	return 0;
}

int build_totals(struct build *build)
{
	struct snapshot *snapshot = build->snapshot;
	struct call_sums *sums;
	unsigned int i;

	if (!build->model->totals)
		return 0;
	sums = arena_alloc(build->arena, 1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	memcpy(sums, &build->model->totals->calls, sizeof(*sums));
	if (build_commands(build, sums))
		return -ENOMEM;
	snapshot->calls = sums->list;
	for (i = 0; i < CALL_SUMS; i++) {
		struct snap_call *call = &sums->list[snapshot->call_count];

		if (!sums->list[i].calls)
			continue;
		*call = sums->list[i];
		call->seconds = (double)sums->ns[i] / 1e9;
		call->call = call_number(i);
		if (CUTOP_IS_EXTRA(call->call) &&
		    model_extra_names(build->model, build->arena, call->call, &call->extra))
			return -ENOMEM;
		snapshot->call_count++;
	}
	return 0;
}
