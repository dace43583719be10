/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "cuda/outcomes.h"
#include "model/build.h"
#include "model/histogram.h"
#include "model/model_state.h"
#include "util/saturated.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* ---- copies ---- */

static void add_copy_row(struct snap_copy *copy, const struct copy_row *row, uint64_t *ns,
			 uint64_t *timed_bytes, uint64_t *timed_ns)
{
	unsigned int i;

	copy->calls += row->calls;
	copy->failures += row->failures;
	copy->bytes = add_saturated(copy->bytes, row->bytes);
	*ns = add_saturated(*ns, row->ns);
	*timed_bytes = add_saturated(*timed_bytes, row->timed_bytes);
	*timed_ns = add_saturated(*timed_ns, row->timed_ns);
	for (i = 0; i < CUTOP_SIZE_BUCKETS; i++)
		copy->sizes[i] += row->sizes[i];
}

static void sum_copy_row(struct build *build, const struct copy_entry *entry,
			 const struct copy_row *row)
{
	struct call_row call = {
		.calls = row->calls,
		.failures = row->failures,
		.ns = row->ns,
		.max_ns = row->max_ns,
	};

	memcpy(call.hist, row->hist, sizeof(call.hist));
	if (row->calls)
		build_add_call(build, entry->key.call, &call, false);
}

static bool same_copy(const struct own_devices *devices, const struct copy_entry *a,
		      const struct copy_entry *b)
{
	return a->key.direction == b->key.direction && a->key.mode == b->key.mode &&
	       own_devices_machine(devices, a->key.device) ==
		       own_devices_machine(devices, b->key.device);
}

int build_copies(struct build *build, struct program *program, struct snap_process *process)
{
	struct copy_entry *entry, *next;
	size_t count = 0;

	for (entry = copy_first(&program->counters); entry; entry = copy_next(entry))
		count++;
	process->copies = arena_alloc(build->arena, count, sizeof(*process->copies));
	if (!process->copies)
		return -ENOMEM;
	/*
	 * The tree is sorted by direction, mode, device, call: rows to be summed up are adjacent,
	 * also those of an unknown device, if the program uses only one.
	 */
	for (entry = copy_first(&program->counters); entry; entry = next) {
		struct snap_copy *copy = &process->copies[process->copy_count++];
		uint64_t ns = 0, timed_bytes = 0, timed_ns = 0, before = 0;

		copy->direction = entry->key.direction;
		copy->mode = entry->key.mode;
		copy->device = own_devices_machine(&program->devices, entry->key.device);
		for (next = entry; next && same_copy(&program->devices, entry, next);
		     next = copy_next(next)) {
			sum_copy_row(build, next, &next->row);
			sum_copy_row(build, next, &next->resolved);
			add_copy_row(copy, &next->row, &ns, &timed_bytes, &timed_ns);
			add_copy_row(copy, &next->resolved, &ns, &timed_bytes, &timed_ns);
			copy->pageable |= next->pageable;
			before = add_saturated(before, next->before);
			next->before = add_saturated(next->row.bytes, next->resolved.bytes);
		}
		copy->seconds = (double)ns / 1e9;
		copy->bytes_per_second = copy->mode == COPY_SYNC && timed_ns ?
						 (double)timed_bytes * 1e9 / (double)timed_ns :
						 NAN;
		copy->rate_bytes_per_second = build_rate(build, copy->bytes, before);
		process->copy_bytes[copy->direction] =
			add_saturated(process->copy_bytes[copy->direction], copy->bytes);
	}
	return 0;
}

/* ---- calls ---- */

