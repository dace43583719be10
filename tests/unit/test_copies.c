/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies: rows, and records that the model resolves from the books. */
#include <math.h>
#include <string.h>

#include "one_process.h"
#include "run_tests.h"

#define HOST   0x7f0000000000ull
#define DEVICE 0x10000
#define OTHER  0x20000
#define PINNED 0x50000
#define ARRAY  0x60000
#define SHARED 0x7e0000000000ull

static void setup_memory(void)
{
	setup();
	feed_alloc(&feed, DEVICE, 0x1000);
	feed_alloc_as(&feed, CALL_cudaMallocManaged, KIND_MANAGED, DEVICE + 0x1000, 0x1000, 0);
	feed_alloc_as(&feed, CALL_cudaMallocHost, KIND_PINNED, PINNED, 0x1000, 0);
	feed_alloc_as(&feed, CALL_cudaMallocArray, KIND_ARRAY, ARRAY, 0x1000, 0);
	feed.device = 1;
	feed_alloc(&feed, OTHER, 0x1000);
	feed.device = CUTOP_DEVICE_UNKNOWN;
}

FIXTURE(setup_memory, teardown);

/* The direction that a copy from @source to @destination of unsaid kind is taken for. */
static unsigned int resolved_as(uint64_t destination, uint64_t source, unsigned int flags)
{
	uint64_t before[DIR_COUNT];
	unsigned int i, found = DIR_COUNT;

	look();
	memcpy(before, process->copy_bytes, sizeof(before));
	feed_copy(&feed, destination, source, 10, DIR_DEFAULT, flags, 0);
	look();
	for (i = 0; i < DIR_COUNT; i++) {
		if (process->copy_bytes[i] == before[i])
			continue;
		ck_assert_uint_eq(found, DIR_COUNT);
		ck_assert_uint_eq(process->copy_bytes[i], before[i] + 10);
		found = i;
	}
	return found;
}

static unsigned int resolved(uint64_t destination, uint64_t source)
{
	return resolved_as(destination, source, 0);
}

TEST(default_copies_are_resolved)
{
	ck_assert_uint_eq(resolved(DEVICE, HOST), DIR_H2D);
	ck_assert_uint_eq(resolved(DEVICE + 0xfff, HOST), DIR_H2D);
	ck_assert_uint_eq(resolved(DEVICE + 0x1800, HOST), DIR_H2D); /* managed memory */
	ck_assert_uint_eq(resolved(HOST, DEVICE), DIR_D2H);
	ck_assert_uint_eq(resolved(PINNED + 5, DEVICE), DIR_D2H);
	ck_assert_uint_eq(resolved(DEVICE, DEVICE + 0x100), DIR_D2D);
	ck_assert_uint_eq(resolved(HOST, HOST), DIR_H2H);
	ck_assert_uint_eq(resolved(PINNED, HOST), DIR_H2H);
	ck_assert_uint_eq(resolved(OTHER, DEVICE), DIR_P2P);
	ck_assert_uint_eq(resolved(DEVICE, ARRAY), DIR_D2D);
	ck_assert_uint_eq(resolved(DEVICE, DEVICE + 0x2000), DIR_H2D); /* just past the last */
	ck_assert_uint_eq(resolved(DEVICE, DEVICE - 1), DIR_H2D);
}

/* How far another process's memory reaches nobody said. */
TEST(default_copies_of_shared_memory)
{
	feed_alloc_as(&feed, CALL_cudaIpcOpenMemHandle, KIND_SHARED, SHARED, 0, 0);
	ck_assert_uint_eq(resolved(SHARED, PINNED), DIR_H2D);
	ck_assert_uint_eq(resolved(SHARED + 0x100, PINNED), DIR_UNKNOWN);
	ck_assert_uint_eq(resolved(PINNED, SHARED + MIB), DIR_UNKNOWN);
	ck_assert_uint_eq(resolved(DEVICE, SHARED - 1), DIR_H2D);
	feed_alloc(&feed, SHARED + 2 * MIB, 0x1000);
	ck_assert_uint_eq(resolved(DEVICE, SHARED + 3 * MIB), DIR_H2D); /* something lies between */
	ck_assert_uint_eq(resolved(DEVICE, HOST), DIR_H2D);
	feed_free(&feed, SHARED, 0);
	ck_assert_uint_eq(resolved(SHARED + 0x100, PINNED), DIR_H2H);
}

