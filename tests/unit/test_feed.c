/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the feed believes of a process whose end was not reported: its row says that it has ended,
 * but records of it may wait in the ring behind one that another processor is still writing.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fuzz/feed_world.h"
#include "collect/feed.h"
#include "model/model.h"
#include "names/sections.h"
#include "util/util.h"
#include "run_tests.h"

#define START   NSEC_PER_SEC
#define PROGRAM 3
#define BYTES   4096

static struct record_sink sink;
static struct feed *feed;
static struct snapshot *snapshot;
static uint64_t now;

static void setup(void)
{
	struct model_config config = { .start_mono = START,
				       .start_real = 1700000000 * NSEC_PER_SEC,
				       .leak_age = NSEC_PER_SEC };

	now = START;
	memset(&world, 0, sizeof(world));
	world.reader = -1;
	world.file = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sink = (struct record_sink){ .model = model_new(&config) };
	ck_assert_ptr_nonnull(sink.model);
	feed = feed_new((struct probe *)&world, &sink, NULL, NULL, NULL, 0, SYMTAB_MEMORY);
	ck_assert_ptr_nonnull(feed);
	world.program = PROGRAM;
	world.row = (struct program_row){ .start_time = START - NSEC_PER_SEC,
					  .first_time = START,
					  .tgid = WORLD_PID,
					  .parent_tgid = 1,
					  .comm = "train" };
}

static void teardown(void)
{
	snapshot_free(snapshot);
	snapshot = NULL;
	feed_free(feed);
	again_free(&world.again);
	model_free(sink.model);
	world_reader_end();
	close(world.file);
}

FIXTURE(setup, teardown);

/* The process, as it is after one more refresh. */
static const struct snap_process *refreshed(void)
{
	feed_refresh(feed);
	now += NSEC_PER_SEC;
	snapshot_free(snapshot);
	snapshot = model_snapshot(sink.model, now, (unsigned int)-1);
	ck_assert_ptr_nonnull(snapshot);
	ck_assert_uint_eq(snapshot->process_count, 1);
	return &snapshot->processes[0];
}

static void ends(void)
{
	world.row.end_time = now;
	world.row.end_reason = END_EXIT;
}

static void bring_alloc_of(uint32_t program, uint64_t site)
{
	struct rec_alloc record = {
		.hdr = { .type = REC_ALLOC,
			 .size = sizeof(record),
			 .program = program,
			 .time = START + 1000,
			 .tgid = WORLD_PID,
			 .tid = WORLD_PID },
		.address = 0x7f0000000000,
		.bytes = BYTES,
		.site = site,
		.call = CALL_cudaMalloc,
	};

	ck_assert_int_eq(world.take(world.context, &record, sizeof(record)), 0);
}

static void bring_alloc(void)
{
	bring_alloc_of(PROGRAM, 0);
}

TEST(an_end_is_believed_at_the_second_look)
{
	ck_assert(!refreshed()->exited);
	ends();
	ck_assert(!refreshed()->exited);
	ck_assert(refreshed()->exited);
}

TEST(not_while_records_wait)
{
	const struct snap_process *process;

	ck_assert(!refreshed()->exited);
	ends();
	world.written = 512;
	for (int i = 0; i < 5; i++)
		ck_assert(!refreshed()->exited);
	bring_alloc();
	world.read = 512;
	process = refreshed();
	ck_assert(process->exited);
	ck_assert_uint_eq(process->leaked, BYTES);
	ck_assert(!process->inexact);
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 0);
}

/* What other processes write later does not keep an end from being believed. */
TEST(a_ring_never_empty)
{
	refreshed();
	ends();
	world.written = 512;
	ck_assert(!refreshed()->exited);
	world.read = 512;
	world.written = 1 << 20;
	ck_assert(refreshed()->exited);
}

TEST(the_last_look_waits)
{
	world.written = 512;
	world.reads_in_vain = 5;
	feed_settle(feed, true);
	ck_assert_uint_eq(world.read, 512);
}

/*
 * A program has ended, and the next of its pid has begun, before the first one's records are read:
 * that one's row is no reason to believe that all of the first is known.
 */
TEST(a_pid_comes_again)
{
	bring_alloc();
	ck_assert(!refreshed()->exited);
	world.program = PROGRAM + 1;
	world.row.first_time = UINT64_MAX; /* it began after the ring was drained */
	ck_assert(!refreshed()->exited);
	/* Before, but not all is read that was written then. */
	world.row.first_time = clock_ns(CLOCK_MONOTONIC);
	world.written = 512;
	feed_refresh(feed);
	bring_alloc_of(PROGRAM, 0);
	ck_assert(!refreshed()->exited);
	world.read = 512;
	/* Its record was lost, and the first one's end. */
	feed_refresh(feed);
	snapshot_free(snapshot);
	snapshot = model_snapshot(sink.model, now, (unsigned int)-1);
	ck_assert_uint_eq(snapshot->process_count, 2);
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 0);
}

/* The record of its start is lost: then the name of a call site is the first that is told of it. */
TEST(a_name_says_whose_it_is)
{
	bring_alloc_of(PROGRAM, WORLD_CODE + 16);
	snapshot = model_snapshot(sink.model, now, (unsigned int)-1);
	ck_assert_ptr_nonnull(snapshot);
	ck_assert_uint_eq(snapshot->process_count, 1);
	ck_assert_uint_eq(snapshot->processes[0].pid, WORLD_PID);
	ck_assert_uint_eq(snapshot->processes[0].site_count, 1);
	ck_assert_str_ne(snapshot->processes[0].sites[0].site, "");
}
