/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that are found without a search: whose place it is, what is added up, and that nothing stays
 * of who had it before.
 */
#include <stdlib.h>
#include <string.h>

#include "probe/bpf.h"
#include "probe/bpf_rows.h"
#include "probe_tests.h"

static struct cutop_bpf *skeleton_make(void)
{
	struct cutop_bpf *skeleton = calloc(1, sizeof(*skeleton));

	ck_assert_ptr_nonnull(skeleton);
	skeleton->bss = calloc(1, sizeof(*skeleton->bss));
	ck_assert_ptr_nonnull(skeleton->bss);
	return skeleton;
}

static void skeleton_free(struct cutop_bpf *skeleton)
{
	free(skeleton->bss);
	free(skeleton);
}

TEST(test_near_calls)
{
	struct cutop_bpf *skeleton = skeleton_make();
	struct call_key key = { .program = 7, .call = 42 }, other = { .program = 8, .call = 42 };
	struct near_call *near =
		&skeleton->bss->near_calls[near_place(near_call_owner(&key)) % NEAR_CALLS];
	struct call_row row = { .calls = 1,
				.failures = 2,
				.ns = 300,
				.max_ns = 90,
				.hist = { 1, [CUTOP_HIST_BUCKETS - 1] = 2 } };
	struct call_row alone = row;

	near_call_add(skeleton, &key, &row);
	ck_assert_mem_eq(&row, &alone, sizeof(row)); /* it has no place */
	near->owner = near_call_owner(&key);
	near->row = (struct call_row){ .calls = 10,
				       .failures = 20,
				       .ns = 3000,
				       .max_ns = 80,
				       .hist = { 5, [CUTOP_HIST_BUCKETS - 1] = 6 } };
	near_call_add(skeleton, &other, &row);
	ck_assert_mem_eq(&row, &alone, sizeof(row)); /* it is another's */
	near_call_add(skeleton, &key, &row);
	ck_assert_uint_eq(row.calls, 11);
	ck_assert_uint_eq(row.failures, 22);
	ck_assert_uint_eq(row.ns, 3300);
	ck_assert_uint_eq(row.max_ns, 90);
	ck_assert_uint_eq(row.hist[0], 6);
	ck_assert_uint_eq(row.hist[CUTOP_HIST_BUCKETS - 1], 8);
	near->row.max_ns = 100;
	near_call_add(skeleton, &key, &row);
	ck_assert_uint_eq(row.max_ns, 100);

	near_call_release(skeleton, &other);
	ck_assert_uint_eq(near->owner, near_call_owner(&key));
	near_call_release(skeleton, &key);
	ck_assert_uint_eq(near->owner, 0);
	ck_assert_uint_eq(near->row.calls + near->row.ns + near->row.max_ns + near->row.hist[0], 0);
	skeleton_free(skeleton);
}

TEST(test_near_copies)
{
	struct cutop_bpf *skeleton = skeleton_make();
	struct copy_key key = {
		.program = 7, .call = 42, .direction = DIR_D2H, .mode = COPY_ASYNC, .device = 3
	};
	struct near_copy *near =
		&skeleton->bss->near_copies[near_place(near_copy_owner(&key)) % NEAR_COPIES];
	struct copy_row row = { .calls = 1 };

	near->owner = near_copy_owner(&key);
	near->row = (struct copy_row){ .calls = 2,
				       .failures = 3,
				       .bytes = 4,
				       .ns = 5,
				       .max_ns = 6,
				       .timed_bytes = 7,
				       .timed_ns = 8,
				       .sizes = { [CUTOP_SIZE_BUCKETS - 1] = 9 },
				       .hist = { [CUTOP_HIST_BUCKETS - 1] = 10 },
				       .hosts = 11 };
	near_copy_add(skeleton, &key, &row);
	ck_assert_uint_eq(row.calls, 3);
	row.calls = 2;
	ck_assert_mem_eq(&row, &near->row, sizeof(row));
	near_copy_release(skeleton, &key);
	ck_assert_uint_eq(near->owner, 0);
	skeleton_free(skeleton);
}

/* Two keys that differ anywhere have two owners: nobody counts in another's row. */
TEST(test_near_owners)
{
	const struct copy_key base = {
		.program = 7, .call = 42, .direction = DIR_D2H, .mode = COPY_SYNC, .device = 3
	};
	struct copy_key keys[8] = { base, base, base, base, base, base, base, base };
	int i, j;

	keys[1].program = 0xffffffff;
	keys[2].call = 1023;
	keys[3].direction = DIR_D2D;
	keys[4].mode = COPY_ASYNC;
	keys[5].device = CUTOP_DEVICE_UNKNOWN;
	keys[6].device = 0;
	keys[7].device = NEAR_DEVICES - 1;
	for (i = 0; i < 8; i++)
		for (j = 0; j < i; j++)
			ck_assert_uint_ne(near_copy_owner(&keys[i]), near_copy_owner(&keys[j]));
	keys[0].device = NEAR_DEVICES;
	ck_assert_uint_eq(near_copy_owner(&keys[0]), 0);
	keys[0].device = -2;
	ck_assert_uint_eq(near_copy_owner(&keys[0]), 0);
}

TEST(test_near_syncs)
{
	struct cutop_bpf *skeleton = skeleton_make();
	const struct program_row row = { .sync = { .ns = 5 } };
	struct near_sync *near = &skeleton->bss->near_syncs[near_place(7) % NEAR_SYNCS];

	ck_assert_uint_eq(near_sync_read(skeleton, 7, &row).ns, 5);
	near->owner = 7;
	near->row = (struct program_sync){ .ns = 9, .depth = 1, .slots = { { .done = 4 } } };
	ck_assert_uint_eq(near_sync_read(skeleton, 7, &row).ns, 9);
	ck_assert_uint_eq(near_sync_read(skeleton, 8, &row).ns, 5);
	near_sync_release(skeleton, 7);
	ck_assert_uint_eq(near->owner + near->row.ns + near->row.slots[0].done +
				  (uint64_t)near->row.depth,
			  0);
	skeleton_free(skeleton);
}
