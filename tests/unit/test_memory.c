/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The books of one process: allocations and frees, by kind, by call site, and those that came
 * unseen. One rule per test.
 */
#include <string.h>

#include "one_process.h"
#include "run_tests.h"

FIXTURE(setup, teardown);

TEST(live_is_allocated_less_freed)
{
	feed_alloc(&feed, 0x10000, 100);
	feed_alloc(&feed, 0x20000, 1000);
	feed_alloc(&feed, 0x30000, 10);
	feed_free(&feed, 0x20000, 0);
	look();
	ck_assert_uint_eq(process->live, 110);
	ck_assert_uint_eq(process->peak, 1110);
	ck_assert_uint_eq(process->live_allocations, 2);
	ck_assert_uint_eq(process->allocations, 3);
	ck_assert_uint_eq(process->frees, 1);
	ck_assert_uint_eq(process->kinds[KIND_DEVICE], 110);
	ck_assert_uint_eq(process->map_count, 2);
	ck_assert_uint_eq(process->map[0].address, 0x10000);
	ck_assert_uint_eq(process->map[0].bytes, 100);
	ck_assert_int_eq(process->map[0].state, ALLOC_LIVE);
	ck_assert_str_eq(process->map[0].site, "0x401000");
	ck_assert_uint_eq(snapshot->live, 110);
	ck_assert(!process->inexact);
}

/* Into a capture: calls that are counted and timed, and no memory that comes or goes. */
TEST(captured_calls_are_no_memory)
{
	struct rec_alloc alloc = {
		.hdr = { .type = REC_ALLOC,
			 .size = sizeof(alloc),
			 .program = 1,
			 .tgid = 4242,
			 .time = feed.now },
		.entry = feed.now - 500,
		.address = 0x10000,
		.bytes = 100,
		.call = CALL_cudaMallocAsync,
		.kind = KIND_ASYNC,
		.how = ALLOC_CAPTURED,
	};
	struct rec_free gone = {
		.hdr = { .type = REC_FREE,
			 .size = sizeof(gone),
			 .program = 1,
			 .tgid = 4242,
			 .time = feed.now },
		.entry = feed.now - 500,
		.address = 0x10000,
		.call = CALL_cudaFreeAsync,
		.captured = 1,
	};

	ck_assert_int_eq(model_record(feed.model, &alloc.hdr, sizeof(alloc)), 0);
	look();
	ck_assert_uint_eq(process->allocations, 0);
	ck_assert_uint_eq(process->live, 0);
	ck_assert_int_eq(model_record(feed.model, &gone.hdr, sizeof(gone)), 0);
	alloc.result = 2;
	ck_assert_int_eq(model_record(feed.model, &alloc.hdr, sizeof(alloc)), 0);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->frees, 0);
	ck_assert_uint_eq(process->unknown_frees, 0);
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_uint_eq(process->failed_allocations, 1);
	ck_assert_uint_eq(process->call_count, 2);
	ck_assert_uint_eq(process->call_list[0].calls + process->call_list[1].calls, 3);
}

TEST(failed_calls_move_no_byte)
{
	const char *text;

	feed_alloc(&feed, 0x10000, 100);
	feed_alloc_as(&feed, CALL_cudaMalloc, KIND_DEVICE, 0, 12 * 1024 * MIB, 2);
	feed_alloc_as(&feed, CALL_cudaMalloc, KIND_DEVICE, 0xdead0000, 5, 35);
	look();
	ck_assert_uint_eq(process->live, 100);
	ck_assert_uint_eq(process->peak, 100);
	ck_assert_uint_eq(process->allocations, 1);
	ck_assert_uint_eq(process->failed_allocations, 2);
	ck_assert_uint_eq(count_events(snapshot, EVENT_OUT_OF_MEMORY, &text), 1);
	ck_assert_ptr_nonnull(strstr(text, "cudaMalloc of 12.0G"));
	ck_assert_ptr_nonnull(strstr(text, "holds 100, 100 of it from 0x401000"));
}

TEST(success_without_address_is_no_allocation)
{
	feed_alloc_as(&feed, CALL_cudaMalloc, KIND_DEVICE, 0, 0, 0);
	look();
	ck_assert_uint_eq(process->allocations, 0);
	ck_assert_uint_eq(process->failed_allocations, 0);
}

TEST(free_of_null_is_nothing)
{
	feed_free(&feed, 0, 0);
	feed_free(&feed, 0, 1);
	look();
	ck_assert_uint_eq(process->frees + process->unknown_frees + process->failed_frees +
				  process->double_frees,
			  0);
}

