/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where calls were made that failed, freed what was not allocated, or found no memory; and the
 * lines that held most then.
 */
#include <stdio.h>
#include <string.h>

#include "one_process.h"
#include "util/util.h"
#include "run_tests.h"

#define LINE(n) (PLACE_PYTHON | (n))

/* The stack @id of a Python program: the native site, then the line @shown, called from line 2. */
static void stack(uint64_t id, uint64_t shown)
{
	const uint64_t frames[] = { feed.site, shown, LINE(2) };

	feed_stack_of(&feed, id, 1, frames, ARRAY_LEN(frames));
}

/* Calls the place a line of train.py. */
static void line(uint64_t place, const char *function, unsigned int number)
{
	char text[64];

	snprintf(text, sizeof(text), "%s at train.py:%u (python)", function, number);
	feed_text(&feed, REC_SITE, place, 0, text);
	feed_frame(
		&feed,
		&(struct rec_frame){ .address = place, .line = number, .language = FRAME_PYTHON },
		function, "/home/ana/train.py", "");
}

static void setup_lines(void)
{
	setup();
	stack(7, LINE(1));
	line(LINE(1), "step", 12);
	line(LINE(2), "<module>", 30);
}

FIXTURE(setup_lines, teardown);

static void failed(unsigned int call, int result, uint64_t site, uint64_t stack_id)
{
	struct rec_fail_at record = {
		.fail = { .hdr = { .type = REC_FAIL,
				   .size = stack_id ? sizeof(record) : sizeof(record.fail),
				   .program = feed.program,
				   .time = feed.now,
				   .tgid = feed.pid },
			  .site = site,
			  .result = result,
			  .call = (__u16)call },
		.stack = stack_id,
	};

	feed_give(&feed, &record, record.fail.hdr.size);
}

static void failures(unsigned int call, int result, uint64_t count)
{
	const struct fail_key key = { .program = feed.program,
				      .call = (__u16)call,
				      .result = result };
	const struct fail_row row = { .count = count, .first = feed.now, .last = feed.now };

	ck_assert_int_eq(model_fail_row(feed.model, &key, &row), 0);
}

/* @where is line 12, reached as setup_lines() says. */
static void assert_step(const struct snap_place *where)
{
	ck_assert_str_eq(where->site, "step at train.py:12 (python)");
	ck_assert_uint_eq(where->stack_count, 3);
	ck_assert_str_eq(where->stack[2], "<module> at train.py:30 (python)");
	ck_assert_uint_eq(where->frame_count, 3);
	ck_assert_int_eq(where->frames[1]->language, FRAME_PYTHON);
	ck_assert_str_eq(where->frames[1]->function, "step");
	ck_assert_str_eq(where->frames[1]->file, "/home/ana/train.py");
	ck_assert_uint_eq(where->frames[1]->line, 12);
}

TEST(a_failure_has_the_site_of_the_first)
{
	feed_text(&feed, REC_SITE, 0x402000, 0, "main+0x14 (program)");
	failed(CALL_cudaMemcpy, 21, 0x402000, 0);
	look();
	ck_assert_uint_eq(process->failure_count, 0); /* how many there were is not known yet */
	failures(CALL_cudaMemcpy, 21, 3);
	failed(CALL_cudaMemcpy, 21, 0x403000, 0);
	failed(CALL_cudaFree, 17, LINE(1), 7);
	failures(CALL_cudaFree, 17, 2);
	failures(CALL_cudaSetDevice, 101, 1);
	look();
	ck_assert_uint_eq(process->failure_count, 3);
	ck_assert_uint_eq(process->failures, 6);
	ck_assert_str_eq(process->failure_list[0].where.site, "main+0x14 (program)");
	ck_assert_uint_eq(process->failure_list[0].where.stack_count, 0);
	assert_step(&process->failure_list[1].where);
	ck_assert_ptr_null(process->failure_list[2].where.site);
}

TEST(a_failure_at_a_line_without_its_stack)
{
	failed(CALL_cudaFree, 17, LINE(1), 0);
	failures(CALL_cudaFree, 17, 2);
	look();
	ck_assert_str_eq(process->failure_list[0].where.site, "step at train.py:12 (python)");
	ck_assert_uint_eq(process->failure_list[0].where.stack_count, 0);
	ck_assert_uint_eq(process->failure_list[0].where.frame_count, 1);
	ck_assert_uint_eq(process->failure_list[0].where.frames[0]->line, 12);
}

