/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs in the guard process. It is forked before cutop has opened anything, and gives up all
 * rights and all system calls that it does not need. It never waits for cutop: a message for which
 * cutop's socket has no room is sent later.
 */
#include "probe/keeper_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/holders.h"
#include "probe/lease.h"
#include "probe/links.h"
#include "util/confine.h"
#include "util/message.h"
#include "util/util.h"

#define LOOK_INTERVAL 100 /* ms, for files that cannot be leased */

struct held {
	struct holder *holder;
	struct held *next;
};

struct shelf {
	uint32_t number;
	struct guard guard; /* fd -1: its file is not watched over */
	bool lifted;        /* its links are closed until the file is watched anew */
	bool untold;        /* cutop has yet to be told that */
	struct held *held;
	int *loose; /* links for which no thread could be started */
	size_t loose_count;
	struct shelf *next;
};

struct keeping {
	int socket, signals;
	struct shelf *shelves;
	struct shelf *dropped; /* shelves whose links are being closed */
};

/* ---- links ---- */

static void links_release(struct shelf *shelf)
{
	struct held *held;

	for (held = shelf->held; held; held = held->next)
		holder_release(held->holder);
}

/* Waits for the links that were released, and closes the loose ones. */
static void links_wait(struct shelf *shelf)
{
	struct held *held;

	links_close(shelf->loose, shelf->loose_count);
	shelf->loose_count = 0;
	while ((held = shelf->held)) {
		shelf->held = held->next;
		holder_wait(held->holder);
		free(held);
	}
}

static bool loose_add(struct shelf *shelf, const int *links, size_t count)
{
	int *more = realloc(shelf->loose, (shelf->loose_count + count) * sizeof(*more));

	if (!more)
		return false;
	shelf->loose = more;
	memcpy(more + shelf->loose_count, links, count * sizeof(*links));
	shelf->loose_count += count;
	return true;
}

static bool links_add(struct shelf *shelf, const int *links, size_t count)
{
	struct held *held = calloc(1, sizeof(*held));

	if (held)
		held->holder = holder_new(links, count);
	if (!held || !held->holder) {
		free(held);
		return loose_add(shelf, links, count);
	}
	held->next = shelf->held;
	shelf->held = held;
	return true;
}

/* ---- shelves ---- */

static struct shelf *shelf_find(const struct keeping *keeping, uint32_t number)
{
	struct shelf *shelf;

	for (shelf = keeping->shelves; shelf; shelf = shelf->next)
		if (shelf->number == number)
			return shelf;
	return NULL;
}

static struct shelf *shelf_get(struct keeping *keeping, uint32_t number)
{
	struct shelf *shelf = shelf_find(keeping, number);

	if (shelf)
		return shelf;
	shelf = calloc(1, sizeof(*shelf));
	if (!shelf)
		return NULL;
	shelf->number = number;
	shelf->guard.fd = -1;
	shelf->next = keeping->shelves;
	keeping->shelves = shelf;
	return shelf;
}

static void shelf_free(struct shelf *shelf)
{
	guard_close(&shelf->guard);
	free(shelf->loose);
	free(shelf);
}

/*
 * Tells cutop that the links of @shelf are closed. Returns false if the socket has no room: cutop
 * is stopped.
 */
