/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errands: answers in time, late, and never; workers that die, and those that hold something. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "errand/errand.h"
#include "probe_tests.h"
#include "util/message.h"

static int job_echo(const void *question, size_t len, const int fds[ERRAND_FDS],
		    struct errand_answer *answer)
{
	(void)fds;
	answer->data = malloc(len + 1);
	if (!answer->data)
		return -ENOMEM;
	memcpy(answer->data, question, len);
	answer->data[len] = 0;
	answer->len = len;
	return 7;
}

/* Answers when it can read from the descriptor that comes along, with what it read. */
static int job_wait(const void *question, size_t len, const int fds[ERRAND_FDS],
		    struct errand_answer *answer)
{
	char byte = 0;

	(void)question;
	(void)len;
	(void)answer;
	return read(fds[0], &byte, 1) == 1 ? byte : -EPIPE;
}

static int job_crash(const void *question, size_t len, const int fds[ERRAND_FDS],
		     struct errand_answer *answer)
{
	(void)question;
	(void)len;
	(void)fds;
	(void)answer;
	kill(getpid(), SIGKILL);
	return 0;
}

/* As much as the question says, and a file. */
static int job_much(const void *question, size_t len, const int fds[ERRAND_FDS],
		    struct errand_answer *answer)
{
	size_t size;

	(void)fds;
	ck_assert_uint_eq(len, sizeof(size));
	memcpy(&size, question, sizeof(size));
	answer->data = malloc(size + 1);
	if (!answer->data)
		return -ENOMEM;
	memset(answer->data, 'x', size);
	answer->len = size;
	answer->fds[1] = memfd_create("much", MFD_CLOEXEC);
	return write(answer->fds[1], "file", 4) == 4 ? 0 : -EIO;
}

/* Which process does it, and whether it has anything open but its socket. */
static int job_who(const void *question, size_t len, const int fds[ERRAND_FDS],
		   struct errand_answer *answer)
{
	pid_t pids[3] = { getpid(), getppid(), 0 };
	int fd;

	(void)question;
	(void)len;
	(void)fds;
	for (fd = 0; fd < 1024; fd++)
		pids[2] += fcntl(fd, F_GETFD) >= 0;
	answer->data = malloc(sizeof(pids) + 1);
	if (!answer->data)
		return -ENOMEM;
	memcpy(answer->data, pids, sizeof(pids));
	answer->len = sizeof(pids);
	return 0;
}

static errand_job *const jobs[] = { job_echo, job_wait, job_crash, job_much, job_who };

static struct errands *begin(uint64_t limit)
{
	static const struct notes quiet = { .quiet = true };
	const struct errands_settings settings = {
		.jobs = jobs, .job_count = ARRAY_LEN(jobs), .notes = &quiet, .limit = limit
	};
	struct reason why = { "" };
	struct errands *errands;

	ck_assert_msg(!errands_start(&errands, &settings, &why), "%s", why.text);
	return errands;
}

static struct errand errand_of(errand_job *job, const char *question)
{
	return (struct errand){ .job = job,
				.question = question,
				.len = strlen(question),
				.fds = { -1, -1, -1 },
				.patience = ERRAND_MEDIUM };
}

/* An errand that waits for a byte in @ends, which are made. */
static struct errand waiting(const char *question, int ends[2])
{
	struct errand errand = errand_of(job_wait, question);

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	errand.fds[0] = ends[0];
	errand.patience = ERRAND_SHORT;
	return errand;
}

/* Tends until errands_news() is another one. */
static void wait_for_news(struct errands *errands, unsigned int news)
{
	while (errands_news(errands) == news) {
		usleep(1000);
		errands_tend(errands);
	}
}

