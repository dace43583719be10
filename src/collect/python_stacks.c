/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Python place is identified by a hash of its function, file and line, so that the same line is
 * one place, whichever code object it was found in. Its text is sent once per program. The call
 * site shown is the innermost frame of the program itself; if all files are installed packages, the
 * innermost frame outside the known frameworks; else the innermost of all.
 */
#include "collect/python_stacks.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "collect/python_codes.h"
#include "collect/python_merge.h"
#include "collect/text_record.h"
#include "names/python_paths.h"
#include "util/util.h"

#define PLACES_MAX 65536 /* per program: further places are shown without a name */

struct place_key {
	uint64_t place;
	uint32_t program, pad;
};

struct told_place {
	struct place_key key;
	UT_hash_handle hh;
};

struct told_program {
	uint32_t program;
	size_t places;
	UT_hash_handle hh;
};

struct python_stacks {
	struct stacks *stacks;
	const char *const *skip;
	struct python_codes *codes;
	struct told_place *told;
	struct told_program *programs;
};

struct python_stacks *python_stacks_new(struct stacks *stacks, const char *const *skip)
{
	struct python_stacks *python = calloc(1, sizeof(*python));

	if (!python)
		return NULL;
	python->stacks = stacks;
	python->skip = skip;
	python->codes = python_codes_new();
	if (python->codes)
		return python;
	free(python);
	return NULL;
}

static void told_free(struct python_stacks *python, struct told_place *told)
{
	HASH_DEL(python->told, told);
	free(told);
}

void python_stacks_forget(struct python_stacks *python, uint32_t id)
{
	struct told_place *told, *next;
	struct told_program *program;

	HASH_FIND(hh, python->programs, &id, sizeof(id), program);
	/* Most programs have no Python frames. */
	if (!program)
		return;
	HASH_DEL(python->programs, program);
	free(program);
	HASH_ITER(hh, python->told, told, next)
		if (told->key.program == id)
			told_free(python, told);
	python_codes_forget(python->codes, id);
}

void python_stacks_free(struct python_stacks *python)
{
	struct told_place *told, *next_told;
	struct told_program *program, *next;

	if (!python)
		return;
	HASH_ITER(hh, python->told, told, next_told)
		told_free(python, told);
	HASH_ITER(hh, python->programs, program, next) {
		HASH_DEL(python->programs, program);
		free(program);
	}
	python_codes_free(python->codes);
	free(python);
}

/*
 * True the first time it is asked for the place in the program; false later, or without room or
 * memory.
 */
static bool is_first(struct python_stacks *python, uint32_t id, uint64_t place)
{
	struct place_key key = { .place = place, .program = id };
	struct told_program *program;
	struct told_place *told;

	HASH_FIND(hh, python->told, &key, sizeof(key), told);
	if (told)
		return false;
	HASH_FIND(hh, python->programs, &id, sizeof(id), program);
	if (!program) {
		program = calloc(1, sizeof(*program));
		if (!program)
			return false;
		program->program = id;
		HASH_ADD(hh, python->programs, program, sizeof(program->program), program);
	}
	told = program->places < PLACES_MAX ? calloc(1, sizeof(*told)) : NULL;
	if (!told)
		return false;
	told->key = key;
	program->places++;
	HASH_ADD(hh, python->told, key, sizeof(told->key), told);
	return true;
}

/* ---- places ---- */

static uint64_t text_hash(uint64_t hash, const char *text)
{
	do
		/* FNV-1a, 64 bits, with the NUL */
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	while (*text++);
	return hash;
}

