/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that hold links, each in a table of descriptors of its own. A thread's table is closed when the thread ends, and all
 * threads of a killed process end at the same time. In one table the kernel would close the links in turn, and wait some 60 ms
 * for each.
 */
#ifndef PROBE_HOLDERS_H
#define PROBE_HOLDERS_H

#include <stddef.h>

#define HOLDER_LINKS	4	/* links of a thread */

struct holder;

/*
 * Moves @count links, HOLDER_LINKS at most, to a new thread: they are closed for the caller. Returns NULL if that cannot be
 * done; the links stay the caller's then.
 */
struct holder *holder_new(const int *links, size_t count);

/* Has the thread close its links, side by side, and end. */
void holder_release(struct holder *holder);

/* Waits for that, and frees it. */
void holder_wait(struct holder *holder);

#endif
