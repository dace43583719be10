/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "model/stream.h"
#include "print/print.h"
#include "record/recorder.h"

#define START      (100 * SECOND)
#define START_REAL (1700000000 * SECOND)
#define GIB        (1024 * MIB)

enum { TRAINER = 1, LEAKER, SERVER };

#define ROW(type_name, rec_type, ...) \
	struct rec_##type_name##_row record = { \
		.hdr = { .type = rec_type, .size = sizeof(record), .program = feed->program }, \
		__VA_ARGS__ \
	}; \
	feed_give(feed, &record, sizeof(record))

static void copies(struct feed *feed, unsigned int call, unsigned int direction, unsigned int mode,
		   uint64_t calls)
{
	ROW(copy, REC_COPY_ROW,
	    .key = { .program = feed->program,
		     .call = (__u16)call,
		     .direction = (__u8)direction,
		     .mode = (__u8)mode },
	    .row = { .calls = calls,
		     .bytes = calls * MIB,
		     .ns = calls * 90000,
		     .max_ns = 120000,
		     .timed_bytes = calls * MIB,
		     .timed_ns = calls * 90000,
		     .sizes = { [20] = calls },
		     .hist = { [10] = calls } });
}

static void calls(struct feed *feed, unsigned int call, uint64_t count)
{
	ROW(call, REC_CALL_ROW, .key = { .program = feed->program, .call = (__u16)call },
	    .row = { .calls = count, .ns = count * 2000, .max_ns = 9000, .hist = { [4] = count } });
}

static void failures(struct feed *feed, unsigned int call, int result, uint64_t count)
{
	ROW(fail, REC_FAIL_ROW,
	    .key = { .program = feed->program, .call = (__u16)call, .result = result },
	    .row = { .count = count, .first = START + 2 * SECOND, .last = feed->now });
}

static void graph_row(struct feed *feed, uint64_t exec, uint64_t epoch, uint64_t launches)
{
	ROW(graph, REC_GRAPH_ROW, .key = { .exec = exec, .program = feed->program },
	    .row = { .launches = launches, .epoch = epoch, .call = CALL_cudaGraphLaunch });
}

static void synced(struct feed *feed, uint64_t ns)
{
	struct rec_sync sync = {
		.hdr = { .type = REC_SYNC, .size = sizeof(sync), .program = feed->program },
		.ns = ns
	};

	feed_give(feed, &sync, sizeof(sync));
}

static void lost(struct feed *feed, enum lost_cause cause, uint64_t total)
{
	struct rec_lost record = { .hdr = { .type = REC_LOST, .size = sizeof(record) },
				   .total = total,
				   .cause = cause };

	feed_give(feed, &record, sizeof(record));
}

static void alone(struct feed *feed, unsigned int type)
{
	struct rec_hdr record = { .type = (__u16)type,
				  .size = sizeof(record),
				  .program = feed->program };

	feed_give(feed, &record, sizeof(record));
}

static void graph(struct feed *feed, unsigned int role, uint64_t handle, uint64_t exec,
		  uint64_t node, uint64_t epoch)
{
	struct rec_graph record = {
		.hdr = { .type = REC_GRAPH,
			 .size = sizeof(record),
			 .program = feed->program,
			 .time = feed->now,
			 .tgid = feed->pid },
		.graph = handle,
		.exec = exec,
		.node = node,
		.function = node ? 0x401100 : 0,
		.epoch = epoch,
		.call = CALL_cudaGraphInstantiate,
		.role = (__u8)role,
	};

	feed_give(feed, &record, sizeof(record));
}

static void be(struct feed *feed, uint32_t program)
{
	static const uint32_t pids[] = { 0, 4242, 4107, 4311 };

	feed->program = program;
	feed->pid = pids[program];
	feed->site = 0x401000 + program * 0x10000;
	feed->stack = 0;
}

static void begin(struct feed *feed, uint32_t program, const char *comm, const char *strings,
		  size_t len)
{
	struct rec_process process;

	be(feed, program);
	feed->now += 1000;
	process = (struct rec_process){
		.hdr = { .type = REC_PROCESS,
			 .size = sizeof(process),
			 .program = program,
			 .time = feed->now,
			 .tgid = feed->pid,
			 .tid = feed->pid },
		.start_time = 5 * SECOND,
		.parent_tgid = 1,
		.uid = 1000 + program,
	};
	strncpy(process.comm, comm, sizeof(process.comm) - 1);
	feed_give(feed, &process, sizeof(process));
	feed_identity(feed, program == SERVER, strings, len);
}

