/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The asking end of a socket that preserves message boundaries. It never blocks: what the socket
 * has no room for waits in a list. resolver_process.c is the answering end. Answers come in the
 * order of questions. So when that process ends early, the first unanswered question shows which
 * file caused it; nothing is asked about that file again. The next process is given the other files
 * as questions about them come, and what was left unanswered is asked again, so that no other
 * answer is lost.
 */
#include "names/resolver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uthash.h>

#include "cutop_unwind.h"
#include "names/helper.h"
#include "names/resolver_process.h"
#include "util/message.h"

#define QUESTIONS_MAX   262144 /* waiting questions; further ones get no answer */
#define QUESTIONS_FIRST 64     /* room for so many at first */
#define PACE_MS         10     /* between two looks whether one may be started */
/* longer than the process gives itself: if it exceeds this, it cannot get its alarm */
#define ANSWER_MAX    (15 * NSEC_PER_SEC)
#define SLICE         (100 * NSEC_PER_MSEC)
#define FILE_NAME_LEN 64

static const char *const use_reads[] = {
	[RESOLVER_LINES] = "source lines",
	[RESOLVER_RULES] = "how to unwind stacks",
};

struct resolver_file {
	uint32_t number;
	/*
	 * the second is -1 if there is none; for a lent file, the first is a socket that the files
	 * come by
	 */
	int fds[2];
	bool lent;
	unsigned int process; /* the process that has it; 0: none yet */
	bool bad;             /* a process ended at a question about it */
	/* Dropped: it goes once the questions about it are answered */
	bool leaving;
	char name[FILE_NAME_LEN];
	UT_hash_handle hh;
};

struct resolver {
	enum resolver_use use;
	struct helper helper;
	/* When the process last had nothing to do, or answered; CLOCK_MONOTONIC */
	uint64_t heard;
	unsigned int process; /* number of the process that runs, or ran last */
	unsigned int ended;   /* how many processes ended by themselves */
	uint64_t memory;
	const struct notes *notes;
	struct resolver_file *files;
	uint32_t last_file; /* numbers ascend and are never reused */
	/*
	 * A ring: first the questions that were sent and not answered, then those not sent;
	 * @count: of both
	 */
	struct resolver_question *list;
	size_t first, sent, count, room;
	uint64_t lost;
};

/* ---- files ---- */

/* Returns NULL if there is none of that number. */
static struct resolver_file *file_find(const struct resolver *resolver, uint32_t number)
{
	struct resolver_file *file;

	HASH_FIND(hh, resolver->files, &number, sizeof(number), file);
	return file;
}

/* Closes the descriptors. The file stays in the table. */
static void file_close(struct resolver_file *file)
{
	int i;

	for (i = 0; i < 2; i++)
		if (file->fds[i] >= 0)
			close(file->fds[i]);
	file->fds[0] = file->fds[1] = -1;
}

static void file_remove(struct resolver *resolver, struct resolver_file *file)
{
	HASH_DEL(resolver->files, file);
	file_close(file);
	free(file);
}

/* True if the file was lent, and went with a process that has ended. */
static bool is_gone_with(const struct resolver *resolver, const struct resolver_file *file)
{
	return file->lent && file->process &&
	       (resolver->helper.socket < 0 || file->process != resolver->process);
}

/* ---- questions ---- */

/* The one with @n before it, which must be there. */
static struct resolver_question *question_at(const struct resolver *resolver, size_t n)
{
	return &resolver->list[(resolver->first + n) % resolver->room];
}

/* Adds one at the end. Returns NULL without memory. */
static struct resolver_question *question_new(struct resolver *resolver)
{
	if (resolver->count == resolver->room) {
		size_t room = resolver->room ? 2 * resolver->room : QUESTIONS_FIRST, i;
		struct resolver_question *list = calloc(room, sizeof(*list));

		if (!list)
			return NULL;
		for (i = 0; i < resolver->count; i++)
			list[i] = *question_at(resolver, i);
		free(resolver->list);
		resolver->list = list;
		resolver->room = room;
		resolver->first = 0;
	}
	return question_at(resolver, resolver->count++);
}

/* Removes the first. */
static void question_drop(struct resolver *resolver)
{
	resolver->first = (resolver->first + 1) % resolver->room;
	resolver->count--;
	if (resolver->sent)
		resolver->sent--;
}

