/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is live when its owner ends - the process, or a device that is reset - and whether that
 * leaked. One rule per test.
 */
#include "one_process.h"
#include "run_tests.h"

FIXTURE(setup, teardown);

TEST(exit_leaks_what_is_live)
{
	const char *text;

	feed_text(&feed, REC_SITE, 0x401000, 0, "forget+0x1a (leaky)");
	feed_alloc(&feed, 0x10000, 100);
	feed.now += 3 * SECOND;
	feed_exit(&feed, END_EXIT, 3 << 8);
	feed.now += 60 * SECOND;
	look();
	ck_assert(process->exited);
	ck_assert_int_eq(process->exit_code, 3 << 8);
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->leaked, 100);
	ck_assert_uint_eq(process->peak, 100);
	ck_assert_uint_eq(snapshot->leaked, 100);
	ck_assert_uint_eq(process->map_count, 1);
	ck_assert_int_eq(process->map[0].state, ALLOC_LEAKED);
	ck_assert_uint_eq(process->map[0].age, 3 * SECOND + 1000);
	ck_assert_uint_eq(process->sites[0].leaked, 100);
	ck_assert_uint_eq(process->sites[0].left_blocks, 1);
	ck_assert_str_eq(process->sites[0].site, "forget+0x1a (leaky)");
	ck_assert_uint_eq(count_events(snapshot, EVENT_LEAK, &text), 1);
	ck_assert_str_eq(text, "leaked 100 in 1 allocation, most from forget+0x1a (leaky)");
}

TEST(clean_exit_leaks_nothing)
{
	feed_alloc(&feed, 0x10000, 100);
	feed_free(&feed, 0x10000, 0);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_uint_eq(process->map_count, 0);
	ck_assert_uint_eq(count_events(snapshot, EVENT_LEAK, NULL), 0);
	ck_assert_uint_eq(count_events(snapshot, EVENT_END, NULL), 1);
}

TEST(caches_hold_and_do_not_leak)
{
	feed_text(&feed, REC_SITE, 0x401000, SITE_IS_HELD, "c10::cuda::alloc");
	feed_alloc(&feed, 0x10000, 100);
	feed.site = 0x500000;
	feed_alloc(&feed, 0x20000, 7);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->held, 100);
	ck_assert_uint_eq(process->leaked, 7);
	ck_assert_int_eq(process->map[0].state, ALLOC_HELD);
	ck_assert_int_eq(process->map[1].state, ALLOC_LEAKED);
	/* A site's name may come late. */
	feed_text(&feed, REC_SITE, 0x500000, SITE_IS_HELD, "cublasCreate");
	look();
	ck_assert_uint_eq(process->held, 107);
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_int_eq(process->map[1].state, ALLOC_HELD);
}

TEST(reset_ends_a_device)
{
	const char *text;

	feed_alloc(&feed, 0x10000, 100);
	feed_alloc_as(&feed, CALL_cudaMallocHost, KIND_PINNED, 0x50000, 16, 0);
	feed.device = 1;
	feed_alloc(&feed, 0x20000, 30);
	feed_reset(&feed, 0);
	look();
	ck_assert_uint_eq(process->live, 30);
	ck_assert_uint_eq(process->leaked, 100);
	ck_assert_uint_eq(process->kinds[KIND_PINNED], 0);
	ck_assert_uint_eq(process->live_allocations, 1);
	ck_assert_uint_eq(process->map_count, 2);
	ck_assert_int_eq(process->map[0].state, ALLOC_LEAKED);
	ck_assert_int_eq(process->map[1].state, ALLOC_LIVE);
	ck_assert_uint_eq(count_events(snapshot, EVENT_RESET, &text), 1);
	ck_assert_str_eq(text, "cudaDeviceReset of device 0 ended 1 live allocation: 100 leaked");
	/* The address is given again: what leaked leaves the map, not the sum. */
	feed_alloc(&feed, 0x10000, 50);
	look();
	ck_assert_uint_eq(process->live, 80);
	ck_assert_uint_eq(process->leaked, 100);
	ck_assert_uint_eq(process->map_count, 2);
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 0);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->leaked, 180);
	ck_assert(!process->inexact);
}

TEST(reset_of_unknown_device_ends_all)
{
	feed_alloc(&feed, 0x10000, 100);
	feed.device = 1;
	feed_alloc(&feed, 0x20000, 30);
	feed_reset(&feed, CUTOP_DEVICE_UNKNOWN);
	feed_free(&feed, 0x20000, 1);
	look();
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->leaked, 130);
	ck_assert_uint_eq(process->failed_frees, 1);
	ck_assert_uint_eq(process->double_frees, 0);
}

