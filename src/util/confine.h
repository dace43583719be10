/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For a forked process that reads what watched programs wrote: it gives up everything but a socket. */
#ifndef UTIL_CONFINE_H
#define UTIL_CONFINE_H

#include <stdint.h>

#define CONFINE_CALLS_MAX	32

/* Leaves the calling process no memory that is shared with the one it was forked from: BPF's maps, above all. Returns 0 or a negative errno. */
int confine_memory(void);

/*
 * Leaves the calling process nothing open but @socket, as descriptor 0, and no shared memory. A signal
 * that tells of a fault or of time that has run out ends it, others are blocked. It is called @name from now on. Returns 0,
 * or nonzero where that cannot be done: the process then has to end. Allocates nothing.
 */
int confine_leave(const char *name, int socket);

/*
 * The same, and no rights, @memory bytes more than it has, and of the system calls only the @count in @calls (at most
 * CONFINE_CALLS_MAX).
 */
int confine(const char *name, int socket, uint64_t memory, const int *calls, unsigned int count);

/*
 * Refuses the calling thread, and those it starts, all system calls but the @count ones in @calls: EPERM. Returns 0, or a
 * negative errno. no_new_privs has to be set.
 */
int confine_calls(const int *calls, unsigned int count);

#endif
