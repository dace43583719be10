/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace_printer.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/stream.h"
#include "util/sink.h"
#include "trace/trace_format.h"

#define TRACE_FORMAT(constant, name) [FORMAT_##constant] = &trace_format_##name,
static const struct trace_format *const formats[FORMAT_COUNT] = { TRACE_FORMATS(TRACE_FORMAT) };

struct trace *trace_new(const struct trace_options *options)
{
	struct trace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return NULL;
	trace->options = *options;
	trace->format = formats[options->format];
	trace->mono = options->start_mono;
	trace->real = options->start_real;
	trace->locale = sink_locale();
	if (!trace->locale) {
		free(trace);
		return NULL;
	}
	return trace;
}

void trace_free(struct trace *trace)
{
	if (!trace)
		return;
	trace_programs_free(&trace->programs);
	freelocale(trace->locale);
	free(trace);
}

uint64_t trace_count(const struct trace *trace)
{
	return trace->count;
}

uint64_t trace_real(const struct trace *trace, uint64_t mono)
{
	return trace->real + (mono - trace->mono);
}

void trace_begin(struct trace *trace, struct buffer *out)
{
	if (trace->format->begin)
		trace->format->begin(trace, out);
}

static bool makes_sense(const struct rec_call *call, size_t size)
{
	return size >= sizeof(*call) && (call->call < CALL_COUNT || CUTOP_IS_EXTRA(call->call)) &&
	       call->moment <= CALL_LEFT;
}

void trace_record(struct trace *trace, const struct rec_hdr *record, size_t size,
		  struct buffer *out)
{
	struct trace_view view;

	if (record->type == REC_CLOCK && size >= sizeof(struct rec_clock)) {
		trace->mono = record->time;
		trace->real = ((const struct rec_clock *)record)->real;
		return;
	}
	if (record->type != REC_CALL) {
		trace_programs_record(&trace->programs, record, size);
		return;
	}
	if (!makes_sense((const void *)record, size) ||
	    !trace_view_fill(&view, &trace->programs, (const void *)record, size))
		return;
	trace->count++;
	trace->format->call(trace, &view, out);
}

void trace_end(struct trace *trace, const uint64_t *lost, uint64_t unwritten, struct buffer *out)
{
	if (trace->format->end)
		trace->format->end(trace, lost, unwritten, out);
}
