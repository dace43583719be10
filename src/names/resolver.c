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
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "names/allowance.h"
#include "names/resolver_answers.h"
#include "names/resolver_files.h"
#include "names/resolver_process.h"
#include "names/resolver_questions.h"
#include "util/message.h"

#define QUESTIONS_MAX 262144 /* waiting questions; further ones get no answer */
/* Time that a question may take without being charged */
#define SLOW (2 * NSEC_PER_SEC)
/* One part in this many of the time comes back to a user */
#define SHARE 15
/* Starts at a stretch, whichever users are charged; then one each: */
#define STARTS_MAX     32
#define START_INTERVAL NSEC_PER_SEC
#define PACE_MS        10 /* between two looks whether one may be started */
/* killed processes that the kernel keeps asleep and does not let die */
#define GONE_MAX 16
/* longer than the process gives itself: if it exceeds this, it cannot get its alarm */
#define ANSWER_MAX (15 * NSEC_PER_SEC)
#define SLICE      (100 * NSEC_PER_MSEC)
#define END_MS     100 /* how long to wait for a killed process to end */

static const struct {
	const char *process; /* its name */
	const char *reads;
} uses[] = {
	[RESOLVER_LINES] = { "cutop-lines", "source lines" },
	[RESOLVER_RULES] = { "cutop-rows", "how to unwind stacks" },
};

struct resolver {
	enum resolver_use use;
	int socket; /* -1: nothing runs */
	pid_t pid;
	pid_t gone[GONE_MAX]; /* killed, but still there; 0: none */
	/* When the process last had nothing to do, or answered; CLOCK_MONOTONIC */
	uint64_t heard;
	unsigned int process; /* number of the process that runs, or ran last */
	unsigned int ended;   /* how many processes ended by themselves */
	uint64_t memory;
	uint64_t end_cost; /* ns to charge for a file that ended the process */
	const struct notes *notes;
	struct allowance *allowance; /* per user, for their files */
	/* For all users: one row, in which a start costs START_INTERVAL */
	struct allowance *starts;
	struct resolver_files files;
	struct resolver_questions questions;
};

struct resolver *resolver_new(enum resolver_use use, uint64_t memory, uint64_t comes_back,
			      const struct notes *notes)
{
	struct resolver *resolver = calloc(1, sizeof(*resolver));

	if (!resolver)
		return NULL;
	resolver->use = use;
	resolver->socket = -1;
	resolver->memory = memory;
	resolver->notes = notes;
	resolver->end_cost = comes_back / SHARE;
	resolver->allowance = allowance_new(RESOLVER_ENDS_MAX * resolver->end_cost, SHARE);
	resolver->starts = allowance_new(STARTS_MAX * START_INTERVAL, 1);
	if (resolver->allowance && resolver->starts)
		return resolver;
	resolver_free(resolver);
	return NULL;
}

uint64_t resolver_lost(const struct resolver *resolver)
{
	return resolver->questions.lost_lines;
}

uint64_t resolver_lost_rules(const struct resolver *resolver)
{
	return resolver->questions.lost_rules;
}

static void file_charge(struct resolver *resolver, const struct resolver_file *file, uint64_t ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	allowance_spend(resolver->allowance, file->owners[0], now, ns);
	if (file->owners[1] != file->owners[0])
		allowance_spend(resolver->allowance, file->owners[1], now, ns);
}

static bool file_may_be_asked(struct resolver *resolver, const struct resolver_file *file)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	return !file->bad &&
	       allowance_has(resolver->allowance, file->owners[0], now, resolver->end_cost) &&
	       allowance_has(resolver->allowance, file->owners[1], now, resolver->end_cost);
}

/* ---- the process ---- */

/* Returns how many killed processes are still there. */
static size_t gone_reap(struct resolver *resolver)
{
	size_t left = 0, i;

	for (i = 0; i < GONE_MAX; i++)
		if (resolver->gone[i] && waitpid(resolver->gone[i], NULL, WNOHANG))
			resolver->gone[i] = 0;
		else
			left += resolver->gone[i] != 0;
	return left;
}

