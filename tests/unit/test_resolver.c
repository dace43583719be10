/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The asking end of the resolver, with a process at the other end that does what the test says: what
 * is blamed for what, what is asked again, and what counts as lost. This file stands in
 * for resolver_process.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "names/resolver.h"
#include "names/resolver_process.h"
#include "run_tests.h"

static int other_end = -1; /* of the process that was started last */
static unsigned int starts;

int resolver_process_start(enum resolver_use use, uint64_t memory, pid_t *pid)
{
	int ends[2];

	ck_assert_int_eq(use, RESOLVER_RULES);
	ck_assert_uint_eq(memory, 12345);
	if (other_end >= 0)
		close(other_end);
	/* It is killed and waited for. It must not have our end of the socket. */
	*pid = fork();
	ck_assert_int_ge(*pid, 0);
	if (!*pid)
		for (;;)
			pause();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	other_end = ends[1];
	starts++;
	return ends[0];
}

static void process_dies(void)
{
	close(other_end);
	other_end = -1;
}

/* The next message, and how many descriptors came with it. Returns false if there is none. */
static bool message_take(struct resolver_question *question, int *descriptors)
{
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr header;
	} control;
	struct iovec part = { question, sizeof(*question) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(other_end, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *header = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	int fds[2], i;

	*descriptors = header ? (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int)) : 0;
	if (header)
		memcpy(fds, CMSG_DATA(header), (size_t)*descriptors * sizeof(int));
	for (i = 0; i < *descriptors; i++)
		close(fds[i]);
	return n == sizeof(*question);
}

static void expect_message(enum resolver_type type, uint32_t file, uint64_t cookie, int descriptors)
{
	struct resolver_question question;
	int count;

	ck_assert(message_take(&question, &count));
	ck_assert_uint_eq(question.type, type);
	ck_assert_uint_eq(question.file, file);
	ck_assert_int_eq(count, descriptors);
	if (type == RESOLVER_ASK || type == RESOLVER_ASK_RULE)
		ck_assert_uint_eq(question.cookie, cookie);
}

static void expect_silence(void)
{
	struct resolver_question question;
	int count;

	ck_assert(other_end < 0 || !message_take(&question, &count));
}

static void reply(uint64_t cookie, uint32_t line)
{
	struct resolver_answer answer = { .cookie = cookie, .line = line, .path = "x.c" };

	ck_assert_int_eq(send(other_end, &answer, RESOLVER_ANSWER_SIZE_MIN, MSG_NOSIGNAL),
			 RESOLVER_ANSWER_SIZE_MIN);
}

static void rule_reply(uint64_t cookie, uint8_t cfa, uint8_t bp_by, int32_t number)
{
	struct resolver_answer answer = { .cookie = cookie,
					  .line = 1,
					  .rule = {
						  .cfa = cfa, .bp_by = bp_by, .offset = number } };

	ck_assert_int_eq(send(other_end, &answer, RESOLVER_ANSWER_SIZE_MIN, MSG_NOSIGNAL),
			 RESOLVER_ANSWER_SIZE_MIN);
}

static struct {
	uint64_t cookie;
	unsigned int line;
} told[64];
static unsigned int told_count;

static void tell(void *context, const struct resolver_reply *got)
{
	(void)context;
	ck_assert(!got->path == !got->line);
	ck_assert(!got->path || !got->rule);
	ck_assert_uint_lt(told_count, 64);
	told[told_count].cookie = got->cookie;
	/* Of a rule, the number that rule_reply() put into it. */
	told[told_count++].line = got->rule ? (unsigned int)got->rule->offset : got->line;
}

/* Reads what came; @expected: cookies and lines in turn, ended by 0. */
static void expect_answers(struct resolver *resolver, const uint64_t *expected)
{
	unsigned int i;

	told_count = 0;
	resolver_answers(resolver, 0, 0, tell, NULL);
	for (i = 0; expected[2 * i]; i++) {
		ck_assert_uint_lt(i, told_count);
		ck_assert_uint_eq(told[i].cookie, expected[2 * i]);
		ck_assert_uint_eq(told[i].line, expected[2 * i + 1]);
	}
	ck_assert_uint_eq(i, told_count);
}

#define ANSWERS(resolver, ...) \
	expect_answers(resolver, (const uint64_t[]){ __VA_ARGS__ __VA_OPT__(, ) 0, 0 })

static struct resolver *resolver_made(void)
{
	starts = 0;
	return resolver_new(RESOLVER_RULES, 12345, NULL);
}

