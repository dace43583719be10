/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merges a thread's native frames and its Python frames into one stack. */
#ifndef COLLECT_PYTHON_MERGE_H
#define COLLECT_PYTHON_MERGE_H

#include <linux/types.h>
#include <stdint.h>

#include "cutop_python.h"

#define MERGED_MAX (CUTOP_STACK_FRAMES + PYTHON_FRAMES)

struct merged_frame {
	uint64_t native;                   /* return address; 0: a Python frame */
	const struct python_frame *python; /* in the record */
};

/*
 * Fills @merged, MERGED_MAX frames, innermost first, from @record and the @count (at least one)
 * return addresses at @native, of which the first is the call site. Returns how many there are.
 */
uint32_t python_merge(const struct rec_python_stack *record, const uint64_t *native, uint32_t count,
		      struct merged_frame *merged);

#endif
