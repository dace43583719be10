/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of cutop's own, "cutop-guard", that holds the links of the probes and watches the files
 * they are on. Stopping cutop does not stop it: it removes the probes from a file that is about to
 * be written to, even while cutop stands still. It ends when cutop ends, however that happens, and
 * the kernel then removes the links in parallel. What it holds for one file is called a shelf, with
 * a number that cutop chooses.
 */
#ifndef PROBE_KEEPER_H
#define PROBE_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/lease.h"
#include "util/util.h"

struct keeper;

/*
 * Starts the process. Returns 0 with *@keeper, given up with keeper_end(), or a negative errno with
 * @why set.
 */
int keeper_start(struct keeper **keeper, struct reason *why);

/*
 * Has all links closed, in parallel, waits until they are, and ends the process. @keeper may be
 * NULL.
 */
void keeper_end(struct keeper *keeper);

/* Polls readable when keeper_told() has something to return, or the process has ended. */
int keeper_fd(const struct keeper *keeper);

/* The process's id; guard_open() has the kernel signal a broken lease to it. */
pid_t keeper_pid(const struct keeper *keeper);

/*
 * False once the process has ended, or was killed because it did not answer in time. All links it
 * held are then closed, as soon as the kernel has done so.
 */
bool keeper_is_alive(const struct keeper *keeper);

/*
 * Stores the next shelf whose links were closed because its file is about to be written to, or was.
 * False: there is none.
 */
bool keeper_told(struct keeper *keeper, uint32_t *shelf);

/* Has the file of @guard watched as @shelf from now on. Returns 0 or a negative errno. */
int keeper_watch(struct keeper *keeper, uint32_t shelf, const struct guard *guard);

/*
 * Hands the @count links at @links over to @shelf; those handed over are closed here and set to -1.
 * If the file was touched since keeper_watch(), the process closes them at once. Returns 0, or a
 * negative errno: the rest is still the caller's.
 */
int keeper_keep(struct keeper *keeper, uint32_t shelf, int *links, size_t count);

/*
 * Closes the links of the @count @shelves, in parallel, stops watching their files, and returns
 * when that is done.
 */
void keeper_drop(struct keeper *keeper, const uint32_t *shelves, size_t count);

#endif
