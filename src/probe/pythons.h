/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python's interpreters: the files that contain one, and the processes that run one. The BPF side
 * learns of a process from the functions probed here, or is told.
 */
#ifndef PROBE_PYTHONS_H
#define PROBE_PYTHONS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "probe/elffile.h"

struct probe;
struct target;

/*
 * If the file of @target, open at @fd, has an interpreter whose frames can be read, and Python
 * frames are wanted: keeps what has to be known of it, and appends the functions that show that a
 * process runs it to @functions, whose list may move. Returns true if so.
 */
bool pythons_take(struct probe *probe, struct target *target, int fd, const char *path,
		  struct elf_functions *functions);

/* To be called once these are probed: tells BPF of the processes that already map the file. */
void pythons_find_users(struct probe *probe, const struct target *target, const struct stat *st,
			const char *path);

/* The file of @target is given up, or written to. */
void pythons_drop(struct probe *probe, struct target *target);

/* Adds the interpreters that lie in the usual places. */
void pythons_find_ahead(struct probe *probe);

#endif
