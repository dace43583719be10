/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of Python code, from a code object's table. */
#ifndef NAMES_PYTHON_LINES_H
#define NAMES_PYTHON_LINES_H

#include <stddef.h>

/*
 * The line of the instruction at offset @at (in bytes; below 0: the frame has not begun) of code
 * that begins at @first_line, according to its @table of @bytes bytes in the format of CPython
 * @version (0x030b). 0: it has none, or the table does not tell.
 */
unsigned int python_line(unsigned int version, const unsigned char *table, size_t bytes,
			 unsigned int first_line, long at);

#endif
