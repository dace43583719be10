/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What harmed.c and its runtime, libharmed.c, have in common: how often each function was called,
 * and what is called inside them.
 */
#ifndef TESTS_HARMED_H
#define TESTS_HARMED_H

#include <stdatomic.h>

#include "cuda_double.h"
#include "program.h"

enum { MALLOC, MEMCPY, LAUNCH, SYNC, FREE, CALLS };

extern atomic_ulong calls[CALLS];
extern void (*volatile inside)(void);      /* called within cudaDeviceSynchronize */
extern void (*volatile inside_copy)(void); /* within cudaMemcpy */

#endif
