/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For a forked process that reads what watched programs wrote: it gives up everything but a socket. */
#ifndef UTIL_CONFINE_H
#define UTIL_CONFINE_H

#include <stdint.h>

#define CONFINE_CALLS_MAX	32

/*
 * Leaves the calling process nothing open but @socket, as descriptor 0, no shared memory, no rights, @memory bytes more than it has, and the @count system calls
 * in @calls (at most CONFINE_CALLS_MAX); a signal that tells of a fault or of time that has run out ends it. It is called
 * @name from now on. Returns 0, or nonzero where that cannot be done: the process then has to end. Allocates nothing.
 */
int confine(const char *name, int socket, uint64_t memory, const int *calls, unsigned int count);

#endif