TEST(a_bad_free_has_its_stack)
{
	struct rec_free_at record = {
		.free = { .hdr = { .type = REC_FREE,
				   .size = sizeof(record),
				   .program = feed.program,
				   .time = feed.now,
				   .tgid = feed.pid },
			  .address = 0x10000,
			  .site = LINE(1),
			  .result = 1,
			  .call = CALL_cudaFree },
		.stack = 7,
	};
	const struct snap_event *event;

	feed_alloc(&feed, 0x10000, 100);
	feed_free(&feed, 0x10000, 0);
	feed_give(&feed, &record, sizeof(record));
	record.free.address = 0x20000;
	feed_give(&feed, &record, sizeof(record));
	look();
	event = find_event(snapshot, EVENT_DOUBLE_FREE, 0);
	ck_assert_ptr_nonnull(event);
	ck_assert_str_eq(
		event->text,
		"cudaFree of 0x10000, which was freed before, called from step at train.py:12 (python)");
	assert_step(&event->detail->where);
	event = find_event(snapshot, EVENT_UNKNOWN_FREE, 0);
	ck_assert_ptr_nonnull(event);
	ck_assert_str_eq(
		event->text,
		"cudaFree of 0x20000, where no allocation is known to begin, called from step at train.py:12 (python)");
	assert_step(&event->detail->where);
}

static const struct snap_detail *no_memory(uint64_t stack_id)
{
	feed.stack = stack_id;
	ck_assert_int_eq(feed_alloc_as(&feed, CALL_cudaMalloc, KIND_DEVICE, 0, 1024 * MIB, 2), 0);
	feed.stack = 0;
	look();
	ck_assert_ptr_nonnull(find_event(snapshot, EVENT_OUT_OF_MEMORY, 0));
	return find_event(snapshot, EVENT_OUT_OF_MEMORY, 0)->detail;
}

TEST(ten_lines_that_hold_most)
{
	const struct snap_detail *detail;
	uint64_t at = 0x100000, i;

	/* By two ways through one line, which so comes first; then twelve native sites. */
	stack(8, LINE(1));
	feed.stack = 7;
	feed_alloc(&feed, at, 7 * MIB);
	feed_alloc(&feed, at += 8 * MIB, MIB);
	feed.stack = 8;
	feed_alloc(&feed, at += 8 * MIB, 5 * MIB);
	feed.stack = 0;
	for (i = 0; i < 12; i++) {
		feed.site = 0x500000 + i * 0x1000;
		feed_alloc(&feed, at += 16 * MIB, (12 - i) * MIB);
	}
	/* None of these counts. */
	feed.site = 0x600000;
	ck_assert_int_eq(feed_alloc_as(&feed, CALL_cudaMallocHost, KIND_PINNED, at += 16 * MIB,
				       50 * MIB, 0),
			 0);
	feed_alloc(&feed, at += 64 * MIB, 50 * MIB);
	feed_free(&feed, at, 0);
	feed.device = 1;
	feed_alloc(&feed, at += 64 * MIB, 50 * MIB);
	feed.device = 0;
	detail = no_memory(7);
	ck_assert_uint_eq(detail->line_count, LINES_MAX);
	ck_assert_uint_eq(detail->lines_omitted, 3);
	ck_assert_uint_eq(detail->lines[0].live, 13 * MIB);
	ck_assert_uint_eq(detail->lines[0].allocations, 3);
	ck_assert_str_eq(detail->lines[0].text, "step at train.py:12 (python)");
	assert_step(&detail->lines[0].where);
	for (i = 1; i < LINES_MAX; i++) {
		ck_assert_uint_eq(detail->lines[i].live, (13 - i) * MIB);
		ck_assert_uint_eq(detail->lines[i].allocations, 1);
		ck_assert_uint_eq(detail->lines[i].site, 0x500000 + (i - 1) * 0x1000);
	}
	/* And the line that found none. */
	ck_assert_str_eq(detail->site, "step at train.py:12 (python)");
	ck_assert_ptr_nonnull(strstr(find_event(snapshot, EVENT_OUT_OF_MEMORY, 0)->text,
				     "13.0M of it from step at train.py:12 (python)"));
}

