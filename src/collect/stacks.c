/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel follows frame pointers. Where code keeps none, that register holds
 * anything, and behind the call site may stand addresses that change from call
 * to call, which would make a site of every allocation. So a stack ends before
 * the first address that no file's code is mapped at, and is known by a hash of
 * what is left: stacks that differ in nonsense only are one.
 */
#include "collect/stacks.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct stack_key {
	uint64_t id;
	uint32_t program;
	uint32_t pad;
};

struct known_stack {
	struct stack_key key;
	uint64_t id;		/* the model's */
	UT_hash_handle hh;
};

struct stacks {
	struct modules *modules;
	struct known_stack *known;
};

struct stacks *stacks_new(struct modules *modules)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));

	if (stacks)
		stacks->modules = modules;
	return stacks;
}

static void known_free(struct stacks *stacks, struct known_stack *known)
{
	HASH_DEL(stacks->known, known);
	free(known);
}

void stacks_forget(struct stacks *stacks, uint32_t program)
{
	struct known_stack *known, *next;

	HASH_ITER(hh, stacks->known, known, next)
		if (known->key.program == program)
			known_free(stacks, known);
}

void stacks_free(struct stacks *stacks)
{
	struct known_stack *known, *next;

	if (!stacks)
		return;
	HASH_ITER(hh, stacks->known, known, next)
		known_free(stacks, known);
	free(stacks);
}

static uint64_t hash_of(const __u64 *frames, uint32_t count)
{
	uint64_t hash = count;
	uint32_t i;

	for (i = 0; i < count; i++) {
		hash = (hash ^ frames[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	return hash ? hash : 1;
}

/* Remembers that the BPF side's stack @id is the model's @own. Returns false without memory. */
static bool known_set(struct stacks *stacks, uint32_t program, uint64_t id, uint64_t own)
{
	struct stack_key key = { .id = id, .program = program };
	struct known_stack *known;

	HASH_FIND(hh, stacks->known, &key, sizeof(key), known);
	if (!known) {
		known = calloc(1, sizeof(*known));
		if (!known)
			return false;
		known->key = key;
		HASH_ADD(hh, stacks->known, key, sizeof(key), known);
	}
	known->id = own;
	return true;
}

uint64_t stacks_keep(struct stacks *stacks, uint32_t program, uint64_t id, const __u64 *frames, uint32_t count)
{
	uint64_t own = hash_of(frames, count);

	return known_set(stacks, program, id, own) ? own : 0;
}

struct rec_stack *stacks_add(struct stacks *stacks, const struct rec_stack *record, size_t size)
{
	struct rec_stack *cut;
	uint32_t count;

	if (!record->count || record->count > CUTOP_STACK_FRAMES ||
	    size < sizeof(*record) + record->count * sizeof(record->frames[0]))
		return NULL;
	/* The first is the call site, whatever lies there. */
	for (count = 1; count < record->count; count++)
		if (!modules_name(stacks->modules, record->hdr.program, record->frames[count] - 1).file)
			break;
	cut = calloc(1, sizeof(*cut) + count * sizeof(cut->frames[0]));
	if (!cut)
		return NULL;
	*cut = *record;
	cut->hdr.size = (__u16)(sizeof(*cut) + count * sizeof(cut->frames[0]));
	cut->count = count;
	memcpy(cut->frames, record->frames, count * sizeof(cut->frames[0]));
	cut->stack = hash_of(cut->frames, count);
	if (known_set(stacks, record->hdr.program, record->stack, cut->stack))
		return cut;
	free(cut);
	return NULL;
}

uint64_t stacks_id(const struct stacks *stacks, uint32_t program, uint64_t id)
{
	struct stack_key key = { .id = id, .program = program };
	struct known_stack *known;

	HASH_FIND(hh, stacks->known, &key, sizeof(key), known);
	return known ? known->id : 0;
}
