/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Late processes: those that ran before their library was probed. */
#ifndef PROBE_LATE_H
#define PROBE_LATE_H

#include <stdint.h>
#include <sys/stat.h>

#include "probe/bpf.h"

/*
 * Marks every process as late that has the file @id mapped and was started
 * before @attached (ns, CLOCK_BOOTTIME), when its probes were in place. @st and
 * @path are the file's. @on_late is told of those that have an image already.
 */
void late_mark(struct bpf *bpf, const struct stat *st, const struct file_id *id, const char *path, uint64_t attached,
	       void (*on_late)(void *context, uint32_t image), void *context);

/*
 * Marks the process @tgid, whoever maps what, even if it has ended by now: what it did since @since (ns,
 * CLOCK_MONOTONIC), when it began to run or map what is probed now, is late.
 */
void late_mark_process(struct bpf *bpf, uint32_t tgid, uint64_t since, void (*on_late)(void *context, uint32_t image), void *context);

#endif
