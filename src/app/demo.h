/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `cutop demo`: the built-in workload, and a recording of it for machines where probes cannot be
 * placed. Both are found beside the folder that this program runs from, installed, or in its build
 * tree.
 */
#ifndef APP_DEMO_H
#define APP_DEMO_H

#include <limits.h>

/* The demonstration's COMMAND: its program, which runs on the double from a folder of its own. */
struct demo {
	char path[PATH_MAX];
	char *argv[4];
};

/* Finds the program. Returns its command line, which lives in @demo, or NULL if it is not there. */
char **demo_command(struct demo *demo);

/* Finds the recording. Returns its path, which lives in @demo, or NULL if it is not there. */
const char *demo_recording(struct demo *demo);

#endif
