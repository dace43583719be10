/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites that are whole stacks: what is told apart by them, and what is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "util/util.h"

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

static const struct snap_site *site_of(const struct snap_process *process, uint64_t stack)
{
	size_t i;

	for (i = 0; i < process->site_count; i++)
		if (process->sites[i].stack_id == stack)
			return &process->sites[i];
	return NULL;
}

/* One call site, reached by two ways: 7 from 0x500000, 8 from 0x600000. */
static void two_ways(void)
{
	feed_module(&feed, 0x400000, 0x700000, 0, "program");
	feed_stack(&feed, 7, 3, 0x500000);
	feed_stack(&feed, 8, 2, 0x600000);
}

TEST(one_address_by_two_ways)
{
	struct snapshot *snapshot;
	const struct snap_process *process;
	const struct snap_site *first, *second;

	two_ways();
	feed.stack = 7;
	feed_alloc(&feed, 0x10000, 100);
	feed_alloc(&feed, 0x20000, 100);
	feed.stack = 8;
	feed_alloc(&feed, 0x30000, 1000);
	feed_free(&feed, 0x20000, 0);
	feed_text(&feed, REC_SITE, feed.site, 0, "make+0x14 (program)");
	feed_text(&feed, REC_SITE, 0x500000, 0, "first+0x8 (program)");
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->site_count, 2);
	first = site_of(process, 7);
	second = site_of(process, 8);
	ck_assert(first && second);
	ck_assert_uint_eq(first->live, 100);
	ck_assert_uint_eq(first->allocations, 2);
	ck_assert_uint_eq(second->live, 1000);
	ck_assert_str_eq(first->site, "make+0x14 (program)");
	ck_assert_str_eq(second->site, "make+0x14 (program)");
	ck_assert_uint_eq(first->stack_count, 3);
	ck_assert_str_eq(first->stack[0], "make+0x14 (program)");
	ck_assert_str_eq(first->stack[1], "first+0x8 (program)");
	ck_assert_str_eq(first->stack[2], "program+0x101000");
	ck_assert_uint_eq(second->stack_count, 2);
	ck_assert_str_eq(second->stack[1], "program+0x200000");
	ck_assert_uint_eq(process->map[0].stack_id, 8);
	snapshot_free(snapshot);
	feed_exit(&feed, END_EXIT, 0);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(site_of(process, 7)->leaked, 100);
	ck_assert_uint_eq(site_of(process, 8)->leaked, 1000);
	snapshot_free(snapshot);
}

TEST(without_a_stack_the_address_counts)
{
	struct snapshot *snapshot;
	const struct snap_process *process;

	/* Lost on the way, or never told of. */
	feed.stack = 9;
	feed_alloc(&feed, 0x10000, 10);
	feed.stack = 0;
	feed_alloc(&feed, 0x20000, 20);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->site_count, 2);
	ck_assert_uint_eq(site_of(process, 9)->stack_count, 0);
	ck_assert_uint_eq(site_of(process, 0)->live, 20);
	ck_assert_uint_eq(site_of(process, 0)->stack_count, 0);
	snapshot_free(snapshot);
}

TEST(what_is_held_is_held_by_every_way)
{
	struct snapshot *snapshot;
	const struct snap_process *process;

	two_ways();
	feed.stack = 7;
	feed_alloc(&feed, 0x10000, 100);
	feed_text(&feed, REC_SITE, feed.site, SITE_IS_HELD, "alloc (libc10_cuda.so)");
	/* Known already when the second way is first gone. */
	feed.stack = 8;
	feed_alloc(&feed, 0x20000, 1000);
	feed_exit(&feed, END_EXIT, 0);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->held, 1100);
	ck_assert_uint_eq(process->leaked, 0);
	snapshot_free(snapshot);
}

