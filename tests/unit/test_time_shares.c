/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a process's time goes: shares, estimates of launches, gaps between them, verdicts. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/stream.h"
#include "model/time_shares.h"
#include "one_process.h"
#include "run_tests.h"

#define MS 1000000ull

static void call_row(unsigned int call, uint64_t ns)
{
	struct call_key key = { .program = feed.program, .call = (__u16)call };
	struct call_row row = { .calls = 1, .ns = ns, .max_ns = ns };

	row.hist[20] = 1;
	model_call_row(feed.model, &key, &row);
}

static void copy_row(unsigned int mode, uint64_t ns)
{
	struct copy_key key = { .program = feed.program,
				.call = mode == COPY_ASYNC ? CALL_cudaMemcpyAsync : CALL_cudaMemcpy,
				.direction = DIR_H2D,
				.mode = (__u8)mode };
	struct copy_row row = { .calls = 1, .ns = ns, .max_ns = ns };

	row.hist[20] = 1;
	model_copy_row(feed.model, &key, &row);
}

static void launch_row(uint64_t launches, uint64_t samples, uint64_t ns, bool sampled)
{
	struct launch_key key = { .program = feed.program,
				  .call = CALL_cudaLaunchKernel,
				  .function = 0x5000 };
	struct launch_row row = {
		.launches = launches, .samples = samples, .ns = ns, .max_ns = ns, .sampled = sampled
	};

	row.hist[10] = samples; /* 65 to 131 us */
	model_launch_row(feed.model, &key, &row);
}

static void told(struct program_times times)
{
	struct rec_times record = {
		.hdr = { .type = REC_TIMES, .size = sizeof(record), .program = feed.program },
		.times = times
	};

	feed_give(&feed, &record, sizeof(record));
}

/* The same as versions before 0.3 recorded it. */
static void told_before(uint64_t threads)
{
	struct rec_times record = { .hdr = { .type = REC_TIMES,
					     .size = offsetof(struct rec_times, times.open_ns),
					     .program = feed.program },
				    .times.threads = threads };

	memset(record.times.open_ns, 0xff, sizeof(record.times.open_ns));
	feed_give(&feed, &record, record.hdr.size);
}

static void told_open(enum time_part part, uint64_t ns)
{
	struct program_times times = { .threads = 1 };

	times.open_ns[part] = ns;
	told(times);
}

/* A snapshot so long after the last. */
static void next_after(uint64_t ns)
{
	feed.now += ns;
	look();
}

/* A snapshot one second after the last. */
static void next(void)
{
	feed.now = feed.now / SECOND * SECOND + SECOND;
	look();
}

/* The same, of the whole run. */
static void next_whole(void)
{
	feed.now = feed.now / SECOND * SECOND + SECOND;
	snapshot_free(snapshot);
	snapshot = model_whole(feed.model, feed.now, 1000);
	ck_assert_ptr_nonnull(snapshot);
	process = feed_find(&feed, snapshot);
}