static void process_end(struct resolver *resolver)
{
	size_t i;

	if (resolver->socket < 0)
		return;
	close(resolver->socket);
	resolver->socket = -1;
	/*
	 * The process exits at the end of its input; one that is at work need not finish. If it
	 * sleeps in the kernel, it is left there.
	 */
	kill(resolver->pid, SIGKILL);
	for (i = 0; i < GONE_MAX && resolver->gone[i]; i++)
		;
	if (i < GONE_MAX)
		resolver->gone[i] = resolver->pid;
	gone_reap(resolver);
}

void resolver_free(struct resolver *resolver)
{
	int ms;

	if (!resolver)
		return;
	process_end(resolver);
	for (ms = 0; ms < END_MS && gone_reap(resolver); ms++)
		usleep(1000);
	resolver_files_free(&resolver->files);
	allowance_free(resolver->allowance);
	allowance_free(resolver->starts);
	resolver_questions_free(&resolver->questions);
	free(resolver);
}

/* Returns false if none runs: too many were started, or the kernel cannot start one. */
static bool process_start(struct resolver *resolver)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (resolver->socket >= 0)
		return true;
	if (gone_reap(resolver) == GONE_MAX ||
	    !allowance_has(resolver->starts, 0, now, START_INTERVAL))
		return false;
	allowance_spend(resolver->starts, 0, now, START_INTERVAL);
	resolver->socket = resolver_process_start(uses[resolver->use].process, resolver->memory,
						  &resolver->pid);
	if (resolver->socket < 0) {
		resolver->socket = -1;
		return false;
	}
	resolver->process++;
	resolver->heard = now;
	return true;
}

/* The process ended, at the first question without an answer. All others are asked again. */
static void process_lost(struct resolver *resolver)
{
	struct resolver_question *question;
	struct resolver_file *file;

	process_end(resolver);
	resolver->ended++;
	question = resolver_questions_ask(&resolver->questions, resolver->questions.sent);
	file = question ? resolver_files_find(&resolver->files, question->file) : NULL;
	resolver->questions.sent = 0;
	if (!file)
		return;
	file->bad = true;
	file_charge(resolver, file, resolver->end_cost);
	note(resolver->notes,
	     "%s, of user %u, ended the process that reads %s: it has none from now on; %s",
	     file->name, file->owners[0], uses[resolver->use].reads,
	     file_may_be_asked(resolver, &(struct resolver_file){ .owners = { file->owners[0],
									      file->owners[1] } }) ?
		     "other files are read" :
		     "other files of that user are not read for a while, either");
}

/*
 * Returns 0, -EAGAIN if the socket has no room now, or another negative errno if no process
 * listens.
 */