TEST(suspects_are_told_apart)
{
	struct snapshot *snapshot;
	const struct snap_process *process;
	uint64_t i;

	two_ways();
	for (i = 0; i < 600; i++) {
		feed.now += SECOND / 2;
		feed.stack = 7;
		feed_alloc(&feed, 0x100000 + i * 0x1000, 4096);
		feed.stack = 8;
		feed_alloc(&feed, 0x40000000, MIB);
		feed_free(&feed, 0x40000000, 0);
	}
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_gt(site_of(process, 7)->suspect, 0);
	ck_assert_uint_eq(site_of(process, 8)->suspect, 0);
	snapshot_free(snapshot);
}

TEST(broken_stacks)
{
	uint64_t buffer[(sizeof(struct rec_stack) + 200 * 8) / 8] = { 0 };
	struct rec_stack *record = (struct rec_stack *)(void *)buffer;
	struct snapshot *snapshot;

	*record = (struct rec_stack){
		.hdr = { .type = REC_STACK, .program = feed.program, .time = feed.now }, .stack = 5
	};
	/* More frames than there are, than there may be, and no number. */
	record->hdr.size = sizeof(*record) + 16;
	record->count = 3;
	ck_assert_int_lt(model_record(feed.model, &record->hdr, sizeof(buffer)), 0);
	record->hdr.size = sizeof(*record) + 128 * 8;
	record->count = 128;
	ck_assert_int_lt(model_record(feed.model, &record->hdr, sizeof(buffer)), 0);
	record->count = 2;
	record->stack = 0;
	ck_assert_int_lt(model_record(feed.model, &record->hdr, sizeof(buffer)), 0);
	record->stack = 5;
	ck_assert_int_eq(model_record(feed.model, &record->hdr, sizeof(buffer)), 0);
	/* Told twice: the first counts. */
	record->count = 0;
	ck_assert_int_eq(model_record(feed.model, &record->hdr, sizeof(buffer)), 0);
	feed.stack = 5;
	feed_alloc(&feed, 0x10000, 1);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(site_of(feed_find(&feed, snapshot), 5)->stack_count, 2);
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 3);
	snapshot_free(snapshot);
}

/* More ways than we keep: the bytes are all there. */
TEST(stacks_are_bounded)
{
	struct snapshot *snapshot;
	const struct snap_process *process;
	uint64_t i, live = 0;
	size_t j;

	for (i = 1; i <= 70000; i++) {
		feed_stack(&feed, i, 2, 0x1000000 + i * 8);
		feed.stack = i;
		feed_alloc(&feed, 0x10000 * i, 1);
	}
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_le(process->site_count, 65537);
	for (j = 0; j < process->site_count; j++)
		live += process->sites[j].live;
	ck_assert_uint_eq(live, 70000);
	snapshot_free(snapshot);
}

