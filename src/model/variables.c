/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Static memory of a program: its __device__, __constant__ and __managed__ variables, if a call
 * tells their size. With the runtime, that is their registration (__cudaRegisterVar,
 * __cudaRegisterManagedVar), once per variable, however many devices it will be on; with the
 * driver, a call that asks for a variable (cuModuleGetGlobal and the like). No call allocates or
 * frees this memory: it is a kind of its own, in no total, and never a leak.
 * It goes when its module is unloaded (cuModuleUnload(), cuLibraryUnload()), a registered one with
 * its fat binary, which nvcc's code unregisters when its library is closed (crt/host_runtime.h,
 * __cudaUnregisterFatBinary()).
 * The runtime also asks the driver for its variables, and not only inside probed calls: in a
 * program that registers variables, those that the driver tells of are not counted in addition.
 */
#include "model/variables.h"

#include <errno.h>
#include <stddef.h>

#include "cuda/calls.h"
#include "model/limits.h"
#include "util/saturated.h"

struct static_variable {
	struct entry entry;
	/* Of the variable, or of its shadow on the host, which is elsewhere */
	uint64_t address;
	uint64_t bytes;
	uint64_t module; /* its module, or fat binary; 0 in older recordings: registered */
};

static void drop(struct statics *statics, struct static_variable *variable)
{
	statics->bytes = subtract_saturated(statics->bytes, variable->bytes);
	table_drop(&statics->table, variable);
}

int statics_learn(struct statics *statics, const struct rec_map *record)
{
	struct static_variable *variable;

	if (!record->address || !record->bytes || record->bytes > BYTES_MAX)
		return 0;
	if (record->act == MAP_VARIABLE)
		statics->registers_variables = true;
	else if (statics->registers_variables && call_descs[record->call].layer == LAYER_DRIVER)
		return 0;
	variable = table_find(&statics->table, KEY(record->address));
	if (variable)
		/* It was asked for again; or its address was reused */
		drop(statics, variable);
	if (statics->table.count >= STATICS_MAX) {
		statics->is_full = true;
		return 0;
	}
	variable = table_get(&statics->table, KEY(record->address), sizeof(*variable));
	if (!variable)
		return -ENOMEM;
	variable->bytes = record->bytes;
	variable->module = record->handle;
	statics->bytes = add_saturated(statics->bytes, variable->bytes);
	return 0;
}

void statics_unload(struct statics *statics, uint64_t module)
{
	struct static_variable *variable, *next;

	for (variable = table_first(&statics->table); module && variable; variable = next) {
		next = table_next(variable);
		if (variable->module == module)
			drop(statics, variable);
	}
}

void statics_free(struct statics *statics)
{
	table_free(&statics->table);
	statics->bytes = 0;
}

/*
 * Other addresses are, for example, variables of modules that a program asked for, buffers of
 * graphics libraries, and memory of graphs. If something is allocated at such an address later, the
 * allocation is found first.
 */
struct global {
	struct entry entry;
	uint64_t address;
	uint64_t bytes;
};

int globals_learn(struct table *globals, uint64_t address, uint64_t bytes)
{
	struct global *global;

	if (!address || bytes > BYTES_MAX)
		return 0;
	if (globals->count >= GLOBALS_MAX && !table_find(globals, KEY(address)))
		table_free(globals);
	global = table_get(globals, KEY(address), sizeof(*global));
	if (!global)
		return -ENOMEM;
	/* Some calls do not say how large it is: then only the address is known. */
	if (bytes || !global->bytes)
		global->bytes = bytes ? bytes : 1;
	return 0;
}

bool globals_contain(const struct table *globals, uint64_t address)
{
	const struct global *best = table_up_to(globals, KEY(address));

	return best && address - best->address < best->bytes;
}

/*
 * The levels of a mipmapped array are arrays with handles of their own, which are neither allocated
 * nor freed. They live as long as the whole array, and share its elements. Once the whole is gone,
 * a level's handle may mean something else: then looking it up finds nothing.
 */
struct level {
	struct entry entry;
	uint64_t handle;
	uint64_t whole;
	uint64_t born; /* when the whole was allocated: its handle may be reused */
};

int levels_learn(struct table *levels, struct book *book, uint64_t handle, uint64_t whole)
{
	struct alloc_node *node = book_handle(book, whole);
	struct level *level;

	if (!handle || handle == whole || !node || node->state != NODE_LIVE)
		return 0;
	/* With so many, most belong to arrays that are gone. */
	if (levels->count >= LEVELS_MAX && !table_find(levels, KEY(handle)))
		table_free(levels);
	level = table_get(levels, KEY(handle), sizeof(*level));
	if (!level)
		return -ENOMEM;
	level->whole = whole;
	level->born = node->born;
	return 0;
}

struct alloc_node *levels_whole(const struct table *levels, struct book *book, uint64_t handle)
{
	const struct level *level = table_find(levels, KEY(handle));
	struct alloc_node *node = level ? book_handle(book, level->whole) : NULL;

	return node && node->state == NODE_LIVE && node->born == level->born ? node : NULL;
}