/* ---- the story ---- */

static void raise_curtain(struct feed *feed)
{
	static const char trainer[] = "ana\0/usr/bin/python3\0train.py --epochs 90\0\0\0",
			  leaker[] = "ana\0./leaky\0\0";
	static const char server[] =
		"ben\0./infer\0--batch 8 --name \"a,b\"\0a1b2c3d4e5f6\0infer-0\0002,3\0";

	begin(feed, TRAINER, "python3", trainer, sizeof(trainer));
	feed_size(feed, 0, 8 * GIB);
	feed_module(feed, 0x400000, 0x500000, 0, "train.so");
	feed_kernel(feed, 0x401100, 0x401100, NAME_REGISTERED,
		    "_ZN5model9attentionI6__halfEEvPKT_S4_S4_PS2_i");
	feed_text(feed, REC_SITE, feed->site, 0, "load_weights+0x1f4 (train.so) train.c:88");
	feed->stack = 7;
	feed_text(feed, REC_SITE, 0x403000, 0, "main+0x20 (train.so)");
	feed_stack(feed, 7, 2, 0x403000);
	feed_alloc(feed, 0x7f1200000000, 3 * GIB);
	feed->stack = 0;
	feed_alloc_as(feed, CALL_cudaMallocHost, KIND_PINNED, 0x7e0000000000, 64 * MIB, 0);
	graph(feed, GRAPH_CREATE, 0x9000, 0, 0, 0);
	graph(feed, GRAPH_ADD_KERNEL, 0x9000, 0, 0x9100, 0);
	graph(feed, EXEC_CREATE, 0x9000, 0xa000, 0, 1);

	begin(feed, LEAKER, "leaky", leaker, sizeof(leaker));
	feed_text(feed, REC_SITE, feed->site, 0, "cache_result+0x3b (leaky)");

	begin(feed, SERVER, "infer", server, sizeof(server));
	feed_text(feed, REC_NAME, 0x401300, NAME_SYMBOL, "_ZN5infer6sampleEPKfPifj");
	feed_alloc(feed, 0x7f5500000000, GIB);
}

static void second_pass(struct feed *feed, unsigned int second)
{
	uint64_t base = 0x7f1300000000;

	be(feed, TRAINER);
	if (second < 6)
		feed_alloc(feed, base + second * 0x10000000, 32 * MIB);
	if (second == 3)
		feed_free(feed, base + 0x10000000, 0);
	feed_launches(feed, CALL_cudaLaunchKernel, 0x401100, second * 5000);
	/* At last one that no record explains */
	graph_row(feed, 0xa000, second < 7 ? 1 : 2, second * 10);
	copies(feed, CALL_cudaMemcpyAsync, DIR_H2D, COPY_ASYNC, 30 * (second < 5 ? second : 5));
	calls(feed, CALL_cudaStreamSynchronize, 12);
	synced(feed, second * 400000000);

	be(feed, SERVER);
	feed_launches(feed, CALL_cuLaunchKernel, 0x401300, 700 + 3 * second);
	copies(feed, CALL_cudaMemcpy, DIR_D2H, COPY_SYNC, 4 * second);
	if (second == 2) {
		feed_fail(feed, CALL_cudaMalloc, 2);
		feed_alloc_as(feed, CALL_cudaMalloc, KIND_DEVICE, 0, 12 * GIB, 2);
		failures(feed, CALL_cudaMemcpy, 1, 1);
		feed_fail(feed, CALL_cudaMemcpy, 1);
	} else if (second > 2) {
		failures(feed, CALL_cudaMemcpy, 1, second);
	}
	if (second == 5)
		alone(feed, REC_INEXACT);

	be(feed, LEAKER);
	if (second < 4) {
		feed_alloc(feed, 0x7f7700000000 + second * 0x1000000, 4 * MIB + second);
	} else if (second == 4) {
		feed_exit(feed, END_EXIT, 0x0100);
		alone(feed, REC_GRAPHS_DONE);
	}
	lost(feed, LOST_RETURN, second > 3 ? 2 : 0);
}