/* cuda.h, cuCtxDestroy(); cuda_runtime_api.h, cudaDeviceReset(): what they do not destroy */
TEST(memory_of_no_context_outlives_all)
{
	feed_alloc_as(&feed, CALL_cudaMallocAsync, KIND_ASYNC, 0x10000, 100, 0);
	feed_alloc_as(&feed, CALL_cuMemAllocFromPoolAsync, KIND_MANAGED, 0x20000, 30, 0);
	feed_alloc_as(&feed, CALL_cuMemCreate, KIND_PHYSICAL, 0x30, 4096, 0);
	feed.context = 7;
	feed_alloc_as(&feed, CALL_cuMemAllocAsync, KIND_ASYNC, 0x40000, 5, 0);
	feed_alloc(&feed, 0x50000, 7);
	feed_context_end(&feed, 0, 7);
	feed_reset(&feed, 0);
	look();
	ck_assert_uint_eq(process->leaked, 7);
	ck_assert_uint_eq(process->live_allocations, 4);
	feed_free(&feed, 0x10000, 0);
	feed_free(&feed, 0x20000, 0);
	feed_free(&feed, 0x30, 0);
	feed_free(&feed, 0x40000, 0);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->frees, 4);
	ck_assert_uint_eq(process->leaked, 7);
	ck_assert(!process->inexact);
}

static void release(int device)
{
	struct rec_reset record = { .hdr = { REC_RESET, sizeof(record), feed.program, ++feed.now,
					     feed.pid, feed.pid },
				    .device = device,
				    .call = CALL_cuDevicePrimaryCtxRelease_v2 };

	feed_give(&feed, &record, sizeof(record));
}

/*
 * The runtime may have taken its reference unseen: 0 it allocated, 1 it launched, 2 on another
 * device, 3 there is none, 4 it was reset
 */
TEST_LOOP(a_release_beside_the_runtime_ends_nothing, 5)
{
	if (_i == 4) {
		feed_alloc(&feed, 0x20000, 30);
		feed_free(&feed, 0x20000, 0);
		feed_reset(&feed, 0);
	}
	feed_alloc_as(&feed, CALL_cuMemAlloc_v2, KIND_DEVICE, 0x10000, 100, 0);
	if (_i == 1)
		feed_kernel(&feed, 0x1000, 0x1000, NAME_SYMBOL, "odd");
	feed.device = _i == 2;
	if (_i == 0 || _i == 2)
		feed_alloc(&feed, 0x20000, 30);
	release(0);
	look();
	ck_assert_uint_eq(process->leaked, _i < 2 ? 0 : 100);
	ck_assert_uint_eq(count_events(snapshot, EVENT_RESET, NULL), _i < 2 ? 0 : _i == 4 ? 2 : 1);
}

TEST(free_after_reset_that_succeeds_was_no_leak)
{
	feed_alloc(&feed, 0x10000, 100);
	feed_reset(&feed, CUTOP_DEVICE_UNKNOWN);
	feed_free(&feed, 0x10000, 0);
	look();
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_uint_eq(process->frees, 1);
	ck_assert(process->inexact);
}

TEST(what_may_have_been_freed_unseen_is_no_certain_leak)
{
	feed_alloc(&feed, 0x10000, 100);
	feed_alloc(&feed, 0x20000, 30);
	model_inexact(feed.model, feed.program, feed.now);
	feed.now += 10;
	feed_free(&feed, 0x20000, 0);
	feed_alloc(&feed, 0x30000, 5);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert(process->inexact);
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->live_allocations, 0);
	/* Only what came after the loss has surely not been freed. */
	ck_assert_uint_eq(process->leaked, 5);
	ck_assert_uint_eq(process->suspect, 100);
	ck_assert(process->has_suspect);
	ck_assert_uint_eq(process->map_count, 2);
	ck_assert_uint_eq(process->map[0].bytes, 100);
	ck_assert_int_eq(process->map[0].state, ALLOC_SUSPECT);
	ck_assert_int_eq(process->map[1].state, ALLOC_LEAKED);
	ck_assert_uint_eq(process->sites[0].leaked, 5);
	ck_assert_uint_eq(process->sites[0].left_blocks, 1);
	ck_assert_uint_eq(process->sites[0].suspect, 100);
	ck_assert_uint_eq(snapshot->leaked, 5);
	ck_assert_uint_eq(count_events(snapshot, EVENT_LOST, NULL), 1);
}

TEST(a_reset_that_ended_what_was_freed_unseen)
{
	feed_alloc(&feed, 0x10000, 100);
	model_inexact(feed.model, feed.program, feed.now);
	feed_reset(&feed, CUTOP_DEVICE_UNKNOWN);
	look();
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_uint_eq(process->suspect, 100);
	feed_free(&feed, 0x10000, 0);
	look();
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_uint_eq(process->suspect, 0);
}

