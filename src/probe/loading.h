/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching for libraries that programs load while they run. */
#ifndef PROBE_LOADING_H
#define PROBE_LOADING_H

#include "probe/bpf.h"

/* The ways to watch, the cheapest first. */
enum loading_way {
	LOADING_FUNCTION, /* the kernel's function ksys_mmap_pgoff() */
	LOADING_TOUCH,    /* the tracepoints mm_filemap_map_pages and mm_filemap_fault */
};

/* A watch. It lasts until all of @fds that are not -1 are closed; they belong to the caller. */
struct loading_watch {
	int fds[2];
	enum loading_way way;
};

/*
 * Has @bpf report every mapping of a file's code. Returns 0, or a negative errno if neither
 * works.
 */
int loading_watch(struct bpf *bpf, struct loading_watch *watch);

/* Ends @watch: closes its descriptors. */
void loading_end(struct loading_watch *watch);

#endif
