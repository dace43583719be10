/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CUDA's error codes by name: cudaError_t of the runtime, CUresult of the driver. */
#ifndef CUDA_ERRORS_H
#define CUDA_ERRORS_H

#include <linux/types.h>

#include "cutop_calls.h"
#include "cutop_event.h"

/* Returns "cudaErrorMemoryAllocation" and the like, or NULL for a code that has no name. */
const char *error_name(enum call_layer layer, int code);

/* Returns one line, in our own words, that says what the error means, or NULL. */
const char *error_meaning(enum call_layer layer, int code);

/*
 * True for errors after which every call fails until the process ends (illegal address, launch
 * failure ...).
 */
int error_is_sticky(int code);

#endif
