/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of cutop's own, "cutop-guard", that holds the links of the probes. Stopping cutop does
 * not stop it: it removes the probes from a leased file that is about to be written to, even while
 * cutop stands still. It ends when cutop ends, however that happens.
 */
#ifndef PROBE_GUARD_H
#define PROBE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "util/util.h"

struct guard;
struct seen_file;
struct stat;

struct guarded {
	int fd; /* ours; -1: none */
	/*
	 * opened with O_PATH, because the file's server may not answer: the server is never asked
	 */
	bool is_place;
	/* And the kernel's cached attributes cannot be had without asking it */
	bool is_blind;
	bool leased;     /* a process that opens it for writing waits for the guard */
	uint32_t number; /* the guard's for its links, a new one each time they are placed */
	int64_t size;
	struct timespec changed;
};

/*
 * Watches the file @seen; if a lease can be had, the kernel tells @guard when it is broken. Never
 * fails: guarded_is_touched() finds changes of other files, as far as that is possible.
 */
void guarded_open(struct guarded *file, const struct seen_file *seen, const struct guard *guard);

void guarded_close(struct guarded *file);

/*
 * fstat(2) of the file without waiting for a server: what the kernel has cached. Returns false if
 * that cannot be had.
 */
bool guarded_stat(const struct guarded *file, struct stat *st);

/* True if a process wants to write to the file, or has. */
bool guarded_is_touched(const struct guarded *file);

/* Gives up the lease: a waiting writer continues. */
void guarded_let(struct guarded *file);

/*
 * True once no process has the file open for writing any more, as far as the file system tells;
 * then it is watched again.
 */
bool guarded_again(struct guarded *file, const struct guard *guard);

/*
 * Starts the process. @waits: until links are closed, which those of the perf kind take too long
 * for. Returns 0 with *@guard, given up with guard_end(), or a negative errno with @why set.
 */
int guard_start(struct guard **guard, bool waits, struct reason *why);

/*
 * Has all links closed, in parallel, and ends the process: waits for that a second or so, then it
 * is left behind to finish when it can. @guard may be NULL.
 */
void guard_end(struct guard *guard);

/*
 * False once the process has ended, or was killed because it did not answer in time. All links it
 * held are then closed, as soon as the kernel has done so.
 */
bool guard_is_alive(struct guard *guard);

/*
 * Tells the process of @file, before links are placed on it, and gives @file a new number. If it is
 * written to before they come, they are closed at once. Returns 0 or a negative errno.
 */
int guard_watch(struct guard *guard, struct guarded *file);

/* A new number, for links that come and go while @file's own stay. */
uint32_t guard_number(struct guard *guard);

/*
 * Hands the @count links at @links, which are on @file (NULL: on none), over as @number's; they are
 * closed here in any case. Returns 0, or a negative errno: then guard_drop() closes the rest.
 */
int guard_hold(struct guard *guard, uint32_t number, const struct guarded *file, const int *links,
	       size_t count);

#define GUARD_DROP_MAX 32

/*
 * Closes the links of the @count @numbers, GUARD_DROP_MAX at most, ends the leases of those that
 * are files', and returns when that is done, or, if it does not wait, has begun.
 */
void guard_drop(struct guard *guard, const uint32_t *numbers, size_t count);

#endif
