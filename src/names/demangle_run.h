/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs one name through libiberty's demangler; and the process that does this for names that may
 * take long.
 */
#ifndef NAMES_DEMANGLE_RUN_H
#define NAMES_DEMANGLE_RUN_H

#include <stdbool.h>
#include <stddef.h>

#define DEMANGLE_INPUT_MAX  (16 * 1024) /* bytes; a longer mangled name stays as it is */
#define DEMANGLE_OUTPUT_MAX (64 * 1024) /* bytes; the rest is cut off */

/*
 * Writes the full form of @symbol to @out, @size bytes with the NUL, and returns its length; 0 if
 * it is not a mangled name. With @deep libiberty's recursion limit is off: the caller's stack has
 * to be large enough. Allocates nothing.
 */
size_t demangle_run(const char *symbol, bool deep, char *out, size_t size);

/*
 * The same in a separate process, which has 200 ms for each name: see demangle_process.c. @out has
 * room for DEMANGLE_OUTPUT_MAX bytes and the NUL. Also returns 0 if it took longer, or no process
 * can be had now.
 */
size_t demangle_apart(const char *symbol, char *out);

#endif