TEST(test_errand_answers)
{
	struct errands *errands = begin(0);
	struct errand errand = errand_of(job_echo, "hello");
	struct errand_answer answer;
	size_t sizes[] = { 0, 1, 16 << 10, (16 << 10) + 1, 3 << 20 }, i;
	pid_t pids[3], first = 0;
	char text[8] = "";

	ck_assert_int_eq(errand_ask(errands, &errand, &answer), 0);
	ck_assert_int_eq(answer.result, 7);
	ck_assert_uint_eq(answer.len, 5);
	ck_assert_str_eq(answer.data, "hello");
	errand_answer_free(&answer);
	/* Here and now, without anybody. */
	ck_assert_int_eq(errand_ask(NULL, &errand, &answer), 0);
	ck_assert_str_eq(answer.data, "hello");
	errand_answer_free(&answer);
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		errand = errand_of(job_much, "");
		errand.question = &sizes[i];
		errand.len = sizeof(sizes[i]);
		ck_assert_int_eq(errand_ask(errands, &errand, &answer), 0);
		ck_assert_int_eq(answer.result, 0);
		ck_assert_uint_eq(answer.len, sizes[i]);
		ck_assert(!sizes[i] || (answer.data[0] == 'x' && answer.data[sizes[i] - 1] == 'x'));
		ck_assert_int_eq(answer.data[sizes[i]], 0);
		ck_assert_int_eq(answer.fds[0], -1);
		ck_assert_int_eq(pread(answer.fds[1], text, 4, 0), 4);
		ck_assert_str_eq(text, "file");
		errand_answer_free(&answer);
	}
	/* One worker does them all; it is no child of ours, and has nothing of ours open. */
	for (i = 0; i < 3; i++) {
		errand = errand_of(job_who, "who");
		ck_assert_int_eq(errand_ask(errands, &errand, &answer), 0);
		memcpy(pids, answer.data, sizeof(pids));
		ck_assert_int_ne(pids[0], getpid());
		ck_assert_int_ne(pids[1], getpid());
		ck_assert_int_eq(pids[2], 1);
		ck_assert(!first || pids[0] == first);
		first = pids[0];
		errand_answer_free(&answer);
	}
	errands_stop(errands);
}

TEST(test_errand_late)
{
	struct errands *errands = begin(0);
	struct errand_answer answer;
	struct errand errand;
	unsigned int news;
	uint64_t began;
	int ends[2];

	errand = waiting("late", ends);
	began = clock_ns(CLOCK_MONOTONIC);
	ck_assert_int_eq(errand_ask(errands, &errand, &answer), -EAGAIN);
	ck_assert_uint_ge(clock_ns(CLOCK_MONOTONIC) - began, 80 * NSEC_PER_MSEC);
	/* It is not given to a second worker, nor waited for again. */
	news = errands_news(errands);
	began = clock_ns(CLOCK_MONOTONIC);
	ck_assert_int_eq(errand_ask(errands, &errand, &answer), -EAGAIN);
	ck_assert_uint_lt(clock_ns(CLOCK_MONOTONIC) - began, 80 * NSEC_PER_MSEC);
	/* Others go on. */
	errand = errand_of(job_echo, "other");
	ck_assert_int_eq(errand_ask(errands, &errand, &answer), 0);
	errand_answer_free(&answer);
	ck_assert_int_eq(write(ends[1], "A", 1), 1);
	wait_for_news(errands, news);
	errand = errand_of(job_wait, "late");
	ck_assert_int_eq(errand_ask(errands, &errand, &answer), 0);
	ck_assert_int_eq(answer.result, 'A');
	/* The answer was taken: the next is done anew. */
	ck_assert_int_eq(errand_ask(errands, &errand, &answer), 0);
	ck_assert_int_eq(answer.result, -EPIPE);
	close(ends[0]);
	close(ends[1]);
	errands_stop(errands);
}

/* An answer that is older than what is asked about is none. */
TEST(test_errand_since)
{
	struct errands *errands = begin(0);
	uint64_t before = clock_ns(CLOCK_MONOTONIC);
	struct errand_answer answer;
	struct errand errand;
	unsigned int news;
	int ends[2];
	char byte;

	errand = waiting("since", ends);
	for (byte = 'A'; byte <= 'C'; byte += 2) {
		ck_assert_int_eq(errand_ask(errands, &errand, &answer), -EAGAIN);
		errand.since = byte == 'A' ? before : clock_ns(CLOCK_MONOTONIC);
		/* It is under way, so it is not begun again. */
		ck_assert_int_eq(errand_ask(errands, &errand, &answer), -EAGAIN);
		news = errands_news(errands);
		ck_assert_int_eq(write(ends[1], &byte, 1), 1);
		wait_for_news(errands, news);
		if (byte == 'C')
			ck_assert_int_eq(write(ends[1], "D", 1), 1);
		ck_assert_int_eq(errand_ask(errands, &errand, &answer), 0);
		ck_assert_int_eq(answer.result, byte == 'A' ? 'A' : 'D');
		errand.since = 0;
	}
	close(ends[0]);
	close(ends[1]);
	errands_stop(errands);
}

/* Who is asked much and answers nothing takes a part of the time, and no more. */
TEST(test_errand_budget)
{
	struct errands *errands = begin(0);
	struct errand_answer answer;
	struct errand errand;
	char question[16];
	uint64_t began;
	int ends[2], i;

	errand = waiting("", ends);
	began = clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < 20; i++) {
		snprintf(question, sizeof(question), "%d", i);
		errand.question = question;
		errand.len = strlen(question);
		ck_assert_int_eq(errand_ask(errands, &errand, &answer), -EAGAIN);
	}
	/* Four times 100 ms, and next to nothing from there on: not 2 s. */
	ck_assert_uint_lt(clock_ns(CLOCK_MONOTONIC) - began, NSEC_PER_SEC);
	errands_stop(errands);
	close(ends[0]);
	close(ends[1]);
}

