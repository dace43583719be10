/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/carry.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/model_state.h"
#include "model/suspect.h"
#include "util/util.h"

int carry_names(struct build *build, struct program *program)
{
	struct carry *carry = program->carry;
	struct arena *names;

	if (!carry)
		carry = program->carry = calloc(1, sizeof(*carry));
	if (!carry)
		return -ENOMEM;
	if (carry->kept_by == build->number)
		return 0;
	if (!carry->names || carry->names_changes != program->names.changes) {
		names = arena_new_for(carry->names ? arena_used(carry->names) : 0);
		if (!names)
			return -ENOMEM;
		arena_free(carry->names);
		carry->names = names;
		carry->names_changes = program->names.changes;
		carry->copy++;
	}
	if (arena_keep(build->whole, carry->names))
		return -ENOMEM;
	carry->kept_by = build->number;
	return 0;
}

static bool same_key(const struct carry_key *a, const struct carry_key *b)
{
	return a->ledger == b->ledger && a->counters == b->counters && a->model == b->model &&
	       a->copy == b->copy && a->map_max == b->map_max && a->has_spans == b->has_spans &&
	       a->has_drawn == b->has_drawn && a->has_rates == b->has_rates &&
	       a->is_whole == b->is_whole;
}

/* Empties @part: what is built next goes there. Returns 0 or -ENOMEM. */
static int part_begin(struct build *build, const struct program *program, struct carry_part *part)
{
	size_t bytes = part->arena ? arena_used(part->arena) : 0;
	struct arena *arena = part->spare;

	part->spare = part->arena;
	if (arena && !arena_is_shared(arena)) {
		arena_reset(arena, bytes);
	} else {
		arena_free(arena);
		arena = arena_new_for(bytes + bytes / 8);
	}
	part->arena = arena;
	part->figures = (struct snap_process){ .program = 0 };
	if (!arena || arena_keep(arena, program->carry->names))
		return -ENOMEM;
	build->arena = arena;
	return 0;
}

/* @part is as it was: what would be needed if it changed each time is not kept. */
static void part_rest(struct carry_part *part)
{
	arena_free(part->spare);
	part->spare = NULL;
}

/* @err: of what was built. Without memory nothing is left of the part. */
static int part_end(struct build *build, struct carry_part *part, int err)
{
	build->arena = build->whole;
	if (!err)
		return 0;
	arena_free(part->arena);
	part->arena = NULL;
	return err;
}

/* ---- memory ---- */

/* From when on a site might be a suspect. Without memory for the list they count as suspects. */
static void suspects_note(const struct program *program, uint64_t leak_age)
{
	const struct site_table *sites = &program->ledger.sites;
	struct carry *carry = program->carry;
	uint64_t *due = realloc(carry->due, (sites->count + 1) * sizeof(*due));
	size_t i;

	carry->has_suspects = !due;
	carry->due_count = 0;
	if (!due)
		return;
	carry->due = due;
	carry->due_count = sites->count;
	for (i = 0; i < sites->count; i++) {
		const struct site *site = sites->list[i];

		due[i] = site->verdict == VERDICT_HELD ? UINT64_MAX :
							 suspect_until(site->suspect, leak_age);
		/* Of the map's suspects, snapshot_age() cannot tell which have ended. */
		carry->has_suspects |= site->suspect_since != UINT64_MAX ||
				       (sites_ended(site, VERDICT_UNKNOWN) && !program->ended);
	}
}

/* True if no site has become a suspect merely because time has passed. */
static bool suspects_stay_away(const struct build *build, const struct program *program)
{
	struct carry *carry = program->carry;
	uint64_t leak_age = build->model->config.leak_age;
	size_t i;

	for (i = 0; i < carry->due_count; i++) {
		struct site *site = program->ledger.sites.list[i];

		if (build->now < carry->due[i])
			continue;
		suspect_bytes(site->suspect, leak_age, build->now, &site->suspect_since);
		if (site->suspect_since != UINT64_MAX)
			return false;
		carry->due[i] = suspect_until(site->suspect, leak_age);
	}
	return true;
}

