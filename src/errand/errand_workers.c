/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers, as seen by cutop's own process: a socket each, and the process that forks them. */
#include "errand/errand_internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "errand/errand_process.h"

/* Additional time for a worker that waits for a processor */
#define WAIT_PROCESSOR (2 * NSEC_PER_SEC)
#define WAIT_STEP      (10 * NSEC_PER_MSEC)
/* Processor time of a worker that is given that time */
#define WORK_MAX      (50 * NSEC_PER_MSEC)
#define LONG_SLICE_MS 50 /* how often to check whether cutop has to end */
#define LATE_MAX      (ERRAND_WORKERS - 8)
#define STARTS_MAX    16 /* starts of the process that forks workers */
#define ANSWER_MAX    (64u << 20)

/* ---- the process that forks workers ---- */

int workers_start(struct errands *errands)
{
	int ends[2];

	if (errands->starts >= STARTS_MAX)
		return -EAGAIN;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	errands->starts++;
	errands->pid = fork();
	if (!errands->pid)
		errand_process(ends[1], &errands->settings);
	close(ends[1]);
	if (errands->pid < 0) {
		close(ends[0]);
		return -EAGAIN;
	}
	errands->orders = ends[0];
	return 0;
}

#define END_MS 500

/*
 * It ends when its socket closes, and so do its workers as soon as they can. It touches nothing
 * that could keep it asleep.
 */