/* Calls, as `record --trace` has them. */
static void traced(struct feed *feed, unsigned int call, uint64_t ns, struct rec_call record)
{
	record.hdr = (struct rec_hdr){
		.type = REC_CALL,
		.size = sizeof(record),
		.program = feed->program,
		.time = feed->now,
		.tgid = feed->pid,
		.tid = feed->pid + 1,
	};
	record.entry = feed->now - ns;
	record.site = feed->site;
	record.call = (__u16)call;
	feed_give(feed, &record, sizeof(record));
	feed->now += 2000;
}

static void trace_some(struct feed *feed)
{
	be(feed, TRAINER);
	traced(feed, CALL_cudaMalloc, 1500,
	       (struct rec_call){ .memory = { .address = 0x7f1300000000,
					      .bytes = 32 * MIB,
					      .kind = KIND_DEVICE } });
	traced(feed, CALL_cudaMemcpyAsync, 700,
	       (struct rec_call){ .copy = { .destination = 0x7f1300000000,
					    .source = 0x7e0000000000,
					    .bytes = MIB,
					    .stream = 0x5000,
					    .direction = DIR_H2D,
					    .copy_flags = COPY_IS_ASYNC } });
	traced(feed, CALL_cudaLaunchKernel, 900,
	       (struct rec_call){ .launch = { .function = 0x401100,
					      .stream = 0x5000,
					      .grid = { 64, 1, 1 },
					      .block = { 256, 1, 1 },
					      .launches = 1 } });
	traced(feed, CALL_cudaStreamSynchronize, 1900,
	       (struct rec_call){ .words = { 0x5000 }, .result = 700 });
	be(feed, SERVER);
	traced(feed, CALL_cudaFree, 800,
	       (struct rec_call){ .memory = { .address = 0x7f5500000000 },
				  .device = CUTOP_DEVICE_UNKNOWN });
}

/* ---- telling it ---- */

static char *document(const struct snapshot *snapshot)
{
	struct out_options options = { .version = "0" };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(out_json(out, snapshot, &options), 0);
	fclose(out);
	return text;
}

static void moment(struct feed *feed, struct sample *sample, size_t index)
{
	struct snapshot *snapshot = feed_moment(feed);

	strcpy(snapshot->host, "workstation");
	sample->documents[index] = document(snapshot);
	sample->times[index] = feed->now;
	snapshot_free(snapshot);
}

void sample_record(struct sample *sample, const char *path, enum sample_end end)
{
	struct facts facts = {
		.start_mono = START,
		.start_real = START_REAL,
		.leak_age = SECOND,
		.has_command = true,
		.has_calls = true,
		.version = "0.1.0",
		.host = "workstation",
		.options = "cutop record --trace -o sample.cutop -- ./all",
	};
	struct recorder *recorder;
	struct reason why = { "" };
	struct feed feed;
	unsigned int second;

	ck_assert_msg(!recorder_open(&recorder, path, &facts, &why), "%s", why.text);
	memset(sample, 0, sizeof(*sample));
	feed_begin(&feed);
	model_free(feed.model);
	feed.model = model_new(&(struct model_config){
		.start_mono = START, .start_real = START_REAL, .leak_age = SECOND });
	feed.tee = recorder_tee;
	feed.tee_context = recorder;
	raise_curtain(&feed);
	feed.now = START + SECOND / 2;
	moment(&feed, sample, 0);
	for (second = 1; second < SAMPLE_MOMENTS; second++) {
		feed.now = START + second * SECOND;
		second_pass(&feed, second);
		if (second == 3)
			trace_some(&feed);
		feed.now = START + second * SECOND + SECOND / 2;
		moment(&feed, sample, second);
	}
	if (end == SAMPLE_KILLED) {
		be(&feed, TRAINER);
		feed_alloc(&feed, 0x7f8800000000, MIB);
		recorder_tick(recorder, feed.now + 2 * SECOND);
	}
	ck_assert_int_eq(recorder_error(recorder), 0);
	ck_assert_int_eq(recorder_close(recorder, NULL), 0);
	feed_end(&feed);
}

void sample_free(struct sample *sample)
{
	size_t i;

	for (i = 0; i < SAMPLE_MOMENTS; i++)
		free(sample->documents[i]);
}
