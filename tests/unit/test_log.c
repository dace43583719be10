/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the log says of programs' lives and of suspects, and what stays in it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "one_process.h"
#include "run_tests.h"

/* The latest event of @kind. */
static const struct snap_event *latest(enum event_kind kind)
{
	unsigned int count;

	look();
	count = count_events(snapshot, kind, NULL);
	ck_assert_uint_gt(count, 0);
	return find_event(snapshot, kind, count - 1);
}

static void identify(const char *command, const char *arguments)
{
	char strings[512];
	int len = snprintf(strings, sizeof(strings), "ana%c%s%c%s%c%c", 0, command, 0, arguments, 0,
			   0);

	feed_identity(&feed, false, strings, (size_t)len);
}

FIXTURE(setup, teardown);

/* What a program is called is known after its start was told. */
TEST(names)
{
	static const struct {
		const char *command, *arguments, *name;
	} cases[] = {
		{ "/usr/bin/python3", "/home/ana/train.py --lr 0.1", "python3 train.py" },
		{ "python3.12", "-u -m torch.distributed.run --nproc 8",
		  "python3.12 -u -m torch.distributed.run" },
		{ "python3", "-c import torch; print(1)", "python3 -c" },
		{ "./build/trainer", "--steps 90", "trainer" },
		{ "python3", "a_script_with_a_name_that_is_longer_than_a_line.py",
		  "python3 a_script_with_a_name_that_is_lo…" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct snap_event *event;
		char text[128];

		feed.program = feed.pid = (uint32_t)i + 2;
		feed_process(&feed);
		identify(cases[i].command, cases[i].arguments);
		event = latest(EVENT_START);
		snprintf(text, sizeof(text), "%s made its first call", cases[i].name);
		ck_assert_str_eq(event->name, cases[i].name);
		ck_assert_str_eq(event->text, text);
		ck_assert_uint_eq(event->program, feed.program);
	}
}

TEST(ends)
{
	static const struct {
		uint64_t ran;
		enum end_reason reason;
		uint32_t code;
		const char *text;
		bool failed;
	} cases[] = {
		{ SECOND / 4, END_EXIT, 0, "python train.py ran 0.25s, exited 0", false },
		{ 12 * SECOND, END_EXIT, 0, "python train.py ran 12.0s, exited 0", false },
		{ 140 * SECOND, END_EXIT, 3 << 8, "python train.py ran 2m20s, exited 3", true },
		{ 2 * SECOND, END_EXIT, SIGKILL, "python train.py ran 2.0s, killed by SIGKILL",
		  true },
		{ 2 * SECOND, END_EXIT, 63, "python train.py ran 2.0s, killed by signal 63", true },
		{ 2 * SECOND, END_EXEC, 0, "python train.py ran 2.0s, then became another program",
		  false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct snap_event *event;

		feed.program = feed.pid = (uint32_t)i + 2;
		feed.now = 100 * SECOND;
		feed_process(&feed);
		/* The process was made when recording began. */
		feed.now = 100 * SECOND + cases[i].ran;
		feed_exit(&feed, cases[i].reason, cases[i].code);
		event = latest(EVENT_END);
		ck_assert_str_eq(event->text, cases[i].text);
		ck_assert_str_eq(event->name, "python train.py");
		ck_assert_int_eq(event->failed, cases[i].failed);
	}
}

/* However many programs come and go, a leak stays to be read; and so does how one was killed. */
TEST(what_matters_stays)
{
	const struct snap_event *killed;
	const char *text;

	feed_alloc(&feed, 0x10000, 100);
	feed_exit(&feed, END_EXIT, SIGSEGV);
	for (uint32_t i = 0; i < 300; i++) {
		feed.program = feed.pid = i + 2;
		feed_process(&feed);
		feed_exit(&feed, END_EXIT, 0);
	}
	look();
	ck_assert_uint_eq(snapshot->event_count, 256);
	ck_assert_uint_eq(count_events(snapshot, EVENT_LEAK, &text), 1);
	killed = find_event(snapshot, EVENT_END, 0);
	ck_assert_uint_eq(killed->pid, 4242);
	ck_assert(killed->failed);
	ck_assert_uint_eq(snapshot->events[255].program, 301);
	/* Of what is left, the oldest goes. */
	feed.program = feed.pid = 1000;
	feed_process(&feed);
	for (unsigned int i = 0; i < 300; i++)
		feed_reset(&feed, 0);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_LEAK, NULL), 0);
	ck_assert_uint_eq(count_events(snapshot, EVENT_END, NULL), 0);
}

/* A suspect is told once, and again when it is ten times as much. */
TEST(suspects)
{
	const struct snap_event *event;
	uint64_t address = 0x100000, first;

	feed.site = 0x9000;
	feed_text(&feed, REC_SITE, feed.site, 0, "Buffer::grow");
	for (int i = 0; i < 1000; i++) {
		feed.now += 10 * SECOND;
		feed_alloc(&feed, address += 0x10000, 0x1000);
		look();
		if (process->suspect)
			break;
		ck_assert_uint_eq(count_events(snapshot, EVENT_SUSPECT, NULL), 0);
	}
	event = latest(EVENT_SUSPECT);
	first = event->bytes;
	ck_assert_uint_eq(first, process->suspect);
	ck_assert_uint_eq(event->pid, 4242);
	ck_assert_ptr_nonnull(
		strstr(event->text, " may be leaking: what is live keeps rising, most at "));
	ck_assert_ptr_nonnull(strstr(event->text, "Buffer::grow"));
	ck_assert_str_eq(event->detail->where.site, event->detail->site);
	do {
		ck_assert_uint_eq(count_events(snapshot, EVENT_SUSPECT, NULL), 1);
		feed.now += 10 * SECOND;
		feed_alloc(&feed, address += 0x10000, 0x1000);
		look();
	} while (process->suspect < 10 * first);
	ck_assert_uint_eq(count_events(snapshot, EVENT_SUSPECT, NULL), 2);
	ck_assert_uint_ge(latest(EVENT_SUSPECT)->bytes, 10 * first);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_SUSPECT, NULL), 2);
}

/* A bad free in a loop is one event, and one of another kind is another. */
TEST(bad_frees)
{
	for (uint64_t i = 0; i < 100; i++) {
		feed.now += SECOND;
		feed_free(&feed, 0xbad000 + i, 1);
	}
	feed_alloc(&feed, 0x10000, 100);
	feed_free(&feed, 0x10000, 0);
	feed_free(&feed, 0x10000, 1);
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_UNKNOWN_FREE, NULL), 1);
	ck_assert_uint_eq(count_events(snapshot, EVENT_DOUBLE_FREE, NULL), 1);
	ck_assert_uint_eq(latest(EVENT_UNKNOWN_FREE)->repeated, 99);
	/* Later it is news. */
	feed.now += 10 * SECOND;
	feed_free(&feed, 0xbae000, 1);
	ck_assert_uint_eq(latest(EVENT_UNKNOWN_FREE)->repeated, 0);
	ck_assert_uint_eq(count_events(snapshot, EVENT_UNKNOWN_FREE, NULL), 2);
}