TEST(default_copies_of_a_process_seen_late)
{
	static const char strings[] = "ana\0python";

	feed_identity(&feed, true, strings, sizeof(strings));
	ck_assert_uint_eq(resolved(DEVICE, HOST), DIR_UNKNOWN);
	ck_assert_uint_eq(resolved(DEVICE, PINNED), DIR_H2D);
	ck_assert_uint_eq(resolved(PINNED, DEVICE), DIR_D2H);
	/* What the processor can read is the host's, unless the books know it. */
	ck_assert_uint_eq(resolved_as(DEVICE, HOST, COPY_FROM_READABLE), DIR_H2D);
	ck_assert_uint_eq(resolved_as(HOST, DEVICE, COPY_TO_READABLE), DIR_D2H);
	ck_assert_uint_eq(resolved_as(HOST, HOST, COPY_TO_READABLE), DIR_UNKNOWN);
	ck_assert_uint_eq(resolved_as(DEVICE + 0x1000, DEVICE,
				      COPY_TO_READABLE | COPY_FROM_READABLE),
			  DIR_D2D); /* managed memory */
}

/* A copy that says its direction comes as a record where its thread's device is unknown. */
TEST(copies_are_on_the_device_of_their_memory)
{
	feed_copy(&feed, OTHER, HOST, 10, DIR_H2D, 0, 0);
	feed_copy(&feed, HOST, OTHER, 20, DIR_D2H, 0, 0);
	feed_copy(&feed, DEVICE, DEVICE + 0x100, 30, DIR_D2D, 0, 0);
	feed_copy(&feed, OTHER, DEVICE, 40, DIR_D2D, 0, 0);
	feed_copy(&feed, HOST, PINNED, 50, DIR_H2H, 0, 0);
	feed_copy(&feed, DEVICE - 1, HOST, 60, DIR_H2D, 0, 0);
	look();
	ck_assert_uint_eq(process->copy_count, 6);
	for (size_t i = 0; i < process->copy_count; i++) {
		static const int devices[] = { [1] = 1,
					       [2] = 1,
					       [3] = 0,
					       [4] = 1,
					       [5] = CUTOP_DEVICE_UNKNOWN,
					       [6] = CUTOP_DEVICE_UNKNOWN };

		ck_assert_int_eq(process->copies[i].device, devices[process->copies[i].bytes / 10]);
	}
}

TEST(default_copies_when_records_were_lost)
{
	model_lost(feed.model, LOST_RING_FULL, 3);
	model_inexact(feed.model, feed.program, 0);
	ck_assert_uint_eq(resolved(DEVICE, HOST), DIR_UNKNOWN);
	ck_assert(process->inexact);
	ck_assert_uint_eq(snapshot->lost[LOST_RING_FULL], 3);
}

TEST(rows_and_records_are_one_figure)
{
	struct copy_key key = {
		.program = feed.program,
		.call = CALL_cudaMemcpy,
		.direction = DIR_H2D,
		.mode = COPY_SYNC,
		.device = CUTOP_DEVICE_UNKNOWN,
	};
	struct copy_row row = { .calls = 2,
				.failures = 1,
				.bytes = 1 << 20,
				.ns = 5000,
				.max_ns = 4000,
				.timed_bytes = 1 << 20,
				.timed_ns = 4000 };
	size_t i;

	row.sizes[20] = 1;
	row.hist[5] = 2;
	model_copy_row(feed.model, &key, &row);
	feed_copy(&feed, DEVICE, HOST, 1 << 17, DIR_DEFAULT, 0, 0);
	/* Returns early: not timed */
	feed_copy(&feed, DEVICE, HOST, 100, DIR_DEFAULT, 0, 0);
	feed.device = 0;
	model_copy_row(feed.model, &key, &row);
	look();
	ck_assert_uint_eq(process->copy_count, 2);
	/* The two records know their device from the allocation. */
	ck_assert_int_eq(process->copies[0].device, CUTOP_DEVICE_UNKNOWN);
	ck_assert_uint_eq(process->copies[0].calls, 2);
	ck_assert_double_eq_tol(process->copies[0].bytes_per_second, (1 << 20) / 4e-6, 1);
	ck_assert_int_eq(process->copies[1].device, 0);
	ck_assert_uint_eq(process->copies[1].calls, 2);
	ck_assert_uint_eq(process->copies[1].bytes, (1 << 17) + 100);
	ck_assert_double_eq_tol(process->copies[1].bytes_per_second, (1 << 17) / 1e-6, 1);
	ck_assert_uint_eq(process->copies[1].sizes[17], 1);
	ck_assert_uint_eq(process->copies[1].sizes[6], 1);
	for (i = 0; i < process->call_count && process->call_list[i].call != CALL_cudaMemcpy; i++)
		;
	ck_assert_uint_lt(i, process->call_count);
	ck_assert_uint_eq(process->call_list[i].calls, 4);
	ck_assert_uint_eq(process->call_list[i].failures, 1);
	ck_assert_uint_eq(process->copy_bytes[DIR_H2D], (1 << 20) + (1 << 17) + 100);
	feed.now += SECOND;
	feed_copy(&feed, DEVICE, HOST, 1000000, DIR_DEFAULT, 0, 0);
	look();
	ck_assert_double_eq_tol(process->copy_rate[DIR_H2D], 1e6, 10);
	ck_assert_double_eq_tol(process->copies[1].rate_bytes_per_second, 1e6, 10);
	ck_assert_double_eq_tol(snapshot->copy_rate[DIR_H2D], 1e6, 10);
}

