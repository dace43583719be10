/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a recording's allocations, for tests to compare.
 *
 *   stack_dump RECORDING	a line for each allocation: its bytes, and the addresses of its
 *				stack, innermost first. One without a stack has none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>
#include <uthash.h>

#include "record/reader.h"

struct stack_key {
	uint64_t id;
	uint32_t program;
	uint32_t pad;
};

struct stack {
	struct stack_key key;
	UT_hash_handle hh;
	uint32_t count;
	uint64_t frames[CUTOP_STACK_FRAMES];
};

static struct stack *stacks;

static struct stack *stack_find(uint32_t program, uint64_t id)
{
	struct stack_key key = { .id = id, .program = program };
	struct stack *stack;

	HASH_FIND(hh, stacks, &key, sizeof(key), stack);
	return stack;
}

/* A later one of the same number replaces it. */
static int stack_learn(const struct rec_stack *record)
{
	struct stack *stack = stack_find(record->hdr.program, record->stack);

	if (record->count > CUTOP_STACK_FRAMES ||
	    record->hdr.size < sizeof(*record) + record->count * sizeof(record->frames[0])) {
		fprintf(stderr, "stack_dump: a stack of %u frames in %u bytes\n", record->count,
			record->hdr.size);
		return -1;
	}
	if (!stack) {
		stack = calloc(1, sizeof(*stack));
		if (!stack)
			return -1;
		stack->key.id = record->stack;
		stack->key.program = record->hdr.program;
		HASH_ADD(hh, stacks, key, sizeof(stack->key), stack);
	}
	stack->count = record->count;
	memcpy(stack->frames, record->frames, record->count * sizeof(record->frames[0]));
	return 0;
}

static void alloc_print(const struct rec_alloc *record)
{
	const struct stack *stack = stack_find(record->hdr.program, record->stack);
	uint32_t i;

	printf("%llu", (unsigned long long)record->bytes);
	for (i = 0; stack && i < stack->count; i++)
		if (stack->frames[i] == PLACE_CUT)
			printf(" cut");
		else
			printf(" 0x%" PRIx64, stack->frames[i]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	const struct rec_hdr *record;
	struct stack *stack, *next;
	struct reader *reader;
	struct reason why;
	const char *end;
	int err = 1;

	if (argc != 2) {
		fputs("usage: stack_dump RECORDING\n", stderr);
		return 2;
	}
	if (reader_open(&reader, argv[1], &why)) {
		fprintf(stderr, "stack_dump: %s: %s\n", argv[1], why.text);
		return 1;
	}
	if (reader_end(reader, &end) != RECORDING_IS_WHOLE) {
		fprintf(stderr, "stack_dump: %s: %s\n", argv[1], end);
		goto out;
	}
	while ((record = reader_next(reader))) {
		if (record->type == REC_STACK && stack_learn((const struct rec_stack *)record))
			goto out;
		if (record->type == REC_ALLOC)
			alloc_print((const struct rec_alloc *)record);
	}
	err = fflush(stdout) ? 1 : 0;
out:
	HASH_ITER(hh, stacks, stack, next) {
		HASH_DEL(stacks, stack);
		free(stack);
	}
	reader_close(reader);
	return err;
}
