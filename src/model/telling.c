/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/telling.h"

#include <stdio.h>
#include <sys/wait.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "cuda/outcomes.h"
#include "cutop_allocator.h"
#include "model/columns.h"
#include "model/ledger_end.h"
#include "model/model_state.h"
#include "model/postmortem.h"
#include "model/stream.h"
#include "util/saturated.h"
#include "util/util.h"

void tell_start(struct model *model, const struct program *program,
		const struct rec_process *record)
{
	/*
	 * No thread id: the process was running when cutop was told to watch it, and has made no
	 * call since.
	 */
	model_tell_life(model, program, EVENT_START, record->hdr.time, false,
			record->hdr.tid ? " made its first call" : " is watched from here on");
}

static void tell_leaks(struct model *model, const struct program *program,
		       const struct end_news *news)
{
	char bytes[16], where[256];

	if (news->unsure) {
		format_bytes((double)news->unsure, bytes, sizeof(bytes));
		model_tell(model, program, EVENT_LOST, program->end_time, news->unsure, NULL,
			   "%s were not seen freed: leaked, unless "
			   "their frees are among what was lost",
			   bytes);
	}
	if (news->unknown) {
		format_bytes((double)news->unknown, bytes, sizeof(bytes));
		model_tell(
			model, program, EVENT_LOST, program->end_time, news->unknown, NULL,
			"%s that the runtime allocated were not freed: leaked, unless the library "
			"that asked for them, which is not known, is a cache",
			bytes);
	}
	if (!news->leaked || !news->most)
		return;
	format_bytes((double)news->leaked, bytes, sizeof(bytes));
	sites_describe(news->most, &program->names, where, sizeof(where));
	model_tell(model, program, EVENT_LEAK, program->end_time, news->leaked, NULL,
		   "leaked %s in %llu allocation%s, most from %s", bytes,
		   (unsigned long long)news->count, news->count == 1 ? "" : "s", where);
}

void tell_how_it_ended(struct model *model, const struct program *program)
{
	uint64_t end = wall_clock_at(&model->clock, program->end_time);
	int code = program->exit_code, status = WEXITSTATUS(code);
	bool failed = false;
	double seconds;
	char ran[24], number[24], text[96];

	seconds = (double)subtract_saturated(end, program_start(model, program)) / 1e9;
	format_duration(seconds, 60, ran);
	if (seconds < 1)
		snprintf(ran, sizeof(ran), "%.2fs", seconds);
	if (program->end_is_guess) {
		snprintf(text, sizeof(text), " has ended: how was not seen");
	} else if (program->end_reason == END_EXEC) {
		snprintf(text, sizeof(text), " ran %s, then became another program", ran);
	} else if (WIFSIGNALED(code)) {
		failed = true;
		snprintf(number, sizeof(number), "signal %d", WTERMSIG(code));
		snprintf(text, sizeof(text), " ran %s, killed by %s", ran,
			 signal_name(WTERMSIG(code)) ?: number);
	} else {
		failed = status;
		snprintf(text, sizeof(text), " ran %s, exited %d", ran, status);
	}
	model_tell_life(model, program, EVENT_END, program->end_time, failed, text);
}

void tell_end(struct model *model, const struct program *program, const struct end_news *news)
{
	if (news->lost_frees)
		model_lose(model, LOST_FREE, news->lost_frees);
	tell_leaks(model, program, news);
	tell_how_it_ended(model, program);
}

/* ---- memory ---- */

void tell_nearly_full(struct model *model, struct program *program, const struct device_use *use,
		      uint64_t time)
{
	struct postmortem report;
	unsigned int hidden;

	if (!event_limit_allow(&program->limits[EVENT_NEARLY_FULL], time, &hidden))
		return;
	postmortem_nearly_full(&model->programs, use, &report);
	model_tell(model, program, EVENT_NEARLY_FULL, time, use->live, &report.detail, "%s",
		   report.text);
}

/*
 * The storm that the failure @like begins, whose event is to be told. NULL: it is counted in one
 * that was told, or there were too many others. *@hidden: how many of these.
 */
static struct storm *storm_begin(struct model *model, struct program *program,
				 const struct storm *like, unsigned int *hidden)
{
	bool is_new;
	struct storm *storm = storms_find(&program->storms, like, &is_new);

	if ((!is_new && events_repeat(&model->log, storm->event)) ||
	    !event_limit_allow(&program->limits[like->kind], like->latest, hidden))
		return NULL;
	*storm = *like;
	return storm;
}

void tell_out_of_memory(struct model *model, struct program *program,
			const struct rec_alloc *record)
{
	const struct storm like = {
		.site = names_shown(&program->names, record->site, record->stack),
		.latest = record->hdr.time,
		.call = record->call,
		.kind = EVENT_OUT_OF_MEMORY,
	};
	struct postmortem report;
	unsigned int hidden;
	struct storm *storm = storm_begin(model, program, &like, &hidden);

	if (!storm)
		return;
	postmortem_out_of_memory(&model->programs, program, record, hidden, &report);
	storm->event = model_tell(model, program, EVENT_OUT_OF_MEMORY, record->hdr.time,
				  record->bytes, &report.detail, "%s", report.text);
}

