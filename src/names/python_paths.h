/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a Python file belongs to: the program itself, or something that it builds on. */
#ifndef NAMES_PYTHON_PATHS_H
#define NAMES_PYTHON_PATHS_H

enum python_owner {
	PYTHON_PROGRAM, /* not in a folder of installed packages: the program's own */
	PYTHON_PACKAGE, /* installed, and not a known framework */
	/* A known framework, Python's own library, or a file that the user named */
	PYTHON_FRAMEWORK,
};

/*
 * Who @path, from a code object, belongs to. @skip: globs that the user gave, NULL-ended, or NULL.
 */
enum python_owner python_owner(const char *path, const char *const *skip);

#endif