static bool lifted_tell(const struct keeping *keeping, const struct shelf *shelf)
{
	const struct keeper_message message = { .type = KEEPER_LIFTED, .shelf = shelf->number };

	return send(keeping->socket, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       sizeof(message);
}

/* Answers cutop, which waits for the answer and so makes room. */
static void answer(const struct keeping *keeping, size_t value)
{
	const struct keeper_message message = { .type = KEEPER_ANSWER, .value = (uint32_t)value };
	ssize_t n;

	do
		n = send(keeping->socket, &message, sizeof(message), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
}

/* Closes the links, and lets the writer continue. */
static void shelf_lift(struct keeping *keeping, struct shelf *shelf)
{
	links_release(shelf);
	links_wait(shelf);
	guard_let(&shelf->guard);
	shelf->lifted = true;
	shelf->untold = !lifted_tell(keeping, shelf);
}

/* Looks at the files that are leased, or at those that are not. */
static void shelves_look(struct keeping *keeping, bool leased)
{
	struct shelf *shelf;

	for (shelf = keeping->shelves; shelf; shelf = shelf->next) {
		if (shelf->untold)
			shelf->untold = !lifted_tell(keeping, shelf);
		if (!shelf->lifted && shelf->guard.leased == leased &&
		    guard_is_touched(&shelf->guard))
			shelf_lift(keeping, shelf);
	}
}

/* How long it may sleep before it has to look at files, in ms; -1: until a signal comes. */
static int look_wait(const struct keeping *keeping)
{
	const struct shelf *shelf;

	for (shelf = keeping->shelves; shelf; shelf = shelf->next)
		if (shelf->untold ||
		    (shelf->guard.fd >= 0 && !shelf->lifted && !shelf->guard.leased))
			return LOOK_INTERVAL;
	return -1;
}

/* ---- messages ---- */

static void fds_close(const int *fds, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		close(fds[i]);
}

static void watch(struct keeping *keeping, const struct keeper_message *message, int fd)
{
	struct shelf *shelf = shelf_get(keeping, message->shelf);

	if (!shelf) {
		close(fd);
		return;
	}
	/* The lease now belongs to the new guard. */
	if (shelf->guard.fd >= 0)
		close(shelf->guard.fd);
	guard_adopt(&shelf->guard, fd, &message->state);
	shelf->lifted = shelf->untold = false;
	/* The signal may have come before the file did. */
	if (guard_is_touched(&shelf->guard))
		shelf_lift(keeping, shelf);
}

static void keep(struct keeping *keeping, const struct keeper_message *message, const int *fds,
		 size_t count)
{
	struct shelf *shelf = count == message->value ? shelf_get(keeping, message->shelf) : NULL;
	size_t i, part;

	if (shelf && shelf->lifted) {
		links_close(fds, count);
		answer(keeping, count);
		return;
	}
	for (i = 0; shelf && i < count; i += part) {
		part = count - i < HOLDER_LINKS ? count - i : HOLDER_LINKS;
		if (!links_add(shelf, fds + i, part))
			break;
	}
	if (!shelf || i < count)
		fds_close(fds + (shelf ? i : 0), count - (shelf ? i : 0));
	answer(keeping, shelf ? i : 0);
}

static void drop(struct keeping *keeping, uint32_t number)
{
	struct shelf **at = &keeping->shelves, *shelf;

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	shelf = *at;
	if (!shelf)
		return;
	*at = shelf->next;
	shelf->next = keeping->dropped;
	keeping->dropped = shelf;
	links_release(shelf);
}

static void dropped_wait(struct keeping *keeping)
{
	struct shelf *shelf;

	while ((shelf = keeping->dropped)) {
		keeping->dropped = shelf->next;
		links_wait(shelf);
		shelf_free(shelf);
	}
	answer(keeping, 0);
}

/* Returns false when the process is to end. */
static bool message_do(struct keeping *keeping, const struct keeper_message *message,
		       const int *fds, size_t count)
{
	switch (message->type) {
	case KEEPER_WATCH:
		if (count == 1)
			watch(keeping, message, fds[0]);
		else
			fds_close(fds, count);
		return true;
	case KEEPER_KEEP: keep(keeping, message, fds, count); return true;
	case KEEPER_DROP: drop(keeping, message->shelf); return true;
	case KEEPER_END:
		while (keeping->shelves)
			drop(keeping, keeping->shelves->number);
		dropped_wait(keeping);
		return false;
	default: dropped_wait(keeping); return true;
	}
}

/* Returns false when the process is to end: cutop says so, or has ended. */
static bool message_read(struct keeping *keeping)
{
	struct keeper_message message;
	const struct iovec part = { &message, sizeof(message) };
	int fds[KEEPER_LINKS_MAX];
	size_t count = 0;
	ssize_t n = message_receive(keeping->socket, &part, 1, fds, KEEPER_LINKS_MAX, MSG_DONTWAIT);

	if (n < 0)
		return n == -EAGAIN;
	if (n != sizeof(message))
		return false;
	while (count < KEEPER_LINKS_MAX && fds[count] >= 0)
		count++;
	return message_do(keeping, &message, fds, count);
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
	SYS_close_range,
	SYS_fcntl,
	SYS_fstat,
	SYS_newfstatat,
	SYS_statx,
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
	SYS_clock_gettime,
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

/* Returns the descriptor of signals, or a negative errno. */
static int process_prepare(int socket)
{
	int i;

	/* The terminal's signals, and those sent to cutop's process group, are for cutop. */
	setsid();
	prctl(PR_SET_NAME, "cutop-guard");
	for (i = 1; i < NSIG; i++)
		if (i != SIGIO)
			signal(i, SIG_IGN);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	descriptors_close(socket);
	return guard_signals_open();
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

_Noreturn void keeper_process(int socket)
{
	struct keeping keeping = { .socket = socket, .signals = process_prepare(socket) };
	struct pollfd fds[2] = { { .fd = socket, .events = POLLIN },
				 { .fd = keeping.signals, .events = POLLIN } };

	if (keeping.signals < 0 || process_confine())
		_exit(1);
	answer(&keeping, 0);
	for (;;) {
		poll(fds, 2, look_wait(&keeping));
		if (guard_signals_read(keeping.signals))
			shelves_look(&keeping, true);
		shelves_look(&keeping, false);
		if (fds[0].revents && !message_read(&keeping))
			/* All threads end now, and the kernel closes what they hold in parallel. */
			_exit(0);
	}
}
