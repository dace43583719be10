/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the driver says, beside the books: devices, untracked bytes, what is not known, and readings
 * that lie.
 */
#include <math.h>
#include <string.h>

#include "feed.h"
#include "model/stream.h"

static void clear(struct feed *feed)
{
	struct rec_hdr record = { .type = REC_READINGS, .size = sizeof(record) };

	ck_assert_int_eq(model_record(feed->model, &record, sizeof(record)), 0);
}

static void device(struct feed *feed, int number, const char *name, unsigned int known,
		   uint64_t used)
{
	struct rec_device_reading record = {
		.hdr = { .type = REC_DEVICE_READING, .size = sizeof(record) },
		.device = number,
		.known = known,
		.used = used,
		.total = 1000 * MIB,
		.utilization = 97,
		.temperature = 64,
		.power = 412300,
	};

	/* A name that fills its room has no end. */
	memcpy(record.name, name, strnlen(name, sizeof(record.name)));
	memcpy(record.uuid, "GPU-1234", 8);
	ck_assert_int_eq(model_record(feed->model, &record.hdr, sizeof(record)), 0);
}

static void process(struct feed *feed, uint32_t pid, bool known, uint64_t used)
{
	struct rec_process_reading record = {
		.hdr = { .type = REC_PROCESS_READING, .size = sizeof(record) },
		.pid = pid,
		.is_known = known,
		.used = used,
	};

	ck_assert_int_eq(model_record(feed->model, &record.hdr, sizeof(record)), 0);
}

#define ALL (READING_MEMORY | READING_UTILIZATION | READING_TEMPERATURE | READING_POWER)

START_TEST(nothing_said)
{
	struct snapshot *snapshot;
	struct feed feed;

	feed_begin(&feed);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->device_count, 0);
	snapshot_free(snapshot);
	/* What programs hold, and were told, is known all the same. */
	feed_process(&feed);
	feed_alloc(&feed, 0x1000, 5 * MIB);
	feed_size(&feed, 0, 100 * MIB);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->device_count, 1);
	ck_assert_int_eq(snapshot->devices[0].device, 0);
	ck_assert_uint_eq(snapshot->devices[0].tracked, 5 * MIB);
	ck_assert_uint_eq(snapshot->devices[0].total, 100 * MIB);
	ck_assert_ptr_null(snapshot->devices[0].name);
	ck_assert(!snapshot->devices[0].has_used);
	ck_assert(isnan(snapshot->devices[0].utilization));
	ck_assert(isnan(snapshot->devices[0].temperature));
	ck_assert(isnan(snapshot->devices[0].power));
	ck_assert(!feed_find(&feed, snapshot)->has_used);
	snapshot_free(snapshot);
	feed_end(&feed);
}
END_TEST

