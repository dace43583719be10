/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rights that cutop has beyond those of the user who started it. cutop does not use them on
 * files that this user names, and after the start gives up what it no longer needs: capabilities,
 * the right to gain any, system calls.
 */
#ifndef UTIL_RIGHTS_H
#define UTIL_RIGHTS_H

#include "util/util.h"

/* What cutop does after its start; each needs rights of its own. */
enum {
	RIGHTS_PROBE = 1,      /* place probes, and read what watched processes map */
	RIGHTS_SIGNAL = 2,     /* send signals to other users' processes */
	RIGHTS_WRITE = 4,      /* create and replace files in other users' folders */
	RIGHTS_PROBE_EACH = 8, /* place probes one by one, as on Linux before 6.6 */
	RIGHTS_READ = 16,      /* read files and memory of other users */
};

/*
 * If cutop's file gives capabilities (setcap) that the starting user lacks, they have no effect
 * until rights_raise(), so that a settings file or a recording is opened with that user's own
 * rights. To be called while there is a single thread. Returns 0, or a negative errno with @why
 * set.
 */
int rights_lower(struct reason *why);
int rights_raise(struct reason *why);

/*
 * Keeps only the held capabilities that @keep needs, and sets no_new_privs: no program run from now
 * on gains any. Then forbids system calls that only an attacker would make (a list; all others go
 * on as before). This concerns the calling thread and the threads and processes it starts: call it
 * before there is another. Returns 0, or a negative errno with @why set; then nothing that is
 * needed was lost.
 */
int rights_drop(unsigned int keep, struct reason *why);

#endif
