/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream: what is read once per refresh, as records, does to a model what its own functions do.
 */
#include <errno.h>
#include <string.h>

#include "feed.h"
#include "cuda/calls.h"
#include "model/stream.h"

#define ROW(name, rec_type, ...) \
	struct rec_##name##_row name = { \
		.hdr = { .type = rec_type, .size = sizeof(name), .program = 1 }, __VA_ARGS__ \
	}

static void give(struct feed *feed, const void *record, size_t size)
{
	char room[1024];

	/* Records lie where they lie. */
	ck_assert_uint_lt(size, sizeof(room));
	memcpy(room + 1, record, size);
	ck_assert_int_eq(model_record(feed->model, (const struct rec_hdr *)(room + 1), size), 0);
}

/* What happened before the wall clock was set keeps the time that it showed then. */
TEST(wall_clock_is_set)
{
	struct rec_clock ahead = { .hdr = { .type = REC_CLOCK, .size = sizeof(ahead) } },
			 behind = ahead;
	struct snapshot *before, *middle, *after;
	struct feed feed;

	feed_begin(&feed);
	feed_process(&feed);
	before = feed_snapshot(&feed);
	ahead.hdr.time = feed.now + SECOND;
	ahead.real = before->time + 3601 * SECOND;
	feed.now += 2 * SECOND;
	give(&feed, &ahead, sizeof(ahead));
	middle = feed_snapshot(&feed);
	ck_assert_uint_eq(middle->time, before->time + 3602 * SECOND);
	ck_assert_uint_eq(middle->started, before->started);
	ck_assert_uint_eq(middle->processes[0].start_time, before->processes[0].start_time);
	behind.hdr.time = feed.now;
	behind.real = before->time - 100 * SECOND;
	feed.now += SECOND;
	give(&feed, &behind, sizeof(behind));
	after = feed_snapshot(&feed);
	ck_assert_uint_eq(after->time, before->time - 99 * SECOND);
	ck_assert_double_eq(after->interval_seconds, 1);
	ck_assert_double_eq(after->elapsed_seconds, before->elapsed_seconds + 3);
	snapshot_free(before);
	snapshot_free(middle);
	snapshot_free(after);
	feed_end(&feed);
}

TEST(rows_as_records)
{
	ROW(launch, REC_LAUNCH_ROW,
	    .key = { .program = 1, .call = CALL_cudaLaunchKernel, .function = 0x1000 },
	    .row = { .launches = 7 });
	ROW(copy, REC_COPY_ROW,
	    .key = { .program = 1, .call = CALL_cudaMemcpy, .direction = DIR_H2D },
	    .row = { .calls = 3, .bytes = 4096 });
	ROW(call, REC_CALL_ROW, .key = { .program = 1, .call = CALL_cudaDeviceSynchronize },
	    .row = { .calls = 5 });
	ROW(fail, REC_FAIL_ROW, .key = { .program = 1, .call = CALL_cudaMemcpy, .result = 1 },
	    .row = { .count = 2 });
	ROW(graph, REC_GRAPH_ROW, .key = { .program = 1, .exec = 0x2000 },
	    .row = { .launches = 9, .call = CALL_cudaGraphLaunch });
	struct rec_sync sync = { .hdr = { .type = REC_SYNC, .size = sizeof(sync), .program = 1 },
				 .ns = 123456789 };
	struct rec_hdr inexact = { .type = REC_INEXACT, .size = sizeof(inexact), .program = 1 };
	struct rec_lost lost = { .hdr = { .type = REC_LOST, .size = sizeof(lost) },
				 .total = 4,
				 .cause = LOST_NAMES };
	struct rec_moment moment = {
		.hdr = { .type = REC_MOMENT, .size = sizeof(moment), .time = 1 }
	};
	const struct snap_process *process;
	struct snapshot *snapshot;
	struct feed feed;
	size_t i, calls = 0;

	feed_begin(&feed);
	/* Rows may come before the process they are of. */
	give(&feed, &launch, sizeof(launch));
	feed_process(&feed);
	give(&feed, &copy, sizeof(copy));
	give(&feed, &call, sizeof(call));
	give(&feed, &call, sizeof(call));
	give(&feed, &fail, sizeof(fail));
	give(&feed, &graph, sizeof(graph));
	give(&feed, &sync, sizeof(sync));
	give(&feed, &inexact, sizeof(inexact));
	give(&feed, &lost, sizeof(lost));
	give(&feed, &moment, sizeof(moment));
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->kernel_count, 2);
	ck_assert_uint_eq(process->kernels[0].launches + process->kernels[1].launches, 7);
	ck_assert_uint_eq(process->kernels[0].graph_launches + process->kernels[1].graph_launches,
			  9);
	ck_assert_uint_eq(process->copy_count, 1);
	ck_assert_uint_eq(process->copies[0].bytes, 4096);
	for (i = 0; i < process->call_count; i++)
		if (process->call_list[i].call == CALL_cudaDeviceSynchronize)
			calls = process->call_list[i].calls;
	ck_assert_uint_eq(calls, 5);
	ck_assert_uint_eq(process->failure_count, 1);
	ck_assert_double_eq(process->sync_seconds, 0.123456789);
	ck_assert(process->inexact);
	ck_assert_uint_eq(snapshot->lost[LOST_NAMES], 4);
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 0);
	snapshot_free(snapshot);
	feed_end(&feed);
}

