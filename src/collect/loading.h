/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching for libraries that programs load while they run. */
#ifndef COLLECT_LOADING_H
#define COLLECT_LOADING_H

#include "probe/bpf.h"

/* Where, the cheapest first. */
enum loading_way {
	LOADING_FUNCTION,	/* the kernel's function ksys_mmap_pgoff() */
	LOADING_LOCK,		/* the tracepoint mmap_lock_released */
	LOADING_CALL,		/* the system call's tracepoint sys_enter_mmap */
};

/* A watch. Whoever asked for it closes @fd, which ends it. */
struct loading_watch {
	int fd;
	enum loading_way way;
};

/*
 * Has @bpf told of every mapping of a file's code. Returns 0, or a negative errno
 * if none of these can be watched.
 */
int loading_watch(struct bpf *bpf, struct loading_watch *watch);

#endif
