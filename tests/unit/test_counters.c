/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of the counter maps: launches and kernel names, calls, failures, rates, percentiles. */
#include <math.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/counters.h"
#include "model/allocations.h"
#include "model/limits.h"
#include "one_process.h"
#include "util/util.h"
#include "run_tests.h"

static const struct snap_call *find_call(unsigned int call)
{
	size_t i;

	for (i = 0; i < process->call_count; i++)
		if (process->call_list[i].call == call)
			return &process->call_list[i];
	return NULL;
}

FIXTURE(setup, teardown);

TEST(rows_replace_and_rates_are_differences)
{
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 1000);
	look();
	ck_assert_uint_eq(process->launches, 1000);
	ck_assert(isnan(process->launches_per_second));
	ck_assert(isnan(snapshot->interval_seconds));
	ck_assert(isnan(snapshot->sync_share));
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 1000);
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 1500);
	feed.now += 2 * SECOND;
	look();
	ck_assert_uint_eq(process->launches, 1500);
	ck_assert_double_eq_tol(snapshot->interval_seconds, 2, 1e-9);
	ck_assert_double_eq_tol(process->launches_per_second, 250, 1e-6);
	ck_assert_double_eq_tol(process->kernels[0].launches_per_second, 250, 1e-6);
	ck_assert_double_eq_tol(snapshot->launches_per_second, 250, 1e-6);
	feed.now += 5000000;
	look();
	ck_assert(isnan(process->launches_per_second));
	ck_assert(isnan(process->kernels[0].launches_per_second));
	feed.now += SECOND;
	look();
	ck_assert_double_eq(process->launches_per_second, 0);
}

static void launched_with(uint32_t grid, uint32_t shared, uint64_t launches)
{
	struct launch_key key = { .program = feed.program,
				  .call = CALL_cudaLaunchKernel,
				  .function = 0x5000 };
	struct launch_row row = { .launches = launches,
				  .grid = { grid, 1, 1 },
				  .block = { 256, 1, 1 },
				  .shared_bytes = shared };

	ck_assert_int_eq(model_launch_row(feed.model, &key, &row), 0);
}

/* A row has one shape; those that were in it before are listed, each once, the last one first. */
TEST(shapes_are_collected)
{
	const struct snap_kernel *kernel;

	launched_with(64, 0, 1);
	launched_with(64, 0, 2);
	look();
	ck_assert_uint_eq(process->kernels[0].shape_count, 0);
	launched_with(128, 0, 3);
	launched_with(128, 4096, 4);
	launched_with(64, 0, 5);
	look();
	kernel = &process->kernels[0];
	ck_assert_uint_eq(kernel->shape_count, 3);
	ck_assert(!kernel->more_shapes);
	ck_assert_uint_eq(kernel->shapes[0].grid[0], 64);
	ck_assert_uint_eq(kernel->shapes[1].grid[0], 128);
	ck_assert_uint_eq(kernel->shapes[1].shared_bytes, 4096);
	ck_assert_uint_eq(kernel->shapes[2].shared_bytes, 0);
	for (uint32_t grid = 1; grid <= 20; grid++)
		launched_with(grid, 0, 5 + grid);
	look();
	kernel = &process->kernels[0];
	ck_assert_uint_eq(kernel->shape_count, SHAPES_MAX);
	ck_assert(kernel->more_shapes);
	for (uint32_t i = 0; i < SHAPES_MAX; i++)
		ck_assert_uint_eq(kernel->shapes[i].grid[0], 20 - i);
}

static const char *shown_of(const char *signature)
{
	for (size_t i = 0; i < process->kernel_count; i++)
		if (!strcmp(process->kernels[i].signature, signature))
			return process->kernels[i].shown;
	return "none";
}

