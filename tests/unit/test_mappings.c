/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical memory, which lives while a handle or a mapping holds it, and contexts, which own
 * memory.
 */
#include "model/allocations.h"
#include "model/limits.h"
#include "one_process.h"
#include "run_tests.h"

#define HANDLE 77ull
#define SPACE  0x7f0000000000ull

static void create(uint64_t handle, uint64_t bytes)
{
	ck_assert_int_eq(feed_alloc_as(&feed, CALL_cuMemCreate, KIND_PHYSICAL, handle, bytes, 0),
			 0);
}

static void expect(uint64_t live, uint64_t allocations, uint64_t frees)
{
	look();
	ck_assert_uint_eq(process->live, live);
	ck_assert_uint_eq(process->live_allocations, live / MIB);
	ck_assert_uint_eq(process->allocations, allocations);
	ck_assert_uint_eq(process->frees, frees);
	ck_assert_uint_eq(process->unknown_frees, 0);
	ck_assert(!process->inexact);
}

FIXTURE(setup, teardown);

TEST(lives_while_the_handle_does)
{
	create(HANDLE, MIB);
	expect(MIB, 1, 0);
	feed_map(&feed, MAP_PLACE, SPACE, MIB, HANDLE);
	feed_map(&feed, MAP_REMOVE, SPACE, MIB, 0);
	expect(MIB, 1, 0);
	feed_free(&feed, HANDLE, 0);
	expect(0, 1, 1);
}

TEST(lives_while_a_mapping_does)
{
	create(HANDLE, MIB);
	feed_map(&feed, MAP_PLACE, SPACE, MIB, HANDLE);
	feed_map(&feed, MAP_PLACE, SPACE + MIB, MIB, HANDLE);
	feed_free(&feed, HANDLE, 0);
	expect(MIB, 1, 0);
	feed_map(&feed, MAP_REMOVE, SPACE, MIB, 0);
	expect(MIB, 1, 0);
	feed_map(&feed, MAP_REMOVE, SPACE + MIB, MIB, 0);
	expect(0, 1, 1);
}

TEST(one_call_unmaps_several)
{
	int i;

	for (i = 0; i < 4; i++) {
		create(HANDLE + (uint64_t)i, MIB);
		feed_map(&feed, MAP_PLACE, SPACE + (uint64_t)i * MIB, MIB, HANDLE + (uint64_t)i);
		feed_free(&feed, HANDLE + (uint64_t)i, 0);
	}
	expect(4 * MIB, 4, 0);
	feed_map(&feed, MAP_REMOVE, SPACE + MIB, 2 * MIB, 0);
	expect(2 * MIB, 4, 2);
	feed_map(&feed, MAP_REMOVE, SPACE, 4 * MIB, 0);
	expect(0, 4, 4);
	feed_map(&feed, MAP_REMOVE, SPACE, 4 * MIB, 0);
	expect(0, 4, 4);
}

TEST(one_more_handle_holds_it)
{
	create(HANDLE, MIB);
	feed_map(&feed, MAP_PLACE, SPACE, MIB, HANDLE);
	feed_map(&feed, MAP_RETAIN, SPACE, 0, HANDLE);
	feed_free(&feed, HANDLE, 0);
	feed_free(&feed, HANDLE, 0);
	expect(MIB, 1, 0);
	feed_map(&feed, MAP_REMOVE, SPACE, MIB, 0);
	expect(0, 1, 1);
}

/* A library's variables end when nvcc's code unregisters its fat binary. */
TEST(variables_go_with_what_holds_them)
{
	feed_map(&feed, MAP_VARIABLE, 0x1000, 100, 0x77);
	feed_map(&feed, MAP_VARIABLE, 0x2000, 20, 0x88);
	look();
	ck_assert_uint_eq(process->kinds[KIND_STATIC], 120);
	feed_map(&feed, MAP_UNLOAD, 0x77, 0, 0);
	feed_context_end(&feed, 0, 0x99);
	feed_reset(&feed, 0);
	look();
	ck_assert_uint_eq(process->kinds[KIND_STATIC], 20);
}

TEST(shown_where_it_is_mapped)
{
	create(HANDLE, MIB);
	look();
	ck_assert_uint_eq(process->map[0].address, HANDLE);
	feed_map(&feed, MAP_PLACE, SPACE, MIB, HANDLE);
	feed_alloc(&feed, SPACE + MIB, MIB);
	model_focus(feed.model, feed.program);
	look();
	ck_assert_uint_eq(process->map_count, 2);
	ck_assert_uint_eq(process->map[0].address + process->map[1].address, 2 * SPACE + MIB);
	/* Side by side: drawn as one. */
	ck_assert_uint_eq(process->span_count, 1);
	ck_assert_uint_eq(process->spans[0].start, SPACE);
	ck_assert_uint_eq(process->spans[0].end, SPACE + 2 * MIB);
}

