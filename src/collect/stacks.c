/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel follows frame pointers. In code without them, that register holds anything, and the
 * addresses after the call site may be garbage that changes from call to call, which would make
 * each allocation a site of its own. So a stack ends before the first address where no file's code
 * is mapped, and is identified by a hash of the rest: stacks that differ only in garbage are the
 * same.
 */
#include "collect/stacks.h"

#include <fnmatch.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "cuda/wrappers.h"
#include "cutop_python.h"
#include "cutop_unwind.h"
#include "names/demangle.h"

#define FRAMES_MAX (2u << 20) /* frames kept for all native stacks together: 16 MB */

/* Which table a stack is in */
enum kind {
	STACK_NATIVE,
	/* With PYTHON_STACK in its number: code that is compiled and run again and again has ever new ones */
	STACK_PYTHON,
	STACK_COPY, /* that was copied, where rules cannot be had */
	STACK_KINDS
};

/* How many there may be: the oldest are dropped. */
static const unsigned int kind_max[STACK_KINDS] = { UINT32_MAX, 131072, 131072 };

struct stack_key {
	uint64_t id;
	uint32_t program;
	uint32_t pad;
};

struct known_stack {
	struct stack_key key;
	uint64_t id;      /* the model's number of it */
	uint64_t shown;   /* the frame that its site is named by */
	uint64_t *frames; /* a native stack, for Python's; NULL: not kept */
	uint32_t count;
	enum kind kind;
	UT_hash_handle hh;
};

struct stacks {
	struct modules *modules;
	struct host_functions *hosts;
	const char *const *skip;
	struct known_stack *known[STACK_KINDS]; /* the oldest first */
	size_t kept;                            /* number of frames kept */
	bool dropped;                           /* some of the copies were */
	uint64_t lost;                          /* of these were asked for */
};

struct stacks *stacks_new(struct modules *modules, struct host_functions *hosts,
			  const char *const *skip)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->modules = modules;
	stacks->hosts = hosts;
	stacks->skip = skip;
	return stacks;
}

static void frames_drop(struct stacks *stacks, struct known_stack *known)
{
	stacks->kept -= known->count;
	free(known->frames);
	known->frames = NULL;
	known->count = 0;
}

static void known_free(struct stacks *stacks, struct known_stack *known)
{
	HASH_DEL(stacks->known[known->kind], known);
	frames_drop(stacks, known);
	free(known);
}

