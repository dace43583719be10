/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/maps: the files a process has mapped as code. */
#ifndef PROBE_MAPS_H
#define PROBE_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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
struct maps_seen;

/*
 * Adds the file of @entry to *@seen, NULL at first. Returns false if it is in there already (or
 * without memory): a process may map one file ten thousand times.
 */
bool maps_seen_add(struct maps_seen **seen, const struct maps_entry *entry);
void maps_seen_free(struct maps_seen **seen);

/* Calls @visit for every process. Stops and returns as above. */
int processes_visit(int (*visit)(void *context, pid_t pid), void *context);

#endif
