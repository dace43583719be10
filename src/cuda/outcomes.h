/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a call's result says: some errors are no failure of the program. */
#ifndef CUDA_OUTCOMES_H
#define CUDA_OUTCOMES_H

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
