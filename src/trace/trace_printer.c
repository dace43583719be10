/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "model/stream.h"
#include "util/sink.h"

/* ---- a call, as all formats print it ---- */

static struct trace_field *add(struct trace_view *view, const char *name, enum value_kind kind)
{
	struct trace_field *field =
		&view->fields[view->field_count < TRACE_FIELDS_MAX - 1 ? view->field_count++ :
									 view->field_count];

	*field = (struct trace_field){ .name = name, .name_len = strlen(name), .kind = kind };
	return field;
}

static void add_number(struct trace_view *view, const char *name, enum value_kind kind,
		       uint64_t number)
{
	add(view, name, kind)->number = number;
}

static void add_text(struct trace_view *view, const char *name, const char *text)
{
	add(view, name, VALUE_TEXT)->text = text;
}

static void add_dims(struct trace_view *view, const char *name, const __u32 *dims)
{
	add(view, name, VALUE_DIMS)->dims = dims;
}

static void add_stream(struct trace_view *view, uint64_t stream)
{
	add_number(view, "stream", VALUE_HEX, stream);
	view->stream = stream;
}

/* ---- by class ---- */

static bool has_stream(unsigned int call, const struct call_desc *desc)
{
	if (desc->class == CLASS_ALLOC)
		return desc->a == KIND_ASYNC;
	if (desc->class == CLASS_FREE)
		return desc->b != 0;
	return (call_stream(call) & CUTOP_STREAM_ARGUMENT) != CUTOP_STREAM_NONE;
}

static void memory_fields(struct trace_view *view, const struct call_desc *desc)
{
	const struct rec_call *call = view->call;

	if (desc->class == CLASS_FREE) {
		add_number(view, "address", VALUE_HEX, call->memory.address);
	} else {
		if (call->memory.address)
			add_number(view, "address", VALUE_HEX, call->memory.address);
		if (call->memory.bytes)
			add_number(view, "bytes", VALUE_COUNT, call->memory.bytes);
		if (call->memory.kind < KIND_COUNT)
			add_text(view, "kind", alloc_kind_names[call->memory.kind]);
	}
	if (has_stream(call->call, desc))
		add_stream(view, call->memory.stream);
}

static void copy_fields(struct trace_view *view, const struct call_desc *desc)
{
	const struct rec_call *call = view->call;

	add_number(view, "destination", VALUE_HEX, call->copy.destination);
	add_number(view, "source", VALUE_HEX, call->copy.source);
	add_number(view, call->copy.copy_flags & COPY_IN_ELEMENTS ? "elements" : "bytes",
		   VALUE_COUNT, call->copy.bytes);
	add_text(view, "direction",
		 call->copy.direction < DIR_COUNT ? copy_direction_names[call->copy.direction] :
						    "default");
	if (has_stream(call->call, desc)) {
		add_stream(view, call->copy.stream);
		view->has_stream = true;
	}
}

static void launch_fields(struct trace_view *view)
{
	const struct rec_call *call = view->call;

	view->kernel = names_kernel(&view->program->names, call->launch.function);
	if (view->kernel) {
		struct trace_field *field = add(view, "kernel", VALUE_TEXT);

		view->kernel_shown = trace_name_of(view->program, view->kernel);
		field->text = view->kernel->brief;
		field->shown = view->kernel_shown;
	} else {
		add_number(view, "kernel", VALUE_HEX, call->launch.function);
	}
	add_dims(view, "grid", call->launch.grid);
	add_dims(view, "block", call->launch.block);
	add_number(view, "shared_bytes", VALUE_COUNT, call->launch.shared_bytes);
	add_stream(view, call->launch.stream);
	view->has_stream = true;
	if (call->launch.launches > 1)
		add_number(view, "launches", VALUE_COUNT, call->launch.launches);
	if (call->kernel_words)
		add(view, "arguments", VALUE_WORDS);
	if (call->kernel_words && view->kernel)
		view->types = trace_types_of(view->program, view->kernel);
}

/*
 * Any other call, by its signature (calls.h). Arguments beyond the registers are unknown. For a
 * pointer to a result, the result itself is shown.
 */
static void word_field(struct trace_view *view, const struct call_argument *argument, uint64_t word)
{
	struct trace_field *field = add(view, "", VALUE_HEX);

	field->name = argument->name;
	field->name_len = argument->name_len;
	field->number = word;
	switch (argument->kind) {
	case ARGUMENT_COUNT: field->kind = VALUE_COUNT; break;
	case ARGUMENT_U32:
		field->kind = VALUE_COUNT;
		field->number = (uint32_t)word;
		break;
	case ARGUMENT_S32:
		field->kind = VALUE_SIGNED;
		field->number = (uint64_t)(int32_t)word;
		break;
	case ARGUMENT_FLOAT: field->kind = VALUE_FLOAT; break;
	case ARGUMENT_STREAM: view->stream = word; break;
	case ARGUMENT_POINTER: break;
	}
}