/* True of a question that there is an answer to. */
static bool is_ask(const struct resolver_question *question)
{
	return question->type == RESOLVER_ASK || question->type == RESOLVER_ASK_RULE;
}

/* The first of the first @limit that there is an answer to, or NULL. */
static struct resolver_question *question_first(const struct resolver *resolver, size_t limit)
{
	size_t i;

	for (i = 0; i < limit; i++)
		if (is_ask(question_at(resolver, i)))
			return question_at(resolver, i);
	return NULL;
}

static void question_lose(struct resolver *resolver, const struct resolver_question *question)
{
	resolver->lost += question->type == RESOLVER_ASK;
}

uint64_t resolver_lost(const struct resolver *resolver)
{
	return resolver->lost;
}

/* ---- the process ---- */

struct resolver *resolver_new(enum resolver_use use, uint64_t memory, const struct notes *notes)
{
	struct resolver *resolver = calloc(1, sizeof(*resolver));

	if (!resolver)
		return NULL;
	resolver->use = use;
	resolver->helper = (struct helper)HELPER_NONE;
	resolver->memory = memory;
	resolver->notes = notes;
	return resolver;
}

void resolver_free(struct resolver *resolver)
{
	struct resolver_file *file, *next;

	if (!resolver)
		return;
	helper_free(&resolver->helper);
	HASH_ITER(hh, resolver->files, file, next)
		file_remove(resolver, file);
	free(resolver->list);
	free(resolver);
}

/* Returns false if none runs. */
static bool process_start(struct resolver *resolver)
{
	if (resolver->helper.socket >= 0)
		return true;
	if (!helper_start(&resolver->helper, resolver->use, resolver->memory))
		return false;
	resolver->process++;
	resolver->heard = clock_ns(CLOCK_MONOTONIC);
	return true;
}

/* The process ended, at the first question without an answer. All others are asked again. */
static void process_lost(struct resolver *resolver)
{
	struct resolver_question *question;
	struct resolver_file *file;

	helper_end(&resolver->helper);
	resolver->ended++;
	question = question_first(resolver, resolver->sent);
	file = question ? file_find(resolver, question->file) : NULL;
	resolver->sent = 0;
	if (!file)
		return;
	file->bad = true;
	note(resolver->notes, "%s ended the process that reads %s: it has none from now on",
	     file->name, use_reads[resolver->use]);
}

/*
 * Returns 0, -EAGAIN if the socket has no room now, or another negative errno if no process
 * listens.
 */
static int message_put(struct resolver *resolver, struct resolver_question *question,
		       const int fds[2])
{
	const struct iovec part = { question, sizeof(*question) };
	int err = message_send(resolver->helper.socket, &part, 1, fds,
			       !fds       ? 0 :
			       fds[1] < 0 ? 1 :
					    2,
			       MSG_DONTWAIT);

	return err == -ENOBUFS || err == -ETOOMANYREFS ? -EAGAIN : err;
}

static int file_send(struct resolver *resolver, struct resolver_file *file)
{
	struct resolver_question question = { .type = file->lent ? RESOLVER_ADD_LENT : RESOLVER_ADD,
					      .file = file->number };
	int err;

	if (file->process == resolver->process)
		return 0;
	err = message_put(resolver, &question, file->fds);
	if (!err)
		file->process = resolver->process;
	return err;
}

/*
 * Sends @question, and before it the file that it is about. A question that need not be sent counts
 * as sent.
 */
static int question_send(struct resolver *resolver, struct resolver_question *question)
{
	struct resolver_file *file = file_find(resolver, question->file);
	int err = 0;

	if (question->type == RESOLVER_DROP) {
		/* Do not start a process just for that. */
		if (file && resolver->helper.socket >= 0 && file->process == resolver->process)
			err = message_put(resolver, question, NULL);
		if (!err && file)
			file_close(file);
		return err;
	}
	if (!file || file->bad || file->fds[0] < 0 || is_gone_with(resolver, file))
		return 0;
	if (!process_start(resolver))
		return -EAGAIN;
	err = file_send(resolver, file);
	return err ? err : message_put(resolver, question, NULL);
}

/*
 * If the process has ended, its last answers are still to be read, since they tell which question
 * it was at. So its end is noticed when reading.
 */
static void questions_send(struct resolver *resolver)
{
	while (resolver->sent < resolver->count &&
	       !question_send(resolver, question_at(resolver, resolver->sent)))
		resolver->sent++;
}

/* ---- asking ---- */

