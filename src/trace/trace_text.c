/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace as text, a line per call:
 *
 *   HH:MM:SS.uuuuuu process pid tid call(argument=value, ...) on DEVICE = result <seconds>
 *
 * and below it, when asked for, the user stack, a frame per line.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cuda/calls.h"
#include "model/name_store.h"
#include "print/line.h"
#include "trace/trace_format.h"
#include "util/utf8.h"

#define PROCESS_CELLS 15 /* TASK_COMM_LEN less its NUL */
#define ID_CELLS      7  /* /proc/sys/kernel/pid_max is 4194304 at most */

static void blanks(struct buffer *out, int count)
{
	static const char spaces[] = "                ";

	if (count > 0)
		buffer_bytes(out, spaces,
			     (size_t)count < sizeof(spaces) ? (size_t)count : sizeof(spaces) - 1);
}

static void id_put(struct buffer *out, uint32_t id)
{
	uint32_t limit = 10;
	int digits = 1;

	while (digits < ID_CELLS && id >= limit) {
		limit *= 10;
		digits++;
	}
	blanks(out, ID_CELLS - digits);
	buffer_count(out, id);
	buffer_char(out, ' ');
}

/* How many cells of a terminal @text takes. Most names are ASCII, and there is one in each line. */
static int cells_of(const struct trace *trace, const char *text)
{
	locale_t previous;
	int cells = 0;

	while (text[cells] && (text[cells] & 0x80) == 0)
		cells++;
	if (!text[cells])
		return cells;
	previous = uselocale(trace->locale);
	cells = utf8_cells(text);
	uselocale(previous);
	return cells;
}

static void freed_put(const struct trace_view *view, struct buffer *out)
{
	const struct trace_block *freed = &view->freed;

	buffer_text(out, " freed ");
	buffer_count(out, freed->bytes);
	buffer_text(out, " bytes of ");
	buffer_text(out, call_name(freed->call));
	buffer_text(out, " after ");
	buffer_seconds(out, view->call->entry > freed->time ? view->call->entry - freed->time : 0);
	buffer_text(out, " s");
}

static void place_put(const struct place *place, struct buffer *out)
{
	size_t i;

	for (i = 0; i < place_frames_count(place); i++) {
		const char *text = place_frames_text(place, i);

		buffer_text(out, "    ");
		if (text)
			buffer_text(out, text);
		else
			buffer_hex(out, place->address);
		buffer_char(out, '\n');
	}
}

static void stack_put(const struct trace_view *view, struct buffer *out)
{
	uint32_t i;

	for (i = 0; i < view->stack->count; i++)
		place_put(view->stack->frames[i], out);
}

static void text_call(struct trace *trace, const struct trace_view *view, struct buffer *out)
{
	const struct rec_call *call = view->call;
	size_t i;

	if (!trace->options.no_time) {
		trace_clock(trace, call, out);
		buffer_char(out, ' ');
	}
	buffer_text(out, view->program->comm);
	blanks(out, PROCESS_CELLS - cells_of(trace, view->program->comm));
	buffer_char(out, ' ');
	id_put(out, call->hdr.tgid);
	id_put(out, call->hdr.tid);
	if (call->moment == CALL_ENTERED)
		buffer_text(out, "[ENTER] ");
	else if (call->moment == CALL_LEFT)
		buffer_text(out, "[EXIT]  ");
	buffer_text(out, view->brief);
	buffer_char(out, '(');
	for (i = 0; i < view->field_count; i++) {
		if (i)
			buffer_text(out, ", ");
		buffer_bytes(out, view->fields[i].name, view->fields[i].name_len);
		buffer_char(out, '=');
		trace_view_value(view, &view->fields[i], false, out);
	}
	buffer_char(out, ')');
	if (view->has_device) {
		buffer_text(out, " on ");
		buffer_signed(out, call->device);
	}
	if (view->captured)
		buffer_text(out, " captured");
	if (view->has_result) {
		if (view->has_value)
			buffer_text(out, " = ");
		if (view->has_value && view->result)
			buffer_text(out, view->result);
		else if (view->has_value)
			buffer_signed(out, call->result);
		buffer_text(out, " <");
		buffer_seconds(out,
			       call->hdr.time > call->entry ? call->hdr.time - call->entry : 0);
		buffer_char(out, '>');
	}
	if (view->has_freed)
		freed_put(view, out);
	buffer_char(out, '\n');
	if (trace->options.stacks && view->stack)
		stack_put(view, out);
}

const struct trace_format trace_format_text = { .format = FORMAT_TEXT, .call = text_call };
