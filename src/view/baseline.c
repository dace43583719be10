/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The baseline: a snapshot that is kept to show what has happened since. Sizes and counts of the
 * process table and of the panes' lists become differences; rates, times per call and names stay as
 * they are.
 */
#include <stdlib.h>
#include <string.h>

#include "view/view_internal.h"

bool column_is_counter(const struct column *column)
{
	return column->unit == UNIT_BYTES || column->unit == UNIT_COUNT;
}

/* Frees a snapshot that is no longer shown, unless it is the baseline. */
void view_release(struct view *view, struct snapshot *snapshot)
{
	if (snapshot != view->base)
		snapshot_free(snapshot);
}

void baseline_end(struct view *view)
{
	struct snapshot *base = view->base;

	view->base = NULL;
	if (base != view->shown && base != view->latest)
		snapshot_free(base);
}

void baseline_set(struct view *view)
{
	baseline_end(view);
	view->base = view->shown;
}

/* Processes are sorted by pid in a snapshot. */
const struct snap_process *baseline_of(const struct view *view, const struct snap_process *process)
{
	size_t low = 0, high = view->base->process_count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (view->base->processes[middle].pid < process->pid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < view->base->process_count && view->base->processes[low].pid == process->pid;
	     low++)
		if (view->base->processes[low].program == process->program)
			return &view->base->processes[low];
	return NULL;
}

/*
 * A difference needs no mark for what was there before cutop; it keeps the marks of sampled figures
 * and of suspects.
 */
static int mark_since(const struct column *column, char mark, const struct snap_process *process,
		      const struct snap_process *base)
{
	if (mark == '~')
		return process->suspect > base->suspect ? '~' : 0;
	return mark == '>' && process->sampled && column->tone == TONE_FAILURE ? '>' : 0;
}

struct column_value view_value(const struct view *view, const struct column *column,
			       const struct snap_process *process)
{
	struct column_value value = column->value(process), before;
	const struct snap_process *base;

	if (!view->base || value.absent || !column_is_counter(column))
		return value;
	base = baseline_of(view, process);
	if (!base) /* it has started since: everything is new */
		return value;
	before = column->value(base);
	if (!before.absent) {
		value.number -= before.number;
		value.mark = (char)mark_since(column, value.mark, process, base);
	}
	return value;
}

/* ---- the lists ---- */

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void *copy_of(const void *list, size_t count, size_t size)
{
	void *copy = malloc(count * size + 1);

	if (copy && count)
		memcpy(copy, list, count * size);
	return copy;
}

/*
 * Compares symbols if they are known: the handle shown for a symbol, its busiest, may be another
 * than at the baseline.
 */
static bool is_same_kernel(const struct snap_kernel *a, const struct snap_kernel *b)
{
	if (a->device != b->device || a->is_graph != b->is_graph)
		return false;
	return a->symbol && b->symbol ? !strcmp(a->symbol, b->symbol) : a->function == b->function;
}

static void kernels_since(struct snap_kernel *list, size_t count, const struct snap_process *base)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < base->kernel_count; j++) {
			const struct snap_kernel *before = &base->kernels[j];

			if (!is_same_kernel(before, &list[i]))
				continue;
			list[i].launches = since(list[i].launches, before->launches);
			list[i].captured = since(list[i].captured, before->captured);
			list[i].graph_launches =
				since(list[i].graph_launches, before->graph_launches);
			list[i].failures = since(list[i].failures, before->failures);
			break;
		}
}

static void copies_since(struct snap_copy *list, size_t count, const struct snap_process *base)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < base->copy_count; j++) {
			const struct snap_copy *before = &base->copies[j];

			if (before->direction != list[i].direction ||
			    before->mode != list[i].mode || before->device != list[i].device)
				continue;
			list[i].calls = since(list[i].calls, before->calls);
			list[i].failures = since(list[i].failures, before->failures);
			list[i].bytes = since(list[i].bytes, before->bytes);
			list[i].seconds -= before->seconds;
			for (int size = 0; size < CUTOP_SIZE_BUCKETS; size++)
				list[i].sizes[size] =
					since(list[i].sizes[size], before->sizes[size]);
			break;
		}
}

static void calls_since(struct snap_call *list, size_t count, const struct snap_process *base)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < base->call_count; j++) {
			const struct snap_call *before = &base->call_list[j];

			if (before->call != list[i].call)
				continue;
			list[i].calls = since(list[i].calls, before->calls);
			list[i].failures = since(list[i].failures, before->failures);
			list[i].seconds -= before->seconds;
			break;
		}
}

/* With what is no failure. */
static size_t failures_listed(const struct snap_process *process)
{
	return process->failure_count + process->answer_count + process->at_exit_count;
}

static void failures_since(struct snap_failure *list, size_t count, const struct snap_process *base)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < failures_listed(base); j++) {
			const struct snap_failure *before = &base->failure_list[j];

			if (before->call != list[i].call || before->code != list[i].code)
				continue;
			list[i].count = since(list[i].count, before->count);
			break;
		}
}

bool baseline_apply(const struct view *view, struct snap_process *process)
{
	const struct snap_process *base = view->base ? baseline_of(view, process) : NULL;

	if (!base)
		return false;
	process->kernels =
		copy_of(process->kernels, process->kernel_count, sizeof(*process->kernels));
	process->copies = copy_of(process->copies, process->copy_count, sizeof(*process->copies));
	process->call_list =
		copy_of(process->call_list, process->call_count, sizeof(*process->call_list));
	process->failure_list = copy_of(process->failure_list, failures_listed(process),
					sizeof(*process->failure_list));
	if (!process->kernels)
		process->kernel_count = 0;
	kernels_since(process->kernels, process->kernel_count, base);
	if (process->kernel_count)
		qsort(process->kernels, process->kernel_count, sizeof(*process->kernels),
		      snapshot_kernel_order);
	if (process->copies)
		copies_since(process->copies, process->copy_count, base);
	else
		process->copy_count = 0;
	if (process->call_list)
		calls_since(process->call_list, process->call_count, base);
	else
		process->call_count = 0;
	if (!process->failure_list)
		process->failure_count = process->answer_count = process->at_exit_count = 0;
	failures_since(process->failure_list, failures_listed(process), base);
	if (process->failure_list)
		qsort(process->failure_list, failures_listed(process),
		      sizeof(*process->failure_list), snapshot_failure_order);
	process->launches = since(process->launches, base->launches);
	process->graph_launches = since(process->graph_launches, base->graph_launches);
	return true;
}

void baseline_undo(struct snap_process *process)
{
	free(process->kernels);
	free(process->copies);
	free(process->call_list);
	free(process->failure_list);
}
