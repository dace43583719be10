/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for kernel handles that a program got before cutop started: read from the program's own
 * variables, if nvcc left symbols for them.
 */
#ifndef COLLECT_LATE_KERNELS_H
#define COLLECT_LATE_KERNELS_H

#include <stdint.h>
#include <sys/types.h>

#include "names/budget.h"
#include "probe/outside.h"

struct late_kernels;

/* What is kept counts against @budget. Both have to outlive it. */
struct late_kernels *late_kernels_new(const struct outside *outside, struct budget *budget);
void late_kernels_free(struct late_kernels *late);
void late_kernels_forget(struct late_kernels *late, uint32_t program);

/*
 * The mangled name of the kernel whose handle in @program (the process @pid) is @handle. Borrowed;
 * NULL: unknown.
 */
const char *late_kernels_name(struct late_kernels *late, uint32_t program, pid_t pid,
			      uint64_t handle);

#endif
