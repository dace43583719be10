/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Launches of the runtime, counted at the driver. The runtime of CUDA 13 checks nothing of a launch
 * itself: each reaches the driver, where a probe counts it, with the name that the kernel had when
 * the program loaded it. A second probe in the runtime would double what a launch costs. Earlier
 * runtimes refuse some launches without a call of the driver: theirs keep their probes.
 *
 * A program that ran before cutop may have loaded its kernels before. What the driver's functions
 * are made from then shows where a launch is seen at both layers. So the runtime's launches are
 * probed for some seconds, and again when such a program launches a function that is unknown.
 */
#ifndef PROBE_LAUNCHES_H
#define PROBE_LAUNCHES_H

#include "probe/probe_set.h"

struct probe;
struct target;

/*
 * The first runtime that passes all launches on, as cudaRuntimeGetVersion() has it: the code of
 * libcudart.so.13.0 returns cudaErrorInvalidConfiguration nowhere; that of 12.4 does.
 */
#define LAUNCHES_PASSED_ON 13000

/* Of a target: the runtime's functions that launch. None: they are probed like others. */
struct launches {
	struct probe_set set;
	uint64_t until; /* CLOCK_MONOTONIC, when their probes are taken off */
};

/*
 * Takes the runtime's launches out of @functions, those of the file open at @fd, if that passes all
 * of them on to the driver. Returns 0, or -ENOMEM with nothing done.
 */
int launches_take(struct launches *launches, int fd, struct elf_functions *functions);

/* Probes those of @target, whose file, found as @path, is open at @fd, for a while. */
void launches_probe(struct probe *probe, struct target *target, int fd, const char *path);

/* Removes their probes when it is time, and places them again for functions that are unknown. */
void launches_tend(struct probe *probe, uint64_t now);

#endif