static int resolver_send(struct resolver *resolver, struct resolver_question *question,
			 const int fds[2])
{
	const struct iovec part = { question, sizeof(*question) };
	int err = message_send(resolver->socket, &part, 1, fds,
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
	err = resolver_send(resolver, &question, file->fds);
	if (!err)
		file->process = resolver->process;
	return err;
}

/* True if the file was lent, and went with a process that has ended. */
static bool is_gone_with(const struct resolver *resolver, const struct resolver_file *file)
{
	return file->lent && file->process &&
	       (resolver->socket < 0 || file->process != resolver->process);
}

/*
 * Sends @question, and before it the file that it is about. A question that need not be sent counts
 * as sent.
 */
static int question_send(struct resolver *resolver, struct resolver_question *question)
{
	struct resolver_file *file = resolver_files_find(&resolver->files, question->file);
	int err = 0;

	if (question->type == RESOLVER_DROP) {
		/* Do not start a process just for that. */
		if (file && resolver->socket >= 0 && file->process == resolver->process)
			err = resolver_send(resolver, question, NULL);
		if (!err && file)
			resolver_file_close(file);
		return err;
	}
	if (!file || file->bad || file->fds[0] < 0 || is_gone_with(resolver, file))
		return 0;
	if (!process_start(resolver))
		return -EAGAIN;
	err = file_send(resolver, file);
	return err ? err : resolver_send(resolver, question, NULL);
}

/*
 * If the process has ended, its last answers are still to be read, since they tell which question
 * it was at. So its end is noticed when reading.
 */
static void questions_send(struct resolver *resolver)
{
	struct resolver_questions *questions = &resolver->questions;

	while (questions->sent < questions->count &&
	       !question_send(resolver, resolver_questions_at(questions, questions->sent)))
		questions->sent++;
}

/* ---- asking ---- */

static bool question_ask(struct resolver *resolver, const struct resolver_question *asked)
{
	struct resolver_file *file = resolver_files_find(&resolver->files, asked->file);
	struct resolver_question *question = NULL;

	if (!file || file->leaving)
		return false;
	resolver_file_use(&resolver->files, file);
	if (resolver->questions.count < QUESTIONS_MAX && file_may_be_asked(resolver, file))
		question = resolver_questions_new(&resolver->questions);
	if (!question) {
		resolver_questions_lose(&resolver->questions, asked);
		return false;
	}
	*question = *asked;
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
	struct resolver_file *file = resolver_files_find(&resolver->files, number);
	struct resolver_question *question;

	if (!file || file->leaving)
		return;
	if (!resolver->questions.count && !file->process) {
		resolver_files_remove(&resolver->files, file);
		return;
	}
	/* Without memory the file stays until it is the least recently used. */
	question = resolver_questions_new(&resolver->questions);
	if (!question)
		return;
	file->leaving = true;
	*question = (struct resolver_question){ .type = RESOLVER_DROP, .file = number };
	questions_send(resolver);
}

/*
 * Returns NULL without memory or descriptors, or if there are too many files, all with open
 * questions. The file that was used least recently is dropped if there are many.
 */
static struct resolver_file *file_new(struct resolver *resolver, int fd, int second_fd,
				      const char *name)
{
	unsigned int staying;
	struct resolver_file *oldest = resolver_files_oldest(&resolver->files, &staying);

	if (staying >= RESOLVER_FILES_MAX)
		resolver_drop(resolver, oldest->number);
	if (HASH_COUNT(resolver->files.all) >= 2 * RESOLVER_FILES_MAX)
		return NULL;
	return resolver_files_new(&resolver->files, fd, second_fd, name);
}

bool resolver_forgot(const struct resolver *resolver, uint32_t number)
{
	const struct resolver_file *file = resolver_files_find(&resolver->files, number);

	return number && (!file || file->leaving || (!file->bad && is_gone_with(resolver, file)));
}

uint32_t resolver_add(struct resolver *resolver, int fd, int debug_fd, const char *name)
{
	struct resolver_file *file = file_new(resolver, fd, debug_fd, name);
	struct stat st[2];

	if (!file)
		return 0;
	if (!fstat(fd, &st[0]) && (debug_fd < 0 || !fstat(debug_fd, &st[1]))) {
		resolver_file_own(file, st[0].st_uid, debug_fd < 0 ? st[0].st_uid : st[1].st_uid);
		return file->number;
	}
	resolver_files_remove(&resolver->files, file);
	return 0;
}

uint32_t resolver_add_lent(struct resolver *resolver, int socket, const uint32_t owners[2],
			   const char *name)
{
	struct resolver_file *file = file_new(resolver, socket, -1, name);

	if (!file)
		return 0;
	file->lent = true;
	resolver_file_own(file, owners[0], owners[1]);
	return file->number;
}

void resolver_give_up(struct resolver *resolver)
{
	resolver_questions_lose_all(&resolver->questions);
	process_end(resolver);
}

/* ---- answers ---- */

struct answering {
	void (*answer)(void *context, const struct resolver_reply *reply);
	void *context;
};

/* True if the process was given @question, and will answer it. */
static bool is_asked(const struct resolver *resolver, const struct resolver_question *question)
{
	const struct resolver_file *file = resolver_files_find(&resolver->files, question->file);

	return resolver_question_is_ask(question) && file && !file->bad &&
	       file->process == resolver->process && resolver->socket >= 0;
}

/* Skips questions that get no answer: those about files that were dropped, are bad, or are gone. */
static void questions_settle(struct resolver *resolver, const struct answering *answering)
{
	while (resolver->questions.sent &&
	       !is_asked(resolver, resolver_questions_at(&resolver->questions, 0))) {
		struct resolver_question question = *resolver_questions_at(&resolver->questions, 0);
		struct resolver_file *file = resolver_files_find(&resolver->files, question.file);

		resolver_questions_drop(&resolver->questions);
		if (question.type == RESOLVER_DROP && file) {
			resolver_files_remove(&resolver->files, file);
		} else if (resolver_question_is_ask(&question)) {
			resolver_questions_lose(&resolver->questions, &question);
			answering->answer(answering->context,
					  &(struct resolver_reply){ .cookie = question.cookie });
		}
	}
}

static bool answer_take(struct resolver *resolver, const struct resolver_answer *answer,
			const struct answering *answering)
{
	uint64_t took = (answer->took_ms < 1000u * RESOLVER_SECONDS_MAX ?
				 answer->took_ms :
				 1000u * RESOLVER_SECONDS_MAX) *
			NSEC_PER_MSEC;
	struct resolver_reply reply;
	struct resolver_file *file;

	if (!resolver->questions.sent ||
	    !resolver_answer_read(resolver_questions_at(&resolver->questions, 0), answer, &reply))
		return false;
	file = resolver_files_find(&resolver->files,
				   resolver_questions_at(&resolver->questions, 0)->file);
	if (file && took > SLOW)
		file_charge(resolver, file, took - SLOW);
	resolver_questions_drop(&resolver->questions);
	answering->answer(answering->context, &reply);
	return true;
}

/* Returns true while there may be more answers. */
static bool answer_read(struct resolver *resolver, const struct answering *answering)
{
	struct resolver_answer answer;
	ssize_t n;

	questions_settle(resolver, answering);
	if (resolver->socket < 0)
		return false;
	n = recv(resolver->socket, &answer, sizeof(answer), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	/* The process ended with questions unread. Its earlier answers come next. */
	if (n < 0 && errno == ECONNRESET)
		return true;
	resolver->heard = clock_ns(CLOCK_MONOTONIC);
	if (!resolver_answer_check(&answer, n) || !answer_take(resolver, &answer, answering)) {
		process_lost(resolver);
		return false;
	}
	return true;
}

/* The processor time that the process has used, in ns. */
static uint64_t work_of(const struct resolver *resolver)
{
	clockid_t clock;

	return resolver->socket < 0 || clock_getcpuclockid(resolver->pid, &clock) ?
		       0 :
		       clock_own_ns(clock);
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
			while (answer_read(resolver, &answering))
				;
			/* Questions that one process left unanswered go to the next. */
		} while (ended != resolver->ended);
		now = clock_ns(CLOCK_MONOTONIC);
		if (!resolver_questions_ask(&resolver->questions, resolver->questions.count)) {
			resolver->heard = now;
			return;
		}
		if (resolver->socket >= 0 && now - resolver->heard > ANSWER_MAX) {
			process_lost(resolver);
			continue;
		}
		if (now >= end)
			return;
		work = work_of(resolver);
		if (work != worked || since == end || resolver->socket < 0)
			since = now;
		else if (now - since > (uint64_t)idle_ms * NSEC_PER_MSEC)
			return;
		worked = work;
		wanted.fd = resolver->socket;
		wanted.events = resolver->questions.sent < resolver->questions.count ?
					POLLIN | POLLOUT :
					POLLIN;
		poll(&wanted, 1,
		     resolver->socket < 0 ?
			     PACE_MS :
			     (int)((end - now < SLICE ? end - now : SLICE) / NSEC_PER_MSEC) + 1);
	}
}
