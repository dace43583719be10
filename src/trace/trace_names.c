/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name with its template list that is longer than this is printed without. */
#define LISTED_MAX 120
/* A hostile program may name its kernels anew without end. */
#define TAKEN_MAX 400000

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 14695981039346656037ull; /* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211ull;
	return hash;
}

/*
 * Takes the name @text for @kernel; false if another symbol has it. A function whose symbol turns out
 * to be another one keeps it.
 */
static bool name_take(struct trace_program *program, const char *text,
		      const struct kernel_name *kernel)
{
	uint64_t name = hash_of(text), symbol = hash_of(kernel->symbol);
	struct trace_taken *taken;

	HASH_FIND(hh, program->taken, &name, sizeof(name), taken);
	if (taken)
		return taken->symbol == symbol || taken->function == kernel->function;
	taken = HASH_COUNT(program->taken) < TAKEN_MAX ? calloc(1, sizeof(*taken)) : NULL;
	if (!taken)
		return true;
	taken->name = name;
	taken->symbol = symbol;
	taken->function = kernel->function;
	HASH_ADD(hh, program->taken, name, sizeof(taken->name), taken);
	return true;
}

static enum name_form first_form(struct trace_program *program, const struct kernel_name *kernel)
{
	const char *listed = names_form(&program->names, kernel, FORM_LISTED);

	/* Without a list it is the full form. */
	return listed == kernel->full || strlen(listed) > LISTED_MAX ? FORM_KNOWN : FORM_LISTED;
}

/* Finds a name that no other symbol of the program has. */
static void name_choose(struct trace_program *program, const struct kernel_name *kernel,
			struct trace_name *name)
{
	enum name_form form = first_form(program, kernel);
	size_t size = strlen(kernel->symbol) + sizeof(" 0x") + 16;

	for (; form <= FORM_SYMBOL; form++) {
		name->text = names_form(&program->names, kernel, form);
		if (name_take(program, name->text, kernel))
			return;
	}
	/* Another kernel's shorter name is this one's symbol. */
	name->own = malloc(size);
	if (!name->own)
		return;
	snprintf(name->own, size, "%s 0x%" PRIx64, kernel->symbol, kernel->function);
	name->text = name->own;
}

const char *trace_name_of(struct trace_program *program, const struct kernel_name *kernel)
{
	uint64_t function = kernel->function;
	struct trace_name *name;

	if (!kernel->symbol)
		return kernel->brief;
	HASH_FIND(hh, program->shown, &function, sizeof(function), name);
	if (!name) {
		name = calloc(1, sizeof(*name));
		if (!name)
			return kernel->brief;
		name->function = function;
		HASH_ADD(hh, program->shown, function, sizeof(name->function), name);
	}
	if (!name->text || name->version != kernel->version) {
		free(name->own);
		name->own = NULL;
		name->version = kernel->version;
		name_choose(program, kernel, name);
	}
	return name->text;
}

void trace_names_free(struct trace_program *program)
{
	struct trace_name *name, *next_name;
	struct trace_taken *taken, *next_taken;

	HASH_ITER(hh, program->shown, name, next_name) {
		HASH_DEL(program->shown, name);
		free(name->own);
		free(name);
	}
	HASH_ITER(hh, program->taken, taken, next_taken) {
		HASH_DEL(program->taken, taken);
		free(taken);
	}
}
