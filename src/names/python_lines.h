/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of Python code, from a code object's table. */
#ifndef NAMES_PYTHON_LINES_H
#define NAMES_PYTHON_LINES_H

#include <stddef.h>

/*
 * The line of the instruction at @at (bytes from the first; below 0: not begun) of code that begins at @first_line, by its
 * @table of @bytes as CPython @version (0x030b) has it. 0: it has none, or the table does not say.
 */
unsigned int python_line(unsigned int version, const unsigned char *table, size_t bytes, unsigned int first_line, long at);

#endif
