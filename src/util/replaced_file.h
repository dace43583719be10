/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is replaced as a whole, again and again: a reader finds the old contents or the new,
 * never a part.
 */
#ifndef UTIL_REPLACED_FILE_H
#define UTIL_REPLACED_FILE_H

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

struct replaced {
	char path[PATH_MAX];
	char temporary[PATH_MAX + 16]; /* in the same folder */
	mode_t mode;
	FILE *stream; /* NULL while no new contents are being written */
};

/*
 * Prepares to replace @path, which need not exist, and checks that it can be replaced. To be called
 * before there are threads (umask). Returns 0, 1 if @path is not a file that can be replaced (a
 * terminal, a pipe, /dev/null) but one to write to, or a negative errno.
 */
int replaced_open(struct replaced *file, const char *path);

/* Returns the stream to write the new contents to, or NULL with errno set. */
FILE *replaced_begin(struct replaced *file);

/*
 * Puts the new contents in place, or, if @error, drops them. Returns @error, or a negative errno.
 */
int replaced_end(struct replaced *file, int error);

#endif
