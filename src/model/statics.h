/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of known size: the memory of KIND_STATIC. */
#ifndef MODEL_STATICS_H
#define MODEL_STATICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/own_devices.h"
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

#endif