START_TEST(both_sides)
{
	struct snapshot *snapshot;
	struct feed feed;

	feed_begin(&feed);
	feed_process(&feed);
	feed.device = 2;
	feed_alloc(&feed, 0x1000, 5 * MIB);
	clear(&feed);
	device(&feed, 2, "H100", ALL, 80 * MIB);
	device(&feed, 0, "A\033[2J\n", READING_MEMORY | READING_POWER, 7 * MIB);
	process(&feed, feed.pid, true, 30 * MIB);
	process(&feed, feed.pid, true, 15 * MIB);     /* on another device */
	process(&feed, feed.pid + 1, true, 99 * MIB); /* nobody watched */
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->device_count, 2);
	ck_assert_int_eq(snapshot->devices[0].device, 0);
	ck_assert_str_eq(snapshot->devices[0].name, "A?[2J?");
	ck_assert_uint_eq(snapshot->devices[0].tracked, 0);
	ck_assert(isnan(snapshot->devices[0].utilization));
	ck_assert_int_eq(snapshot->devices[1].device, 2);
	ck_assert_str_eq(snapshot->devices[1].name, "H100");
	ck_assert_str_eq(snapshot->devices[1].uuid, "GPU-1234");
	ck_assert(snapshot->devices[1].has_used);
	ck_assert_uint_eq(snapshot->devices[1].used, 80 * MIB);
	ck_assert_uint_eq(snapshot->devices[1].total, 1000 * MIB);
	ck_assert_uint_eq(snapshot->devices[1].tracked, 5 * MIB);
	ck_assert_double_eq(snapshot->devices[1].utilization, 0.97);
	ck_assert_double_eq(snapshot->devices[1].temperature, 64);
	ck_assert_double_eq(snapshot->devices[1].power, 412.3);
	ck_assert(feed_find(&feed, snapshot)->has_used);
	ck_assert_uint_eq(feed_find(&feed, snapshot)->used, 45 * MIB);
	ck_assert_uint_eq(feed_find(&feed, snapshot)->untracked, 40 * MIB);
	snapshot_free(snapshot);
	/* It holds until the driver is asked anew, and not longer. */
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->devices[1].used, 80 * MIB);
	snapshot_free(snapshot);
	clear(&feed);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->device_count, 1);
	ck_assert(!snapshot->devices[0].has_used);
	ck_assert(!feed_find(&feed, snapshot)->has_used);
	snapshot_free(snapshot);
	feed_end(&feed);
}
END_TEST

START_TEST(odd_sums)
{
	struct snapshot *snapshot;
	struct feed feed;

	feed_begin(&feed);
	feed_process(&feed);
	feed_alloc(&feed, 0x1000, 50 * MIB);
	/* Less than is live: it was asked before the last allocation. */
	process(&feed, feed.pid, true, 30 * MIB);
	snapshot = feed_snapshot(&feed);
	ck_assert(feed_find(&feed, snapshot)->has_used);
	ck_assert_uint_eq(feed_find(&feed, snapshot)->untracked, 0);
	snapshot_free(snapshot);
	/* Of one device it is not known: then neither is the sum. */
	process(&feed, feed.pid, false, 0);
	snapshot = feed_snapshot(&feed);
	ck_assert(!feed_find(&feed, snapshot)->has_used);
	snapshot_free(snapshot);
	/* A pid that another program has by now. */
	clear(&feed);
	feed_exit(&feed, END_EXIT, 0);
	process(&feed, feed.pid, true, 30 * MIB);
	snapshot = feed_snapshot(&feed);
	ck_assert(!feed_find(&feed, snapshot)->has_used);
	snapshot_free(snapshot);
	feed_end(&feed);
}
END_TEST

START_TEST(lies)
{
	struct snapshot *snapshot;
	char name[200];
	struct feed feed;
	int i;

	feed_begin(&feed);
	feed_process(&feed);
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	device(&feed, -1, "none", ALL, MIB);
	device(&feed, 1 << 20, "none", ALL, MIB);
	device(&feed, 5, name, ALL, UINT64_MAX);
	device(&feed, 5, "again", ALL, UINT64_MAX);
	for (i = 0; i < 70000; i++)
		process(&feed, feed.pid, true, UINT64_MAX);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->device_count, 1);
	ck_assert_str_eq(snapshot->devices[0].name, "again");
	ck_assert_uint_eq(feed_find(&feed, snapshot)->used, UINT64_MAX);
	snapshot_free(snapshot);
	for (i = 0; i < 2000; i++)
		device(&feed, i, name, 0, 0);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_le(snapshot->device_count, 1024);
	ck_assert_uint_eq(strlen(snapshot->devices[0].name), READING_TEXT - 1);
	snapshot_free(snapshot);
	feed_end(&feed);
}
END_TEST

Suite *suite_readings(void)
{
	Suite *suite = suite_create("readings");
	TCase *tests = tcase_create("readings");

	tcase_add_test(tests, nothing_said);
	tcase_add_test(tests, both_sides);
	tcase_add_test(tests, odd_sums);
	tcase_add_test(tests, lies);
	suite_add_tcase(suite, tests);
	return suite;
}
