/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that --pid names and that have made no call yet. BPF gives a process a program number
 * at its first call; this does so earlier.
 */
#ifndef PROBE_IDLE_PROCESSES_H
#define PROBE_IDLE_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/bpf.h"

/*
 * Gives the process @tgid a program, if it maps a probed CUDA library, has no program and is @uid's
 * ((uint32_t)-1: any user's). Fills @process, whose tid is 0 since no thread has made a call.
 * Returns 1, 0 if it has a program or is not wanted, or -ENOENT if it maps no library that is
 * probed.
 */
int idle_watch(struct bpf *bpf, uint32_t tgid, uint32_t uid, struct rec_process *process);

#endif
