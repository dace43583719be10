/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cutop's side. If the guard process does not answer within seconds, it was stopped, or is broken:
 * then it is killed, so that cutop neither waits for it nor has probes that it cannot remove.
 */
#include "probe/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/guard_process.h"
#include "util/message.h"

/* The kernel takes one to close hundreds of links on a busy machine */
#define ANSWER_TIME (10 * NSEC_PER_SEC)
/* Cutop is to end within two seconds, whatever else there is to do */
#define END_TIME (1300 * NSEC_PER_MSEC)

struct guard {
	pid_t pid;
	int socket;
	bool is_lost;
	uint32_t last_number;
};

static void patience_set(const struct guard *guard, uint64_t ns)
{
	const struct timeval patience = { .tv_sec = (time_t)(ns / NSEC_PER_SEC),
					  .tv_usec = (suseconds_t)(ns % NSEC_PER_SEC / 1000) };

	setsockopt(guard->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(guard->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

static int lose(struct guard *guard)
{
	if (!guard->is_lost && guard->pid > 0)
		kill(guard->pid, SIGKILL);
	guard->is_lost = true;
	return -EPIPE;
}

/* Returns the number that it answers, or a negative errno. */
static int answer_wait(struct guard *guard)
{
	uint32_t answer;
	ssize_t n;

	do
		n = recv(guard->socket, &answer, sizeof(answer), 0);
	while (n < 0 && errno == EINTR);
	return n == sizeof(answer) ? (int)answer : lose(guard);
}

static int order(struct guard *guard, const struct guard_message *message, const int *fds,
		 size_t count)
{
	const struct iovec part = { (void *)message, sizeof(*message) };
	int err = guard->is_lost ? -EPIPE : message_send(guard->socket, &part, 1, fds, count, 0);

	/*
	 * Too many descriptors are in flight, or there is no memory: the process is not to blame.
	 */
	if (err == -ETOOMANYREFS || err == -ENOBUFS || err == -ENOMEM)
		return -ENOMEM;
	return err ? lose(guard) : answer_wait(guard);
}

int guard_start(struct guard **result, struct reason *why)
{
	struct guard *guard = calloc(1, sizeof(*guard));
	int sockets[2], err;

	*result = NULL;
	if (!guard)
		return reason_set(why, -ENOMEM, "no memory");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		err = -errno;
		goto fail;
	}
	guard->pid = fork();
	if (!guard->pid)
		guard_process(sockets[1]);
	err = guard->pid < 0 ? -errno : 0;
	close(sockets[1]);
	guard->socket = sockets[0];
	patience_set(guard, ANSWER_TIME);
	/* The process answers once it has given up its rights. */
	if (!err)
		err = answer_wait(guard);
	if (!err) {
		*result = guard;
		return 0;
	}
	close(guard->socket);
fail:
	free(guard);
	return reason_set(why, err, "cannot start the process that holds the probes: %s",
			  strerror(-err));
}

/*
 * To remove probes the kernel locks each address space that maps the file, and waits without end if
 * one is already held locked, over memory that never arrives. Then cutop goes on without the guard
 * process, which ends when it can.
 */
void guard_end(struct guard *guard)
{
	const struct guard_message message = { .order = GUARD_END };

	if (!guard)
		return;
	patience_set(guard, END_TIME);
	if (order(guard, &message, NULL, 0) >= 0)
		while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
			;
	close(guard->socket);
	free(guard);
}

pid_t guard_pid(const struct guard *guard)
{
	return guard->pid;
}

bool guard_is_alive(struct guard *guard)
{
	if (waitpid(guard->pid, NULL, WNOHANG))
		guard->is_lost = true;
	return !guard->is_lost;
}

int guard_watch(struct guard *guard, struct guarded *file)
{
	const struct guard_message message = { .order = GUARD_WATCH,
					       .numbers = { guard_number(guard) } };

	file->number = message.numbers[0];
	return order(guard, &message, &file->fd, file->leased);
}

uint32_t guard_number(struct guard *guard)
{
	return ++guard->last_number;
}

int guard_hold(struct guard *guard, uint32_t number, const struct guarded *file, int *links,
	       size_t count)
{
	struct guard_message message = { .order = GUARD_HOLD,
					 .numbers = { number, file ? file->number : 0 } };
	size_t at, i;
	int kept = 0;

	for (at = 0; at < count && kept >= 0; at += message.count) {
		message.count =
			(uint32_t)(count - at < MESSAGE_FDS_MAX ? count - at : MESSAGE_FDS_MAX);
		kept = order(guard, &message, links + at, message.count);
		/* It has too many files open, or no memory. */
		if (kept >= 0 && (uint32_t)kept != message.count)
			kept = -EMFILE;
	}
	for (i = 0; i < count; i++) {
		if (links[i] >= 0)
			close(links[i]);
		links[i] = -1;
	}
	return kept < 0 ? kept : 0;
}

void guard_drop(struct guard *guard, const uint32_t *numbers, size_t count)
{
	struct guard_message message = { .order = GUARD_DROP, .count = (uint32_t)count };
	size_t i;

	for (i = 0; i < count && i < GUARD_DROP_MAX; i++)
		message.numbers[i] = numbers[i];
	if (count)
		order(guard, &message, NULL, 0);
}
