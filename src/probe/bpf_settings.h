/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the BPF programs are configured with before they are loaded. */
#ifndef PROBE_BPF_SETTINGS_H
#define PROBE_BPF_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"

struct pools;

/* A record for every call (struct rec_call). */
struct trace_settings {
	bool on;
	unsigned int groups; /* bits of enum call_group: what is traced among what is probed */
	bool entries;        /* at entries only: no returns are probed, and no books are kept */
	bool pairs;          /* one at entry, one at return */
	bool arguments;      /* with the arguments of kernels */
	bool no_books;       /* the model is not told of allocations and frees */
};

struct bpf_settings {
	bool exact_launches;
	bool launch_sites;         /* where kernels are launched, and where threads wait */
	bool all_blocks;           /* the site of each block of an allocator, not of a sample */
	bool stacks;               /* of allocations and failed calls */
	bool stacks_by_rows;       /* the same, but not by frame pointers */
	bool python;               /* Python's frames, in processes that run it */
	bool allocators;           /* blocks of frameworks' allocators */
	const struct pools *pools; /* that the user describes; NULL: none */
	bool extras;               /* functions that are not in the table may be probed */
	unsigned int layers;       /* bit set of enum call_layer: what is probed */
	/*
	 * watch not the driver's calls, only whether the driver itself allocates:
	 * bpf/caller.bpf.h
	 */
	bool notice_driver;
	bool only_listed;      /* only the processes in the map `listed` */
	bool follow_children;  /* of listed processes */
	uint32_t only_uid;     /* (uint32_t)-1: any */
	uint64_t ring_bytes;   /* a power of two, at least a page */
	enum unreturned blind; /* not 0: no return is probed, and why */
	struct trace_settings trace;
};

#endif
