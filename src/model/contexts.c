/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/contexts.h"

#include <stdlib.h>
#include <string.h>

#include "model/limits.h"

uint16_t contexts_find(const struct contexts *contexts, uint64_t handle)
{
	size_t i;

	for (i = 0; handle && i < contexts->count; i++)
		if (contexts->handles[i] == handle)
			return (uint16_t)(i + 1);
	return 0;
}

uint16_t contexts_get(struct contexts *contexts, uint64_t handle)
{
	uint16_t number = contexts_find(contexts, handle);
	size_t place = contexts->count, i;
	uint64_t *list;

	if (number || !handle)
		return number;
	for (i = 0; i < contexts->count; i++)
		if (!contexts->handles[i])
			place = i;
	if (place == contexts->count) {
		list = place < CONTEXTS_MAX ?
			       realloc(contexts->handles, (place + 1) * sizeof(*list)) :
			       NULL;
		if (!list)
			return 0;
		contexts->handles = list;
		contexts->count++;
	}
	contexts->handles[place] = handle;
	return (uint16_t)(place + 1);
}

void contexts_end(struct contexts *contexts, uint16_t number)
{
	if (number)
		contexts->handles[number - 1] = 0;
}

void contexts_free(struct contexts *contexts)
{
	free(contexts->handles);
	memset(contexts, 0, sizeof(*contexts));
}
