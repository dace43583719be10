/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose a Python file is: the program's, or that of what it builds on. */
#ifndef NAMES_PYTHON_PATHS_H
#define NAMES_PYTHON_PATHS_H

enum python_owner {
	PYTHON_PROGRAM,		/* in no folder of installed packages: the program's own */
	PYTHON_PACKAGE,		/* installed, and no framework that we know */
	PYTHON_FRAMEWORK,	/* a framework that we know, Python's own library, or what the user named */
};

/* Whose @path is, as a code object has it. @skip: globs of the user's, NULL-ended, or NULL. */
enum python_owner python_owner(const char *path, const char *const *skip);

#endif
