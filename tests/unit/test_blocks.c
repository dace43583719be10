/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The books of frameworks' allocators, fed with the reports that one makes, or should have made. */
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"

#include "cutop_allocator.h"
#include "model/stream.h"

#define WINDOW (10 * SECOND) /* leak_age of feed_begin() */
#define BASE   0x10000000000ull
#define CACHE  0x5000 /* a call site in the allocator */

static struct feed feed;
static struct {
	uint64_t allocated, reserved;
} totals[4]; /* by device: what the allocator says */

static void setup(void)
{
	memset(totals, 0, sizeof(totals));
	feed_begin(&feed);
	feed_process(&feed);
}

static void teardown(void)
{
	feed_end(&feed);
}

FIXTURE(setup, teardown);

static int report_as(int device, uint64_t address, int64_t bytes, bool has_totals,
		     unsigned int kind)
{
	struct rec_block record = {
		.hdr = { .type = REC_BLOCK,
			 .size = sizeof(record),
			 .program = feed.program,
			 .time = feed.now += 1000,
			 .tgid = feed.pid,
			 .tid = feed.pid },
		.address = address,
		.bytes = bytes,
		.allocated = totals[device & 3].allocated += (uint64_t)bytes,
		.reserved = totals[device & 3].reserved,
		.site = bytes > 0 ? feed.site : 0,
		.stack = bytes > 0 ? feed.stack : 0,
		.device = device,
		.allocator = (uint8_t)kind,
		.has_totals = has_totals,
	};

	return model_record(feed.model, &record.hdr, sizeof(record));
}

static void report(int device, uint64_t address, int64_t bytes)
{
	ck_assert_int_eq(report_as(device, address, bytes, true, ALLOCATOR_PYTORCH), 0);
}

static void report_short(int device, uint64_t bytes)
{
	struct rec_short record = {
		.hdr = { .type = REC_SHORT,
			 .size = sizeof(record),
			 .program = feed.program,
			 .time = feed.now += 1000,
			 .tgid = feed.pid,
			 .tid = feed.pid },
		.bytes = bytes,
		.allocated = totals[device].allocated,
		.reserved = totals[device].reserved,
		.site = feed.site,
		.device = device,
		.has_totals = 1,
	};

	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(record)), 0);
}

/* The allocator takes memory from the driver, on the feed's device. */
static void segment(uint64_t address, uint64_t bytes)
{
	uint64_t site = feed.site;

	feed.site = CACHE;
	feed_alloc(&feed, address, bytes);
	feed.site = site;
	totals[feed.device & 3].reserved += bytes;
}

static const struct snap_allocator *allocator_of(const struct snap_process *process, int device)
{
	for (size_t i = 0; i < process->allocator_count; i++)
		if (process->allocators[i].device == device)
			return &process->allocators[i];
	ck_abort_msg("no allocator on device %d", device);
}

/* What the program pays, and since when its blocks are given up; 0: they are not. */
static void cost(uint64_t paid_ns, uint64_t cpu_ns, uint64_t blocks_since)
{
	struct rec_cost record = {
		.hdr = { .type = REC_COST, .size = sizeof(record), .program = feed.program },
		.paid_ns = paid_ns,
		.cpu_ns = cpu_ns,
		.since = { [SPARE_BLOCKS] = blocks_since },
	};

	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(record)), 0);
}

/* ---- what it holds ---- */

