/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files below a folder that is a program's "/": links are followed as that program would. @root
 * NULL: our own.
 */
#ifndef PROBE_ROOTED_OPEN_H
#define PROBE_ROOTED_OPEN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Stores where @path leads below @root, as a path of ours, in @real (4096 bytes). Returns false if
 * it leads nowhere.
 */
bool root_realpath(const char *root, const char *path, char *real);

/* True if @path is a regular file below @root that we may use as @mode (access(2)) says. */
bool root_has(const char *root, const char *path, int mode);

/*
 * Reads at most the first @max bytes of a regular file, and adds a NUL. NULL: no such file, or no
 * memory. The caller frees it.
 */
char *root_file_read(const char *root, const char *path, size_t max);

#endif
