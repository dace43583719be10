/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions by which allocators of frameworks tell what they do (cuda/allocators.h). */
#ifndef PROBE_ALLOCATOR_FUNCTIONS_H
#define PROBE_ALLOCATOR_FUNCTIONS_H

#include <stdbool.h>

#include "probe/elffile.h"
#include "probe/forms.h"

/* Room that allocators_find() needs in a list. */
#define ALLOCATOR_FUNCTIONS_MAX 16

/*
 * Fills @list with those that the file open at @fd exports, numbered from CUTOP_ALLOCATOR on.
 * Returns how many.
 */
size_t allocators_find(int fd, struct elf_function *list);

/*
 * Appends them to @functions, their points chosen as points_choose() does. Returns false if there
 * are none, or no memory.
 */
bool allocators_append(int fd, const struct forms *forms, bool leave_stepped,
		       struct elf_functions *functions);

#endif
