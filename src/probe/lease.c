/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A read lease (fcntl(2), F_SETLEASE) makes a process that opens the file for writing, or truncates
 * it, wait until the lease's holder releases it, for /proc/sys/fs/lease-break-time seconds at most.
 * Taking a lease requires being the file's owner or CAP_LEASE, and a local file system that
 * supports leases. Without one, a quick writer's change is seen only after it was made. A package
 * manager renames a new file over the old one, and does not wait.
 */
#include "probe/lease.h"

#include <fcntl.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probe/identify.h"
#include "probe/outside.h"

int guard_signals_open(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

bool guard_signals_read(int fd)
{
	struct signalfd_siginfo info;
	bool any = false;

	while (read(fd, &info, sizeof(info)) == sizeof(info))
		any = true;
	return any;
}

bool guard_stat(const struct guard *guard, struct stat *st)
{
	struct statx known;

	if (guard->fd < 0 || guard->is_blind)
		return false;
	if (!guard->is_place)
		return !fstat(guard->fd, st);
	if (statx(guard->fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &known))
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

static void look(struct guard *guard)
{
	struct stat st = { 0 };

	if (!guard_stat(guard, &st))
		return;
	guard->size = st.st_size;
	guard->seconds = st.st_mtim.tv_sec;
	guard->nanoseconds = st.st_mtim.tv_nsec;
}

static bool has_changed(const struct guard *guard)
{
	struct guard now = *guard;

	look(&now);
	return now.size != guard->size || now.seconds != guard->seconds ||
	       now.nanoseconds != guard->nanoseconds;
}

void guard_own(struct guard *guard, pid_t owner)
{
	guard->owner = owner;
	if (guard->fd >= 0 && !guard->is_place)
		fcntl(guard->fd, F_SETOWN, owner);
}

void guard_open(struct guard *guard, const struct seen_file *seen, pid_t owner)
{
	guard->fd = fcntl(seen_place(seen), F_DUPFD_CLOEXEC, 0);
	guard->is_place = seen->place >= 0;
	guard->is_blind = guard->is_place && !magic_tells_cached(seen->magic);
	/*
	 * Set the owner before the lease: taking a lease on a file without an owner would make us
	 * its owner.
	 */
	guard_own(guard, owner);
	guard->leased = guard->fd >= 0 && !guard->is_place &&
			!fcntl(guard->fd, F_SETLEASE, F_RDLCK);
	look(guard);
}

struct guard_state guard_state(const struct guard *guard)
{
	return (struct guard_state){
		.size = guard->size,
		.seconds = guard->seconds,
		.nanoseconds = guard->nanoseconds,
		.leased = guard->leased,
		.is_place = guard->is_place,
		.is_blind = guard->is_blind,
	};
}

void guard_adopt(struct guard *guard, int fd, const struct guard_state *state)
{
	guard->fd = fd;
	guard->leased = state->leased;
	guard->is_place = state->is_place;
	guard->is_blind = state->is_blind;
	guard->size = state->size;
	guard->seconds = state->seconds;
	guard->nanoseconds = state->nanoseconds;
}

void guard_close(struct guard *guard)
{
	if (guard->fd < 0)
		return;
	guard_let(guard);
	close(guard->fd);
	guard->fd = -1;
}

bool guard_is_touched(const struct guard *guard)
{
	if (guard->fd < 0)
		return false;
	/* A lease that is being broken already shows what it will become. */
	return (guard->leased && fcntl(guard->fd, F_GETLEASE) != F_RDLCK) || has_changed(guard);
}

void guard_let(struct guard *guard)
{
	if (guard->leased)
		fcntl(guard->fd, F_SETLEASE, F_UNLCK);
	guard->leased = false;
}

bool guard_again(struct guard *guard)
{
	bool settled = !has_changed(guard);

	look(guard);
	if (guard->is_place)
		return settled;
	/* The owner was reset together with the lease. */
	guard_own(guard, guard->owner);
	if (!fcntl(guard->fd, F_SETLEASE, F_RDLCK)) {
		guard->leased = true;
		return true;
	}
	/*
	 * EAGAIN: a process has it open for writing. If leases are unsupported, the file has to
	 * stay the same from one look to the next.
	 */
	return errno != EAGAIN && settled;
}
