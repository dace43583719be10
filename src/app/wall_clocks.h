/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells whether a process of a snapshot is still the one with its pid. Start times of processes are
 * reported by the wall clock of their time, which may be set: so what it was set to is noted.
 */
#ifndef APP_WALL_CLOCKS_H
#define APP_WALL_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/snapshot.h"

/*
 * The offset of the wall clock to the time since boot, and since when (by the latter): the wall
 * clock may be set.
 */
struct wall_clock {
	uint64_t ahead, since;
};

#define CLOCKS_MAX 16

struct wall_clocks {
	struct wall_clock list[CLOCKS_MAX]; /* the latest last */
	size_t count;
};

/* Notes whether the clock was set. To be called with each snapshot. */
void wall_clocks_look(struct wall_clocks *clocks);

/* True if the process that now has @process's pid is still @process: pids are reused. */
bool wall_clocks_same(const struct wall_clocks *clocks, const struct snap_process *process);

#endif
