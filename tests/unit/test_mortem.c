/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Post-mortems: allocations that find no memory, devices that fill up. */
#include <string.h>

#include "cuda/errors.h"
#include "cuda/errors_table.h"
#include "one_process.h"
#include "run_tests.h"

/* From here on records are those of another process. */
static void turn(uint32_t program, uint32_t pid)
{
	feed.program = program;
	feed.pid = pid;
}

static void begin(uint32_t program, uint32_t pid)
{
	turn(program, pid);
	feed_process(&feed);
}

static void no_memory(uint64_t bytes)
{
	ck_assert_int_eq(feed_alloc_as(&feed, CALL_cudaMalloc, KIND_DEVICE, 0, bytes, 2), 0);
}

static const struct snap_event *event(enum event_kind kind, unsigned int nth)
{
	const struct snap_event *found = find_event(snapshot, kind, nth);

	ck_assert_ptr_nonnull(found);
	ck_assert_ptr_nonnull(found->detail);
	return found;
}

FIXTURE(setup, teardown);

TEST(out_of_memory_names_the_holders)
{
	const struct snap_event *told;
	const struct snap_detail *detail;

	feed_alloc(&feed, 0x10000, 5 * MIB);
	begin(2, 99);
	feed_alloc(&feed, 0x10000, 7 * MIB);
	feed.device = 1;
	feed_alloc(&feed, 0x900000, 50 * MIB); /* elsewhere: does not count */
	feed.device = 0;
	begin(3, 100);
	feed_alloc(&feed, 0x10000, MIB);
	feed_free(&feed, 0x10000, 0);
	feed.site = 0x403000;
	no_memory(12 * 1024 * MIB);
	look();
	told = event(EVENT_OUT_OF_MEMORY, 0);
	detail = told->detail;
	ck_assert_uint_eq(told->pid, 100);
	ck_assert_uint_eq(told->bytes, 12 * 1024 * MIB);
	ck_assert_uint_eq(told->repeated, 0);
	ck_assert_int_eq(detail->device, 0);
	ck_assert_uint_eq(detail->call, CALL_cudaMalloc);
	ck_assert_int_eq(detail->code, 2);
	ck_assert_str_eq(detail->site, "0x403000");
	ck_assert_uint_eq(detail->holder_count, 2);
	ck_assert_uint_eq(detail->holders_omitted, 0);
	ck_assert_uint_eq(detail->holders[0].pid, 99);
	ck_assert_uint_eq(detail->holders[0].live, 7 * MIB);
	ck_assert_str_eq(detail->holders[0].command, "python");
	ck_assert_uint_eq(detail->holders[1].pid, 4242);
	ck_assert_uint_eq(detail->holders[1].live, 5 * MIB);
	ck_assert_uint_eq(detail->total, 0);
	ck_assert_ptr_nonnull(
		strstr(told->text, "cudaMalloc of 12.0G at 0x403000: out of memory on device 0"));
	ck_assert_ptr_nonnull(strstr(told->text, "held there: 99 python 7.0M, 4242 python 5.0M"));
	ck_assert_uint_eq(process->failed_allocations, 1);
}

TEST(out_of_memory_is_as_it_was_at_that_instant)
{
	feed_alloc(&feed, 0x10000, 5 * MIB);
	no_memory(MIB);
	feed_free(&feed, 0x10000, 0);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 0)->detail->holders[0].live, 5 * MIB);
	ck_assert_str_eq(event(EVENT_OUT_OF_MEMORY, 0)->detail->holders[0].command, "python");
}

TEST(only_the_largest_holders_are_named)
{
	const struct snap_detail *detail;
	uint32_t i;

	for (i = 0; i < 8; i++) {
		begin(10 + i, 100 + i);
		feed_alloc(&feed, 0x10000, (i * 3 % 8 + 1) * MIB); /* 1 4 7 2 5 8 3 6 */
	}
	no_memory(MIB);
	look();
	detail = event(EVENT_OUT_OF_MEMORY, 0)->detail;
	ck_assert_uint_eq(detail->holder_count, HOLDERS_MAX);
	ck_assert_uint_eq(detail->holders_omitted, 3);
	for (i = 0; i < HOLDERS_MAX; i++)
		ck_assert_uint_eq(detail->holders[i].live, (8 - i) * MIB);
	ck_assert_uint_eq(detail->holders[0].pid, 105);
	ck_assert_ptr_nonnull(strstr(event(EVENT_OUT_OF_MEMORY, 0)->text, "and 3 more"));
}

