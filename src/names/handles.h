/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a program built by nvcc 13 keeps the handles of its kernels. Each kernel's stub has a
 * static variable that __cudaGetKernel() fills at the first launch; the variable's symbol contains
 * the kernel's name.
 */
#ifndef NAMES_HANDLES_H
#define NAMES_HANDLES_H

#include <stddef.h>
#include <stdint.h>

#include "names/budget.h"

struct handle_variable {
	uint64_t address; /* in the process, or, until that is known, before relocation */
	char *kernel;     /* mangled */
};

struct handle_variables {
	struct handle_variable *list;
	size_t count, room;
	struct budget *budget; /* the budget that they count against; NULL: none */
	uint64_t bytes;        /* bytes taken from it */
};

/*
 * Adds the variables of the file open at @fd, whose symbols may be in its debug file at @debug_fd
 * (-1: none). The file's code at offset @offset is mapped at @start. Returns 0, -EBADMSG for a
 * broken file, -ENOSPC if the budget has no room, or -ENOMEM.
 */
int handles_read(int fd, int debug_fd, uint64_t start, uint64_t offset,
		 struct handle_variables *variables);
void handles_free(struct handle_variables *variables);

/*
 * The mangled kernel whose handle is the variable with the symbol @symbol: a new string that the
 * caller frees; NULL: none.
 */
char *handles_kernel(const char *symbol);

#endif
