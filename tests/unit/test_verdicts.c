/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the runtime allocated for other code is judged by that, whenever it becomes known
 * which it is: the verdict on what a process left behind does not depend on the order.
 */
#include "one_process.h"

#include "cutop_allocator.h"
#include "run_tests.h"

/* A call of the driver's in the runtime, which was called by `caller`, which the program called. */
enum { INNER = 0x301000, OUTER = 0x302000, CALLER = 0x500000, PROGRAM = 0x401000 };

/* Allocations from here on have this stack, with Python's frames alone if @is_python. */
static void stack_feed(bool is_python)
{
	const uint64_t frames[] = { INNER, OUTER, CALLER, PROGRAM },
		       python[] = { INNER, PLACE_PYTHON | 7 };

	feed_stack_of(&feed, 7, 0, is_python ? python : frames, is_python ? 2 : 4);
	feed.site = INNER;
	feed.stack = 7;
}

static void names_feed(uint32_t flags, const char *caller)
{
	feed_text(&feed, REC_SITE, INNER, SITE_IN_RUNTIME, "malloc (libcudart.so.13)");
	feed_text(&feed, REC_SITE, OUTER, SITE_IN_RUNTIME, "cudaMalloc (libcudart.so.13)");
	feed_text(&feed, REC_SITE, CALLER, flags, caller);
	feed_text(&feed, REC_SITE, PROGRAM, 0, "main (program)");
}

static void expect(uint64_t leaked, uint64_t held, uint64_t suspect)
{
	look();
	ck_assert_uint_eq(process->leaked, leaked);
	ck_assert_uint_eq(process->held, held);
	ck_assert_uint_eq(process->suspect, suspect);
	ck_assert_uint_eq(process->sites[0].leaked, leaked);
	ck_assert_uint_eq(process->sites[0].held, held);
	ck_assert_uint_eq(process->sites[0].suspect, suspect);
	ck_assert_uint_eq(process->uses[0].leaked, leaked);
	ck_assert_uint_eq(process->uses[0].held, held);
	ck_assert_uint_eq(snapshot->leaked, leaked);
	ck_assert_int_eq(process->map[0].state, leaked ? ALLOC_LEAKED :
						held   ? ALLOC_HELD :
							 ALLOC_SUSPECT);
}

/* Names come before the allocation, before the end, or after it. */
static void run(uint32_t flags, const char *caller, int when)
{
	if (when == 0)
		names_feed(flags, caller);
	stack_feed(false);
	feed_alloc_as(&feed, CALL_cuMemAlloc_v2, KIND_DEVICE, 0x10000000, 20 * MIB, 0);
	if (when == 1)
		names_feed(flags, caller);
	feed_exit(&feed, END_EXIT, 0);
	if (when == 2)
		names_feed(flags, caller);
}

FIXTURE(setup, teardown);

TEST_LOOP(the_runtimes_caller_decides, 9)
{
	run(_i / 3 == 0 ? SITE_IS_HELD :
	    _i / 3 == 1 ? SITE_IN_CACHE :
			  0,
	    "alloc (library)", _i % 3);
	expect(_i / 3 == 2 ? 20 * MIB : 0, _i / 3 == 2 ? 0 : 20 * MIB, 0);
}

/* Without a stack, with one that ends in the runtime, or with Python's frames alone */
TEST_LOOP(an_unknown_caller_is_no_verdict, 2)
{
	names_feed(SITE_IS_HELD, "alloc (libcublas.so.13)");
	feed.site = INNER;
	if (_i)
		stack_feed(true);
	feed_alloc_as(&feed, CALL_cuMemAlloc_v2, KIND_DEVICE, 0x10000000, 20 * MIB, 0);
	feed_exit(&feed, END_EXIT, 0);
	expect(0, 0, 20 * MIB);
	ck_assert(process->has_suspect);
	ck_assert_uint_eq(count_events(snapshot, EVENT_LEAK, NULL), 0);
	ck_assert_uint_eq(count_events(snapshot, EVENT_LOST, NULL), 1);
	model_graphs_done(feed.model, feed.program);
	model_clear_exited(feed.model);
	snapshot_free(snapshot);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->gone.suspect, 20 * MIB);
}

/* The allocator hands out a block of it, or takes one back that was handed out unseen. */
TEST_LOOP(a_block_tells_whose_memory_it_is, 2)
{
	struct rec_block block = {
		.hdr = { .type = REC_BLOCK, .size = sizeof(block), .program = feed.program },
		.address = 0x10000000 + MIB,
		.bytes = _i ? -(int64_t)MIB : (int64_t)MIB,
		.allocated = _i ? 0 : MIB,
		.reserved = 20 * MIB,
		.site = PROGRAM,
		.has_totals = 1,
	};

	names_feed(0, "other (library)");
	stack_feed(true);
	feed_alloc_as(&feed, CALL_cuMemAlloc_v2, KIND_DEVICE, 0x10000000, 20 * MIB, 0);
	block.hdr.time = feed.now;
	model_record(feed.model, &block.hdr, sizeof(block));
	feed.site = CALLER;
	feed.stack = 0;
	feed_alloc_as(&feed, CALL_cuMemAlloc_v2, KIND_DEVICE, 0x40000000, 5, 0);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->leaked, 5);
	ck_assert_uint_eq(process->held, _i ? 20 * MIB : 19 * MIB);
	ck_assert_uint_eq(process->suspect, 0);
}

/* What may have been freed unseen is a suspect; if it turns out to be a cache's, it is held. */
TEST(a_late_name_holds_what_was_unsure)
{
	feed_alloc(&feed, 0x10000, 100);
	model_inexact(feed.model, feed.program, feed.now);
	feed_exit(&feed, END_EXIT, 0);
	expect(0, 0, 100);
	feed_text(&feed, REC_SITE, feed.site, SITE_IS_HELD, "cublasCreate (libcublas.so.13)");
	expect(0, 100, 0);
}
