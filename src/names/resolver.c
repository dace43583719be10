/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two ends of a socket that keeps the bounds of messages. This file is the
 * asking end: it never blocks, what the socket has no room for waits in a
 * list. resolver_process.c is the answering end.
 *
 * When that process ends before its time, the question it was at (answers come
 * in the order of questions) tells whose fault it was.
 */
#include "names/resolver.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "names/resolver_process.h"
#include "util/util.h"

#define QUESTIONS_MAX	262144	/* waiting; what comes then goes without a line */
#define STARTS_MAX	16	/* of the process, before we give up */
#define BAD_MAX		STARTS_MAX

struct question {
	struct resolver_question message;
	int fds[2];			/* RESOLVER_ADD: our own copies until sent; -1: none */
};

struct resolver {
	int socket;			/* -1: nothing runs */
	pid_t pid;
	unsigned int starts;
	uint32_t last_file;		/* numbers are given in order and never again */
	uint32_t first_file;		/* of the process that runs */
	uint32_t bad[BAD_MAX];		/* files at whose questions a process ended */
	unsigned int bad_count;
	struct question *list;		/* a ring: sent and not answered, then not sent */
	size_t first, sent, count, room;
	size_t stale;			/* of those sent: asked of a process before this one, which will not answer */
};

struct resolver *resolver_new(void)
{
	struct resolver *resolver = calloc(1, sizeof(*resolver));

	if (resolver)
		resolver->socket = -1;
	return resolver;
}

static struct question *question_at(struct resolver *resolver, size_t n)
{
	return &resolver->list[(resolver->first + n) % resolver->room];
}

static void question_close(struct question *question)
{
	int i;

	for (i = 0; i < 2; i++)
		if (question->fds[i] >= 0)
			close(question->fds[i]);
	question->fds[0] = question->fds[1] = -1;
}

static struct question *question_new(struct resolver *resolver)
{
	struct question *question;

	if (resolver->count == resolver->room) {
		size_t room = resolver->room ? 2 * resolver->room : 64, i;
		struct question *list = room <= QUESTIONS_MAX ? calloc(room, sizeof(*list)) : NULL;

		if (!list)
			return NULL;
		for (i = 0; i < resolver->count; i++)
			list[i] = *question_at(resolver, i);
		free(resolver->list);
		resolver->list = list;
		resolver->room = room;
		resolver->first = 0;
	}
	question = question_at(resolver, resolver->count++);
	question->fds[0] = question->fds[1] = -1;
	return question;
}

static void question_drop(struct resolver *resolver)
{
	question_close(question_at(resolver, 0));
	resolver->first = (resolver->first + 1) % resolver->room;
	resolver->count--;
	if (resolver->sent)
		resolver->sent--;
	if (resolver->stale)
		resolver->stale--;
}