#define expect(member, part, value) \
	ck_assert_double_eq_tol(process->time.member[TIME_##part], value, 1e-3)

FIXTURE(setup, teardown);

TEST(parts_of_an_interval)
{
	told((struct program_times){ .threads = 1 });
	next();
	model_sync(feed.model, feed.program, 400 * MS);
	call_row(CALL_cudaDeviceSynchronize, 400 * MS);
	copy_row(COPY_SYNC, 100 * MS);
	copy_row(COPY_ASYNC, 20 * MS);
	launch_row(1000, 1000, 50 * MS, false);
	call_row(CALL_cudaGraphLaunch, 30 * MS);
	call_row(CALL_cudaStreamCreate, 10 * MS);
	next();
	ck_assert(process->time.is_known);
	ck_assert(!process->time.sampled);
	expect(share, SYNC, 0.4);
	expect(share, COPY, 0.12);
	expect(share, LAUNCH, 0.08);
	expect(share, OTHER, 0.01);
	expect(share, NONE, 0.39);
	expect(seconds, SYNC, 0.4);
	/* Nothing more happens: the next second is spent outside of calls. */
	next();
	expect(share, SYNC, 0);
	expect(share, LAUNCH, 0);
	expect(share, NONE, 1);
	expect(seconds, LAUNCH, 0.08);
	ck_assert_double_eq_tol(process->time.seconds[TIME_NONE], process->time.wall_seconds - 0.61,
				1e-3);
}

/* What stands behind the table has no part: its calls may be within others. */
TEST(functions_named_by_the_user_have_no_part)
{
	told((struct program_times){ .threads = 1 });
	feed_text(&feed, REC_EXTRA, CUTOP_EXTRA, EXTRA_RESULT_NONE, "twice");
	next();
	call_row(CUTOP_EXTRA, 600 * MS);
	call_row(CALL_cudaStreamCreate, 100 * MS);
	next();
	ck_assert_uint_eq(process->call_count, 2);
	expect(share, OTHER, 0.1);
	expect(share, NONE, 0.9);
}

/* A recording may lack their names. */
TEST(functions_without_a_name_are_not_one)
{
	call_row(CUTOP_EXTRA, MS);
	call_row(CUTOP_EXTRA + 12, MS);
	next();
	ck_assert_uint_eq(process->call_count, 2);
	for (size_t i = 0; i < process->call_count; i++) {
		const struct snap_call *call = &process->call_list[i];
		const char *name = call->call == CUTOP_EXTRA ? "?#0" : "?#12";

		ck_assert_str_eq(call->extra.symbol, name);
		ck_assert_str_eq(call->extra.brief, name);
	}
}

TEST(launches_are_estimated)
{
	struct program_times times = { .threads = 1, .certain = 1, .certain_ns = 50 * MS };

	told(times);
	launch_row(1, 1, 50 * MS, false);
	next();
	/* 1000 more, of which 10 were timed, 100 us each: the first one's 50 ms are not theirs. */
	times.drawn = 10;
	times.drawn_ns = 1 * MS;
	told(times);
	launch_row(1001, 11, 51 * MS, true);
	next();
	ck_assert(process->time.sampled);
	expect(share, LAUNCH, 0.1);
	expect(share, NONE, 0.9);
	expect(seconds, LAUNCH, 0.15);
	/* From then on they take 200 us: the mean of the interval counts, not that of all time. */
	times.drawn = 20;
	times.drawn_ns = 3 * MS;
	told(times);
	launch_row(2001, 21, 53 * MS, true);
	next();
	expect(share, LAUNCH, 0.2);
}

TEST(without_a_draw_the_median_counts)
{
	told((struct program_times){ .threads = 1, .certain = 2, .certain_ns = 51 * MS });
	next();
	launch_row(1000, 2, 51 * MS, true);
	next();
	/* The median of launches is 98 us; not the mean, 25 ms. */
	ck_assert_double_ge(process->time.share[TIME_LAUNCH], 0.06);
	ck_assert_double_le(process->time.share[TIME_LAUNCH], 0.14);
}

TEST(an_estimate_leaves_a_thread_its_other_calls)
{
	struct program_times times = { .threads = 1, .drawn = 1, .drawn_ns = 100 * MS };

	told(times);
	next();
	model_sync(feed.model, feed.program, 700 * MS);
	times.drawn++;
	times.drawn_ns += 100 * MS;
	told(times);
	launch_row(67, 2, 100 * MS, true);
	next();
	expect(share, SYNC, 0.7);
	expect(share, LAUNCH, 0.3);
	expect(share, NONE, 0);
}

TEST(threads_add_up)
{
	told((struct program_times){ .threads = 3 });
	next();
	copy_row(COPY_SYNC, 2500 * MS);
	next();
	ck_assert_uint_eq(process->time.threads, 3);
	expect(share, COPY, 2.5);
	expect(share, NONE, 0);
}

/* It begins, and 0.7, 0.6 and 0.6 s later there is a look, of which the last finds it returned. */
TEST(a_call_under_way_counts_in_each_interval)
{
	told_open(TIME_OTHER, 0);
	next();
	told_open(TIME_OTHER, 700 * MS);
	next_after(700 * MS);
	expect(share, OTHER, 1);
	expect(share, NONE, 0);
	expect(seconds, OTHER, 0.7);
	told_open(TIME_OTHER, 1300 * MS);
	next_after(600 * MS);
	expect(share, OTHER, 1);
	expect(seconds, OTHER, 1.3);
	told_open(TIME_OTHER, 0);
	call_row(CALL_cudaStreamCreate, 1450 * MS);
	next_after(600 * MS);
	expect(share, OTHER, 0.25);
	expect(share, NONE, 0.75);
	expect(seconds, OTHER, 1.45);
}

TEST(each_class_of_calls_counts_while_it_runs)
{
	for (int part = TIME_COPY; part < TIME_NONE; part++) {
		struct program_times times = { .threads = 1 };

		told(times);
		next();
		times.open_ns[part] = 500 * MS;
		told(times);
		next();
		for (int other = 0; other < TIME_NONE; other++)
			ck_assert_double_eq_tol(process->time.share[other], other == part ? 0.5 : 0,
						1e-3);
		expect(share, NONE, 0.5);
	}
}

/* Of a recording from before: what is too much for the interval was in those before. */
TEST(a_call_that_was_not_seen_under_way_fills_one_interval)
{
	told_before(1);
	next();
	model_sync(feed.model, feed.program, 120 * MS);
	call_row(CALL_cudaStreamCreate, 1300 * MS);
	next_after(600 * MS);
	expect(share, SYNC, 0.2);
	expect(share, OTHER, 0.8);
	expect(share, NONE, 0);
	next_after(600 * MS);
	expect(share, OTHER, 0);
	expect(share, NONE, 1);
	/* It is no longer than the program is watched, either. */
	call_row(CALL_cudaStreamCreate, 100 * SECOND);
	next();
	ck_assert_double_eq_tol(process->time.seconds[TIME_OTHER] + 0.12,
				process->time.wall_seconds, 1e-3);
}

/* What gives way are the kinds that add up, each by as much. */
TEST(threads_fill_no_more_than_their_time)
{
	told_before(2);
	next();
	model_sync(feed.model, feed.program, 500 * MS);
	copy_row(COPY_SYNC, 2000 * MS);
	call_row(CALL_cudaStreamCreate, 1000 * MS);
	next();
	expect(share, SYNC, 0.5);
	expect(share, COPY, 1);
	expect(share, OTHER, 0.5);
	expect(share, NONE, 0);
}

/* It returned between two looks, and counts in both; then it does not. */
TEST(a_call_that_counts_twice_fills_one_interval)
{
	told_open(TIME_COPY, 0);
	next();
	told_open(TIME_COPY, SECOND);
	next();
	told_open(TIME_COPY, 2 * SECOND);
	copy_row(COPY_SYNC, 2 * SECOND);
	next();
	expect(share, COPY, 1);
	told_open(TIME_COPY, 0);
	next();
	expect(share, COPY, 0);
	copy_row(COPY_SYNC, 2100 * MS);
	next();
	expect(share, COPY, 0.1);
}

TEST(an_ended_process_has_its_life)
{
	told_open(TIME_OTHER, 0);
	next();
	call_row(CALL_cudaStreamCreate, 300 * MS);
	feed.now += 500 * MS;
	feed_exit(&feed, END_EXIT, 0);
	next();
	ck_assert(isnan(process->time.share[TIME_OTHER]));
	ck_assert_double_eq_tol(process->time.wall_seconds, 1.5, 1e-3);
	expect(seconds, OTHER, 0.3);
	expect(seconds, NONE, 1.2);
}

TEST(the_whole_run)
{
	struct fail_key failing = { .program = feed.program, .call = CALL_cudaMalloc, .result = 2 };

	told_open(TIME_OTHER, 0);
	next();
	model_sync(feed.model, feed.program, 500 * MS);
	launch_row(3000, 3000, 100 * MS, false);
	copy_row(COPY_SYNC, 400 * MS);
	feed_copy(&feed, 0x1000, 0x2000, 6 * MIB, DIR_H2D, 0, 0);
	model_fail_row(feed.model, &failing, &(struct fail_row){ .count = 7 });
	next();
	ck_assert(!snapshot->is_whole);
	expect(share, SYNC, 0.5);
	ck_assert_double_eq_tol(process->launches_per_second, 3000, 1);
	ck_assert_double_eq_tol(snapshot->interval_seconds, 1, 1e-3);
	/* Nothing more happens, and then it ends: the last interval has nothing of it. */
	next();
	feed.now += 500 * MS;
	feed_exit(&feed, END_EXIT, 0);
	feed.now += 2 * SECOND;
	next();
	ck_assert_double_eq(process->launches_per_second, 0);
	ck_assert_double_eq(process->sync_share, 0);
	next_whole();
	ck_assert(snapshot->is_whole);
	ck_assert_double_eq_tol(snapshot->interval_seconds, 3.5, 1e-3);
	ck_assert_double_eq_tol(process->time.wall_seconds, 3.5, 1e-3);
	for (int part = 0; part < TIME_PARTS; part++)
		ck_assert_double_eq_tol(process->time.share[part],
					process->time.seconds[part] / 3.5, 1e-3);
	expect(share, SYNC, 0.5 / 3.5);
	expect(share, COPY, 0.4 / 3.5);
	ck_assert_double_eq_tol(process->sync_share, 0.5 / 3.5, 1e-3);
	ck_assert_double_eq_tol(process->launches_per_second, 3000 / 3.5, 1);
	ck_assert_double_eq_tol(process->kernels[0].launches_per_second, 3000 / 3.5, 1);
	ck_assert_double_eq_tol(process->copy_rate[DIR_H2D], 6.0 * MIB / 3.5, 1e3);
	ck_assert_double_eq_tol(snapshot->launches_per_second, 3000 / 3.5, 1);
	ck_assert_double_eq_tol(snapshot->copy_rate[DIR_H2D], 6.0 * MIB / 3.5, 1e3);
	ck_assert_double_eq_tol(process->failures_per_second, 2, 1e-3);
	ck_assert_double_eq_tol(snapshot->failures_per_second, 2, 1e-3);
	ck_assert_double_eq_tol(snapshot->sync_share, 0.5 / 3.5, 1e-3);
	/* A snapshot after it is of the interval again. */
	next();
	ck_assert(!snapshot->is_whole);
	ck_assert_double_eq(process->launches_per_second, 0);
	ck_assert_double_eq(process->kernels[0].launches_per_second, 0);
}

/* There are no rates of an interval so short, but of a life there are. */
TEST(a_short_life_has_rates)
{
	feed.now += 5 * MS;
	launch_row(100, 100, 0, false);
	feed_exit(&feed, END_EXIT, 0);
	next_whole();
	ck_assert_double_eq_tol(process->launches_per_second, 100 / 0.005, 100);
	ck_assert_double_eq_tol(process->kernels[0].launches_per_second, 100 / 0.005, 100);
	ck_assert_double_eq_tol(snapshot->launches_per_second, 100 / 0.005, 100);
}

/* Two programs, one after the other: rates of each are over its life, those of both over the run. */
TEST(programs_of_one_run)
{
	const struct snap_process *other;

	launch_row(1000, 1000, 0, false);
	next();
	feed_exit(&feed, END_EXIT, 0);
	next();
	feed.program++;
	feed.pid++;
	feed_process(&feed);
	launch_row(5000, 5000, 0, false);
	next();
	next_whole();
	ck_assert_uint_eq(snapshot->process_count, 2);
	other = &snapshot->processes[process == snapshot->processes];
	ck_assert_double_eq_tol(other->launches_per_second, 1000, 1);
	ck_assert_double_eq_tol(process->launches_per_second, 2500, 1);
	ck_assert_double_eq_tol(snapshot->interval_seconds, 4, 1e-3);
	ck_assert_double_eq_tol(snapshot->launches_per_second, 1500, 1);
}

TEST(older_recordings_and_unseen_returns_say_nothing)
{
	launch_row(100, 2, 1 * MS, true);
	next();
	ck_assert(!process->time.is_known);
	told((struct program_times){ .threads = 1 });
	next();
	ck_assert(process->time.is_known);
	model_unreturned(feed.model, feed.program, UNRETURNED_ASKED);
	next();
	ck_assert(!process->time.is_known);
}

TEST(gaps)
{
	struct program_times times = { .threads = 1, .gaps = 4, .gap_max_ns = 3 * MS };

	times.gap_hist[7] = 3 * 67; /* 8 to 16 us */
	times.gap_hist[15] = 67;    /* 2 to 4 ms */
	told(times);
	next();
	ck_assert_uint_eq(process->time.gaps, 4);
	ck_assert_uint_eq(process->time.gap_hist[7], 201);
	ck_assert_double_ge(process->time.gap.p50, 8e-6);
	ck_assert_double_le(process->time.gap.p50, 17e-6);
	ck_assert_double_eq_tol(process->time.gap.max, 3e-3, 1e-9);
}

/* ---- verdicts ---- */

static enum time_verdict verdict(double busy, double sync, double copy, double launch, double none,
				 uint64_t threads)
{
	int device = 0;
	struct snap_device devices[] = { { .device = 0, .utilization = busy } };
	struct snap_process one = {
		.devices = &device,
		.device_count = 1,
		.time = { .is_known = true,
			  .threads = threads,
			  .share = { sync, copy, launch, 0, none } },
	};
	struct snapshot all = {
		.devices = devices, .device_count = 1, .processes = &one, .process_count = 1
	};
	char text[VERDICT_TEXT];
	double told_busy;
	enum time_verdict result = time_verdict(&all, &one, &told_busy);

	/* There is a text if there is a verdict, and only a verdict has such words. */
	time_verdict_text(&all, &one, text);
	ck_assert_int_eq(result != VERDICT_NONE, *text != 0);
	ck_assert_int_eq(strstr(text, "CPU-bound") != NULL, result == VERDICT_OUTSIDE);
	return result;
}

TEST(verdicts)
{
	/* What is high or low, with a device that is not idle or of which nothing is known */
	ck_assert_int_eq(verdict(0.05, 0.1, 0.05, 0.1, 0.75, 1), VERDICT_OUTSIDE);
	ck_assert_int_eq(verdict(0.05, 0.1, 0.05, 0.1, 0.75, 4), VERDICT_OUTSIDE);
	ck_assert_int_eq(verdict(0.05, 0.1, 0.1, 0.15, 0.65, 1), VERDICT_NONE);
	ck_assert_int_eq(verdict(0.25, 0.1, 0.05, 0.1, 0.75, 1), VERDICT_NONE);
	ck_assert_int_eq(verdict(0.95, 0.1, 0.05, 0.1, 0.75, 1), VERDICT_NONE);
	ck_assert_int_eq(verdict(NAN, 0.1, 0.05, 0.1, 0.75, 1), VERDICT_NONE);
	ck_assert_int_eq(verdict(0.05, NAN, NAN, NAN, NAN, 1), VERDICT_NONE);

	ck_assert_int_eq(verdict(0.05, 0.6, 0.1, 0.1, 0.2, 1), VERDICT_WAITS);
	ck_assert_int_eq(verdict(0.9, 0.6, 0.1, 0.1, 0.2, 1), VERDICT_BUSY);
	ck_assert_int_eq(verdict(0.5, 0.6, 0.1, 0.1, 0.2, 1), VERDICT_NONE);

	ck_assert_int_eq(verdict(0.05, 0.1, 0.6, 0.1, 0.2, 1), VERDICT_COPIES);
	ck_assert_int_eq(verdict(0.05, 0.1, 0.1, 0.6, 0.2, 1), VERDICT_LAUNCHES);
	/* The time of several threads adds up: 60 % of one thread's is not most of theirs. */
	ck_assert_int_eq(verdict(0.05, 0.1, 0.6, 0.1, 0.2, 2), VERDICT_NONE);
	ck_assert_int_eq(verdict(0.05, 0.1, 0.1, 0.6, 0.2, 2), VERDICT_NONE);
}

TEST(verdicts_need_every_device)
{
	int numbers[] = { 0, 1 };
	struct snap_device devices[] = { { .device = 0, .utilization = 0.05 },
					 { .device = 1, .utilization = 0.6 } };
	struct snap_process one = {
		.devices = numbers,
		.device_count = 2,
		.time = { .is_known = true, .threads = 1, .share = { [TIME_NONE] = 1 } }
	};
	struct snapshot all = { .devices = devices, .device_count = 2 };
	double busy;

	ck_assert_int_eq(time_verdict(&all, &one, &busy), VERDICT_NONE);
	devices[1].utilization = 0.1;
	ck_assert_int_eq(time_verdict(&all, &one, &busy), VERDICT_OUTSIDE);
	ck_assert_double_eq_tol(busy, 0.1, 1e-9);
	all.device_count = 1;
	ck_assert_int_eq(time_verdict(&all, &one, &busy), VERDICT_NONE);
	all.device_count = 2;
	one.device_count = 0;
	ck_assert_int_eq(time_verdict(&all, &one, &busy), VERDICT_NONE);
	one.device_count = 2;
	one.exited = true;
	ck_assert_int_eq(time_verdict(&all, &one, &busy), VERDICT_NONE);
}