/*
 * CUDA's programming guide: memory copies from host to device of 64 KB or less are asynchronous to
 * the host.
 */
TEST(small_copies_have_no_throughput)
{
	feed_copy(&feed, DEVICE, HOST, 65536, DIR_DEFAULT, 0, 0);
	look();
	ck_assert(isnan(process->copies[0].bytes_per_second));
	feed_copy(&feed, DEVICE, HOST, 65537, DIR_DEFAULT, 0, 0);
	look();
	ck_assert_double_eq_tol(process->copies[0].bytes_per_second, 65537 / 1e-6, 1);
}

TEST(same_key_is_one_figure)
{
	struct copy_key key = {
		.program = feed.program,
		.call = CALL_cudaMemcpy,
		.direction = DIR_H2D,
		.mode = COPY_SYNC,
		.device = 0,
	};
	struct copy_row row = { .calls = 2, .bytes = 7 };

	feed.device = 0;
	feed_copy(&feed, DEVICE, HOST, 100, DIR_DEFAULT, 0, 0);
	model_copy_row(feed.model, &key, &row);
	row.calls = 3;
	row.bytes = 8;
	model_copy_row(feed.model, &key, &row);
	look();
	ck_assert_uint_eq(process->copy_count, 1);
	ck_assert_uint_eq(process->copies[0].calls, 4);
	ck_assert_uint_eq(process->copies[0].bytes, 108);
	ck_assert(isnan(process->copies[0].bytes_per_second));
}

TEST(failing_copies_move_no_byte)
{
	feed_copy(&feed, DEVICE, HOST, 1000, DIR_H2D, 0, 1);
	feed_copy(&feed, HOST, HOST, 1000, DIR_UNKNOWN, COPY_IS_ASYNC, 21);
	look();
	ck_assert_uint_eq(process->copy_count, 2);
	ck_assert_uint_eq(process->copies[0].calls, 1);
	ck_assert_uint_eq(process->copies[0].failures, 1);
	ck_assert_uint_eq(process->copies[0].bytes, 0);
	ck_assert_uint_eq(process->copies[1].direction, DIR_UNKNOWN);
	ck_assert_uint_eq(process->copies[1].mode, COPY_ASYNC);
	ck_assert_uint_eq(process->copies[1].failures, 1);
}

TEST(asynchronous_copies_have_no_bandwidth)
{
	feed_copy(&feed, DEVICE, HOST, 1 << 20, DIR_DEFAULT, COPY_IS_ASYNC, 0);
	look();
	ck_assert_uint_eq(process->copies[0].mode, COPY_ASYNC);
	ck_assert(isnan(process->copies[0].bytes_per_second));
	ck_assert_uint_eq(process->copies[0].bytes, 1 << 20);
}

TEST(copies_between_devices_are_not_timed)
{
	feed_copy(&feed, DEVICE, DEVICE + 0x1000, 1 << 20, DIR_DEFAULT, 0, 0);
	look();
	ck_assert_uint_eq(process->copies[0].direction, DIR_D2D);
	ck_assert(isnan(process->copies[0].bytes_per_second));
	ck_assert_double_eq_tol(process->copies[0].seconds, 1e-6, 1e-12);
	feed_copy(&feed, OTHER, DEVICE, 1 << 20, DIR_DEFAULT, 0, 0);
	look();
	ck_assert_uint_eq(process->copies[0].direction + process->copies[1].direction,
			  DIR_D2D + DIR_P2P);
	ck_assert(isnan(process->copies[0].bytes_per_second) &&
		  isnan(process->copies[1].bytes_per_second));
}

