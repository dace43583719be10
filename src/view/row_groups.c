/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that share a row until it is opened: those of a job, and programs that ended in the same
 * way, some seconds after. Else a training on eight devices, or a script that starts a hundred
 * programs, would fill the screen. The row has the sums; what the pane shows is one of them, the
 * selected one if it is among them.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/job.h"
#include "util/saturated.h"
#include "util/util.h"
#include "view/view_internal.h"

#define ENDED_AFTER (10 * NSEC_PER_SEC)

enum group_kind { GROUP_NONE, GROUP_ENDED, GROUP_JOB };

/* Fewer have a row each: two ranks are as easily read. */
static const size_t least[] = { [GROUP_ENDED] = 2, [GROUP_JOB] = 3 };

static const char *line_of(const struct snap_process *process)
{
	return process->command_line ? process->command_line : process->command;
}

static enum group_kind kind_of(const struct view *view, const struct snap_process *process)
{
	if (!process->exited)
		return job_has(process) ? GROUP_JOB : GROUP_NONE;
	return subtract_saturated(view->shown->time, process->end_time) >= ENDED_AFTER ?
		       GROUP_ENDED :
		       GROUP_NONE;
}

/* Those that are equal share a row. */
static int compare_alike(const void *left, const void *right, void *context)
{
	const struct snap_process *a = *(const struct snap_process *const *)left;
	const struct snap_process *b = *(const struct snap_process *const *)right;
	enum group_kind kind = kind_of(context, a);
	int order = (int)kind - (int)kind_of(context, b);

	if (order || kind == GROUP_NONE)
		return order;
	if (kind == GROUP_JOB)
		return job_order(a, b);
	order = (a->uid > b->uid) - (a->uid < b->uid);
	order = order ? order : strcmp(line_of(a), line_of(b));
	order = order ? order : a->exit_code - b->exit_code;
	order = order ? order : (int)a->end_reason - (int)b->end_reason;
	return order ? order : a->end_is_guess - b->end_is_guess;
}

static bool are_alike(const struct view *view, const struct snap_process *a,
		      const struct snap_process *b)
{
	return kind_of(view, a) != GROUP_NONE && !compare_alike(&a, &b, (void *)view);
}

static void text_add(uint32_t *number, const char *text)
{
	/* FNV-1a; the end counts, too */
	do
		*number = (*number ^ (unsigned char)(text && *text ? *text : 0)) * 16777619u;
	while (text && *text++);
}

/* The same for the group of @process as long as there is one. Two of the same number open together. */
static uint32_t number_of(const struct view *view, const struct snap_process *process)
{
	uint32_t number = 2166136261u;
	char text[64];

	if (kind_of(view, process) == GROUP_ENDED)
		snprintf(text, sizeof(text), "%u %d %d", process->uid, process->exit_code,
			 (int)process->end_reason);
	else
		snprintf(text, sizeof(text), "%u of %u", process->uid,
			 process->pod || process->container ? 0 : process->parent_pid);
	text_add(&number, text);
	text_add(&number, process->exited ? line_of(process) : job_command(process));
	text_add(&number, process->pod);
	text_add(&number, process->container);
	return number;
}

/* ---- sums ---- */

static void sum_add(uint64_t *sum, uint64_t more)
{
	*sum = add_saturated(*sum, more);
}

/* One that has just begun has no rate yet. */
static void rate_add(double *sum, double more)
{
	if (!isnan(more))
		*sum = isnan(*sum) ? more : *sum + more;
}

