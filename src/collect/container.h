/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the container and pod of a process by the names of its control groups. */
#ifndef COLLECT_CONTAINER_H
#define COLLECT_CONTAINER_H

#include <stdbool.h>

#define CGROUPS_MAX 16384 /* bytes that are read of a cgroup file */

struct container {
	char id[128]; /* empty: none */
	char pod[40]; /* the pod's UID; empty: none */
};

/*
 * Finds a container in @cgroups, the text of /proc/PID/cgroup, either version. The result consists
 * of letters, digits and the like, whatever the text is. Returns false, with both empty, if there
 * is neither a container nor a pod.
 */
bool container_of_cgroups(const char *cgroups, struct container *container);

/*
 * The same for the process @pid; finding nothing is no error. Returns false if the process is gone,
 * or is exiting and shows nothing.
 */
bool container_read(unsigned int pid, struct container *container);

#endif