TEST(unknown_free_is_no_failure)
{
	feed_free(&feed, 0x999000, 0);
	look();
	ck_assert_uint_eq(process->unknown_frees, 1);
	ck_assert_uint_eq(process->frees, 0);
	ck_assert_uint_eq(process->failed_frees, 0);
	ck_assert(!process->inexact);
}

/* A child frees what its parent allocated, before the fork and freed since: it is told of nothing. */
TEST(what_a_child_inherits_is_known)
{
	struct rec_process child = {
		.hdr = { .type = REC_PROCESS,
			 .size = sizeof(child),
			 .program = feed.program + 1,
			 .tgid = feed.pid + 1,
			 .time = feed.now },
		.parent_tgid = feed.pid,
	};

	feed_alloc(&feed, 0x10000, 100);
	feed_alloc(&feed, 0x20000, 100);
	feed_free(&feed, 0x20000, 0);
	feed_give(&feed, &child, sizeof(child));
	feed.program++;
	feed.pid++;
	feed_free(&feed, 0x10000, 0);
	feed_free(&feed, 0x20000, 0);
	feed_free(&feed, 0x10000, 3); /* CUDA does not survive a fork: initialization error */
	feed_free(&feed, 0x30000, 0); /* no allocation's address */
	look();
	ck_assert_uint_eq(process->unknown_frees, 1);
	ck_assert_uint_eq(process->failed_frees, 1);
	for (size_t i = 0; i < snapshot->event_count; i++)
		ck_assert_int_ne(snapshot->events[i].kind, EVENT_UNKNOWN_FREE);
}

TEST(second_failing_free_is_a_double_free)
{
	const char *text;

	feed_alloc(&feed, 0x10000, 100);
	feed_free(&feed, 0x10000, 0);
	feed_free(&feed, 0x10000, 1);
	look();
	ck_assert_uint_eq(process->double_frees, 1);
	ck_assert_uint_eq(process->failed_frees, 0);
	ck_assert_uint_eq(process->frees, 1);
	ck_assert_uint_eq(count_events(snapshot, EVENT_DOUBLE_FREE, &text), 1);
	ck_assert_ptr_nonnull(strstr(text, "0x10000"));
}

TEST(other_failing_frees)
{
	const char *text;

	feed_alloc(&feed, 0x10000, 100);
	feed_free(&feed, 0x10010, 1);   /* never seen */
	feed_free(&feed, 0x10000, 700); /* live: a sticky error, it stays */
	look();
	ck_assert_uint_eq(process->failed_frees, 2);
	ck_assert_uint_eq(process->double_frees, 0);
	ck_assert_uint_eq(process->live, 100);
	ck_assert_uint_eq(count_events(snapshot, EVENT_UNKNOWN_FREE, &text), 1);
	ck_assert_ptr_nonnull(strstr(
		text, "cudaFree of 0x10010, where no allocation is known to begin, called from "));
}

TEST(failing_frees_after_a_sticky_error_are_not_told_of)
{
	feed_free(&feed, 0x10010, 700);
	look();
	ck_assert_uint_eq(process->failed_frees, 1);
	ck_assert_uint_eq(count_events(snapshot, EVENT_UNKNOWN_FREE, NULL), 0);
}

TEST(address_is_used_again_after_a_free)
{
	int i;

	for (i = 1; i <= 100; i++) {
		feed_alloc(&feed, 0x10000, (uint64_t)i);
		feed_free(&feed, 0x10000, 0);
	}
	feed_alloc(&feed, 0x10000, 7);
	feed_free(&feed, 0x10000, 17); /* live again, so not a double free */
	look();
	ck_assert_uint_eq(process->live, 7);
	ck_assert_uint_eq(process->peak, 100);
	ck_assert_uint_eq(process->frees, 100);
	ck_assert_uint_eq(process->double_frees, 0);
	ck_assert_uint_eq(process->failed_frees, 1);
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 0);
}

TEST(free_that_arrives_after_the_address_was_given_again)
{
	uint64_t entered;

	feed_alloc(&feed, 0x10000, 100);
	entered = feed.now + 10;
	feed_alloc(&feed, 0x10000, 300); /* thread B, while A is inside free */
	look();
	ck_assert_uint_eq(process->live, 300);
	ck_assert_uint_eq(process->peak, 300); /* not both */
	ck_assert_uint_eq(process->live_allocations, 1);
	feed_free_at(&feed, 0x10000, entered);
	look();
	ck_assert_uint_eq(process->live, 300);
	ck_assert_uint_eq(process->frees, 1);
	ck_assert_uint_eq(process->live_allocations, 1);
	feed_free(&feed, 0x10000, 0);
	feed.now += 5 * SECOND;
	feed_free(&feed, 0, 0);
	look();
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->frees, 2);
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 0);
	ck_assert(!process->inexact);
}

