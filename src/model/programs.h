/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All programs, by number; and the list of ended ones, in the order in which they ended. */
#ifndef MODEL_IMAGES_H
#define MODEL_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/program.h"
#include "model/limits.h"
#include "model/tree.h"

RB_HEAD(program_tree, program);

struct programs {
	struct program_tree tree;
	size_t count;
	struct program *ended_first, *ended_last;
	size_t ended_count;
	size_t ended_nodes;              /* in the books of ended programs */
	uint32_t tombstones[TOMBSTONES]; /* ended programs that were dropped */
	size_t tombstone_count;
};

struct program *programs_find(const struct programs *programs, uint32_t number);
/* True if the program has ended and was dropped. */
bool programs_is_forgotten(const struct programs *programs, uint32_t number);
/* Adds a new program, as program_new() does. NULL without memory or room. */
struct program *programs_add(struct programs *programs, uint32_t number,
			     struct device_list *machine, uint64_t leak_age);
/* Frees @program. */
void programs_remove(struct programs *programs, struct program *program);
void programs_free(struct programs *programs);

/* Walk all programs, by number; NULL at the end. */
struct program *programs_first(const struct programs *programs);
struct program *programs_next(const struct program *program);

/*
 * The running program that @asker knows by @pid, a number in the asker's namespace; NULL if there
 * is none, or there may be several.
 */
struct program *programs_running(const struct programs *programs, const struct program *asker,
				 uint32_t pid);
/*
 * An earlier program of @program's process that is still marked as running but must have ended; or
 * NULL.
 */
struct program *programs_overtaken(const struct programs *programs, const struct program *program);

/* The number of allocations in all books. */
size_t programs_nodes(const struct programs *programs);

/* To be called when @program->ended was set: adds it to the list. */
void programs_end(struct programs *programs, struct program *program);
/*
 * Drops the allocations of the programs that ended first, if those of ended programs are too many.
 */
void programs_drop_maps(struct programs *programs);

#endif
