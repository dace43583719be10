/* SPDX-License-Identifier: GPL-2.0-or-later */
/* History: an hour at falling resolution, in little memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cast.h"

/* One that lets a test set all that is sampled of the first process. */
static void feed_at(struct history *history, struct snapshot *snapshot, double elapsed)
{
	snapshot->elapsed_seconds = elapsed;
	history_feed(history, snapshot);
}

START_TEST(latest_are_kept_as_they_came)
{
	struct history history = { .all = { .key = 0 } };
	struct snapshot *snapshot = cast_snapshot(0);
	const struct track *track;

	for (int i = 0; i < HISTORY_SAMPLES + 100; i++) {
		snapshot->live = (uint64_t)i;
		snapshot->processes[0].live = (uint64_t)i * 2;
		snapshot->processes[3].failed_allocations = (uint64_t)(i / 10);
		feed_at(&history, snapshot, i);
		ck_assert_double_eq(track_value(&history.all, SERIES_LIVE, 0), i);
		ck_assert_double_eq(track_time(&history.all, 0), i);
		if (i > 40)
			ck_assert_double_eq(track_value(&history.all, SERIES_LIVE, 40), i - 40);
	}
	/* 0 to 99 are in stretches: the first and the last are alone in theirs. */
	ck_assert_uint_eq(track_count(&history.all), HISTORY_SAMPLES + 51);
	ck_assert_double_eq(track_value(&history.all, SERIES_LIVE, HISTORY_SAMPLES - 1), 100);
	ck_assert_double_eq(track_value(&history.all, SERIES_LIVE, HISTORY_SAMPLES + 1), 97.5);
	ck_assert_double_eq(track_time(&history.all, HISTORY_SAMPLES + 1), 98);
	ck_assert(isnan(track_value(&history.all, SERIES_LIVE, HISTORY_SAMPLES + 51)));
	ck_assert(isnan(track_value(NULL, SERIES_LIVE, 0)));
	ck_assert_uint_eq(track_count(NULL), 0);
	track = history_find(&history, CAST_LEAKER);
	ck_assert_double_eq(track_value(track, SERIES_LIVE, 1), 2 * (HISTORY_SAMPLES + 98));
	ck_assert_ptr_null(history_find(&history, 99));
	snapshot->process_count = 2;
	feed_at(&history, snapshot, HISTORY_SAMPLES + 100);
	ck_assert_uint_eq(history.programs.count, 2);
	ck_assert_ptr_null(history_find(&history, CAST_FAILING));
	history_free(&history);
	snapshot_free(snapshot);
}
END_TEST

/* At any delay an hour is there, peaks are not averaged away, and a track stays in its bounds. */
START_TEST(an_hour)
{
	static const double delays[] = { 0.1, 1, 2.5, 10, 60 };

	for (size_t i = 0; i < 5; i++) {
		struct history history = { .all = { .key = 0 } };
		struct snapshot *snapshot = cast_snapshot(0);
		struct track_reading readings[72];
		const double end = 7200, from = end - HISTORY_SPAN;
		double sum = 0;
		size_t samples = (size_t)(end / delays[i]);

		snapshot->interval_seconds = delays[i];
		for (size_t j = 1; j <= samples; j++) {
			double at = (double)j * delays[i];
			/* A peak of one sample, 50 minutes ago. */
			bool peak = at - delays[i] < end - 3000 && at >= end - 3000;

			snapshot->live = peak ? 1 << 30 : at < end - 1800 ? 1000000 : 3000000;
			feed_at(&history, snapshot, at);
		}
		ck_assert_msg(track_bytes(&history.all) <= 25000, "%zu bytes",
			      track_bytes(&history.all));
		track_read(&history.all, SERIES_LIVE, from, 50, 72, readings);
		for (size_t j = 0; j < 72; j++) {
			double expected = j < 36 ? 1e6 : 3e6;

			ck_assert_msg(!isnan(readings[j].mean), "delay %g, %zu", delays[i], j);
			sum += readings[j].mean;
			/* Where it rises and at the peak, a stretch may lie on both sides. */
			if (j >= 10 && j <= 12)
				continue;
			if (j >= 34 && j <= 36)
				continue;
			ck_assert_double_eq_tol(readings[j].mean, expected, expected / 1000);
			ck_assert_double_eq_tol(readings[j].most, expected, expected / 1000);
		}
		ck_assert_double_eq_tol(fmax(readings[11].most, readings[12].most), 1 << 30,
					(1 << 30) / 1000.0);
		/* All that was there, is: the mean over the hour is right. */
		ck_assert_double_eq_tol(sum / 72,
					2e6 + ((1 << 30) - 1e6) * delays[i] / HISTORY_SPAN, 40000);
		history_free(&history);
		snapshot_free(snapshot);
	}
}
END_TEST

