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

/* What a call's result says: some errors are no failure of the program. */
enum outcome {
	/* Success, an earlier error that is reported again, or "not ready" from a poll */
	OUTCOME_DONE,
	OUTCOME_FAILED,
	/* The program asked whether there is such a thing, and was told that there is not */
	OUTCOME_ANSWERED,
	/* The process is ending, and there is nothing left to give back */
	OUTCOME_AT_EXIT,
};

/* What @code, returned by @call, means. */
enum outcome call_outcome(unsigned int call, int code);

/* True if it is a failure of that call itself: OUTCOME_FAILED. */
int call_failed(unsigned int call, int code);

/* Why an error is no failure, in words; NULL: it is one, or no error. */
const char *outcome_reason(unsigned int call, int code);

#endif
