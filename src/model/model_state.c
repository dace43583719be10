/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model_state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/ledger.h"
#include "model/telling.h"

static const char *const words[LOST_COUNT] = {
	[LOST_RING_FULL] = "events that found no room in the ring buffer (see --ring-size)",
	[LOST_RETURN] = "calls whose entry or return was not seen",
	[LOST_NESTING] = "calls nested too deep",
	[LOST_LAUNCH_ROWS] = "kernels for which there was no room",
	[LOST_COPY_ROWS] = "copies for which there was no room",
	[LOST_CALL_ROWS] = "calls for which there was no room",
	[LOST_FAIL_ROWS] = "failures for which there was no room",
	[LOST_PROCESSES] = "processes for which there was no room",
	[LOST_NAMES] = "kernel names for which there was no room",
	[LOST_ARGUMENT] = "arguments that could not be read",
	[LOST_THREADS] = "threads for which there was no memory",
	[LOST_GRAPHS] =
		"graphs, nodes of graphs, streams or other objects for which there was no room",
	[LOST_STACKS] = "user stacks that could not be taken or kept",
	[LOST_TRACED] = "traced calls for which the ring buffer had no room",
	[LOST_PYTHON] = "Python frames that could not be read or kept",
	[LOST_CALL_SITES] = "sites of launches or waits for which there was no room",
	[LOST_LINES] = "source lines: the process that reads them ended at their file",
	[LOST_SYMBOLS] =
		"names of functions for which there was no memory (see --names-memory), or no time",
	[LOST_UNANSWERED] = "reads of files or memory that nothing delivered",
	[LOST_FREE] = "frees that were not seen: an address was handed out again",
	[LOST_RECORD] = "invalid records",
	[LOST_MEMORY] = "records for which cutop had no memory",
};

/* What was lost to @cause, in words that follow a number. */
static const char *losses_words(enum lost_cause cause)
{
	return words[cause];
}

uint64_t losses_total(const struct losses *losses, enum lost_cause cause)
{
	return losses->own[cause] + (cause < LOST_FED_COUNT ? losses->fed[cause] : 0);
}

static uint64_t to_tell(struct losses *losses, enum lost_cause cause)
{
	uint64_t total = losses_total(losses, cause);

	if (!total || (losses->told[cause] && total / 2 < losses->told[cause]))
		return 0;
	losses->told[cause] = total;
	return total;
}

/*
 * Counts @count more losses, or takes over @total for a cause below LOST_FED_COUNT. Returns the
 * total that the log should report: the first time, and whenever it has doubled; 0: nothing to
 * report.
 */
static uint64_t losses_add(struct losses *losses, enum lost_cause cause, uint64_t count)
{
	losses->own[cause] += count;
	return to_tell(losses, cause);
}

static uint64_t losses_set(struct losses *losses, enum lost_cause cause, uint64_t total)
{
	if (cause >= LOST_FED_COUNT || total <= losses->fed[cause])
		return 0;
	losses->fed[cause] = total;
	return to_tell(losses, cause);
}

uint64_t wall_clock_at(const struct wall_clock *clock, uint64_t mono)
{
	const struct clock_step *step = &clock->start;
	size_t i = clock->count;

	while (i && clock->steps[i - 1].mono > mono)
		i--;
	if (i)
		step = &clock->steps[i - 1];
	return step->real + (mono - step->mono);
}

void wall_clock_set(struct wall_clock *clock, uint64_t mono, uint64_t real)
{
	/*
	 * The oldest step is dropped: events from before the next one are converted with the clock
	 * at the start.
	 */
	if (clock->count == CLOCK_STEPS_MAX) {
		memmove(clock->steps, clock->steps + 1,
			(CLOCK_STEPS_MAX - 1) * sizeof(*clock->steps));
		clock->count--;
	}
	clock->steps[clock->count++] = (struct clock_step){ mono, real };
}

#define MAX_EXITED_DEFAULT 1000

struct model *model_new(const struct model_config *config)
{
	struct model *model = calloc(1, sizeof(*model));

	if (!model)
		return NULL;
	model->config = *config;
	model->clock.start = (struct clock_step){ config->start_mono, config->start_real };
	if (!model->config.max_exited)
		model->config.max_exited = MAX_EXITED_DEFAULT;
	if (!model->config.exited_bytes)
		model->config.exited_bytes = ENDED_BYTES_MAX;
	if (config->totals && !(model->totals = totals_new())) {
		free(model);
		return NULL;
	}
	return model;
}

