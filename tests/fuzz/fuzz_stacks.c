/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copied stack and the rules to walk it by, both as a watched program may have made them: the walk
 * ends, reads nothing but the copy, and what comes out is a stack.
 *
 * The input: a byte, how many rules, of 8 bytes each; then, for each of up to 8 parts, its record;
 * the rest is a struct rec_stack_copy. The rule of an address follows from its low bits.
 */
#include "collect/native_stacks.h"
#include "fuzz.h"
#include "probe/unwind_rows.h"

static struct {
	struct unwind_rule rules[256];
	size_t rule_count;
	struct {
		uint64_t offset, cookie;
	} asked[512];
	size_t asked_count;
	unsigned int rows;
} world;

/* ---- what the walk asks ---- */

struct module_code modules_code(struct modules *modules, uint32_t program, pid_t pid,
				uint64_t address)
{
	(void)modules;
	(void)program;
	(void)pid;
	return (struct module_code){ .found = address % 7 != 0,
				     .later = address % 31 == 0,
				     .rules = address % 5 ? 1 : 0,
				     .offset = address % 256 };
}

struct module_code modules_seen_code(struct modules *modules, uint32_t program, uint64_t address)
{
	(void)modules;
	(void)program;
	return (struct module_code){ .found = address % 7 != 0,
				     .rules = address % 5 ? 1 : 0,
				     .offset = address % 256 };
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
	(void)after_call;
	if (world.asked_count == sizeof(world.asked) / sizeof(world.asked[0]))
		return false;
	world.asked[world.asked_count].offset = offset;
	world.asked[world.asked_count++].cookie = cookie;
	return true;
}

void resolver_answers(struct resolver *resolver, int timeout_ms, int idle_ms,
		      void (*answer)(void *context, const struct resolver_reply *reply),
		      void *context)
{
	size_t i;

	(void)resolver;
	(void)timeout_ms;
	(void)idle_ms;
	/* Now and then some answers do not come. */
	for (i = 0; i < world.asked_count && world.asked[i].offset != 255; i++) {
		const struct resolver_reply reply = {
			.cookie = world.asked[i].cookie,
			.rule = world.rule_count ?
					&world.rules[world.asked[i].offset % world.rule_count] :
					NULL
		};

		answer(context, &reply);
	}
	/* They come the next time, in the order of the questions, as the resolver keeps it. */
	world.asked_count -= i;
	memmove(world.asked, world.asked + i, world.asked_count * sizeof(world.asked[0]));
	world.asked[0].offset = 0;
}

void unwind_rows_set(struct unwind_rows *rows, uint64_t mark, uint64_t address,
		     const struct unwind_rule *rule)
{
	(void)rows;
	(void)mark;
	(void)address;
	world.rows += rule->cfa < UNWIND_CFA_COUNT;
}

void unwind_rows_clear(struct unwind_rows *rows, uint64_t mark, uint64_t start, uint64_t end)
{
	(void)rows;
	(void)mark;
	(void)start;
	(void)end;
}

/* ---- the input ---- */

static const uint8_t *take(const uint8_t **data, size_t *size, size_t len)
{
	if (*size < len)
		return NULL;
	*data += len;
	*size -= len;
	return *data - len;
}

static void rules_take(const uint8_t **data, size_t *size)
{
	const uint8_t *count = take(data, size, 1), *bytes;

	world.rule_count = 0;
	while (count && world.rule_count < *count) {
		struct unwind_rule *rule = &world.rules[world.rule_count];

		bytes = take(data, size, sizeof(*rule));
		if (!bytes)
			return;
		memcpy(rule, bytes, sizeof(*rule));
		/* The resolver lets no other pass. */
		rule->cfa %= UNWIND_CFA_COUNT;
		rule->bp_by %= UNWIND_BP_COUNT;
		world.rule_count++;
	}
}

/* The next record is in memory of its own, with its end where it ends. */
static void *record_take(const uint8_t **data, size_t *size, size_t len)
{
	const uint8_t *bytes = take(data, size, len);
	void *record = bytes ? malloc(len) : NULL;

	if (record)
		memcpy(record, bytes, len);
	return record;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct native_stacks *native =
		native_stacks_new((struct modules *)&world, (struct unwind_rows *)&world, NULL);
	const uint8_t *count;
	struct rec_stack *stack;
	void *record;
	unsigned int i;
	size_t len;

	if (!native)
		return 0;
	world.asked_count = 0; /* those of the resolver before */
	rules_take(&data, &size);
	count = take(&data, &size, 1);
	for (i = 0; count && i < *count % 8u; i++) {
		len = sizeof(struct rec_stack_part) + 8 * sizeof(__u64);
		record = record_take(&data, &size, len);
		if (record)
			native_stacks_part(native, record, len);
		free(record);
	}
	len = size;
	record = record_take(&data, &size, len);
	if (record && len >= sizeof(struct rec_hdr)) {
		stack = native_stacks_walk(native, record, len);
		if (stack && (!stack->count || stack->count > CUTOP_STACK_FRAMES ||
			      stack->hdr.size != sizeof(*stack) + stack->count * 8))
			abort();
		free(stack);
	}
	free(record);
	native_stacks_mapped(native, 1, 0, UINT64_MAX);
	native_stacks_forget(native, 1);
	native_stacks_free(native);
	return 0;
}