void workers_stop(struct errands *errands)
{
	int ms;

	if (errands->orders < 0)
		return;
	close(errands->orders);
	errands->orders = -1;
	for (ms = 0; ms < END_MS; ms++) {
		if (waitpid(errands->pid, NULL, WNOHANG))
			return;
		usleep(1000);
	}
	kill(errands->pid, SIGKILL);
	while (waitpid(errands->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int order(struct errands *errands, const struct errand_order *order, int socket)
{
	int err = -EPIPE;

	if (errands->orders >= 0)
		err = errand_send(errands->orders, order, sizeof(*order), NULL, 0, &socket,
				  socket >= 0, MSG_DONTWAIT);
	if (err != -EPIPE && err != -ECONNRESET)
		return err;
	/* The process was killed, perhaps because memory was short. */
	workers_stop(errands);
	err = workers_start(errands);
	return err ? err :
		     errand_send(errands->orders, order, sizeof(*order), NULL, 0, &socket,
				 socket >= 0, MSG_DONTWAIT);
}

/* ---- workers ---- */

void worker_forget(struct errands *errands, struct worker *worker)
{
	close(worker->socket);
	*worker = (struct worker){ .socket = -1 };
	errands->news++;
}

size_t workers_count(const struct errands *errands, enum worker_state state)
{
	size_t i, count = 0;

	for (i = 0; i < ERRAND_WORKERS; i++)
		count += errands->workers[i].state == state;
	return count;
}

struct worker *worker_get(struct errands *errands)
{
	const struct errand_order fork_one = { .what = ERRAND_FORK };
	struct worker *worker = NULL;
	size_t i;
	int ends[2], err;

	for (i = 0; i < ERRAND_WORKERS; i++)
		if (errands->workers[i].state == WORKER_IDLE)
			return &errands->workers[i];
	if (workers_count(errands, WORKER_LATE) + workers_count(errands, WORKER_DYING) >= LATE_MAX)
		return NULL;
	for (i = 0; i < ERRAND_WORKERS && !worker; i++)
		if (errands->workers[i].state == WORKER_NONE)
			worker = &errands->workers[i];
	if (!worker || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return NULL;
	err = order(errands, &fork_one, ends[1]);
	close(ends[1]);
	if (err) {
		close(ends[0]);
		return NULL;
	}
	*worker = (struct worker){ .state = WORKER_IDLE, .socket = ends[0] };
	return worker;
}

/*
 * Reads what the worker at @worker sends. Returns 1 with an answer, 0 for another message or none,
 * -EPIPE if the worker is gone.
 */
static int worker_hear(struct worker *worker, struct errand_answer *answer)
{
	char body[ERRAND_INLINE];
	union {
		struct errand_told told;
		struct errand_hello hello;
	} head;
	int fds[ERRAND_MESSAGE_FDS], i, at = 0;
	long n = errand_receive(worker->socket, &head, sizeof(head.told), body, sizeof(body), fds,
				MSG_DONTWAIT);

	if (n == -EAGAIN)
		return 0;
	if (n == sizeof(head.hello)) {
		worker->pid = head.hello.pid;
		return 0;
	}
	if (n < (long)sizeof(head.told)) {
		for (i = 0; i < ERRAND_MESSAGE_FDS; i++)
			if (fds[i] >= 0)
				close(fds[i]);
		return -EPIPE;
	}
	*answer = errand_nothing;
	answer->result = head.told.result;
	for (i = 0; i < ERRAND_FDS; i++)
		if (head.told.fd_mask & 1u << i)
			answer->fds[i] = fds[at++];
	if (!head.told.has_data || head.told.len > ANSWER_MAX)
		goto out;
	answer->data = malloc((size_t)head.told.len + 1);
	if (!answer->data ||
	    (!head.told.in_file && (size_t)n - sizeof(head.told) != head.told.len) ||
	    (head.told.in_file &&
	     pread(fds[at], answer->data, (size_t)head.told.len, 0) != (ssize_t)head.told.len)) {
		free(answer->data);
		answer->data = NULL;
		answer->result = -ENOMEM;
		goto out;
	}
	if (!head.told.in_file)
		memcpy(answer->data, body, (size_t)head.told.len);
	answer->len = (size_t)head.told.len;
	answer->data[answer->len] = 0;
out:
	for (; at < ERRAND_MESSAGE_FDS; at++)
		if (fds[at] >= 0)
			close(fds[at]);
	return 1;
}

bool is_to_end(void)
{
	sigset_t pending;

	return !sigpending(&pending) &&
	       (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) ||
		sigismember(&pending, SIGHUP));
}

uint64_t worker_work(pid_t pid)
{
	clockid_t clock;

	return !pid || clock_getcpuclockid(pid, &clock) ? 0 : clock_own_ns(clock);
}

/*
 * True if the worker only waits for a processor, on a busy machine; false once it has used one for
 * long.
 */
static bool is_starved(const struct worker *worker)
{
	char path[32], *text, *at;
	bool runnable;

	if (!worker->pid)
		return true; /* it has not even started */
	if (worker_work(worker->pid) - worker->work > WORK_MAX)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/stat", worker->pid);
	text = file_read(path, 512, NULL);
	at = text ? strrchr(text, ')') : NULL;
	runnable = at && at[1] == ' ' && at[2] == 'R';
	free(text);
	return runnable;
}

int worker_wait(struct worker *worker, uint64_t end, bool patient, struct errand_answer *answer)
{
	uint64_t most = end + (end ? WAIT_PROCESSOR : 0);

	for (;;) {
		uint64_t now;
		struct pollfd wanted = { .fd = worker->socket, .events = POLLIN };
		int said = worker_hear(worker, answer), wait;

		if (said)
			return said;
		now = clock_ns(CLOCK_MONOTONIC);
		if (patient && is_to_end())
			return 0;
		if (now >= end) {
			if (now >= most || !is_starved(worker))
				return 0;
			end = now + WAIT_STEP;
		}
		wait = (int)((end - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
		poll(&wanted, 1, patient && wait > LONG_SLICE_MS ? LONG_SLICE_MS : wait);
	}
}

void worker_kill(struct errands *errands, struct worker *worker)
{
	const struct errand_order kill_it = { .what = ERRAND_KILL, .pid = worker->pid };

	if (worker->pid) {
		order(errands, &kill_it, -1);
		worker->was_killed = true;
	}
	worker->kept = NULL;
	worker->state = WORKER_DYING;
}
