/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program pays for being watched, as a share of its own processor time, and what is given up
 * of it to stay within a budget: blocks of allocators first, then calls without further meaning, at
 * last launches, which are then watched in one second of several. Memory is never given up.
 */
#ifndef COLLECT_COST_H
#define COLLECT_COST_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"

#define COST_OTHERS SPARE_COUNT /* hits of what cannot be given up */

struct cost {
	/* Hits of probes so far, weighted by what they take: this time, and the time before */
	double hits[SPARE_COUNT + 1], before[SPARE_COUNT + 1];
	double paid;          /* ns in all */
	uint64_t cpu_ns;      /* its process since it is watched, with what it paid; 0: unknown */
	uint64_t ticked;      /* CLOCK_MONOTONIC, until when that is noted */
	uint64_t launches_ns; /* time in which launches were watched */
	unsigned int given;   /* bits of enum spare: what is given up */
	unsigned int missing; /* bits: what has no probes just now, for this or another process */
	uint64_t since[SPARE_COUNT]; /* CLOCK_MONOTONIC; 0: not given up, nor by another process */

	/* Since the last step, ns: */
	uint64_t stepped, step_cpu_ns;
	double step_paid[SPARE_COUNT + 1];
	uint64_t step_launches_ns;

	double share[SPARE_COUNT]; /* what it took when it was given up */
	uint64_t retry[SPARE_COUNT], pause[SPARE_COUNT];
	unsigned int window_of; /* seconds, of which launches are watched in one */
	uint64_t window;        /* CLOCK_MONOTONIC, when the last one began */
};

/* The weight of a hit at a return: docs/cost.md, "Per call" */
#define HIT_RETURN 0.6

/*
 * Takes in what @cost->hits and cpu_ns are now, at @now, a hit of weight 1 taking @hit_ns, and
 * begins to count anew.
 */
void cost_count(struct cost *cost, double hit_ns, uint64_t now);

/* From @now on it has no probes for the kinds in @missing: bits of enum spare. */
void cost_miss(struct cost *cost, unsigned int missing, uint64_t now);

/* The share of its own processor time that it paid since the last step; 0: unknown. */
double cost_share(const struct cost *cost);

/*
 * Decides what is given up, or taken back, to keep within @budget (a share). Returns true if that
 * has changed.
 */
bool cost_decide(struct cost *cost, double budget, uint64_t now);

/* What should have no probes at @now: what is given up, launches but for their windows. */
unsigned int cost_unwanted(struct cost *cost, uint64_t now);

#endif