void tell_short(struct model *model, struct program *program, struct allocator *allocator,
		const struct rec_short *record)
{
	const struct storm like = {
		.site = names_shown(&program->names, record->site, record->stack),
		.latest = record->hdr.time,
		.call = CALL_COUNT,
		.kind = EVENT_OUT_OF_MEMORY,
	};
	struct postmortem report;
	unsigned int hidden;
	struct storm *storm = storm_begin(model, program, &like, &hidden);

	if (!storm)
		return;
	postmortem_short(&model->programs, program, allocator, record, hidden, &report);
	storm->event = model_tell(model, program, EVENT_OUT_OF_MEMORY, record->hdr.time,
				  record->bytes, &report.detail, "%s", report.text);
}

void tell_bad_free(struct model *model, struct program *program, const struct rec_free_at *at,
		   enum free_news news)
{
	enum event_kind kind = news == FREE_DOUBLE ? EVENT_DOUBLE_FREE : EVENT_UNKNOWN_FREE;
	const struct rec_free *record = &at->free;
	struct snap_detail detail = {
		.device = CUTOP_DEVICE_UNKNOWN,
		.call = record->call,
		.code = record->result,
		.address = record->site,
		.stack = at->stack,
	};
	const struct storm like = {
		.site = names_shown(&program->names, record->site, at->stack),
		.latest = record->hdr.time,
		.call = record->call,
		.kind = kind,
	};
	char more[48] = "";
	struct storm *storm;
	unsigned int hidden;

	/* After a sticky error each call fails, whatever it is given. */
	if (news == FREE_PLAIN || (news == FREE_UNKNOWN && error_is_sticky(record->result)))
		return;
	storm = storm_begin(model, program, &like, &hidden);
	if (!storm)
		return;
	if (hidden)
		snprintf(more, sizeof(more), " (and %u more not listed)", hidden);
	names_describe_place(&program->names, record->site, detail.site, sizeof(detail.site));
	storm->event = model_tell(model, program, kind, record->hdr.time, 0, &detail,
				  "%s of 0x%llx, %s, called from %s%s", call_name(record->call),
				  (unsigned long long)record->address,
				  news == FREE_DOUBLE ? "which was freed before" :
							"where no allocation is known to begin",
				  detail.site, more);
}

void tell_reset(struct model *model, const struct program *program, const struct rec_reset *record,
		const struct reset_news *news)
{
	char bytes[16], device[24] = "";

	format_bytes((double)news->leaked, bytes, sizeof(bytes));
	if (record->device != CUTOP_DEVICE_UNKNOWN)
		snprintf(device, sizeof(device), " of device %d", record->device);
	model_tell(model, program, EVENT_RESET, record->hdr.time, news->leaked, NULL,
		   "%s%s ended %llu live allocation%s: %s leaked%s", call_name(record->call),
		   device, (unsigned long long)news->count, news->count == 1 ? "" : "s", bytes,
		   news->is_held ? ", the rest held by caches" : "");
}

/* The site of @sites that looks most like a leak; @most: the one so far. */
static const struct snap_site *worst(const struct snap_site *sites, size_t count,
				     const struct snap_site *most)
{
	for (size_t i = 0; i < count; i++)
		if (sites[i].suspect > (most ? most->suspect : 0))
			most = &sites[i];
	return most;
}

void tell_suspect(struct model *model, struct program *program, const struct snap_process *process,
		  uint64_t time)
{
	uint64_t bytes = add_saturated(process->suspect, process->tensors_rising);
	const struct snap_site *most = worst(process->sites, process->site_count, NULL);
	struct snap_detail detail = { .device = CUTOP_DEVICE_UNKNOWN, .call = CALL_COUNT };
	char size[16];

	if (program->ended || !bytes || bytes / 10 < program->suspect_told)
		return;
	for (size_t i = 0; i < process->allocator_count; i++)
		most = worst(process->allocators[i].sites, process->allocators[i].site_count, most);
	if (!most)
		return;
	program->suspect_told = bytes;
	detail.address = most->address;
	detail.stack = most->stack_id;
	snprintf(detail.site, sizeof(detail.site), "%s", most->site);
	format_bytes((double)bytes, size, sizeof(size));
	model_tell(model, program, EVENT_SUSPECT, time, bytes, &detail,
		   "%s may be leaking: what is live keeps rising, most at %s", size, detail.site);
}

/* ---- calls ---- */

static void tell_fault(struct model *model, struct program *program, const struct rec_fail_at *at)
{
	const struct rec_fail *record = &at->fail;
	struct postmortem report;
	unsigned int hidden;

	if (!event_limit_allow(&program->limits[EVENT_FAULT], record->hdr.time, &hidden))
		return;
	postmortem_fault(program, at, &report);
	model_tell(model, program, EVENT_FAULT, record->hdr.time, 0, &report.detail, "%s",
		   report.text);
}

