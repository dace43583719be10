/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target holds its file, and some twenty descriptors. Where programs are built, or containers come and go, there
 * are new ones every minute, for months: what was deleted and is mapped by nobody is given up. So are, when most of
 * the descriptors that cutop may have are in use, files that are still there and that nobody maps; who maps
 * one of them again tells of it as of a new one.
 *
 * Who maps what stands in /proc. To read that of all processes costs some milliseconds, so it is done only when there
 * may be something to give up, and the seldomer, the longer it takes and the less comes of it. A process may fork
 * behind the reader's back: a file is given up when it was found unused twice.
 */
#include "probe/unused.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/internal.h"
#include "probe/maps.h"

#define WAIT_MIN	NSEC_PER_SEC
#define WAIT_MAX	(300 * NSEC_PER_SEC)
#define WAIT_FACTOR	100	/* of the time that a look took: a per cent of a core, while files come and go */
#define FOUND_UNUSED	2	/* looks */

struct mapped {
	uint64_t inode;		/* on whatever device: that of a mapping is not always stat(2)'s (overlay, btrfs) */
	UT_hash_handle hh;
};

struct mapped_list {
	const struct probe *probe;
	struct mapped *inodes;
};

static int mapping_add(void *context, const struct maps_entry *entry)
{
	struct mapped_list *list = context;
	struct mapped *mapped;

	HASH_FIND(hh, list->inodes, &entry->inode, sizeof(entry->inode), mapped);
	if (mapped)
		return 0;
	mapped = calloc(1, sizeof(*mapped));
	if (!mapped)
		return -ENOMEM;
	mapped->inode = entry->inode;
	HASH_ADD(hh, list->inodes, inode, sizeof(mapped->inode), mapped);
	return 0;
}

static int process_add(void *context, pid_t pid)
{
	struct mapped_list *list = context;
	int err = maps_visit(pid, mapping_add, list);
	__u32 image;

	if (!err || err == -ENOMEM)
		return err;
	/* One that ended uses nothing. Of one that makes CUDA calls and may not be looked into, nobody knows what. */
	if (err == -ENOENT || err == -ESRCH ||
	    bpf_map_lookup_elem(bpf_map__fd(list->probe->bpf.skeleton->maps.tgids), &pid, &image))
		return 0;
	return err;
}

static bool is_mapped(const struct mapped_list *list, uint64_t inode)
{
	struct mapped *mapped;

	HASH_FIND(hh, list->inodes, &inode, sizeof(inode), mapped);
	return mapped;
}

/* The older half of what was met, when the descriptors in use come near to what is allowed; else 0. */
static size_t surplus(const struct probe *probe)
{
	size_t used = probe->adopted_count, met = 0;
	const struct target *target;
	struct rlimit limit;

	for (target = probe->targets; target; target = target->next) {
		used += target->attachment.link_count + (target->attachment.helper >= 0) + (target->guard.fd >= 0);
		met += target->met;
	}
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY || used < limit.rlim_cur / 2)
		return 0;
	return (met + 1) / 2;
}

/* Marks what may be given up, if nobody uses it. Returns how many that are. */
static size_t candidates_mark(struct probe *probe)
{
	size_t old = surplus(probe), met = 0, count = 0;
	struct target *target;
	struct stat st;

	for (target = probe->targets; target; target = target->next)
		met += target->met;
	for (target = probe->targets; target; target = target->next) {
		bool gone = target->guard.fd >= 0 && !fstat(target->guard.fd, &st) && !st.st_nlink;

		/* The newest come first. */
		target->is_candidate = !target->lifted && (gone || (target->met && met <= old));
		met -= target->met;
		count += target->is_candidate;
		if (!target->is_candidate)
			target->unused = 0;
	}
	return count;
}

static bool is_used(const struct target *target, const struct mapped_list *list)
{
	struct stat st;

	return fstat(target->guard.fd, &st) || is_mapped(list, st.st_ino) || is_mapped(list, target->id.inode);
}

/* Moves those that were found unused often enough from the probe's targets to what is returned. */
static struct target *targets_take(struct probe *probe, const struct mapped_list *list)
{
	struct target **at = &probe->targets, *taken = NULL;
	size_t count = 0;

	while (*at) {
		struct target *target = *at;

		if (target->is_candidate)
			target->unused = is_used(target, list) ? 0 : target->unused + 1;
		if (target->unused < FOUND_UNUSED || count == FORGET_MAX) {
			at = &target->next;
			continue;
		}
		*at = target->next;
		target->next = taken;
		taken = target;
		count++;
	}
	return taken;
}

/* Returns what may be given up. */
static struct target *look(struct probe *probe)
{
	struct mapped_list list = { .probe = probe };
	struct target *taken = NULL;
	struct mapped *mapped, *next;

	if (!processes_visit(process_add, &list))
		taken = targets_take(probe, &list);
	HASH_ITER(hh, list.inodes, mapped, next) {
		HASH_DELETE(hh, list.inodes, mapped);
		free(mapped);
	}
	return taken;
}

void unused_drop(struct probe *probe, uint64_t now)
{
	struct unused *unused = &probe->unused;
	struct target *taken, *target;
	uint64_t began, wait;
	size_t count = 0;

	if (now < unused->next)
		return;
	unused->next = now + WAIT_MIN;
	count = candidates_mark(probe);
	if (count != unused->candidates)
		unused->wait = WAIT_MIN;
	unused->candidates = count;
	if (!count)
		return;
	began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	taken = look(probe);
	wait = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began) * WAIT_FACTOR;
	for (target = taken, count = 0; target; target = target->next)
		count++;
	probe_forget(probe, taken);
	unused->candidates -= count;
	if (count)
		unused->wait = WAIT_MIN;
	if (wait < unused->wait)
		wait = unused->wait;
	/* There are more. */
	if (count == FORGET_MAX)
		wait = WAIT_MIN;
	unused->next = now + wait;
	if (unused->wait < WAIT_MAX)
		unused->wait *= 2;
}
