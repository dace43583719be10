/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace as Chrome's trace events (JSON object format), which Perfetto and chrome://tracing open.
 * Each thread has a track with a slice per call. Each stream has a track with a slice for
 * everything that was submitted to it; the slice lasts as long as the submitting call, since we
 * cannot see when the device did the work. Slices of a track may nest but not overlap: if two
 * threads submit to one stream at the same time, the later one's slice begins where the earlier
 * one's ended.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "trace/trace_format.h"
#include "util/utf8.h"
#include "util/util.h"

/* Above every thread's number: /proc/sys/kernel/pid_max is 4194304 at most. */
#define STREAM_TRACKS (1u << 30)
#define STREAMS_MAX   65536 /* of a program */

static uint64_t since_start(const struct trace *trace, uint64_t mono)
{
	return mono > trace->options.start_mono ? mono - trace->options.start_mono : 0;
}

static void event_begin(struct trace *trace, const char *phase, const char *name, uint32_t pid,
			uint32_t tid, struct buffer *out)
{
	buffer_text(out, trace->comma ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	trace->comma = true;
	buffer_text(out, phase);
	buffer_text(out, "\",\"name\":");
	buffer_quoted(out, name);
	buffer_text(out, ",\"pid\":");
	buffer_count(out, pid);
	buffer_text(out, ",\"tid\":");
	buffer_count(out, tid);
}

static void stamp(const struct trace *trace, uint64_t mono, struct buffer *out)
{
	buffer_text(out, ",\"ts\":");
	buffer_micros(out, since_start(trace, mono));
}

static void track_name(struct trace *trace, const char *what, uint32_t pid, uint32_t tid,
		       const char *name, struct buffer *out)
{
	event_begin(trace, "M", what, pid, tid, out);
	buffer_text(out, ",\"args\":{\"name\":");
	buffer_quoted(out, name);
	buffer_text(out, "}}");
}

static void chrome_begin(struct trace *trace, struct buffer *out)
{
	(void)trace;
	buffer_text(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

static void chrome_end(struct trace *trace, const uint64_t *lost, uint64_t unwritten,
		       struct buffer *out)
{
	buffer_text(out, "\n],\"otherData\":{\"tool\":\"cutop\",\"version\":");
	buffer_quoted(out, trace->options.version ? trace->options.version : "");
	buffer_text(out, ",\"started_unix_seconds\":");
	buffer_seconds(out, trace->options.start_real);
	buffer_text(out, ",\"calls\":");
	buffer_count(out, trace->count);
	buffer_text(out, ",\"lost\":");
	trace_json_lost(lost, unwritten, out);
	buffer_text(out, "}}\n");
}

/* ---- streams ---- */

static void stream_call_it(uint64_t stream, char *name, size_t size)
{
	if (stream == 1)
		snprintf(name, size, "default stream");
	else if ((uint32_t)stream == 2)
		snprintf(name, size, "default stream of thread %" PRIu64, stream >> 32);
	else
		snprintf(name, size, "stream 0x%" PRIx64, stream);
}

/*
 * Numbers streams: 1 is the device's default stream; 2 together with a thread's number is that
 * thread's default stream.
 */
static uint64_t stream_meant(const struct trace_view *view)
{
	uint64_t stream = view->stream;
	bool per_thread = call_stream(view->call->call) & CUTOP_STREAM_PER_THREAD ||
			  view->desc->flags & CALL_PER_THREAD;

	if (!stream)
		stream = per_thread ? 2 : 1;
	return stream == 2 ? stream | (uint64_t)view->call->hdr.tid << 32 : stream;
}

/* Adds or finds the stream; sets *@is_new. NULL without memory, or beyond STREAMS_MAX. */
static struct trace_stream *stream_of(struct trace_program *program, uint64_t number, bool *is_new)
{
	struct trace_stream *stream;

	HASH_FIND(hh, program->streams, &number, sizeof(number), stream);
	*is_new = !stream && HASH_COUNT(program->streams) < STREAMS_MAX;
	if (!*is_new)
		return stream;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->stream = number;
	HASH_ADD(hh, program->streams, stream, sizeof(stream->stream), stream);
	return stream;
}

static struct trace_stream *stream_track(struct trace *trace, const struct trace_view *view,
					 struct buffer *out)
{
	uint64_t number = stream_meant(view);
	struct trace_stream *stream;
	char name[64];
	bool is_new;

	stream = stream_of(view->program, number, &is_new);
	if (!stream || !is_new)
		return stream;
	stream->track = STREAM_TRACKS + trace->tracks++;
	stream_call_it(number, name, sizeof(name));
	track_name(trace, "thread_name", view->call->hdr.tgid, stream->track, name, out);
	return stream;
}

static void stream_call(struct trace *trace, const struct trace_view *view, struct buffer *out)
{
	const struct rec_call *call = view->call;
	struct trace_stream *stream = stream_track(trace, view, out);
	const char *name = view->kernel ? view->kernel_shown : view->name;
	uint64_t begin = call->entry;

	if (!stream)
		return;
	if (begin < stream->busy)
		begin = stream->busy;
	if (call->moment == CALL_ENTERED) {
		event_begin(trace, "i", name, call->hdr.tgid, stream->track, out);
		stamp(trace, call->entry, out);
		buffer_text(out, ",\"s\":\"t\"");
	} else {
		event_begin(trace, "X", name, call->hdr.tgid, stream->track, out);
		stamp(trace, begin, out);
		buffer_text(out, ",\"dur\":");
		buffer_micros(out, call->hdr.time > begin ? call->hdr.time - begin : 0);
		if (call->hdr.time > stream->busy)
			stream->busy = call->hdr.time;
	}
	buffer_text(out, ",\"cat\":\"enqueue\",\"args\":{\"call\":");
	buffer_quoted(out, view->name);
	buffer_text(out, ",\"by_tid\":");
	buffer_count(out, call->hdr.tid);
	buffer_text(out, ",\"arguments\":");
	trace_json_arguments(view, out);
	buffer_text(out, "}}");
}

/* ---- threads ---- */

/*
 * Names the thread's track, at its first call. A thread is kept as its own default stream is, which
 * has another number. One that has ended by now stays without a name.
 */
static void thread_name(struct trace *trace, const struct trace_view *view, struct buffer *out)
{
	const struct rec_hdr *hdr = &view->call->hdr;
	char path[64], clean[64], *name;
	bool is_new;

	if (!trace->options.live ||
	    !stream_of(view->program, 3 | (uint64_t)hdr->tid << 32, &is_new) || !is_new)
		return;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", hdr->tgid, hdr->tid);
	name = file_read(path, sizeof(clean) - 1, NULL);
	if (name) {
		name[strcspn(name, "\n")] = 0;
		track_name(trace, "thread_name", hdr->tgid, hdr->tid,
			   utf8_clean(name, clean, sizeof(clean)), out);
	}
	free(name);
}

static void chrome_call(struct trace *trace, const struct trace_view *view, struct buffer *out)
{
	const struct rec_call *call = view->call;

	if (!view->program->announced) {
		view->program->announced = true;
		track_name(trace, "process_name", call->hdr.tgid, call->hdr.tgid,
			   view->program->comm, out);
	}
	thread_name(trace, view, out);
	switch (call->moment) {
	case CALL_ENTERED:
		event_begin(trace, trace->options.pairs ? "B" : "i", view->brief, call->hdr.tgid,
			    call->hdr.tid, out);
		stamp(trace, call->entry, out);
		if (!trace->options.pairs)
			buffer_text(out, ",\"s\":\"t\"");
		break;
	case CALL_LEFT:
		event_begin(trace, "E", view->brief, call->hdr.tgid, call->hdr.tid, out);
		stamp(trace, call->hdr.time, out);
		break;
	default:
		event_begin(trace, "X", view->brief, call->hdr.tgid, call->hdr.tid, out);
		stamp(trace, call->entry, out);
		buffer_text(out, ",\"dur\":");
		buffer_micros(out, call->hdr.time > call->entry ? call->hdr.time - call->entry : 0);
	}
	buffer_text(out, ",\"cat\":\"");
	buffer_text(out, view->desc->class == CLASS_EXTRA ? call_layer_name(LAYER_EXTRA) :
							    call_group_names[view->desc->group]);
	buffer_text(out, "\",\"args\":{\"arguments\":");
	trace_json_arguments(view, out);
	if (view->has_result && view->has_value) {
		buffer_text(out, ",\"result\":");
		if (view->result)
			buffer_quoted(out, view->result);
		else
			buffer_signed(out, call->result);
	}
	trace_json_more(trace, view, out);
	buffer_text(out, "}}");
	if (view->has_stream && !view->failed &&
	    (call->moment != CALL_ENTERED || !trace->options.pairs))
		stream_call(trace, view, out);
}

const struct trace_format trace_format_chrome = {
	.format = FORMAT_CHROME,
	.begin = chrome_begin,
	.call = chrome_call,
	.end = chrome_end,
};
