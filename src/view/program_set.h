/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of processes by their program numbers: those that are folded, or tagged. */
#ifndef VIEW_PROGRAM_SET_H
#define VIEW_PROGRAM_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/snapshot.h"

struct program_set {
	uint32_t *list; /* ascending */
	size_t count, size;
};

bool program_set_has(const struct program_set *set, uint32_t program);

/* Returns false without memory; then nothing has changed. */
bool program_set_add(struct program_set *set, uint32_t program);
void program_set_remove(struct program_set *set, uint32_t program);

/* Removes those that @snapshot does not have, or, with @running, has as exited. */
void program_set_prune(struct program_set *set, const struct snapshot *snapshot, bool running);

/* Removes all and frees the memory. */
void program_set_clear(struct program_set *set);

#endif
