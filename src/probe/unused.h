/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds probed files that are no longer in use. */
#ifndef PROBE_UNUSED_H
#define PROBE_UNUSED_H

#include <stdint.h>
#include <sys/types.h>

struct probe;
struct target;

/*
 * Gives up files, a few at a time, that no process maps and that were deleted, or belonged to a
 * container that has ended. May be called often: it looks rarely.
 */
void unused_drop(struct probe *probe, uint64_t now);

/* The file of @target was opened through the mounts of @pid; 0: our own. */
void unused_anchor(struct target *target, pid_t pid);

#endif