/* Very many allocations are walked through once a second, not at each failure. */
TEST(a_long_walk_is_made_once_a_second)
{
	uint64_t i;

	for (i = 0; i < 5000; i++)
		feed_alloc(&feed, (i + 1) * MIB, 4096);
	for (i = 0; i < 3; i++) {
		feed.site += 16;
		no_memory(MIB);
	}
	feed.now += SECOND;
	feed.site += 16;
	no_memory(MIB);
	look();
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 0)->detail->line_count, 1);
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 1)->detail->line_count, 0);
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 2)->detail->line_count, 0);
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 3)->detail->line_count, 1);
}

TEST(a_storm_of_failures_is_one_event)
{
	int i;

	for (i = 0; i < 1000; i++)
		no_memory(MIB);
	feed.site = 0x500000;
	no_memory(2 * MIB);
	feed_alloc_as(&feed, CALL_cudaMallocAsync, KIND_ASYNC, 0, MIB, 2);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_OUT_OF_MEMORY, NULL), 3);
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 0)->repeated, 999);
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 1)->repeated, 0);
	ck_assert_uint_eq(process->failed_allocations, 1002);
	feed.now += 10 * SECOND;
	no_memory(3 * MIB);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_OUT_OF_MEMORY, NULL), 4);
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 3)->bytes, 3 * MIB);
}

/*
 * A process with ever new call sites tells of 8 a second; what repeats an event that has left the
 * log is told anew.
 */
TEST(failures_at_many_places_leave_room_in_the_log)
{
	const char *text;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		feed.site += 16;
		no_memory(MIB);
	}
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_OUT_OF_MEMORY, NULL), 8);
	ck_assert_uint_eq(count_events(snapshot, EVENT_START, NULL), 1);
	feed.now += 2 * SECOND;
	feed.site += 16;
	no_memory(MIB);
	look();
	count_events(snapshot, EVENT_OUT_OF_MEMORY, &text);
	ck_assert_ptr_nonnull(strstr(text, "92 more"));
	for (i = 0; i < 300; i++)
		feed_reset(&feed, 0);
	no_memory(MIB);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_OUT_OF_MEMORY, NULL), 1);
	ck_assert_uint_eq(process->failed_allocations, 102);
	for (i = 0; i < snapshot->event_count; i++)
		ck_assert_uint_eq(snapshot->events[i].repeated, 0);
}

TEST(host_memory_has_no_holders)
{
	feed_alloc(&feed, 0x10000, 5 * MIB);
	feed_alloc_as(&feed, CALL_cudaMallocHost, KIND_PINNED, 0, MIB, 2);
	look();
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 0)->detail->holder_count, 0);
	ck_assert_ptr_null(strstr(event(EVENT_OUT_OF_MEMORY, 0)->text, "device"));
}

TEST(nearly_full_is_said_once_per_crossing)
{
	const struct snap_event *told;

	feed_size(&feed, 0, 100 * MIB);
	feed_alloc(&feed, 100 * MIB, 50 * MIB);
	begin(2, 99);
	feed_alloc(&feed, 100 * MIB, 30 * MIB - 1);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_NEARLY_FULL, NULL), 0);
	feed_alloc(&feed, 200 * MIB, 1);
	look();
	told = event(EVENT_NEARLY_FULL, 0);
	ck_assert_uint_eq(told->pid, 99);
	ck_assert_int_eq(told->detail->device, 0);
	ck_assert_uint_eq(told->detail->tracked, 80 * MIB);
	ck_assert_uint_eq(told->detail->total, 100 * MIB);
	ck_assert_uint_eq(told->detail->holder_count, 2);
	ck_assert_uint_eq(told->detail->holders[0].live, 50 * MIB);
	ck_assert_ptr_nonnull(strstr(told->text, "device 0 is nearly full: 80.0M of 100M (80%)"));
	feed_alloc(&feed, 300 * MIB, 10 * MIB);
	feed_free(&feed, 300 * MIB, 0);
	feed_free(&feed, 200 * MIB, 0);
	feed_alloc(&feed, 200 * MIB, 15 * MIB); /* up again, and never below 70 % */
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_NEARLY_FULL, NULL), 1);
	feed_free(&feed, 100 * MIB, 0);
	feed_alloc(&feed, 100 * MIB, 30 * MIB);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_NEARLY_FULL, NULL), 2);
}

