/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Late processes: those that ran before their library was probed. */
#ifndef PROBE_LATE_H
#define PROBE_LATE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "cutop_event.h"
#include "probe/bpf.h"

struct later;
struct maps_entry;
struct probe;
struct seen_file;

/* A file that was probed, and what is missed of a process that had it mapped before. */
struct late_file {
	dev_t device; /* these two as stat(2) says */
	ino_t inode;
	struct file_id id;
	uint64_t attached;  /* ns, CLOCK_BOOTTIME: when the probes were in place */
	enum late missed;   /* LATE_NAMES: or more, if it has made calls */
	bool brings_driver; /* a process that maps it has the driver mapped, too */
};

/*
 * What to call the following with, for the file @seen, which was probed just now. @all: what was
 * missed may be in no other file's books. So it is if it had probes before: then the driver may have
 * been without them meanwhile, too.
 */
struct late_file late_file(const struct probe *probe, const struct seen_file *seen,
			   const char *path, bool all);

/*
 * Marks as late every process that has @file, found as @path, mapped, was started before its probes
 * were in place, and does not wait for them in its loader. Programs that are already known are
 * reported.
 */
void late_mark(struct probe *probe, const struct late_file *file, const char *path);

/* Looks once more at a process whose mappings could not be read then: LATER_MAPPER. */
void late_try(struct probe *probe, const struct later *later);

/*
 * Marks the process @tgid as late, whatever it maps, even if it has ended: what it did since @since
 * (ns, CLOCK_MONOTONIC), when it began to run or map the newly probed @file, was not seen.
 */
void late_mark_process(struct probe *probe, uint32_t tgid, uint64_t since,
		       const struct late_file *file);

/*
 * The library of @record was mapped, and could not be probed any more: its process has exited, or
 * has unmapped it.
 */
void late_gone(struct probe *probe, const struct rec_mmap *record);

/*
 * Calls @visit for each process but ours that maps code of the file @id, with its first such
 * mapping.
 */
void mappers_visit(struct probe *probe, const struct stat *st, const struct file_id *id,
		   const char *path,
		   void (*visit)(void *context, pid_t pid, const struct maps_entry *entry),
		   void *context);

/*
 * Gives the process @tgid a program, if it maps a probed CUDA library, has no program and is @uid's
 * ((uint32_t)-1: any user's). Fills @process, whose tid is 0 since no thread has made a call.
 * Returns 1, 0 if it has a program or is not wanted, or -ENOENT if it maps no library that is
 * probed.
 */
int idle_watch(struct bpf *bpf, uint32_t tgid, uint32_t uid, struct rec_process *process);

#define TRANSLATED_TOLD 8 /* processes that the user is told of at most */

/*
 * What a program called @name, or a process with that comm, is known as, for example "valgrind";
 * NULL: it is no translator.
 */
const char *translator_kind(const char *name);

/*
 * Tells the user, once, if the process @pid is a translator: by the path of its @program, or, if
 * that is NULL, by its comm.
 */
void translator_tell(struct probe *probe, pid_t pid, const char *program);

#endif