static int memory_build(struct build *build, struct program *program)
{
	struct carry *carry = program->carry;
	struct snap_process *figures = &carry->memory.figures;
	struct carry_key key = {
		.ledger = program->ledger.changes,
		.copy = carry->copy,
		.map_max = build->map_max,
		.has_spans = build_has_spans(build, program),
		.has_drawn = build_has_drawn(build, program),
	};
	int err;

	if (carry->memory.arena && same_key(&key, &carry->memory_key) && !carry->has_suspects &&
	    build->now >= carry->made && suspects_stay_away(build, program)) {
		figures->map_older = program->ended ? 0 : build->now - carry->made;
		part_rest(&carry->memory);
		return 0;
	}
	err = part_begin(build, program, &carry->memory)   ?:
		      build_sites(build, program, figures) ?:
		      build_map(build, program, figures)   ?:
							     build_spans(build, program, figures);
	if (!err) {
		build_sites_sort(figures);
		err = build_uses(build, program, figures);
	}
	if (!err)
		suspects_note(program, build->model->config.leak_age);
	carry->memory_key = key;
	carry->made = build->now;
	return part_end(build, &carry->memory, err);
}

/* ---- counters ---- */

static int counters_build(struct build *build, struct program *program)
{
	struct carry *carry = program->carry;
	struct snap_process *figures = &carry->counters.figures;
	struct carry_key key = {
		.ledger = program->ledger.changes,
		.counters = program->counters.changes + program->pending.changes,
		.model = build->model->changes,
		.copy = carry->copy,
		.has_rates = !isnan(build->interval),
		.is_whole = build->is_whole,
	};
	bool is_same = carry->counters.arena && same_key(&key, &carry->counters_key);
	int err;

	if (is_same && !carry->is_moving) {
		part_rest(&carry->counters);
		return 0;
	}
	err = part_begin(build, program, &carry->counters)    ?:
		      build_texts(build, program, figures)    ?:
		      build_counters(build, program, figures) ?:
		      build_call_sites(build, program, figures);
	/* What has changed since the snapshot before has a rate now, and needs another one later. */
	carry->is_moving = !is_same;
	carry->counters_key = key;
	return part_end(build, &carry->counters, err);
}

/* ---- both ---- */

/*
 * No field is filled in by both parts, and what is not filled in is zero: so each word of the
 * process is that of one part.
 */
static void carry_join(struct snap_process *process, const struct carry_part *one,
		       const struct carry_part *other)
{
	uint64_t left[sizeof(*process) / sizeof(uint64_t)], right[ARRAY_LEN(left)];
	size_t i;

	static_assert(sizeof(left) == sizeof(*process), "a process consists of whole words");
	memcpy(left, &one->figures, sizeof(left));
	memcpy(right, &other->figures, sizeof(right));
	for (i = 0; i < ARRAY_LEN(left); i++)
		left[i] |= right[i];
	memcpy(process, left, sizeof(left));
}

int carry_build(struct build *build, struct program *program, struct snap_process *process)
{
	int err = carry_names(build, program)          ?:
			  memory_build(build, program) ?:
							 counters_build(build, program);
	struct carry *carry = program->carry;

	if (err || arena_keep(build->whole, carry->memory.arena) ||
	    arena_keep(build->whole, carry->counters.arena))
		return -ENOMEM;
	carry_join(process, &carry->memory, &carry->counters);
	return 0;
}

void carry_free(struct carry *carry)
{
	if (!carry)
		return;
	arena_free(carry->names);
	part_rest(&carry->memory);
	part_rest(&carry->counters);
	arena_free(carry->memory.arena);
	arena_free(carry->counters.arena);
	free(carry->due);
	free(carry->kernels.launched);
	free(carry->kernels.slots);
	free(carry->kernels.shown);
	free(carry);
}
