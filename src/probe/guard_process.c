/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs in the guard process. It is forked before cutop has opened anything, and gives up all
 * rights and all system calls that it does not need.
 */
#include "probe/guard_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/links.h"
#include "util/confine.h"
#include "util/message.h"
#include "util/util.h"

/* Links that are dropped together. */
struct held {
	uint32_t number;
	uint32_t of; /* the number of the file that they are on: its own links have the same */
	int file;    /* of that; -1: no lease */
	bool lifted; /* of that: it is being written to, and has no probes any more */
	bool going;
	int *links;
	size_t count;
	struct held *next;
};

struct holding {
	int socket, signals;
	struct held *held;
};

static void fds_close(const int *fds, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		close(fds[i]);
}

/* Closes the links of all that are going, side by side. */
static void going_close(const struct holding *holding)
{
	struct held *held;
	size_t count = 0;
	int *links;

	for (held = holding->held; held; held = held->next)
		count += held->count;
	links = malloc((count + 1) * sizeof(*links));
	count = 0;
	for (held = holding->held; held; held = held->next) {
		if (!held->going || !held->count)
			continue;
		if (links)
			memcpy(links + count, held->links, held->count * sizeof(*links));
		else
			fds_close(held->links, held->count);
		count += held->count;
		held->count = 0;
	}
	if (links)
		links_close(links, count);
	free(links);
}

static void lease_end(struct held *held)
{
	if (held->file < 0)
		return;
	fcntl(held->file, F_SETLEASE, F_UNLCK);
	close(held->file);
	held->file = -1;
}

/* Removes the probes of a file that is about to be written to, and lets the writer continue. */
static void lift(const struct holding *holding, struct held *file)
{
	struct held *held;

	/* A lease that is being broken already shows what it will become. */
	if (file->file < 0 || fcntl(file->file, F_GETLEASE) == F_RDLCK)
		return;
	for (held = holding->held; held; held = held->next)
		held->going = held->of == file->number;
	going_close(holding);
	file->lifted = true;
	lease_end(file);
}

static struct held *held_get(struct holding *holding, uint32_t number)
{
	struct held *held;

	for (held = holding->held; held; held = held->next)
		if (held->number == number)
			return held;
	held = calloc(1, sizeof(*held));
	if (!held)
		return NULL;
	held->number = held->of = number;
	held->file = -1;
	held->next = holding->held;
	holding->held = held;
	return held;
}

/* ---- orders ---- */

static uint32_t watch(struct holding *holding, const struct guard_message *message, const int *fds,
		      size_t count)
{
	struct held *held = held_get(holding, message->numbers[0]);

	if (!held || held->file >= 0 || count != 1) {
		fds_close(fds, count);
		return 0;
	}
	held->file = fds[0];
	/* The signal may have come before the file did. */
	lift(holding, held);
	return 0;
}

static uint32_t hold(struct holding *holding, const struct guard_message *message, const int *fds,
		     size_t count)
{
	const struct held *file = held_get(holding, message->numbers[1]);
	struct held *held = held_get(holding, message->numbers[0]);
	int *more = NULL;

	if (file && held && !file->lifted && count == message->count)
		more = realloc(held->links, (held->count + count) * sizeof(*more));
	if (!more) {
		links_close(fds, count);
		return file && file->lifted ? message->count : 0;
	}
	held->of = file->number;
	held->links = more;
	memcpy(more + held->count, fds, count * sizeof(*fds));
	held->count += count;
	return message->count;
}

static bool is_meant(const struct held *held, const struct guard_message *message)
{
	size_t i;

	for (i = 0; i < message->count && i < GUARD_DROP_MAX; i++)
		if (message->numbers[i] == held->number)
			return true;
	return message->order == GUARD_END;
}

static uint32_t drop(struct holding *holding, const struct guard_message *message)
{
	struct held **at, *held;

	for (held = holding->held; held; held = held->next)
		held->going = is_meant(held, message);
	going_close(holding);
	for (at = &holding->held; (held = *at);) {
		if (!held->going) {
			at = &held->next;
			continue;
		}
		lease_end(held);
		*at = held->next;
		free(held->links);
		free(held);
	}
	return 0;
}