TEST(what_others_lost_spoils_nobody)
{
	feed_alloc(&feed, 0x10000, 100);
	feed.program = 2;
	feed.pid = 4243;
	feed_alloc(&feed, 0x10000, 100);
	model_inexact(feed.model, 2, feed.now);
	model_lost(feed.model, LOST_RING_FULL, 1000);
	feed.program = 1;
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert(!process->inexact);
	ck_assert_uint_eq(process->leaked, 100);
}

/* An allocation in PyTorch's allocator, at @site. */
static void cached(uint64_t site, unsigned int call, unsigned int kind, uint64_t address,
		   uint64_t bytes)
{
	feed.site = site;
	feed_text(&feed, REC_SITE, site, SITE_IN_CACHE, "malloc (libc10_cuda.so)");
	feed_alloc_as(&feed, call, kind, address, bytes, 0);
}

#define CACHE_AT               0x401000
#define CACHED(address, bytes) cached(CACHE_AT, CALL_cudaMalloc, KIND_DEVICE, address, bytes)

static void expect_at_exit(uint64_t held, uint64_t leaked, uint64_t unproven)
{
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->held, held);
	ck_assert_uint_eq(process->leaked, leaked);
	ck_assert_uint_eq(process->held_unproven, unproven);
	ck_assert_uint_eq(snapshot->leaked, leaked);
}

TEST(a_cache_holds_blocks_of_its_sizes)
{
	CACHED(0x10000000, 2 * MIB);
	CACHED(0x20000000, 20 * MIB);
	CACHED(0x30000000, 12 * MIB);
	CACHED(0x40000000, 1026 * MIB);
	expect_at_exit(1060 * MIB, 0, 0);
	ck_assert_int_eq(process->map[0].state, ALLOC_HELD);
}

TEST_LOOP(a_block_that_no_cache_asks_for_is_a_tensor, 7)
{
	static const uint64_t sizes[] = { 512,     1, 3 * MIB, 4 * MIB, 8 * MIB, 20 * MIB + 512,
					  11 * MIB };
	const struct snap_site *site;

	CACHED(0x10000000, 2 * MIB);
	CACHED(0x20000000, 20 * MIB);
	CACHED(0x30000000, sizes[_i]);
	expect_at_exit(0, 22 * MIB + sizes[_i], 0);
	ck_assert_int_eq(process->map[0].state, ALLOC_LEAKED);
	site = &process->sites[0];
	ck_assert_uint_eq(site->leaked, process->leaked);
	ck_assert_uint_eq(site->held, 0);
}

TEST(a_tensor_that_was_freed_speaks_against_the_cache_as_well)
{
	CACHED(0x10000000, 700);
	feed_free(&feed, 0x10000000, 0);
	CACHED(0x20000000, 2 * MIB);
	CACHED(0x30000000, 64 * MIB);
	expect_at_exit(0, 66 * MIB, 0);
}

TEST(a_tensor_at_another_site_speaks_against_the_cache_as_well)
{
	CACHED(0x10000000, 2 * MIB);
	CACHED(0x20000000, 20 * MIB);
	feed_reset(&feed, CUTOP_DEVICE_UNKNOWN);
	look();
	ck_assert_uint_eq(process->held, 22 * MIB);
	cached(0x402000, CALL_cudaMalloc, KIND_DEVICE, 0x30000000, 700);
	look();
	ck_assert_uint_eq(process->held, 0);
	expect_at_exit(0, 22 * MIB + 700, 0);
}

TEST(memory_of_a_pool_is_not_cached)
{
	CACHED(0x10000000, 2 * MIB);
	CACHED(0x20000000, 20 * MIB);
	cached(0x402000, CALL_cudaMallocAsync, KIND_ASYNC, 0x30000000, 2 * MIB);
	expect_at_exit(0, 24 * MIB, 0);
}

