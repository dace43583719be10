/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Printers of calls: text, JSON lines, and Chrome's trace events, which Perfetto opens. They are
 * fed the same records as a model, from whatever source, and print each REC_CALL; what other
 * records say of processes, kernels, call sites and stacks is kept for later lines. They write into
 * a buffer of the caller's, who empties it at any time.
 */
#ifndef TRACE_TRACE_PRINTER_H
#define TRACE_TRACE_PRINTER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cutop_event.h"
#include "print/formats.h"
#include "util/buffer.h"

struct trace_options {
	enum format format; /* one of TRACE_FORMATS */
	bool no_time;       /* text and JSON: leave the time out */
	bool stacks;        /* print the user stack of each call that has one */
	bool pairs;         /* calls come as two records, one at entry and one at return */
	bool live;          /* threads of this machine, now */
	/* CLOCK_MONOTONIC ns when tracing began: time 0 in Chrome's format */
	uint64_t start_mono;
	uint64_t start_real; /* the same instant by CLOCK_REALTIME */
	const char *version; /* cutop's; borrowed */
};

struct trace;

/* Returns NULL without memory. trace_free() undoes it. */
struct trace *trace_new(const struct trace_options *options);
void trace_free(struct trace *trace);

/* Writes what precedes the first call. */
void trace_begin(struct trace *trace, struct buffer *out);

/* Takes in a record of @size bytes, and prints it if it is a call. Invalid records are ignored. */
void trace_record(struct trace *trace, const struct rec_hdr *record, size_t size,
		  struct buffer *out);

/*
 * Writes what follows the last call. @lost: by cause, LOST_COUNT of them; @unwritten: calls that
 * were recorded but not printed.
 */
void trace_end(struct trace *trace, const uint64_t *lost, uint64_t unwritten, struct buffer *out);

/* Records of calls printed so far. */
uint64_t trace_count(const struct trace *trace);

#endif
