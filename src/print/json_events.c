/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events in JSON, and the places in the code that they and others name. */
#include "cuda/calls.h"
#include "print/json_parts.h"

json_t *json_frames(struct json_writer *w, const struct snap_frame *const *frames, size_t count)
{
	static const char *const languages[FRAME_LANGUAGES] = {
		[FRAME_NATIVE] = "native", [FRAME_PYTHON] = "python"
	};
	json_t *list = json_array();
	size_t i;

	for (i = 0; list && i < count; i++) {
		const struct snap_frame *frame = frames[i];
		json_t *o = put_new(w);

		if (frame) {
			put_text(w, o, "language", languages[frame->language]);
			if (frame->function)
				put_text(w, o, "function", frame->function);
			if (frame->file)
				put_text(w, o, "file", frame->file);
			if (frame->line)
				put_count(w, o, "line", frame->line);
			if (frame->module)
				put_text(w, o, "module", frame->module);
			if (frame->is_inlined)
				put(w, o, "inlined", json_true());
			else if (frame->language == FRAME_NATIVE)
				put_count(w, o, "offset", frame->offset);
		}
		if (json_array_append_new(list, o)) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

void json_put_site(struct json_writer *w, json_t *o, const struct snap_site *site)
{
	put_count(w, o, "allocations", site->allocations);
	put_count(w, o, "allocated_bytes", site->allocated);
	if (site->stack_count)
		put(w, o, "stack", text_array(w, site->stack, site->stack_count));
	if (site->frame_count)
		put(w, o, "frames", json_frames(w, site->frames, site->frame_count));
}

void json_put_place(struct json_writer *w, json_t *o, const struct snap_place *where)
{
	if (where->stack_count)
		put(w, o, "stack", text_array(w, where->stack, where->stack_count));
	if (where->frame_count)
		put(w, o, "frames", json_frames(w, where->frames, where->frame_count));
}

static json_t *holder_list(struct json_writer *w, const struct snap_detail *detail)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < detail->holder_count; i++) {
		const struct snap_holder *holder = &detail->holders[i];
		json_t *o = put_new(w);

		put_count(w, o, "pid", holder->pid);
		put_text(w, o, "command", holder->command);
		put_text(w, o, "watched_from", holder->from_attach ? "attach" : "start");
		put_count(w, o, "live_bytes", holder->live);
		if (json_array_append_new(list, o)) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

static json_t *line_list(struct json_writer *w, const struct snap_detail *detail)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < detail->line_count; i++) {
		const struct snap_line *line = &detail->lines[i];
		json_t *o = put_new(w);

		put_text(w, o, "site", line->where.site ? line->where.site : line->text);
		put_count(w, o, "live_bytes", line->live);
		put_count(w, o, "allocations", line->allocations);
		if (line->sampled)
			put(w, o, "sampled", json_true());
		json_put_place(w, o, &line->where);
		if (json_array_append_new(list, o)) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

static json_t *suspect_list(struct json_writer *w, const struct snap_detail *detail)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < detail->suspect_count; i++) {
		const struct snap_suspect *suspect = &detail->suspects[i];
		json_t *o = put_new(w);

		put_text(w, o, "kernel", suspect->kernel);
		put_device(w, o, suspect->device);
		put_hex(w, o, "stream", suspect->stream);
		put(w, o, "stream_exact", json_boolean(suspect->stream_exact));
		put_count(w, o, "launches", suspect->launches);
		if (json_array_append_new(list, o)) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

static void put_detail(struct json_writer *w, json_t *o, const struct snap_detail *detail)
{
	put_device(w, o, detail->device);
	if (detail->call < CALL_COUNT)
		put_text(w, o, "call", call_name(detail->call));
	if (detail->code)
		put(w, o, "code", json_integer(detail->code));
	if (detail->site[0])
		put_text(w, o, "site", detail->site);
	json_put_place(w, o, &detail->where);
	if (detail->total) {
		put_count(w, o, "tracked_bytes", detail->tracked);
		put_count(w, o, "total_bytes", detail->total);
	}
	if (detail->span) {
		put_count(w, o, "span_bytes", detail->span);
		put_count(w, o, "free_bytes", detail->span_free);
		put_count(w, o, "largest_gap_bytes", detail->span_gap);
	}
	if (detail->allocator) {
		put_text(w, o, "allocator", detail->allocator);
		put_count(w, o, "asked_bytes", detail->asked);
		put_count(w, o, "allocated_bytes", detail->allocated);
		put_count(w, o, "reserved_bytes", detail->reserved);
	}
	if (detail->has_gaps) {
		put_count(w, o, "free_in_segments_bytes", detail->gaps);
		put_count(w, o, "largest_gap_bytes", detail->largest_gap);
	}
	if (detail->holder_count) {
		put(w, o, "holders", holder_list(w, detail));
		put_count(w, o, "holders_omitted", detail->holders_omitted);
	}
	if (detail->line_count) {
		put(w, o, "sites", line_list(w, detail));
		put_count(w, o, "sites_omitted", detail->lines_omitted);
	}
	if (detail->is_fault) {
		put(w, o, "suspects", suspect_list(w, detail));
		put_count(w, o, "suspects_omitted", detail->suspects_omitted);
	}
}

json_t *json_event(struct json_writer *w, const struct snap_event *event)
{
	json_t *o = put_new(w);

	put_time(w, o, "time", event->time);
	if (event->pid)
		put_count(w, o, "pid", event->pid);
	put_text(w, o, "kind", event_kinds[event->kind].name);
	if (event->name)
		put_text(w, o, "command", event->name);
	put_text(w, o, "text", event->text);
	if (event->bytes)
		put_count(w, o, "bytes", event->bytes);
	if (event->repeated)
		put_count(w, o, "repeated", event->repeated);
	if (event->detail)
		put_detail(w, o, event->detail);
	return o;
}