/* Also of a process that has no VRAM; what is managed and live belongs to no device. */
TEST(what_is_managed_leaks_on_its_device)
{
	feed.device = 2;
	feed_alloc_as(&feed, CALL_cudaMallocManaged, KIND_MANAGED, 0x10000, MIB, 0);
	feed.device = 3;
	feed_alloc_as(&feed, CALL_cudaMallocManaged, KIND_MANAGED, 0x1000000, MIB, 0);
	feed_free(&feed, 0x1000000, 0);
	look();
	ck_assert_uint_eq(process->use_count, 0);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->leaked, MIB);
	ck_assert_uint_eq(process->use_count, 1);
	ck_assert_int_eq(process->uses[0].device, 2);
	ck_assert_uint_eq(process->uses[0].leaked, MIB);
	ck_assert_uint_eq(process->uses[0].live + process->uses[0].peak + process->uses[0].held, 0);
	ck_assert_str_eq(process->device_list, "2-3");
	/* The name of its call site comes late. */
	feed_text(&feed, REC_SITE, feed.site, SITE_IS_HELD, "cublasCreate");
	look();
	ck_assert_uint_eq(process->use_count, 1);
	ck_assert_uint_eq(process->uses[0].leaked, 0);
	ck_assert_uint_eq(process->uses[0].held, MIB);
}

TEST(what_is_managed_is_no_part_of_the_cache)
{
	CACHED(0x10000000, 2 * MIB);
	CACHED(0x20000000, 20 * MIB);
	cached(0x402000, CALL_cudaMallocManaged, KIND_MANAGED, 0x30000000, 4096);
	expect_at_exit(22 * MIB, 4096, 0);
}

TEST(expandable_segments_prove_the_cache)
{
	cached(CACHE_AT, CALL_cuMemCreate, KIND_PHYSICAL, 0x10, 20 * MIB);
	expect_at_exit(20 * MIB, 0, 0);
}

/*
 * Tensors that happen to have the cache's sizes look like it: the books say held, and that nothing
 * proves it.
 */
TEST_LOOP(blocks_of_one_size_prove_no_cache, 2)
{
	CACHED(0x10000000, _i ? 64 * MIB : 2 * MIB);
	CACHED(0x20000000, _i ? 32 * MIB : 2 * MIB);
	expect_at_exit(_i ? 96 * MIB : 4 * MIB, 0, _i ? 96 * MIB : 4 * MIB);
}

TEST(what_the_user_takes_for_held_is)
{
	feed_text(&feed, REC_SITE, CACHE_AT, SITE_IS_HELD, "malloc (libc10_cuda.so)");
	feed.site = CACHE_AT;
	feed_alloc(&feed, 0x10000000, 700);
	feed_alloc_as(&feed, CALL_cudaMallocAsync, KIND_ASYNC, 0x20000000, 7, 0);
	expect_at_exit(707, 0, 0);
}

TEST_LOOP(a_name_that_comes_late_says_what_the_blocks_were, 2)
{
	feed.site = CACHE_AT;
	feed_alloc(&feed, 0x10000000, 2 * MIB);
	feed_alloc(&feed, 0x20000000, _i ? 700 : 20 * MIB);
	feed_exit(&feed, END_EXIT, 0);
	feed_text(&feed, REC_SITE, CACHE_AT, SITE_IN_CACHE, "malloc (libc10_cuda.so)");
	look();
	ck_assert_uint_eq(process->held, _i ? 0 : 22 * MIB);
	ck_assert_uint_eq(process->leaked, _i ? 2 * MIB + 700 : 0);
}

TEST(processes_are_judged_each_alone)
{
	CACHED(0x10000000, 2 * MIB);
	CACHED(0x20000000, 20 * MIB);
	feed.program = 2;
	feed.pid = 4243;
	CACHED(0x10000000, 700);
	feed.program = 1;
	feed.pid = 4242;
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->held, 22 * MIB);
}

TEST(what_ended_it_is_told)
{
	feed_alloc(&feed, 0x10000, 100);
	feed_alloc(&feed, 0x11000, 1000);
	feed_reset(&feed, CUTOP_DEVICE_UNKNOWN);
	feed_free(&feed, 0x11000, 0); /* was no leak after all */
	feed.context = 7;
	feed_alloc(&feed, 0x20000, 30);
	feed_context_end(&feed, 0, 7);
	feed.context = 0;
	feed_alloc(&feed, 0x30000, 5);
	feed.site = 0x500000;
	feed_text(&feed, REC_SITE, 0x500000, SITE_IS_HELD, "cublasCreate");
	feed_alloc(&feed, 0x40000, 4);
	feed_reset(&feed, 3);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->leaked, 135);
	ck_assert_uint_eq(process->leaked_by_reset, 100);
	ck_assert_uint_eq(process->reset_call, CALL_cudaDeviceReset);
	ck_assert_uint_eq(process->leaked_by_context, 30);
	ck_assert_uint_eq(process->context_call, CALL_cuCtxDestroy_v2);
	model_graphs_done(feed.model, feed.program);
	model_clear_exited(feed.model);
	snapshot_free(snapshot);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->gone.leaked_by_reset, 100);
	ck_assert_uint_eq(snapshot->gone.leaked_by_context, 30);
}