TEST(totals_and_sites)
{
	const struct snap_allocator *allocator;
	const struct snap_process *process;
	struct snapshot *snapshot;

	segment(BASE, 20 * MIB);
	feed.site = 0x1000;
	report(0, BASE, MIB);
	report(0, BASE + MIB, 2 * MIB);
	feed.site = 0x2000;
	report(0, BASE + 8 * MIB, 512);
	report(0, BASE, -(int64_t)MIB);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	allocator = allocator_of(process, 0);
	ck_assert_str_eq(allocator->name, "pytorch");
	ck_assert_uint_eq(allocator->allocated, 2 * MIB + 512);
	ck_assert_uint_eq(allocator->reserved, 20 * MIB);
	ck_assert_uint_eq(allocator->peak_allocated, 3 * MIB + 512);
	ck_assert_uint_eq(allocator->blocks, 2);
	ck_assert_uint_eq(allocator->handed_out, 3);
	ck_assert_uint_eq(allocator->taken_back, 1);
	ck_assert(!allocator->from_attach && !allocator->inexact && !allocator->unknown);
	ck_assert_uint_eq(allocator->site_count, 2);
	ck_assert_uint_eq(allocator->sites[0].address, 0x1000);
	ck_assert_uint_eq(allocator->sites[0].live, 2 * MIB);
	ck_assert_uint_eq(allocator->sites[0].live_count, 1);
	ck_assert_uint_eq(allocator->sites[0].allocations, 2);
	ck_assert_uint_eq(allocator->sites[1].live, 512);
	ck_assert_uint_eq(process->tensors, 2 * MIB + 512);
	ck_assert_uint_eq(process->reserved, 20 * MIB);
	ck_assert_uint_eq(process->block_line_count, 2);
	ck_assert_uint_eq(process->block_lines[0].live, 2 * MIB);
	ck_assert_uint_eq(process->block_lines[1].blocks, 1);
	snapshot_free(snapshot);
	/* One line on another device: a line is one, wherever it allocates. */
	report(1, BASE, 512);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->block_line_count, 2);
	ck_assert_uint_eq(process->block_lines[1].live, 1024);
	ck_assert_uint_eq(process->block_lines[1].blocks, 2);
	/* The driver's books are what they are without. */
	ck_assert_uint_eq(process->live, 20 * MIB);
	ck_assert_uint_eq(process->live_allocations, 1);
	snapshot_free(snapshot);
}

TEST_LOOP(random_reports, 8)
{
	static struct {
		uint64_t bytes, site;
	} mine[3][64];
	unsigned int seed = (unsigned int)_i + 1, step;

	memset(mine, 0, sizeof(mine));
	for (step = 0; step < 4000; step++) {
		int device = rand_r(&seed) % 3, place = rand_r(&seed) % 64;
		uint64_t address = BASE + ((uint64_t)device << 36) + ((uint64_t)place << 24);

		if (mine[device][place].bytes) {
			report(device, address, -(int64_t)mine[device][place].bytes);
			mine[device][place].bytes = 0;
			continue;
		}
		mine[device][place].bytes = ((uint64_t)rand_r(&seed) % 30000 + 1) * 512;
		mine[device][place].site = feed.site = 0x1000 * (uint64_t)(rand_r(&seed) % 5 + 1);
		report(device, address, (int64_t)mine[device][place].bytes);
		if (step % 97 && step != 3999)
			continue;

		struct snapshot *snapshot = feed_snapshot(&feed);
		const struct snap_process *process = feed_find(&feed, snapshot);

		for (size_t i = 0; i < process->allocator_count; i++) {
			const struct snap_allocator *allocator = &process->allocators[i];
			uint64_t bytes[6] = { 0 }, all = 0, blocks = 0;

			for (place = 0; place < 64; place++) {
				uint64_t its = mine[allocator->device][place].bytes;

				bytes[mine[allocator->device][place].site / 0x1000] += its;
				all += its;
				blocks += its != 0;
			}
			ck_assert_uint_eq(allocator->allocated, all);
			ck_assert_uint_eq(allocator->unknown, 0);
			ck_assert_uint_eq(allocator->blocks, blocks);
			ck_assert(!allocator->inexact && !allocator->from_attach);
			for (size_t j = 0; j < allocator->site_count; j++)
				ck_assert_uint_eq(allocator->sites[j].live,
						  bytes[allocator->sites[j].address / 0x1000]);
		}
		snapshot_free(snapshot);
	}
}

TEST(older_versions_say_no_totals)
{
	const struct snap_allocator *allocator;
	struct snapshot *snapshot;

	ck_assert_int_eq(report_as(0, BASE, MIB, false, 0), 0);
	ck_assert_int_eq(report_as(0, BASE + MIB, MIB, false, 0), 0);
	ck_assert_int_eq(report_as(0, BASE, -(int64_t)MIB, false, 0), 0);
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), 0);
	ck_assert_uint_eq(allocator->allocated, MIB);
	ck_assert(!allocator->has_totals && !allocator->has_gaps && !allocator->inexact);
	ck_assert(!feed_find(&feed, snapshot)->has_reserved);
	snapshot_free(snapshot);
}

/* ---- what is missing ---- */

