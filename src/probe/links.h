/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The links of probes, as descriptors. */
#ifndef PROBE_LINKS_H
#define PROBE_LINKS_H

#include <stddef.h>

/*
 * Closes @count links in parallel, since each waits for the kernel's grace periods. Negative
 * descriptors are skipped.
 */
void links_close(const int *fds, size_t count);

/*
 * The same at cutop's end. To remove probes the kernel locks the address space of each process that
 * maps the file, and waits without end if a process holds that lock, asleep over memory that never
 * arrives. So a process of its own closes the links; if it takes longer than a second or so, it is
 * left behind to finish when it can.
 */
void links_close_finally(const int *fds, size_t count);

#endif
