/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of cutop's own, "cutop-guard", that holds the links of the probes and watches over the files they sit on. Stopping
 * cutop does not stop it: it takes the probes off a file that is about to be written to while cutop stands still. However cutop
 * ends, it ends with it, and the kernel then undoes the links side by side.
 *
 * What it holds for one file is a shelf, by a number that cutop chooses.
 */
#ifndef PROBE_KEEPER_H
#define PROBE_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/lease.h"
#include "util/util.h"

struct keeper;

/* Starts the process. Returns 0 with *@keeper, given up with keeper_end(), or a negative errno with @why set. */
int keeper_start(struct keeper **keeper, struct reason *why);

/* Has all links closed, side by side, waits until they are, and ends the process. NULL is none. */
void keeper_end(struct keeper *keeper);

/* Readable when there is something for keeper_told(), or the process has ended. */
int keeper_fd(const struct keeper *keeper);

/* The process; guard_open() has the kernel tell it of a broken lease. */
pid_t keeper_pid(const struct keeper *keeper);

/*
 * False once the process has ended, or has not answered in time and was ended for that. Every link it held is closed then,
 * as soon as the kernel has done so.
 */
bool keeper_is_alive(const struct keeper *keeper);

/* The next shelf whose links were closed because its file is about to be written to, or was. False: there is none. */
bool keeper_told(struct keeper *keeper, uint32_t *shelf);

/* Has the file of @guard watched over as @shelf from now on. Returns 0 or a negative errno. */
int keeper_watch(struct keeper *keeper, uint32_t shelf, const struct guard *guard);

/*
 * Hands the @count links at @links over to @shelf; those that were are closed here and -1 then. If the file was touched since
 * keeper_watch(), they are closed there at once. Returns 0, or a negative errno: the rest is still the caller's.
 */
int keeper_keep(struct keeper *keeper, uint32_t shelf, int *links, size_t count);

/* Closes the links of the @count @shelves, side by side, watches over their files no more, and returns when that is done. */
void keeper_drop(struct keeper *keeper, const uint32_t *shelves, size_t count);

#endif
