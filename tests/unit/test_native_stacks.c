/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copied stacks whose way out cannot be had: what is walked here has rows all the same, so that not
 * every call sends one more copy, and of the copies that come only so many are kept.
 */
#include <stdlib.h>
#include <string.h>

#include "collect/native_stacks.h"
#include "collect/stacks.h"
#include "names/resolver.h"
#include "util/util.h"
#include "run_tests.h"

#define PROGRAM 3
#define AGE     2
#define CODE    0x400000ull
#define STACK   0x7ffe00000000ull
#define COPY    (NATIVE_STACK | 77)

/* ---- what the walk asks ---- */

static struct {
	bool later;      /* the file takes long */
	uint32_t rules;  /* its number; 0: it cannot be opened */
	bool is_refused; /* nothing may be asked about it */
	unsigned int asked;
	struct unwind_rule rule;
	uint64_t mark, address; /* of the only row */
	struct unwind_rule row;
	unsigned int rows;
} world;

struct module_code modules_code(struct modules *modules, uint32_t program, pid_t pid,
				uint64_t address)
{
	(void)pid;
	return modules_seen_code(modules, program, address);
}

struct module_code modules_seen_code(struct modules *modules, uint32_t program, uint64_t address)
{
	(void)modules;
	(void)program;
	return (struct module_code){
		.found = true, .later = world.later, .rules = world.rules, .offset = address - CODE
	};
}

struct address_name modules_name(struct modules *modules, uint32_t program, uint64_t address)
{
	(void)modules;
	(void)program;
	(void)address;
	return (struct address_name){ .file = "libx.so" };
}

struct resolver *modules_rules(struct modules *modules)
{
	return (struct resolver *)modules;
}

bool resolver_ask_rule(struct resolver *resolver, uint32_t file, uint64_t offset, bool after_call,
		       uint64_t cookie)
{
	(void)resolver;
	(void)file;
	(void)offset;
	(void)after_call;
	(void)cookie;
	world.asked++;
	return !world.is_refused;
}

/* None comes in time. */
void resolver_answers(struct resolver *resolver, int timeout_ms, int idle_ms,
		      void (*answer)(void *context, const struct resolver_reply *reply),
		      void *context)
{
	(void)resolver;
	(void)timeout_ms;
	(void)idle_ms;
	(void)answer;
	(void)context;
}

void unwind_rows_set(struct unwind_rows *rows, uint64_t mark, uint64_t address,
		     const struct unwind_rule *rule)
{
	(void)rows;
	world.mark = mark;
	world.address = address;
	world.row = *rule;
	world.rows = 1;
}

void unwind_rows_clear(struct unwind_rows *rows, uint64_t mark, uint64_t start, uint64_t end)
{
	(void)rows;
	if (world.rows && mark == world.mark && world.address >= start && world.address < end)
		world.rows = 0;
}

/* ---- rows ---- */

static struct native_stacks *native;

static void setup(void)
{
	memset(&world, 0, sizeof(world));
	native = native_stacks_new((struct modules *)&world, (struct unwind_rows *)&world, NULL);
	ck_assert_ptr_nonnull(native);
}

static void teardown(void)
{
	native_stacks_free(native);
}

FIXTURE(setup, teardown);

/* A stack of one frame, whose caller is to be found. */
static void walk(void)
{
	struct rec_stack_copy record = {
		.hdr = { .type = REC_STACK_COPY, .size = sizeof(record), .program = PROGRAM },
		.stack = COPY,
		.ip = CODE + 16,
		.sp = STACK,
		.bytes = 64,
		.age = AGE,
	};
	struct rec_stack *stack = native_stacks_walk(native, &record, sizeof(record));

	ck_assert_ptr_nonnull(stack);
	ck_assert_uint_eq(stack->count, 1);
	ck_assert_uint_eq(stack->shown, UNWIND_STACK_IS_CUT);
	free(stack);
}

static void assert_row(void)
{
	ck_assert_uint_eq(world.rows, 1);
	ck_assert_uint_eq(world.mark, UNWIND_MARK(PROGRAM, AGE));
	ck_assert_uint_eq(world.address, CODE + 16);
	ck_assert_uint_eq(world.row.cfa, UNWIND_NONE);
}

/* 0: the file cannot be opened; 1: nothing may be asked about it */
TEST_LOOP(a_row_where_no_rule_can_be_had, 2)
{
	world.rules = _i != 0;
	world.is_refused = true;
	walk();
	assert_row();
	native_stacks_forget(native, PROGRAM);
	ck_assert_uint_eq(world.rows, 0);
}

/* It is asked for once. */
TEST(no_row_while_there_is_no_answer)
{
	world.rules = 1;
	walk();
	walk();
	ck_assert_uint_eq(world.rows, 0);
	ck_assert_uint_eq(world.asked, 1);
}

TEST(no_row_while_a_file_is_tried)
{
	world.later = true;
	walk();
	ck_assert_uint_eq(world.rows, 0);
	ck_assert_uint_eq(world.asked, 0);
}

/* ---- numbers of stacks ---- */

#define MOST 131072

static void bring(struct stacks *stacks, uint64_t id, bool is_copy)
{
	size_t size = sizeof(struct rec_stack) + sizeof(__u64);
	struct rec_stack *record = calloc(1, size);

	record->hdr.type = REC_STACK;
	record->hdr.size = (__u16)size;
	record->hdr.program = PROGRAM;
	record->stack = NATIVE_STACK | id;
	record->count = 1;
	record->frames[0] = CODE + 16;
	free(stacks_add(stacks, record, size, is_copy));
	free(record);
}

TEST(copies_are_bounded)
{
	struct stacks *stacks = stacks_new((struct modules *)&world, NULL, NULL);
	uint64_t i, own;

	bring(stacks, 1, false);
	own = stacks_id(stacks, PROGRAM, NATIVE_STACK | 1);
	ck_assert_uint_ne(own, 0);
	for (i = 2; i < MOST + 2; i++)
		bring(stacks, i, true);
	ck_assert_uint_eq(stacks_lost(stacks), 0);
	ck_assert_uint_eq(stacks_id(stacks, PROGRAM, NATIVE_STACK | 2), own);
	bring(stacks, 3, true); /* is known */
	ck_assert_uint_eq(stacks_lost(stacks), 0);
	bring(stacks, i, true);
	/* One was dropped: that is a loss where it is asked for. */
	ck_assert_uint_eq(stacks_record_id(stacks, PROGRAM, NATIVE_STACK | 3), own);
	ck_assert_uint_eq(stacks_record_id(stacks, PROGRAM, 0), 0);
	ck_assert_uint_eq(stacks_lost(stacks), 0);
	ck_assert_uint_eq(stacks_record_id(stacks, PROGRAM, NATIVE_STACK | 2), 0);
	ck_assert_uint_eq(stacks_lost(stacks), 1);
	ck_assert_uint_eq(stacks_id(stacks, PROGRAM, NATIVE_STACK | 1), own);
	ck_assert_uint_eq(stacks_id(stacks, PROGRAM, NATIVE_STACK | 2), 0);
	ck_assert_uint_eq(stacks_id(stacks, PROGRAM, NATIVE_STACK | 3), own);
	ck_assert_uint_eq(stacks_id(stacks, PROGRAM, NATIVE_STACK | i), own);
	stacks_forget(stacks, PROGRAM);
	ck_assert_uint_eq(stacks_id(stacks, PROGRAM, NATIVE_STACK | i), 0);
	stacks_free(stacks);
}
