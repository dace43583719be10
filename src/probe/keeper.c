/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cutop's side. If the guard process does not answer within seconds, it was stopped, or is broken:
 * then it is killed, so that cutop neither waits for it nor has probes that it cannot remove.
 */
#include "probe/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/keeper_process.h"
#include "util/message.h"

/* The kernel takes one to close hundreds of links on a busy machine */
#define ANSWER_SECONDS 10
#define REAP_INTERVAL  5 /* ms */
/* Cutop is to end within two seconds, whatever else there is to do */
#define END_TIME (1300 * NSEC_PER_MSEC)

struct keeper {
	pid_t pid;
	int socket;
	bool is_lost, is_ending;
	/* Shelves whose links were closed, yet to be returned by keeper_told() */
	uint32_t *told;
	size_t told_count;
};

/*
 * Waits for the process that is about to end. The kernel may keep it waiting without end in turn;
 * then it is left behind.
 */
static void reap(const struct keeper *keeper)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) +
		       (keeper->is_ending ? END_TIME / 4 : ANSWER_SECONDS * NSEC_PER_SEC);

	while (!waitpid(keeper->pid, NULL, WNOHANG) && clock_ns(CLOCK_MONOTONIC) < end)
		poll(NULL, 0, REAP_INTERVAL);
}

static void lose(struct keeper *keeper)
{
	if (keeper->is_lost)
		return;
	keeper->is_lost = true;
	if (keeper->pid <= 0)
		return;
	kill(keeper->pid, SIGKILL);
	reap(keeper);
}

static void told_add(struct keeper *keeper, uint32_t shelf)
{
	uint32_t *more = realloc(keeper->told, (keeper->told_count + 1) * sizeof(*more));

	if (!more)
		return lose(keeper);
	keeper->told = more;
	more[keeper->told_count++] = shelf;
}

/* Returns 1 with @message, 0 if there is none now, or a negative errno: the process is gone. */
static int told_receive(struct keeper *keeper, struct keeper_message *message, int flags)
{
	ssize_t n;

	do
		n = recv(keeper->socket, message, sizeof(*message), flags);
	while (n < 0 && errno == EINTR);
	if (n == sizeof(*message))
		return 1;
	if (n < 0 && errno == EAGAIN && flags & MSG_DONTWAIT)
		return 0;
	lose(keeper);
	return -EPIPE;
}

/* Waits for an answer. Returns its value, or a negative errno. */
static int answer_wait(struct keeper *keeper)
{
	struct keeper_message message;
	int got;

	while ((got = told_receive(keeper, &message, 0)) > 0) {
		if (message.type == KEEPER_ANSWER)
			return (int)message.value;
		told_add(keeper, message.shelf);
	}
	return got;
}

static int order_send(struct keeper *keeper, struct keeper_message message, const int *fds,
		      size_t count)
{
	const struct iovec part = { &message, sizeof(message) };
	int err = keeper->is_lost ? -EPIPE : message_send(keeper->socket, &part, 1, fds, count, 0);

	/*
	 * Too many descriptors are in flight, or there is no memory: the process is not to blame.
	 */
	if (!err || err == -ETOOMANYREFS || err == -ENOBUFS || err == -ENOMEM)
		return err;
	lose(keeper);
	return -EPIPE;
}

