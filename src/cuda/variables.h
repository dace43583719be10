/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which environment variables change what a CUDA program does. */
#ifndef CUDA_VARIABLES_H
#define CUDA_VARIABLES_H

#include <stddef.h>

/*
 * Chooses from @environment, @len bytes of strings, each ended by NUL, and one more NUL, those that
 * CUDA, its libraries, the loader and frameworks read: CUDA_*, LD_*, PYTORCH_* and others. Values of
 * those whose names speak of keys or passwords become stars. Moves them to its beginning, sorted,
 * each ended by NUL. Returns how many bytes they take.
 */
size_t variables_choose(char *environment, size_t len);

#endif