/* 0 is no program: all go. */
void stacks_forget(struct stacks *stacks, uint32_t program)
{
	struct known_stack *known, *next;

	for (int kind = 0; kind < STACK_KINDS; kind++)
		HASH_ITER(hh, stacks->known[kind], known, next)
			if (known->key.program == program || !program)
				known_free(stacks, known);
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	stacks_forget(stacks, 0);
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

static struct known_stack *known_find(const struct stacks *stacks, uint32_t program, uint64_t id)
{
	struct stack_key key = { .id = id, .program = program };
	struct known_stack *known = NULL;

	for (int kind = 0; kind < STACK_KINDS && !known; kind++)
		HASH_FIND(hh, stacks->known[kind], &key, sizeof(key), known);
	return known;
}

/* Remembers that the BPF side's stack @id is the model's @own. Returns NULL without memory. */
static struct known_stack *known_set(struct stacks *stacks, uint32_t program, uint64_t id,
				     uint64_t own, bool is_copy)
{
	struct known_stack *known = known_find(stacks, program, id);

	if (!known) {
		known = calloc(1, sizeof(*known));
		if (!known)
			return NULL;
		known->key = (struct stack_key){ .id = id, .program = program };
		known->kind = id & PYTHON_STACK ? STACK_PYTHON :
			      is_copy           ? STACK_COPY :
						  STACK_NATIVE;
		if (HASH_COUNT(stacks->known[known->kind]) >= kind_max[known->kind]) {
			stacks->dropped |= known->kind == STACK_COPY;
			known_free(stacks, stacks->known[known->kind]);
		}
		HASH_ADD(hh, stacks->known[known->kind], key, sizeof(known->key), known);
	}
	known->id = own;
	return known;
}

uint64_t stacks_keep(struct stacks *stacks, uint32_t program, uint64_t id, const __u64 *frames,
		     uint32_t count, uint32_t shown)
{
	uint64_t own = hash_of(frames, count);
	struct known_stack *known = known_set(stacks, program, id, own, false);

	if (!known)
		return 0;
	known->shown = frames[shown];
	return own;
}

void stacks_note(struct stacks *stacks, uint32_t program, uint64_t id, uint64_t site)
{
	struct known_stack *known = known_set(stacks, program, id, 0, false);

	if (known)
		known->shown = site;
}

uint64_t stacks_shown(const struct stacks *stacks, uint32_t program, uint64_t id)
{
	const struct known_stack *known = known_find(stacks, program, id);

	return known ? known->shown : 0;
}

static void frames_keep(struct stacks *stacks, struct known_stack *known, const __u64 *frames,
			uint32_t count)
{
	frames_drop(stacks, known);
	if (stacks->kept + count > FRAMES_MAX)
		return;
	known->frames = malloc(count * sizeof(*known->frames));
	if (!known->frames)
		return;
	memcpy(known->frames, frames, count * sizeof(*known->frames));
	known->count = count;
	stacks->kept += count;
}

/* True if the call site is better named by the caller of the frame @name of @program. */
static bool is_skipped(const struct stacks *stacks, uint32_t program,
		       const struct address_name *name)
{
	char *full = name->symbol ? demangle_full(name->symbol) : NULL,
	     *brief = full ? demangle_short(full) : NULL;
	bool skipped = wrapper_is_function(brief, name->file) ||
		       (brief && demangle_is_rust(name->symbol) && wrapper_is_crate(brief)) ||
		       (full && host_functions_have(stacks->hosts, program, full, false));
	size_t i;

	if (brief)
		host_functions_learn_stub(stacks->hosts, program, brief,
					  !strncmp(name->symbol, "_ZL", 3));
	for (i = 0; !skipped && stacks->skip && stacks->skip[i]; i++)
		skipped = (brief && !fnmatch(stacks->skip[i], brief, 0)) ||
			  !fnmatch(stacks->skip[i], name->file, 0);
	free(full);
	free(brief);
	return skipped;
}

/*
 * The frame that the call's site is named by: the first, or, if that is another's code between the
 * program and CUDA, the first that is not.
 */
static uint32_t shown_choose(const struct stacks *stacks, uint32_t program, const __u64 *frames,
			     uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct address_name name = modules_name(stacks->modules, program, frames[i] - 1);

		if (!name.file)
			return 0;
		if (!is_skipped(stacks, program, &name))
			return i;
	}
	return 0;
}

uint64_t stacks_lost(const struct stacks *stacks)
{
	return stacks->lost;
}

struct rec_stack *stacks_add(struct stacks *stacks, const struct rec_stack *record, size_t size,
			     bool is_copy)
{
	uint32_t count, marked, program = record->hdr.program, shown;
	struct known_stack *known;
	struct rec_stack *cut;

	if (!record->count || record->count > CUTOP_STACK_FRAMES ||
	    size < sizeof(*record) + record->count * sizeof(record->frames[0]))
		return NULL;
	/* The first frame is the call site, whatever is there. */
	for (count = 1; count < record->count; count++)
		if (!modules_seen_code(stacks->modules, program, record->frames[count] - 1).found)
			break;
	shown = shown_choose(stacks, program, record->frames, count);
	/* It ends with a mark, if it has not come to its end. */
	marked = count + (record->shown & UNWIND_STACK_IS_CUT && count < CUTOP_STACK_FRAMES);
	cut = calloc(1, sizeof(*cut) + marked * sizeof(cut->frames[0]));
	if (!cut)
		return NULL;
	*cut = *record;
	cut->hdr.size = (__u16)(sizeof(*cut) + marked * sizeof(cut->frames[0]));
	cut->count = marked;
	cut->shown = shown;
	memcpy(cut->frames, record->frames, count * sizeof(cut->frames[0]));
	if (marked > count)
		cut->frames[count] = PLACE_CUT;
	cut->stack = hash_of(cut->frames, marked);
	known = known_set(stacks, record->hdr.program, record->stack, cut->stack, is_copy);
	if (known) {
		known->shown = cut->frames[shown];
		frames_keep(stacks, known, cut->frames, count);
		return cut;
	}
	free(cut);
	return NULL;
}

