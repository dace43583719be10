/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call as all formats print it: its arguments by name, its result by name, and related facts. */
#ifndef TRACE_TRACE_FIELDS_H
#define TRACE_TRACE_FIELDS_H

#include "trace/trace_programs.h"
#include "util/buffer.h"

enum field_kind {
	FIELD_HEX, /* addresses, handles */
	FIELD_COUNT,
	FIELD_SIGNED,
	FIELD_FLOAT, /* the lower half has the bits of the number */
	FIELD_TEXT,  /* one of our own words, or a name that is clean */
	FIELD_DIMS,
	FIELD_WORDS, /* the arguments of the kernel */
};

struct trace_field {
	const char *name;
	size_t name_len;
	enum field_kind kind;
	uint64_t number;
	const char *text;
	const char *shown;    /* FIELD_TEXT: what people read instead; NULL: the same */
	const uint32_t *dims; /* three */
};

#define TRACE_FIELDS_MAX 16

struct trace_view {
	const struct rec_call *call;
	struct trace_program *program;
	const struct call_desc *desc;
	const char *name;      /* the function's name */
	const char *brief;     /* the same in readable form: not mangled */
	const char *signature; /* the full demangled form, if it is mangled; else NULL */
	struct trace_field fields[TRACE_FIELDS_MAX];
	size_t field_count;
	const struct kernel_name *kernel; /* the launched kernel, or NULL */
	const char *kernel_shown;         /* its name for people */
	const struct trace_types *types;  /* the types of its arguments, or NULL */
	const uint64_t *words;            /* its arguments, call->kernel_words of them */
	const char *result;               /* "cudaSuccess", or NULL for a number that has no name */
	bool has_result;                  /* its return was seen */
	bool has_value;                   /* and its return value means something */
	enum extra_result extra;          /* for a function named with --probe */
	bool failed;
	bool has_device; /* call->device is known, and no argument shows it */
	bool captured;
	bool has_freed; /* what a free has freed is known: */
	struct trace_block freed;
	const struct stack *stack; /* or NULL */
	uint64_t stream;           /* the stream that the call puts work into, */
	bool has_stream;           /* if it does */
};

/*
 * Fills @view from @call, which has @size bytes. Enters what it allocates or frees in its program's
 * list. False without memory.
 */
bool trace_view_fill(struct trace_view *view, struct trace_programs *programs,
		     const struct rec_call *call, size_t size);

/* Writes the value of @field, as text or as JSON. */
void trace_view_value(const struct trace_view *view, const struct trace_field *field, bool json,
		      struct buffer *out);

#endif