/* Adds what columns show of @more to @sum. */
static void process_add(struct snap_process *sum, const struct snap_process *more)
{
	/* Those that ended did so one after the other. */
	if (more->exited)
		sum->peak = sum->peak > more->peak ? sum->peak : more->peak;
	else
		sum_add(&sum->peak, more->peak);
	sum->start_time = sum->start_time < more->start_time ? sum->start_time : more->start_time;
	sum->from_attach |= more->from_attach;
	sum->runtime_late |= more->runtime_late;
	sum->inexact |= more->inexact;
	sum->sampled |= more->sampled;
	sum->has_suspect |= more->has_suspect;
	sum->has_used |= more->has_used;
	sum->unreturned = sum->unreturned ? sum->unreturned : more->unreturned;
	sum_add(&sum->live, more->live);
	sum_add(&sum->leaked, more->leaked);
	sum_add(&sum->held, more->held);
	sum_add(&sum->suspect, more->suspect);
	sum_add(&sum->suspect_live, more->suspect_live);
	sum_add(&sum->used, more->used);
	sum_add(&sum->untracked, more->untracked);
	sum_add(&sum->tensors, more->tensors);
	sum_add(&sum->reserved, more->reserved);
	sum_add(&sum->tensors_ended, more->tensors_ended);
	sum_add(&sum->tensors_rising, more->tensors_rising);
	sum_add(&sum->allocated, more->allocated);
	sum_add(&sum->live_allocations, more->live_allocations);
	sum_add(&sum->allocations, more->allocations);
	sum_add(&sum->frees, more->frees);
	sum_add(&sum->failed_allocations, more->failed_allocations);
	sum_add(&sum->failed_frees, more->failed_frees);
	sum_add(&sum->launches, more->launches);
	sum_add(&sum->graph_launches, more->graph_launches);
	sum_add(&sum->failures, more->failures);
	sum_add(&sum->calls, more->calls);
	sum_add(&sum->map_omitted, more->map_count + more->map_omitted);
	rate_add(&sum->launches_per_second, more->launches_per_second);
	rate_add(&sum->graph_launches_per_second, more->graph_launches_per_second);
	rate_add(&sum->failures_per_second, more->failures_per_second);
	for (int kind = 0; kind < KIND_COUNT; kind++)
		sum_add(&sum->kinds[kind], more->kinds[kind]);
	for (int kind = 0; kind < SPARE_COUNT; kind++)
		sum->given_up[kind] |= more->given_up[kind];
	for (int direction = 0; direction < DIR_COUNT; direction++) {
		sum_add(&sum->copy_bytes[direction], more->copy_bytes[direction]);
		rate_add(&sum->copy_rate[direction], more->copy_rate[direction]);
	}
}

/* Of shares a mean says most. */
static double mean_of(const struct row_group *group, size_t offset)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < group->count; i++) {
		double share = *(const double *)((const char *)group->members[i] + offset);

		if (!isnan(share)) {
			sum += share;
			known++;
		}
	}
	return known ? sum / (double)known : NAN;
}

/* ---- what is said of a group ---- */

#define DEVICES_TOLD 64

/* The numbers of the devices that its members use, as text: "0-3,7". */
static void devices_print(const struct row_group *group, char *out, size_t size)
{
	uint64_t used = 0;
	size_t at = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct snap_process *member = group->members[i];

		for (size_t j = 0; j < member->device_count; j++)
			if (member->devices[j] >= 0 && member->devices[j] < DEVICES_TOLD)
				used |= UINT64_C(1) << member->devices[j];
	}
	out[0] = 0;
	for (int first = 0, last; first < DEVICES_TOLD && at < size; first = last + 1) {
		last = first;
		if (!(used >> first & 1))
			continue;
		while (last + 1 < DEVICES_TOLD && used >> (last + 1) & 1)
			last++;
		at += (size_t)snprintf(out + at, size - at, "%s%d", at ? "," : "", first);
		if (last > first && at < size)
			at += (size_t)snprintf(out + at, size - at, "-%d", last);
	}
}

