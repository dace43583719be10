/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contexts of one process that own memory, numbered, as allocations name theirs by two bytes. */
#ifndef MODEL_CONTEXTS_H
#define MODEL_CONTEXTS_H

#include <stddef.h>
#include <stdint.h>

struct contexts {
	uint64_t *handles;		/* 0: destroyed. The first is number 1 */
	size_t count;
};

/* The number of the context with @handle, 0 if it has none. */
uint16_t contexts_find(const struct contexts *contexts, uint64_t handle);
/* The same, given one if it has none; 0 without memory or room. */
uint16_t contexts_get(struct contexts *contexts, uint64_t handle);
/* The context was destroyed, and what it owned has ended: its number may be given to another. */
void contexts_end(struct contexts *contexts, uint16_t number);
void contexts_free(struct contexts *contexts);

#endif
