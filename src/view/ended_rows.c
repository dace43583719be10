/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that ended in the same way share a row, some seconds after: a script that starts a
 * hundred would fill the screen. The row is that of the last one, with the sums of all.
 */
#include <stdlib.h>
#include <string.h>

#include "util/saturated.h"
#include "util/util.h"
#include "view/view_internal.h"

#define SHARED_AFTER (10 * NSEC_PER_SEC)

struct ended_row {
	struct snap_process sum;
	size_t others; /* that share it */
};

static const char *line_of(const struct snap_process *process)
{
	return process->command_line ? process->command_line : process->command;
}

/* The user's choice has a row of its own, so that what it shows stays. */
static bool may_share(const struct view *view, const struct snap_process *process)
{
	return process->exited &&
	       subtract_saturated(view->shown->time, process->end_time) >= SHARED_AFTER &&
	       !(view->table.selected_by_user && view->table.has_selected &&
		 view->table.selected == process->program);
}

static int compare_end(const void *left, const void *right, void *context)
{
	const struct snap_process *a = *(const struct snap_process *const *)left;
	const struct snap_process *b = *(const struct snap_process *const *)right;
	bool a_shares = may_share(context, a), b_shares = may_share(context, b);
	int order;

	if (a_shares != b_shares)
		return a_shares - b_shares;
	order = a_shares ? strcmp(line_of(a), line_of(b)) : 0;
	if (!order && a_shares)
		order = a->uid != b->uid ? (a->uid > b->uid) - (a->uid < b->uid) :
					   a->exit_code - b->exit_code;
	if (!order && a_shares)
		order = (int)a->end_reason - (int)b->end_reason ?
				(int)a->end_reason - (int)b->end_reason :
				a->end_is_guess - b->end_is_guess;
	return order;
}

static bool shares(const struct view *view, const struct snap_process *a,
		   const struct snap_process *b)
{
	return may_share(view, a) && may_share(view, b) &&
	       !compare_end(&(const struct snap_process *){ a },
			    &(const struct snap_process *){ b }, (void *)view);
}

static void sum_add(uint64_t *sum, uint64_t more)
{
	*sum = add_saturated(*sum, more);
}

/* Adds what columns show of @more to @sum, which becomes the later of both. */
static void ended_add(struct snap_process *sum, const struct snap_process *more)
{
	const struct snap_process before = *sum, *other = &before;

	if (more->end_time > sum->end_time)
		*sum = *more;
	else
		other = more;
	sum->peak = sum->peak > other->peak ? sum->peak : other->peak;
	sum->from_attach |= other->from_attach;
	sum->runtime_late |= other->runtime_late;
	sum->inexact |= other->inexact;
	sum->sampled |= other->sampled;
	sum->has_suspect |= other->has_suspect;
	sum->unreturned = sum->unreturned ? sum->unreturned : other->unreturned;
	sum_add(&sum->leaked, other->leaked);
	sum_add(&sum->held, other->held);
	sum_add(&sum->suspect, other->suspect);
	sum_add(&sum->tensors_ended, other->tensors_ended);
	sum_add(&sum->tensors_rising, other->tensors_rising);
	sum_add(&sum->allocated, other->allocated);
	sum_add(&sum->allocations, other->allocations);
	sum_add(&sum->frees, other->frees);
	sum_add(&sum->failed_allocations, other->failed_allocations);
	sum_add(&sum->failed_frees, other->failed_frees);
	sum_add(&sum->launches, other->launches);
	sum_add(&sum->graph_launches, other->graph_launches);
	sum_add(&sum->failures, other->failures);
	sum_add(&sum->calls, other->calls);
	sum_add(&sum->map_omitted, other->map_count + other->map_omitted);
	for (int direction = 0; direction < DIR_COUNT; direction++)
		sum_add(&sum->copy_bytes[direction], other->copy_bytes[direction]);
}

size_t ended_fold(struct view *view, const struct snap_process **list, size_t count)
{
	size_t i, out = 0, rows = 0;

	view->table.ended_count = 0;
	free(view->table.ended);
	view->table.ended = calloc(count / 2 + 1, sizeof(*view->table.ended));
	if (!view->table.ended)
		return count;
	qsort_r(list, count, sizeof(*list), compare_end, view);
	for (i = 0; i < count; i++) {
		struct ended_row *row = rows ? &view->table.ended[rows - 1] : NULL;

		if (!out || !shares(view, list[out - 1], list[i])) {
			list[out++] = list[i];
			continue;
		}
		if (!row || list[out - 1] != &row->sum) {
			row = &view->table.ended[rows++];
			*row = (struct ended_row){ .sum = *list[out - 1] };
			list[out - 1] = &row->sum;
		}
		ended_add(&row->sum, list[i]);
		row->others++;
	}
	view->table.ended_count = rows;
	return out;
}

size_t ended_others(const struct view *view, const struct snap_process *process)
{
	for (size_t i = 0; i < view->table.ended_count; i++)
		if (process == &view->table.ended[i].sum)
			return view->table.ended[i].others;
	return 0;
}
