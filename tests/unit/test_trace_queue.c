/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue of a trace: what it holds, what it drops, and that it tells when there is something. */
#include <linux/types.h>
#include <poll.h>

#include "cuda/calls.h"
#include "model/stream.h"
#include "trace/trace_queue.h"
#include "run_tests.h"

#define MANY 600000

static struct trace_queue queue;
static struct buffer taken;
static uint64_t dropped;

static void setup(void)
{
	ck_assert_int_eq(trace_queue_open(&queue), 0);
}

static void teardown(void)
{
	trace_queue_close(&queue);
	buffer_free(&taken);
}

FIXTURE(setup, teardown);

static struct rec_call call_of(uint32_t tid)
{
	return (struct rec_call){ .hdr = { .type = REC_CALL,
					   .size = sizeof(struct rec_call),
					   .program = 1,
					   .tgid = 4242,
					   .tid = tid },
				  .call = CALL_cudaFree };
}

static bool is_ready(void)
{
	struct pollfd fd = { .fd = queue.ready, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

TEST(queue_in_order)
{
	struct rec_call call;

	ck_assert(!is_ready());
	ck_assert(!trace_queue_take(&queue, &taken, &dropped));
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 1000; i++) {
			call = call_of(i);
			trace_queue_put(&queue, &call.hdr, sizeof(call));
		}
		ck_assert(is_ready());
		ck_assert(trace_queue_take(&queue, &taken, &dropped));
		ck_assert(!is_ready());
		ck_assert_uint_eq(taken.len, 1000 * ((sizeof(call) + 7) & ~(size_t)7));
		for (uint32_t i = 0; i < 1000; i++)
			ck_assert_uint_eq(
				((const struct rec_call *)(const void *)taken.data)[i].hdr.tid, i);
	}
	ck_assert_uint_eq(dropped, 0);
}

TEST(queue_is_bounded)
{
	struct rec_call call = call_of(1);
	struct rec_process process = { .hdr = { .type = REC_PROCESS, .size = sizeof(process) } };
	size_t calls = 0;

	for (int i = 0; i < MANY; i++)
		trace_queue_put(&queue, &call.hdr, sizeof(call));
	/* What is known of programs is never dropped. */
	trace_queue_put(&queue, &process.hdr, sizeof(process));
	ck_assert(trace_queue_take(&queue, &taken, &dropped));
	for (size_t at = 0; at < taken.len;) {
		const struct rec_hdr *record = (const void *)(taken.data + at);

		calls += record->type == REC_CALL;
		at += (record->size + 7u) & ~7u;
		if (at >= taken.len)
			ck_assert_uint_eq(record->type, REC_PROCESS);
	}
	ck_assert_uint_gt(dropped, 0);
	ck_assert_uint_eq(calls + dropped, MANY);
}

TEST(queue_refuses)
{
	struct rec_call call = call_of(1);
	struct rec_moment moment = { .hdr = { .type = REC_MOMENT, .size = sizeof(moment) } };

	trace_queue_put(&queue, &moment.hdr, sizeof(moment)); /* it is not printed */
	trace_queue_put(&queue, &call.hdr, sizeof(call) - 1); /* it says that it is longer */
	trace_queue_put(&queue, &call.hdr, sizeof(call.hdr) - 1);
	ck_assert(!is_ready());
	ck_assert(!trace_queue_take(&queue, &taken, &dropped));
}
