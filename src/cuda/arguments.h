/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names and kinds of the arguments of calls whose class does not say what their arguments mean
 * (struct rec_call, words).
 */
#ifndef CUDA_ARGUMENTS_H
#define CUDA_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cutop_calls.h"

enum argument_kind {
	ARGUMENT_POINTER, /* or a handle: shown in hexadecimal */
	ARGUMENT_STREAM,
	ARGUMENT_COUNT, /* 64 bits */
	ARGUMENT_U32,
	ARGUMENT_S32,
	ARGUMENT_FLOAT, /* only as a result */
};

struct call_argument {
	const char *name; /* not ended by NUL; its length: */
	size_t name_len;
	enum argument_kind kind;
	unsigned int word; /* which integer register it stands in, from 0 */
	bool is_out;       /* it points at a result of that kind */
	/* The first such argument: what it points at is read if the call succeeded */
	bool is_result;
};

/*
 * Steps through the arguments of @call: *@state is 0 at first. Returns false after the last one, or
 * at once if the table says nothing about them.
 */
bool call_argument_next(unsigned int call, unsigned int *state, struct call_argument *argument);

/*
 * Which argument of @call is read after it succeeded: CUTOP_TRACED_OUT and so on, cutop_event.h; 0:
 * none.
 */
unsigned int call_out(unsigned int call);

#endif
