/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching for libraries that programs load while they run. */
#ifndef COLLECT_LOADING_H
#define COLLECT_LOADING_H

#include <stdbool.h>

#include "probe/bpf.h"

/* A watch. Whoever asked for it closes @fd, which ends it. */
struct loading_watch {
	int fd;
	bool at_function;	/* else it is the system call's tracepoint */
};

/*
 * Has @bpf told of every mapping of a file's code. Returns 0, or a negative errno
 * if neither the function nor the tracepoint can be watched.
 */
int loading_watch(struct bpf *bpf, struct loading_watch *watch);

#endif
