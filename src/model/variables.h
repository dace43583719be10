/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Device memory that no call allocated: variables of modules and the like, levels of arrays. */
#ifndef MODEL_VARIABLES_H
#define MODEL_VARIABLES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "cutop_event.h"
#include "model/allocations.h"
#include "model/ordered_table.h"

/* Variables of known size: the memory of KIND_STATIC. */
struct statics {
	struct table table;
	uint64_t bytes;           /* of all variables */
	bool registers_variables; /* the program registers variables with the runtime */
	bool is_full;             /* some did not fit */
};

/* Takes in a MAP_VARIABLE, or a MAP_GLOBAL of a module. Returns 0 or -ENOMEM. */
int statics_learn(struct statics *statics, const struct rec_map *record);
void statics_unload(struct statics *statics, uint64_t module);
void statics_free(struct statics *statics);

/*
 * Addresses on a device, such as those of variables. @bytes 0: the size is unknown. Returns 0 or
 * -ENOMEM.
 */
int globals_learn(struct table *globals, uint64_t address, uint64_t bytes);
bool globals_contain(const struct table *globals, uint64_t address);

/* The array @handle is a level of the array @whole, if @book has that. Returns 0 or -ENOMEM. */
int levels_learn(struct table *levels, struct book *book, uint64_t handle, uint64_t whole);
/* Returns the live mipmapped array that @handle is a level of, or NULL. */
struct alloc_node *levels_whole(const struct table *levels, struct book *book, uint64_t handle);

#endif
