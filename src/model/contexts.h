/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contexts of one process that own memory. They are numbered, so that an allocation can refer
 * to its context in two bytes.
 */
#ifndef MODEL_CONTEXTS_H
#define MODEL_CONTEXTS_H

#include <stddef.h>
#include <stdint.h>

struct contexts {
	uint64_t *handles; /* 0: destroyed. The first has number 1 */
	size_t count;
};

/* The number of the context @handle, 0 if it has none. */
uint16_t contexts_find(const struct contexts *contexts, uint64_t handle);
/* The same, but gives it a number if it has none; 0 without memory or room. */
uint16_t contexts_get(struct contexts *contexts, uint64_t handle);
/* The context was destroyed, and what it owned has ended: its number may be reused. */
void contexts_end(struct contexts *contexts, uint16_t number);
void contexts_free(struct contexts *contexts);

#endif
