/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dry run: loads the BPF programs and watches processes as a session would, for a moment and with
 * none listed, to learn what the kernel refuses.
 */
#ifndef PROBE_DRY_RUN_H
#define PROBE_DRY_RUN_H

#include <stdint.h>

#include "probe/bpf.h"
#include "probe/kernel.h"
#include "util/util.h"

struct bpf;
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

/* The ways to watch, the cheapest first. */
enum loading_way {
	LOADING_FUNCTION, /* the kernel's function ksys_mmap_pgoff() */
	LOADING_TOUCH,    /* the tracepoints mm_filemap_map_pages and mm_filemap_fault */
};

/* A watch. It lasts until all of @fds that are not -1 are closed; they belong to the caller. */
struct loading_watch {
	int fds[2];
	enum loading_way way;
};

/*
 * Has @bpf report every mapping of a file's code. Returns 0, or a negative errno if neither
 * works.
 */
int loading_watch(struct bpf *bpf, struct loading_watch *watch);

/*
 * Nanoseconds that a call of a watched program takes longer for a probe at its entry, if its caches
 * hold other things. Takes some 20 ms. Where it cannot be measured: HIT_COST_USUAL.
 */
uint64_t hit_cost_measure(const struct bpf *bpf);

/* As measured in a virtual machine on an AMD EPYC (docs/cost.md) */
#define HIT_COST_USUAL 2700

#endif
