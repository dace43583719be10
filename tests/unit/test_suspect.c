/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rising-floor test, on the kinds of program that design.md names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"

#define WINDOW     (10 * SECOND) /* leak_age of feed_begin() */
#define LEAK_SITE  0x9000
#define CHURN_SITE 0x8000

static struct feed feed;

static void setup(void)
{
	feed_begin(&feed);
	feed_process(&feed);
}

static void teardown(void)
{
	feed_end(&feed);
}

FIXTURE(setup, teardown);

static uint64_t suspect_now(void)
{
	struct snapshot *snapshot = feed_snapshot(&feed);
	uint64_t bytes = feed_find(&feed, snapshot)->suspect;

	ck_assert(feed_find(&feed, snapshot)->has_suspect);
	snapshot_free(snapshot);
	return bytes;
}

TEST(weights_are_not)
{
	int i;

	for (i = 0; i < 100; i++)
		feed_alloc(&feed, 0x100000 + (uint64_t)i * 0x10000, 0x10000);
	for (i = 0; i < 200; i++) {
		feed.now += WINDOW / 3;
		ck_assert_uint_eq(suspect_now(), 0);
	}
}

/* Managed memory may leak, and is in no live: what of the suspect bytes is, is told apart. */
TEST(managed_is_suspect_beyond_live)
{
	struct snapshot *snapshot;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		feed.now += SECOND;
		feed.site = LEAK_SITE;
		feed.device = 1;
		feed_alloc_as(&feed, CALL_cudaMallocManaged, KIND_MANAGED,
			      0x100000 + i * 0x10000ull, 0x1000, 0);
		feed.site = CHURN_SITE;
		feed.device = 0;
		feed_alloc(&feed, 0x10000000 + i * 0x10000ull, 0x10);
	}
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_ge(feed_find(&feed, snapshot)->suspect, 10 * 0x1010);
	ck_assert_uint_gt(feed_find(&feed, snapshot)->suspect_live, 0);
	ck_assert_uint_le(feed_find(&feed, snapshot)->suspect_live, 100 * 0x10);
	ck_assert_uint_eq(feed_find(&feed, snapshot)->use_count, 2);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(feed_find(&feed, snapshot)->uses[i].device, (int)i);
		ck_assert_uint_gt(feed_find(&feed, snapshot)->uses[i].suspect, 0);
	}
	snapshot_free(snapshot);
}

TEST(sawtooth_is_not)
{
	unsigned int round, i, n = 0;

	/*
	 * A cache that grows for 25 seconds, is emptied, and grows again, ever so slightly larger.
	 */
	for (round = 0; round < 60; round++) {
		for (i = 0; i < 25; i++, n++) {
			feed.now += SECOND;
			feed_alloc(&feed, 0x100000 + i * 0x10000ull, 0x1000 + round);
			ck_assert_uint_eq(suspect_now(), 0);
		}
		for (i = 0; i < 25; i++)
			feed_free(&feed, 0x100000 + i * 0x10000ull, 0);
	}
}

TEST(ramp_that_levels_off_is_no_more)
{
	int i;

	for (i = 0; i < 60; i++) {
		feed.now += WINDOW;
		feed_alloc(&feed, 0x100000 + (uint64_t)i * 0x10000, 0x1000);
	}
	ck_assert_uint_gt(suspect_now(), 0);
	feed.now += 40 * WINDOW;
	ck_assert_uint_eq(suspect_now(), 0);
	feed.now += 5000 * WINDOW;
	ck_assert_uint_eq(suspect_now(), 0);
}

TEST(small_leak_among_churn_is_found)
{
	struct snapshot *snapshot;
	const struct snap_process *process;
	uint64_t i, suspects = 0, first;
	size_t j;

	/* 4 KiB per iteration are forgotten, megabytes come and go; 20 iterations a second. */
	for (i = 0; i < 20 * 120; i++) {
		feed.now += SECOND / 20;
		feed.site = CHURN_SITE;
		feed_alloc(&feed, 0x40000000, 8 * MIB + i % 7 * MIB);
		feed.site = LEAK_SITE;
		feed_alloc(&feed, 0x100000 + i * 0x1000, 4096);
		feed_free(&feed, 0x40000000, 0);
	}
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	/* Of two minutes, the first window is skipped and the last one open. */
	ck_assert_uint_ge(process->suspect, 90 * 20 * 4096ull);
	ck_assert_uint_le(process->suspect, 110 * 20 * 4096ull);
	for (j = 0; j < process->site_count; j++)
		ck_assert_uint_eq(process->sites[j].suspect,
				  process->sites[j].address == LEAK_SITE ? process->suspect : 0);
	first = 0x100000 + 20 * 10 * 0x1000;
	for (j = 0; j < process->map_count; j++) {
		suspects += process->map[j].state == ALLOC_SUSPECT;
		if (process->map[j].address < first)
			ck_assert_int_eq(process->map[j].state, ALLOC_LIVE);
	}
	ck_assert_uint_gt(suspects, 500);
	snapshot_free(snapshot);
	feed_exit(&feed, END_EXIT, 0);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->suspect, 0);
	ck_assert_uint_eq(process->leaked, 20 * 120 * 4096ull);
	snapshot_free(snapshot);
}