TEST(test_errand_lost)
{
	struct errands *errands = begin(400 * NSEC_PER_MSEC);
	struct errand_answer answer;
	struct errand errand, other = errand_of(job_echo, "x");
	struct pollfd gone;
	unsigned int news;
	int ends[2];

	errand = waiting("lost", ends);
	errand.group = 5;
	ck_assert_int_eq(errand_ask(errands, &errand, &answer), -EAGAIN);
	news = errands_news(errands);
	wait_for_news(errands, news);
	ck_assert_int_eq(errand_ask(errands, &errand, &answer), -ETIMEDOUT);
	/* So is all of its group for a while, and nothing else. */
	other.group = 5;
	ck_assert_int_eq(errand_ask(errands, &other, &answer), -ETIMEDOUT);
	other.group = 6;
	ck_assert_int_eq(errand_ask(errands, &other, &answer), 0);
	errand_answer_free(&answer);
	/* The worker was killed: nobody reads from the pipe any more. */
	close(ends[0]);
	gone = (struct pollfd){ .fd = ends[1] };
	ck_assert_int_eq(poll(&gone, 1, 10000), 1);
	ck_assert_int_eq(gone.revents, POLLERR);
	close(ends[1]);
	errands_stop(errands);
}

/* Workers that begin only after they were given up make room for others all the same. */
TEST(test_errand_unstarted)
{
	struct errands *errands = begin(300 * NSEC_PER_MSEC);
	struct errand errand = errand_of(job_who, "who"), busy;
	struct errand_answer answer;
	char question[16];
	pid_t pids[3];
	int ends[2], i, asked = 0;

	ck_assert_int_eq(errand_ask(errands, &errand, &answer), 0);
	memcpy(pids, answer.data, sizeof(pids));
	errand_answer_free(&answer);
	busy = waiting("busy", ends);
	busy.patience = ERRAND_NONE;
	ck_assert_int_eq(errand_ask(errands, &busy, &answer), -EAGAIN);
	ck_assert_int_eq(kill(pids[1], SIGSTOP), 0);
	errand = errand_of(job_echo, "");
	errand.patience = ERRAND_NONE;
	for (i = 0; i < 2 * ERRAND_WORKERS; i++) {
		snprintf(question, sizeof(question), "u%d", i);
		errand.question = question;
		errand.len = strlen(question);
		asked += errand_ask(errands, &errand, &answer) == -EAGAIN;
	}
	ck_assert_int_gt(asked, 1);
	ck_assert_int_lt(asked, ERRAND_WORKERS);
	/* All of them, and the busy one, are given up. */
	for (i = (int)errands_news(errands) + asked + 1; (int)errands_news(errands) < i;)
		wait_for_news(errands, errands_news(errands));
	/* The busy one's place may be free. */
	for (i = 0; i < 3; i++) {
		snprintf(question, sizeof(question), "after%d", i);
		errand.question = question;
		errand.len = strlen(question);
		if (errand_ask(errands, &errand, &answer) == -EBUSY)
			break;
	}
	ck_assert_int_lt(i, 3);
	errand = errand_of(job_echo, "last");
	errand.patience = ERRAND_LONG;
	ck_assert_int_eq(kill(pids[1], SIGCONT), 0);
	for (i = 0; i < 10000 && errand_ask(errands, &errand, &answer) == -EBUSY; i++) {
		usleep(1000);
		errands_tend(errands);
	}
	ck_assert_int_lt(i, 10000);
	errand_answer_free(&answer);
	errands_stop(errands);
	close(ends[0]);
	close(ends[1]);
}

TEST(test_errand_bounds)
{
	struct errands *errands = begin(0);
	struct errand_answer answer;
	struct errand errand;
	char question[16];
	int ends[2], i, asked = 0;

	errand = waiting("", ends);
	errand.patience = ERRAND_NONE;
	/* Two of a group, */
	errand.group = 9;
	for (i = 0; i < 4; i++) {
		snprintf(question, sizeof(question), "g%d", i);
		errand.question = question;
		errand.len = strlen(question);
		ck_assert_int_eq(errand_ask(errands, &errand, &answer), -EAGAIN);
	}
	/* and not all workers there are. */
	errand.group = 0;
	for (i = 0; i < 60; i++) {
		snprintf(question, sizeof(question), "a%d", i);
		errand.len = strlen(question);
		asked += errand_ask(errands, &errand, &answer) == -EAGAIN;
	}
	ck_assert_int_le(2 + asked, ERRAND_WORKERS);
	ck_assert_int_ge(2 + asked, ERRAND_WORKERS / 2);
	errands_stop(errands);
	/* All of them are gone, though they were asleep. */
	close(ends[0]);
	ck_assert_int_eq(poll(&(struct pollfd){ .fd = ends[1] }, 1, 10000), 1);
	close(ends[1]);
}