TEST(a_lost_report_is_told)
{
	const struct snap_allocator *allocator;
	struct snapshot *snapshot;

	report(0, BASE, MIB);
	totals[0].allocated += MIB; /* of a block that is not reported */
	report(0, BASE + 8 * MIB, MIB);
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), 0);
	ck_assert_uint_eq(allocator->allocated, 3 * MIB);
	ck_assert_uint_eq(allocator->unknown, MIB);
	ck_assert(allocator->inexact && !allocator->has_gaps);
	ck_assert(feed_find(&feed, snapshot)->inexact);
	snapshot_free(snapshot);
}

TEST(where_a_block_is_no_other_is)
{
	const struct snap_allocator *allocator;
	struct snapshot *snapshot;

	feed.site = 0x1000;
	report(0, BASE, MIB);
	report(0, BASE + MIB, MIB);
	totals[0].allocated -= 2 * MIB; /* both were taken back, which is not reported */
	feed.site = 0x2000;
	report(0, BASE + MIB / 2, MIB);
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), 0);
	ck_assert_uint_eq(allocator->allocated, MIB);
	ck_assert_uint_eq(allocator->blocks, 1);
	ck_assert_uint_eq(allocator->sites[0].address, 0x2000);
	ck_assert_uint_eq(allocator->sites[1].live, 0);
	ck_assert(allocator->inexact);
	snapshot_free(snapshot);
}

TEST(attached_late)
{
	const struct snap_allocator *allocator;
	struct snapshot *snapshot;

	totals[0].allocated = 7 * MIB;
	segment(BASE, 20 * MIB);
	report(0, BASE, MIB);
	report(0, BASE + 16 * MIB, -(int64_t)MIB); /* of one from before */
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), 0);
	ck_assert_uint_eq(allocator->allocated, 7 * MIB);
	ck_assert_uint_eq(allocator->unknown, 6 * MIB);
	ck_assert(allocator->from_attach && !allocator->inexact && !allocator->has_gaps);
	ck_assert(isnan(allocator->fragmentation));
	snapshot_free(snapshot);
	report(0, BASE + 4 * MIB, -6 * (int64_t)MIB);
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), 0);
	ck_assert_uint_eq(allocator->unknown, 0);
	ck_assert(allocator->has_gaps);
	snapshot_free(snapshot);
}

/* ---- segments and gaps ---- */

TEST(gaps)
{
	const struct snap_allocator *allocator;
	struct snapshot *snapshot;

	segment(BASE, 8 * MIB);
	segment(BASE + 8 * MIB, 4 * MIB); /* adjacent, but another one: no block lies in both */
	report(0, BASE + MIB, MIB);
	report(0, BASE + 4 * MIB, 4 * MIB);
	report(0, BASE + 8 * MIB, MIB / 2);
	report(0, BASE + 9 * MIB, 3 * MIB);
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), 0);
	ck_assert(allocator->has_gaps);
	ck_assert_uint_eq(allocator->segment_count, 2);
	ck_assert_uint_eq(allocator->segments[0].used, 5 * MIB);
	ck_assert_uint_eq(allocator->segments[0].blocks, 2);
	ck_assert_uint_eq(allocator->segments[0].largest_gap, 2 * MIB);
	ck_assert_uint_eq(allocator->segments[1].largest_gap, MIB / 2);
	ck_assert_uint_eq(allocator->free_in_segments, 3 * MIB + MIB / 2);
	ck_assert_uint_eq(allocator->largest_gap, 2 * MIB);
	ck_assert_uint_eq(allocator->largest_request, 4 * MIB);
	/* All gaps are smaller than that. */
	ck_assert_double_eq_tol(allocator->fragmentation, 3.5 / 12, 1e-9);
	snapshot_free(snapshot);
	/* The request of 4 MiB is forgotten after the second window with smaller ones. */
	feed.now += 31 * SECOND;
	report(0, BASE, MIB / 4);
	feed.now += 31 * SECOND;
	report(0, BASE + MIB / 4, MIB / 4);
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), 0);
	ck_assert_uint_eq(allocator->largest_request, MIB / 4);
	ck_assert_double_eq_tol(allocator->fragmentation, 0, 1e-9);
	snapshot_free(snapshot);
}