/* What was read of a past stretch once stays so, however much comes after. */
START_TEST(the_past_stands_still)
{
	struct history history = { .all = { .key = 0 } };
	struct snapshot *snapshot = cast_snapshot(0);
	struct track_reading before[16], after[16];

	for (int i = 1; i <= 2500; i++) {
		snapshot->live = (uint64_t)(i % 97) << 20;
		feed_at(&history, snapshot, i);
		if (i == 700)
			track_read(&history.all, SERIES_LIVE, 64, 32, 16, before);
	}
	track_read(&history.all, SERIES_LIVE, 64, 32, 16, after);
	for (int i = 0; i < 16; i++) {
		ck_assert_double_eq_tol(before[i].mean, after[i].mean, before[i].mean / 100);
		ck_assert_double_eq_tol(before[i].most, after[i].most, before[i].most / 1000);
	}
	history_free(&history);
	snapshot_free(snapshot);
}
END_TEST

/* Time counts, not the number of samples: a long interval is as wide as it was long. */
START_TEST(by_time)
{
	static const double times[] = { 10, 11, 12, 20, 20.5, 21 };
	struct history history = { .all = { .key = 0 } };
	struct snapshot *snapshot = cast_snapshot(0);
	struct track_reading readings[14];

	for (int i = 0; i < 6; i++) {
		snapshot->live = (uint64_t)i + 1;
		feed_at(&history, snapshot, times[i]);
	}
	track_read(&history.all, SERIES_LIVE, 8, 1, 14, readings);
	ck_assert(isnan(readings[0].mean));
	/* The first one's interval, too. */
	ck_assert_double_eq(readings[1].mean, 1);
	ck_assert_double_eq(readings[2].mean, 2);
	ck_assert_double_eq(readings[3].mean, 3);
	for (int i = 4; i < 12; i++)
		ck_assert_double_eq(readings[i].mean, 4);
	ck_assert_double_eq(readings[12].mean, 5.5);
	ck_assert_double_eq(readings[12].most, 6);
	ck_assert(isnan(readings[13].mean));
	history_free(&history);
	snapshot_free(snapshot);
}
END_TEST

static unsigned int marks_between(const struct track *track, double from, double to)
{
	struct track_reading reading;

	track_read(track, SERIES_LIVE, from, to - from, 1, &reading);
	return reading.marks;
}

/* Each thing that happens is marked once, when it did, for good. */
START_TEST(marks)
{
	struct history history = { .all = { .key = 0 } };
	struct snapshot *snapshot = cast_snapshot(0);
	struct snap_process *process = &snapshot->processes[0];
	const struct track *track;

	process->failures = process->failed_allocations = process->leaked = process->suspect = 0;
	for (int i = 0; i < CAST_COUNT; i++)
		snapshot->processes[i].exited = false;
	for (int i = 1; i <= 3000; i++) {
		process->failures += i == 100 || i == 200;
		process->failed_allocations += i == 200;
		process->leaked += i == 300;
		process->suspect = i >= 400;
		process->exited = i >= 2900;
		if (i == 1 || process->exited)
			process->live = 0;
		feed_at(&history, snapshot, i);
	}
	track = history_find(&history, process->program);
	ck_assert_uint_eq(marks_between(track, 64, 128), MARK_FAILURE);
	/* A failed allocation is a failed call, and is marked as the former only. */
	ck_assert_uint_eq(marks_between(track, 192, 224), MARK_NO_MEMORY);
	ck_assert_uint_eq(marks_between(track, 288, 320), MARK_LEAK);
	ck_assert_uint_eq(marks_between(track, 384, 416), MARK_SUSPECT);
	ck_assert_uint_eq(marks_between(track, 416, 2880), 0);
	ck_assert_uint_eq(marks_between(track, 2899, 2900), MARK_EXIT);
	ck_assert_uint_eq(marks_between(&history.all, 2899, 2900) & MARK_EXIT, MARK_EXIT);
	/* Its plot ends where it did. */
	ck_assert_double_le(track_time(track, 0), 2901);
	ck_assert_double_eq(track_time(&history.all, 0), 3000);
	history_free(&history);
	snapshot_free(snapshot);
}
END_TEST