int keeper_start(struct keeper **result, struct reason *why)
{
	const struct timeval patience = { .tv_sec = ANSWER_SECONDS };
	struct keeper *keeper = calloc(1, sizeof(*keeper));
	int sockets[2], err;
	sigset_t lease_broken;

	*result = NULL;
	if (!keeper)
		return reason_set(why, -ENOMEM, "no memory");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		err = -errno;
		goto fail;
	}
	/*
	 * This signal is meant for the guard process, and fatal by default: block it before there
	 * is another thread.
	 */
	sigemptyset(&lease_broken);
	sigaddset(&lease_broken, SIGIO);
	pthread_sigmask(SIG_BLOCK, &lease_broken, NULL);
	keeper->pid = fork();
	if (!keeper->pid)
		keeper_process(sockets[1]);
	err = keeper->pid < 0 ? -errno : 0;
	close(sockets[1]);
	keeper->socket = sockets[0];
	setsockopt(keeper->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(keeper->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	/* The process answers once it has given up its rights. */
	if (!err)
		err = answer_wait(keeper);
	if (!err) {
		*result = keeper;
		return 0;
	}
	close(keeper->socket);
fail:
	free(keeper->told);
	free(keeper);
	return reason_set(why, err, "cannot start the process that holds the probes: %s",
			  strerror(-err));
}

/*
 * To remove probes the kernel locks each address space that maps the file, and waits without end if
 * one is already held locked, over memory that never arrives. Then cutop goes on without the guard
 * process, which ends when it can.
 */
void keeper_end(struct keeper *keeper)
{
	const struct timeval patience = { .tv_sec = END_TIME / NSEC_PER_SEC,
					  .tv_usec = END_TIME % NSEC_PER_SEC / 1000 };

	if (!keeper)
		return;
	setsockopt(keeper->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(keeper->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	keeper->is_ending = true;
	if (!order_send(keeper, (struct keeper_message){ .type = KEEPER_END }, NULL, 0) &&
	    answer_wait(keeper) >= 0) {
		reap(keeper);
		keeper->is_lost = true;
	}
	lose(keeper);
	close(keeper->socket);
	free(keeper->told);
	free(keeper);
}

int keeper_fd(const struct keeper *keeper)
{
	return keeper->socket;
}

pid_t keeper_pid(const struct keeper *keeper)
{
	return keeper->pid;
}

bool keeper_is_alive(const struct keeper *keeper)
{
	return !keeper->is_lost;
}

bool keeper_told(struct keeper *keeper, uint32_t *shelf)
{
	struct keeper_message message;

	while (!keeper->is_lost && told_receive(keeper, &message, MSG_DONTWAIT) > 0)
		if (message.type == KEEPER_LIFTED)
			told_add(keeper, message.shelf);
	if (!keeper->told_count)
		return false;
	*shelf = keeper->told[0];
	memmove(keeper->told, keeper->told + 1, --keeper->told_count * sizeof(*shelf));
	return true;
}

int keeper_watch(struct keeper *keeper, uint32_t shelf, const struct guard *guard)
{
	const struct keeper_message message = { .type = KEEPER_WATCH,
						.shelf = shelf,
						.state = guard_state(guard) };

	return guard->fd < 0 ? 0 : order_send(keeper, message, &guard->fd, 1);
}

int keeper_keep(struct keeper *keeper, uint32_t shelf, int *links, size_t count)
{
	size_t at, part, i;
	int kept;

	for (at = 0; at < count; at += part) {
		part = count - at < KEEPER_LINKS_MAX ? count - at : KEEPER_LINKS_MAX;
		kept = order_send(keeper,
				  (struct keeper_message){ .type = KEEPER_KEEP,
							   .shelf = shelf,
							   .value = (uint32_t)part },
				  links + at, part);
		if (!kept)
			kept = answer_wait(keeper);
		if (kept < 0)
			return kept;
		for (i = at; i < at + (size_t)kept && i < at + part; i++) {
			close(links[i]);
			links[i] = -1;
		}
		if ((size_t)kept < part)
			return -ENOMEM;
	}
	return 0;
}

void keeper_drop(struct keeper *keeper, const uint32_t *shelves, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (order_send(keeper,
			       (struct keeper_message){ .type = KEEPER_DROP, .shelf = shelves[i] },
			       NULL, 0))
			return;
	if (count && !order_send(keeper, (struct keeper_message){ .type = KEEPER_WAIT }, NULL, 0))
		answer_wait(keeper);
}