TEST(a_size_told_late_is_compared_with_what_is_held)
{
	feed_alloc(&feed, 100 * MIB, 90 * MIB);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_NEARLY_FULL, NULL), 0);
	feed_size(&feed, 1, 10 * MIB);
	feed_size(&feed, 0, 100 * MIB);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_NEARLY_FULL, NULL), 1);
	ck_assert_int_eq(event(EVENT_NEARLY_FULL, 0)->detail->device, 0);
}

/* Two processes that were told different sizes of device 0 mean two devices. */
TEST(one_number_of_two_devices)
{
	feed_size(&feed, 0, 100 * MIB);
	feed_alloc(&feed, 100 * MIB, 60 * MIB);
	begin(2, 99);
	feed_size(&feed, 0, 200 * MIB);
	feed_alloc(&feed, 100 * MIB, 110 * MIB);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_NEARLY_FULL, NULL), 0);
	feed_alloc(&feed, 300 * MIB, 50 * MIB);
	look();
	ck_assert_uint_eq(event(EVENT_NEARLY_FULL, 0)->detail->total, 200 * MIB);
	ck_assert_uint_eq(event(EVENT_NEARLY_FULL, 0)->detail->tracked, 160 * MIB);
	ck_assert_uint_eq(event(EVENT_NEARLY_FULL, 0)->detail->holder_count, 1);
	turn(1, 4242);
	feed_alloc(&feed, 200 * MIB, 20 * MIB);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_NEARLY_FULL, NULL), 2);
	ck_assert_uint_eq(event(EVENT_NEARLY_FULL, 1)->detail->total, 100 * MIB);
	no_memory(MIB);
	look();
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 0)->detail->holder_count, 1);
}

TEST(what_ended_holds_nothing)
{
	feed_size(&feed, 0, 100 * MIB);
	feed_alloc(&feed, 100 * MIB, 79 * MIB);
	feed_exit(&feed, END_EXIT, 0);
	begin(2, 99);
	feed_alloc(&feed, 100 * MIB, 79 * MIB);
	feed_reset(&feed, 0);
	feed_alloc(&feed, 100 * MIB, 79 * MIB);
	no_memory(MIB);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_NEARLY_FULL, NULL), 0);
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 0)->detail->holder_count, 1);
}

TEST(sizes_that_make_no_sense)
{
	feed_size(&feed, 0, 0);
	feed_size(&feed, -1, 100);
	feed_size(&feed, 100000, 100);
	feed_size(&feed, 0, UINT64_MAX);
	feed_alloc(&feed, 100 * MIB, 79 * MIB);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_NEARLY_FULL, NULL), 0);
}

/* ---- faults ---- */

#define TICK          (1ull << CUTOP_LAUNCH_CLOCK_TICK)
#define FIRST         0x7000 /* streams */
#define SECOND_STREAM 0x8000

static void launched(uint64_t function, uint64_t stream, uint64_t last, uint32_t tid)
{
	struct launch_key key = {
		.program = feed.program,
		.call = CALL_cudaLaunchKernel,
		.device = (__s16)feed.device,
		.function = function,
	};
	struct launch_row row = {
		.launches = 5, .stream = stream, .last = last, .stream_seen = last, .last_tid = tid
	};

	ck_assert_int_eq(model_launch_row(feed.model, &key, &row), 0);
}

static void fault(uint64_t clock, uint64_t cleared, uint32_t cleared_tid)
{
	struct rec_fault record = {
		.hdr = { .type = REC_FAULT,
			 .size = sizeof(record),
			 .program = feed.program,
			 .time = feed.now,
			 .tgid = feed.pid,
			 .tid = 1 },
		.clock = clock,
	};

	record.cleared[0] = cleared;
	record.cleared_tid[0] = cleared_tid;
	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(record)), 0);
	feed_fail(&feed, CALL_cudaDeviceSynchronize, 700);
	look();
}