TEST(test_errand_deaths)
{
	struct errands *errands = begin(0);
	struct errand errand = errand_of(job_crash, "crash"), who = errand_of(job_who, "who");
	struct errand_answer answer;
	pid_t pids[2];

	ck_assert_int_eq(errand_ask(errands, &errand, &answer), -EIO);
	ck_assert_int_eq(errand_ask(errands, &who, &answer), 0);
	memcpy(pids, answer.data, sizeof(pids));
	errand_answer_free(&answer);
	/* An idle worker, and then the process that forks them. */
	ck_assert_int_eq(kill(pids[0], SIGKILL), 0);
	while (errand_ask(errands, &who, &answer) == -EIO)
		;
	ck_assert_int_ne(memcmp(pids, answer.data, sizeof(pids[0])), 0);
	errand_answer_free(&answer);
	ck_assert_int_eq(kill(pids[1], SIGKILL), 0);
	while (errand_ask(errands, &who, &answer) == -EIO)
		;
	memcpy(pids, answer.data, sizeof(pids));
	errand_answer_free(&answer);
	errands_stop(errands);
}

TEST(test_errand_holds)
{
	struct errands *errands = begin(0);
	struct errand errand = errand_of(job_who, "who"), failing = errand_of(job_echo, "fails");
	struct errand_answer answer;
	pid_t pids[3];
	int hold, none;

	ck_assert_int_eq(errand_hold(errands, &errand, &answer, &hold), 0);
	ck_assert_int_ge(hold, 0);
	memcpy(pids, answer.data, sizeof(pids));
	errand_answer_free(&answer);
	/* It does nothing else, and lives. */
	ck_assert_int_eq(errand_ask(errands, &errand, &answer), 0);
	ck_assert_int_ne(memcmp(pids, answer.data, sizeof(pids[0])), 0);
	errand_answer_free(&answer);
	ck_assert_int_eq(kill(pids[0], 0), 0);
	errand_release(errands, hold);
	while (!kill(pids[0], 0))
		usleep(1000);
	/* A job that fails holds nothing. */
	ck_assert_int_eq(errand_hold(errands, &failing, &answer, &none), 7);
	errand_answer_free(&answer);
	ck_assert_int_eq(none, -1);
	errands_stop(errands);
}

/* Descriptors that are not asked for are closed, and those that do not come are -1. */
TEST(test_message_descriptors)
{
	char bytes[8] = "message", got[8];
	const struct iovec sent = { bytes, sizeof(bytes) }, received = { got, sizeof(got) };
	int ends[2], fds[4], next, many[MESSAGE_FDS_MAX + 1] = { 0 };

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	ck_assert_int_eq(message_send(ends[0], &sent, 1, (int[]){ 0, 1, 2 }, 3, 0), 0);
	next = dup(0);
	close(next);
	ck_assert_int_eq(message_receive(ends[1], &received, 1, fds, 2, 0), sizeof(bytes));
	ck_assert_str_eq(got, "message");
	ck_assert_int_ge(fds[0], next);
	ck_assert_int_ge(fds[1], next);
	close(fds[0]);
	close(fds[1]);
	ck_assert_int_eq(dup(0), next);
	ck_assert_int_eq(dup(0), next + 1);
	ck_assert_int_eq(dup(0), next + 2);
	ck_assert_int_eq(message_send(ends[0], &sent, 1, (int[]){ 0 }, 1, 0), 0);
	ck_assert_int_eq(message_receive(ends[1], &received, 1, fds, 4, 0), sizeof(bytes));
	ck_assert_int_ge(fds[0], 0);
	ck_assert_int_eq(fds[1] + fds[2] + fds[3], -3);
	ck_assert_int_eq(message_send(ends[0], &sent, 1, many, MESSAGE_FDS_MAX + 1, 0), -EINVAL);
	ck_assert_int_eq(message_receive(ends[1], &received, 1, fds, 4, MSG_DONTWAIT), -EAGAIN);
	close(ends[0]);
	ck_assert_int_eq(message_receive(ends[1], &received, 1, fds, 4, 0), 0);
}