/* Names that would read alike have what tells them apart, and no others. */
TEST(kernels_are_told_apart)
{
	static const char *const symbols[] = { "_ZN2ns5scaleIfEEvPT_i", "_ZN2ns5scaleIdEEvPT_i",
					       "_Z3addPfi", "_Z3addPdi", "_ZN2ns4onceIfEEvPT_i" };
	struct fail_key key = { .program = feed.program,
				.call = CALL_cudaLaunchKernel,
				.result = 9 };
	struct fail_row row = { .count = 1 };
	struct rec_fail_at fail = { .fail = { .hdr = { .type = REC_FAIL,
						       .size = sizeof(fail),
						       .program = feed.program,
						       .time = feed.now,
						       .tgid = feed.pid },
					      .site = 0x402000,
					      .result = 9,
					      .call = CALL_cudaLaunchKernel },
				    .function = 0x5001 };

	for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
		feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000 + i, 3);
		feed_kernel(&feed, 0x5000 + i, 0x401230 + i, NAME_REGISTERED, symbols[i]);
	}
	feed_give(&feed, &fail, sizeof(fail));
	model_fail_row(feed.model, &key, &row);
	look();
	ck_assert_uint_eq(process->kernel_count, ARRAY_LEN(symbols));
	ck_assert_uint_eq(process->failure_count, 1);
	ck_assert_str_eq(process->failure_list[0].kernel, "ns::scale");
	ck_assert_str_eq(process->failure_list[0].shown, "ns::scale<double>");
	ck_assert_str_eq(shown_of("void ns::scale<float>(float*, int)"), "ns::scale<float>");
	ck_assert_str_eq(shown_of("void ns::scale<double>(double*, int)"), "ns::scale<double>");
	ck_assert_str_eq(shown_of("add(float*, int)"), "add(float*, int)");
	ck_assert_str_eq(shown_of("add(double*, int)"), "add(double*, int)");
	ck_assert_str_eq(shown_of("void ns::once<float>(float*, int)"), "ns::once");
	for (size_t i = 0; i < process->kernel_count; i++)
		ck_assert(!strchr(process->kernels[i].name, '<'));
}

TEST(kernels_have_names)
{
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 3);
	feed_kernel(&feed, 0x5000, 0x401230, NAME_REGISTERED, "_ZN2ns5scaleIfEEvPT_i");
	look();
	ck_assert_uint_eq(process->kernel_count, 1);
	ck_assert_str_eq(process->kernels[0].name, "ns::scale");
	ck_assert_str_eq(process->kernels[0].signature, "void ns::scale<float>(float*, int)");
	ck_assert_str_eq(process->kernels[0].symbol, "_ZN2ns5scaleIfEEvPT_i");
	ck_assert_uint_eq(process->kernels[0].grid[0], 64);
	ck_assert_uint_eq(process->kernels[0].block[0], 256);
	ck_assert_int_eq(process->kernels[0].device, 0);
	/* A weaker source does not take the name away. */
	feed_text(&feed, REC_NAME, 0x5000, NAME_SYMBOL, "stub_of_scale");
	look();
	ck_assert_str_eq(process->kernels[0].name, "ns::scale");
}

TEST(better_names_replace_weaker_ones)
{
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 3);
	look();
	ck_assert_str_eq(process->kernels[0].name, "0x5000");
	ck_assert_ptr_null(process->kernels[0].symbol);
	feed_module(&feed, 0x4000, 0x6000, 0x1000, "app\033[31m");
	look();
	ck_assert_str_eq(process->kernels[0].name, "app?[31m+0x2000");
	feed_text(&feed, REC_NAME, 0x5000, NAME_SYMBOL, "stub");
	look();
	ck_assert_str_eq(process->kernels[0].name, "stub");
	feed_kernel(&feed, 0x5000, 0, NAME_DRIVER, "_Z3addPf");
	look();
	ck_assert_str_eq(process->kernels[0].name, "add");
	ck_assert_str_eq(process->kernels[0].signature, "add(float*)");
}

TEST(unnamed_handle_is_shown_by_its_stub)
{
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x7fff0000, 3);
	feed_kernel(&feed, 0x7fff0000, 0x4100, NAME_NONE, "");
	feed_module(&feed, 0x4000, 0x6000, 0, "app");
	look();
	ck_assert_str_eq(process->kernels[0].name, "app+0x100");
	ck_assert_ptr_null(process->kernels[0].symbol);
}

