/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/program.h"

#include <stdlib.h>

#include "model/arena.h"

static struct program *program_new(struct programs *programs, uint32_t number,
				   struct device_list *machine, uint64_t leak_age)
{
	static const struct name_limits limits = { KERNELS_MAX, PLACES_MAX, STACKS_MAX,
						   NAME_BYTES_MAX };
	struct program *program = calloc(1, sizeof(*program));

	if (!program)
		return NULL;
	program->key = program->number = number;
	names_init(&program->names, &limits);
	program->blocks.nodes = &programs->nodes;
	ledger_init(&program->ledger, &program->devices, &program->names, machine, &programs->nodes,
		    leak_age);
	return program;
}

static void program_free(struct program *program)
{
	arena_free(program->shown.arena);
	graphs_free(&program->graphs);
	objects_free(&program->objects);
	counters_free(&program->counters);
	table_free(&program->call_sites);
	statics_free(&program->statics);
	table_free(&program->globals);
	table_free(&program->levels);
	mappings_free(&program->mappings);
	blocks_free(&program->blocks);
	ledger_clear(&program->ledger);
	names_free(&program->names);
	own_devices_free(&program->devices);
	identity_free(&program->identity);
	free(program);
}

bool program_is_inexact(const struct program *program)
{
	return program->inexact || program->ledger.inexact || program->counters.is_full ||
	       program->names.misses_kernels || program->graphs.inexact ||
	       program->objects.is_full || program->statics.is_full ||
	       blocks_inexact(&program->blocks);
}

size_t program_weight(const struct program *program)
{
	return program->ledger.book.count * sizeof(struct alloc_node) +
	       program->counters.launches.count * sizeof(struct launch_entry) +
	       program->counters.fails.count * sizeof(struct fail_entry) +
	       program->ledger.sites.count * sizeof(struct site) + blocks_weight(&program->blocks) +
	       program->objects.sites.count * sizeof(struct object_site) +
	       program->names.places.count * 2 * sizeof(struct place) +
	       program->names.kernels.count * sizeof(struct kernel_name) +
	       program->call_sites.count * sizeof(struct call_site_entry) + program->names.bytes;
}

struct program *programs_find(const struct programs *programs, uint32_t number)
{
	return table_find(&programs->table, KEY(number));
}

/*
 * Only unknown programs get here, and only until their rows are gone: a linear search is good
 * enough.
 */
bool programs_is_forgotten(const struct programs *programs, uint32_t number)
{
	size_t i, count = programs->tombstone_count < TOMBSTONES ? programs->tombstone_count :
								   TOMBSTONES;

	for (i = 0; i < count; i++)
		if (programs->tombstones[i] == number)
			return true;
	return false;
}

struct program *programs_add(struct programs *programs, uint32_t number,
			     struct device_list *machine, uint64_t leak_age)
{
	struct program *program = programs->table.count < IMAGES_MAX ?
					  program_new(programs, number, machine, leak_age) :
					  NULL;

	if (!program)
		return NULL;
	table_add(&programs->table, 1, program);
	return program;
}

struct program *programs_overtaken(const struct programs *programs, const struct program *program)
{
	struct program *other;

	for (other = table_first(&programs->table); other && other->number < program->number;
	     other = table_next(other))
		if (other->known && !other->ended && other->identity.pid == program->identity.pid)
			return other; /* there can be only one */
	return NULL;
}

uint32_t programs_of_pid(const struct programs *programs, const struct program *program,
			 uint32_t pid)
{
	struct program *other;
	uint32_t found = 0;

	for (other = table_first(&programs->table); other && other->number < program->number;
	     other = table_next(other))
		if (other->known && other->identity.pid == pid)
			found = other->number;
	return found;
}

void programs_end(struct programs *programs, struct program *program)
{
	program->ended_before = programs->ended_last;
	*(programs->ended_last ? &programs->ended_last->ended_after : &programs->ended_first) =
		program;
	programs->ended_last = program;
	programs->ended_count++;
}

void programs_remove(struct programs *programs, struct program *program)
{
	if (program->ended) {
		*(program->ended_before ? &program->ended_before->ended_after :
					  &programs->ended_first) = program->ended_after;
		*(program->ended_after ? &program->ended_after->ended_before :
					 &programs->ended_last) = program->ended_before;
		programs->ended_count--;
		programs->tombstones[programs->tombstone_count++ % TOMBSTONES] = program->number;
	}
	table_take(&programs->table, program);
	program_free(program);
}

void programs_free(struct programs *programs)
{
	struct program *program;

	while ((program = table_first(&programs->table)) != NULL) {
		table_take(&programs->table, program);
		program_free(program);
	}
}