TEST(lines_are_as_they_were_and_called_as_they_are)
{
	const struct snap_detail *detail;

	feed_alloc(&feed, 0x10000, 100);
	detail = no_memory(0);
	ck_assert_str_eq(detail->lines[0].where.site, "0x401000");
	feed_free(&feed, 0x10000, 0);
	feed_text(&feed, REC_SITE, 0x401000, 0, "main+0x14 at main.c:3 (program)");
	look();
	detail = find_event(snapshot, EVENT_OUT_OF_MEMORY, 0)->detail;
	ck_assert_uint_eq(detail->lines[0].live, 100);
	ck_assert_str_eq(detail->lines[0].text, "0x401000");
	ck_assert_str_eq(detail->lines[0].where.site, "main+0x14 at main.c:3 (program)");
	/* The process is forgotten, the event stays. */
	feed_exit(&feed, END_EXIT, 0);
	model_clear_exited(feed.model);
	snapshot_free(snapshot);
	snapshot = feed_snapshot(&feed);
	detail = find_event(snapshot, EVENT_OUT_OF_MEMORY, 0)->detail;
	ck_assert_ptr_null(detail->lines[0].where.site);
	ck_assert_str_eq(detail->lines[0].text, "0x401000");
}

/* Lines become known after the event: its text has them from then on, and no other's. */
TEST(events_call_places_as_they_are)
{
	feed_text(&feed, REC_SITE, 0x402000, 0, "lib.so+0x6f7");
	feed_text(&feed, REC_SITE, 0x403000, 0, "lib.so+0x6f7a");
	failed(CALL_cudaFree, 17, 0x402000, 0);
	failed(CALL_cudaMemcpy, 21, 0x403000, 0);
	look();
	ck_assert_ptr_nonnull(strstr(find_event(snapshot, EVENT_FAILURE, 0)->text,
				     "cudaFree in lib.so+0x6f7 failed: "));
	feed_text(&feed, REC_SITE, 0x402000, 0, "grow+0x7 at grow.c:3 (lib.so)");
	look();
	ck_assert_ptr_nonnull(strstr(find_event(snapshot, EVENT_FAILURE, 0)->text,
				     "cudaFree in grow+0x7 at grow.c:3 (lib.so) failed: "));
	ck_assert_ptr_nonnull(strstr(find_event(snapshot, EVENT_FAILURE, 1)->text,
				     "cudaMemcpy in lib.so+0x6f7a failed: "));
}

static const struct snap_kernel *kernel_of(const struct snapshot *of)
{
	ck_assert_uint_eq(feed_find(&feed, of)->kernel_count, 1);
	return feed_find(&feed, of)->kernels;
}

/* What a snapshot says does not change; the next one has the names that were learned meanwhile. */
TEST(snapshots_keep_their_names)
{
	struct snapshot *old;

	feed_alloc(&feed, 0x10000, 100);
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 3);
	old = feed_snapshot(&feed);
	ck_assert_str_eq(kernel_of(old)->shown, "0x5000");
	feed_module(&feed, 0x5000, 0x6000, 0, "libx.so");
	look();
	ck_assert_str_eq(kernel_of(snapshot)->shown, "libx.so+0x0");
	feed_kernel(&feed, 0x5000, 0, NAME_REGISTERED, "_Z5scalePfi");
	feed_text(&feed, REC_SITE, 0x401000, 0, "grow+0x7 at grow.c:3 (lib.so)");
	look();
	ck_assert_str_eq(kernel_of(snapshot)->shown, "scale");
	ck_assert_str_eq(feed_find(&feed, snapshot)->map[0].site, "grow+0x7 at grow.c:3 (lib.so)");
	ck_assert_uint_eq(feed_find(&feed, snapshot)->sites[0].frame_count, 0);
	feed_frame(&feed, &(struct rec_frame){ .address = 0x401000, .line = 3 }, "grow",
		   "/src/grow.c", "lib.so");
	look();
	ck_assert_uint_eq(feed_find(&feed, snapshot)->sites[0].frame_count, 1);
	ck_assert_str_eq(feed_find(&feed, snapshot)->sites[0].frames[0]->file, "/src/grow.c");
	ck_assert_str_eq(kernel_of(old)->shown, "0x5000");
	ck_assert_str_eq(feed_find(&feed, old)->map[0].site, "0x401000");
	snapshot_free(old);
}
