/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's host function is known by its name, which is the kernel's. The address that the program
 * registers would tell only where the function is in memory, not what it was inlined into, and is
 * unknown of a program that was running before.
 * Names may be long, and there may be many, so hashes of them are kept.
 */
#include "collect/host_functions.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "names/demangle.h"

enum name_kind {
	NAME_FULL,
	NAME_BARE,  /* without scope, template list and arguments */
	NAME_LOCAL, /* the same of a function that only its file can call */
};

struct name {
	uint64_t hash;
	UT_hash_handle hh;
};

struct program_names {
	uint32_t program;
	bool is_gone;
	size_t held;
	struct name *names;
	UT_hash_handle hh;
};

struct host_functions {
	struct program_names *programs;
};

struct host_functions *host_functions_new(void)
{
	return calloc(1, sizeof(struct host_functions));
}

static void program_free(struct host_functions *functions, struct program_names *program)
{
	struct name *name, *next;

	HASH_ITER(hh, program->names, name, next) {
		HASH_DEL(program->names, name);
		free(name);
	}
	HASH_DEL(functions->programs, program);
	free(program);
}

void host_functions_free(struct host_functions *functions)
{
	struct program_names *program, *next;

	if (!functions)
		return;
	HASH_ITER(hh, functions->programs, program, next)
		program_free(functions, program);
	free(functions);
}

static struct program_names *program_find(const struct host_functions *functions, uint32_t id)
{
	struct program_names *program;

	HASH_FIND(hh, functions->programs, &id, sizeof(id), program);
	return program;
}

/* The same, made if need be. NULL without memory. */
static struct program_names *program_get(struct host_functions *functions, uint32_t id)
{
	struct program_names *program = program_find(functions, id);

	if (program)
		return program;
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	program->program = id;
	HASH_ADD(hh, functions->programs, program, sizeof(program->program), program);
	return program;
}

void host_functions_forget(struct host_functions *functions, uint32_t id)
{
	struct program_names *program = program_find(functions, id);

	if (!program)
		return;
	program->is_gone = true;
	if (!program->held)
		program_free(functions, program);
}

void host_functions_hold(struct host_functions *functions, uint32_t id)
{
	struct program_names *program = program_get(functions, id);

	if (program)
		program->held++;
}

void host_functions_release(struct host_functions *functions, uint32_t id)
{
	struct program_names *program = program_find(functions, id);

	if (program && program->held && !--program->held && program->is_gone)
		program_free(functions, program);
}

/* FNV-1a, 64 bits */
static uint64_t hash_of(const char *text, enum name_kind kind)
{
	uint64_t hash = 0xcbf29ce484222325ull ^ kind;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}

static bool is_known(const struct program_names *program, const char *text, enum name_kind kind)
{
	uint64_t hash = hash_of(text, kind);
	struct name *name;

	HASH_FIND(hh, program->names, &hash, sizeof(hash), name);
	return name != NULL;
}

static void name_add(struct program_names *program, const char *text, enum name_kind kind)
{
	struct name *name = is_known(program, text, kind) ? NULL : calloc(1, sizeof(*name));

	if (!name)
		return;
	name->hash = hash_of(text, kind);
	HASH_ADD(hh, program->names, hash, sizeof(name->hash), name);
}

/* The name in @brief (demangle_short()) without its scope. */
static const char *bare_of(const char *brief)
{
	const char *colon = strrchr(brief, ':');

	return colon ? colon + 1 : brief;
}

/*
 * The name in @record, a copy that the caller frees; NULL if there is none, or if the kernel is one
 * that was loaded by the driver, which has no function on the host.
 */
static char *name_of(const struct rec_hdr *record, size_t size)
{
	const struct rec_kernel *kernel = (const void *)record;
	const struct rec_text *text = (const void *)record;

	if (record->type == REC_KERNEL && size >= sizeof(*kernel) &&
	    kernel->source == NAME_REGISTERED)
		return strndup(kernel->name, size - sizeof(*kernel));
	if (record->type == REC_NAME && size >= sizeof(*text) && text->flags != NAME_DRIVER)
		return strndup(text->text, size - sizeof(*text));
	return NULL;
}

static void symbol_learn(struct host_functions *functions, uint32_t id, const char *symbol,
			 enum name_kind kind)
{
	char *full = demangle_full(symbol), *brief = full ? demangle_short(full) : NULL;
	struct program_names *program = brief ? program_get(functions, id) : NULL;

	if (program) {
		name_add(program, full, NAME_FULL);
		name_add(program, bare_of(brief), kind);
	}
	free(full);
	free(brief);
}

void host_functions_learn(struct host_functions *functions, const struct rec_hdr *record,
			  size_t size)
{
	char *symbol = name_of(record, size);

	if (symbol && *symbol)
		symbol_learn(functions, record->program, symbol, NAME_BARE);
	free(symbol);
}

void host_functions_learn_stub(struct host_functions *functions, uint32_t program,
			       const char *brief, bool is_local)
{
	const char *symbol = strstr(brief, "__device_stub__Z");

	if (functions && symbol)
		symbol_learn(functions, program, symbol + strlen("__device_stub_"),
			     is_local ? NAME_LOCAL : NAME_BARE);
}

bool host_functions_have(const struct host_functions *functions, uint32_t id, const char *full,
			 bool is_inlined)
{
	struct program_names *program = functions ? program_find(functions, id) : NULL;
	enum name_kind kind = NAME_LOCAL;
	char *brief;
	bool found;

	if (!program)
		return false;
	if (is_known(program, full, NAME_FULL))
		return true;
	/* The host's function has another type in place of a lambda's: __nv_dl_wrapper_t<...>. */
	if (strstr(full, "__nv_"))
		kind = NAME_BARE;
	else if (!is_inlined || strchr(full, '('))
		return false;
	brief = demangle_short(full);
	found = brief && is_known(program, bare_of(brief), kind);
	free(brief);
	return found;
}
