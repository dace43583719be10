/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/program.h"

#include <stdlib.h>

#include "model/arena.h"
#include "model/limits.h"

struct program *program_new(uint32_t number, struct device_list *machine, uint64_t leak_age)
{
	static const struct name_limits limits = { KERNELS_MAX, PLACES_MAX, STACKS_MAX,
						   NAME_BYTES_MAX };
	struct program *program = calloc(1, sizeof(*program));

	if (!program)
		return NULL;
	program->number = number;
	names_init(&program->names, &limits);
	ledger_init(&program->ledger, &program->devices, &program->names, machine, leak_age);
	return program;
}

void program_free(struct program *program)
{
	arena_free(program->shown.arena);
	graphs_free(&program->graphs);
	graph_sites_free(&program->graphs.sites);
	counters_free(&program->counters);
	call_sites_free(&program->call_sites);
	statics_free(&program->statics);
	globals_free(&program->globals);
	levels_free(&program->levels);
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
	       program->statics.is_full || blocks_inexact(&program->blocks);
}

size_t program_weight(const struct program *program)
{
	return program->counters.launch_count * sizeof(struct launch_entry) +
	       program->counters.fail_count * sizeof(struct fail_entry) +
	       program->ledger.sites.count * sizeof(struct site) + blocks_weight(&program->blocks) +
	       program->graphs.sites.count * sizeof(struct graph_site) +
	       program->names.place_count * 2 * sizeof(struct place) +
	       program->names.kernel_count * sizeof(struct kernel_name) +
	       program->call_sites.count * sizeof(struct call_site_entry) + program->names.bytes;
}
