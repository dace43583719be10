/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The libraries of a program that is about to be started, found without running it. */
#ifndef PROBE_AHEAD_H
#define PROBE_AHEAD_H

/* The environment that a program is started with. NULL or empty: not set; strings are borrowed. */
struct ahead_start {
	const char *path;         /* PATH */
	const char *library_path; /* LD_LIBRARY_PATH */
	const char *preload;      /* LD_PRELOAD */
};

/*
 * Calls @visit with the path of the program that @name runs, and of each library that it needs or
 * that lies in a folder of LD_LIBRARY_PATH or, if it is Python, among the packages of its own
 * installation: AHEAD_GLOBBED_MAX of such folders at most. A program that it starts is not looked
 * at.
 */
#define AHEAD_GLOBBED_MAX 64
void ahead_visit(const char *name, const struct ahead_start *start,
		 void (*visit)(void *context, const char *path), void *context);

#endif