TEST(race_over_two_generations)
{
	uint64_t first, second;

	feed_alloc(&feed, 0x10000, 1);
	first = feed.now + 10;
	feed_alloc(&feed, 0x10000, 2);
	second = feed.now + 10;
	feed_alloc(&feed, 0x10000, 4);
	feed_free_at(&feed, 0x10000, second);
	feed_free_at(&feed, 0x10000, first);
	look();
	ck_assert_uint_eq(process->live, 4);
	ck_assert_uint_eq(process->frees, 2);
	ck_assert_uint_eq(process->unknown_frees, 0);
	feed_free(&feed, 0x10000, 0);
	look();
	ck_assert_uint_eq(process->live, 0);
}

TEST(late_free_of_an_overlapped_range)
{
	uint64_t entered;

	feed_alloc(&feed, 0x10000, 0x1000);
	feed_alloc(&feed, 0x11000, 0x1000);
	entered = feed.now + 10;
	feed_alloc(&feed, 0x10800, 0x1000); /* over the end of one and the start of the other */
	look();
	ck_assert_uint_eq(process->live, 0x1000);
	ck_assert_uint_eq(process->live_allocations, 1);
	feed_free_at(&feed, 0x10000, entered);
	feed_free_at(&feed, 0x11000, entered);
	feed.now += 3 * SECOND;
	feed_free(&feed, 0, 0);
	look();
	ck_assert_uint_eq(process->frees, 2);
	ck_assert_uint_eq(process->live, 0x1000);
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 0);
}

TEST(missed_free_is_counted_as_lost)
{
	uint64_t entered;

	feed_alloc(&feed, 0x10000, 100);
	entered = feed.now + 10;
	feed_alloc(&feed, 0x10000, 300);
	feed.now += SECOND / 2;
	feed_free(&feed, 0, 0);
	look();
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 0);
	feed.now += SECOND;
	feed_free(&feed, 0, 0);
	look();
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 1);
	ck_assert_uint_eq(count_events(snapshot, EVENT_LOST, NULL), 1);
	ck_assert(process->inexact);
	ck_assert_uint_eq(process->live, 300);
	/* Even now it does not take the newer one with it. */
	feed_free_at(&feed, 0x10000, entered);
	look();
	ck_assert_uint_eq(process->live, 300);
	ck_assert_uint_eq(process->unknown_frees, 1);
}

TEST(missed_free_is_counted_at_the_end)
{
	feed_alloc(&feed, 0x10000, 100);
	feed_alloc(&feed, 0x10000, 300);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 1);
	ck_assert(process->inexact);
	ck_assert_uint_eq(process->leaked, 300);
}

TEST(kinds_of_their_own)
{
	feed_alloc_as(&feed, CALL_cudaMallocManaged, KIND_MANAGED, 0x100000, 1, 0);
	feed_alloc_as(&feed, CALL_cudaMallocAsync, KIND_ASYNC, 0x200000, 2, 0);
	feed_alloc_as(&feed, CALL_cudaMallocArray, KIND_ARRAY, 0x300000, 4, 0);
	feed_alloc_as(&feed, CALL_cudaMalloc, KIND_PHYSICAL, 0x400000, 8, 0);
	feed_alloc_as(&feed, CALL_cudaMallocHost, KIND_PINNED, 0x500000, 16, 0);
	feed_alloc_as(&feed, CALL_cudaHostRegister, KIND_REGISTERED, 0x600000, 32, 0);
	feed_alloc_as(&feed, CALL_cudaIpcOpenMemHandle, KIND_SHARED, 0x700000, 0, 0);
	look();
	/* Managed memory may lie on no device: CUDA C++ programming guide, unified memory. */
	ck_assert_uint_eq(process->live, 14);
	ck_assert_uint_eq(process->peak, 14);
	ck_assert_uint_eq(process->kinds[KIND_MANAGED], 1);
	ck_assert_uint_eq(process->kinds[KIND_PINNED], 16);
	ck_assert_uint_eq(process->kinds[KIND_REGISTERED], 32);
	ck_assert_uint_eq(process->live_allocations, 7);
	feed_exit(&feed, END_EXIT, 0);
	look();
	/* Managed memory, too; pinned, registered and shared never leak */
	ck_assert_uint_eq(process->leaked, 15);
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->live_allocations, 0);
	ck_assert_uint_eq(process->kinds[KIND_PINNED], 0);
	ck_assert_uint_eq(process->kinds[KIND_DEVICE], 0);
	ck_assert_uint_eq(process->map_count, 4);
}