TEST(unknown_handle_is_shown_by_where_it_is_launched)
{
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x7fff0000, 3);
	feed_kernel(&feed, 0x7fff0000, 0, NAME_NONE, "");
	feed_launched_at(&feed, 0x7fff0000, 0x4100, CALL_cudaLaunchKernel);
	look();
	/* Until it is known what lies there */
	ck_assert_str_eq(process->kernels[0].name, "0x7fff0000");
	feed_module(&feed, 0x4000, 0x6000, 0x200, "app");
	look();
	ck_assert_str_eq(process->kernels[0].name, "app+0x300");
	ck_assert_ptr_null(process->kernels[0].symbol);
	/* In a driver program one place may launch everything. */
	feed_launched_at(&feed, 0x7fff0000, 0x4200, CALL_cuLaunchKernel);
	look();
	ck_assert_str_eq(process->kernels[0].name, "app+0x400 0x7fff0000");
	/* A stub in a file says more, a name most. */
	feed_kernel(&feed, 0x7fff0000, 0x4800, NAME_NONE, "");
	look();
	ck_assert_str_eq(process->kernels[0].name, "app+0xa00");
	feed_text(&feed, REC_NAME, 0x7fff0000, NAME_SYMBOL, "_Z3addPf");
	feed_launched_at(&feed, 0x7fff0000, 0x4100, CALL_cudaLaunchKernel);
	look();
	ck_assert_str_eq(process->kernels[0].name, "add");
}

TEST(rows_of_one_kernel_are_merged)
{
	feed_launches(&feed, CALL_cudaLaunchKernel, 0xa000, 10);
	feed_launches(&feed, CALL_cudaLaunchKernel, 0xb000, 20);
	feed_launches(&feed, CALL_cudaLaunchKernel_ptsz, 0xa000, 5);
	feed_kernel(&feed, 0xa000, 0x4100, NAME_REGISTERED, "_Z3addPf");
	feed_kernel(&feed, 0xb000, 0x4100, NAME_REGISTERED, "_Z3addPf");
	feed.device = 1;
	feed_launches(&feed, CALL_cudaLaunchKernel, 0xa000, 7);
	feed.device = 0;
	feed_launches(&feed, CALL_cudaLaunchKernel, 0xc000, 100);
	look();
	ck_assert_uint_eq(process->kernel_count, 3);
	ck_assert_uint_eq(process->kernels[0].launches, 100);
	ck_assert_str_eq(process->kernels[0].name, "0xc000");
	ck_assert_uint_eq(process->kernels[1].launches, 35);
	ck_assert_uint_eq(process->kernels[1].function, 0xb000);
	ck_assert_uint_eq(process->kernels[2].launches, 7);
	ck_assert_int_eq(process->kernels[2].device, 1);
	ck_assert_uint_eq(process->launches, 142);
	ck_assert_uint_eq(process->device_count, 2);
	ck_assert_str_eq(process->device_list, "0-1");
	ck_assert_uint_eq(find_call(CALL_cudaLaunchKernel)->calls, 137);
	ck_assert_uint_eq(find_call(CALL_cudaLaunchKernel_ptsz)->calls, 5);
}

TEST(device_list_is_ranges)
{
	static const int used[] = { 0, 2, 3, 4, 9, 1023 };
	size_t i;

	look();
	ck_assert_str_eq(process->device_list, "");
	for (i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
		feed.device = used[i];
		feed_launches(&feed, CALL_cudaLaunchKernel, 0xa000, 7);
	}
	look();
	ck_assert_str_eq(process->device_list, "0,2-4,9,1023");
	ck_assert_uint_eq(process->device_count, 6);
	ck_assert_int_eq(process->devices[5], 1023);
}

static const struct snap_call *call_of(unsigned int call)
{
	size_t i;

	for (i = 0; i < process->call_count; i++)
		if (process->call_list[i].call == call)
			return &process->call_list[i];
	ck_abort_msg("no %s among the calls", call_name(call));
}

TEST(a_row_replaces_the_earlier)
{
	struct call_key key = { .program = feed.program, .call = CALL_cudaStreamCreate };
	struct call_row row = { .calls = 2, .failures = 1, .ns = 3000, .max_ns = 2000 };

	row.hist[4] = 2;
	ck_assert_int_eq(model_call_row(feed.model, &key, &row), 0);
	ck_assert_int_eq(model_call_row(feed.model, &key, &row), 0);
	look();
	ck_assert_uint_eq(process->call_count, 1);
	ck_assert_uint_eq(process->call_list[0].calls, 2);
	ck_assert_uint_eq(process->call_list[0].failures, 1);
	ck_assert_double_eq_tol(process->call_list[0].seconds, 3e-6, 1e-12);
	ck_assert_double_eq_tol(process->call_list[0].latency.max, 2e-6, 1e-12);
	ck_assert_uint_eq(process->calls, 2);
}

/*
 * Allocating and freeing calls have no row: their records are the count, failed ones and frees of
 * nothing too.
 */
