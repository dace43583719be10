/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Late processes: those that ran before their library was probed. */
#ifndef PROBE_LATE_H
#define PROBE_LATE_H

#include <linux/types.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "cutop_event.h"

struct probe;
struct maps_entry;

/*
 * Marks as late every process that has the file @id mapped, was started before @attached (ns,
 * CLOCK_BOOTTIME: when the probes were in place), and does not wait for them in its loader. @st and
 * @path are the file's. Programs that are already known are reported.
 */
void late_mark(struct probe *probe, const struct stat *st, const struct file_id *id,
	       const char *path, uint64_t attached);

/* Looks once more at a process whose mappings could not be read then: LATER_MAPPER. */
struct later;
void late_try(struct probe *probe, const struct later *later);

/*
 * Marks the process @tgid as late, whatever it maps, even if it has ended: what it did since @since
 * (ns, CLOCK_MONOTONIC), when it began to run or map the newly probed file, was not seen.
 */
void late_mark_process(struct probe *probe, uint32_t tgid, uint64_t since);

/*
 * Calls @visit for each process but ours that maps code of the file @id, with its first such
 * mapping.
 */
void mappers_visit(struct probe *probe, const struct stat *st, const struct file_id *id,
		   const char *path,
		   void (*visit)(void *context, pid_t pid, const struct maps_entry *entry),
		   void *context);

#endif
