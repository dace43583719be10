/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which probed files are not in use any more. */
#ifndef PROBE_UNUSED_H
#define PROBE_UNUSED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct probe;
struct target;

/* When to look again, and at what. */
struct unused {
	uint64_t next;		/* CLOCK_MONOTONIC, when there may be something to give up */
	uint64_t look;		/* CLOCK_MONOTONIC, when to see who maps that */
	uint64_t wait;		/* ns, from this look to the next */
	size_t candidates;	/* at this look */
};

/*
 * Gives up files, some at a time, that no process maps and that were deleted, or belonged to a container that has ended; and those
 * that were met longest ago, when descriptors become few. To be called often: it looks seldom.
 */
void unused_drop(struct probe *probe, uint64_t now);

/* The file of @target was opened through the mounts of @pid; 0: through ours. */
void unused_anchor(struct target *target, pid_t pid);

#endif