TEST(allocations_and_frees_are_counted_from_their_records)
{
	feed_alloc(&feed, 0x10000, 5);
	feed_alloc(&feed, 0x20000, 5);
	ck_assert_int_eq(feed_alloc_as(&feed, CALL_cudaMalloc, KIND_DEVICE, 0, 5, 2), 0);
	feed_free(&feed, 0x10000, 0);
	feed_free(&feed, 0, 0);
	feed_free(&feed, 0x99999, 1);
	look();
	ck_assert_uint_eq(process->call_count, 2);
	ck_assert_uint_eq(call_of(CALL_cudaMalloc)->calls, 3);
	ck_assert_uint_eq(call_of(CALL_cudaMalloc)->failures, 1);
	ck_assert(call_of(CALL_cudaMalloc)->latency.max > 0);
	ck_assert_uint_eq(call_of(CALL_cudaFree)->calls, 3);
	ck_assert_uint_eq(call_of(CALL_cudaFree)->failures, 1);
	ck_assert_uint_eq(process->calls, 6);
	ck_assert_uint_eq(process->frees, 1);
}

TEST(failures_are_by_call_and_name)
{
	struct fail_key key = { .program = feed.program, .call = CALL_cudaMalloc, .result = 2 };
	struct fail_row row = { .count = 3, .first = 101 * SECOND, .last = 102 * SECOND };

	model_fail_row(feed.model, &key, &row);
	key.call = CALL_cudaMemcpy;
	key.result = 4711;
	row.count = 5;
	model_fail_row(feed.model, &key, &row);
	/* An echo repeats a failure, a poll's "not ready" is an answer: neither is one. */
	key.call = CALL_cudaGetLastError;
	model_fail_row(feed.model, &key, &row);
	key.call = CALL_cudaStreamQuery;
	key.result = 600;
	model_fail_row(feed.model, &key, &row);
	look();
	ck_assert_uint_eq(process->failure_count, 2);
	ck_assert_str_eq(process->failure_list[0].error, "error 4711");
	ck_assert_str_eq(process->failure_list[1].error, "cudaErrorMemoryAllocation");
	ck_assert_uint_eq(process->failure_list[1].first, 1700000001 * SECOND);
	ck_assert_uint_eq(process->failure_list[1].last, 1700000002 * SECOND);
	ck_assert_uint_eq(process->failures, 8);
	ck_assert_uint_eq(snapshot->failures, 8);
}

TEST(failure_records_make_events)
{
	const char *text;

	feed_fail(&feed, CALL_cudaMemcpy, 1);
	feed_fail(&feed, CALL_cudaGetLastError, 1);
	feed_fail(&feed, CALL_cudaStreamQuery, 600);
	feed_fail(&feed, CALL_cudaDeviceSynchronize, 700);
	feed_fail(&feed, CALL_cudaMemcpy, 4711);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_FAILURE, &text), 2);
	ck_assert_str_eq(text, "cudaMemcpy failed with code 4711");
	ck_assert_uint_eq(count_events(snapshot, EVENT_FAULT, &text), 1);
	ck_assert_ptr_nonnull(
		strstr(text, "cudaDeviceSynchronize failed: cudaErrorIllegalAddress (700)"));
	ck_assert_uint_eq(process->failures, 0);
}

TEST(sampled_launches_are_marked)
{
	struct launch_key key = { .program = feed.program,
				  .call = CALL_cudaLaunchKernel,
				  .device = -1,
				  .function = 0x5000 };
	struct launch_row row = {
		.launches = 640, .samples = 10, .failures = 1, .sampled = 1, .max_ns = 70, .ns = 700
	};

	row.hist[0] = 10;
	model_launch_row(feed.model, &key, &row);
	look();
	ck_assert(process->sampled);
	ck_assert(process->kernels[0].sampled);
	ck_assert(process->call_list[0].sampled);
	ck_assert_uint_eq(process->call_list[0].calls, 640);
	ck_assert_uint_eq(process->kernels[0].samples, 10);
	ck_assert_double_eq_tol(process->kernels[0].latency.p50, 64e-9, 1e-15);
	ck_assert_double_eq_tol(process->kernels[0].latency.p99, 70e-9, 1e-15);
	ck_assert_uint_eq(process->device_count, 0);
}

