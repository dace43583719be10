/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Launches that are counted once. The runtime of CUDA 13 checks nothing of a launch itself: each of
 * them reaches the driver, with the same return address for cutop to find the program's call site,
 * and a kernel that the program has loaded under cutop's eyes has its name there. So the runtime's
 * own functions that launch have no probes. Earlier runtimes refuse a grid or block beyond the
 * device's limits without a call of the driver (docs/cost.md): there both have one.
 *
 * What a program loaded before cutop came has handles that nobody has explained. Then the runtime's
 * launches are probed for a while, which shows what the driver's functions were made from, and again
 * whenever such a program launches one that is not explained yet.
 */
#ifndef PROBE_LAUNCHES_H
#define PROBE_LAUNCHES_H

#include "probe/attach.h"
#include "probe/lease.h"

struct probe;
struct seen_file;
struct target;

/* A target's functions that launch and have no probes of their own for good. */
struct launches {
	struct elf_functions functions; /* none: they are probed like others */
	struct attachment attachment;
	struct guard guard; /* the file's, for these links */
	uint32_t shelf;     /* the keeper's; 0: they have no probes now */
	uint64_t until;     /* CLOCK_MONOTONIC, when these are taken off */
};

/*
 * Takes the runtime's launches out of @functions, those of the file open at @fd, if that passes all
 * of them on to the driver. Returns 0, or -ENOMEM with nothing done. Undo with launches_free().
 */
int launches_take(struct launches *launches, int fd, struct elf_functions *functions);

/* Probes those of @target, whose file @seen, found as @path, is, for a while. */
void launches_probe(struct probe *probe, struct target *target, const struct seen_file *seen,
		    const char *path);

/* Removes their probes when it is time, and places them again where a launch is not explained. */
void launches_tend(struct probe *probe, uint64_t now);

/* Removes their probes, if they have any. */
void launches_lift(struct probe *probe, struct target *target);
void launches_free(struct launches *launches);

#endif
