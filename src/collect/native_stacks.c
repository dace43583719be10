/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rule depends on the file and the offset in it, so what one program has needed is known for all.
 * Unwind tables are read in the resolver's process, a question for each new address; rules are then
 * only numbers, and the walk reads nothing but the copy of the stack.
 */
#include "collect/native_stacks.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "util/util.h"

#define RULES_MAX  65536 /* kept; then all are dropped, and asked for again as needed */
#define ANSWER_MS  2000  /* to wait for a rule */
#define IDLE_MS    400   /* the same, if the process that is to answer does not work */
#define SLOW_FILES 16    /* files that gave no answer in time, remembered */
#define SLOW_NS    (10 * NSEC_PER_SEC)

#define PARTS_MAX 16 /* parts of stacks kept at a time */

struct rule_key {
	uint64_t offset;
	uint32_t file; /* the resolver's number of it */
	uint32_t interrupted;
};

struct known_rule {
	struct rule_key key;
	struct unwind_rule rule;
	UT_hash_handle hh;
};

struct rows_owner {
	uint32_t program;
	uint32_t age; /* of its rows: UNWIND_MARK() */
	UT_hash_handle hh;
};

struct native_stacks {
	struct modules *modules;
	struct unwind_rows *rows;
	struct known_rule *known;
	struct rows_owner *owners; /* programs that have rows */
	uint64_t cookie;           /* of the question that is asked */
	bool answered;
	struct unwind_rule answer;
	const struct notes *notes;
	uint64_t walks, rows_made;               /* stacks walked here, rows added for them */
	struct rec_stack_part *parts[PARTS_MAX]; /* whose stacks are to come, in a ring */
	unsigned int next_part;
	/* Files that do not answer are left alone for a while. */
	struct {
		uint32_t file;
		uint64_t since;
	} slow[SLOW_FILES];
	unsigned int next_slow;
};

struct native_stacks *native_stacks_new(struct modules *modules, struct unwind_rows *rows,
					const struct notes *notes)
{
	struct native_stacks *native = calloc(1, sizeof(*native));

	if (!native)
		return NULL;
	native->modules = modules;
	native->rows = rows;
	native->notes = notes;
	return native;
}

static void rules_drop(struct native_stacks *native)
{
	struct known_rule *known, *next;

	HASH_ITER(hh, native->known, known, next) {
		HASH_DEL(native->known, known);
		free(known);
	}
}

void native_stacks_free(struct native_stacks *native)
{
	struct rows_owner *owner, *next;
	size_t i;

	if (!native)
		return;
	if (native->walks)
		note(native->notes, "stacks: %llu were copied to be unwound, which added %llu rows",
		     (unsigned long long)native->walks, (unsigned long long)native->rows_made);
	rules_drop(native);
	for (i = 0; i < PARTS_MAX; i++)
		free(native->parts[i]);
	HASH_ITER(hh, native->owners, owner, next) {
		HASH_DEL(native->owners, owner);
		free(owner);
	}
	free(native);
}

/* ---- rows ---- */

static struct rows_owner *owner_find(const struct native_stacks *native, uint32_t program)
{
	struct rows_owner *owner;

	HASH_FIND(hh, native->owners, &program, sizeof(program), owner);
	return owner;
}

static void rows_drop(struct native_stacks *native, const struct rows_owner *owner, uint64_t start,
		      uint64_t end)
{
	unwind_rows_clear(native->rows, UNWIND_MARK(owner->program, owner->age), start, end);
}

static void row_set(struct native_stacks *native, uint32_t program, uint32_t age, uint64_t address,
		    const struct unwind_rule *rule)
{
	struct rows_owner *owner = owner_find(native, program);

	/* Without the memory to remember that it has rows, it gets none. */
	if (!owner) {
		owner = calloc(1, sizeof(*owner));
		if (!owner)
			return;
		owner->program = program;
		HASH_ADD(hh, native->owners, program, sizeof(owner->program), owner);
	}
	if (owner->age != age)
		rows_drop(native, owner, 0, UINT64_MAX); /* They are of no more use. */
	owner->age = age;
	unwind_rows_set(native->rows, UNWIND_MARK(program, age), address, rule);
	native->rows_made++;
}

void native_stacks_forget(struct native_stacks *native, uint32_t program)
{
	struct rows_owner *owner = owner_find(native, program);

	if (!owner)
		return;
	rows_drop(native, owner, 0, UINT64_MAX);
	HASH_DEL(native->owners, owner);
	free(owner);
}

