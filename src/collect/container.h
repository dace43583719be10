/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which container and pod a process runs in, as far as the names of its control groups tell. */
#ifndef COLLECT_CONTAINER_H
#define COLLECT_CONTAINER_H

#include <stdbool.h>

#define CGROUPS_MAX	16384	/* bytes of a cgroup file that are looked at */

struct container {
	char id[128];	/* empty: none */
	char pod[40];	/* its UID; empty: none */
};

/*
 * Finds a container in @cgroups, the text of /proc/PID/cgroup, either version.
 * What is found is letters, digits and the like, whatever the text is. Returns
 * false, with both empty, if there is neither a container nor a pod.
 */
bool container_of_cgroups(const char *cgroups, struct container *container);

/* The same of the process @pid, whether there is one or not. Returns false if the process is gone, or about to be and does not say. */
bool container_read(unsigned int pid, struct container *container);

#endif