void model_free(struct model *model)
{
	if (!model)
		return;
	programs_free(&model->programs);
	devices_free(&model->held_on);
	readings_free(&model->readings);
	totals_free(model->totals);
	events_free(&model->log);
	extra_names_free(&model->extras);
	free(model);
}

struct program *model_program(struct model *model, uint32_t number, int *error)
{
	struct program *program = programs_find(&model->programs, number);

	*error = 0;
	if (program || programs_is_forgotten(&model->programs, number))
		return program;
	program = programs_add(&model->programs, number, &model->held_on, model->config.leak_age);
	if (!program) {
		model_lose(model, LOST_MEMORY, 1);
		*error = -ENOMEM;
	}
	return program;
}

uint64_t program_start(const struct model *model, const struct program *program)
{
	return program->identity.identified && program->identity.start_real ?
		       program->identity.start_real :
		       wall_clock_at(&model->clock, program->first_time);
}

void model_log(struct model *model, const struct event *event)
{
	if (!events_add(&model->log, event))
		model->losses.own[LOST_MEMORY]++;
}

uint64_t model_tell(struct model *model, const struct program *program, enum event_kind kind,
		    uint64_t time, uint64_t bytes, const struct snap_detail *detail,
		    const char *format, ...)
{
	uint64_t before = model->log.number;
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	model_log(model, &(struct event){
				 .time = time,
				 .bytes = bytes,
				 .pid = program ? program->identity.pid : 0,
				 .program = program ? program->number : 0,
				 .kind = (uint8_t)kind,
				 .detail = (struct snap_detail *)detail,
				 .text = text,
			 });
	return model->log.number == before ? 0 : model->log.number;
}

/* Reports @total losses to @cause in the log. 0: nothing to report. */
static void tell_lost(struct model *model, enum lost_cause cause, uint64_t total)
{
	if (total)
		model_tell(model, NULL, EVENT_LOST,
			   model->latest ? model->latest : model->clock.start.mono, 0, NULL,
			   "lost so far: %llu %s", (unsigned long long)total, losses_words(cause));
}

void model_lose(struct model *model, enum lost_cause cause, uint64_t count)
{
	tell_lost(model, cause, losses_add(&model->losses, cause, count));
}

void model_lose_kernels(struct model *model, const struct program *program, bool was_full)
{
	if (program->counters.is_full && !was_full)
		model_lose(model, LOST_LAUNCH_ROWS, 1);
}

void model_lost(struct model *model, enum lost_cause cause, uint64_t total)
{
	tell_lost(model, cause, losses_set(&model->losses, cause, total));
}

static void forget(struct model *model, struct program *program)
{
	build_totals_retire(model, program);
	programs_remove(&model->programs, program);
}

/*
 * Drops the oldest ended programs beyond the number that is kept: those whose counters are complete,
 * or, if they are very many, any.
 */
static void bound_number(struct model *model)
{
	struct programs *programs = &model->programs;
	unsigned int most = model->config.max_exited;
	struct program *program, *next;

	for (program = programs->ended_first; program && programs->ended_count > most;
	     program = next) {
		next = program->ended_after;
		if (program->settled || programs->ended_count > most + UNSETTLED_MAX)
			forget(model, program);
	}
}

void lives_settle(struct model *model, uint32_t number)
{
	struct program *program = programs_find(&model->programs, number);

	if (!program)
		return;
	graphs_settle(&program->graphs);
	graphs_free(&program->graphs);
	program->settled = program->ended;
	bound_number(model);
}

void model_clear_exited(struct model *model)
{
	struct program *program;

	for (program = model->programs.ended_first; program; program = program->ended_after)
		program->cleared = true;
}

void lives_clear(struct model *model)
{
	struct program *program, *next;

	for (program = model->programs.ended_first; program; program = next) {
		next = program->ended_after;
		if (program->cleared)
			forget(model, program);
	}
}

