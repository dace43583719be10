/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Launches per second of each kernel of the selected process, for the plot in a kernel's details. A
 * history of every kernel of every process would be large: this one begins anew when another process
 * is selected.
 */
#ifndef VIEW_KERNEL_RATES_H
#define VIEW_KERNEL_RATES_H

#include <stddef.h>
#include <stdint.h>

#include "model/snapshot.h"

#define RATES_KEPT 240  /* samples of a kernel */
#define RATES_MOST 1024 /* places for kernels; what finds none has no history */

struct kernel_rates {
	uint32_t program;          /* 0: of no process */
	double elapsed;            /* the time of the last sample, seconds since the start */
	size_t count, at;          /* samples so far, at most RATES_KEPT; where the next one goes */
	struct kernel_ring *rings; /* RATES_MOST, by key; NULL: none yet */
	size_t used;
};

/* What tells @kernel from the others of @program, from one snapshot to the next; never 0. */
uint64_t kernel_key(uint32_t program, const struct snap_kernel *kernel);

/* Adds a sample from @process, which may be NULL, taken @elapsed seconds after the start. */
void kernel_rates_feed(struct kernel_rates *rates, const struct snap_process *process,
		       double elapsed);

/*
 * Writes the samples of @kernel of the program @program to @out, the oldest first. Returns how many
 * there are.
 */
size_t kernel_rates_read(const struct kernel_rates *rates, uint32_t program,
			 const struct snap_kernel *kernel, float out[RATES_KEPT]);

void kernel_rates_clear(struct kernel_rates *rates);

#endif
