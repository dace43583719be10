/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Static memory of a program: its __device__, __constant__ and __managed__
 * variables, as far as a call tells how large they are. With the runtime that is
 * their registration (__cudaRegisterVar, __cudaRegisterManagedVar), once for each
 * variable, on however many devices it comes to lie; with the driver it is the
 * call that asks for one (cuModuleGetGlobal and the like). No call allocates or
 * frees it: it is a kind of its own, in no total, and never a leak. It goes with its module (cuModuleUnload(), cuLibraryUnload());
 * a module's also with the context that the module was loaded into (cuda.h of CUDA 13.0, cuCtxDestroy(): "These resources
 * include CUDA types CUmodule"), and a registered one with its fat binary, which the code that nvcc writes unregisters when
 * its library is closed (crt/host_runtime.h, __cudaUnregisterFatBinary()).
 *
 * The runtime asks the driver for its variables as well, and not only inside
 * calls that are probed: in a program that registers variables, what the driver
 * tells is not counted besides.
 */
#include "model/statics.h"

#include <errno.h>
#include <stdlib.h>

#include "cuda/calls.h"
#include "model/limits.h"
#include "util/saturated.h"

struct static_variable {
	RB_ENTRY(static_variable) link;
	uint64_t address;	/* of the variable, or of its host shadow, which lies elsewhere */
	uint64_t bytes;
	uint64_t module;	/* or fat binary; 0 in older recordings: registered */
	bool owned;		/* by a context: */
	uint64_t context;	/* 0: the primary one */
	int device;		/* of that */
};

static int static_compare(const struct static_variable *a, const struct static_variable *b)
{
	return (a->address > b->address) - (a->address < b->address);
}

TREE_GENERATE(static_tree, static_variable, link, static_compare)

static void drop(struct statics *statics, struct static_variable *variable)
{
	RB_REMOVE(static_tree, &statics->tree, variable);
	statics->bytes = subtract_saturated(statics->bytes, variable->bytes);
	statics->count--;
	free(variable);
}

int statics_learn(struct statics *statics, const struct rec_map *record)
{
	struct static_variable *variable, key = { .address = record->address };

	if (!record->address || !record->bytes || record->bytes > BYTES_MAX)
		return 0;
	if (record->act == MAP_VARIABLE)
		statics->registers_variables = true;
	else if (statics->registers_variables && call_descs[record->call].layer == LAYER_DRIVER)
		return 0;
	variable = RB_FIND(static_tree, &statics->tree, &key);
	if (variable)
		drop(statics, variable);	/* asked for once more; or its place was given to another */
	if (statics->count >= STATICS_MAX) {
		statics->is_full = true;
		return 0;
	}
	variable = calloc(1, sizeof(*variable));
	if (!variable)
		return -ENOMEM;
	variable->address = record->address;
	variable->bytes = record->bytes;
	variable->module = record->handle;
	RB_INSERT(static_tree, &statics->tree, variable);
	statics->count++;
	statics->bytes = add_saturated(statics->bytes, variable->bytes);
	return 0;
}

void statics_unload(struct statics *statics, uint64_t module)
{
	struct static_variable *variable, *next;

	for (variable = RB_MIN(static_tree, &statics->tree); module && variable; variable = next) {
		next = RB_NEXT(static_tree, &statics->tree, variable);
		if (variable->module == module)
			drop(statics, variable);
	}
}

void statics_own(struct statics *statics, uint64_t address, uint64_t context, int device)
{
	struct static_variable key = { .address = address }, *variable = RB_FIND(static_tree, &statics->tree, &key);

	if (!variable)
		return;
	variable->owned = true;
	variable->context = context;
	variable->device = device;
}

void statics_end(struct statics *statics, uint64_t context, int device)
{
	struct static_variable *variable, *next;

	for (variable = RB_MIN(static_tree, &statics->tree); variable; variable = next) {
		next = RB_NEXT(static_tree, &statics->tree, variable);
		if (variable->owned && variable->context == context && (context || variable->device == device))
			drop(statics, variable);
	}
}

void statics_free(struct statics *statics)
{
	struct static_variable *variable;

	while ((variable = RB_MIN(static_tree, &statics->tree)) != NULL)
		drop(statics, variable);
}
