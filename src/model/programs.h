/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All programs, by number; and the list of those that ended, in the order of their ends. */
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
	size_t ended_nodes;		/* in the books of ended programs */
	uint32_t tombstones[TOMBSTONES];	/* ended programs that were forgotten */
	size_t tombstone_count;
};

struct program *programs_find(const struct programs *programs, uint32_t number);
/* Whether the program ended, and was removed. */
bool programs_is_forgotten(const struct programs *programs, uint32_t number);
/* Adds a new program, as program_new(). NULL without memory or room. */
struct program *programs_add(struct programs *programs, uint32_t number, struct device_list *machine, uint64_t leak_age);
/* Frees @program. */
void programs_remove(struct programs *programs, struct program *program);
void programs_free(struct programs *programs);

/* Walk all, by number; NULL at the end. */
struct program *programs_first(const struct programs *programs);
struct program *programs_next(const struct program *program);

/* The running program that @asker knows by @pid, which is in its own namespace; NULL if that is none, or may be several. */
struct program *programs_running(const struct programs *programs, const struct program *asker, uint32_t pid);
/* The running program of @program's process that must have ended, as @program follows it; or NULL. */
struct program *programs_overtaken(const struct programs *programs, const struct program *program);

/* Allocations in all books. */
size_t programs_nodes(const struct programs *programs);

/* @program->ended was set: it joins the list. */
void programs_end(struct programs *programs, struct program *program);
/* Forgets the allocations of those that ended first, if all that ended have too many. */
void programs_drop_maps(struct programs *programs);

#endif
