/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which container a process runs in, as far as the name of its control group tells. */
#ifndef COLLECT_CONTAINER_H
#define COLLECT_CONTAINER_H

#include <stddef.h>

/*
 * Finds a container's name in @cgroups, the text of /proc/PID/cgroup: the 64 hex
 * digits that Docker, containerd, CRI-O and Podman use, or the name after
 * "lxc.payload." or "machine-". Returns @out, empty if there is none.
 */
char *container_of_cgroups(const char *cgroups, char *out, size_t size);

#endif
