/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code between a program and CUDA that is compiled into the program: its lines are no call sites.
 */
#ifndef CUDA_WRAPPERS_H
#define CUDA_WRAPPERS_H

#include <stdbool.h>

/* True if the source file at @path is a header with functions that call CUDA for their callers. */
bool wrapper_is_file(const char *path);

#endif
