/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/wall_clock.h"

#include <string.h>

uint64_t wall_clock_at(const struct wall_clock *clock, uint64_t mono)
{
	const struct clock_step *step = &clock->start;
	size_t i = clock->count;

	while (i && clock->steps[i - 1].mono > mono)
		i--;
	if (i)
		step = &clock->steps[i - 1];
	return step->real + (mono - step->mono);
}

void wall_clock_set(struct wall_clock *clock, uint64_t mono, uint64_t real)
{
	/*
	 * The oldest step is dropped: events from before the next one are converted with the clock
	 * at the start.
	 */
	if (clock->count == CLOCK_STEPS_MAX) {
		memmove(clock->steps, clock->steps + 1,
			(CLOCK_STEPS_MAX - 1) * sizeof(*clock->steps));
		clock->count--;
	}
	clock->steps[clock->count++] = (struct clock_step){ mono, real };
}