/*
 * What goes from one device to another is P2P, though the program said device to device
 * (cupti_activity.h, CUDA 13.0).
 */
TEST(copies_said_to_be_of_one_device)
{
	feed_copy(&feed, OTHER, DEVICE, 100, DIR_D2D, 0, 0);
	feed_copy(&feed, DEVICE, DEVICE + 0x800, 20, DIR_D2D, 0, 0);
	feed_copy(&feed, DEVICE, 0x999000, 3, DIR_D2D, 0, 0); /* not known */
	look();
	ck_assert_uint_eq(process->copy_bytes[DIR_P2P], 100);
	ck_assert_uint_eq(process->copy_bytes[DIR_D2D], 23);
}

TEST(elements_of_an_array)
{
	feed_copy(&feed, ARRAY, HOST, 100, DIR_H2D, COPY_IN_ELEMENTS, 0);
	look();
	ck_assert_uint_eq(process->copy_bytes[DIR_H2D], 400);
	feed_copy(&feed, HOST, ARRAY, 100, DIR_D2H, COPY_IN_ELEMENTS, 0);
	look();
	ck_assert_uint_eq(process->copy_bytes[DIR_D2H], 400);
	feed_copy(&feed, 0x999, HOST, 100, DIR_H2D, COPY_IN_ELEMENTS, 0); /* not known */
	look();
	ck_assert_uint_eq(process->copy_bytes[DIR_H2D], 500);
	feed_copy(&feed, ARRAY, HOST, UINT64_MAX, DIR_H2D, COPY_IN_ELEMENTS, 0);
	look();
	ck_assert_uint_eq(process->copy_bytes[DIR_H2D], 500 + (1ull << 52));
}

TEST(levels_are_as_the_array_that_they_are_of)
{
	uint64_t i;

	feed_map(&feed, MAP_LEVEL, ARRAY, 0, 0x777);
	feed_copy(&feed, 0x777, HOST, 100, DIR_H2D, COPY_IN_ELEMENTS, 0);
	look();
	ck_assert_uint_eq(process->copy_bytes[DIR_H2D], 400);
	ck_assert_uint_eq(resolved(HOST, 0x777), DIR_D2H);
	ck_assert_uint_eq(resolved(0x777, ARRAY), DIR_D2D);
	ck_assert_uint_eq(process->live_allocations, 5);

	/* Gone with the whole, and not back when that handle is given to another array. */
	feed_free(&feed, ARRAY, 0);
	ck_assert_uint_eq(resolved(HOST, 0x777), DIR_H2H);
	feed_alloc_as(&feed, CALL_cudaMallocArray, KIND_ARRAY, ARRAY, 0x1000, 0);
	ck_assert_uint_eq(resolved(HOST, 0x777), DIR_H2H);
	feed_map(&feed, MAP_LEVEL, ARRAY, 0, 0x777);
	ck_assert_uint_eq(resolved(HOST, 0x777), DIR_D2H);

	/* Of an array that nobody knows; of itself */
	feed_map(&feed, MAP_LEVEL, 0x999, 0, 0x888);
	feed_map(&feed, MAP_LEVEL, ARRAY, 0, ARRAY);
	ck_assert_uint_eq(resolved(HOST, 0x888), DIR_H2H);
	for (i = 0; i < 100000; i++)
		feed_map(&feed, MAP_LEVEL, ARRAY, 0, 0x100000 + 8 * i);
	ck_assert_uint_eq(resolved(HOST, 0x100000 + 8 * (i - 1)), DIR_D2H);
}