TEST(copies_find_it)
{
	create(HANDLE, MIB);
	feed_map(&feed, MAP_PLACE, SPACE, MIB, HANDLE);
	feed_copy(&feed, SPACE + 100, 0x1000, 10, DIR_DEFAULT, 0, 0);
	feed_copy(&feed, 0x1000, SPACE + MIB - 1, 1, DIR_DEFAULT, 0, 0);
	feed_copy(&feed, 0x1000, SPACE + MIB, 1, DIR_DEFAULT, 0, 0);
	look();
	ck_assert_uint_eq(process->copy_count, 3);
	ck_assert_uint_eq(process->copies[0].direction, DIR_H2H);
	ck_assert_uint_eq(process->copies[1].direction, DIR_H2D);
	ck_assert_uint_eq(process->copies[2].direction, DIR_D2H);
}

/*
 * Physical memory of the host, and what is another process's: handles, too, that lie as close
 * together as a heap lays them.
 */
TEST(any_handle_covers_no_addresses)
{
	ck_assert_int_eq(feed_alloc_as(&feed, CALL_cuMemCreate, KIND_PINNED, HANDLE, MIB, 0), 0);
	ck_assert_int_eq(
		feed_alloc_as(&feed, CALL_cuMemCreate, KIND_PINNED, HANDLE + 0x100, MIB, 0), 0);
	ck_assert_int_eq(feed_alloc_as(&feed, CALL_cuMemImportFromShareableHandle, KIND_SHARED,
				       HANDLE + 0x200, 0, 0),
			 0);
	feed_alloc_as(&feed, CALL_cudaHostRegister, KIND_REGISTERED, 1, MIB / 2, 0);
	look();
	ck_assert_uint_eq(process->kinds[KIND_PINNED], 2 * MIB);
	ck_assert_uint_eq(process->kinds[KIND_REGISTERED], MIB / 2);
	/* They live while a mapping does, and are found by it. */
	feed_map(&feed, MAP_PLACE, SPACE, MIB, HANDLE);
	feed_map(&feed, MAP_PLACE, SPACE + MIB, MIB, HANDLE + 0x200);
	feed_free(&feed, HANDLE, 0);
	feed_free(&feed, HANDLE + 0x100, 0);
	feed_free(&feed, HANDLE + 0x200, 0);
	feed_copy(&feed, SPACE + MIB + 100, SPACE + 100, 10, DIR_DEFAULT, 0, 0);
	look();
	ck_assert_uint_eq(process->kinds[KIND_PINNED], MIB);
	ck_assert_uint_eq(process->live_allocations, 3);
	ck_assert_uint_eq(process->copies[0].direction, DIR_H2D);
	ck_assert_uint_eq(process->map[0].address, SPACE);
	feed_map(&feed, MAP_REMOVE, SPACE, 2 * MIB, 0);
	look();
	ck_assert_uint_eq(process->kinds[KIND_PINNED], 0);
	ck_assert_uint_eq(process->live_allocations, 1);
	ck_assert_uint_eq(process->frees, 3);
	ck_assert_uint_eq(process->unknown_frees, 0);
	ck_assert(!process->inexact);
}

TEST(what_is_mapped_unseen_does_no_harm)
{
	feed_map(&feed, MAP_PLACE, SPACE, MIB, HANDLE); /* a handle from before */
	feed_map(&feed, MAP_PLACE, SPACE + 100, 0, HANDLE);
	feed_map(&feed, MAP_PLACE, UINT64_MAX - 100, UINT64_MAX, HANDLE);
	feed_map(&feed, MAP_RETAIN, SPACE, 0, HANDLE);
	feed_map(&feed, MAP_REMOVE, 0, UINT64_MAX, 0);
	expect(0, 0, 0);
}

TEST(mapped_over_a_missed_unmap)
{
	create(HANDLE, MIB);
	create(HANDLE + 1, MIB);
	feed_map(&feed, MAP_PLACE, SPACE, MIB, HANDLE);
	feed_free(&feed, HANDLE, 0);
	feed_map(&feed, MAP_PLACE, SPACE, MIB, HANDLE + 1);
	expect(MIB, 2, 1);
}

/*
 * Another thread was given the handle while this one's unmapping, which ended what had it, was
 * still on its way out.
 */
TEST(unmapped_after_the_handle_was_given_again)
{
	create(HANDLE, MIB);
	feed_map(&feed, MAP_PLACE, SPACE, MIB, HANDLE);
	feed_map(&feed, MAP_PLACE, SPACE + MIB, MIB, HANDLE);
	feed_free(&feed, HANDLE, 0);
	create(HANDLE, MIB);
	feed_map(&feed, MAP_PLACE, SPACE + 2 * MIB, MIB, HANDLE);
	feed_map(&feed, MAP_REMOVE, SPACE, 2 * MIB, 0);
	expect(MIB, 2, 1);
	feed_free(&feed, HANDLE, 0);
	expect(MIB, 2, 1);
	feed_map(&feed, MAP_REMOVE, SPACE + 2 * MIB, MIB, 0);
	expect(0, 2, 2);
	feed.now += 3 * SECOND;
	feed_free(&feed, 0, 0);
	expect(0, 2, 2);
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 0);
}

