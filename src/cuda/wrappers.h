/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code between a program and CUDA that is compiled into the program: its lines are no call sites.
 */
#ifndef CUDA_WRAPPERS_H
#define CUDA_WRAPPERS_H

#include <stdbool.h>

/* True if the source file at @path is a header with functions that call CUDA for their callers. */
bool wrapper_is_file(const char *path);

/*
 * True if the function @name (qualified, without arguments; NULL: unknown) of the file @file (its
 * last path component) calls CUDA for its callers: a typed wrapper of CUDA's own, a container's
 * allocator, a layer between languages.
 */
bool wrapper_is_function(const char *name, const char *file);

/* The same for a function of Rust: C++ may have a namespace "core" of its own. */
bool wrapper_is_crate(const char *name);

#endif
