/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules are only numbers, and the walk reads nothing but the copy of the stack.
 * Return addresses are among the words of the copy that lead into code. So the first rule that is
 * not known yet is asked for together with those of all these, whether they will be needed or not.
 *
 * Where no rules can be had, as of a file that cannot be opened, there is a row as well, without a
 * way out: else each call from there would send one more copy.
 */
#include "collect/native_stacks.h"

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "cutop_unwind.h"
#include "names/resolver.h"
#include "util/util.h"

struct resolver;
struct unwind_rules;

struct unwind_place {
	uint32_t file; /* its number in the resolver; 0: no rules can be had */
	uint32_t
		interrupted; /* 1: code that was interrupted is there; 0: @offset is behind a call */
	uint64_t offset;     /* in the file */
};

/* ---- rules ---- */

/*
 * Each question is a message to another process and back, which takes microseconds on an idle
 * machine and milliseconds on a busy one. So what may be needed is asked for together, and
 * answers, which come in the order of the questions, are waited for once.
 */

#define RULES_MAX 65536 /* kept; then all are dropped, and asked for again as needed */
#define OPEN_MAX  256   /* questions at a time */
#define ANSWER_MS 2000  /* to wait for a rule */
#define IDLE_MS   400   /* the same, if the process that is to answer does not work */

struct known_rule {
	struct unwind_place place;
	struct unwind_rule rule;
	bool is_open; /* there is no answer yet */
	UT_hash_handle hh;
};

struct unwind_rules {
	struct resolver *resolver;
	struct known_rule *known;
	/* Open questions, the oldest first: each will have an answer, in this order. */
	struct known_rule *open[OPEN_MAX];
	size_t open_count;
	bool is_stuck; /* some did not come in time: none is waited for until all have */
};

static void rules_drop(struct unwind_rules *rules)
{
	struct known_rule *known, *next;

	HASH_ITER(hh, rules->known, known, next) {
		HASH_DEL(rules->known, known);
		free(known);
	}
}

static struct known_rule *known_find(const struct unwind_rules *rules,
				     const struct unwind_place *place)
{
	struct known_rule *known;

	HASH_FIND(hh, rules->known, place, sizeof(*place), known);
	return known;
}

/* True if unwind_rules_find() need not wait. */
static bool unwind_rules_known(const struct unwind_rules *rules, const struct unwind_place *place)
{
	const struct known_rule *known = known_find(rules, place);

	return known && !known->is_open;
}

/* ---- asking ---- */

static void answered(void *context, const struct resolver_reply *reply)
{
	struct unwind_rules *rules = context;

	rules->open[0]->is_open = false;
	rules->open[0]->rule = reply->rule ? *reply->rule :
					     (struct unwind_rule){ .cfa = UNWIND_NONE };
	memmove(rules->open, rules->open + 1, --rules->open_count * sizeof(rules->open[0]));
}

/* Waits for the answers to all open questions. Those that do not come now stay open. */
static void open_wait(struct unwind_rules *rules)
{
	resolver_answers(rules->resolver, rules->is_stuck ? 0 : ANSWER_MS, IDLE_MS, answered,
			 rules);
	rules->is_stuck = rules->open_count != 0;
}

/* Asks for the rule at @place. Returns NULL if that cannot be. */
static struct known_rule *rule_ask(struct unwind_rules *rules, const struct unwind_place *place)
{
	struct known_rule *known;

	if (!place->file || rules->open_count == OPEN_MAX)
		return NULL;
	if (!rules->open_count && HASH_COUNT(rules->known) >= RULES_MAX)
		rules_drop(rules);
	known = calloc(1, sizeof(*known));
	if (!known)
		return NULL;
	if (!resolver_ask_rule(rules->resolver, place->file, place->offset, !place->interrupted,
			       0)) {
		free(known);
		return NULL;
	}
	known->place = *place;
	known->is_open = true;
	HASH_ADD(hh, rules->known, place, sizeof(known->place), known);
	rules->open[rules->open_count++] = known;
	return known;
}

