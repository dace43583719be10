/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace as JSON lines: an object per call, and at the end one with what was lost (docs/trace.md).
 * It is written directly: building a tree first takes several times as long as everything else.
 */
#include <stdio.h>

#include "cuda/calls.h"
#include "model/name_store.h"
#include "trace/trace_format.h"

static void key_put(struct buffer *out, const char *key)
{
	buffer_char(out, ',');
	buffer_char(out, '"');
	buffer_text(out, key);
	buffer_text(out, "\":");
}

static void text_put(struct buffer *out, const char *key, const char *text)
{
	key_put(out, key);
	buffer_quoted(out, text);
}

static void hex_put(struct buffer *out, uint64_t number)
{
	buffer_char(out, '"');
	buffer_hex(out, number);
	buffer_char(out, '"');
}

void trace_json_arguments(const struct trace_view *view, struct buffer *out)
{
	size_t i;

	buffer_char(out, '{');
	for (i = 0; i < view->field_count; i++) {
		if (i)
			buffer_char(out, ',');
		buffer_char(out, '"');
		buffer_bytes(out, view->fields[i].name, view->fields[i].name_len);
		buffer_text(out, "\":");
		trace_view_value(view, &view->fields[i], true, out);
	}
	buffer_char(out, '}');
}

static void place_put(const struct place *place, bool is_first, struct buffer *out)
{
	size_t i;

	for (i = 0; i < place_frames_count(place); i++) {
		const char *text = place_frames_text(place, i);

		if (i || !is_first)
			buffer_char(out, ',');
		if (text)
			buffer_quoted(out, text);
		else
			hex_put(out, place->address);
	}
}

static void stack_put(const struct trace_view *view, struct buffer *out)
{
	uint32_t i;

	key_put(out, "stack");
	buffer_char(out, '[');
	for (i = 0; i < view->stack->count; i++)
		place_put(view->stack->frames[i], !i, out);
	buffer_char(out, ']');
}

void trace_json_more(const struct trace *trace, const struct trace_view *view, struct buffer *out)
{
	const struct rec_call *call = view->call;

	if (view->has_device) {
		key_put(out, "device");
		buffer_signed(out, call->device);
	}
	if (view->captured) {
		key_put(out, "captured");
		buffer_text(out, "true");
	}
	if (view->kernel && view->kernel->symbol) {
		text_put(out, "signature", view->kernel->full);
		text_put(out, "symbol", view->kernel->symbol);
	}
	if (view->signature)
		text_put(out, "signature", view->signature);
	if (view->has_freed) {
		key_put(out, "freed");
		buffer_text(out, "{\"bytes\":");
		buffer_count(out, view->freed.bytes);
		text_put(out, "call", call_name(view->freed.call));
		key_put(out, "age_seconds");
		buffer_seconds(out,
			       call->entry > view->freed.time ? call->entry - view->freed.time : 0);
		buffer_char(out, '}');
	}
	if (trace->options.stacks && view->stack)
		stack_put(view, out);
}

void trace_json_lost(const uint64_t *lost, uint64_t unwritten, struct buffer *out)
{
	size_t i;

	buffer_text(out, "{\"unwritten\":");
	buffer_count(out, unwritten);
	for (i = 0; i < LOST_COUNT; i++) {
		key_put(out, lost_cause_names[i]);
		buffer_count(out, lost[i]);
	}
	buffer_char(out, '}');
}

static void json_call(struct trace *trace, const struct trace_view *view, struct buffer *out)
{
	static const char *const moments[] = {
		[CALL_WHOLE] = "call", [CALL_ENTERED] = "enter", [CALL_LEFT] = "exit"
	};
	const struct rec_call *call = view->call;

	buffer_char(out, '{');
	if (!trace->options.no_time) {
		buffer_text(out, "\"time\":\"");
		trace_clock(trace, call, out);
		buffer_text(out, "Z\",");
	}
	buffer_text(out, "\"process\":");
	buffer_quoted(out, view->program->comm);
	key_put(out, "pid");
	buffer_count(out, call->hdr.tgid);
	if (view->program->parent_tgid) {
		key_put(out, "parent_pid");
		buffer_count(out, view->program->parent_tgid);
	}
	key_put(out, "tid");
	buffer_count(out, call->hdr.tid);
	text_put(out, "event", moments[call->moment]);
	text_put(out, "call", view->name);
	if (view->signature)
		text_put(out, "name", view->brief);
	text_put(out, "layer", call_layer_name(view->desc->layer));
	key_put(out, "arguments");
	trace_json_arguments(view, out);
	if (view->has_result) {
		if (view->has_value && view->result)
			text_put(out, "result", view->result);
		if (view->has_value) {
			key_put(out, "code");
			buffer_signed(out, call->result);
			key_put(out, "failed");
			buffer_text(out, view->failed ? "true" : "false");
		}
		key_put(out, "duration_seconds");
		buffer_seconds(out,
			       call->hdr.time > call->entry ? call->hdr.time - call->entry : 0);
	}
	trace_json_more(trace, view, out);
	buffer_text(out, "}\n");
}

static void json_end(struct trace *trace, const uint64_t *lost, uint64_t unwritten,
		     struct buffer *out)
{
	buffer_text(out, "{\"calls\":");
	buffer_count(out, trace->count);
	buffer_text(out, ",\"lost\":");
	trace_json_lost(lost, unwritten, out);
	buffer_text(out, "}\n");
}

const struct trace_format trace_format_json = { .format = FORMAT_JSON,
						.call = json_call,
						.end = json_end };