static bool question_ask(struct resolver *resolver, const struct resolver_question *asked)
{
	struct resolver_file *file = file_find(resolver, asked->file);
	struct resolver_question *question = NULL;

	if (!file || file->leaving)
		return false;
	if (resolver->count < QUESTIONS_MAX && !file->bad)
		question = question_new(resolver);
	if (!question) {
		question_lose(resolver, asked);
		return false;
	}
	*question = *asked;
	/* Until now it had nothing to answer. */
	if (question_first(resolver, resolver->count) == question)
		resolver->heard = clock_ns(CLOCK_MONOTONIC);
	questions_send(resolver);
	return true;
}

bool resolver_ask(struct resolver *resolver, uint32_t file, uint64_t offset, uint64_t cookie)
{
	return question_ask(resolver, &(struct resolver_question){ .type = RESOLVER_ASK,
								   .file = file,
								   .offset = offset,
								   .cookie = cookie });
}

bool resolver_ask_rule(struct resolver *resolver, uint32_t file, uint64_t offset, bool after_call,
		       uint64_t cookie)
{
	return question_ask(resolver, &(struct resolver_question){ .type = RESOLVER_ASK_RULE,
								   .after_call = after_call,
								   .file = file,
								   .offset = offset,
								   .cookie = cookie });
}

void resolver_drop(struct resolver *resolver, uint32_t number)
{
	struct resolver_file *file = file_find(resolver, number);
	struct resolver_question *question;

	if (!file || file->leaving)
		return;
	if (!resolver->count && !file->process) {
		file_remove(resolver, file);
		return;
	}
	/* Without memory the file stays. */
	question = question_new(resolver);
	if (!question)
		return;
	file->leaving = true;
	*question = (struct resolver_question){ .type = RESOLVER_DROP, .file = number };
	questions_send(resolver);
}

bool resolver_forgot(const struct resolver *resolver, uint32_t number)
{
	const struct resolver_file *file = file_find(resolver, number);

	return number && (!file || file->leaving || (!file->bad && is_gone_with(resolver, file)));
}

/* Returns 0 without memory or descriptors, or if there are too many files. */
static uint32_t file_add(struct resolver *resolver, int fd, int second_fd, const char *name,
			 bool lent)
{
	struct resolver_file *file;

	if (HASH_COUNT(resolver->files) >= 2 * RESOLVER_FILES_MAX)
		return 0;
	file = calloc(1, sizeof(*file));
	if (!file)
		return 0;
	file->number = ++resolver->last_file;
	file->lent = lent;
	file->fds[0] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	file->fds[1] = second_fd < 0 ? -1 : fcntl(second_fd, F_DUPFD_CLOEXEC, 0);
	snprintf(file->name, sizeof(file->name), "%s", name);
	HASH_ADD(hh, resolver->files, number, sizeof(file->number), file);
	if (file->fds[0] >= 0)
		return file->number;
	file_remove(resolver, file);
	return 0;
}

uint32_t resolver_add(struct resolver *resolver, int fd, int debug_fd, const char *name)
{
	return file_add(resolver, fd, debug_fd, name, false);
}

uint32_t resolver_add_lent(struct resolver *resolver, int socket, const char *name)
{
	return file_add(resolver, socket, -1, name, true);
}

void resolver_give_up(struct resolver *resolver)
{
	size_t i;

	for (i = 0; i < resolver->count; i++)
		question_lose(resolver, question_at(resolver, i));
	resolver->count = resolver->sent = 0;
	helper_end(&resolver->helper);
}

/* ---- answers ---- */

struct answering {
	void (*answer)(void *context, const struct resolver_reply *reply);
	void *context;
};

/* True if the process was given @question, and will answer it. */
static bool is_asked(const struct resolver *resolver, const struct resolver_question *question)
{
	const struct resolver_file *file = file_find(resolver, question->file);

	return is_ask(question) && file && !file->bad && file->process == resolver->process &&
	       resolver->helper.socket >= 0;
}

/* Skips questions that get no answer: those about files that were dropped, are bad, or are gone. */
static void questions_settle(struct resolver *resolver, const struct answering *answering)
{
	while (resolver->sent && !is_asked(resolver, question_at(resolver, 0))) {
		struct resolver_question question = *question_at(resolver, 0);
		struct resolver_file *file = file_find(resolver, question.file);

		question_drop(resolver);
		if (question.type == RESOLVER_DROP && file) {
			file_remove(resolver, file);
		} else if (is_ask(&question)) {
			question_lose(resolver, &question);
			answering->answer(answering->context,
					  &(struct resolver_reply){ .cookie = question.cookie });
		}
	}
}

