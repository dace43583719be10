/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pools of device memory that the user describes (--pool FILE): which functions hand out their
 * blocks and take them back. A line of the file is one of
 *	pool NAME
 *	library GLOB
 *	allocate SYMBOL bytes=N [result=N] [granule=BYTES]
 *	free SYMBOL address=N
 * or empty, or a comment after #. N is an argument, counted from 0; that of a method's object is 0.
 * Without `result` the block is what the function returns; with it, it is written where argument N
 * points, by a function that returns 0 then.
 */
#ifndef CUDA_POOLS_H
#define CUDA_POOLS_H

#include <linux/types.h>
#include <stddef.h>

#include "cutop_allocator.h"
#include "util/util.h"

struct pool_function {
	char *library, *symbol; /* as of --probe LIBRARY:SYMBOL */
	struct allocator_form form;
};

struct pools {
	char *names[POOLS_MAX]; /* of the kinds from ALLOCATOR_KINDS on */
	size_t count;
	struct pool_function functions[POOL_FUNCTIONS_MAX];
	size_t function_count;
};

/*
 * Reads @count files. *@pools is NULL, or what earlier files describe, to which it adds. Returns 0
 * with *@pools, freed with pools_free(), or a negative errno with @why set, which names the file and
 * the line, and *@pools freed.
 */
int pools_read(struct pools **pools, const char *const *files, size_t count, struct reason *why);

void pools_free(struct pools *pools);

#endif