/* What a replay has shown goes where it goes back, and comes again. */
START_TEST(rewound)
{
	struct history history = { .all = { .key = 0 } };
	struct snapshot *snapshot = cast_snapshot(0);
	size_t count;

	for (int i = 1; i <= 1000; i++) {
		snapshot->live = (uint64_t)i;
		feed_at(&history, snapshot, i);
	}
	count = track_count(&history.all);
	history_rewind(&history, 990);
	ck_assert_double_eq(track_time(&history.all, 0), 989);
	for (int i = 990; i <= 1000; i++)
		feed_at(&history, snapshot, i);
	ck_assert_uint_eq(track_count(&history.all), count);
	/* Into the stretches */
	history_rewind(&history, 401);
	ck_assert_double_lt(track_time(&history.all, 0), 401);
	ck_assert_double_ge(track_time(&history.all, 0), 398);
	ck_assert_double_lt(track_time(history_find(&history, CAST_TRAINER), 0), 401);
	feed_at(&history, snapshot, 401);
	ck_assert_double_eq(track_time(&history.all, 0), 401);
	history_rewind(&history, 0);
	ck_assert_uint_eq(track_count(&history.all), 0);
	history_free(&history);
	snapshot_free(snapshot);
}
END_TEST

/* What a jump left out is not made up, and known once it was played. */
START_TEST(jumped)
{
	struct history history = { .all = { .key = 0 } };
	struct snapshot *snapshot = cast_snapshot(0);
	struct track_reading reading;

	for (int i = 1; i <= 50; i++)
		feed_at(&history, snapshot, i);
	feed_at(&history, snapshot, 100);
	track_read(&history.all, SERIES_LIVE, 50, 49, 1, &reading);
	ck_assert(isnan(reading.mean));
	history_rewind(&history, 40);
	for (int i = 40; i <= 100; i++)
		feed_at(&history, snapshot, i);
	ck_assert_uint_eq(track_count(&history.all), 100);
	track_read(&history.all, SERIES_LIVE, 50, 49, 1, &reading);
	ck_assert(!isnan(reading.mean));
	history_free(&history);
	snapshot_free(snapshot);
}
END_TEST

/* A peak between two snapshots is one, though neither shows it. */
START_TEST(between_snapshots)
{
	struct history history = { .all = { .key = 0 } };
	struct snapshot *snapshot = cast_snapshot(0);
	struct snap_process *process = &snapshot->processes[0];
	struct track_reading readings[4];

	process->live = 1000;
	process->peak = 5000; /* that was before */
	feed_at(&history, snapshot, 1);
	feed_at(&history, snapshot, 2);
	process->peak = 9000;
	feed_at(&history, snapshot, 3);
	feed_at(&history, snapshot, 4);
	track_read(history_find(&history, process->program), SERIES_LIVE, 0, 1, 4, readings);
	for (int i = 0; i < 4; i++) {
		ck_assert_double_eq(readings[i].mean, 1000);
		ck_assert_double_eq(readings[i].most, i == 2 ? 9000 : 1000);
	}
	history_free(&history);
	snapshot_free(snapshot);
}
END_TEST

START_TEST(devices)
{
	struct history history = { .all = { .key = 0 } };
	struct snapshot *snapshot = cast_snapshot(0);
	const struct snap_device *device;
	const struct track *track;
	struct track_reading reading;

	cast_devices(snapshot);
	for (int i = 1; i <= 500; i++)
		feed_at(&history, snapshot, i);
	ck_assert_uint_eq(history.devices.count, snapshot->device_count);
	for (size_t i = 0; i < snapshot->device_count; i++) {
		device = &snapshot->devices[i];
		track = history_device(&history, device->device);
		ck_assert_double_eq_tol(track_value(track, SERIES_DEVICE_USED, 0),
					(double)(device->has_used ? device->used : device->tracked),
					1e4);
		/* What the driver does not say is unknown, also when it is long ago. */
		track_read(track, SERIES_DEVICE_TEMPERATURE, 1, 100, 1, &reading);
		ck_assert_int_eq(isnan(reading.mean), isnan(device->temperature));
		if (!isnan(device->temperature))
			ck_assert_double_eq_tol(reading.mean, device->temperature, 0.1);
		track_read(track, SERIES_DEVICE_BUSY, 1, 100, 1, &reading);
		if (!isnan(device->utilization))
			ck_assert_double_eq_tol(reading.mean, device->utilization, 0.001);
	}
	ck_assert_ptr_null(history_device(&history, 77));
	snapshot->device_count = 1;
	feed_at(&history, snapshot, 501);
	ck_assert_uint_eq(history.devices.count, 1);
	history_free(&history);
	snapshot_free(snapshot);
}
END_TEST

Suite *suite_history(void)
{
	Suite *suite = suite_create("history");
	TCase *tests = tcase_create("history");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, latest_are_kept_as_they_came);
	tcase_add_test(tests, an_hour);
	tcase_add_test(tests, the_past_stands_still);
	tcase_add_test(tests, by_time);
	tcase_add_test(tests, marks);
	tcase_add_test(tests, rewound);
	tcase_add_test(tests, jumped);
	tcase_add_test(tests, between_snapshots);
	tcase_add_test(tests, devices);
	suite_add_tcase(suite, tests);
	return suite;
}
