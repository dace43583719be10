/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The links of probes, as descriptors. */
#ifndef PROBE_LINKS_H
#define PROBE_LINKS_H

#include <stddef.h>

/* Closes @count links side by side: each waits for the kernel's grace periods. Negative ones are none. */
void links_close(const int *fds, size_t count);

/*
 * The same at cutop's end. The kernel takes probes off with the address space of each process locked that maps the file, and waits
 * without end for one that another holds locked, asleep over memory that nothing delivers. So a process of its own closes the
 * links; one that takes longer than a second or so is left behind, until it can.
 */
void links_close_finally(const int *fds, size_t count);

#endif
