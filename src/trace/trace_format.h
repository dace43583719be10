/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the trace formats share with trace_printer.c, which chooses among them. */
#ifndef TRACE_TRACE_FORMAT_H
#define TRACE_TRACE_FORMAT_H

#include <locale.h>

#include "trace/trace_printer.h"
#include "trace/trace_fields.h"

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

/* The wall clock time at @mono, ns since the epoch. */
uint64_t trace_real(const struct trace *trace, uint64_t mono);

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
