/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model: its life, and what was lost. Its images are in programs.c, what comes in through records.c. */
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"
#include "model/stream.h"
#include "util/utf8.h"

#define MAX_EXITED_DEFAULT 1000

uint64_t model_to_real(const struct model *model, uint64_t mono)
{
	size_t i = model->clock_count;

	while (i && model->clocks[i - 1].mono > mono)
		i--;
	if (i)
		return model->clocks[i - 1].real + (mono - model->clocks[i - 1].mono);
	return model->config.start_real + (mono - model->config.start_mono);
}

void model_clock(struct model *model, const struct rec_clock *record)
{
	/* The oldest is forgotten: what happened before the next then has the time of the start's clock. */
	if (model->clock_count == CLOCKS_MAX) {
		memmove(model->clocks, model->clocks + 1, (CLOCKS_MAX - 1) * sizeof(*model->clocks));
		model->clock_count--;
	}
	model->clocks[model->clock_count++] = (struct clock_step){ record->hdr.time, record->real };
}

char *clean_copy(const char *text, size_t len)
{
	char *raw, *clean;

	len = strnlen(text, len);
	raw = malloc(len + 1);
	clean = malloc(len + 1);
	if (raw && clean) {
		memcpy(raw, text, len);
		raw[len] = '\0';
		utf8_clean(raw, clean, len + 1);
	} else {
		free(clean);
		clean = NULL;
	}
	free(raw);
	return clean;
}

static const char *const lost_words[LOST_COUNT] = {
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
	[LOST_GRAPHS] = "graphs or nodes of graphs for which there was no room",
	[LOST_STACKS] = "user stacks that could not be taken or kept",
	[LOST_PENDING_ROWS] = "streams with asynchronous copies for which there was no room",
	[LOST_TRACED] = "traced calls for which the ring buffer had no room",
	[LOST_LINES] = "source lines: the process that reads them ended at their file, or that user's files ended it too often",
	[LOST_SYMBOLS] = "names of functions for which there was no memory (see --names-memory), or no time",
	[LOST_FREE] = "frees that were not seen: an address was handed out again",
	[LOST_RECORD] = "records that made no sense",
	[LOST_MEMORY] = "records for which cutop had no memory",
};

/* Says so in the log the first time, and again whenever it has doubled. */
static void tell_lost(struct model *model, enum lost_cause cause, uint64_t total)
{
	if (!total || (model->lost_told[cause] && total / 2 < model->lost_told[cause]))
		return;
	model->lost_told[cause] = total;
	events_add(model, NULL, EVENT_LOST, model->latest ? model->latest : model->config.start_mono, 0,
		   "lost so far: %llu %s", (unsigned long long)total, lost_words[cause]);
}

static uint64_t lost_total(const struct model *model, enum lost_cause cause)
{
	return model->lost[cause] + (cause < LOST_FED_COUNT ? model->lost_fed[cause] : 0);
}

void model_lose(struct model *model, enum lost_cause cause, uint64_t count)
{
	model->lost[cause] += count;
	tell_lost(model, cause, lost_total(model, cause));
}

void model_lost(struct model *model, enum lost_cause cause, uint64_t total)
{
	if (cause >= LOST_FED_COUNT || total <= model->lost_fed[cause])
		return;
	model->lost_fed[cause] = total;
	tell_lost(model, cause, lost_total(model, cause));
}

void model_limit(struct model *model, const struct rec_limit *record)
{
	if (record->kind != LIMIT_NAMES)
		return;		/* of a later version */
	events_add(model, NULL, EVENT_LIMIT, record->hdr.time, record->limit,
		   "the memory for names from files (--names-memory) is used up: those used least recently go, and are read again when needed");
}

void model_unseen(struct model *model, const struct rec_unseen *record)
{
	char comm[CUTOP_COMM_LEN + 1] = "";
	struct snap_unseen *unseen;

	if (record->cause >= UNSEEN_COUNT)
		return;		/* of a later version */
	unseen = &model->unseen[record->cause];
	unseen->total = record->total;
	unseen->pid = record->hdr.tgid;
	memcpy(comm, record->comm, CUTOP_COMM_LEN);
	utf8_clean(comm, unseen->comm, sizeof(unseen->comm));
}

struct model *model_new(const struct model_config *config)
{
	struct model *model = calloc(1, sizeof(*model));

	if (!model)
		return NULL;
	model->config = *config;
	if (!model->config.max_exited)
		model->config.max_exited = MAX_EXITED_DEFAULT;
	RB_INIT(&model->images);
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
	images_free(model);
	devices_free(&model->held_on);
	readings_free(model);
	totals_free(model->totals);
	events_free(model);
	model_extras_free(model);
	free(model);
}
