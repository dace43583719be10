/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies whose direction or size only the allocations can tell, and asynchronous copies of pageable
 * memory.
 */
#ifndef MODEL_COPIES_H
#define MODEL_COPIES_H

#include <stdbool.h>
#include <linux/types.h>

#include "cutop_event.h"

struct program;

/* What a copy has led to. */
struct copy_news {
	/* It is the process's first asynchronous copy of pageable memory: */
	bool is_pageable;
	struct rec_host pageable;
};

/* Each returns 0 with *@news set, or -ENOMEM. */
int copies_record(struct program *program, const struct rec_copy *record, struct copy_news *news);
/* Host memory at some address is copied asynchronously for the first time. */
int copies_host(struct program *program, const struct rec_host *record, struct copy_news *news);

#endif
