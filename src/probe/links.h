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

#endif
