/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums by call, and of what leaked, over processes that are forgotten; what is held on each device;
 * shared snapshots.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"

static struct feed feed;
static struct snapshot *snapshot;

static void setup(void)
{
	struct model_config config = {
		.start_mono = 100 * SECOND,
		.start_real = 1700000000 * SECOND,
		.leak_age = 10 * SECOND,
		.max_exited = 2,
		.totals = true,
	};

	feed_begin(&feed);
	model_free(feed.model);
	feed.model = model_new(&config);
	ck_assert_ptr_nonnull(feed.model);
	snapshot = NULL;
}

static void teardown(void)
{
	snapshot_free(snapshot);
	feed_end(&feed);
}

FIXTURE(setup, teardown);

static void look(void)
{
	snapshot_free(snapshot);
	snapshot = feed_snapshot(&feed);
}

static const struct snap_call *call(unsigned int number)
{
	size_t i;

	for (i = 0; i < snapshot->call_count; i++)
		if (snapshot->calls[i].call == number)
			return &snapshot->calls[i];
	return NULL;
}

/* A process that allocates twice, frees once, launches thrice and ends. */
static void life(uint32_t program)
{
	feed.program = program;
	feed.pid = 5000 + program;
	feed_process(&feed);
	feed_alloc(&feed, 0x10000, 1000);
	feed_alloc(&feed, 0x20000, 500);
	feed_free(&feed, 0x20000, 0);
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x400, 3);
	feed_exit(&feed, END_EXIT, 0);
	model_graphs_done(feed.model, program);
}

TEST(forgotten_are_counted)
{
	uint32_t i;

	for (i = 1; i <= 10; i++) {
		life(i);
		look();
		ck_assert_uint_eq(call(CALL_cudaLaunchKernel)->calls, 3 * i);
		ck_assert_uint_eq(snapshot->leaked, 1000 * i);
		ck_assert_uint_eq(snapshot->launches, 3 * i);
		ck_assert_uint_eq(snapshot->process_count + snapshot->gone.processes, i);
	}
	ck_assert_uint_eq(snapshot->process_count, 2);
	model_clear_exited(feed.model);
	look();
	ck_assert_uint_eq(snapshot->process_count, 0);
	ck_assert_uint_eq(snapshot->gone.processes, 10);
	ck_assert_uint_eq(snapshot->leaked, 10000);
	ck_assert_uint_eq(snapshot->launches, 30);
	ck_assert_uint_eq(call(CALL_cudaLaunchKernel)->calls, 30);
}

TEST(gone_between_two_snapshots)
{
	uint32_t i;

	for (i = 1; i <= 10; i++)
		life(i);
	look();
	ck_assert_uint_eq(call(CALL_cudaLaunchKernel)->calls, 30);
	ck_assert_uint_eq(snapshot->leaked, 10000);
}

/* Where too much is kept of them, each is shown once, and the latest until another ends. */
TEST(large_ones_are_shown)
{
	struct model_config config = {
		.start_mono = 100 * SECOND,
		.start_real = 1700000000 * SECOND,
		.exited_bytes = 1,
	};
	uint32_t i;

	model_free(feed.model);
	feed.model = model_new(&config);
	ck_assert_ptr_nonnull(feed.model);
	for (i = 1; i <= 4; i++)
		life(i);
	look();
	ck_assert_uint_eq(snapshot->process_count, 4);
	look();
	ck_assert_uint_eq(snapshot->process_count, 1);
	ck_assert_uint_eq(snapshot->processes[0].program, 4);
	ck_assert_uint_eq(snapshot->gone.processes, 3);
	ck_assert_uint_eq(snapshot->leaked, 4000);
}

TEST(a_command_is_its_last_part)
{
	ck_assert_str_eq(command_basename("/opt/bin/solver"), "solver");
	ck_assert_str_eq(command_basename("odd/"), "odd/");
	ck_assert_str_eq(command_basename("/"), "/");
	ck_assert_str_eq(command_basename(""), "");
}

static const struct snap_use *use(int device)
{
	const struct snap_process *process;
	size_t i;

	snapshot_free(snapshot);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	for (i = 0; i < process->use_count; i++)
		if (process->uses[i].device == device)
			return &process->uses[i];
	return NULL;
}

