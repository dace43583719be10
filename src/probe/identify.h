/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file a descriptor leads to, as the kernel's probes know it. */
#ifndef PROBE_IDENTIFY_H
#define PROBE_IDENTIFY_H

#include <linux/types.h>
#include <stdbool.h>

#include "cutop_event.h"

/*
 * Fills @id for the regular file open at @fd, and *@magic, unless NULL, with the magic number of
 * its file system (linux/magic.h). For a file of an overlay mount, both are of the file below.
 * @program is the BPF program `identify`, or -1 where none could be loaded: then both are what
 * stat(2) and statfs(2) say. Maps the file, which may sleep. Returns 0 or a negative
 * errno.
 */
int identify_file(int program, int fd, struct file_id *id, __u32 *magic);

/*
 * True if opening, reading and closing files on such a file system depends on no other process or
 * machine.
 */
bool magic_is_local(__u32 magic);

/* True if statx(2) with AT_STATX_DONT_SYNC asks no server on such a file system. */
bool magic_tells_cached(__u32 magic);

#endif
