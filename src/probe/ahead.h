/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command line will come to run, read from its words without running any of it: through env(1) and other programs
 * that start a program, scripts, shells and Python.
 */
#ifndef PROBE_AHEAD_H
#define PROBE_AHEAD_H

/* The environment that a program is started with. What is NULL or empty is not set; strings are borrowed. */
struct ahead_start {
	const char *path;		/* PATH */
	const char *library_path;	/* LD_LIBRARY_PATH */
	const char *preload;		/* LD_PRELOAD */
	const char *python_path;	/* PYTHONPATH */
	const char *home;		/* HOME */
	const char *root;		/* what is "/" to it; NULL: the same as to us */
};

/*
 * Calls @visit with the path of each program that @words (NULL-ended) lead to, and of each library that these need, or
 * that lies in a folder of LD_LIBRARY_PATH or of Python: AHEAD_PROGRAMS_MAX programs at most, and AHEAD_GLOBBED_MAX libraries of
 * such folders. A program that starts others and is not known here is where that ends.
 */
#define AHEAD_PROGRAMS_MAX	32
#define AHEAD_GLOBBED_MAX	64
void ahead_visit(char *const *words, const struct ahead_start *start, void (*visit)(void *context, const char *path),
		 void *context);

#endif