TEST(a_context_ends_its_own)
{
	feed.context = 0xc1;
	feed_alloc(&feed, 0x100000, MIB);
	feed.context = 0xc2;
	feed_alloc(&feed, 0x200000, MIB);
	feed.context = 0;
	feed_alloc(&feed, 0x300000, MIB);
	feed_context_end(&feed, feed.device, 0xc1);
	look();
	ck_assert_uint_eq(process->live, 2 * MIB);
	ck_assert_uint_eq(process->leaked, MIB);
	feed_reset(&feed, feed.device);
	look();
	ck_assert_uint_eq(process->live, MIB); /* the other context's */
	ck_assert_uint_eq(process->leaked, 2 * MIB);
	/* The handle is given to a context once more: what the first owned is its past. */
	feed.context = 0xc1;
	feed_alloc(&feed, 0x400000, MIB);
	feed_context_end(&feed, feed.device, 0xc1);
	feed_context_end(&feed, feed.device, 0xc3); /* owned nothing */
	feed_context_end(&feed, feed.device, 0xc2);
	look();
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->leaked, 4 * MIB);
	ck_assert(!process->inexact);
}

/* Another thread was given its memory while the call that ended it was still on its way out. */
TEST(a_context_ends_what_was_given_again)
{
	feed.lasted = 1;
	feed.context = 0xc1;
	feed_alloc(&feed, 0x100000, MIB);
	feed_alloc_as(&feed, CALL_cudaMallocHost, KIND_PINNED, 0x200000, MIB, 0);
	feed.context = 0;
	feed.now += 2 * CUTOP_LASTED_NS;
	feed_alloc(&feed, 0x100000, MIB / 2);
	feed_alloc_as(&feed, CALL_cudaMallocHost, KIND_PINNED, 0x200000, MIB, 0);
	feed_context_end(&feed, feed.device, 0xc1);
	feed.now += 3 * SECOND;
	feed_free(&feed, 0, 0);
	look();
	ck_assert_uint_eq(process->live, MIB / 2);
	ck_assert_uint_eq(process->leaked, MIB);
	ck_assert_uint_eq(process->kinds[KIND_PINNED], MIB);
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 0);
	ck_assert(!process->inexact);
	feed_free(&feed, 0x100000, 0);
	look();
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->frees, 1);
}

/* But not what others were given before that call. */
TEST(a_context_ends_nothing_that_was_freed_before)
{
	feed.lasted = 1;
	feed.context = 0xc1;
	feed_alloc(&feed, 0x100000, MIB);
	feed_alloc(&feed, 0x100000, MIB);
	feed.now += 2 * CUTOP_LASTED_NS;
	feed_context_end(&feed, feed.device, 0xc1);
	look();
	ck_assert_uint_eq(process->leaked, MIB);
	feed.now += 3 * SECOND;
	feed_free(&feed, 0, 0);
	look();
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 1);
}

/* However many there were: only those that own something count against the limit. */
TEST(contexts_come_and_go)
{
	unsigned int i;

	for (i = 0; i < CONTEXTS_MAX + 10; i++) {
		feed.context = 0xc000 + i;
		feed_alloc(&feed, 0x100000, MIB);
		feed_context_end(&feed, feed.device, feed.context);
	}
	look();
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->leaked, (CONTEXTS_MAX + 10) * MIB);
	ck_assert(!process->inexact);
}

static void assert_static(uint64_t bytes)
{
	look();
	ck_assert_uint_eq(process->kinds[KIND_STATIC], bytes);
	ck_assert_uint_eq(
		process->live + process->peak + process->leaked + process->live_allocations, 0);
}

TEST(variables_of_modules_are_static)
{
	feed_map(&feed, MAP_GLOBAL, SPACE, 100, HANDLE);
	feed_map(&feed, MAP_GLOBAL, SPACE, 100, HANDLE); /* asked for once more */
	feed_map(&feed, MAP_GLOBAL, SPACE + 256, 40, HANDLE + 1);
	feed_map(&feed, MAP_GLOBAL, SPACE + 512, 0, HANDLE); /* its size was not asked for */
	feed_map(&feed, MAP_GLOBAL, SPACE + 1024, 7, 0);     /* a graphics library's */
	assert_static(140);
	feed_map(&feed, MAP_UNLOAD, HANDLE, 0, 0);
	assert_static(40);
	feed_reset(&feed, 0);
	feed_exit(&feed, END_EXIT, 0);
	assert_static(0);
}

/* The runtime asks the driver for what was registered: that is not counted twice. */
TEST(registered_variables_are_static)
{
	feed_map(&feed, MAP_VARIABLE, SPACE, 1000, 0);
	feed_map(&feed, MAP_VARIABLE, SPACE + 1000, 24, 0);
	feed_map(&feed, MAP_VARIABLE, SPACE, 1000, 0);
	feed_map(&feed, MAP_GLOBAL, 2 * SPACE, 1000, HANDLE);
	assert_static(1024);
	feed_exit(&feed, END_EXIT, 0);
	assert_static(0);
}