TEST(slow_leak_is_found)
{
	int i;

	/*
	 * One block a minute: no three windows of ten seconds in a row rise, but spans of eight do.
	 */
	feed_alloc(&feed, 0x50000000, MIB);
	for (i = 0; i < 60; i++) {
		feed.now += 60 * SECOND;
		feed_alloc(&feed, 0x100000 + (uint64_t)i * 0x10000, 4096);
	}
	ck_assert_uint_gt(suspect_now(), 40 * 4096);
	ck_assert_uint_le(suspect_now(), 60 * 4096);
}

static void grow(uint32_t flags, const char *name)
{
	int i;

	feed_text(&feed, REC_SITE, 0x401000, flags, name);
	for (i = 0; i < 60; i++) {
		feed.now += WINDOW;
		feed_alloc(&feed, 0x10000000 + (uint64_t)i * 2 * MIB, 2 * MIB);
	}
}

/* A handle for each call: the library holds them, and that is no use any more. */
TEST(held_sites_are)
{
	struct snapshot *snapshot;
	const struct snap_process *process;

	grow(SITE_IS_HELD, "cublasCreate_v2");
	ck_assert_uint_gt(suspect_now(), 40 * MIB);
	feed_exit(&feed, END_EXIT, 0);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_uint_eq(process->held, 120 * MIB);
	ck_assert_uint_gt(process->held_rising, 40 * MIB);
	ck_assert_uint_eq(process->sites[0].held_rising, process->held_rising);
	snapshot_free(snapshot);
}

/* A framework's cache grows as it may: what rises there are its blocks. */
TEST(caches_are_not)
{
	grow(SITE_IN_CACHE, "c10::cuda::alloc");
	ck_assert_uint_eq(suspect_now(), 0);
}

/* What the log says of objects, with its number of events of that kind; "": nothing. */
static const char *objects_told(size_t *count)
{
	static char text[256];
	struct snapshot *snapshot = feed_snapshot(&feed);

	*text = 0;
	*count = 0;
	for (size_t i = 0; i < snapshot->event_count; i++) {
		if (snapshot->events[i].kind != EVENT_SUSPECT)
			continue;
		snprintf(text, sizeof(text), "%s", snapshot->events[i].text);
		++*count;
	}
	snapshot_free(snapshot);
	return text;
}

static uint64_t events_rising(uint64_t *site_of)
{
	struct snapshot *snapshot = feed_snapshot(&feed);
	const struct snap_process *process = feed_find(&feed, snapshot);
	uint64_t rising = 0;

	for (size_t i = 0; i < process->object_site_count; i++) {
		rising += process->object_sites[i].rising;
		if (process->object_sites[i].rising)
			*site_of = process->object_sites[i].address;
	}
	ck_assert_uint_eq(process->suspect, 0);
	snapshot_free(snapshot);
	return rising;
}

/* Events that are made and not destroyed: by number, beside a pool that is filled once, and pairs. */
TEST(objects_rise_as_memory_does)
{
	uint64_t handle = 0, site = 0, rising;
	size_t count;

	feed.site = CHURN_SITE;
	for (unsigned int i = 0; i < 500; i++)
		feed_object(&feed, OBJECT_EVENT, CALL_cudaEventCreate, ++handle);
	for (unsigned int i = 0; i < 60; i++) {
		feed.now += WINDOW / 3;
		feed.site = CHURN_SITE;
		feed_object(&feed, OBJECT_EVENT, CALL_cudaEventCreate, 1ull << 32);
		feed.site = 0;
		feed_object(&feed, OBJECT_EVENT, CALL_cudaEventDestroy, 1ull << 32);
	}
	ck_assert_uint_eq(events_rising(&site), 0);
	for (unsigned int i = 0; i < 60; i++) {
		feed.now += WINDOW / 3;
		feed.site = LEAK_SITE;
		feed_object(&feed, OBJECT_EVENT, CALL_cudaEventCreate, ++handle);
	}
	rising = events_rising(&site);
	ck_assert_uint_gt(rising, 40);
	ck_assert_uint_le(rising, 60);
	ck_assert_uint_eq(site, LEAK_SITE);
	/* So few events are no news. */
	ck_assert_str_eq(objects_told(&count), "");
	for (unsigned int i = 0; i < 60; i++) {
		feed.now += WINDOW / 3;
		feed_object(&feed, OBJECT_EVENT, CALL_cudaEventCreate, ++handle);
	}
	objects_told(&count);
	ck_assert_ptr_nonnull(strstr(
		objects_told(&count),
		" events are made and not destroyed: their number keeps rising, most at 0x9000"));
	ck_assert_uint_eq(count, 1);
	/* And what rose until the end is known after it. */
	feed_exit(&feed, END_EXIT, 0);
	ck_assert_uint_gt(events_rising(&site), 100);
}

TEST(long_silence_costs_nothing)
{
	feed_alloc(&feed, 0x100000, 0x1000);
	feed.now += 1000000000ull * WINDOW / 100;
	feed_alloc(&feed, 0x200000, 0x1000);
	ck_assert_uint_eq(suspect_now(), 0);
}
