/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target holds its file, and some twenty descriptors. Where programs are built, or containers
 * come and go, there are new targets every minute, for months. So a file that was deleted and is
 * not mapped is given up; and a file in a container's mounts once its last process has ended,
 * because a probe holds the mount, and with it a volume. Other files stay probed.
 * /proc shows what each process maps. A process may fork unseen during the reading: a file is given
 * up after it was found unused twice.
 */
#include "probe/unused.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probe/probe_internal.h"
#include "probe/maps.h"
#include "probe/mounts.h"

#define LOOK_INTERVAL  (5 * NSEC_PER_SEC)
#define RETRY_INTERVAL NSEC_PER_SEC /* while the mappings of a process take long */
#define FOUND_UNUSED   2            /* looks */

struct candidate {
	struct target *target;
	struct stat st;
	bool used;
};

struct candidate_list {
	const struct probe *probe;
	struct candidate *list;
	size_t count;
	pid_t pid;  /* whose mappings are read */
	bool later; /* the mappings of a process that counts take long */
};

void unused_anchor(struct target *target, pid_t pid)
{
	target->mounts = pid ? mounts_of(pid) : 0;
	if (target->mounts == mounts_of(getpid()))
		target->mounts = 0;
	target->member = pid;
}

/* True if the container that @target's file belonged to has ended. */
static bool is_left_behind(struct target *target)
{
	if (target->mounts && target->member && mounts_of(target->member) != target->mounts)
		target->member = mounts_member(target->mounts);
	return target->mounts && !target->member;
}

/* Lists the targets to give up if no process maps them. */
static void candidates_list(struct probe *probe, struct candidate_list *list)
{
	struct target *target;
	size_t count = 0;
	struct stat st;

	for (target = probe->targets; target; target = target->next)
		count++;
	list->list = calloc(count + 1, sizeof(*list->list));
	for (target = probe->targets; target && list->list; target = target->next) {
		if (!target->lifted && target->file.fd >= 0 && guarded_stat(&target->file, &st) &&
		    (!st.st_nlink || is_left_behind(target)))
			list->list[list->count++] = (struct candidate){ target, st, false };
		else
			target->unused = 0;
	}
}

/*
 * Compares by device and inode. A mapping's device may differ from the one of stat(2) (overlay,
 * btrfs: major number 0, no driver), but if both have drivers, both are right.
 */
static bool is_mapping_of(const struct candidate *candidate, const struct maps_entry *entry)
{
	return (entry->inode == candidate->st.st_ino ||
		entry->inode == candidate->target->id.inode) &&
	       (candidate->st.st_dev == makedev(entry->major, entry->minor) || !entry->major ||
		!major(candidate->st.st_dev));
}

static int mapping_compare(void *context, const struct maps_entry *entry)
{
	struct candidate_list *list = context;
	uint64_t others;
	size_t i;

	for (i = 0; i < list->count; i++) {
		struct candidate *candidate = &list->list[i];

		if (candidate->used || !is_mapping_of(candidate, entry))
			continue;
		candidate->used = true;
		/*
		 * Another container maps the same file: a layer of its image, or a volume. If it is
		 * in our mount namespace, it may be another file with that number.
		 */
		others = candidate->target->mounts ? mounts_of(list->pid) : 0;
		if (others && others != mounts_of(getpid())) {
			candidate->target->mounts = others;
			candidate->target->member = list->pid;
		}
	}
	return 0;
}

static int process_compare(void *context, pid_t pid)
{
	struct candidate_list *list = context;
	__u32 program;
	int err;

	list->pid = pid;
	/* An answer to the look before will do: a file has to be found unused twice. */
	err = outside_maps(&list->probe->outside, pid, 0, mapping_compare, list);
	/*
	 * A process that has ended uses nothing. If we may not read the maps of one that makes CUDA
	 * calls, we cannot tell what it uses.
	 */
	if (!err || err == -ENOENT || err == -ESRCH ||
	    bpf_map_lookup_elem(bpf_map__fd(list->probe->bpf.skeleton->maps.tgids), &pid, &program))
		return 0;
	list->later = outside_is_later(err);
	return err;
}

/*
 * Moves up to FORGET_MAX targets that were found unused often enough from the probe's list to the
 * one that is returned.
 */
static struct target *targets_take(struct probe *probe)
{
	struct target **at = &probe->targets, *target, *taken = NULL;
	size_t count = 0;

	while ((target = *at) && count < FORGET_MAX) {
		if (target->unused < FOUND_UNUSED) {
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

void unused_drop(struct probe *probe, uint64_t now)
{
	struct candidate_list list = { .probe = probe };
	size_t i;

	if (now < probe->unused_look)
		return;
	probe->unused_look = now + LOOK_INTERVAL;
	candidates_list(probe, &list);
	if (list.count && !processes_visit(process_compare, &list)) {
		for (i = 0; i < list.count; i++)
			list.list[i].target->unused =
				list.list[i].used ? 0 : list.list[i].target->unused + 1;
		probe_forget(probe, targets_take(probe));
	}
	/* It was asked for; the answer is kept for a while. */
	if (list.later)
		probe->unused_look = now + RETRY_INTERVAL;
	free(list.list);
}
