/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mount namespaces. A probe holds the mount that its file was opened through, and so its file
 * system: the volume of a container that has ended would stay in use as long as cutop runs.
 */
#ifndef PROBE_MOUNTS_H
#define PROBE_MOUNTS_H

#include <stdint.h>
#include <sys/types.h>

/*
 * The mount namespace of @pid: its inode number (namespaces(7)); 0: the process is gone, or we may
 * not look.
 */
uint64_t mounts_of(pid_t pid);

/* A process in @namespace; 0: there is none that we may look into. */
pid_t mounts_member(uint64_t namespace);

#endif