TEST(a_block_across_mapped_pieces)
{
	const struct snap_allocator *allocator;
	struct snapshot *snapshot;
	uint64_t i;

	for (i = 0; i < 4; i++) {
		feed_alloc_as(&feed, CALL_cuMemCreate, KIND_PHYSICAL, 0x700 + i, 2 * MIB, 0);
		feed_map(&feed, MAP_PLACE, BASE + i * 2 * MIB, 2 * MIB, 0x700 + i);
		totals[0].reserved += 2 * MIB;
	}
	report(0, BASE + MIB, 5 * MIB);
	feed_text(&feed, REC_SITE, feed.site, SITE_IN_CACHE, "expand (libc10_cuda.so)");
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), 0);
	ck_assert(allocator->has_gaps);
	ck_assert_uint_eq(allocator->segment_count, 1);
	ck_assert_uint_eq(allocator->segments[0].end - allocator->segments[0].start, 8 * MIB);
	ck_assert_uint_eq(allocator->free_in_segments, 3 * MIB);
	ck_assert_uint_eq(allocator->largest_gap, 2 * MIB);
	snapshot_free(snapshot);
}

/* What is given back to the driver is not reported; a segment without a block is one by its site. */
TEST(given_back_unreported)
{
	const struct snap_allocator *allocator;
	struct snapshot *snapshot;

	feed_text(&feed, REC_SITE, CACHE, SITE_IN_CACHE, "grow (libc10_cuda.so)");
	segment(BASE, 2 * MIB);
	segment(BASE + 32 * MIB, 20 * MIB);
	report(0, BASE, MIB);
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), 0);
	ck_assert_uint_eq(allocator->reserved, 22 * MIB);
	ck_assert_uint_eq(allocator->free_in_segments, 21 * MIB);
	snapshot_free(snapshot);
	feed_free(&feed, BASE + 32 * MIB, 0);
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), 0);
	ck_assert_uint_eq(allocator->reserved, 2 * MIB);
	ck_assert_uint_eq(allocator->free_in_segments, MIB);
	snapshot_free(snapshot);
	/* Nor is what was taken since: gaps are a share of that, too, or they could exceed 1. */
	totals[0].reserved = 2 * MIB;
	report(0, BASE + MIB, MIB);
	segment(BASE + 64 * MIB, MIB / 2);
	segment(BASE + 96 * MIB, 3 * MIB / 2);
	segment(BASE + 128 * MIB, MIB / 2);
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), 0);
	ck_assert_double_eq_tol(allocator->fragmentation, 1 / 4.5, 1e-9);
	snapshot_free(snapshot);
}

/* Where the program selects no device, the block tells on which one its segment is. */
TEST(the_block_tells_the_device)
{
	const struct snap_process *process;
	struct snapshot *snapshot;

	feed.device = CUTOP_DEVICE_UNKNOWN;
	segment(BASE, 2 * MIB);
	totals[1].reserved = 2 * MIB;
	report(1, BASE, MIB);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert(allocator_of(process, 1)->has_gaps);
	for (size_t i = 0; i < process->use_count; i++)
		ck_assert_uint_eq(process->uses[i].live,
				  process->uses[i].device == 1 ? 2 * MIB : 0);
	ck_assert_str_eq(process->device_list, "1");
	ck_assert_uint_eq(process->live, 2 * MIB);
	snapshot_free(snapshot);
	feed_free(&feed, BASE, 0);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(feed_find(&feed, snapshot)->live, 0);
	snapshot_free(snapshot);
}

/* ---- leaks ---- */

/* One MiB each second at one site, beside a block that stays and some that come and go. */
static void train(unsigned int seconds)
{
	unsigned int i;

	segment(BASE, 1024 * MIB);
	feed.site = 0x1000;
	report(0, BASE + 900 * MIB, 50 * MIB);
	for (i = 0; i < seconds; i++) {
		feed.now += SECOND;
		feed.site = 0x2000;
		report(0, BASE + i * MIB, MIB);
		feed.site = 0x3000;
		report(0, BASE + 800 * MIB, MIB);
		report(0, BASE + 800 * MIB, -(int64_t)MIB);
	}
}