/* A frame of a stack that is told to be the site's name, with the facts of places. */
TEST(one_of_the_stack_is_shown)
{
	const uint64_t frames[] = { feed.site, PLACE_PYTHON | 1, PLACE_PYTHON | 2 };
	static const char strings[40] = "step\0/home/ana/tr\x1b"
					"ain.py";
	union {
		struct rec_frame frame;
		char room[sizeof(struct rec_frame) + sizeof(strings)];
	} frame = { .frame = { .hdr = { .type = REC_FRAME,
					.size = sizeof(frame),
					.program = feed.program,
					.time = feed.now,
					.tgid = feed.pid },
			       .address = PLACE_PYTHON | 1,
			       .line = 12,
			       .language = FRAME_PYTHON } };
	const struct snap_site *site;
	struct snapshot *snapshot;

	memcpy(frame.frame.strings, strings, sizeof(strings));
	feed_stack_of(&feed, 7, 1, frames, ARRAY_LEN(frames));
	feed_text(&feed, REC_SITE, feed.site, SITE_IS_HELD, "alloc+0x14 (libcublas.so.12)");
	feed_text(&feed, REC_SITE, PLACE_PYTHON | 1, 0, "step at train.py:12 (python)");
	feed_give(&feed, &frame, sizeof(frame));
	/* Strings without an end, and of a language that there is not. */
	memset(frame.frame.strings, 'x', sizeof(strings));
	frame.frame.address = PLACE_PYTHON | 2;
	feed_give(&feed, &frame, sizeof(frame));
	frame.frame.language = FRAME_LANGUAGES;
	ck_assert_int_lt(model_record(feed.model, &frame.frame.hdr, sizeof(frame)), 0);
	feed.stack = 7;
	feed_alloc(&feed, 0x10000, 100);
	feed_exit(&feed, END_EXIT, 0);
	snapshot = feed_snapshot(&feed);
	site = &feed_find(&feed, snapshot)->sites[0];
	ck_assert_str_eq(site->site, "step at train.py:12 (python)");
	ck_assert_uint_eq(site->shown, 1);
	ck_assert_uint_eq(site->stack_count, 3);
	ck_assert_str_eq(site->stack[0], "alloc+0x14 (libcublas.so.12)");
	/* Whose memory it is, the native site says. */
	ck_assert_uint_eq(site->held, 100);
	ck_assert_uint_eq(site->frame_count, 3);
	ck_assert_ptr_null(site->frames[0]);
	ck_assert_int_eq(site->frames[1]->language, FRAME_PYTHON);
	ck_assert_str_eq(site->frames[1]->function, "step");
	ck_assert_str_eq(site->frames[1]->file, "/home/ana/tr?ain.py");
	ck_assert_ptr_null(site->frames[1]->module);
	ck_assert_uint_eq(site->frames[1]->line, 12);
	ck_assert_ptr_null(site->frames[2]->function);
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 1);
	snapshot_free(snapshot);
}

/* Tells a frame of the place @address: @function of "pool" at line @line of pool.h. */
static void frame_give(uint64_t address, unsigned int level, unsigned int flags,
		       const char *function, unsigned int line)
{
	feed_frame(&feed,
		   &(struct rec_frame){ .address = address,
					.offset = level ? 0 : 0x14,
					.line = line,
					.language = FRAME_NATIVE,
					.level = (__u8)level,
					.flags = (__u8)flags },
		   function, "/src/pool.h", "pool");
}

/*
 * The call is in two inlined functions, the site's name is that of the outer one; the caller has one
 * more.
 */
static void inlined_give(void)
{
	const uint64_t frames[] = { feed.site, 0x500000 };

	feed_stack_of(&feed, 7, 0, frames, ARRAY_LEN(frames));
	feed_text(&feed, REC_SITE, feed.site, 0, "grow at pool.h:9 (pool, inlined)");
	frame_give(feed.site, 2, FRAME_IS_NAMED, "grow", 9);
	frame_give(feed.site, 1, 0, "void* ns::take<int>(int)", 4);
	frame_give(feed.site, 0, 0, "serve", 12);
	feed_text(&feed, REC_SITE, 0x500000, 0, "run at pool.h:20 (pool, inlined)");
	frame_give(0x500000, 1, FRAME_IS_NAMED, "run", 20);
	frame_give(0x500000, 0, 0, "", 0);
}