/* The time in cudaMalloc() of all processes, in a new snapshot. */
static double call_seconds(void)
{
	const struct snap_call *malloc_call;

	look();
	malloc_call = call(CALL_cudaMalloc);
	return malloc_call ? malloc_call->seconds : 0;
}

/*
 * Whoever leaves, and in whatever order: a sum of fractions would fall by its last digit now and
 * then.
 */
TEST(seconds_never_go_down)
{
	double last = 0, now;
	uint32_t i;

	for (i = 1; i <= 300; i++) {
		struct call_key key = { .program = i, .call = CALL_cudaMalloc };
		struct call_row row = { .calls = 1, .ns = 1000 + i * 7919 % 104729 };

		feed.program = i;
		/* Snapshots have processes by pid; they leave by age. */
		feed.pid = 1000 + i * 6007 % 9973;
		feed_process(&feed);
		ck_assert_int_eq(model_call_row(feed.model, &key, &row), 0);
		now = call_seconds();
		ck_assert_double_gt(now, last);
		last = now;
		feed_exit(&feed, END_EXIT, 0);
		model_graphs_done(feed.model, i);
		now = call_seconds();
		ck_assert_msg(now >= last, "%u: %.17g after %.17g", i, now, last);
		last = now;
	}
	model_clear_exited(feed.model);
	ck_assert_double_eq(call_seconds(), last);
}

TEST(by_device)
{
	feed_process(&feed);
	feed_alloc(&feed, 0x10000, 1000);
	feed.device = 3;
	feed_alloc(&feed, 0x20000, 700);
	feed_free(&feed, 0x20000, 0);
	feed_alloc(&feed, 0x30000, 200);
	ck_assert_uint_eq(use(0)->live, 1000);
	ck_assert_uint_eq(use(3)->live, 200);
	ck_assert_uint_eq(use(3)->peak, 700);
	ck_assert_ptr_null(use(1));
	feed_exit(&feed, END_EXIT, 0);
	ck_assert_uint_eq(use(0)->live, 0);
	ck_assert_uint_eq(use(0)->leaked, 1000);
	ck_assert_uint_eq(use(3)->leaked, 200);
	ck_assert_uint_eq(use(3)->held, 0);
	/* The call site turns out to lie in a caching allocator. */
	feed_text(&feed, REC_SITE, 0x401000, SITE_IS_HELD, "c10::cuda::alloc");
	ck_assert_uint_eq(use(0)->leaked, 0);
	ck_assert_uint_eq(use(0)->held, 1000);
	ck_assert_uint_eq(use(3)->held, 200);
	ck_assert_uint_eq(feed_find(&feed, snapshot)->held, 1200);
}

TEST(suspects_by_device)
{
	int i;

	feed_process(&feed);
	feed_alloc(&feed, 0x10000, 1000);
	feed.device = 3;
	feed.site = 0x402000;
	for (i = 0; i < 40; i++) {
		feed.now += 10 * SECOND;
		feed_alloc(&feed, 0x100000 + (uint64_t)i * 0x1000, 100);
	}
	ck_assert_uint_gt(use(3)->suspect, 0);
	ck_assert_uint_eq(use(3)->suspect, feed_find(&feed, snapshot)->suspect);
	ck_assert_uint_eq(use(0)->suspect, 0);
	/* From now on the site allocates here and there: nobody can say where the rise lies. */
	feed.device = 0;
	feed_alloc(&feed, 0x900000, 100);
	ck_assert_ptr_nonnull(use(CUTOP_DEVICE_UNKNOWN));
	ck_assert_uint_eq(use(CUTOP_DEVICE_UNKNOWN)->suspect, feed_find(&feed, snapshot)->suspect);
	ck_assert_uint_eq(use(3)->suspect, 0);
}

TEST(the_last_holder_frees)
{
	struct snapshot *shared;

	feed_process(&feed);
	shared = feed_snapshot(&feed);
	ck_assert_ptr_eq(snapshot_hold(shared), shared);
	snapshot_free(shared);
	ck_assert_uint_eq(shared->process_count, 1);
	snapshot_free(shared);
}
