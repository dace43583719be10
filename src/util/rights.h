/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rights that cutop has beyond those of who started it: it does not use them on files that its starter names, and gives up
 * what it needs to start and not to go on: capabilities, the right to gain any, system calls.
 */
#ifndef UTIL_RIGHTS_H
#define UTIL_RIGHTS_H

#include "util/util.h"

/* What is done after the start, each with rights of its own. */
enum {
	RIGHTS_PROBE = 1,	/* place probes, and read what watched processes map */
	RIGHTS_SIGNAL = 2,	/* send signals to other users' processes */
	RIGHTS_WRITE = 4,	/* create and replace files in other users' folders */
	RIGHTS_PROBE_EACH = 8,	/* place probes one by one, as on Linux before 6.6 */
	RIGHTS_READ = 16,	/* read files and memory of other users */
};

/*
 * Where cutop's file gives capabilities that its starter has not: they have no effect until rights_raise(), so that a settings
 * file or a recording is opened as who named it could do. For the one thread there is. Returns 0, or a
 * negative errno with @why set.
 */
int rights_lower(struct reason *why);
int rights_raise(struct reason *why);

/*
 * Keeps of the capabilities held those that @keep takes, and sets no_new_privs: no
 * program that is run from now on has more. Then refuses system calls that only those who
 * are up to no good would make (a list; everything else goes on as before). This concerns the calling
 * thread and the threads and processes that it starts: call it before there is another.
 * Returns 0, or a negative errno with @why set; then nothing was lost that is needed.
 */
int rights_drop(unsigned int keep, struct reason *why);

#endif