int build_calls(struct build *build, struct program *program, struct snap_process *process)
{
	struct call_entry *entry;
	unsigned int i;
	size_t count = 0;

	for (entry = call_first(&program->counters); entry; entry = call_next(entry)) {
		struct call_row row = entry->row;

		/* BPF counts all errors; of those in records the model has counted the failures. */
		row.failures = counters_failures(&program->counters, entry->key.call, row.failures);
		build_add_call(build, entry->key.call, &row, false);
		build_add_call(build, entry->key.call, &entry->told, false);
	}
	for (i = build_next_sum(build, 0); i < CALL_SUMS; i = build_next_sum(build, i + 1))
		count++;
	process->call_list = arena_alloc(build->arena, count, sizeof(*process->call_list));
	if (!process->call_list)
		return -ENOMEM;
	for (i = build_next_sum(build, 0); i < CALL_SUMS; i = build_next_sum(build, i + 1)) {
		struct call_sum *sum = &build->sums[i];

		sum->call.seconds = (double)sum->ns / 1e9;
		sum->call.latency = histogram_latency(sum->call.hist, sum->max_ns);
		if (CUTOP_IS_EXTRA(sum->call.call)) {
			if (build_extra(build, sum->call.call, &sum->call.extra))
				return -ENOMEM;
			sum->call.judged =
				extra_names_find(&build->model->extras, sum->call.call)->result !=
				EXTRA_RESULT_NONE;
		} else {
			process->calls += sum->call.calls;
		}
		process->call_list[process->call_count++] = sum->call;
		memset(sum, 0, sizeof(*sum));
	}
	memset(build->used_sums, 0, sizeof(build->used_sums));
	return 0;
}

/* ---- failures ---- */

/* Failures first, then what is none, by its kind; of each the most first. */
static int failure_order(const void *left, const void *right)
{
	const struct snap_failure *a = left, *b = right;
	int order = ORDER(call_outcome(a->call, a->code), call_outcome(b->call, b->code));

	if (!order)
		order = ORDER(b->count, a->count);
	if (!order)
		order = ORDER(a->call, b->call);
	return order ? order : ORDER(a->code, b->code);
}

/* The names of the launched kernel: a kernel has one row for all functions with its symbol. */
static int build_failed_kernel(struct program *program, const struct snap_process *process,
			       uint64_t function, struct snap_failure *failure)
{
	const struct kernel_name *kernel = function ? names_kernel(&program->names, function) :
						      NULL;
	const struct kernel_texts *texts;

	if (!kernel)
		return 0;
	if (build_kernel_name(program, kernel, &texts))
		return -ENOMEM;
	failure->kernel = failure->shown = texts->brief;
	for (size_t i = 0; kernel->symbol && i < process->kernel_count; i++)
		if (process->kernels[i].symbol &&
		    !strcmp(process->kernels[i].symbol, kernel->symbol))
			failure->shown = process->kernels[i].shown;
	return 0;
}

int build_failures(struct build *build, struct program *program, struct snap_process *process)
{
	struct fail_entry *entry;
	size_t count = 0, listed = 0;
	char number[32];

	for (entry = fail_first(&program->counters); entry; entry = fail_next(entry))
		count++;
	process->failure_list = arena_alloc(build->arena, count, sizeof(*process->failure_list));
	if (!process->failure_list)
		return -ENOMEM;
	for (entry = fail_first(&program->counters); entry; entry = fail_next(entry)) {
		const char *name = error_name(call_layer(entry->key.call), entry->key.result);
		struct snap_extra extra = { .brief = NULL };
		struct snap_failure *failure;

		if (!entry->row.count)
			continue;
		failure = &process->failure_list[listed++];
		if (CUTOP_IS_EXTRA(entry->key.call)) {
			if (build_extra(build, entry->key.call, &extra))
				return -ENOMEM;
			if (extra_names_find(&build->model->extras, entry->key.call)->result ==
			    EXTRA_RESULT_NULL)
				name = "NULL";
		}
		if (!name) {
			snprintf(number, sizeof(number), "error %d", entry->key.result);
			name = arena_string(build->arena, number);
			if (!name)
				return -ENOMEM;
		}
		*failure = (struct snap_failure){
			.call = entry->key.call,
			.code = entry->key.result,
			.error = name,
			.count = entry->row.count,
			.first = wall_clock_at(&build->model->clock, entry->row.first),
			.last = wall_clock_at(&build->model->clock, entry->row.last),
			.reason = outcome_reason(entry->key.call, entry->key.result),
			.extra = extra,
		};
		if (build_place_at(build, program, entry->site, entry->stack, &failure->where) ||
		    build_failed_kernel(program, process, entry->function, failure))
			return -ENOMEM;
		switch (call_outcome(entry->key.call, entry->key.result)) {
		case OUTCOME_ANSWERED: process->answer_count++; break;
		case OUTCOME_AT_EXIT: process->at_exit_count++; break;
		default: process->failure_count++; process->failures += entry->row.count;
		}
	}
	if (listed)
		qsort(process->failure_list, listed, sizeof(process->failure_list[0]),
		      failure_order);
	return 0;
}
