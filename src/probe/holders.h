/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that hold links, each in a descriptor table of its own. A thread's table is closed when
 * the thread ends, and all threads of a killed process end at the same time. From one shared table
 * the kernel would close the links one after the other, and wait some 60 ms for each.
 */
#ifndef PROBE_HOLDERS_H
#define PROBE_HOLDERS_H

#include <stddef.h>

#define HOLDER_LINKS 4 /* links of a thread */

struct holder;

/*
 * Moves @count links, HOLDER_LINKS at most, to a new thread, and closes the caller's descriptors.
 * Returns NULL on failure; the links then stay the caller's.
 */
struct holder *holder_new(const int *links, size_t count);

/* Tells the thread to close its links, in parallel, and to end. */
void holder_release(struct holder *holder);

/* Waits for that, and frees it. */
void holder_wait(struct holder *holder);

#endif
