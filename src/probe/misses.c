/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/misses.h"

#include <stdlib.h>
#include <string.h>

#include "probe/probe_internal.h"

#define MISSES_MAX 256 /* files that are remembered; further ones count each time */

struct miss {
	struct file_id id;
	unsigned int functions;
	struct unprobed unprobed;
	struct miss *next;
};

static struct miss **place_of(struct probe *probe, const struct file_id *id, size_t *count)
{
	struct miss **at = &probe->misses;

	for (*count = 0; *at && memcmp(&(*at)->id, id, sizeof(*id)); at = &(*at)->next)
		++*count;
	return at;
}

void misses_add(struct probe *probe, const struct file_id *id, const struct elf_functions *found,
		const struct attach_choice *choice)
{
	struct unprobed unprobed = { 0 };
	size_t count, i;
	struct miss **at = place_of(probe, id, &count);

	if (*at)
		return;
	for (i = 0; i < found->count; i++)
		unprobed_add(&unprobed, choice, found->list[i].call);
	probe->counts.missing += (unsigned int)found->count;
	probe->counts.unprobed.allocs += unprobed.allocs;
	probe->counts.unprobed.frees += unprobed.frees;
	*at = count < MISSES_MAX ? calloc(1, sizeof(**at)) : NULL;
	if (*at)
		**at = (struct miss){ *id, (unsigned int)found->count, unprobed, NULL };
}

void misses_drop(struct probe *probe, const struct file_id *id)
{
	size_t count;
	struct miss **at = place_of(probe, id, &count), *miss = *at;

	if (!miss)
		return;
	probe->counts.missing -= miss->functions;
	probe->counts.unprobed.allocs -= miss->unprobed.allocs;
	probe->counts.unprobed.frees -= miss->unprobed.frees;
	*at = miss->next;
	free(miss);
}

void misses_free(struct probe *probe)
{
	struct miss *miss;

	while ((miss = probe->misses)) {
		probe->misses = miss->next;
		free(miss);
	}
}
