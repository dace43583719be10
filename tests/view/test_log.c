/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pane Log: which events share a row. */
#include <stdio.h>

#include "at_screen.h"
#include "util/util.h"

#define EVENTS 40

/* The log has @count of these events, at @at seconds before now each, oldest first. */
static void log_of(const struct snap_event *events, size_t count)
{
	struct snapshot *now = cast_snapshot(10);
	struct snap_event *list = cast_memory(now, count, sizeof(*list));

	for (size_t i = 0; i < count; i++) {
		list[i] = events[i];
		list[i].time = now->time - events[i].time * NSEC_PER_SEC;
	}
	now->events = list;
	now->event_count = count;
	view_feed(&view, now);
	keys("7");
}

static struct snap_event start_of(uint32_t program, const char *name, const char *text,
				  uint64_t ago)
{
	return (struct snap_event){ .time = ago,
				    .pid = program,
				    .program = program,
				    .kind = EVENT_START,
				    .name = name,
				    .text = text };
}

static struct snap_event end_of(uint32_t program, const char *name, const char *text, uint64_t ago)
{
	struct snap_event event = start_of(program, name, text, ago);

	event.kind = EVENT_END;
	return event;
}

static size_t rows_with(const char *text)
{
	size_t count = 0;

	for (int row = 0; row < canvas.rows; row++) {
		char line[4096] = "";

		for (int col = 0; col < canvas.cols; col++)
			strcat(line, canvas_cell(&canvas, row, col)->text);
		count += strstr(line, text) != NULL;
	}
	return count;
}

/* Programs of one name that come and go are one row; how one failed is one of its own. */
START_TEST(programs)
{
	struct snap_event events[EVENTS];
	size_t count = 0;

	ck_assert_int_eq(canvas_resize(&canvas, 40, 120), 0);
	for (uint32_t i = 0; i < 12; i++) {
		events[count++] =
			start_of(100 + i, "short", "short made its first call", 200 - 10 * i);
		if (i == 5) {
			events[count++] =
				(struct snap_event){ .time = 200 - 10 * i,
						     .pid = 105,
						     .program = 105,
						     .kind = EVENT_LEAK,
						     .text = "leaked 1.0K in 1 allocation" };
			events[count] = end_of(105, "short", "short ran 0.5s, killed by SIGSEGV",
					       200 - 10 * i);
			events[count++].failed = true;
		} else {
			events[count++] =
				end_of(100 + i, "short", "short ran 0.5s, exited 0", 200 - 10 * i);
		}
	}
	events[count++] =
		start_of(7, "python3 train.py", "python3 train.py made its first call", 5);
	log_of(events, count);
	ck_assert_str_ne(row_with("111  end            short ×11, the last ran 0.5s, exited 0"),
			 "");
	ck_assert_str_ne(row_with("105  end            short ran 0.5s, killed by SIGSEGV"), "");
	ck_assert_str_ne(row_with("105  leak "), "");
	ck_assert_str_ne(row_with("  7  start          python3 train.py made its first call"), "");
	ck_assert_uint_eq(rows_with(" end  ") + rows_with(" start  "), 3);
	view.host.ascii = true;
	draw();
	ck_assert_str_ne(row_with("short x11, the last ran"), "");
	/* Since when is in its details. */
	keys("\rj\r");
	ck_assert_str_ne(row_with(" times         11, the first at 14:00:12"), "");
}
END_TEST

/* Hours later it is news; and what says the same at once is not. */
START_TEST(times)
{
	struct snap_event events[] = {
		start_of(1, "train", "train made its first call", 9000),
		end_of(1, "train", "train ran 30m, exited 0", 7200),
		start_of(2, "train", "train made its first call", 3000),
		end_of(2, "train", "train ran 20m, exited 0", 1800),
		{ .time = 130, .pid = 3, .program = 3, .kind = EVENT_LEAK, .text = "leaked 1.0K" },
		{ .time = 90, .pid = 4, .program = 4, .kind = EVENT_LEAK, .text = "leaked 1.0K" },
		{ .time = 40,
		  .pid = 5,
		  .program = 5,
		  .kind = EVENT_LEAK,
		  .text = "leaked 1.0K",
		  .repeated = 2 },
		{ .time = 20, .kind = EVENT_LOST, .text = "lost so far: 1" },
	};

	ck_assert_int_eq(canvas_resize(&canvas, 40, 120), 0);
	log_of(events, ARRAY_LEN(events));
	ck_assert_uint_eq(rows_with("train ran "), 2);
	ck_assert_uint_eq(rows_with("first call"), 0);
	ck_assert_uint_eq(rows_with("leaked 1.0K"), 1);
	ck_assert_str_ne(row_with("5  leak           (5 times) leaked 1.0K"), "");
	/* What is of no process has no pid. */
	ck_assert_str_ne(row_with(" -  lost           lost so far: 1"), "");
	/* An end that is known after all takes the place of the guess. */
	events[0] = end_of(2, "train", "train has ended: how was not seen", 1801);
	log_of(events, ARRAY_LEN(events));
	ck_assert_uint_eq(rows_with("how was not seen"), 0);
}
END_TEST

Suite *suite_log(void)
{
	Suite *suite = suite_create("log");
	TCase *tests = tcase_create("log");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, programs);
	tcase_add_test(tests, times);
	suite_add_tcase(suite, tests);
	return suite;
}