void native_stacks_mapped(struct native_stacks *native, uint32_t program, uint64_t start,
			  uint64_t end)
{
	const struct rows_owner *owner = owner_find(native, program);

	if (owner)
		rows_drop(native, owner, start, end);
}

/* ---- rules ---- */

static bool is_slow(const struct native_stacks *native, uint32_t file)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	unsigned int i;

	for (i = 0; i < SLOW_FILES; i++)
		if (native->slow[i].file == file && now - native->slow[i].since < SLOW_NS)
			return true;
	return false;
}

static void rule_answered(void *context, const struct resolver_reply *reply)
{
	struct native_stacks *native = context;

	if (reply->cookie != native->cookie)
		return;
	native->answered = true;
	native->answer = reply->rule ? *reply->rule : (struct unwind_rule){ .cfa = UNWIND_NONE };
}

/* Asks for the rule of @key. Returns false if there is no answer in time. */
static bool rule_ask(struct native_stacks *native, const struct rule_key *key)
{
	struct resolver *resolver = modules_rules(native->modules);

	if (!key->file || is_slow(native, key->file))
		return false;
	native->cookie++;
	native->answered = false;
	if (!resolver_ask_rule(resolver, key->file, key->offset, !key->interrupted, native->cookie))
		return false;
	resolver_answers(resolver, ANSWER_MS, IDLE_MS, rule_answered, native);
	if (native->answered)
		return true;
	native->slow[native->next_slow % SLOW_FILES].file = key->file;
	native->slow[native->next_slow++ % SLOW_FILES].since = clock_ns(CLOCK_MONOTONIC);
	return false;
}

static bool rule_find(struct native_stacks *native, const struct rule_key *key,
		      struct unwind_rule *rule)
{
	struct known_rule *known;

	HASH_FIND(hh, native->known, key, sizeof(*key), known);
	if (known) {
		*rule = known->rule;
		return true;
	}
	if (!rule_ask(native, key))
		return false;
	*rule = native->answer;
	if (HASH_COUNT(native->known) >= RULES_MAX)
		rules_drop(native);
	known = calloc(1, sizeof(*known));
	if (!known)
		return true;
	known->key = *key;
	known->rule = *rule;
	HASH_ADD(hh, native->known, key, sizeof(known->key), known);
	return true;
}

/* ---- walking ---- */

struct walk {
	struct native_stacks *native;
	const struct rec_stack_copy *record;
	uint64_t ip, sp, bp;
	bool interrupted; /* ip is no return address */
	uint64_t frames[CUTOP_STACK_FRAMES];
	uint32_t count;
};

/*
 * The rule for the frame that @walk has come to, which also becomes a row. Without one, its way out
 * is not known.
 */
static struct unwind_rule frame_rule(struct walk *walk)
{
	const struct rec_hdr *hdr = &walk->record->hdr;
	struct module_code code = modules_code(walk->native->modules, hdr->program,
					       (pid_t)hdr->tgid, walk->ip - !walk->interrupted);
	const struct rule_key key = { .offset = code.offset + !walk->interrupted,
				      .file = code.rules,
				      .interrupted = walk->interrupted };
	struct unwind_rule rule = { .cfa = UNWIND_NONE };

	if (code.later)
		return rule;
	/* Code of no file: what is compiled while the program runs, or the kernel's vdso. */
	if (code.found && !rule_find(walk->native, &key, &rule))
		return rule;
	row_set(walk->native, hdr->program, walk->record->age,
		walk->ip | (walk->interrupted ? UNWIND_INTERRUPTED : 0), &rule);
	return rule;
}

/* Reads the word at @address of a copy of @bytes bytes that begins at @start. */
static bool copy_read(const __u8 *copy, uint64_t start, uint64_t bytes, uint64_t address,
		      uint64_t *word)
{
	uint64_t at = address - start;

	if (at >= bytes || bytes - at < sizeof(*word))
		return false;
	memcpy(word, copy + at, sizeof(*word));
	return true;
}

/* Reads a word of the copied stack. */
static bool word_read(const struct walk *walk, uint64_t address, uint64_t *word)
{
	const struct rec_stack_copy *record = walk->record;
	size_t i;

	if (copy_read(record->copy, record->sp, record->bytes, address, word))
		return true;
	for (i = 0; i < PARTS_MAX; i++) {
		const struct rec_stack_part *part = walk->native->parts[i];

		if (part && part->stack == record->stack &&
		    part->hdr.program == record->hdr.program &&
		    copy_read(part->copy, part->at, part->bytes, address, word))
			return true;
	}
	return false;
}

