/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For a forked process that reads what watched programs wrote: it gives up everything but one
 * socket.
 */
#ifndef UTIL_CONFINE_H
#define UTIL_CONFINE_H

#include <stdint.h>

#define CONFINE_CALLS_MAX 32

/*
 * Leaves the calling process no open file but @socket, as descriptor 0, and no shared memory.
 * Signals that report a fault, SIGALRM and SIGPROF end it; all others are blocked. The process is called
 * @name from now on. Returns 0, or nonzero on failure: the process then has to exit. Allocates
 * nothing.
 */
int confine_leave(const char *name, int socket);

/*
 * The same, and takes away all rights, limits memory to @memory bytes more than it has now, and
 * allows only the @count system calls in @calls (at most CONFINE_CALLS_MAX).
 */
int confine(const char *name, int socket, uint64_t memory, const int *calls, unsigned int count);

/*
 * From now on, all system calls of the calling thread and of threads it starts fail with EPERM,
 * except the @count ones in @calls. Returns 0 or a negative errno. no_new_privs has to be set.
 */
int confine_calls(const int *calls, unsigned int count);

#endif