void tell_failure(struct model *model, struct program *program, const struct rec_fail_at *at)
{
	const struct rec_fail *record = &at->fail;
	enum call_layer layer = call_layer(record->call);
	const char *name = error_name(layer, record->result),
		   *meaning = error_meaning(layer, record->result);
	const struct kernel_name *kernel;
	const struct place *place;
	char where[256] = "", launched[256] = "";
	unsigned int hidden;

	if (!call_failed(record->call, record->result))
		return;
	if (layer != LAYER_EXTRA && error_is_sticky(record->result)) {
		/*
		 * The log has said that every call fails from now on: further failures show only in
		 * the figures.
		 */
		if (!program->faulted)
			tell_fault(model, program, at);
		program->faulted = true;
		return;
	}
	/*
	 * Allocations that found no memory are reported separately, with the processes that hold
	 * it.
	 */
	if (layer != LAYER_EXTRA && call_descs[record->call].class == CLASS_ALLOC &&
	    record->result == ERROR_OUT_OF_MEMORY)
		return;
	if (!event_limit_allow(&program->limits[EVENT_FAILURE], record->hdr.time, &hidden))
		return;
	place = names_place(&program->names, record->site);
	if (place && place->name)
		names_describe_place(&program->names, record->site, where, sizeof(where));
	kernel = at->function ? names_kernel(&program->names, at->function) : NULL;
	if (kernel)
		snprintf(launched, sizeof(launched), " of %s", kernel->brief);
	if (name)
		model_tell(model, program, EVENT_FAILURE, record->hdr.time, 0, NULL,
			   "%s%s%s%s failed: %s (%d)%s%s", call_name(record->call), launched,
			   where[0] ? " in " : "", where, name, record->result, meaning ? ": " : "",
			   meaning ? meaning : "");
	else
		model_tell(model, program, EVENT_FAILURE, record->hdr.time, 0, NULL,
			   "%s%s%s failed with %s%d",
			   extra_names_brief(&model->extras, record->call), where[0] ? " in " : "",
			   where, layer == LAYER_EXTRA ? "" : "code ", record->result);
}

void tell_pageable(struct model *model, const struct program *program, const struct rec_host *copy)
{
	struct snap_detail detail = {
		.device = own_devices_machine(&program->devices, copy->device), .call = copy->call
	};

	names_describe_place(&program->names, copy->site, detail.site, sizeof(detail.site));
	model_tell(
		model, program, EVENT_PAGEABLE, copy->hdr.time, 0, &detail,
		"%s %s %s pageable memory at %s: it may be synchronous (cudaMallocHost or cudaHostRegister would make it "
		"asynchronous)",
		call_name(copy->call), copy_direction_names[copy->direction],
		copy->direction == DIR_D2H ? "to" : "from", detail.site);
}

void tell_unreturned(struct model *model, const struct program *program)
{
	/* Users who asked for it need no message. */
	if (program->unreturned == UNRETURNED_SECCOMP ||
	    program->unreturned == UNRETURNED_SHADOW_STACK)
		model_tell(
			model, program, EVENT_NO_RETURNS, model->latest, 0, NULL,
			"%s: returns are not probed, since on this "
			"kernel that kills programs %s: allocations, failures and times are not known",
			identity_name(&program->identity),
			program->unreturned == UNRETURNED_SECCOMP ? "under a seccomp filter" :
								    "with a shadow stack");
}

void tell_budget(struct model *model, const struct program *program, enum spare spare, bool given)
{
	static const char *const what[SPARE_COUNT] = {
		[SPARE_BLOCKS] = "blocks of its allocators are",
		[SPARE_CALLS] = "calls that are only counted are",
		[SPARE_LAUNCHES] = "launches are",
	};

	model_tell(model, program, EVENT_BUDGET, given ? program->cost.since[spare] : model->latest,
		   0, NULL, "%s: %s %s", identity_name(&program->identity), what[spare],
		   !given ? "watched again" :
		   spare == SPARE_LAUNCHES ?
			    "watched in one second of several, to keep within --budget" :
			    "not watched, to keep within --budget");
}

void tell_limit(struct model *model, const struct rec_limit *record)
{
	if (record->kind != LIMIT_NAMES)
		return; /* from a later version */
	model_tell(
		model, NULL, EVENT_LIMIT, record->hdr.time, record->limit, NULL,
		"the memory for names from files (--names-memory) is used up: those used least recently go, and are read again when needed");
}

void tell_notice(struct model *model, const struct rec_text *record, const char *text)
{
	static const enum event_kind kinds[NOTICE_COUNT] = {
		[NOTICE_LOST] = EVENT_LOST,
		[NOTICE_TRANSLATED] = EVENT_TRANSLATED,
	};

	model_tell_of(model, record->hdr.tgid, kinds[record->flags], record->hdr.time, "%.*s",
		      (int)record->text_len, text);
}