/* The return address at @at, of which @word was read. */
static uint64_t true_return(const struct rec_stack_copy *record, uint64_t at, uint64_t word)
{
	uint32_t i;

	if (!record->trampoline || word != record->trampoline)
		return word;
	/* Of several for one place, one has the address; the others lead back to the trampoline. */
	for (i = 0; i < record->return_count && i < UNWIND_RETURNS; i++)
		if (record->returns[i].at == at && record->returns[i].address != word)
			return record->returns[i].address;
	return word;
}

static bool signal_leave(struct walk *walk)
{
	uint64_t sp = walk->sp;

	if (!word_read(walk, sp + UNWIND_UCONTEXT_BP, &walk->bp) ||
	    !word_read(walk, sp + UNWIND_UCONTEXT_SP, &walk->sp) ||
	    !word_read(walk, sp + UNWIND_UCONTEXT_IP, &walk->ip))
		return false;
	walk->interrupted = true;
	return true;
}

/* Goes on to the caller of the present frame. Returns false where that is not known. */
static bool frame_leave(struct walk *walk, const struct unwind_rule *rule)
{
	uint64_t cfa = (rule->cfa == UNWIND_SP ? walk->sp : walk->bp) + (uint64_t)rule->offset;
	uint64_t bp = walk->bp, word;

	if (rule->cfa == UNWIND_SIGNAL)
		return signal_leave(walk);
	if (rule->cfa == UNWIND_BP_AT && !word_read(walk, cfa, &cfa))
		return false;
	if (cfa <= walk->sp)
		return false;
	if (rule->bp_by != UNWIND_BP_SAME &&
	    !word_read(walk, (rule->bp_by == UNWIND_BP_CFA ? cfa : walk->bp) + (uint64_t)rule->bp,
		       &bp))
		return false;
	if (!word_read(walk, cfa - 8, &word))
		return false;
	walk->ip = true_return(walk->record, cfa - 8, word);
	walk->sp = cfa;
	walk->bp = bp;
	walk->interrupted = false;
	return true;
}

/* Returns false if the stack goes on where the walk ends. */
static bool walk_on(struct walk *walk)
{
	struct unwind_rule rule;

	while (walk->count < CUTOP_STACK_FRAMES) {
		walk->frames[walk->count++] = walk->ip;
		rule = frame_rule(walk);
		if (rule.cfa == UNWIND_END)
			return true;
		if (rule.cfa == UNWIND_NONE || !frame_leave(walk, &rule))
			return false;
	}
	return true;
}

void native_stacks_part(struct native_stacks *native, const struct rec_stack_part *record,
			size_t size)
{
	struct rec_stack_part **place = &native->parts[native->next_part++ % PARTS_MAX];

	free(*place);
	*place = NULL;
	if (size < sizeof(*record) || record->bytes > size - sizeof(*record))
		return;
	*place = malloc(size);
	if (*place)
		memcpy(*place, record, size);
}

static void parts_drop(struct native_stacks *native, uint64_t stack)
{
	size_t i;

	for (i = 0; i < PARTS_MAX; i++)
		if (native->parts[i] && native->parts[i]->stack == stack) {
			free(native->parts[i]);
			native->parts[i] = NULL;
		}
}

struct rec_stack *native_stacks_walk(struct native_stacks *native,
				     const struct rec_stack_copy *record, size_t size)
{
	struct walk walk = { .native = native, .record = record };
	struct rec_stack *stack;
	size_t bytes;
	bool whole;

	if (size < sizeof(*record) || record->bytes > size - sizeof(*record) ||
	    record->count > CUTOP_STACK_FRAMES || !record->stack)
		return NULL;
	walk.ip = record->ip;
	walk.sp = record->sp;
	walk.bp = record->bp;
	walk.interrupted = record->flags & UNWIND_AT_INTERRUPTED;
	walk.count = record->count;
	memcpy(walk.frames, record->frames, record->count * sizeof(record->frames[0]));
	whole = walk_on(&walk);
	native->walks++;
	parts_drop(native, record->stack);
	bytes = sizeof(*stack) + walk.count * sizeof(stack->frames[0]);
	stack = calloc(1, bytes);
	if (!stack)
		return NULL;
	stack->hdr = record->hdr;
	stack->hdr.type = REC_STACK;
	stack->hdr.size = (__u16)bytes;
	stack->stack = record->stack;
	stack->count = walk.count;
	stack->shown = whole ? 0 : UNWIND_STACK_IS_CUT;
	memcpy(stack->frames, walk.frames, walk.count * sizeof(stack->frames[0]));
	return stack;
}