/* Asks for the rule at @place, which may be needed, and does not wait for it. */
static void unwind_rules_want(struct unwind_rules *rules, const struct unwind_place *place)
{
	if (!known_find(rules, place))
		rule_ask(rules, place);
}

/*
 * Finds the rule at @place, and waits for it if need be. Returns false if there is no answer in
 * time; a place without a rule, or whose rule cannot be had, has UNWIND_NONE.
 */
static bool unwind_rules_find(struct unwind_rules *rules, const struct unwind_place *place,
			      struct unwind_rule *rule)
{
	struct known_rule *known = known_find(rules, place);

	if (!known && rules->open_count == OPEN_MAX)
		open_wait(rules);
	if (!known && rules->open_count == OPEN_MAX)
		return false;
	if (!known)
		known = rule_ask(rules, place);
	if (known && known->is_open)
		open_wait(rules);
	if (known && known->is_open)
		return false;
	*rule = known ? known->rule : (struct unwind_rule){ .cfa = UNWIND_NONE };
	return true;
}

/* ---- the walk ---- */

#define PARTS_MAX 64 /* parts of stacks kept at a time */

struct rows_owner {
	uint32_t program;
	uint32_t age; /* of its rows: UNWIND_MARK() */
	UT_hash_handle hh;
};

struct native_stacks {
	struct modules *modules;
	struct unwind_rows *rows;
	struct unwind_rules rules;
	struct rows_owner *owners; /* programs that have rows */
	const struct notes *notes;
	uint64_t walks, rows_made;               /* stacks walked here, rows added for them */
	struct rec_stack_part *parts[PARTS_MAX]; /* whose stacks are to come, in a ring */
	unsigned int next_part;
	uint64_t copy[UNWIND_PLACES]; /* the stack that is walked */
};

struct native_stacks *native_stacks_new(struct modules *modules, struct unwind_rows *rows,
					const struct notes *notes)
{
	struct native_stacks *native = calloc(1, sizeof(*native));

	if (!native)
		return NULL;
	native->rules.resolver = modules_rules(modules);
	native->modules = modules;
	native->rows = rows;
	native->notes = notes;
	return native;
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
	rules_drop(&native->rules);
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

/* ---- walking ---- */

struct walk {
	struct native_stacks *native;
	const struct rec_stack_copy *record;
	uint64_t ip, sp, bp;
	bool interrupted; /* ip is no return address */
	uint64_t frames[CUTOP_STACK_FRAMES];
	uint32_t count;
	bool has_asked; /* for the rules of all words that lead into code */
};

/* The rule's place for code that returns, or with @interrupted was interrupted, at @address. */
static struct unwind_place place_of(const struct module_code *code, bool interrupted)
{
	/* The byte before a return address belongs to the call. */
	return (struct unwind_place){ .file = code->rules,
				      .interrupted = interrupted,
				      .offset = code->offset + !interrupted };
}

static void words_want(struct native_stacks *native, uint32_t program, const __u64 *words,
		       uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct module_code code = modules_seen_code(native->modules, program,
							    UNWIND_WORD_ADDRESS(words[i]) - 1);
		struct unwind_place place = place_of(&code, false);

		if (code.rules)
			unwind_rules_want(&native->rules, &place);
	}
}

/* Asks for what the rest of the walk may need. */
static void walk_ask(struct walk *walk)
{
	if (!walk->has_asked)
		words_want(walk->native, walk->record->hdr.program, walk->record->words,
			   walk->record->word_count);
	walk->has_asked = true;
}

/*
 * The rule for the frame that @walk has come to, which also becomes a row. Without one, its way out
 * is not known.
 */
static struct unwind_rule frame_rule(struct walk *walk)
{
	const struct rec_hdr *hdr = &walk->record->hdr;
	struct module_code code = modules_code(walk->native->modules, hdr->program,
					       (pid_t)hdr->tgid, walk->ip - !walk->interrupted);
	const struct unwind_place place = place_of(&code, walk->interrupted);
	uint64_t address = walk->ip | (walk->interrupted ? UNWIND_INTERRUPTED : 0);
	struct unwind_rule rule = { .cfa = UNWIND_NONE };

