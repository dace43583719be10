/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the trace formats share with trace_printer.c, which chooses among them. */
#ifndef TRACE_TRACE_FORMAT_H
#define TRACE_TRACE_FORMAT_H

#include <locale.h>

#include "trace/trace_printer.h"
#include "trace/trace_programs.h"

/* A call as all formats print it: its arguments by name, its result by name, and related facts. */

enum value_kind {
	VALUE_HEX, /* addresses, handles */
	VALUE_COUNT,
	VALUE_SIGNED,
	VALUE_FLOAT, /* the lower half has the bits of the number */
	VALUE_TEXT,  /* one of our own words, or a name that is clean */
	VALUE_DIMS,
	VALUE_WORDS, /* the arguments of the kernel */
};

struct trace_field {
	const char *name;
	size_t name_len;
	enum value_kind kind;
	uint64_t number;
	const char *text;
	const char *shown;    /* VALUE_TEXT: what people read instead; NULL: the same */
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

/* Writes the value of @field, as text or as JSON. */
void trace_view_value(const struct trace_view *view, const struct trace_field *field, bool json,
		      struct buffer *out);

struct trace {
	struct trace_options options;
	const struct trace_format *format;
	/* One recent instant by both clocks: converts a record's time to wall clock time */
	uint64_t real, mono;
	struct trace_programs programs;
	uint64_t count;  /* calls printed */
	uint64_t second; /* wall clock second whose text is in clock[] */
	char clock[32];
	/* Text: for the width of characters, whatever the thread's locale is */
	locale_t locale;
	uint32_t tracks; /* chrome: tracks given to streams so far */
	bool comma;      /* chrome: an event precedes the next one */
};

/* Writes the time of @call to the microsecond: the clock's in text, else RFC 3339 in UTC. */
void trace_clock(struct trace *trace, const struct rec_call *call, struct buffer *out);

/*
 * Writes a JSON object of the arguments; the call's stack and what a free has freed become members
 * of the object that is open in @out.
 */
void trace_json_arguments(const struct trace_view *view, struct buffer *out);
void trace_json_more(const struct trace *trace, const struct trace_view *view, struct buffer *out);

/* Writes a JSON object of what was lost, by cause. */
void trace_json_lost(const uint64_t *lost, uint64_t unwritten, struct buffer *out);

/* Each of TRACE_FORMATS has such a descriptor, beside its code. */
struct trace_format {
	enum format format;
	/* Before the first call; may be NULL */
	void (*begin)(struct trace *trace, struct buffer *out);
	void (*call)(struct trace *trace, const struct trace_view *view, struct buffer *out);
	/* after the last call; may be NULL */
	void (*end)(struct trace *trace, const uint64_t *lost, uint64_t unwritten,
		    struct buffer *out);
};

#define TRACE_DECLARATION(constant, name) extern const struct trace_format trace_format_##name;
TRACE_FORMATS(TRACE_DECLARATION)
#undef TRACE_DECLARATION

#endif
