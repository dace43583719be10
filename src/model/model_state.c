/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model_state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

static uint64_t __attribute__((format(printf, 3, 0)))
event_tell(struct model *model, struct event *event, const char *format, va_list args)
{
	char text[1024];
	uint64_t number;

	vsnprintf(text, sizeof(text), format, args);
	event->text = text;
	number = events_add(&model->log, event);
	if (!number)
		model->losses.own[LOST_MEMORY]++;
	return number;
}

uint64_t model_tell(struct model *model, const struct program *program, enum event_kind kind,
		    uint64_t time, uint64_t bytes, const struct snap_detail *detail,
		    const char *format, ...)
{
	struct event event = {
		.time = time,
		.bytes = bytes,
		.pid = program ? program->identity.pid : 0,
		.program = program ? program->number : 0,
		.kind = (uint8_t)kind,
		.detail = (struct snap_detail *)detail,
	};
	uint64_t number;
	va_list args;

	va_start(args, format);
	number = event_tell(model, &event, format, args);
	va_end(args);
	return number;
}

void model_tell_life(struct model *model, const struct program *program, enum event_kind kind,
		     uint64_t time, bool failed, const char *text)
{
	char name[IDENTITY_BRIEF];
	struct event event = {
		.time = time,
		.pid = program->identity.pid,
		.program = program->number,
		.kind = (uint8_t)kind,
		.name = (char *)identity_brief(&program->identity, name),
		.text = (char *)text,
		.failed = failed,
	};

	if (!events_add(&model->log, &event))
		model->losses.own[LOST_MEMORY]++;
}

uint64_t model_tell_of(struct model *model, uint32_t pid, enum event_kind kind, uint64_t time,
		       const char *format, ...)
{
	struct event event = { .time = time, .pid = pid, .kind = (uint8_t)kind };
	uint64_t number;
	va_list args;

	va_start(args, format);
	number = event_tell(model, &event, format, args);
	va_end(args);
	return number;
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
