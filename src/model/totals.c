/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times are added up in whole nanoseconds: a sum of floating point numbers depends on the order,
 * which changes when a process leaves, and its last digit might fall.
 */
#include "model/totals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/saturated.h"
#include "util/utf8.h"

#define OTHER "other" /* a program of that name is counted here, too */

struct totals {
	struct snap_command commands[COMMANDS_MAX + 1]; /* names in it are owned */
	uint64_t told_leaked[COMMANDS_MAX + 1], told_held[COMMANDS_MAX + 1];
	/* sums of dropped processes; its commands are the ones above */
	struct total_sums gone;
};

struct totals *totals_new(void)
{
	struct totals *totals = calloc(1, sizeof(*totals));

	if (totals)
		totals->gone.commands = totals->commands;
	return totals;
}

void totals_free(struct totals *totals)
{
	size_t i;

	if (!totals)
		return;
	for (i = 0; i < totals->gone.command_count; i++)
		free((char *)totals->commands[i].command);
	free(totals);
}

/* with the NUL: room of a metrics label. Longer names that begin in the same way become one */
#define NAME_SIZE 256

/* The index of the command's entry, from 1; 0 without memory. */
static uint16_t entry_of(struct totals *totals, const char *whole)
{
	char command[NAME_SIZE], *name;
	bool is_other;
	size_t i;

	utf8_clean(whole, command, sizeof(command));
	is_other = !strcmp(command, OTHER);

	for (i = 0; i < totals->gone.command_count; i++)
		if (!strcmp(totals->commands[i].command, command))
			return (uint16_t)(i + 1);
	/* The last entry is kept free for "other". */
	if (!is_other && totals->gone.command_count >= COMMANDS_MAX)
		return entry_of(totals, OTHER);
	if (totals->gone.command_count > COMMANDS_MAX)
		return 0;
	name = strdup(command);
	if (!name)
		return 0;
	totals->commands[totals->gone.command_count] =
		(struct snap_command){ .command = name, .is_other = is_other };
	return (uint16_t)++totals->gone.command_count;
}

uint16_t totals_note(struct totals *totals, const char *command)
{
	uint16_t number = entry_of(totals, command);

	if (number)
		totals->commands[number - 1].processes++;
	return number;
}

static void add(uint64_t *sum, uint64_t value)
{
	*sum = add_saturated(*sum, value);
}

/*
 * A snapshot stores whole nanoseconds as @seconds: converts them back. After weeks the result is
 * rounded, but always in the same way.
 */
static void add_time(uint64_t *sum, double seconds)
{
	add(sum, (uint64_t)llround(seconds * 1e9));
}

static void add_copies(struct snap_command *command, const struct snap_process *process)
{
	size_t i;

	for (i = 0; i < process->copy_count; i++) {
		const struct snap_copy *copy = &process->copies[i];
		struct snap_copy_total *total = &command->copies[copy->direction][copy->mode];

		add(&total->calls, copy->calls);
		add(&total->failures, copy->failures);
		add(&total->bytes, copy->bytes);
		add_time(&total->ns, copy->seconds);
	}
}

static void add_calls(struct total_sums *sums, const struct snap_process *process)
{
	unsigned int bucket;
	size_t i;

	for (i = 0; i < process->call_count; i++) {
		const struct snap_call *from = &process->call_list[i];
		unsigned int index = call_index(from->call);
		struct snap_call *to = &sums->calls[index];

		add(&to->calls, from->calls);
		add(&to->failures, from->failures);
		add_time(&sums->ns[index], from->seconds);
		to->sampled |= from->sampled;
		to->judged = from->judged;
		for (bucket = 0; bucket < CUTOP_HIST_BUCKETS; bucket++)
			add(&to->hist[bucket], from->hist[bucket]);
	}
}

void totals_add(struct total_sums *sums, uint16_t number, const struct snap_process *process)
{
	struct snap_command *command = &sums->commands[number - 1];

	add(&command->leaked, process->leaked);
	add(&command->held, process->held);
	add(&command->allocations, process->allocations);
	add(&command->allocated, process->allocated);
	add(&command->frees, process->frees);
	add(&command->failed_allocations, process->failed_allocations);
	add(&command->failed_frees, process->failed_frees);
	add(&command->double_frees, process->double_frees);
	add(&command->unknown_frees, process->unknown_frees);
	add(&command->calls, process->calls);
	add(&command->failures, process->failures);
	add(&command->launches, process->launches);
	add(&command->graph_launches, process->graph_launches);
	add_time(&command->sync_ns, process->sync_seconds);
	add_copies(command, process);
	add_calls(sums, process);
}

void totals_retire(struct totals *totals, uint16_t number, const struct snap_process *process)
{
	totals_add(&totals->gone, number, process);
}

struct total_sums *totals_begin(const struct totals *totals, struct arena *arena)
{
	struct total_sums *sums = arena_alloc(arena, 1, sizeof(*sums));
	size_t count = totals->gone.command_count;

	if (!sums)
		return NULL;
	*sums = totals->gone;
	sums->commands = arena_alloc(arena, count, sizeof(*sums->commands));
	if (!sums->commands)
		return NULL;
	memcpy(sums->commands, totals->commands, count * sizeof(*sums->commands));
	return sums;
}

/*
 * A leak that turned out to be none has been exported already: the sum stays until the true value
 * has caught up.
 */
static void never_less(uint64_t *value, uint64_t *told)
{
	if (*value < *told)
		*value = *told;
	*told = *value;
}

int totals_end(struct totals *totals, struct total_sums *sums, struct arena *arena)
{
	size_t i;

	for (i = 0; i < sums->command_count; i++) {
		struct snap_command *command = &sums->commands[i];

		never_less(&command->leaked, &totals->told_leaked[i]);
		never_less(&command->held, &totals->told_held[i]);
		command->command = arena_string(arena, command->command);
		if (!command->command)
			return -ENOMEM;
	}
	return 0;
}
