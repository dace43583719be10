/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans: the address space in few pieces, for drawing. */
#include "one_process.h"
#include "run_tests.h"

static bool is_pure(const struct snap_span *span, int state)
{
	for (int other = 0; other < ALLOC_STATE_COUNT; other++)
		if ((span->bytes[other] > 0) != (other == state))
			return false;
	return true;
}

/*
 * What holds of any spans: ordered, apart unless they are of one state each, and all bytes are in
 * them.
 */
static void check_sums(uint64_t live)
{
	uint64_t sum = 0;

	ck_assert_uint_le(process->span_count, SPANS_MAX);
	for (size_t i = 0; i < process->span_count; i++) {
		const struct snap_span *span = &process->spans[i];

		ck_assert_uint_lt(span->start, span->end);
		if (i && span->start == process->spans[i - 1].end) {
			for (int state = 0; state < ALLOC_STATE_COUNT; state++)
				ck_assert(!is_pure(span, state) || !is_pure(span - 1, state));
		} else if (i) {
			ck_assert_uint_gt(span->start, process->spans[i - 1].end);
		}
		for (int state = 0; state < ALLOC_STATE_COUNT; state++)
			sum += span->bytes[state];
	}
	ck_assert_uint_eq(sum, live);
}

FIXTURE(setup, teardown);

TEST(none_unless_asked)
{
	feed_alloc(&feed, 0x10000, 100);
	look();
	ck_assert_uint_eq(process->span_count, 0);
	model_focus(feed.model, 0);
	look();
	ck_assert_uint_eq(process->span_count, 1); /* it is cheap */
	ck_assert_uint_eq(process->drawn_count, 0);
}

TEST(neighbours_are_one)
{
	model_focus(feed.model, feed.program);
	feed_alloc(&feed, 0x20000, 0x1000);
	feed_alloc(&feed, 0x10000, 0x1000);
	feed_alloc(&feed, 0x11000, 0x1000);
	/* Not VRAM */
	feed_alloc_as(&feed, CALL_cudaMallocHost, KIND_PINNED, 0x50000, 0x1000, 0);
	look();
	ck_assert_uint_eq(process->span_count, 2);
	ck_assert_uint_eq(process->spans[0].start, 0x10000);
	ck_assert_uint_eq(process->spans[0].end, 0x12000);
	ck_assert_uint_eq(process->spans[0].bytes[ALLOC_LIVE], 0x2000);
	ck_assert_uint_eq(process->spans[1].start, 0x20000);
	check_sums(process->live);
	/* Each of them, by address */
	ck_assert_uint_eq(process->drawn_count, 3);
	ck_assert_uint_eq(process->drawn[0].address, 0x10000);
	ck_assert_uint_eq(process->drawn[1].address, 0x11000);
	ck_assert_uint_eq(process->drawn[1].bytes, 0x1000);
	ck_assert_uint_eq(process->drawn[2].address, 0x20000);
	ck_assert_ptr_nonnull(process->drawn[2].site);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->spans[0].bytes[ALLOC_LEAKED], 0x2000);
	check_sums(process->leaked);
}

/* A drawing shows what leaked, and not that all around it leaked a little. */
TEST(states_stay_apart)
{
	model_focus(feed.model, feed.program);
	feed_alloc(&feed, 0x10000, 0x1000);
	feed_alloc(&feed, 0x11000, 0x1000);
	feed_reset(&feed, 0);
	feed_alloc(&feed, 0x12000, 0x2000);
	feed_alloc(&feed, 0x14000, 0x1000);
	look();
	ck_assert_uint_eq(process->span_count, 2);
	ck_assert(is_pure(&process->spans[0], ALLOC_LEAKED));
	ck_assert(is_pure(&process->spans[1], ALLOC_LIVE));
	ck_assert_uint_eq(process->spans[0].end, 0x12000);
	ck_assert_uint_eq(process->spans[1].start, 0x12000);
	check_sums(process->live + process->leaked);
}

TEST(many_are_joined)
{
	uint64_t address = 0x700000000000, gap;
	int i;

	for (i = 0; i < 100000; i++) {
		feed_alloc(&feed, address, 1000);
		/* One gap in a thousand is wide: those stay. */
		gap = i % 1000 == 999 ? 1ull << 30 : 512 + (uint64_t)(i * 7919 % 4096);
		address += 1000 + gap;
	}
	model_focus(feed.model, 0);
	look();
	ck_assert_uint_eq(process->span_count, 0); /* too many for nobody */
	model_focus(feed.model, feed.program);
	look();
	ck_assert_uint_ge(process->span_count, 100);
	check_sums(process->live);
	ck_assert_uint_eq(process->drawn_count, 0); /* too many to be drawn singly */
}