void lives_bound(struct model *model)
{
	struct program *program, *next;
	size_t weight = 0;

	for (program = model->programs.ended_first; program; program = program->ended_after)
		weight += program_weight(program);
	for (program = model->programs.ended_first; program && weight > model->config.exited_bytes;
	     program = next) {
		next = program->ended_after;
		if (!program->settled || !next)
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
	objects_end(&program->objects, program->ledger.leak_age, time);
	table_free(&program->levels);
	table_free(&program->globals);
	statics_free(&program->statics);
	program->ended = true;
	program->end_is_guess = is_guess;
	program->end_time = time;
	tell_end(model, program, &news);
	programs_end(&model->programs, program);
	bound_number(model);
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
	program->forked_from = programs_of_pid(&model->programs, program, record->parent_tgid);
	other = programs_overtaken(&model->programs, program);
	if (other) {
		other->inexact = true;
		end(model, other, record->hdr.time, true);
	}
	tell_start(model, program, record);
}

static void renumber(struct model *model, struct program *program,
		     const struct own_devices *numbers)
{
	struct program *other;

	ledger_renumber(&program->ledger, numbers);
	blocks_renumber(&program->blocks, numbers);
	if (!program->ledger.held_on.count)
		return;
	for (other = table_first(&model->programs.table); other; other = table_next(other))
		devices_sizes(&model->held_on, &other->ledger.held_on);
}

/*
 * If reading the environment took long, there may be memory that was counted on the devices of the
 * machine that have the program's own numbers.
 */
void device_numbers_learned(struct model *model, struct program *program, bool was_unknown)
{
	struct own_devices *devices = &program->devices, numbers;

	if (!was_unknown) {
		renumber(model, program, devices);
		own_devices_renumber(devices);
	} else if (devices->used_count == 1 && !own_devices_are_unknown(devices)) {
		/* What it did so far was on the one that it uses. */
		numbers = (struct own_devices){ .is_listed = true };
		own_devices_note(&numbers, own_devices_machine(devices, devices->used));
		own_devices_note(devices, own_devices_machine(devices, devices->used));
		renumber(model, program, &numbers);
	}
}

/*
 * The driver lists the process on the machine's @device and on no other, and it has used one number of
 * its own: so that means this device, whatever its environment says.
 */
static void list_alone(struct model *model, struct program *program, int device)
{
	struct own_devices *devices = &program->devices, was = { .visible = NULL };
	int before = own_devices_machine(devices, devices->used);

	if (before == device || own_devices_set(devices, devices->used, device))
		return;
	if (before == CUTOP_DEVICE_UNKNOWN || own_devices_set(&was, before, device))
		return;
	renumber(model, program, &was);
	memcpy(was.seen, devices->seen, sizeof(was.seen));
	memcpy(was.runtime, devices->runtime, sizeof(was.runtime));
	own_devices_renumber(&was);
	memcpy(devices->seen, was.seen, sizeof(was.seen));
	memcpy(devices->runtime, was.runtime, sizeof(was.runtime));
	own_devices_free(&was);
}

static void list_program(struct model *model, struct program *program)
{
	struct own_devices *devices = &program->devices, numbers;
	unsigned int count, listed = 0;
	bool was_listed = devices->is_listed;
	int device = CUTOP_DEVICE_UNKNOWN;
	size_t i;

	for (i = 0; i < model->readings.process_count; i++) {
		const struct rec_process_reading *reading = &model->readings.processes[i];

		if (reading->pid != program->identity.pid || !reading->has_device ||
		    reading->device == device)
			continue;
		device = reading->device;
		listed++;
	}
	if (listed == 1 && devices->used_count == 1)
		list_alone(model, program, device);
	count = own_devices_count(devices);

	for (i = 0; i < model->readings.process_count; i++) {
		const struct rec_process_reading *reading = &model->readings.processes[i];

		if (reading->pid != program->identity.pid || !reading->has_device)
			continue;
		own_devices_note(devices, reading->device);
		devices->is_listed = true;
	}
	if (devices->is_listed == was_listed && own_devices_count(devices) == count)
		return;
	if (own_devices_machine(devices, CUTOP_DEVICE_UNKNOWN) == CUTOP_DEVICE_UNKNOWN)
		return;
	/* Numbers that are known are the machine's already. */
	numbers = *devices;
	numbers.visible_count = 0;
	renumber(model, program, &numbers);
}

void device_numbers_listed(struct model *model)
{
	struct program *program;

	if (!model->readings.is_new)
		return;
	model->readings.is_new = false;
	for (program = table_first(&model->programs.table); program; program = table_next(program))
		/* Before the identity is known, the books may have the program's own numbers. */
		if (program->identity.identified && !program->ended)
			list_program(model, program);
}
