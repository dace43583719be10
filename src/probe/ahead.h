/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which programs a command line will run, found from its words without running any of it: through
 * env(1) and other programs that start a program, scripts, shells and Python.
 */
#ifndef PROBE_AHEAD_H
#define PROBE_AHEAD_H

/* The environment that a program is started with. NULL or empty: not set; strings are borrowed. */
struct ahead_start {
	const char *path;         /* PATH */
	const char *library_path; /* LD_LIBRARY_PATH */
	const char *preload;      /* LD_PRELOAD */
	const char *python_path;  /* PYTHONPATH */
	const char *home;         /* HOME */
	const char *root;         /* the program's root folder; NULL: the same as ours */
};

/*
 * Calls @visit with the path of each program that @words (NULL-ended) will run, and of each library
 * that these programs need or that lies in a folder of LD_LIBRARY_PATH or of Python:
 * AHEAD_PROGRAMS_MAX programs and AHEAD_GLOBBED_MAX libraries of such folders at most. The search
 * ends at a program that starts others but is not known here.
 */
#define AHEAD_PROGRAMS_MAX 32
#define AHEAD_GLOBBED_MAX  64
void ahead_visit(char *const *words, const struct ahead_start *start,
		 void (*visit)(void *context, const char *path), void *context);

#endif