static void assert_suspects(unsigned int nth, const char *names)
{
	const struct snap_detail *detail = event(EVENT_FAULT, nth)->detail;
	char text[1024] = "";
	size_t i;

	for (i = 0; i < detail->suspect_count; i++) {
		strcat(text, i ? " " : "");
		strcat(text, detail->suspects[i].kernel);
	}
	ck_assert_str_eq(text, names);
}

TEST(suspects_are_what_was_launched_last)
{
	const struct snap_event *told;

	feed_kernel(&feed, 0x10, 0, NAME_REGISTERED, "_Z5saxpyfPKfPfi");
	launched(0x10, FIRST, 5 * TICK + 7, 1);
	launched(0x20, 0, 5 * TICK + 9, 1);
	launched(0x30, SECOND_STREAM, 5 * TICK + 8, 1);
	launched(0x40, FIRST, 5 * TICK + 6, 1);
	launched(0x50, FIRST, 5 * TICK + 1, 1); /* the stream's fourth: not named */
	launched(0x60, FIRST, 5 * TICK + 2, 1);
	launched(0x70, FIRST, 0, 1); /* no time is known */
	fault(6 * TICK, 0, 1);
	assert_suspects(0, "0x20 0x30 saxpy 0x40 0x60");
	told = event(EVENT_FAULT, 0);
	ck_assert_int_eq(told->detail->code, 700);
	ck_assert_uint_eq(told->detail->call, CALL_cudaDeviceSynchronize);
	ck_assert(told->detail->is_fault);
	ck_assert_uint_eq(told->detail->suspects_omitted, 1);
	ck_assert_uint_eq(told->detail->suspects[2].stream, FIRST);
	ck_assert(told->detail->suspects[2].stream_exact);
	ck_assert_uint_eq(told->detail->suspects[2].launches, 5);
	ck_assert_ptr_nonnull(
		strstr(told->text, "cudaDeviceSynchronize failed: cudaErrorIllegalAddress (700)"));
	ck_assert_ptr_nonnull(strstr(
		told->text, "launched last in the default stream: 0x20; in stream 0x8000: 0x30; "
			    "in stream 0x7000: saxpy, 0x40, 0x60"));
}

TEST(what_was_synchronized_is_no_suspect)
{
	launched(0x10, 0, 5 * TICK + 1, 1); /* before the synchronize, by its thread */
	launched(0x20, 0, 5 * TICK + 4, 1); /* after it */
	/* By another thread in the same tick: nobody knows */
	launched(0x30, 0, 5 * TICK + 1, 2);
	launched(0x40, 0, 4 * TICK + 9, 2); /* in an earlier tick */
	feed.device = 1;
	launched(0x50, 0, 5, 1); /* on another device */
	feed.device = 0;
	fault(5 * TICK + 9, 5 * TICK + 3, 1);
	assert_suspects(0, "0x20 0x30 0x50");
	ck_assert_uint_eq(event(EVENT_FAULT, 0)->detail->suspects_omitted, 0);
}

TEST(what_was_launched_after_the_error_is_no_suspect)
{
	launched(0x10, 0, 5 * TICK + 1, 1);
	launched(0x20, 0, 5 * TICK + 8, 1);
	launched(0x30, 0, 6 * TICK, 2);
	fault(5 * TICK + 4, 0, 1);
	assert_suspects(0, "0x10");
	ck_assert_uint_eq(event(EVENT_FAULT, 0)->detail->suspects_omitted, 2);
}

TEST(no_suspect_is_said_too)
{
	fault(5 * TICK, 0, 1);
	assert_suspects(0, "");
	ck_assert_ptr_nonnull(strstr(event(EVENT_FAULT, 0)->text, "no kernel was launched since"));
}

TEST(there_is_room_for_eight_suspects)
{
	uint64_t i;

	for (i = 0; i < 20; i++)
		launched(0x100 + i * 7 % 20, 0x1000 * (i * 7 % 20), TICK + i * 7 % 20, 1);
	fault(2 * TICK, 0, 1);
	assert_suspects(0, "0x113 0x112 0x111 0x110 0x10f 0x10e 0x10d 0x10c");
	ck_assert_uint_eq(event(EVENT_FAULT, 0)->detail->suspects_omitted, 12);
}

