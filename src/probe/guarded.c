/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A read lease (fcntl(2), F_SETLEASE) makes a process that opens the file for writing, or truncates
 * it, wait until the lease is released, for /proc/sys/fs/lease-break-time seconds at most. Taking
 * one requires being the file's owner or CAP_LEASE, and a local file system that supports leases.
 * Without one, a quick writer's change is seen only after it was made. A package manager renames a
 * new file over the old one, and does not wait.
 */
#include "probe/guarded.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probe/guard.h"
#include "probe/identify.h"
#include "probe/outside.h"

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