TEST(waiting_is_a_share_of_the_interval)
{
	look();
	model_sync(feed.model, feed.program, 0);
	feed.now += SECOND;
	look();
	ck_assert_double_eq(process->sync_share, 0);
	model_sync(feed.model, feed.program, SECOND / 4);
	feed.now += SECOND;
	look();
	ck_assert_double_eq_tol(process->sync_share, 0.25, 1e-6);
	ck_assert_double_eq_tol(snapshot->sync_share, 0.25, 1e-6);
	model_sync(feed.model, feed.program, 3 * SECOND);
	feed.now += SECOND;
	look();
	ck_assert_double_eq(process->sync_share, 1);
	feed_exit(&feed, END_EXIT, 0);
	feed.now += SECOND;
	look();
	ck_assert_double_eq(process->sync_share, 0);
	feed.now += SECOND;
	look();
	ck_assert(isnan(process->sync_share));
	ck_assert_double_eq(process->sync_seconds, 3);
}

TEST(percentiles)
{
	uint64_t hist[CUTOP_HIST_BUCKETS] = { 0 };
	struct snap_latency latency = histogram_latency(hist, 0);

	ck_assert(isnan(latency.p50) && isnan(latency.p99) && isnan(latency.max));
	/* 100 samples in [128, 256): the median is in its middle. */
	hist[1] = 100;
	latency = histogram_latency(hist, 255);
	ck_assert_double_eq_tol(latency.p50 * 1e9, 192, 1e-9);
	ck_assert_double_eq_tol(latency.p99 * 1e9, 128 + 0.99 * 128, 1e-9);
	ck_assert_double_eq_tol(latency.max * 1e9, 255, 1e-9);
	/* The exact maximum caps them. */
	latency = histogram_latency(hist, 200);
	ck_assert_double_eq_tol(latency.p99 * 1e9, 200, 1e-9);
	/* 98 short, 2 long ones: p99 is half way through the long bucket. */
	hist[1] = 98;
	hist[10] = 2;
	latency = histogram_latency(hist, 1 << 17);
	ck_assert_double_eq_tol(latency.p50 * 1e9, 128 + 50.0 / 98 * 128, 1e-9);
	ck_assert_double_eq_tol(latency.p99 * 1e9, 65536 * 1.5, 1e-6);
	/* The last bucket ends at the maximum. */
	memset(hist, 0, sizeof(hist));
	hist[CUTOP_HIST_BUCKETS - 1] = 2;
	latency = histogram_latency(hist, 1ull << 40);
	ck_assert_double_eq_tol(latency.p50,
				((double)(1ull << 37) + (double)(1ull << 40)) / 2 / 1e9, 1e-3);
	/* Of a single one all are known. */
	hist[CUTOP_HIST_BUCKETS - 1] = 1;
	latency = histogram_latency(hist, 1ull << 40);
	ck_assert_double_eq(latency.p50, latency.max);
	ck_assert_double_eq(latency.p99, latency.max);
}

TEST(keys_that_make_no_sense_are_refused)
{
	struct call_key call = { .program = feed.program, .call = CALL_COUNT };
	struct launch_key launch = { .program = feed.program, .call = CALL_cudaMalloc };
	struct copy_key copy = { .program = feed.program,
				 .call = CALL_cudaMemcpy,
				 .direction = DIR_COUNT };
	struct fail_key fail = { .program = feed.program, .call = 60000, .result = 1 };
	struct launch_row launch_row = { .launches = 1 };
	struct copy_row copy_row = { .calls = 1 };
	struct call_row call_row = { .calls = 1 };
	struct fail_row fail_row = { .count = 1 };

	model_call_row(feed.model, &call, &call_row);
	model_launch_row(feed.model, &launch, &launch_row);
	model_copy_row(feed.model, &copy, &copy_row);
	model_fail_row(feed.model, &fail, &fail_row);
	look();
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 4);
	ck_assert_uint_eq(process->calls + process->launches + process->failures, 0);
}

TEST(kernels_are_bounded)
{
	uint64_t i;

	for (i = 0; i < 65536 + 10; i++)
		feed_launches(&feed, CALL_cudaLaunchKernel, 0x1000 + i, 1);
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x1000 + i, 1);
	look();
	ck_assert_uint_eq(process->kernel_count, 65536);
	ck_assert_uint_eq(snapshot->lost[LOST_LAUNCH_ROWS], 1);
	ck_assert(process->inexact);
}