TEST(array_handles_cover_no_addresses)
{
	/* An array's handle lies in the host's heap, where its bytes are not. */
	feed_alloc_as(&feed, CALL_cudaMallocArray, KIND_ARRAY, 0x55550000, 64 * MIB, 0);
	feed_alloc_as(&feed, CALL_cudaMallocArray, KIND_ARRAY, 0x55550040, 64 * MIB, 0);
	feed_alloc_as(&feed, CALL_cudaHostRegister, KIND_REGISTERED, 0x55540000, MIB, 0);
	feed_free(&feed, 0x55550040, 0);
	feed.now += 3 * SECOND;
	feed_free(&feed, 0, 0);
	look();
	ck_assert_uint_eq(process->live, 64 * MIB);
	ck_assert_uint_eq(process->kinds[KIND_REGISTERED], MIB);
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 0);
}

TEST(shared_memory_can_be_opened_twice)
{
	feed_alloc_as(&feed, CALL_cudaIpcOpenMemHandle, KIND_SHARED, 0x700000, 0, 0);
	feed_alloc_as(&feed, CALL_cudaIpcOpenMemHandle, KIND_SHARED, 0x700000, 0, 0);
	feed_free(&feed, 0x700000, 0);
	look();
	ck_assert_uint_eq(process->live_allocations, 1);
	feed_free(&feed, 0x700000, 0);
	look();
	ck_assert_uint_eq(process->live_allocations, 0);
	ck_assert_uint_eq(process->unknown_frees, 0);
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 0);
}

TEST(sites_are_summed_and_sorted)
{
	feed_alloc(&feed, 0x10000, 100);
	feed_alloc(&feed, 0x20000, 100);
	feed.site = 0x7000;
	feed_alloc(&feed, 0x30000, 500);
	feed_free(&feed, 0x10000, 0);
	feed_module(&feed, 0x6000, 0x8000, 0x200, "libfoo.so");
	look();
	ck_assert_uint_eq(process->site_count, 2);
	ck_assert_str_eq(process->sites[0].site, "libfoo.so+0x1200");
	ck_assert_uint_eq(process->sites[0].live, 500);
	ck_assert_uint_eq(process->sites[1].live, 100);
	ck_assert_uint_eq(process->sites[1].allocations, 2);
}

TEST(sites_are_bounded)
{
	uint64_t i, n = 65536 + 1000;

	for (i = 0; i < n; i++) {
		feed.site = 0x1000 + i * 16;
		feed_alloc(&feed, 0x100000 + i * 256, 1);
	}
	look();
	ck_assert_uint_eq(process->live, n);
	ck_assert_uint_eq(process->site_count, 65537);
	ck_assert_str_eq(process->sites[0].site, "other call sites");
	ck_assert_uint_eq(process->sites[0].live, 1000);
	ck_assert_uint_eq(process->map_count, 1000);
	ck_assert_uint_eq(process->map_omitted, n - 1000);
}

TEST(map_lists_the_largest)
{
	uint64_t i;
	struct snapshot *all;

	for (i = 0; i < 5000; i++)
		feed_alloc(&feed, 0x100000 + i * 0x10000, 1 + (i * 2654435761u) % 60000);
	look();
	ck_assert_uint_eq(process->map_count, 1000);
	ck_assert_uint_eq(process->map_omitted, 4000);
	all = model_snapshot(feed.model, feed.now, (unsigned int)-1);
	ck_assert_uint_eq(all->processes[0].map_count, 5000);
	for (i = 0; i < 1000; i++) {
		ck_assert_uint_eq(process->map[i].address, all->processes[0].map[i].address);
		if (i)
			ck_assert_uint_le(process->map[i].bytes, process->map[i - 1].bytes);
	}
	snapshot_free(all);
	all = model_snapshot(feed.model, feed.now, 0);
	ck_assert_uint_eq(all->processes[0].map_count, 0);
	ck_assert_uint_eq(all->processes[0].map_omitted, 5000);
	snapshot_free(all);
}

TEST(sizes_that_lie_do_not_wrap)
{
	feed_alloc(&feed, 0x1000, UINT64_MAX);
	feed_alloc_as(&feed, CALL_cudaMallocManaged, KIND_MANAGED, 0xfffffffffffffff0, UINT64_MAX,
		      0);
	look();
	ck_assert_uint_ge(process->live, 1ull << 52);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->live, 0);
}

TEST(many_missed_frees_are_bounded)
{
	uint64_t i;

	for (i = 0; i < 20000; i++)
		feed_alloc(&feed, 0x10000, 1);
	look();
	ck_assert_uint_eq(process->live, 1);
	ck_assert_uint_ge(snapshot->lost[LOST_FREE], 20000 - 4097);
}
