/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds probed files that are no longer in use. */
#ifndef PROBE_UNUSED_H
#define PROBE_UNUSED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct probe;
struct target;

/* When to look again, and at what. */
struct unused {
	uint64_t next;     /* CLOCK_MONOTONIC, when there may be something to give up */
	uint64_t look;     /* CLOCK_MONOTONIC, when to check which processes map them */
	uint64_t wait;     /* ns, from this look to the next */
	size_t candidates; /* how many candidates there were at this look */
};

/*
 * Gives up files, a few at a time, that no process maps and that were deleted, or belonged to a
 * container that has ended; and, when descriptors become scarce, those that were met longest ago.
 * May be called often: it looks rarely.
 */
void unused_drop(struct probe *probe, uint64_t now);

/* The file of @target was opened through the mounts of @pid; 0: our own. */
void unused_anchor(struct target *target, pid_t pid);

#endif
