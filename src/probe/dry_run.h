/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dry run: loads the BPF programs and watches processes as a session would, for a moment and with
 * none listed, to learn what the kernel refuses.
 */
#ifndef PROBE_DRY_RUN_H
#define PROBE_DRY_RUN_H

#include <stdint.h>

#include "probe/kernel.h"
#include "util/util.h"

struct dry_run;

/*
 * Loads the programs, for @layers, with a ring of @ring_bytes. Returns 0 or a negative errno with
 * @why set.
 */
int dry_run_open(struct dry_run **dry_run, const struct kernel_features *features,
		 unsigned int layers, uint64_t ring_bytes, struct reason *why);

/* Takes everything away again. */
void dry_run_close(struct dry_run *dry_run);

/* What a session watches besides functions. */
enum dry_run_event {
	DRY_RUN_EXEC,
	DRY_RUN_EXIT,
	DRY_RUN_FORK,
	DRY_RUN_MMAP, /* libraries loaded by programs that run */
};

/*
 * Watches this event for a moment. Returns 0 or a negative errno; for DRY_RUN_MMAP the enum
 * loading_way that worked.
 */
int dry_run_watch(struct dry_run *dry_run, enum dry_run_event event);

/* hit_cost_measure() with the programs. */
uint64_t dry_run_hit_cost(const struct dry_run *dry_run);

/* bpf_identifier() of the programs. Borrowed. */
int dry_run_identifier(const struct dry_run *dry_run);

#endif
