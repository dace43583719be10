/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which probed files nobody uses any more. */
#ifndef PROBE_UNUSED_H
#define PROBE_UNUSED_H

#include <stddef.h>
#include <stdint.h>

struct probe;

/* When to look again, and at what. */
struct unused {
	uint64_t next;		/* CLOCK_MONOTONIC */
	uint64_t wait;		/* ns, from this look to the next */
	size_t candidates;	/* at this look */
};

/*
 * Gives up files, some at a time, that nobody maps and that were deleted; and those that were met longest ago, when
 * descriptors become few. To be called often: it looks seldom.
 */
void unused_drop(struct probe *probe, uint64_t now);

#endif
