/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/probe_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe_internal.h"

int probe_set_take(struct probe_set *set, struct elf_functions *functions,
		   bool (*wanted)(const struct elf_function *function))
{
	struct elf_functions *own = &set->functions;
	size_t kept = 0, i;

	own->list = malloc((functions->count + 1) * sizeof(*own->list));
	if (!own->list)
		return -ENOMEM;
	for (i = 0; i < functions->count; i++)
		if (wanted(&functions->list[i]))
			own->list[own->count++] = functions->list[i];
		else
			functions->list[kept++] = functions->list[i];
	memmove(functions->list + kept, functions->list + functions->count,
		functions->aliases * sizeof(*functions->list));
	functions->count = kept;
	return 0;
}

static void set_drop(struct probe *probe, struct probe_set *set)
{
	guard_drop(probe->guard, &set->number, 1);
	set->number = 0;
	memset(&set->attachment, 0, sizeof(set->attachment));
}

bool probe_set_place(struct probe *probe, const struct target *target, struct probe_set *set,
		     int fd)
{
	struct reason why = { "" };

	if (!set->functions.count || set->number)
		return false;
	set->functions.library = target->library;
	set->number = guard_number(probe->guard);
	if (links_place(probe, target, fd, &set->functions, &set->attachment, set->number, &why)) {
		set_drop(probe, set);
		return false;
	}
	probe_count(probe, &set->attachment, 1);
	return true;
}

void probe_set_lift(struct probe *probe, struct probe_set *set)
{
	if (!set->number)
		return;
	probe_count(probe, &set->attachment, -1);
	set_drop(probe, set);
}

void probe_set_free(struct probe_set *set)
{
	free(set->functions.list);
	memset(set, 0, sizeof(*set));
}