static uint32_t file_add(struct resolver *resolver)
{
	int fd = memfd_create("file", MFD_CLOEXEC);
	uint32_t file;

	ck_assert_int_ge(fd, 0);
	file = resolver_add(resolver, fd, -1, "file");
	close(fd);
	ck_assert_uint_ne(file, 0);
	return file;
}

TEST(what_was_not_answered_is_asked_again)
{
	struct resolver *resolver = resolver_made();
	uint32_t a = file_add(resolver), b = file_add(resolver);

	ck_assert_uint_eq(starts, 0);
	ck_assert(resolver_ask(resolver, a, 10, 1));
	ck_assert(resolver_ask(resolver, b, 20, 2));
	ck_assert(resolver_ask(resolver, a, 30, 3));
	ck_assert(resolver_ask(resolver, b, 40, 4));
	ck_assert_uint_eq(starts, 1);
	expect_message(RESOLVER_ADD, a, 0, 1);
	expect_message(RESOLVER_ASK, a, 1, 0);
	expect_message(RESOLVER_ADD, b, 0, 1);
	expect_message(RESOLVER_ASK, b, 2, 0);
	/*
	 * It answers the first, which is still on its way when it dies of the second: that one is
	 * to blame.
	 */
	reply(1, 100);
	process_dies();
	ANSWERS(resolver, 1, 100, 2, 0);
	ck_assert_uint_eq(starts, 2);
	expect_message(RESOLVER_ADD, a, 0, 1);
	expect_message(RESOLVER_ASK, a, 3, 0);
	expect_silence();
	reply(3, 300);
	/* The other question about that file was not asked any more. */
	ANSWERS(resolver, 3, 300, 4, 0);
	ck_assert_uint_eq(resolver_lost(resolver), 2);
	ck_assert(!resolver_ask(resolver, b, 50, 5));
	ck_assert_uint_eq(resolver_lost(resolver), 3);
	ck_assert(resolver_ask(resolver, a, 60, 6));
	expect_message(RESOLVER_ASK, a, 6, 0);
	resolver_free(resolver);
}

TEST(answers_that_make_no_sense_end_it)
{
	struct resolver *resolver = resolver_made();
	uint32_t a = file_add(resolver), b = file_add(resolver);

	ck_assert(resolver_ask(resolver, a, 10, 1));
	ck_assert(resolver_ask(resolver, b, 20, 2));
	reply(2, 1);
	ANSWERS(resolver, 1, 0);
	ck_assert_uint_eq(starts, 2);
	expect_message(RESOLVER_ADD, b, 0, 1);
	ck_assert_int_eq(send(other_end, "what?", 5, MSG_NOSIGNAL), 5);
	ANSWERS(resolver, 2, 0);
	/* An answer to nothing: no file is to blame. */
	a = file_add(resolver);
	ck_assert(resolver_ask(resolver, a, 10, 3));
	reply(3, 7);
	reply(3, 7);
	ANSWERS(resolver, 3, 7);
	ck_assert(resolver_ask(resolver, a, 10, 4));
	reply(4, 8);
	ANSWERS(resolver, 4, 8);
	resolver_free(resolver);
}

