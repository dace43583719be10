/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of known size: the memory of KIND_STATIC. */
#ifndef MODEL_VARIABLES_H
#define MODEL_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/allocations.h"
#include "model/devices.h"
#include "model/tree.h"

struct static_variable;

RB_HEAD(static_tree, static_variable);

struct statics {
	struct static_tree tree;
	size_t count;
	uint64_t bytes;           /* of all variables */
	bool registers_variables; /* the program registers variables with the runtime */
	bool is_full;             /* some did not fit */
};

/* Takes in a MAP_VARIABLE, or a MAP_GLOBAL of a module. Returns 0 or -ENOMEM. */
int statics_learn(struct statics *statics, const struct rec_map *record);
/*
 * The variable at @address ends with @context, or, if that is 0, with the primary context of
 * @device.
 */
void statics_own(struct statics *statics, uint64_t address, uint64_t context, int device);
/* The process's numbers of devices, until now taken for the machine's, are known: @numbers. */
void statics_renumber(struct statics *statics, const struct own_devices *numbers);
/* A context ended: @context, or, if that is 0, the primary context of @device. */
void statics_end(struct statics *statics, uint64_t context, int device);
void statics_unload(struct statics *statics, uint64_t module);
void statics_free(struct statics *statics);

/* Memory on a device that no call allocated, such as variables of modules. */
struct global;

RB_HEAD(global_tree, global);

struct globals {
	struct global_tree tree;
	size_t count;
};

/* @bytes 0: the size is unknown. Returns 0 or -ENOMEM. */
int globals_learn(struct globals *globals, uint64_t address, uint64_t bytes);
bool globals_contain(const struct globals *globals, uint64_t address);
void globals_free(struct globals *globals);

/* Arrays that are levels of mipmapped arrays. */
struct level;

RB_HEAD(level_tree, level);

struct levels {
	struct level_tree tree;
	size_t count;
};

/* The array @handle is a level of the array @whole, if @book has that. Returns 0 or -ENOMEM. */
int levels_learn(struct levels *levels, struct book *book, uint64_t handle, uint64_t whole);
/* Returns the live mipmapped array that @handle is a level of, or NULL. */
struct alloc_node *levels_whole(const struct levels *levels, struct book *book, uint64_t handle);
void levels_free(struct levels *levels);

#endif
