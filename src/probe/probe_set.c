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

bool probe_set_place(struct probe *probe, const struct target *target, struct probe_set *set,
		     const struct seen_file *seen)
{
	struct attach_choice choice = probe_choice(probe);
	struct reason why = { "" };

	if (!set->functions.count || set->shelf)
		return false;
	set->functions.library = target->library;
	set->attachment.helper = -1;
	set->shelf = ++probe->last_shelf;
	guard_open(&set->guard, seen, keeper_pid(probe->keeper));
	keeper_watch(probe->keeper, set->shelf, &set->guard);
	if (attachment_open(&set->attachment, &probe->bpf, seen_place(seen), &set->functions,
			    &choice, probe_pids(probe), &why)) {
		keeper_drop(probe->keeper, &set->shelf, 1);
		guard_close(&set->guard);
		set->shelf = 0;
		return false;
	}
	keeper_keep(probe->keeper, set->shelf, set->attachment.links, set->attachment.link_count);
	probe_count(probe, &set->attachment, 1);
	return true;
}

bool probe_set_place_again(struct probe *probe, const struct target *target, struct probe_set *set)
{
	struct seen_file seen;
	bool placed;

	if (!set->functions.count || set->shelf ||
	    outside_open_again(&probe->outside, target->guard.fd, target->guard.is_place,
			       target->path ? target->path : "", COPY_TABLES, &seen))
		return false;
	placed = probe_set_place(probe, target, set, &seen);
	seen_close(&seen);
	return placed;
}

void probe_set_lift(struct probe *probe, struct probe_set *set)
{
	if (!set->shelf)
		return;
	probe_count(probe, &set->attachment, -1);
	keeper_drop(probe->keeper, &set->shelf, 1);
	attachments_close(&set->attachment, 1);
	guard_close(&set->guard);
	memset(&set->attachment, 0, sizeof(set->attachment));
	set->shelf = 0;
}

void probe_set_free(struct probe_set *set)
{
	if (set->shelf)
		guard_close(&set->guard);
	free(set->functions.list);
	memset(set, 0, sizeof(*set));
}
