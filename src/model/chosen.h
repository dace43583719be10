/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a program is one that the user asked for by name. */
#ifndef MODEL_CHOSEN_H
#define MODEL_CHOSEN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True if @glob (fnmatch(3)) matches @comm, the command, its last path component, or the whole
 * command line. @strings are the @len bytes after a struct rec_identity; they may come from a file
 * and be anything.
 */
bool identity_matches(const char *strings, size_t len, const char *comm, const char *glob);

#endif