const uint64_t *stacks_frames(const struct stacks *stacks, uint32_t program, uint64_t id,
			      uint32_t *count)
{
	const struct known_stack *known = known_find(stacks, program, id);

	*count = known ? known->count : 0;
	return known ? known->frames : NULL;
}

uint64_t stacks_id(const struct stacks *stacks, uint32_t program, uint64_t id)
{
	const struct known_stack *known = known_find(stacks, program, id);

	return known ? known->id : 0;
}

uint64_t stacks_record_id(struct stacks *stacks, uint32_t program, uint64_t id)
{
	uint64_t own = stacks_id(stacks, program, id);

	/* Most copies are asked for once, right after they came. */
	stacks->lost += id && !own && stacks->dropped && !(id & PYTHON_STACK);
	return own;
}

/* ---- rows of call sites ---- */

/*
 * BPF has a row for each stack of instructions, the model for each stack of lines, so several rows
 * may be one site. And a row may be read before its stack. So the model is told what was added to a
 * row, once its stack is known. At the row's end it is told in any case: a call whose stack is not
 * known comes from its native site.
 */

struct told_row {
	struct call_site_key key;
	struct call_site_row row;
	UT_hash_handle hh;
};

struct call_site_rows {
	const struct stacks *stacks;
	struct told_row *told;
};

struct call_site_rows *call_site_rows_new(const struct stacks *stacks)
{
	struct call_site_rows *rows = calloc(1, sizeof(*rows));

	if (rows)
		rows->stacks = stacks;
	return rows;
}

void call_site_rows_free(struct call_site_rows *rows)
{
	struct told_row *told, *next;

	if (!rows)
		return;
	HASH_ITER(hh, rows->told, told, next) {
		HASH_DEL(rows->told, told);
		free(told);
	}
	free(rows);
}

/*
 * Puts what the model is to know the stack @id by into *@own, 0 if it stands for none. False if it
 * is not known yet.
 */
static bool stack_find(const struct call_site_rows *rows, uint32_t program, uint64_t id, __u64 *own)
{
	*own = id ? stacks_id(rows->stacks, program, id) : 0;
	return !id || *own || stacks_shown(rows->stacks, program, id);
}

static struct told_row *told_get(struct call_site_rows *rows, const struct call_site_key *key)
{
	struct told_row *told;

	HASH_FIND(hh, rows->told, key, sizeof(*key), told);
	if (told)
		return told;
	told = calloc(1, sizeof(*told));
	if (!told)
		return NULL;
	told->key = *key;
	HASH_ADD(hh, rows->told, key, sizeof(told->key), told);
	return told;
}

bool call_site_rows_take(struct call_site_rows *rows, const struct call_site_key *key,
			 const struct call_site_row *row, bool last,
			 struct rec_call_site_row *record)
{
	struct told_row *told = told_get(rows, key);
	bool is_news = false;
	__u64 stack;

	if (!told)
		return false;
	if (memcmp(row, &told->row, sizeof(*row)) &&
	    (stack_find(rows, key->launch.program, key->stack, &stack) || last)) {
		*record = (struct rec_call_site_row){
			.hdr = { .type = REC_CALL_SITE, .size = sizeof(*record), .program = key->launch.program },
			.key = *key,
			.row = {
				.launches = row->launches - told->row.launches,
				.samples = row->samples - told->row.samples,
				.ns = row->ns - told->row.ns,
			},
		};
		record->key.stack = stack;
		told->row = *row;
		is_news = true;
	}
	if (last) {
		HASH_DEL(rows->told, told);
		free(told);
	}
	return is_news;
}