	if (code.later)
		return rule;
	/* Code of no file: what is compiled while the program runs, and the kernel's vdso. */
	if (code.found && !unwind_rules_known(&walk->native->rules, &place)) {
		unwind_rules_want(&walk->native->rules, &place);
		walk_ask(walk);
	}
	if (!code.found || unwind_rules_find(&walk->native->rules, &place, &rule))
		row_set(walk->native, hdr->program, walk->record->age, address, &rule);
	return rule;
}

/* ---- the copy ---- */

static void words_put(uint64_t *copy, uint64_t bytes, const __u64 *words, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (UNWIND_WORD_PLACE(words[i]) < bytes / sizeof(*copy))
			copy[UNWIND_WORD_PLACE(words[i])] = UNWIND_WORD_ADDRESS(words[i]);
}

static bool is_part_of(const struct rec_stack_part *part, const struct rec_stack_copy *record)
{
	return part && part->stack == record->stack && part->hdr.program == record->hdr.program;
}

/* Makes the stack of what was sent of it, the oldest part first. */
static void copy_make(struct native_stacks *native, const struct rec_stack_copy *record)
{
	size_t i;

	memset(native->copy, 0, record->bytes);
	for (i = 0; i < PARTS_MAX; i++) {
		struct rec_stack_part **part = &native->parts[(native->next_part + i) % PARTS_MAX];

		if (!is_part_of(*part, record))
			continue;
		words_put(native->copy, record->bytes, (*part)->words, (*part)->word_count);
		free(*part);
		*part = NULL;
	}
	words_put(native->copy, record->bytes, record->words, record->word_count);
}

/* Reads a word of the copied stack. */
static bool word_read(const struct walk *walk, uint64_t address, uint64_t *word)
{
	uint64_t at = address - walk->record->sp;

	if (at >= walk->record->bytes || walk->record->bytes - at < sizeof(*word) ||
	    at % sizeof(*word))
		return false;
	*word = walk->native->copy[at / sizeof(*word)];
	return true;
}

/* ---- from frame to frame ---- */

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
	if (cfa <= walk->sp && rule->cfa != UNWIND_CHAIN)
		return false;
	if (rule->bp_by != UNWIND_BP_SAME &&
	    !word_read(walk, (rule->bp_by == UNWIND_BP_CFA ? cfa : walk->bp) + (uint64_t)rule->bp,
		       &bp))
		return false;
	if (!word_read(walk, cfa - 8, &word))
		return false;
	walk->ip = word;
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
		if (rule.cfa == UNWIND_END || (rule.cfa == UNWIND_CHAIN && !walk->bp))
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
	if (size < sizeof(*record) ||
	    record->word_count > (size - sizeof(*record)) / sizeof(record->words[0]))
		return;
	*place = malloc(size);
	if (*place)
		memcpy(*place, record, size);
}

struct rec_stack *native_stacks_walk(struct native_stacks *native,
				     const struct rec_stack_copy *record, size_t size)
{
	struct walk walk = { .native = native, .record = record };
	struct rec_stack *stack;
	size_t bytes;
	bool whole;

	if (size < sizeof(*record) || record->bytes > sizeof(native->copy) ||
	    record->word_count > (size - sizeof(*record)) / sizeof(record->words[0]) ||
	    record->count > CUTOP_STACK_FRAMES || !record->stack)
		return NULL;
	copy_make(native, record);
	walk.ip = record->ip;
	walk.sp = record->sp;
	walk.bp = record->bp;
	walk.interrupted = record->flags & UNWIND_AT_INTERRUPTED;
	walk.count = record->count;
	memcpy(walk.frames, record->frames, record->count * sizeof(record->frames[0]));
	whole = walk_on(&walk);
	native->walks++;
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