TEST(what_rises_and_what_stays)
{
	const struct snap_allocator *allocator;
	const struct snap_process *process;
	struct snapshot *snapshot;
	size_t i;

	train(100);
	for (int ended = 0; ended < 2; ended++) {
		snapshot = feed_snapshot(&feed);
		process = feed_find(&feed, snapshot);
		allocator = allocator_of(process, 0);
		ck_assert(allocator->is_judged && process->tensors_judged);
		for (i = 0; i < allocator->site_count; i++)
			ck_assert_int_eq(allocator->sites[i].suspect > 0,
					 allocator->sites[i].address == 0x2000);
		ck_assert_uint_ge(allocator->rising, 70 * MIB);
		ck_assert_uint_le(allocator->rising, 100 * MIB);
		ck_assert_uint_eq(process->tensors_rising, allocator->rising);
		ck_assert_uint_eq(process->tensors_ended, ended ? 150 * MIB : 0);
		ck_assert_uint_eq(process->tensors, ended ? 0 : 150 * MIB);
		/* What rose is the first of what has ended. */
		if (ended)
			ck_assert_uint_eq(process->block_lines[0].rising, allocator->rising);
		snapshot_free(snapshot);
		if (!ended)
			feed_exit(&feed, END_EXIT, 0);
	}
}

TEST(too_short_to_tell)
{
	const struct snap_process *process;
	struct snapshot *snapshot;

	train(30);
	feed_exit(&feed, END_EXIT, 0);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert(!process->tensors_judged);
	ck_assert_uint_eq(process->tensors_rising, 0);
	ck_assert_uint_eq(process->tensors_ended, 80 * MIB);
	snapshot_free(snapshot);
}

/* Sizes speak against a cache; that it reports its blocks proves that it is on. */
TEST(who_reports_caches)
{
	const struct snap_process *process;
	struct snapshot *snapshot;

	feed_text(&feed, REC_SITE, CACHE, SITE_IN_CACHE, "grow (libc10_cuda.so)");
	segment(BASE, 3 * MIB + 512);
	report(0, BASE, MIB);
	feed_exit(&feed, END_EXIT, 0);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->leaked, 0);
	/* One MiB of it was a tensor: only the rest was kept by the cache, on its device as well. */
	ck_assert_uint_eq(process->tensors_ended, MIB);
	ck_assert_uint_eq(process->held, 2 * MIB + 512);
	ck_assert_uint_eq(process->use_count, 1);
	ck_assert_uint_eq(process->uses[0].held, 2 * MIB + 512);
	ck_assert_uint_eq(process->held_unproven, 0);
	snapshot_free(snapshot);
}

/* ---- no memory ---- */

TEST(no_memory)
{
	const struct snap_event *event;
	struct snapshot *snapshot;
	const char *text;

	segment(BASE, 20 * MIB);
	segment(BASE + 64 * MIB, 20 * MIB);
	feed.site = 0x1000;
	report(0, BASE, 4 * MIB);
	feed.site = 0x2000;
	report(0, BASE + 8 * MIB, 10 * MIB);
	feed_free(&feed, BASE + 64 * MIB, 0);
	totals[0].reserved -= 20 * MIB;
	/* What the driver refuses is no event: the allocator may free some, and says it if not. */
	feed_text(&feed, REC_SITE, 0x3000, SITE_IN_CACHE, "alloc_block (libc10_cuda.so)");
	feed.site = 0x3000;
	feed_alloc_as(&feed, CALL_cudaMalloc, KIND_DEVICE, 0, 1ull << 40, 2);
	feed.site = 0x2000;
	report_short(0, 1ull << 40);
	report_short(0, 1ull << 40);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(count_events(snapshot, EVENT_OUT_OF_MEMORY, &text), 1);
	ck_assert_str_eq(
		text,
		"pytorch: out of memory: 1.0T asked for at 0x2000 on device 0; 14.0M of the 20.0M that it has are in "
		"tensors, 10.0M from 0x2000; 6.0M are free, at most 4.0M in one piece; held there: 4242 python 20.0M");
	event = find_event(snapshot, EVENT_OUT_OF_MEMORY, 0);
	ck_assert_uint_eq(event->repeated, 1);
	ck_assert_uint_eq(event->bytes, 1ull << 40);
	ck_assert_uint_eq(event->detail->asked, 1ull << 40);
	ck_assert_uint_eq(event->detail->reserved, 20 * MIB);
	ck_assert_uint_eq(event->detail->line_count, 2);
	ck_assert_uint_eq(event->detail->lines[0].live, 10 * MIB);
	ck_assert_uint_eq(allocator_of(feed_find(&feed, snapshot), 0)->shortages, 2);
	/* A request that no driver could fulfil says nothing about gaps. */
	ck_assert_uint_eq(allocator_of(feed_find(&feed, snapshot), 0)->largest_request, 10 * MIB);
	snapshot_free(snapshot);
	report_short(0, 5 * MIB + MIB / 2);
	report_short(0, 6 * MIB);
	snapshot = feed_snapshot(&feed);
	ck_assert_double_eq_tol(allocator_of(feed_find(&feed, snapshot), 0)->fragmentation, 0.3,
				1e-9);
	snapshot_free(snapshot);
}

