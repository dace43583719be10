/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that somebody made up, given to a model and to the printer of traces one
 * after the other: each begins with its header, and is as long as that says, or
 * as there are bytes. A REC_MOMENT makes a snapshot.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/model.h"
#include "model/stream.h"
#include "trace/trace_printer.h"

#define START                         100000000000ull
#define FORMAT_LISTED(constant, name) FORMAT_##constant,

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model_config config = { .start_mono = START,
				       .start_real = 1700000000000000000ull,
				       .leak_age = 1000000000 };
	static const enum format formats[] = { TRACE_FORMATS(FORMAT_LISTED) };
	struct trace_options options = {
		.format = formats[size % (sizeof(formats) / sizeof(formats[0]))],
		.stacks = true,
		.start_mono = START,
		.start_real = config.start_real,
		.version = "0",
	};
	static const uint64_t lost[LOST_COUNT];
	struct trace *trace = trace_new(&options);
	struct model *model = model_new(&config);
	struct buffer out = { 0 };
	uint64_t now = START;
	struct rec_hdr hdr;
	union {
		struct rec_hdr hdr;
		char room[4096];
	} record;
	size_t len;

	if (!model || !trace)
		abort();
	trace_begin(trace, &out);
	for (; size >= sizeof(hdr); data += len, size -= len) {
		memcpy(&hdr, data, sizeof(hdr));
		len = hdr.size < sizeof(hdr) ? sizeof(hdr) : hdr.size;
		if (len > size)
			len = size;
		/*
		 * The printer is for records that were read, or came from the ring: those are
		 * aligned.
		 */
		if (len <= sizeof(record)) {
			memcpy(&record, data, len);
			trace_record(trace, &record.hdr, len, &out);
			out.len = 0;
		}
		model_record(model, (const struct rec_hdr *)data, len);
		if (hdr.type != REC_MOMENT)
			continue;
		now = hdr.time > now ? hdr.time : now;
		model_focus(model, hdr.program);
		snapshot_free(model_snapshot(model, now, 3));
	}
	fuzz_show(model_snapshot(model, now + 1000000000, (unsigned int)-1));
	model_clear_exited(model);
	model_free(model);
	trace_end(trace, lost, 0, &out);
	trace_free(trace);
	buffer_free(&out);
	return 0;
}