static uint64_t place_of(const struct python_name *name)
{
	uint64_t hash = text_hash(text_hash(0xcbf29ce484222325ull, name->function), name->file);

	hash = (hash ^ name->line) * 0x9e3779b97f4a7c15ull;
	hash ^= hash >> 32;
	return PLACE_PYTHON | hash >> 8;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

struct telling {
	void (*put)(void *context, const struct rec_hdr *record);
	void *context;
	uint32_t tgid;
};

static void place_tell(const struct telling *telling, uint32_t program, uint64_t place,
		       const struct python_name *name)
{
	struct rec_frame *frame = frame_record_new(program, telling->tgid, place, FRAME_PYTHON,
						   name->function, name->file, "", name->line, 0);
	const char *file = *name->file ? base_of(name->file) : "?";
	char *text = name->line ?
			     format_new("%s at %s:%u (python)", name->function, file, name->line) :
			     format_new("%s at %s (python)", name->function, file);
	struct rec_text *record =
		text ? text_record_new(REC_SITE, program, telling->tgid, place, 0, text) : NULL;

	if (record)
		telling->put(telling->context, &record->hdr);
	if (frame)
		telling->put(telling->context, &frame->hdr);
	free(record);
	free(frame);
	free(text);
}

/* ---- stacks ---- */

/* A stack of the stream under construction. */
struct making {
	uint64_t frames[CUTOP_STACK_FRAMES];
	uint32_t count;
	/* for each owner of files, the innermost frame in such a file; 0: none */
	uint32_t shown[PYTHON_FRAMEWORK + 1];
	bool is_known; /* a Python frame in it is known */
};

static void frame_add(struct making *making, uint64_t place)
{
	if (making->count < CUTOP_STACK_FRAMES)
		making->frames[making->count++] = place;
}

static void python_add(struct python_stacks *python, struct making *making, uint32_t program,
		       const struct python_frame *frame, const struct telling *telling)
{
	static const struct python_name unknown = { .function = "?", .file = "?" };
	struct python_name name = python_codes_name(python->codes, program, frame);
	enum python_owner owner;
	uint64_t place;

	if (name.is_hidden)
		return;
	if (name.function) {
		making->is_known = true;
		owner = python_owner(name.file, python->skip);
		if (!making->shown[owner])
			making->shown[owner] = making->count;
	} else {
		name = unknown;
	}
	place = place_of(&name);
	if (is_first(python, program, place))
		place_tell(telling, program, place, &name);
	frame_add(making, place);
}

static uint32_t shown_of(const struct making *making)
{
	enum python_owner owner;

	for (owner = PYTHON_PROGRAM; owner <= PYTHON_FRAMEWORK; owner++)
		if (making->shown[owner])
			return making->shown[owner];
	return 0;
}

static void stack_add(struct python_stacks *python, const struct rec_python_stack *record,
		      const struct telling *telling)
{
	size_t size = sizeof(struct rec_stack);
	uint32_t program = record->hdr.program, count, i;
	struct merged_frame merged[MERGED_MAX];
	struct making making = { .count = 0 };
	const uint64_t site = record->site, *native;
	struct rec_stack *stack;

	native = record->native ? stacks_frames(python->stacks, program, record->native, &count) :
				  NULL;
	/* The call site comes first, as in each stack. */
	count = native ? python_merge(record, native, count, merged) :
			 python_merge(record, &site, 1, merged);
	for (i = 0; i < count; i++)
		if (merged[i].python)
			python_add(python, &making, program, merged[i].python, telling);
		else
			frame_add(&making, merged[i].native);
	if (!making.is_known) {
		stacks_note(python->stacks, program, record->stack, record->site);
		return;
	}
	size += making.count * sizeof(making.frames[0]);
	stack = calloc(1, size);
	if (!stack)
		return;
	stack->hdr = record->hdr;
	stack->hdr.type = REC_STACK;
	stack->hdr.size = (__u16)size;
	stack->count = making.count;
	stack->shown = shown_of(&making);
	memcpy(stack->frames, making.frames, making.count * sizeof(making.frames[0]));
	stack->stack = stacks_keep(python->stacks, program, record->stack, stack->frames,
				   stack->count, stack->shown);
	if (stack->stack)
		telling->put(telling->context, &stack->hdr);
	free(stack);
}

void python_stacks_record(struct python_stacks *python, const struct rec_hdr *record, size_t size,
			  void (*put)(void *context, const struct rec_hdr *record), void *context)
{
	const struct telling telling = { .put = put, .context = context, .tgid = record->tgid };
	const struct rec_python_stack *stack = (const struct rec_python_stack *)record;

	switch (record->type) {
	case REC_PYTHON_CODE:
		python_codes_add(python->codes, (const struct rec_python_code *)record, size);
		break;
	case REC_PYTHON_TABLE:
		python_codes_add_table(python->codes, (const struct rec_python_table *)record,
				       size);
		break;
	case REC_PYTHON_STACK:
		if (size >= sizeof(*stack) && stack->stack && stack->count <= PYTHON_FRAMES)
			stack_add(python, stack, &telling);
		break;
	}
}
