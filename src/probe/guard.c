/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cutop's side. If the guard process does not answer within seconds, it was stopped, or is broken:
 * then it is killed, so that cutop neither waits for it nor has probes that it cannot remove.
 */
#include "probe/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/maps.h"
#include "probe/outside.h"
#include "util/confine.h"
#include "util/message.h"
#include "util/util.h"

enum guard_order {
	GUARD_WATCH, /* with the file, if it is leased */
	GUARD_HOLD,  /* with links */
	GUARD_DROP,  /* answered when the links are closed */
	GUARD_END,   /* the same for all, and the process ends */
};

struct guard_message {
	uint32_t order;
	uint32_t count; /* of links, or of numbers */
	/* WATCH: the file's; HOLD: that of the links, and the file's; DROP: those to drop */
	uint32_t numbers[GUARD_DROP_MAX];
};

/* ---- links ---- */

/*
 * The links of probes, as descriptors.
 * Closing a link waits for the kernel's grace periods, some 60 ms. So several links are closed by
 * threads of their own. Links of the perf kind are hundreds, and the kernel undoes one after the
 * other: they are left to a thread that is not waited for.
 */

#define CLOSERS_MAX 64

static void fds_close(const int *fds, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		close(fds[i]);
}

struct closer {
	pthread_t thread;
	const int *fds;
	size_t first, count;
	bool started;
};

struct leaving {
	size_t count;
	int fds[];
};

static void *leaving_run(void *argument)
{
	struct leaving *leaving = argument;

	fds_close(leaving->fds, leaving->count);
	free(leaving);
	return NULL;
}

static void links_leave(const int *fds, size_t count)
{
	struct leaving *leaving = malloc(sizeof(*leaving) + count * sizeof(*fds));
	pthread_t thread;

	if (leaving) {
		leaving->count = count;
		memcpy(leaving->fds, fds, count * sizeof(*fds));
	}
	if (!leaving || pthread_create(&thread, NULL, leaving_run, leaving)) {
		free(leaving);
		fds_close(fds, count);
	} else {
		pthread_detach(thread);
	}
}

static void *closer_run(void *argument)
{
	struct closer *closer = argument;
	size_t i;

	for (i = closer->first; i < closer->count; i += CLOSERS_MAX)
		close(closer->fds[i]);
	return NULL;
}

/* Closes @count links; if it is to wait for that, in parallel. */
static void links_close(const int *fds, size_t count, bool waits)
{
	struct closer closers[CLOSERS_MAX] = { 0 };
	size_t i;

	if (!waits) {
		links_leave(fds, count);
		return;
	}
	for (i = 0; i < CLOSERS_MAX && i < count; i++) {
		closers[i] = (struct closer){ .fds = fds, .first = i, .count = count };
		closers[i].started =
			!pthread_create(&closers[i].thread, NULL, closer_run, &closers[i]);
		if (!closers[i].started)
			closer_run(&closers[i]);
	}
	for (i = 0; i < CLOSERS_MAX; i++)
		if (closers[i].started)
			pthread_join(closers[i].thread, NULL);
}

/* ---- guard process ---- */

/*
 * Messages from cutop to its guard process, over a socket that preserves message boundaries
 * (SOCK_SEQPACKET). Each is answered by a number: how many links came, or 0.
 * What runs in the guard process. It is forked before cutop has opened anything, and gives up all
 * rights and all system calls that it does not need.
 */

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
	bool waits; /* until links are closed */
	struct held *held;
};

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
		links_close(links, count, holding->waits);
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
		links_close(fds, count, holding->waits);
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