static void answer(const struct holding *holding, uint32_t value)
{
	ssize_t n;

	do
		n = send(holding->socket, &value, sizeof(value), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
}

/* Returns false when the process is to end: cutop says so, or has ended. */
static bool order_take(struct holding *holding)
{
	struct guard_message message = { .order = GUARD_END };
	const struct iovec part = { &message, sizeof(message) };
	int fds[MESSAGE_FDS_MAX];
	size_t count = 0;
	ssize_t n = message_receive(holding->socket, &part, 1, fds, MESSAGE_FDS_MAX, MSG_DONTWAIT);
	uint32_t value;

	if (n == -EAGAIN)
		return true;
	if (n != sizeof(message))
		message = (struct guard_message){ .order = GUARD_END };
	while (n > 0 && count < MESSAGE_FDS_MAX && fds[count] >= 0)
		count++;
	switch (message.order) {
	case GUARD_WATCH: value = watch(holding, &message, fds, count); break;
	case GUARD_HOLD: value = hold(holding, &message, fds, count); break;
	default: value = drop(holding, &message);
	}
	answer(holding, value);
	return message.order != GUARD_END;
}

/* ---- the process ---- */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(CUTOP_COVERAGE)
static const int calls[] = {
#ifdef SYS_poll
	SYS_poll,
#endif
	SYS_recvmsg,
	SYS_sendto,
	SYS_ppoll,
	SYS_read,
	SYS_close,
	SYS_fcntl,
	SYS_mmap,
	SYS_munmap,
	SYS_mremap,
	SYS_mprotect,
	SYS_madvise,
	SYS_brk,
	SYS_futex,
	SYS_clone,
	SYS_clone3,
	SYS_rseq,
	SYS_set_robust_list,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_exit,
	SYS_exit_group,
	SYS_getrandom,
	SYS_sched_yield,
	SYS_gettid,
	SYS_getpid,
};
#endif

/* Leaves nothing open but @socket. */
static void descriptors_close(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), i;

	/* A reader of cutop's output must see its end when cutop ends. */
	for (i = 0; i < 3 && null >= 0; i++)
		dup2(null, i);
	if (socket > 3)
		syscall(SYS_close_range, 3u, (unsigned int)socket - 1, 0u);
	syscall(SYS_close_range, (unsigned int)socket + 1, ~0u, 0u);
}

/* Returns the descriptor of the signal of broken leases, or a negative errno. */
static int process_prepare(int socket)
{
	sigset_t set;
	int i, fd;

	/* The terminal's signals, and those sent to cutop's process group, are for cutop. */
	setsid();
	prctl(PR_SET_NAME, "cutop-guard");
	for (i = 1; i < NSIG; i++)
		if (i != SIGIO)
			signal(i, SIG_IGN);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	descriptors_close(socket);
	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int process_confine(void)
{
	/*
	 * Holding links takes no rights. Releasing a lease on another user's file takes the same as
	 * taking it: generic_setlease(), fs/locks.c.
	 */
	int err = capabilities_keep_lease();

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(CUTOP_COVERAGE)
	if (!err)
		err = confine_calls(calls, ARRAY_LEN(calls));
#endif
	return err;
}

_Noreturn void guard_process(int socket)
{
	struct holding holding = { .socket = socket, .signals = process_prepare(socket) };
	struct pollfd fds[2] = { { .fd = socket, .events = POLLIN },
				 { .fd = holding.signals, .events = POLLIN } };
	struct signalfd_siginfo info;
	struct held *held;

	if (holding.signals < 0 || process_confine())
		_exit(1);
	answer(&holding, 0);
	do {
		poll(fds, 2, -1);
		if (read(holding.signals, &info, sizeof(info)) == sizeof(info))
			for (held = holding.held; held; held = held->next)
				lift(&holding, held);
	} while (order_take(&holding));
	_exit(0);
}
