/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the time of a process goes, as a bar with words, and the gaps between its launches. */
#ifndef VIEW_TIME_BAR_H
#define VIEW_TIME_BAR_H

#include "model/snapshot.h"
#include "view/canvas.h"

/*
 * Draws them at the top of @area, as much as fits without taking more than a quarter of it. Returns
 * what is left.
 */
struct area time_bar_draw(const struct area *area, const struct snapshot *snapshot,
			  const struct snap_process *process);

#endif
