/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of kernels in a trace for people. What is printed stays printed, so a kernel's name
 * depends on the kernel alone where that is possible: it has its template list, which is left out
 * only if that makes the name very long. If another kernel of the program has that name, the kernel
 * that comes later has a longer one.
 */
#ifndef TRACE_TRACE_NAMES_H
#define TRACE_TRACE_NAMES_H

#include "trace/trace_programs.h"

/*
 * The name of @kernel, one of @program's names, until that changes. No two symbols of a program
 * have one name; without memory the brief name is returned.
 */
const char *trace_name_of(struct trace_program *program, const struct kernel_name *kernel);

void trace_names_free(struct trace_program *program);

#endif
