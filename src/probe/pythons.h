/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python's interpreters: the files that have one, and the processes that run one, which the BPF side knows by the
 * functions that are probed here, or is told of.
 */
#ifndef PROBE_PYTHONS_H
#define PROBE_PYTHONS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "probe/elffile.h"

struct probe;
struct target;

/*
 * If the file of @target, open at @fd, has an interpreter whose frames can be read, and these are wanted: keeps what is to be known of
 * it, and appends to @functions, whose list it may move, those that say that a process runs it. Returns true if so.
 */
bool pythons_take(struct probe *probe, struct target *target, int fd, const char *path, struct elf_functions *functions);

/* Once these are probed: tells of the processes that map the file already. */
void pythons_find_users(struct probe *probe, const struct target *target, const struct stat *st, const char *path);

/* The file of @target is given up, or written to. */
void pythons_drop(struct probe *probe, struct target *target);

/* Adds the interpreters that lie in the usual places. */
void pythons_find_ahead(struct probe *probe);

#endif