/* Runs the process at its end of the socket. */
static _Noreturn void guard_process(int socket, bool waits)
{
	struct holding holding = { .socket = socket,
				   .signals = process_prepare(socket),
				   .waits = waits };
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

/* ---- guard ---- */

/* The kernel takes one to close hundreds of links on a busy machine */
#define ANSWER_TIME (10 * NSEC_PER_SEC)
/* Cutop is to end within two seconds, whatever else there is to do */
#define END_TIME (1300 * NSEC_PER_MSEC)

struct guard {
	pid_t pid;
	int socket;
	bool waits;
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

int guard_start(struct guard **result, bool waits, struct reason *why)
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
		guard_process(sockets[1], waits);
	err = guard->pid < 0 ? -errno : 0;
	guard->waits = waits;
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
	if (order(guard, &message, NULL, 0) >= 0 && guard->waits)
		while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
			;
	close(guard->socket);
	free(guard);
}

/* The process's id; the kernel signals a broken lease to it. */
static pid_t guard_pid(const struct guard *guard)
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

int guard_hold(struct guard *guard, uint32_t number, const struct guarded *file, const int *links,
	       size_t count)
{
	struct guard_message message = { .order = GUARD_HOLD,
					 .numbers = { number, file ? file->number : 0 } };
	size_t at;
	int kept = 0;

	for (at = 0; at < count && kept >= 0; at += message.count) {
		message.count =
			(uint32_t)(count - at < MESSAGE_FDS_MAX ? count - at : MESSAGE_FDS_MAX);
		kept = order(guard, &message, links + at, message.count);
		/* It has too many files open, or no memory. */
		if (kept >= 0 && (uint32_t)kept != message.count)
			kept = -EMFILE;
	}
	fds_close(links, count);
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

/* ---- guarded ---- */

/*
 * The content of a probed file. A probe is a breakpoint at an offset, and the kernel writes it over
 * whatever is there: if the file were rewritten in place, breakpoints would end up in the middle of
 * other instructions, and programs would misbehave. So probes have to be removed before anything
 * writes.
 * A read lease (fcntl(2), F_SETLEASE) makes a process that opens the file for writing, or truncates
 * it, wait until the lease is released, for /proc/sys/fs/lease-break-time seconds at most. Taking
 * one requires being the file's owner or CAP_LEASE, and a local file system that supports leases.
 * Without one, a quick writer's change is seen only after it was made. A package manager renames a
 * new file over the old one, and does not wait.
 */

bool guarded_stat(const struct guarded *file, struct stat *st)
{
	struct statx known;

	if (file->fd < 0 || file->is_blind)
		return false;
	if (!file->is_place)
		return !fstat(file->fd, st);
	if (statx(file->fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &known))
		return false;
	*st = (struct stat){
		.st_dev = makedev(known.stx_dev_major, known.stx_dev_minor),
		.st_ino = known.stx_ino,
		.st_nlink = known.stx_nlink,
		.st_mode = known.stx_mode,
		.st_size = (off_t)known.stx_size,
		.st_mtim = { known.stx_mtime.tv_sec, known.stx_mtime.tv_nsec },
	};
	return true;
}

/* True if the file is not as it was when this was last asked with @file to be filled in. */
static bool look(const struct guarded *file, struct guarded *fill)
{
	struct stat st;
	bool changed;

	if (!guarded_stat(file, &st))
		return false;
	changed = st.st_size != file->size || st.st_mtim.tv_sec != file->changed.tv_sec ||
		  st.st_mtim.tv_nsec != file->changed.tv_nsec;
	if (fill) {
		fill->size = st.st_size;
		fill->changed = st.st_mtim;
	}
	return changed;
}

/* Returns 0 or -1. */
static int lease_take(struct guarded *file, const struct guard *guard)
{
	/*
	 * Set the owner before the lease: taking a lease on a file without an owner would make us
	 * its owner.
	 */
	if (file->fd < 0 || file->is_place || fcntl(file->fd, F_SETOWN, guard_pid(guard)))
		return -1;
	file->leased = !fcntl(file->fd, F_SETLEASE, F_RDLCK);
	return file->leased ? 0 : -1;
}

void guarded_open(struct guarded *file, const struct seen_file *seen, const struct guard *guard)
{
	*file = (struct guarded){ .fd = fcntl(seen_place(seen), F_DUPFD_CLOEXEC, 0) };
	file->is_place = seen->place >= 0;
	file->is_blind = file->is_place && !magic_tells_cached(seen->magic);
	lease_take(file, guard);
	look(file, file);
}

void guarded_close(struct guarded *file)
{
	guarded_let(file);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct guarded){ .fd = -1 };
}

bool guarded_is_touched(const struct guarded *file)
{
	/* A lease that is being broken already shows what it will become. */
	return (file->leased && fcntl(file->fd, F_GETLEASE) != F_RDLCK) || look(file, NULL);
}

void guarded_let(struct guarded *file)
{
	if (file->leased)
		fcntl(file->fd, F_SETLEASE, F_UNLCK);
	file->leased = false;
}

bool guarded_again(struct guarded *file, const struct guard *guard)
{
	bool settled = !look(file, file);

	/*
	 * EAGAIN: a process has it open for writing. If leases are unsupported, the file has to
	 * stay the same from one look to the next.
	 */
	return !lease_take(file, guard) || (settled && (file->is_place || errno != EAGAIN));
}