/* ---- whatever it is told ---- */

TEST(nonsense)
{
	const struct snap_process *process;
	struct snapshot *snapshot;
	int i;

	ck_assert_int_ne(report_as(0, BASE, 0, true, 0), 0);
	ck_assert_int_ne(report_as(0, BASE, INT64_MIN, true, 0), 0);
	ck_assert_int_ne(report_as(0, BASE, INT64_MAX, true, 0), 0);
	ck_assert_int_ne(report_as(0, BASE, MIB, true, ALLOCATOR_KINDS + POOLS_MAX), 0);
	memset(totals, 0xff, sizeof(totals));
	for (i = -2; i < 200; i++)
		report_as(i, UINT64_MAX - 16, (int64_t)1 << 51, true, 0);
	report_as(0, UINT64_MAX - 16, -((int64_t)1 << 51), true, 0);
	report_as(0, 0, -1, false, 0);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_le(process->allocator_count, 64);
	ck_assert_uint_gt(snapshot->lost[LOST_MEMORY], 0);
	ck_assert_uint_ge(snapshot->lost[LOST_RECORD], 4);
	snapshot_free(snapshot);
	feed_exit(&feed, END_EXIT, 0);
	snapshot = feed_snapshot(&feed);
	snapshot_free(snapshot);
}

/* Sites without end, on each of many devices, share the room of a process. */
TEST(sites_without_end)
{
	struct snapshot *snapshot;
	size_t i, sites = 0;

	for (i = 0; i < 70000; i++) {
		feed.site = 0x100000 + i * 16;
		report_as((int)(i & 63), BASE + i * 512, 512, false, 0);
	}
	snapshot = feed_snapshot(&feed);
	for (i = 0; i < feed_find(&feed, snapshot)->allocator_count; i++) {
		const struct snap_allocator *allocator = &feed_find(&feed, snapshot)->allocators[i];
		uint64_t live = 0;

		for (size_t j = 0; j < allocator->site_count; j++)
			live += allocator->sites[j].live;
		ck_assert_uint_eq(live, allocator->allocated);
		sites += allocator->site_count;
	}
	ck_assert_uint_gt(sites, 65000);
	ck_assert_uint_lt(sites, 65536 + 2 * 64);
	snapshot_free(snapshot);
}

#define MANY 100000

/*
 * Blocks are unknown from when they are given up, and also of those that come after it may be that
 * older ones live on: totals are what the allocator says, and nothing counts as lost.
 */
TEST(given_up_and_taken_back)
{
	const struct snap_allocator *allocator;
	const struct snap_process *process;
	struct snapshot *snapshot;
	size_t i, told = 0;

	segment(BASE, 20 * MIB);
	feed.site = 0x1000;
	report(0, BASE, MIB);
	report(0, BASE + MIB, 2 * MIB);
	cost(30, 130, 0);
	snapshot_free(feed_snapshot(&feed));
	cost(50, 250, feed.now);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	/* Of 120 ns in the interval 20 were cutop's. */
	ck_assert_double_eq_tol(process->cost, 0.2, 1e-9);
	ck_assert(process->given_up[SPARE_BLOCKS] && !process->given_up[SPARE_LAUNCHES]);
	allocator = allocator_of(process, 0);
	ck_assert_uint_eq(allocator->blocks, 0);
	ck_assert_uint_eq(allocator->allocated, 3 * MIB);
	ck_assert_uint_eq(allocator->unknown, 3 * MIB);
	ck_assert(allocator->from_attach && !allocator->inexact);
	for (i = 0; i < snapshot->event_count; i++)
		told += snapshot->events[i].kind == EVENT_BUDGET;
	ck_assert_uint_eq(told, 1);
	snapshot_free(snapshot);

	totals[0].allocated += 4 * MIB; /* of which no report came */
	cost(50, 350, 0);
	report(0, BASE + 10 * MIB, MIB);
	report(0, BASE, -(int64_t)MIB); /* one of those from before */
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_double_eq(process->cost, 0);
	ck_assert_uint_eq(process->given_up[SPARE_BLOCKS], 0);
	ck_assert_uint_eq(process->given_ever, 1u << SPARE_BLOCKS);
	allocator = allocator_of(process, 0);
	ck_assert_uint_eq(allocator->blocks, 1);
	ck_assert_uint_eq(allocator->allocated, 7 * MIB);
	ck_assert(allocator->from_attach && !allocator->inexact && !process->inexact);
	for (i = told = 0; i < snapshot->event_count; i++)
		told += snapshot->events[i].kind == EVENT_BUDGET;
	ck_assert_uint_eq(told, 2);
	snapshot_free(snapshot);
}

