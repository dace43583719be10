/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the formats of a trace share with the one that chooses among them. */
#ifndef TRACE_TRACE_FORMAT_H
#define TRACE_TRACE_FORMAT_H

#include <locale.h>

#include "trace/trace_printer.h"
#include "trace/trace_fields.h"

struct trace {
	struct trace_options options;
	const struct trace_format *format;
	uint64_t real, mono;	/* one instant by both clocks, of late: what turns a record's time into the wall clock's */
	struct trace_programs programs;
	uint64_t count;		/* calls printed */
	uint64_t second;	/* of the wall clock, whose text is in clock[] */
	char clock[32];
	locale_t locale;	/* text: in which characters have cells, whatever the thread's is */
	uint32_t tracks;	/* chrome: given to streams so far */
	bool comma;		/* chrome: an event stands before the next */
};

/* The wall clock at @mono, ns since the epoch. */
uint64_t trace_real(const struct trace *trace, uint64_t mono);

/* A JSON object of the arguments; what lies in the call's stack and what a free freed are members of @out's object. */
void trace_json_arguments(const struct trace_view *view, struct buffer *out);
void trace_json_more(const struct trace *trace, const struct trace_view *view, struct buffer *out);

/* A JSON object of what was lost, by cause. */
void trace_json_lost(const uint64_t *lost, uint64_t unwritten, struct buffer *out);

/* Each of TRACE_FORMATS has one, beside its code. */
struct trace_format {
	enum format format;
	void (*begin)(struct trace *trace, struct buffer *out);		/* NULL: nothing stands before the first call */
	void (*call)(struct trace *trace, const struct trace_view *view, struct buffer *out);
	void (*end)(struct trace *trace, const uint64_t *lost, uint64_t unwritten, struct buffer *out);	/* NULL: nothing after the last */
};

#define TRACE_DECLARATION(constant, name) extern const struct trace_format trace_format_##name;
TRACE_FORMATS(TRACE_DECLARATION)
#undef TRACE_DECLARATION

#endif
