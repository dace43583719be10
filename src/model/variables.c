/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Static memory of a program: its __device__, __constant__ and __managed__ variables, if a call
 * tells their size. With the runtime, that is their registration (__cudaRegisterVar,
 * __cudaRegisterManagedVar), once per variable, however many devices it will be on; with the
 * driver, a call that asks for a variable (cuModuleGetGlobal and the like). No call allocates or
 * frees this memory: it is a kind of its own, in no total, and never a leak.
 * It goes when its module is unloaded (cuModuleUnload(), cuLibraryUnload()). A module's variable
 * also goes with the context that the module was loaded into (cuda.h of CUDA 13.0, cuCtxDestroy():
 * "These resources include CUDA types CUmodule"), a registered one with its fat binary, which
 * nvcc's code unregisters when its library is closed (crt/host_runtime.h,
 * __cudaUnregisterFatBinary()).
 * The runtime also asks the driver for its variables, and not only inside probed calls: in a
 * program that registers variables, those that the driver tells of are not counted in addition.
 */
#include "model/variables.h"

#include <errno.h>
#include <stdlib.h>

#include "cuda/calls.h"
#include "model/limits.h"
#include "util/saturated.h"

struct static_variable {
	RB_ENTRY(static_variable) link;
	/* Of the variable, or of its shadow on the host, which is elsewhere */
	uint64_t address;
	uint64_t bytes;
	uint64_t module;  /* its module, or fat binary; 0 in older recordings: registered */
	bool owned;       /* it belongs to a context: */
	uint64_t context; /* 0: the primary one */
	int device;       /* of that */
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
		/* It was asked for again; or its address was reused */
		drop(statics, variable);
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
	struct static_variable key = { .address = address },
			       *variable = RB_FIND(static_tree, &statics->tree, &key);

	if (!variable)
		return;
	variable->owned = true;
	variable->context = context;
	variable->device = device;
}

void statics_renumber(struct statics *statics, const struct own_devices *numbers)
{
	struct static_variable *variable;

	RB_FOREACH(variable, static_tree, &statics->tree)
	variable->device = own_devices_machine(numbers, variable->device);
}

void statics_end(struct statics *statics, uint64_t context, int device)
{
	struct static_variable *variable, *next;

	for (variable = RB_MIN(static_tree, &statics->tree); variable; variable = next) {
		next = RB_NEXT(static_tree, &statics->tree, variable);
		if (variable->owned && variable->context == context &&
		    (context || variable->device == device))
			drop(statics, variable);
	}
}

void statics_free(struct statics *statics)
{
	struct static_variable *variable;

	while ((variable = RB_MIN(static_tree, &statics->tree)) != NULL)
		drop(statics, variable);
}

/*
 * These are, for example, variables of modules whose address a program asked for, buffers of
 * graphics libraries, and memory of graphs. If something is allocated at such an address later, the
 * allocation is found first.
 */

struct global {
	RB_ENTRY(global) link;
	uint64_t address, bytes;
};

static int global_compare(const struct global *a, const struct global *b)
{
	return (a->address > b->address) - (a->address < b->address);
}

TREE_GENERATE(global_tree, global, link, global_compare)

int globals_learn(struct globals *globals, uint64_t address, uint64_t bytes)
{
	struct global *global, key = { .address = address };

	if (!address || bytes > BYTES_MAX)
		return 0;
	global = RB_FIND(global_tree, &globals->tree, &key);
	if (!global) {
		if (globals->count >= GLOBALS_MAX)
			globals_free(globals);
		global = calloc(1, sizeof(*global));
		if (!global)
			return -ENOMEM;
		global->address = address;
		RB_INSERT(global_tree, &globals->tree, global);
		globals->count++;
	}
	/* Some calls do not say how large it is: then only the address is known. */
	if (bytes || !global->bytes)
		global->bytes = bytes ? bytes : 1;
	return 0;
}

bool globals_contain(const struct globals *globals, uint64_t address)
{
	struct global_tree *tree = (struct global_tree *)&globals->tree;
	const struct global *best = TREE_AT_OR_BELOW(tree, link, address, address);

	return best && address - best->address < best->bytes;
}

void globals_free(struct globals *globals)
{
	struct global *global;

	while ((global = RB_MIN(global_tree, &globals->tree)) != NULL) {
		RB_REMOVE(global_tree, &globals->tree, global);
		free(global);
	}
	globals->count = 0;
}

/*
 * The levels of a mipmapped array are arrays with handles of their own, which are neither allocated
 * nor freed. They live as long as the whole array, and share its elements. Once the whole is gone,
 * a level's handle may mean something else: then looking it up finds nothing.
 */

struct level {
	RB_ENTRY(level) link;
	uint64_t handle, whole;
	uint64_t born; /* when the whole was allocated: its handle may be reused */
};

static int level_compare(const struct level *a, const struct level *b)
{
	return (a->handle > b->handle) - (a->handle < b->handle);
}

TREE_GENERATE(level_tree, level, link, level_compare)

int levels_learn(struct levels *levels, struct book *book, uint64_t handle, uint64_t whole)
{
	struct alloc_node *node = book_handle(book, whole);
	struct level *level, key = { .handle = handle };

	if (!handle || handle == whole || !node || node->state != NODE_LIVE)
		return 0;
	level = RB_FIND(level_tree, &levels->tree, &key);
	if (!level) {
		/* With so many, most belong to arrays that are gone. */
		if (levels->count >= LEVELS_MAX)
			levels_free(levels);
		level = calloc(1, sizeof(*level));
		if (!level)
			return -ENOMEM;
		level->handle = handle;
		RB_INSERT(level_tree, &levels->tree, level);
		levels->count++;
	}
	level->whole = whole;
	level->born = node->born;
	return 0;
}

struct alloc_node *levels_whole(const struct levels *levels, struct book *book, uint64_t handle)
{
	struct level key = { .handle = handle },
		     *level = RB_FIND(level_tree, (struct level_tree *)&levels->tree, &key);
	struct alloc_node *node = level ? book_handle(book, level->whole) : NULL;

	return node && node->state == NODE_LIVE && node->born == level->born ? node : NULL;
}

void levels_free(struct levels *levels)
{
	struct level *level;

	while ((level = RB_MIN(level_tree, &levels->tree)) != NULL) {
		RB_REMOVE(level_tree, &levels->tree, level);
		free(level);
	}
	levels->count = 0;
}
