/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for kernel handles that a program got before cutop started: read from the program's own
 * variables, if nvcc left symbols for them.
 */
#ifndef COLLECT_LATE_KERNELS_H
#define COLLECT_LATE_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/outside.h"

struct late_kernels;

/* @outside has to outlive it. */
struct late_kernels *late_kernels_new(const struct outside *outside);
void late_kernels_free(struct late_kernels *late);
void late_kernels_forget(struct late_kernels *late, uint32_t program);

/*
 * The mangled name of the kernel whose handle in @program (the process @pid) is @handle. Borrowed;
 * NULL: unknown.
 */
const char *late_kernels_name(struct late_kernels *late, uint32_t program, pid_t pid,
			      uint64_t handle);

/*
 * Where a program built by nvcc 13 keeps the handles of its kernels. Each kernel's stub has a
 * static variable that __cudaGetKernel() fills at the first launch; the variable's symbol contains
 * the kernel's name.
 */

struct handle_variable {
	uint64_t address; /* in the process, or, until that is known, before relocation */
	char *kernel;     /* mangled */
};

struct handle_variables {
	struct handle_variable *list;
	size_t count, room;
	uint64_t bytes; /* that they take */
};

/*
 * Adds the variables of the file open at @fd, whose symbols may be in its debug file at @debug_fd
 * (-1: none). The file's code at offset @offset is mapped at @start. Returns 0, -EBADMSG for a
 * broken file, -ENOSPC if they take too much memory, or -ENOMEM.
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