/* Each type whose size is known, with every length that is too short. */
TEST(short_rows)
{
	unsigned int type, refused = 0;
	struct snapshot *snapshot;
	char room[2048] = "";
	struct feed feed;
	size_t size;

	feed_begin(&feed);
	feed_process(&feed);
	for (type = REC_LAUNCH_ROW; type <= REC_PROCESS_READING; type++) {
		if (type == 101 || type == 104)
			continue; /* of recordings made before 0.3 */
		ck_assert_uint_ge(record_size(type), sizeof(struct rec_hdr));
		ck_assert_uint_le(record_size(type), sizeof(room));
		ck_assert_uint_eq(record_size(type) % 8, 0);
		for (size = 0; size < record_size(type); size++, refused++) {
			struct rec_hdr hdr = { .type = (__u16)type,
					       .size = (__u16)size,
					       .program = 1 };

			memcpy(room, &hdr, sizeof(hdr));
			ck_assert_int_eq(model_record(feed.model, (struct rec_hdr *)room,
						      sizeof(room)),
					 -EINVAL);
			hdr.size = (__u16)record_size(type);
			memcpy(room, &hdr, sizeof(hdr));
			ck_assert_int_eq(model_record(feed.model, (struct rec_hdr *)room, size),
					 -EINVAL);
		}
	}
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 2 * refused);
	snapshot_free(snapshot);
	feed_end(&feed);
}

/*
 * Names that are lost, and the limit that they were lost to: they are told, and no figure is
 * inexact for it.
 */
TEST(names_that_are_lost)
{
	struct rec_lost lines = { .hdr = { .type = REC_LOST, .size = sizeof(lines) },
				  .total = 3,
				  .cause = LOST_LINES };
	struct rec_lost symbols = { .hdr = { .type = REC_LOST, .size = sizeof(symbols) },
				    .total = 2,
				    .cause = LOST_SYMBOLS };
	struct rec_lost model_own = { .hdr = { .type = REC_LOST, .size = sizeof(model_own) },
				      .total = 9,
				      .cause = LOST_FREE };
	struct rec_limit limit = { .hdr = { .type = REC_LIMIT, .size = sizeof(limit), .time = 5 },
				   .limit = 1 << 25,
				   .kind = LIMIT_NAMES };
	struct rec_limit later = { .hdr = { .type = REC_LIMIT, .size = sizeof(later), .time = 5 },
				   .limit = 1,
				   .kind = 1000 };
	unsigned int limits = 0, losses = 0, cause, names = 0;
	struct snapshot *snapshot;
	struct feed feed;
	size_t i;

	feed_begin(&feed);
	feed_process(&feed);
	give(&feed, &lines, sizeof(lines));
	give(&feed, &symbols, sizeof(symbols));
	give(&feed, &model_own, sizeof(model_own));
	give(&feed, &limit, sizeof(limit));
	give(&feed, &later, sizeof(later));
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->lost[LOST_LINES], 3);
	ck_assert_uint_eq(snapshot->lost[LOST_SYMBOLS], 2);
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 0);
	ck_assert(!snapshot->processes[0].inexact);
	for (i = 0; i < snapshot->event_count; i++) {
		limits += snapshot->events[i].kind == EVENT_LIMIT &&
			  snapshot->events[i].bytes == 1 << 25;
		losses += snapshot->events[i].kind == EVENT_LOST &&
			  (strstr(snapshot->events[i].text, "3 source lines") ||
			   strstr(snapshot->events[i].text, "2 names of functions"));
	}
	ck_assert_uint_eq(limits, 1);
	ck_assert_uint_eq(losses, 2);
	for (cause = 0; cause < LOST_COUNT; cause++)
		names += lost_is_names((enum lost_cause)cause);
	ck_assert_uint_eq(names, 2);
	snapshot_free(snapshot);
	feed_end(&feed);
}