TEST(variables_of_modules_are_on_the_device)
{
	uint64_t i;

	ck_assert_uint_eq(resolved(SHARED, HOST), DIR_H2H);
	feed_map(&feed, MAP_GLOBAL, SHARED, 0x100, 0);
	ck_assert_uint_eq(resolved(SHARED, HOST), DIR_H2D);
	ck_assert_uint_eq(resolved(HOST, SHARED + 0xff), DIR_D2H);
	ck_assert_uint_eq(resolved(HOST, SHARED + 0x100), DIR_H2H);
	ck_assert_uint_eq(resolved(HOST, SHARED - 1), DIR_H2H);
	/* That its size is not said once more says nothing */
	feed_map(&feed, MAP_GLOBAL, SHARED, 0, 0);
	ck_assert_uint_eq(resolved(DEVICE, SHARED + 0xff), DIR_D2D);
	feed_map(&feed, MAP_GLOBAL, SHARED + 0x1000, 0, 0);
	ck_assert_uint_eq(resolved(HOST, SHARED + 0x1000), DIR_D2H);
	ck_assert_uint_eq(resolved(HOST, SHARED + 0x1001), DIR_H2H);
	feed_map(&feed, MAP_GLOBAL, 0, 0x100, 0);
	feed_map(&feed, MAP_GLOBAL, SHARED + 0x2000, UINT64_MAX, 0);
	ck_assert_uint_eq(resolved(HOST, SHARED + 0x2000), DIR_H2H);
	for (i = 0; i < 100000; i++)
		feed_map(&feed, MAP_GLOBAL, SHARED + MIB + 8 * i, 8, 0);
	ck_assert_uint_eq(resolved(SHARED + MIB + 8 * i - 1, HOST), DIR_H2D);
	ck_assert_uint_eq(process->live_allocations, 5);
}

/* ---- pageable memory ---- */

static void host_copied(unsigned int direction, uint64_t address)
{
	struct rec_host record = {
		.hdr = { .type = REC_HOST,
			 .size = sizeof(record),
			 .program = feed.program,
			 .time = feed.now,
			 .tgid = feed.pid },
		.address = address,
		.site = 0x401000,
		.device = 0,
		.call = CALL_cudaMemcpyAsync,
		.direction = (__u8)direction,
	};

	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(record)), 0);
}

static bool marked(unsigned int direction)
{
	size_t i;

	look();
	for (i = 0; i < process->copy_count; i++)
		if (process->copies[i].direction == direction && process->copies[i].pageable)
			return true;
	return false;
}

TEST(what_cuda_did_not_allocate_is_pageable)
{
	const char *text;

	host_copied(DIR_H2D, PINNED + 5);
	host_copied(DIR_H2D, DEVICE + 0x1010); /* managed */
	feed_alloc_as(&feed, CALL_cuMemCreate, KIND_PINNED, 77, 0x1000, 0);
	feed_map(&feed, MAP_PLACE, SHARED, 0x1000, 77);
	host_copied(DIR_H2D, SHARED + 5); /* the host's physical memory */
	feed_alloc_as(&feed, CALL_cudaIpcOpenMemHandle, KIND_SHARED, SHARED + 0x1000, 0, 0);
	host_copied(DIR_H2D, SHARED + 0x2000); /* another process's, maybe */
	ck_assert(!marked(DIR_H2D));
	host_copied(DIR_H2D, HOST);
	ck_assert(marked(DIR_H2D));
	ck_assert(!marked(DIR_D2H));
	feed_free(&feed, PINNED, 0);
	host_copied(DIR_D2H, PINNED + 5);
	ck_assert(marked(DIR_D2H));
	ck_assert_uint_eq(count_events(snapshot, EVENT_PAGEABLE, &text), 1);
	/*
	 * Of such copies cuda_runtime_api.h says that they might be synchronous (API
	 * synchronization behavior, CUDA 13.0).
	 */
	ck_assert_ptr_nonnull(strstr(
		text,
		"cudaMemcpyAsync H2D from pageable memory at 0x401000: it may be synchronous"));
	host_copied(DIR_D2D, HOST);
	ck_assert(!marked(DIR_D2D));
}

TEST(resolved_copies_of_pageable_memory)
{
	feed_copy(&feed, PINNED, DEVICE, 10, DIR_DEFAULT, COPY_IS_ASYNC, 0);
	ck_assert(!marked(DIR_D2H));
	feed_copy(&feed, HOST, DEVICE, 10, DIR_DEFAULT, 0, 0);
	ck_assert(!marked(DIR_D2H));
	feed_copy(&feed, HOST, DEVICE, 10, DIR_DEFAULT, COPY_IS_ASYNC, 0);
	ck_assert(marked(DIR_D2H));
}

TEST(what_is_not_known_is_not_marked)
{
	static const char strings[] = "ana\0python";

	feed_identity(&feed, true, strings, sizeof(strings));
	host_copied(DIR_H2D, HOST);
	ck_assert(!marked(DIR_H2D));
	feed_identity(&feed, false, strings, sizeof(strings));
	model_lost(feed.model, LOST_RING_FULL, 3);
	model_inexact(feed.model, feed.program, 0);
	host_copied(DIR_H2D, HOST);
	ck_assert(!marked(DIR_H2D));
	ck_assert_uint_eq(count_events(snapshot, EVENT_PAGEABLE, NULL), 0);
}
