/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that forks workers, and the workers themselves. The former touches no file and no
 * other process's memory, so that it always gets its orders; nothing but its socket is open in it.
 * It exists so that cutop, which holds links and maps, need not fork itself, and has no child that
 * cannot die.
 */
#include "errand/errand_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/confine.h"
#include "util/message.h"
#include "util/util.h"

/* ---- messages ---- */

int errand_send(int socket, const void *head, size_t head_len, const void *body, size_t body_len,
		const int *fds, int count, int flags)
{
	const struct iovec parts[2] = { { (void *)(uintptr_t)head, head_len },
					{ (void *)(uintptr_t)body, body_len } };

	return message_send(socket, parts, body_len ? 2 : 1, fds, (size_t)count, flags);
}

long errand_receive(int socket, void *head, size_t head_len, void *body, size_t body_max,
		    int fds[ERRAND_MESSAGE_FDS], int flags)
{
	const struct iovec parts[2] = { { head, head_len }, { body, body_max } };

	return message_receive(socket, parts, body_max ? 2 : 1, fds, ERRAND_MESSAGE_FDS, flags);
}

/* ---- a worker ---- */

/* The answer's data in a memory file; -1 on failure. */
static int file_of(const struct errand_answer *answer)
{
	int fd = file_in_memory("cutop");
	size_t at = 0;
	ssize_t n;

	for (; fd >= 0 && at < answer->len; at += (size_t)n) {
		n = write(fd, answer->data + at, answer->len - at);
		if (n <= 0) {
			close(fd);
			return -1;
		}
	}
	return fd;
}

static int answer_send(int socket, const struct errand_answer *answer)
{
	struct errand_told told = { .result = answer->result,
				    .len = answer->len,
				    .has_data = answer->data != NULL };
	int fds[ERRAND_MESSAGE_FDS], count = 0, file = -1, i, err = -EMSGSIZE;

	for (i = 0; i < ERRAND_FDS; i++)
		if (answer->fds[i] >= 0) {
			told.fd_mask |= 1u << i;
			fds[count++] = answer->fds[i];
		}
	if (answer->len <= ERRAND_INLINE)
		err = errand_send(socket, &told, sizeof(told), answer->data, (size_t)told.len, fds,
				  count, 0);
	/* Where the sysctl net.core.wmem_default is low, less is too much. */
	if (err == -EMSGSIZE) {
		file = file_of(answer);
		if (file < 0)
			told = (struct errand_told){ .result = -ENOMEM };
		else
			fds[count++] = file;
		told.in_file = file >= 0;
		err = errand_send(socket, &told, sizeof(told), NULL, 0, fds, count, 0);
	}
	if (file >= 0)
		close(file);
	return err;
}

static _Noreturn void worker(int socket, const struct errands_settings *settings)
{
	static char question[ERRAND_QUESTION_MAX + 1];
	struct errand_hello hello = { .pid = getpid() };
	struct errand_asked asked;
	int fds[ERRAND_MESSAGE_FDS], i;
	long n;

	if (errand_send(socket, &hello, sizeof(hello), NULL, 0, NULL, 0, 0))
		_exit(1);
	for (;;) {
		struct errand_answer answer = errand_nothing;

		n = errand_receive(socket, &asked, sizeof(asked), question, ERRAND_QUESTION_MAX,
				   fds, 0);
		if (n < (long)sizeof(asked) || asked.job >= settings->job_count)
			_exit(0);
		n -= (long)sizeof(asked);
		question[n] = 0;
		answer.result = settings->jobs[asked.job](question, (size_t)n, fds, &answer);
		for (i = 0; i < ERRAND_MESSAGE_FDS; i++)
			if (fds[i] >= 0)
				close(fds[i]);
		if (answer_send(socket, &answer))
			_exit(1);
		errand_answer_free(&answer);
		if (asked.holds)
			while (recv(socket, question, 1, 0) < 0 && errno == EINTR)
				;
		if (asked.holds)
			_exit(0);
	}
}

/* ---- the process that forks them ---- */

struct family {
	/* 0: none. Room for more than may be at work: a killed worker may take its time to die */
	pid_t pids[4 * ERRAND_WORKERS];
	int signals;
};

static void worker_fork(struct family *family, int orders, int socket,
			const struct errands_settings *settings)
{
	size_t i;
	pid_t pid;

	for (i = 0; i < ARRAY_LEN(family->pids) && family->pids[i]; i++)
		;
	if (i == ARRAY_LEN(family->pids))
		return;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(orders);
		close(family->signals);
		worker(socket, settings);
	}
	if (pid > 0)
		family->pids[i] = pid;
}

/* Kill only our own child: the number of a child that has ended may have been reused. */
static void worker_kill(struct family *family, pid_t pid)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(family->pids); i++)
		if (family->pids[i] && (!pid || family->pids[i] == pid))
			kill(family->pids[i], SIGKILL);
}

static void workers_reap(struct family *family)
{
	struct signalfd_siginfo info;
	pid_t pid;
	size_t i;

	while (read(family->signals, &info, sizeof(info)) == sizeof(info))
		;
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (i = 0; i < ARRAY_LEN(family->pids); i++)
			if (family->pids[i] == pid)
				family->pids[i] = 0;
}

static void child_signals_open(struct family *family)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	family->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

#define END_MS 100

/* Waits a moment for workers that can die: the process that inherits the rest may not reap them. */
static void workers_end(struct family *family)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + END_MS * NSEC_PER_MSEC;
	size_t i;

	for (;;) {
		struct pollfd wanted = { .fd = family->signals, .events = POLLIN };

		workers_reap(family);
		for (i = 0; i < ARRAY_LEN(family->pids) && !family->pids[i]; i++)
			;
		if (i == ARRAY_LEN(family->pids) || clock_ns(CLOCK_MONOTONIC) >= end)
			return;
		poll(&wanted, 1, 10);
	}
}

#define LOCKED_MAX (64ul << 20) /* memory that a worker may lock: pages of probed files */

_Noreturn void errand_process(int socket, const struct errands_settings *settings)
{
	struct family family = { .signals = -1 };
	struct errand_order order;
	int fds[ERRAND_MESSAGE_FDS];
	long n;

	setsid(); /* the terminal's signals are not for this process */
	setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ LOCKED_MAX, LOCKED_MAX });
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	if (confine_leave("cutop-errands", socket) || (settings->give_up && settings->give_up()))
		_exit(1);
	/*
	 * Other processes, such as COMMAND before it runs, may hold the other end, too: so do not
	 * rely on its closing.
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	child_signals_open(&family);
	for (;;) {
		struct pollfd wanted[2] = { { .fd = 0, .events = POLLIN },
					    { .fd = family.signals, .events = POLLIN } };

		if (poll(wanted, 2, -1) < 0 && errno != EINTR)
			break;
		workers_reap(&family);
		if (!wanted[0].revents)
			continue;
		n = errand_receive(0, &order, sizeof(order), NULL, 0, fds, MSG_DONTWAIT);
		if (n == -EAGAIN)
			continue;
		if (n != sizeof(order))
			break;
		if (order.what == ERRAND_FORK && fds[0] >= 0)
			worker_fork(&family, 0, fds[0], settings);
		else if (order.what == ERRAND_KILL && order.pid > 0)
			worker_kill(&family, order.pid);
		if (fds[0] >= 0)
			close(fds[0]);
	}
	worker_kill(&family, 0);
	workers_end(&family);
	_exit(0);
}