/* What a user says of a pool is doubted only where all memory of the program's is known. */
TEST_LOOP(a_pool_that_hands_out_nothing, 2)
{
	struct snapshot *snapshot;

	feed_identity(&feed, _i, "", 0);
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(report_as(-1, BASE + MIB, 512, false, ALLOCATOR_KINDS), 0);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(count_events(snapshot, EVENT_LOST, NULL), !_i);
	snapshot_free(snapshot);
}

/* A pool whose calls alone are seen: where its blocks lie tells what they are. */
TEST(a_pool_that_tells_nothing)
{
	const struct snap_allocator *allocator;
	const struct snap_process *process;
	struct snapshot *snapshot;

	feed_alloc(&feed, BASE, 64 * MIB);
	feed.site = 0x1000;
	ck_assert_int_eq(report_as(-1, 0x7f0000000000, 4096, false, ALLOCATOR_BFC), 0);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(feed_find(&feed, snapshot)->allocator_count, 0);
	snapshot_free(snapshot);

	ck_assert_int_eq(report_as(-1, BASE + MIB, 4096, false, ALLOCATOR_BFC), 0);
	ck_assert_int_eq(report_as(-1, BASE + 2 * MIB, 512, false, ALLOCATOR_BFC), 0);
	/* Taken back: one of them, one of host memory, and one that no one knows. */
	ck_assert_int_eq(report_as(-1, BASE + MIB, 0, false, ALLOCATOR_BFC), 0);
	ck_assert_int_eq(report_as(-1, 0x7f0000000000, 0, false, ALLOCATOR_BFC), 0);
	ck_assert_int_eq(report_as(-1, BASE + 9 * MIB, 0, false, ALLOCATOR_BFC), 0);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	allocator = allocator_of(process, feed.device);
	ck_assert_str_eq(allocator->name, "bfc");
	ck_assert_uint_eq(allocator->allocated, 512);
	ck_assert_uint_eq(allocator->reserved, 64 * MIB);
	ck_assert_uint_eq(allocator->blocks, 1);
	ck_assert_uint_eq(allocator->handed_out, 2);
	ck_assert_uint_eq(allocator->taken_back, 1);
	ck_assert(!allocator->inexact && !allocator->from_attach);
	snapshot_free(snapshot);

	/* What it had before its calls were given up is not known after that. */
	cost(50, 250, feed.now);
	cost(50, 350, 0);
	ck_assert_int_eq(report_as(-1, BASE + 3 * MIB, 1024, false, ALLOCATOR_BFC), 0);
	ck_assert_int_eq(report_as(-1, BASE + 2 * MIB, 0, false, ALLOCATOR_BFC), 0);
	snapshot = feed_snapshot(&feed);
	allocator = allocator_of(feed_find(&feed, snapshot), feed.device);
	ck_assert_uint_eq(allocator->allocated, 1024);
	ck_assert(allocator->from_attach && !allocator->inexact);
	snapshot_free(snapshot);

	/* The pool's own memory is kept on purpose. */
	feed_exit(&feed, END_EXIT, 0);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_uint_eq(process->tensors_ended, 1024);
	snapshot_free(snapshot);
}

TEST(memory_of_a_block)
{
	struct mallinfo2 before = mallinfo2(), after;
	uint64_t i;

	for (i = 0; i < MANY; i++)
		report(0, BASE + i * 512, 512);
	after = mallinfo2();
	ck_assert_uint_le((after.uordblks + after.hblkhd - before.uordblks - before.hblkhd) / MANY,
			  128);
}