/* Says which ranks they are, and which of them is the first in the table's order. */
static void remark_print(const struct view *view, struct row_group *group)
{
	const struct sort_order *order = &view->settings.sort;
	const struct column *column = order->count ? order->keys[0] : NULL;
	const struct snap_process *first, *last;
	uint32_t low = UINT32_MAX, high = 0;
	struct column_value a, b;
	size_t used = 0, size = sizeof(group->remark);

	for (size_t i = 0; i < group->count; i++) {
		low = group->members[i]->rank < low ? group->members[i]->rank : low;
		high = group->members[i]->rank > high ? group->members[i]->rank : high;
	}
	if (low)
		used = (size_t)snprintf(group->remark, size, ", ranks %u-%u", low - 1, high - 1);
	if (!column || column->unit == UNIT_TEXT || column->unit == UNIT_ID)
		return;
	sort_processes(group->members, group->count, order);
	first = group->members[0];
	last = group->members[group->count - 1];
	a = column->value(first);
	b = column->value(last);
	if (!a.absent && column_compare(column, &a, &b, false))
		snprintf(group->remark + used, size - used, ", %s: %s %u",
			 order->reverse ? "least" : "most", low ? "rank" : "pid",
			 low ? first->rank - 1 : first->pid);
}

/* ---- the rows ---- */

/* The member that the row's pane is about: it stays the same while others come and go. */
static const struct snap_process *member_shown(const struct view *view,
					       const struct row_group *group)
{
	const struct process_table *table = &view->table;
	const struct snap_process *shown = group->members[0];

	for (size_t i = 0; i < group->count; i++) {
		const struct snap_process *member = group->members[i];

		if (table->has_selected && member->program == table->selected)
			return member;
		if (member->program < shown->program)
			shown = member;
	}
	return shown;
}

static void group_sum(const struct view *view, struct row_group *group)
{
	const struct snap_process *shown = member_shown(view, group);
	struct snap_process *sum = &group->sum;

	*sum = *shown;
	for (size_t i = 0; i < group->count; i++)
		if (group->members[i] != shown)
			process_add(sum, group->members[i]);
	sum->sync_share = mean_of(group, offsetof(struct snap_process, sync_share));
	sum->cost = mean_of(group, offsetof(struct snap_process, cost));
	devices_print(group, group->devices, sizeof(group->devices));
	sum->device_list = group->devices;
	if (shown->exited)
		return;
	remark_print(view, group);
	for (size_t i = 0; i < group->count; i++)
		if (strcmp(line_of(group->members[i]), line_of(shown)) != 0)
			sum->command_line = shown->brief; /* what they have in common */
}

size_t groups_fold(struct view *view, const struct snap_process **list, size_t count)
{
	struct process_table *table = &view->table;
	size_t i, next, out = 0;

	free(table->groups);
	free(table->members);
	table->groups = calloc(count / 2 + 1, sizeof(*table->groups));
	table->members = calloc(count + 1, sizeof(*table->members));
	if (!table->groups || !table->members)
		return count;
	qsort_r(list, count, sizeof(*list), compare_alike, view);
	memcpy(table->members, list, count * sizeof(*list));
	for (i = 0; i < count; i = next) {
		struct row_group *group = &table->groups[table->group_count];

		for (next = i + 1; next < count && are_alike(view, list[i], list[next]);)
			next++;
		if (next - i > 1 && next - i >= least[kind_of(view, list[i])]) {
			table->group_count++;
			*group = (struct row_group){ .members = table->members + i,
						     .count = next - i,
						     .number = number_of(view, list[i]) };
			group->is_open = program_set_has(&table->opened, group->number);
			group_sum(view, group);
			if (!group->is_open) {
				list[out++] = &group->sum;
				continue;
			}
		}
		memmove(list + out, list + i, (next - i) * sizeof(*list));
		out += next - i;
	}
	return out;
}

const struct row_group *group_of(const struct view *view, const struct snap_process *process)
{
	for (size_t i = 0; i < view->table.group_count; i++) {
		const struct row_group *group = &view->table.groups[i];

		if (process == &group->sum)
			return group;
		for (size_t j = 0; j < group->count; j++)
			if (process == group->members[j])
				return group;
	}
	return NULL;
}

void group_switch(struct view *view, const struct row_group *group)
{
	if (group->is_open)
		program_set_remove(&view->table.opened, group->number);
	else
		program_set_add(&view->table.opened, group->number);
}