static void signature_fields(struct trace_view *view, const struct call_desc *desc)
{
	const struct rec_call *call = view->call;
	struct call_argument argument;
	unsigned int state = 0;

	while (call_argument_next(call->call, &state, &argument)) {
		if (argument.is_out) {
			if (call->flags & TRACED_OUT && argument.is_result)
				word_field(view, &argument, call->out);
			continue;
		}
		if (argument.word >= CUTOP_CALL_WORDS)
			continue;
		word_field(view, &argument, call->words[argument.word]);
	}
	/* Launching a graph puts work into its stream. */
	view->has_stream = desc->class == CLASS_GRAPH && desc->a == EXEC_LAUNCH;
}

/* Judges as bpf/extra.bpf.h does; for a pointer, the result only says whether it is NULL. */
static bool extra_failed(enum extra_result how, int32_t result)
{
	switch (how) {
	case EXTRA_RESULT_STATUS: return result != 0;
	case EXTRA_RESULT_NEGATIVE: return result < 0;
	case EXTRA_RESULT_NULL: return !result;
	default: return false;
	}
}

static void result_fill(struct trace_view *view, const struct call_desc *desc)
{
	const struct rec_call *call = view->call;

	view->has_result = call->moment != CALL_ENTERED;
	if (!view->has_result)
		return;
	if (CUTOP_IS_EXTRA(call->call)) {
		view->has_value = view->extra != EXTRA_RESULT_NONE;
		view->failed = extra_failed(view->extra, call->result);
		if (view->extra == EXTRA_RESULT_NULL)
			view->result = view->failed ? "NULL" : "pointer";
		return;
	}
	view->has_value = true;
	view->result = error_name((enum call_layer)desc->layer, call->result);
	view->failed = call_failed(call->call, call->result);
}

/*
 * Fills @view from @call, which has @size bytes. Enters what it allocates or frees in its program's
 * list. False without memory.
 */
static bool view_fill(struct trace_view *view, struct trace_programs *programs,
		      const struct rec_call *call, size_t size)
{
	static const struct call_desc extra = { .layer = LAYER_EXTRA, .class = CLASS_EXTRA };
	const struct call_desc *desc = CUTOP_IS_EXTRA(call->call) ? &extra :
								    &call_descs[call->call];

	view->call = call;
	view->desc = desc;
	view->program = trace_program_of(programs, &call->hdr);
	if (!view->program)
		return false;
	view->name = view->brief = call_name(call->call);
	view->signature = NULL;
	view->extra = EXTRA_RESULT_NONE;
	if (desc == &extra) {
		const struct extra_name *known = extra_names_find(&programs->extras, call->call);

		view->name = known->symbol ? known->symbol : "?";
		view->brief = known->brief ? known->brief : view->name;
		view->signature = known->full;
		view->extra = known->result;
	}
	view->field_count = 0;
	view->kernel = NULL;
	view->types = NULL;
	view->words = NULL;
	view->result = NULL;
	view->has_freed = view->failed = view->has_stream = false;
	view->stack = names_stack(&view->program->names, call->stack);
	view->stream = 0;
	if (call->kernel_words && size >= sizeof(struct rec_call_kernel) &&
	    call->kernel_words <= CUTOP_KERNEL_WORDS)
		view->words = (const uint64_t *)((const struct rec_call_kernel *)call)->kernel;
	result_fill(view, desc);
	switch (desc->class) {
	case CLASS_ALLOC:
	case CLASS_FREE: memory_fields(view, desc); break;
	case CLASS_COPY: copy_fields(view, desc); break;
	case CLASS_LAUNCH: launch_fields(view); break;
	case CLASS_EXTRA: /* how to read its arguments is unknown */ break;
	default: signature_fields(view, desc);
	}
	view->captured = call->flags & TRACED_CAPTURED;
	if (view->captured)
		view->has_stream = false; /* it puts no work into the stream */
	view->has_device = call->device != CUTOP_DEVICE_UNKNOWN && desc->class != CLASS_DEVICE;
	if (view->has_result && desc->class == CLASS_ALLOC)
		trace_allocated(view->program, call);
	else if (view->has_result && desc->class == CLASS_FREE)
		view->has_freed = trace_freed(view->program, call, &view->freed);
	return true;
}

