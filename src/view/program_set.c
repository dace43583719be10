/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sorted array: it is asked for each row of each snapshot, and changes only when the user presses
 * a key.
 */
#include "view/program_set.h"

#include <stdlib.h>
#include <string.h>

/* The place of @program, or where it would be. */
static size_t place_of(const struct program_set *set, uint32_t program)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->list[middle] < program)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool program_set_has(const struct program_set *set, uint32_t program)
{
	size_t at = place_of(set, program);

	return at < set->count && set->list[at] == program;
}

bool program_set_add(struct program_set *set, uint32_t program)
{
	size_t at = place_of(set, program);

	if (at < set->count && set->list[at] == program)
		return true;
	if (set->count == set->size) {
		size_t size = set->size ? 2 * set->size : 16;
		uint32_t *list = realloc(set->list, size * sizeof(*list));

		if (!list)
			return false;
		set->list = list;
		set->size = size;
	}
	memmove(set->list + at + 1, set->list + at, (set->count - at) * sizeof(*set->list));
	set->list[at] = program;
	set->count++;
	return true;
}

void program_set_remove(struct program_set *set, uint32_t program)
{
	size_t at = place_of(set, program);

	if (at == set->count || set->list[at] != program)
		return;
	set->count--;
	memmove(set->list + at, set->list + at + 1, (set->count - at) * sizeof(*set->list));
}

static int compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

void program_set_prune(struct program_set *set, const struct snapshot *snapshot, bool running)
{
	uint32_t *list = set->count ? malloc(set->count * sizeof(*list)) : NULL;
	size_t count = 0, i;

	if (!list)
		return;
	for (i = 0; i < snapshot->process_count && count < set->count; i++) {
		const struct snap_process *process = &snapshot->processes[i];

		if (program_set_has(set, process->program) && !(running && process->exited))
			list[count++] = process->program;
	}
	qsort(list, count, sizeof(*list), compare);
	free(set->list);
	set->list = list;
	set->size = set->count; /* what was allocated */
	set->count = count;
}

void program_set_clear(struct program_set *set)
{
	free(set->list);
	*set = (struct program_set){ .list = NULL };
}