TEST(a_sticky_error_is_said_once)
{
	fault(TICK, 0, 1);
	feed_fail(&feed, CALL_cudaMalloc, 700);
	feed_fail(&feed, CALL_cudaMemcpy, 700);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_FAULT, NULL), 1);
	ck_assert_uint_eq(count_events(snapshot, EVENT_FAILURE, NULL), 0);
	feed_reset(&feed, 0);
	launched(0x10, 0, 5 * TICK, 1);
	fault(6 * TICK, 0, 1);
	ck_assert_uint_eq(count_events(snapshot, EVENT_FAULT, NULL), 2);
	assert_suspects(1, "0x10");
	begin(2, 99);
	feed_fail(&feed, CALL_cudaMalloc, 719);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_FAULT, NULL), 3);
}

TEST(sticky_errors_are_those_of_the_headers)
{
	static const int sticky[] = { 214, 220, 226, 700, 702, 710, 714, 715,
				      716, 717, 718, 719, 721, 810, 911 };
	size_t next = 0;
	int code;

	for (code = 0; code < 1000; code++) {
		bool is = next < sizeof(sticky) / sizeof(sticky[0]) && code == sticky[next];

		next += is;
		ck_assert_int_eq(error_is_sticky(code), is);
	}
#define ERROR(code_, name_, sticky_) ck_assert_msg(!sticky_ || error_is_sticky(code_), #name_);
	RUNTIME_ERRORS(ERROR)
	DRIVER_ERRORS(ERROR)
#undef ERROR
}

/* An allocator frees what it can, and tries again: nothing that the user has to know of. */
TEST(a_retry_that_succeeds_is_no_shortage)
{
	const char *text;
	int i;

	for (i = 0; i < 2; i++) {
		feed_alloc(&feed, 0x100000, 60 * MIB);
		no_memory(64 * MIB);
		feed.now += SECOND / 2000;
		no_memory(64 * MIB);
		feed_free(&feed, 0x100000, 0);
		feed.now += SECOND / 2000;
		feed_alloc(&feed, 0x8000000, 64 * MIB);
		feed_free(&feed, 0x8000000, 0);
	}
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_OUT_OF_MEMORY, NULL), 0);
	ck_assert_uint_eq(count_events(snapshot, EVENT_RECOVERED, &text), 1);
	ck_assert_ptr_nonnull(strstr(
		text,
		"found none on device 0 2 times; got it 0.5 ms later, after 60.0M were freed"));
	ck_assert_uint_eq(event(EVENT_RECOVERED, 0)->repeated, 1);
	ck_assert_uint_eq(event(EVENT_RECOVERED, 0)->bytes, 64 * MIB);
	ck_assert_uint_eq(process->failed_allocations, 4);
	ck_assert_uint_eq(process->recovered_allocations, 4);
	/* What comes next is a shortage. */
	no_memory(65 * MIB);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_OUT_OF_MEMORY, NULL), 1);
	ck_assert_uint_eq(process->recovered_allocations, 4);
}

/* Less memory, another device, later, or another thread: what was asked for was not got. */
TEST(what_is_no_retry)
{
	no_memory(64 * MIB);
	feed_alloc(&feed, 0x1000000, 63 * MIB);
	feed_alloc(&feed, 0x8000000, 64 * MIB);
	no_memory(64 * MIB);
	feed.device = 1;
	feed_alloc(&feed, 0x10000000, 64 * MIB);
	feed.device = 0;
	no_memory(64 * MIB);
	feed.now += 2 * SECOND;
	feed_alloc(&feed, 0x20000000, 64 * MIB);
	no_memory(64 * MIB);
	feed.pid++; /* the thread's number, too */
	feed_alloc(&feed, 0x30000000, 64 * MIB);
	feed.pid--;
	look();
	ck_assert_uint_eq(process->recovered_allocations, 0);
	ck_assert_uint_eq(count_events(snapshot, EVENT_RECOVERED, NULL), 0);
	ck_assert_uint_eq(event(EVENT_OUT_OF_MEMORY, 0)->repeated, 3);
}
