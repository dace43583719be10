/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocators of frameworks that take large pieces of device memory and hand out blocks of them: the
 * functions by which they tell of it. A further one is a line of the table here.
 */
#ifndef CUDA_ALLOCATORS_H
#define CUDA_ALLOCATORS_H

#include <linux/types.h>
#include <stddef.h>

#include "cutop_allocator.h"

/* "pytorch"; as JSON and metrics have it */
extern const char *const allocator_names[ALLOCATOR_KINDS];

/* How many forms of functions are known. */
size_t allocator_form_count(void);
/* Form @i, and the exported symbol that has it. */
const struct allocator_form *allocator_form(size_t i);
const char *allocator_symbol(size_t i);

#endif
