/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time that some work may take: so much at a stretch, of which a share of the time that passes comes
 * back. However often there is such work, it takes no more than that share in the long run.
 */
#ifndef UTIL_ALLOWANCE_H
#define UTIL_ALLOWANCE_H

#include <stdint.h>

struct allowance {
	uint64_t most;  /* ns, at first and at most */
	uint64_t share; /* one part in this many of the time comes back */
	uint64_t spent; /* ns, of which the rest has not come back yet */
	uint64_t since; /* when that was so, ns of a monotonic clock */
};

/* What is left at @now, in ns; 0: nothing, or what was taken beyond it has not come back yet. */
static inline uint64_t allowance_left(struct allowance *allowance, uint64_t now)
{
	uint64_t back = (now - allowance->since) / allowance->share;

	allowance->spent -= back < allowance->spent ? back : allowance->spent;
	allowance->since = now;
	return allowance->most > allowance->spent ? allowance->most - allowance->spent : 0;
}

/*
 * Takes @ns. Work that is allowed while anything is left may take more than that: it is a debt, up to
 * as much as there is at most, or one piece of work after the other would take all of the time.
 */
static inline void allowance_spend(struct allowance *allowance, uint64_t ns)
{
	uint64_t left = 2 * allowance->most - allowance->spent;

	allowance->spent += ns < left ? ns : left;
}

#endif
