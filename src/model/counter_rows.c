/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes in what is read at each refresh: counter rows, and other facts about a program. The same
 * rows come with each refresh; a row of an unknown program creates the program.
 */
#include <errno.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/outcomes.h"
#include "model/model_state.h"
#include "model/telling.h"

static int refuse(struct model *model)
{
	model_lose(model, LOST_RECORD, 1);
	return 0;
}

static int no_memory(struct model *model, struct program *program)
{
	model_lose(model, LOST_MEMORY, 1);
	program->inexact = true;
	return -ENOMEM;
}

int model_launch_row(struct model *model, const struct launch_key *key,
		     const struct launch_row *row)
{
	struct launch_entry *entry;
	struct program *program;
	bool was_full;
	int error;

	/* Rows of graph calls are kernels that were put into a graph with an explicit call. */
	if (key->call >= CALL_COUNT || (call_descs[key->call].class != CLASS_LAUNCH &&
					call_descs[key->call].class != CLASS_GRAPH))
		return refuse(model);
	program = model_program(model, key->program, &error);
	if (!program)
		return error;
	was_full = program->counters.is_full;
	entry = counters_launch(&program->counters, &program->devices, key);
	if (!entry && !program->counters.is_full)
		return no_memory(model, program);
	/* Without memory, a shape is not listed: no figure depends on it. */
	if (entry)
		launch_shapes_note(&entry->shapes, &entry->row, row);
	if (entry)
		entry->row = *row;
	else
		model_lose_kernels(model, program, was_full);
	return 0;
}

int model_call_site(struct model *model, const struct call_site_key *key,
		    const struct call_site_row *row)
{
	unsigned int call = key->launch.call,
		     class = call < CALL_COUNT ? call_descs[call].class : CLASS_COUNT;
	struct program *program;
	int error;

	if (class != CLASS_LAUNCH && class != CLASS_SYNC && class != CLASS_COPY)
		return refuse(model);
	program = model_program(model, key->launch.program, &error);
	if (!program)
		return error;
	return call_sites_add(&program->call_sites, &program->names, key, row) ?
		       no_memory(model, program) :
		       0;
}

int model_copy_row(struct model *model, const struct copy_key *key, const struct copy_row *row)
{
	struct copy_entry *entry;
	struct program *program;
	int error;

	if (key->call >= CALL_COUNT || call_descs[key->call].class != CLASS_COPY ||
	    key->direction >= DIR_COUNT || key->mode > COPY_ASYNC ||
	    key->device < CUTOP_DEVICE_UNKNOWN || key->device >= DEVICES_MAX)
		return refuse(model);
	program = model_program(model, key->program, &error);
	if (!program)
		return error;
	entry = counters_copy(&program->counters, &program->devices, key);
	if (!entry)
		return no_memory(model, program);
	entry->row = *row;
	return 0;
}

int model_call_row(struct model *model, const struct call_key *key, const struct call_row *row)
{
	struct call_entry *entry;
	struct program *program;
	int error;

	if (key->call >= CALL_COUNT && !CUTOP_IS_EXTRA(key->call))
		return refuse(model);
	program = model_program(model, key->program, &error);
	if (!program)
		return error;
	entry = counters_call(&program->counters, key);
	if (!entry)
		return no_memory(model, program);
	entry->row = *row;
	return 0;
}

int model_fail_row(struct model *model, const struct fail_key *key, const struct fail_row *row)
{
	struct fail_entry *entry;
	struct program *program;
	int error;

	if (key->call >= CALL_COUNT && !CUTOP_IS_EXTRA(key->call))
		return refuse(model);
	if (call_outcome(key->call, key->result) == OUTCOME_DONE)
		return 0;
	program = model_program(model, key->program, &error);
	if (!program)
		return error;
	entry = counters_fail(&program->counters, key);
	if (!entry)
		return no_memory(model, program);
	entry->row = *row;
	return 0;
}

int model_graph_row(struct model *model, const struct graph_key *key, const struct graph_row *row)
{
	struct program *program;
	bool was_full;
	int error;

	if (row->call >= CALL_COUNT || call_descs[row->call].class != CLASS_GRAPH)
		return refuse(model);
	program = model_program(model, key->program, &error);
	if (!program || !row->launches)
		return error;
	was_full = program->counters.is_full;
	error = graphs_row(&program->graphs, &program->counters, &program->devices, key, row,
			   program->ended);
	model_lose_kernels(model, program, was_full);
	if (error == -ENOMEM)
		return no_memory(model, program);
	if (error)
		model_lose(model, LOST_GRAPHS, 1);
	return 0;
}

void model_graph_last(struct model *model, const struct graph_key *key, const struct graph_row *row)
{
	int error;
	struct program *program = model_program(model, key->program, &error);

	if (!program)
		return;
	graphs_last(&program->graphs, key, row);
}

void model_sync(struct model *model, uint32_t number, uint64_t ns)
{
	int error;
	struct program *program = model_program(model, number, &error);

	if (!program || ns <= program->sync_ns)
		return;
	program->sync_ns = ns;
}

void model_times(struct model *model, uint32_t number, const struct program_times *times)
{
	int error;
	struct program *program = model_program(model, number, &error);

	if (!program)
		return;
	program->time.times = *times;
	program->time.is_told = true;
}

void model_cost(struct model *model, const struct rec_cost *record)
{
	int error;
	struct program *program = model_program(model, record->hdr.program, &error);

	if (!program)
		return;
	program->cost.paid_ns = record->paid_ns;
	program->cost.cpu_ns = record->cpu_ns;
	program->cost.launches_ns = record->launches_ns;
	for (int kind = 0; kind < SPARE_COUNT; kind++) {
		bool was_given = program->cost.since[kind], is_given = record->since[kind];

		program->cost.since[kind] = record->since[kind];
		if (was_given == is_given)
			continue;
		program->cost.ever |= 1u << kind;
		if (kind == SPARE_BLOCKS)
			blocks_pause(&program->blocks);
		if (!program->ended)
			tell_budget(model, program, (enum spare)kind, is_given);
	}
}

void model_unreturned(struct model *model, uint32_t number, unsigned int why)
{
	int error;
	struct program *program = model_program(model, number, &error);

	if (!program || program->unreturned || why >= UNRETURNED_COUNT)
		return;
	program->unreturned = (enum unreturned)why;
	tell_unreturned(model, program);
}

void model_inexact(struct model *model, uint32_t number, uint64_t lost_time)
{
	int error;
	struct program *program = model_program(model, number, &error);

	if (!program)
		return;
	program->inexact = true;
	if (lost_time > program->ledger.lost_time)
		program->ledger.lost_time = lost_time;
}