/* ---- values ---- */

/*
 * How many of the kernel's arguments to show: as many as its name says, or, if that is unknown, all
 * that were read.
 */
static size_t word_count(const struct trace_view *view)
{
	size_t count = view->words ? view->call->kernel_words : 0;

	return view->types && view->types->count < count ? view->types->count : count;
}

/* JSON has no infinities and no NAN. */
static void real(double number, bool json, struct buffer *out)
{
	buffer_format(out, json && !isfinite(number) ? "\"%.9g\"" : "%.9g", number);
}

static void hex(uint64_t number, bool json, struct buffer *out)
{
	if (json)
		buffer_char(out, '"');
	buffer_hex(out, number);
	if (json)
		buffer_char(out, '"');
}

/* Writes argument @i of the kernel, according to its type if that is known. */
static void word_put(const struct trace_view *view, size_t i, bool json, struct buffer *out)
{
	bool typed = view->types && i < view->types->count;
	uint64_t word = view->words[i];
	double wide;
	float narrow;

	switch (typed ? (enum word_kind)view->types->list[i] : WORD_HEX) {
	case WORD_S8: buffer_signed(out, (int8_t)word); return;
	case WORD_U8: buffer_count(out, (uint8_t)word); return;
	case WORD_S16: buffer_signed(out, (int16_t)word); return;
	case WORD_U16: buffer_count(out, (uint16_t)word); return;
	case WORD_S32: buffer_signed(out, (int32_t)word); return;
	case WORD_U32: buffer_count(out, (uint32_t)word); return;
	case WORD_S64: buffer_signed(out, (int64_t)word); return;
	case WORD_U64: buffer_count(out, word); return;
	case WORD_FLOAT:
		memcpy(&narrow, &word, sizeof(narrow));
		real((double)narrow, json, out);
		return;
	case WORD_DOUBLE:
		memcpy(&wide, &word, sizeof(wide));
		real(wide, json, out);
		return;
	case WORD_HEX: hex(word, json, out);
	}
}

void trace_view_value(const struct trace_view *view, const struct trace_field *field, bool json,
		      struct buffer *out)
{
	size_t i, count;
	float number;

	switch (field->kind) {
	case VALUE_HEX: hex(field->number, json, out); break;
	case VALUE_COUNT: buffer_count(out, field->number); break;
	case VALUE_SIGNED: buffer_signed(out, (int64_t)field->number); break;
	case VALUE_FLOAT:
		memcpy(&number, &field->number, sizeof(number));
		real((double)number, json, out);
		break;
	case VALUE_TEXT:
		if (json)
			buffer_quoted(out, field->text);
		else
			buffer_text(out, field->shown ? field->shown : field->text);
		break;
	case VALUE_DIMS:
		buffer_char(out, json ? '[' : '(');
		for (i = 0; i < 3; i++) {
			if (i)
				buffer_char(out, ',');
			buffer_count(out, field->dims[i]);
		}
		buffer_char(out, json ? ']' : ')');
		break;
	case VALUE_WORDS:
		count = word_count(view);
		buffer_char(out, '[');
		for (i = 0; i < count; i++) {
			if (i)
				buffer_text(out, json ? "," : ", ");
			word_put(view, i, json, out);
		}
		buffer_char(out, ']');
		break;
	}
}

/* ---- the printer ---- */

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

void trace_clock(struct trace *trace, const struct rec_call *call, struct buffer *out)
{
	uint64_t mono = call->moment == CALL_LEFT ? call->hdr.time : call->entry,
		 real = trace->real + (mono - trace->mono), second = real / 1000000000;
	time_t seconds = (time_t)second;
	struct tm tm;

	if (second != trace->second || !trace->clock[0]) {
		trace->second = second;
		if (trace->options.format == FORMAT_TEXT)
			strftime(trace->clock, sizeof(trace->clock), "%H:%M:%S.",
				 localtime_r(&seconds, &tm));
		else
			strftime(trace->clock, sizeof(trace->clock), "%Y-%m-%dT%H:%M:%S.",
				 gmtime_r(&seconds, &tm));
	}
	buffer_text(out, trace->clock);
	buffer_padded(out, real % 1000000000 / 1000, 6);
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
	    !view_fill(&view, &trace->programs, (const void *)record, size))
		return;
	trace->count++;
	trace->format->call(trace, &view, out);
}

void trace_end(struct trace *trace, const uint64_t *lost, uint64_t unwritten, struct buffer *out)
{
	if (trace->format->end)
		trace->format->end(trace, lost, unwritten, out);
}
