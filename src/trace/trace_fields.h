/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call as all formats print it: its arguments by name, its result by name, what belongs to it. */
#ifndef TRACE_TRACE_FIELDS_H
#define TRACE_TRACE_FIELDS_H

#include "trace/trace_programs.h"
#include "util/buffer.h"

enum field_kind {
	FIELD_HEX,		/* addresses, handles */
	FIELD_COUNT,
	FIELD_SIGNED,
	FIELD_FLOAT,		/* its bits are the number's lower half */
	FIELD_TEXT,		/* a word of ours, or a name that is clean */
	FIELD_DIMS,
	FIELD_WORDS,		/* the arguments of the kernel */
};

struct trace_field {
	const char *name;
	size_t name_len;
	enum field_kind kind;
	uint64_t number;
	const char *text;
	const uint32_t *dims;	/* three */
};

#define TRACE_FIELDS_MAX 16

struct trace_view {
	const struct rec_call *call;
	struct trace_program *program;
	const struct call_desc *desc;
	const char *name;	/* of the function */
	const char *brief;	/* the same for people: not mangled */
	const char *signature;	/* in full, of one that is mangled, else NULL */
	struct trace_field fields[TRACE_FIELDS_MAX];
	size_t field_count;
	const struct kernel_name *kernel;	/* of a launch, or NULL */
	const struct trace_types *types;	/* of its arguments, or NULL */
	const uint64_t *words;	/* its arguments, call->kernel_words of them */
	const char *result;	/* "cudaSuccess", or NULL for a number that has no name */
	bool has_result;	/* it was seen to return */
	bool has_value;		/* and what it returned says something */
	enum extra_result extra;	/* of a function that --probe named */
	bool failed;
	bool has_device;	/* call->device is known, and no argument says it */
	bool captured;
	bool has_freed;		/* what a free freed is known: */
	struct trace_block freed;
	const struct stack *stack;	/* or NULL */
	uint64_t stream;	/* that the call gives work to, */
	bool has_stream;	/* if it does */
};

/* Fills @view with @call, of @size bytes. Books what it allocates or frees in its program. False without memory. */
bool trace_view_fill(struct trace_view *view, struct trace_programs *programs, const struct rec_call *call, size_t size);

/* Puts the value of @field, for people or as JSON. */
void trace_view_value(const struct trace_view *view, const struct trace_field *field, bool json, struct buffer *out);

#endif
