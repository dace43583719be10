/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/maps: the files a process has mapped as code. */
#ifndef PROBE_MAPS_H
#define PROBE_MAPS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cutop_event.h"

struct maps_seen;

struct maps_entry {
	uint64_t start, end;
	uint64_t offset; /* the offset of `start` in the file */
	uint64_t inode;  /* as maps shows it */
	uint32_t major, minor;
	const char *path; /* as the process sees it; borrowed until the callback returns */
};

/*
 * Calls @visit for each executable file mapping in @text, the content of a /proc/PID/maps (which is
 * changed), in address order, until it returns nonzero. Returns that, or 0 at the end.
 * outside_maps() reads the text and calls this.
 */
int maps_visit(char *text, int (*visit)(void *context, const struct maps_entry *entry),
	       void *context);

/* Parses one line (NUL-terminated, changed) of a maps file. Returns 0, or -EINVAL if it is none. */
int maps_parse(char *line, struct maps_entry *entry, int *executable);

/*
 * Opens the file that @entry of @pid maps (O_PATH): through the process's own root, or, if the path
 * now leads to another file, through the mapping itself. May sleep. Returns a descriptor or a
 * negative errno.
 */
int maps_place(pid_t pid, const struct maps_entry *entry);

/* The files of mappings that were met. */

/*
 * Adds the file of @entry to *@seen, NULL at first. Returns false if it is in there already (or
 * without memory): a process may map one file ten thousand times.
 */
bool maps_seen_add(struct maps_seen **seen, const struct maps_entry *entry);

void maps_seen_free(struct maps_seen **seen);

/*
 * The number by which the kernel shows a process's memory, mappings, files and namespaces: that of a
 * thread that runs where the main thread has ended (pthread_exit() in main()) and shows nothing.
 */
pid_t process_reader(pid_t pid);

/* Calls @visit for every process. Stops and returns as above. */
int processes_visit(int (*visit)(void *context, pid_t pid), void *context);

/* Joins the names of @record into a path. Returns false if they make none. */
bool path_of_names(const struct path_names *record, char path[CUTOP_PATH_MAX + 1]);

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