TEST(inlined_functions_are_frames)
{
	static const char *const texts[] = {
		"ns::take at pool.h:4 (pool, inlined)",
		"grow at pool.h:9 (pool, inlined)",
		"serve+0x14 at pool.h:12 (pool)",
		"run at pool.h:20 (pool, inlined)",
		"pool+0x14",
	};
	const struct snap_site *site;
	struct snapshot *snapshot;
	size_t i;

	inlined_give();
	feed.stack = 7;
	feed_alloc(&feed, 0x10000, 100);
	feed.stack = 0;
	feed_alloc(&feed, 0x20000, 100);
	snapshot = feed_snapshot(&feed);
	site = site_of(feed_find(&feed, snapshot), 7);
	ck_assert_str_eq(site->site, texts[1]);
	ck_assert_uint_eq(site->shown, 1);
	ck_assert_uint_eq(site->stack_count, ARRAY_LEN(texts));
	ck_assert_uint_eq(site->frame_count, ARRAY_LEN(texts));
	for (i = 0; i < ARRAY_LEN(texts); i++)
		ck_assert_str_eq(site->stack[i], texts[i]);
	ck_assert_str_eq(site->frames[0]->function, "void* ns::take<int>(int)");
	ck_assert(site->frames[0]->is_inlined && site->frames[1]->is_inlined);
	ck_assert(!site->frames[2]->is_inlined && site->frames[3]->is_inlined);
	ck_assert_uint_eq(site->frames[2]->line, 12);
	/* Without a stack, the facts begin with the site's own frame. */
	site = site_of(feed_find(&feed, snapshot), 0);
	ck_assert_str_eq(site->site, texts[1]);
	ck_assert_uint_eq(site->stack_count, 0);
	ck_assert_uint_eq(site->frame_count, 2);
	ck_assert_str_eq(site->frames[0]->function, "grow");
	ck_assert_str_eq(site->frames[1]->function, "serve");
	snapshot_free(snapshot);
}

/*
 * The function around the inlined ones was told of before its line was known; that it is told of
 * again may not come, where the limit of names is reached.
 */
TEST(around_inlined_functions_is_a_function)
{
	const uint64_t frames[] = { feed.site, 0x500000 };
	const struct snap_site *site;
	struct snapshot *snapshot;

	feed_stack_of(&feed, 7, 0, frames, ARRAY_LEN(frames));
	feed_text(&feed, REC_SITE, feed.site, 0, "serve+0x14 (pool)");
	feed_frame(&feed, &(struct rec_frame){ .address = feed.site, .offset = 0x14 }, "serve", "",
		   "pool");
	feed_text(&feed, REC_SITE, feed.site, 0, "grow at pool.h:9 (pool, inlined)");
	frame_give(feed.site, 1, FRAME_IS_NAMED, "grow", 9);
	feed.stack = 7;
	feed_alloc(&feed, 0x10000, 100);
	snapshot = feed_snapshot(&feed);
	site = site_of(feed_find(&feed, snapshot), 7);
	ck_assert_str_eq(site->stack[0], "grow at pool.h:9 (pool, inlined)");
	ck_assert_str_eq(site->stack[1], "serve+0x14 (pool)");
	snapshot_free(snapshot);
}

/* A frame that is told again replaces what was known of it. */
TEST(inlined_functions_are_told_again)
{
	struct rec_frame deep = { .hdr = { .type = REC_FRAME,
					   .size = sizeof(deep),
					   .program = feed.program,
					   .time = feed.now },
				  .address = feed.site,
				  .level = CUTOP_INLINED_MAX + 1 };
	const struct snap_site *site;
	struct snapshot *snapshot;
	unsigned int level;

	inlined_give();
	frame_give(feed.site, 1, 0, "other", 5);
	for (level = CUTOP_INLINED_MAX; level > 2; level--)
		frame_give(feed.site, level, 0, "outer", level);
	ck_assert_int_lt(model_record(feed.model, &deep.hdr, sizeof(deep)), 0);
	feed.stack = 7;
	feed_alloc(&feed, 0x10000, 100);
	snapshot = feed_snapshot(&feed);
	site = site_of(feed_find(&feed, snapshot), 7);
	ck_assert_uint_eq(site->stack_count, CUTOP_INLINED_MAX + 1 + 2);
	ck_assert_str_eq(site->stack[0], "other at pool.h:5 (pool, inlined)");
	ck_assert_str_eq(site->stack[1], "grow at pool.h:9 (pool, inlined)");
	ck_assert_str_eq(site->stack[31], "outer at pool.h:32 (pool, inlined)");
	ck_assert_str_eq(site->stack[32], "serve+0x14 at pool.h:12 (pool)");
	ck_assert_uint_eq(site->shown, 1);
	snapshot_free(snapshot);
}