/*
 * Hostile files may have made the process say anything. True if @answer, of which @size bytes were
 * received (or an error, below 0), is as long as it says. Its strings have an end then.
 */
static bool answer_check(struct resolver_answer *answer, ssize_t size)
{
	size_t i;

	if (size < (ssize_t)RESOLVER_ANSWER_SIZE_MIN || answer->inlined_count > CUTOP_INLINED_MAX ||
	    (size_t)size != resolver_answer_size(answer))
		return false;
	answer->path[sizeof(answer->path) - 1] = 0;
	for (i = 0; i < answer->inlined_count; i++) {
		struct resolver_inlined *inlined = &answer->inlined[i];

		inlined->path[sizeof(inlined->path) - 1] = 0;
		inlined->function[sizeof(inlined->function) - 1] = 0;
	}
	return true;
}

/*
 * Takes from @answer, which was checked, what @question was for; @reply borrows from it. Returns
 * false if it makes no sense.
 */
static bool answer_read(const struct resolver_question *question,
			const struct resolver_answer *answer, struct resolver_reply *reply)
{
	*reply = (struct resolver_reply){ .cookie = question->cookie };
	if (answer->cookie != question->cookie)
		return false;
	if (question->type == RESOLVER_ASK_RULE) {
		reply->rule = answer->line ? &answer->rule : NULL;
		return answer->rule.cfa < UNWIND_CFA_COUNT && answer->rule.bp_by < UNWIND_BP_COUNT;
	}
	reply->path = answer->line || answer->inlined_count ? answer->path : NULL;
	reply->line = answer->line;
	reply->inlined = answer->inlined;
	reply->inlined_count = answer->inlined_count;
	return true;
}

/* Returns true while there may be more answers. */
static bool answer_take(struct resolver *resolver, const struct answering *answering)
{
	struct resolver_answer answer;
	struct resolver_reply reply;
	ssize_t n;

	questions_settle(resolver, answering);
	if (resolver->helper.socket < 0)
		return false;
	n = recv(resolver->helper.socket, &answer, sizeof(answer), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	/* The process ended with questions unread. Its earlier answers come next. */
	if (n < 0 && errno == ECONNRESET)
		return true;
	resolver->heard = clock_ns(CLOCK_MONOTONIC);
	if (!answer_check(&answer, n) || !resolver->sent ||
	    !answer_read(question_at(resolver, 0), &answer, &reply)) {
		process_lost(resolver);
		return false;
	}
	question_drop(resolver);
	answering->answer(answering->context, &reply);
	return true;
}

void resolver_answers(struct resolver *resolver, int timeout_ms, int idle_ms,
		      void (*answer)(void *context, const struct resolver_reply *reply),
		      void *context)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ms * NSEC_PER_MSEC, worked = 0,
		 since = end;
	const struct answering answering = { answer, context };

	for (;;) {
		uint64_t now, work;
		struct pollfd wanted;
		unsigned int ended;

		do {
			ended = resolver->ended;
			questions_send(resolver);
			while (answer_take(resolver, &answering))
				;
			/* Questions that one process left unanswered go to the next. */
		} while (ended != resolver->ended);
		now = clock_ns(CLOCK_MONOTONIC);
		if (!question_first(resolver, resolver->count)) {
			resolver->heard = now;
			return;
		}
		if (resolver->helper.socket >= 0 && now - resolver->heard > ANSWER_MAX) {
			process_lost(resolver);
			continue;
		}
		if (now >= end)
			return;
		work = resolver->helper.socket < 0 ? 0 : process_work_ns(resolver->helper.pid);
		if (work != worked || since == end || resolver->helper.socket < 0)
			since = now;
		else if (now - since > (uint64_t)idle_ms * NSEC_PER_MSEC)
			return;
		worked = work;
		wanted.fd = resolver->helper.socket;
		wanted.events = resolver->sent < resolver->count ? POLLIN | POLLOUT : POLLIN;
		poll(&wanted, 1,
		     resolver->helper.socket < 0 ?
			     PACE_MS :
			     (int)((end - now < SLICE ? end - now : SLICE) / NSEC_PER_MSEC) + 1);
	}
}
