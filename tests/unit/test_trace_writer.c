/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that writes a trace: to a reader that does not read, to one that has gone, and to a
 * file until its limit is reached.
 */
#include <check.h>
#include <errno.h>
#include <linux/types.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "trace/trace_writer.h"

#define MANY 600000

static struct trace_writer *writer_of(int fd, uint64_t limit)
{
	struct trace_writer_settings settings = {
		.trace = { .start_real = 1000000000ull * 1000000000,
			   .start_mono = 5000000000ull,
			   .version = "0.1" },
		.fd = fd,
		.limit = limit,
	};
	struct trace_writer *writer = trace_writer_new(&settings);
	ck_assert_ptr_nonnull(writer);
	ck_assert_int_eq(trace_writer_start(writer), 0);
	ck_assert_ptr_nonnull(writer);
	return writer;
}

static void put_calls(struct trace_writer *writer, int count)
{
	struct rec_call call = { .hdr = { .type = REC_CALL,
					  .size = sizeof(call),
					  .program = 1,
					  .time = 5000123456ull,
					  .tgid = 4242,
					  .tid = 4243 },
				 .entry = 5000120000ull,
				 .call = CALL_cudaFree };

	while (count--)
		trace_writer_put(writer, &call.hdr, sizeof(call));
}

static void wait_writer(struct trace_writer *writer)
{
	struct pollfd fd = { .fd = trace_writer_fd(writer), .events = POLLIN };

	while (!trace_writer_has_ended(writer))
		poll(&fd, 1, -1);
}

START_TEST(writer_to_nobody)
{
	static const uint64_t lost[LOST_COUNT];
	struct trace_writer *writer;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	writer = writer_of(ends[1], 0);
	put_calls(writer, MANY); /* more than the pipe and the queue hold */
	trace_writer_finish(writer, lost);
	trace_writer_hurry(writer);
	wait_writer(writer);
	ck_assert_int_eq(trace_writer_error(writer), -ETIMEDOUT);
	ck_assert_uint_gt(trace_writer_unwritten(writer), 0);
	ck_assert_uint_eq(trace_writer_unwritten(writer) + trace_writer_count(writer), MANY);
	trace_writer_free(writer);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

START_TEST(writer_to_the_gone)
{
	static const uint64_t lost[LOST_COUNT];
	struct trace_writer *writer;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	writer = writer_of(ends[1], 0);
	put_calls(writer, 1000);
	trace_writer_finish(writer, lost);
	wait_writer(writer);
	ck_assert_int_eq(trace_writer_error(writer), -EPIPE);
	ck_assert_uint_eq(trace_writer_unwritten(writer), 1000);
	trace_writer_free(writer);
	/* Freed in the middle of everything, it ends. */
	writer = writer_of(ends[1], 0);
	put_calls(writer, 1000);
	trace_writer_free(writer);
	close(ends[1]);
}
END_TEST

START_TEST(writer_to_a_file)
{
	static const uint64_t lost[LOST_COUNT];
	FILE *file = tmpfile();
	struct trace_writer *writer;
	int c, lines = 0;

	writer = writer_of(fileno(file), 10000);
	put_calls(writer, 15000);
	trace_writer_finish(writer, lost);
	wait_writer(writer);
	ck_assert(trace_writer_is_full(writer));
	ck_assert_int_eq(trace_writer_error(writer), 0);
	ck_assert_uint_eq(trace_writer_count(writer), 10000);
	ck_assert_uint_eq(trace_writer_unwritten(writer), 0);
	trace_writer_free(writer);
	rewind(file);
	while ((c = getc(file)) != EOF)
		lines += c == '\n';
	ck_assert_int_eq(lines, 10000);
	fclose(file);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace writer");
	TCase *tests = tcase_create("trace writer");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, writer_to_nobody);
	tcase_add_test(tests, writer_to_the_gone);
	tcase_add_test(tests, writer_to_a_file);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
