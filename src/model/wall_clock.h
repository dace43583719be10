/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wall clock time at an instant of CLOCK_MONOTONIC: the wall clock may be set while cutop runs,
 * or the machine may sleep.
 */
#ifndef MODEL_WALL_CLOCK_H
#define MODEL_WALL_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define CLOCK_STEPS_MAX 64

/* CLOCK_MONOTONIC and CLOCK_REALTIME at one instant, ns; valid from then on. */
struct clock_step {
	uint64_t mono, real;
};

struct wall_clock {
	struct clock_step start;                  /* when watching began */
	struct clock_step steps[CLOCK_STEPS_MAX]; /* the latest last */
	size_t count;
};

void wall_clock_set(struct wall_clock *clock, uint64_t mono, uint64_t real);
uint64_t wall_clock_at(const struct wall_clock *clock, uint64_t mono);

#endif
