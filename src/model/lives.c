/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/lives.h"

#include "model/build_totals.h"
#include "model/ledger_end.h"
#include "model/model_state.h"
#include "model/telling.h"

static void forget(struct model *model, struct program *program)
{
	build_totals_retire(model, program);
	programs_remove(&model->programs, program);
}

/*
 * More ended programs than there is room for: drops the oldest whose counters are complete, or, if
 * there is none, the oldest.
 */
static void bound_ended(struct model *model)
{
	struct programs *programs = &model->programs;
	struct program *program, *next;

	for (program = programs->ended_first;
	     program && programs->ended_count > model->config.max_exited; program = next) {
		next = program->ended_after;
		if (program->settled ||
		    programs->ended_count > model->config.max_exited + UNSETTLED_MAX)
			forget(model, program);
	}
}

void model_graphs_done(struct model *model, uint32_t number)
{
	struct program *program = programs_find(&model->programs, number);

	if (!program)
		return;
	graphs_settle(&program->graphs);
	graphs_free(&program->graphs);
	program->settled = program->ended;
	bound_ended(model);
}

void model_clear_exited(struct model *model)
{
	struct program *program;

	for (program = model->programs.ended_first; program; program = program->ended_after)
		program->cleared = true;
}

void lives_trim(struct model *model)
{
	struct program *program, *next;
	size_t weight = 0;

	for (program = model->programs.ended_first; program; program = next) {
		next = program->ended_after;
		if (program->cleared)
			forget(model, program);
		else
			weight += program_weight(program);
	}
	for (program = model->programs.ended_first; program && weight > ENDED_BYTES_MAX;
	     program = next) {
		next = program->ended_after;
		if (!program->settled)
			continue;
		weight -= program_weight(program);
		forget(model, program);
	}
}

void lives_expire(struct model *model, struct program *program, uint64_t now)
{
	size_t lost = ledger_expire(&program->ledger, now);

	if (!lost)
		return;
	model_lose(model, LOST_FREE, lost);
}

static void end(struct model *model, struct program *program, uint64_t time, bool is_guess)
{
	struct end_news news;

	ledger_end(&program->ledger, time, &news);
	blocks_end(&program->blocks, time, program->ledger.leak_age);
	levels_free(&program->levels);
	globals_free(&program->globals);
	statics_free(&program->statics);
	program->ended = true;
	program->end_is_guess = is_guess;
	program->end_time = time;
	tell_end(model, program, &news);
	programs_end(&model->programs, program);
	bound_ended(model);
	programs_drop_maps(&model->programs);
}

void lives_end(struct model *model, struct program *program, const struct rec_end *record)
{
	program->end_reason = record->reason;
	program->exit_code = (int)record->exit_code;
	if (!program->ended) {
		end(model, program, record->hdr.time, false);
		return;
	}
	program->end_is_guess = false;
	program->end_time = record->hdr.time;
	tell_how_it_ended(model, program);
}

void lives_begin(struct model *model, struct program *program, const struct rec_process *record)
{
	struct program *other;

	if (program->identity.begun)
		return;
	/* The first record of it that came may have said nothing of its process. */
	program->identity.pid = record->hdr.tgid;
	identity_begin(&program->identity, record);
	/* Its missing end is counted as a loss; its process has ended all the same. */
	other = programs_overtaken(&model->programs, program);
	if (other) {
		other->inexact = true;
		end(model, other, record->hdr.time, true);
	}
	tell_start(model, program, record);
}