static void process_end(struct resolver *resolver)
{
	if (resolver->socket < 0)
		return;
	close(resolver->socket);
	resolver->socket = -1;
	/* At the end of its input it leaves by itself; one that is at work need not finish. */
	kill(resolver->pid, SIGKILL);
	while (waitpid(resolver->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void resolver_free(struct resolver *resolver)
{
	if (!resolver)
		return;
	process_end(resolver);
	while (resolver->count)
		question_drop(resolver);
	free(resolver->list);
	free(resolver);
}

static int process_start(struct resolver *resolver)
{
	int ends[2];

	if (resolver->starts >= STARTS_MAX)
		return -EAGAIN;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	resolver->starts++;
	resolver->pid = fork();
	if (resolver->pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return -EAGAIN;
	}
	if (!resolver->pid)
		resolver_process(ends[1]);
	close(ends[1]);
	resolver->socket = ends[0];
	resolver->first_file = resolver->last_file + 1;
	resolver->sent = resolver->stale = resolver->count;
	return 0;
}

/* The process ended: its files are gone, and what it was asked stays without an answer. */
static void process_lost(struct resolver *resolver)
{
	size_t i;

	for (i = resolver->stale; i < resolver->sent; i++) {
		struct question *question = question_at(resolver, i);

		if (question->message.type != RESOLVER_ASK)
			continue;
		if (resolver->bad_count < BAD_MAX)
			resolver->bad[resolver->bad_count++] = question->message.file;
		break;
	}
	process_end(resolver);
}

static bool is_bad(const struct resolver *resolver, uint32_t file)
{
	unsigned int i;

	for (i = 0; i < resolver->bad_count; i++)
		if (resolver->bad[i] == file)
			return true;
	return false;
}

bool resolver_forgot(const struct resolver *resolver, uint32_t file)
{
	return file && !is_bad(resolver, file) && resolver->starts < STARTS_MAX &&
	       (resolver->socket < 0 || file < resolver->first_file);
}

/* Returns 0, -EAGAIN if there is no room now, or another negative errno if nobody listens. */
static int question_send(struct resolver *resolver, struct question *question)
{
	int count = question->fds[0] < 0 ? 0 : question->fds[1] < 0 ? 1 : 2;
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr header;
	} control;
	struct iovec part = { &question->message, sizeof(question->message) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (count) {
		memset(&control, 0, sizeof(control));
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), question->fds, (size_t)count * sizeof(int));
	}
	if (sendmsg(resolver->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return errno == EINTR || errno == ENOBUFS || errno == ETOOMANYREFS ? -EAGAIN : -errno;
	question_close(question);
	return 0;
}

static void questions_send(struct resolver *resolver)
{
	while (resolver->socket >= 0 && resolver->sent < resolver->count) {
		int err = question_send(resolver, question_at(resolver, resolver->sent));

		if (err == -EAGAIN)
			return;
		if (err) {
			process_lost(resolver);
			return;
		}
		resolver->sent++;
	}
}

uint32_t resolver_add(struct resolver *resolver, int fd, int debug_fd)
{
	struct question *question;

	if (resolver->socket < 0 && process_start(resolver))
		return 0;
	question = question_new(resolver);
	if (!question)
		return 0;
	question->message = (struct resolver_question){ .type = RESOLVER_ADD, .file = ++resolver->last_file };
	question->fds[0] = dup(fd);
	question->fds[1] = question->fds[0] < 0 || debug_fd < 0 ? -1 : dup(debug_fd);
	questions_send(resolver);
	return resolver->last_file;
}

void resolver_drop(struct resolver *resolver, uint32_t file)
{
	struct question *question;

	if (resolver->socket < 0 || file < resolver->first_file || !file)
		return;
	question = question_new(resolver);
	if (!question)
		return;
	question->message = (struct resolver_question){ .type = RESOLVER_DROP, .file = file };
	questions_send(resolver);
}

bool resolver_ask(struct resolver *resolver, uint32_t file, uint64_t offset, uint64_t cookie)
{
	struct question *question;

	if (resolver->socket < 0 || file < resolver->first_file || !file)
		return false;
	question = question_new(resolver);
	if (!question)
		return false;
	question->message = (struct resolver_question){
		.type = RESOLVER_ASK, .file = file, .offset = offset, .cookie = cookie,
	};
	questions_send(resolver);
	return true;
}

static bool answer_take(struct resolver *resolver, const struct resolver_answer *reply,
			void (*answer)(void *context, uint64_t cookie, const char *path, unsigned int line),
			void *context)
{
	/* Files are handed over and dropped without a word in return. */
	while (resolver->sent && question_at(resolver, 0)->message.type != RESOLVER_ASK)
		question_drop(resolver);
	if (!resolver->sent || question_at(resolver, 0)->message.cookie != reply->cookie)
		return false;
	question_drop(resolver);
	answer(context, reply->cookie, reply->line ? reply->path : NULL, reply->line);
	return true;
}

/* Returns true while there may be more. */
static bool answer_read(struct resolver *resolver,
			void (*answer)(void *context, uint64_t cookie, const char *path, unsigned int line),
			void *context)
{
	struct resolver_answer reply;
	ssize_t n = recv(resolver->socket, &reply, sizeof(reply), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	reply.path[sizeof(reply.path) - 1] = 0;
	if (n != sizeof(reply) || !answer_take(resolver, &reply, answer, context)) {
		process_lost(resolver);
		return false;
	}
	return true;
}

/* Gives up on the first @count questions, which nobody will answer. */
static void questions_abandon(struct resolver *resolver, size_t count,
			      void (*answer)(void *context, uint64_t cookie, const char *path, unsigned int line),
			      void *context)
{
	while (count--) {
		struct resolver_question message = question_at(resolver, 0)->message;

		question_drop(resolver);
		if (message.type == RESOLVER_ASK)
			answer(context, message.cookie, NULL, 0);
	}
}

static bool is_waiting(struct resolver *resolver)
{
	size_t i;

	for (i = 0; i < resolver->count; i++)
		if (question_at(resolver, i)->message.type == RESOLVER_ASK)
			return true;
	return false;
}

void resolver_answers(struct resolver *resolver, int timeout_ms,
		      void (*answer)(void *context, uint64_t cookie, const char *path, unsigned int line),
		      void *context)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ms * NSEC_PER_MSEC;

	for (;;) {
		struct pollfd wanted;
		uint64_t now;

		questions_abandon(resolver, resolver->stale, answer, context);
		questions_send(resolver);
		while (resolver->socket >= 0 && answer_read(resolver, answer, context))
			;
		if (resolver->socket < 0) {
			questions_abandon(resolver, resolver->count, answer, context);
			return;
		}
		now = clock_ns(CLOCK_MONOTONIC);
		if (now >= end || !is_waiting(resolver))
			return;
		wanted.fd = resolver->socket;
		wanted.events = resolver->sent < resolver->count ? POLLIN | POLLOUT : POLLIN;
		poll(&wanted, 1, (int)((end - now) / NSEC_PER_MSEC) + 1);
	}
}
