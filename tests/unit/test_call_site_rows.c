/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of call sites on their way to the model: told once, and under a stack that is known. */
#include "collect/stacks.h"
#include "cutop_python.h"
#include "probe_tests.h"

#define STACK (PYTHON_STACK | 1)

TEST(rows_are_told_as_they_grow)
{
	struct stacks *stacks = stacks_new(NULL, NULL, NULL);
	struct call_site_rows *rows = call_site_rows_new(stacks);
	const struct call_site_key key = {
		.launch = { .program = 1, .call = CALL_cudaLaunchKernel, .function = 8 },
		.site = 0x4000
	};
	struct call_site_row row = { .launches = 64, .samples = 1 };
	struct rec_call_site_row record;

	ck_assert(call_site_rows_take(rows, &key, &row, false, &record));
	ck_assert_uint_eq(record.hdr.type, REC_CALL_SITE);
	ck_assert_uint_eq(record.hdr.program, 1);
	ck_assert_uint_eq(record.key.site, 0x4000);
	ck_assert_uint_eq(record.key.stack, 0);
	ck_assert_uint_eq(record.row.launches, 64);
	ck_assert(!call_site_rows_take(rows, &key, &row, false, &record));
	/* It was read between two adds: the rest comes with the next. */
	row.samples = 2;
	ck_assert(call_site_rows_take(rows, &key, &row, false, &record));
	ck_assert_uint_eq(record.row.launches, 0);
	ck_assert_uint_eq(record.row.samples, 1);
	row.launches = 128;
	ck_assert(call_site_rows_take(rows, &key, &row, true, &record));
	ck_assert_uint_eq(record.row.launches, 64);
	ck_assert_uint_eq(record.row.samples, 0);
	/* It was deleted: another one begins at its key. */
	ck_assert(call_site_rows_take(rows, &key, &row, false, &record));
	ck_assert_uint_eq(record.row.launches, 128);
	call_site_rows_free(rows);
	stacks_free(stacks);
}

TEST(rows_wait_for_their_stack)
{
	struct stacks *stacks = stacks_new(NULL, NULL, NULL);
	struct call_site_rows *rows = call_site_rows_new(stacks);
	const __u64 frames[] = { 0x4000, PLACE_PYTHON | 1 };
	struct call_site_key key = { .launch = { .program = 1, .call = CALL_cudaLaunchKernel },
				     .site = 0x4000,
				     .stack = STACK };
	struct call_site_key same = key, none = key;
	struct call_site_row row = { .launches = 64, .samples = 1 };
	struct rec_call_site_row record;
	uint64_t own;

	ck_assert(!call_site_rows_take(rows, &key, &row, false, &record));
	/*
	 * Of two stacks of instructions that are one of lines, each is told of by what it counted.
	 */
	own = stacks_keep(stacks, 1, STACK, frames, 2, 1);
	same.stack = STACK + 1;
	ck_assert_uint_eq(stacks_keep(stacks, 1, same.stack, frames, 2, 1), own);
	row.launches = 65;
	ck_assert(call_site_rows_take(rows, &key, &row, false, &record));
	ck_assert_uint_eq(record.key.stack, own);
	ck_assert_uint_eq(record.row.launches, 65);
	ck_assert(call_site_rows_take(rows, &same, &row, false, &record));
	ck_assert_uint_eq(record.key.stack, own);
	ck_assert_uint_eq(record.row.launches, 65);
	/* One that stands for a native call, and one that nothing is ever known of. */
	none.stack = STACK + 2;
	stacks_note(stacks, 1, none.stack, 0x4000);
	ck_assert(call_site_rows_take(rows, &none, &row, false, &record));
	ck_assert_uint_eq(record.key.stack, 0);
	none.stack = STACK + 3;
	ck_assert(!call_site_rows_take(rows, &none, &row, false, &record));
	ck_assert(call_site_rows_take(rows, &none, &row, true, &record));
	ck_assert_uint_eq(record.key.stack, 0);
	ck_assert_uint_eq(record.row.launches, 65);
	call_site_rows_free(rows);
	stacks_free(stacks);
}