/* Rules and lines are asked for in turn; what is lost of the one kind is not of the other. */
TEST(rules_are_asked_for_like_lines)
{
	struct resolver *resolver = resolver_made();
	uint32_t a = file_add(resolver), b = file_add(resolver), c = file_add(resolver);
	struct resolver_question question;
	int count;

	ck_assert(resolver_ask_rule(resolver, a, 10, true, 1));
	ck_assert(resolver_ask(resolver, a, 10, 2));
	ck_assert(resolver_ask_rule(resolver, b, 20, false, 3));
	ck_assert(resolver_ask_rule(resolver, b, 20, false, 4));
	ck_assert(resolver_ask(resolver, b, 20, 5));
	ck_assert(resolver_ask_rule(resolver, a, 30, true, 6));
	expect_message(RESOLVER_ADD, a, 0, 1);
	ck_assert(message_take(&question, &count));
	ck_assert_uint_eq(question.type, RESOLVER_ASK_RULE);
	ck_assert_uint_eq(question.after_call, 1);
	ck_assert_uint_eq(question.offset, 10);
	expect_message(RESOLVER_ASK, a, 2, 0);
	expect_message(RESOLVER_ADD, b, 0, 1);
	ck_assert(message_take(&question, &count));
	ck_assert_uint_eq(question.after_call, 0);
	rule_reply(1, UNWIND_SP, UNWIND_BP_CFA, 16);
	reply(2, 200);
	/* It ends at a rule of b's, which has neither rules nor lines from then on. */
	process_dies();
	ANSWERS(resolver, 1, 16, 2, 200, 3, 0, 4, 0, 5, 0);
	ck_assert_uint_eq(starts, 2);
	ck_assert_uint_eq(resolver_lost(resolver), 1);
	ck_assert(!resolver_ask_rule(resolver, b, 20, false, 7));
	expect_message(RESOLVER_ADD, a, 0, 1);
	expect_message(RESOLVER_ASK_RULE, a, 6, 0);
	/* A rule that there is none like. */
	rule_reply(6, UNWIND_CFA_COUNT, 0, 16);
	ANSWERS(resolver, 6, 0);
	ck_assert(resolver_ask_rule(resolver, c, 10, true, 8));
	rule_reply(8, UNWIND_SP, UNWIND_BP_COUNT, 16);
	ANSWERS(resolver, 8, 0);
	/* What has no answer at the end. */
	a = file_add(resolver);
	ck_assert(resolver_ask_rule(resolver, a, 10, true, 9));
	ck_assert(resolver_ask(resolver, a, 10, 10));
	resolver_give_up(resolver);
	ck_assert_uint_eq(resolver_lost(resolver), 2);
	resolver_free(resolver);
}

/* Processes are started one after the other, not as fast as they can be ended. */
TEST(starts_are_paced)
{
	struct resolver *resolver = resolver_made();
	unsigned int i, before;
	uint64_t began;
	uint32_t file;

	for (i = 0; i < 40; i++) {
		file = file_add(resolver);
		before = starts;
		began = clock_ns(CLOCK_MONOTONIC);
		ck_assert(resolver_ask(resolver, file, 1, i + 1));
		if (starts == before)
			break;
		process_dies();
		ANSWERS(resolver, i + 1, 0);
	}
	ck_assert_uint_ge(i, 16);
	ck_assert_uint_lt(i, 40);
	/* The question is not lost: it waits for its turn. */
	told_count = 0;
	resolver_answers(resolver, 0, 0, tell, NULL);
	ck_assert_uint_eq(told_count, 0);
	while (starts == before) {
		ck_assert_uint_lt(clock_ns(CLOCK_MONOTONIC) - began, 60 * NSEC_PER_SEC);
		resolver_answers(resolver, 20, 20, tell, NULL);
	}
	expect_message(RESOLVER_ADD, file, 0, 1);
	expect_message(RESOLVER_ASK, file, i + 1, 0);
	reply(i + 1, 5);
	ANSWERS(resolver, i + 1, 5);
	resolver_free(resolver);
}

TEST(files_are_dropped_in_turn)
{
	struct resolver *resolver = resolver_made();
	uint32_t a = file_add(resolver), b = file_add(resolver);
	unsigned int i;

	/* The process is not told of one that was never asked about. */
	resolver_drop(resolver, b);
	ck_assert(resolver_forgot(resolver, b));
	ck_assert_uint_eq(starts, 0);
	ck_assert(resolver_ask(resolver, a, 1, 1));
	resolver_drop(resolver, a);
	ck_assert(!resolver_ask(resolver, a, 1, 2));
	expect_message(RESOLVER_ADD, a, 0, 1);
	expect_message(RESOLVER_ASK, a, 1, 0);
	expect_message(RESOLVER_DROP, a, 0, 0);
	reply(1, 11);
	ANSWERS(resolver, 1, 11);
	/*
	 * A process that has ended has nothing to drop, and what was to be answered before cannot
	 * be asked again.
	 */
	a = file_add(resolver);
	b = file_add(resolver);
	ck_assert(resolver_ask(resolver, a, 1, 3));
	ck_assert(resolver_ask(resolver, b, 1, 4));
	resolver_drop(resolver, b);
	process_dies();
	ANSWERS(resolver, 3, 0, 4, 0);
	a = file_add(resolver);
	ck_assert(resolver_ask(resolver, a, 1, 5));
	ck_assert(!resolver_forgot(resolver, a));
	ck_assert(!resolver_forgot(resolver, 0));
	/* What has no answer at the end is lost, too. */
	i = (unsigned int)resolver_lost(resolver);
	resolver_give_up(resolver);
	ck_assert_uint_eq(resolver_lost(resolver), i + 1);
	ANSWERS(resolver);
	resolver_free(resolver);
}
