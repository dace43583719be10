/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time passes in steps of 50 ms; in each, every actor does its part: a trainer with a sawtooth of
 * activations, an inference server, a leaker, a copier, one whose calls fail, and now and then one
 * that lives for one step. Beside them a driver tells of two devices, once per second. The records
 * are of the same kind as real ones, so everything that displays them works.
 */
#include "collect/synthetic.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/util.h"

#define STEP        (50 * NSEC_PER_MSEC)
#define MIB         (1ull << 20)
#define ADDRESS     0x7f1200000000ull
#define SHORT_EVERY 60 /* steps */
#define SAWTOOTH    24 /* steps */
#define READ_EVERY  20 /* steps */
#define CONTEXT     (420 * MIB)
#define STRANGER    3100 /* the pid of a process that is not watched */

enum actor_id { TRAINER, SERVER, LEAKER, COPIER, FAILING, ACTOR_COUNT };

struct kernel {
	const char *symbol;
	uint32_t grid, block, shared_bytes;
	unsigned int per_step;
	uint64_t ns; /* time in the call */
};

static const struct kernel trainer_kernels[] = {
	{ "_ZN5model9attentionI6__halfEEvPKT_S4_S4_PS2_i", 4096, 256, 49152, 310, 4200 },
	{ "_ZN5model9layernormI6__halfEEvPT_PKS2_fi", 1024, 512, 4096, 620, 3900 },
	{ "_ZN5model4geluI6__halfEEvPT_i", 8192, 256, 0, 155, 3600 },
	{ "_ZN5optim4adamEPfPKfS0_S0_fffi", 16384, 256, 0, 18, 5200 },
};

static const struct kernel server_kernels[] = {
	{ "_ZN5infer11decode_stepI13__nv_bfloat16EEvPT_PKiS4_i", 128, 128, 16384, 84, 3100 },
	{ "_ZN5infer6sampleEPKfPifj", 1, 1024, 8192, 21, 2900 },
};

struct actor {
	uint32_t program;
	uint64_t next_address;
	uint64_t allocated[64];
	unsigned int count;
	struct launch_row launches[4];
	struct copy_row copies[DIR_COUNT][2];
	struct fail_row failures[4];
	uint64_t sync_ns;
	struct program_times times;
};

struct synthetic {
	struct actor actors[ACTOR_COUNT];
	uint64_t begin, now;
	unsigned int step;
	uint32_t programs;
};

struct synthetic *synthetic_new(uint64_t now)
{
	struct synthetic *synthetic = calloc(1, sizeof(*synthetic));

	if (synthetic)
		synthetic->begin = synthetic->now = now;
	return synthetic;
}

void synthetic_free(struct synthetic *synthetic)
{
	free(synthetic);
}

static struct rec_hdr header(const struct synthetic *synthetic, uint32_t program, uint16_t type,
			     size_t size)
{
	return (struct rec_hdr){
		.type = type,
		.size = (__u16)size,
		.program = program,
		.time = synthetic->now,
		.tgid = 4000 + program,
		.tid = 4000 + program,
	};
}

static void feed_process(struct synthetic *synthetic, const struct record_sink *sink,
			 uint32_t program, const char *command, const char *arguments)
{
	struct rec_process process = {
		.hdr = header(synthetic, program, REC_PROCESS, sizeof(process)), .uid = getuid()
	};
	union {
		struct rec_identity identity;
		char room[512];
	} u = { 0 };
	char *at = u.identity.strings;

	strncpy(process.comm, command, sizeof(process.comm) - 1);
	record_sink_put(sink, &process.hdr, sizeof(process));
	at = stpcpy(at, "demo") + 1;
	at = stpcpy(at, command) + 1;
	stpcpy(at, arguments);
	u.identity.hdr = header(synthetic, program, REC_IDENTITY, sizeof(u));
	u.identity.start_time = clock_ns(CLOCK_REALTIME);
	u.identity.parent_tgid = (__u32)getpid();
	u.identity.uid = getuid();
	record_sink_put(sink, &u.identity.hdr, sizeof(u));
}

static void feed_text(struct synthetic *synthetic, const struct record_sink *sink, uint32_t program,
		      uint16_t type, uint64_t address, uint32_t flags, const char *text)
{
	union {
		struct rec_text text;
		char room[256];
	} u = { 0 };

	u.text.hdr = header(synthetic, program, type, sizeof(u));
	u.text.address = address;
	u.text.flags = flags;
	u.text.text_len = (__u32)strlen(text);
	memcpy(u.text.text, text, u.text.text_len);
	record_sink_put(sink, &u.text.hdr, sizeof(u));
}

static uint64_t feed_alloc(struct synthetic *synthetic, const struct record_sink *sink,
			   struct actor *actor, uint64_t bytes, uint64_t site, int result)
{
	struct rec_alloc record = {
		.hdr = header(synthetic, actor->program, REC_ALLOC, sizeof(record)),
		.entry = synthetic->now - NSEC_PER_MSEC - 90000,
		.bytes = bytes,
		.site = site,
		.result = result,
		.call = CALL_cudaMalloc,
		.kind = KIND_DEVICE,
	};

	/* An allocation and its free in one step need different times. */
	record.hdr.time -= NSEC_PER_MSEC;
	if (!result) {
		record.address = actor->next_address;
		actor->next_address += (bytes + 2 * MIB - 1) / (2 * MIB) * (2 * MIB);
	}
	record_sink_put(sink, &record.hdr, sizeof(record));
	return record.address;
}

static void feed_free_of(struct synthetic *synthetic, const struct record_sink *sink,
			 const struct actor *actor, uint64_t address)
{
	struct rec_free record = {
		.hdr = header(synthetic, actor->program, REC_FREE, sizeof(record)),
		.entry = synthetic->now - 60000,
		.address = address,
		.call = CALL_cudaFree,
	};

	record_sink_put(sink, &record.hdr, sizeof(record));
}

static void feed_kernels(const struct record_sink *sink, struct actor *actor,
			 const struct kernel *kernels, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct launch_key key = { .program = actor->program,
					  .call = CALL_cudaLaunchKernel,
					  .function = 0x1000 * (i + 1) };
		struct launch_row *row = &actor->launches[i];
		unsigned int samples = kernels[i].per_step / 16 + 1;
		unsigned int bucket =
			63 - (unsigned int)__builtin_clzll(kernels[i].ns) - CUTOP_HIST_SHIFT;

		row->launches += kernels[i].per_step;
		row->samples += samples;
		row->ns += samples * kernels[i].ns;
		row->max_ns = 9 * kernels[i].ns;
		row->grid[0] = kernels[i].grid;
		row->block[0] = kernels[i].block;
		row->grid[1] = row->grid[2] = row->block[1] = row->block[2] = 1;
		row->shared_bytes = kernels[i].shared_bytes;
		row->sampled = 1;
		row->hist[bucket] += samples;
		row->hist[bucket + 2] += row->samples % 32 == 0;
		record_sink_launch_row(sink, &key, row);
	}
}

/* After the kernels: what their samples say, and gaps of some microseconds, or some hundreds. */
static void feed_times(const struct record_sink *sink, struct actor *actor)
{
	struct program_times *times = &actor->times;
	uint64_t before = times->drawn;

	times->threads = 1;
	times->drawn = times->drawn_ns = 0;
	for (size_t i = 0; i < ARRAY_LEN(actor->launches); i++) {
		times->drawn += actor->launches[i].samples;
		times->drawn_ns += actor->launches[i].ns;
	}
	times->gaps = times->drawn;
	times->gap_hist[7] += (times->drawn - before) * 9;
	times->gap_hist[8] += (times->drawn - before) * 5;
	times->gap_hist[13] += (times->drawn - before) * 2;
	times->gap_max_ns = 900000;
	record_sink_times(sink, actor->program, times);
}

static void feed_copy(const struct record_sink *sink, struct actor *actor, unsigned int direction,
		      unsigned int mode, uint64_t bytes, double bytes_per_second)
{
	struct copy_key key = {
		.program = actor->program,
		.direction = (__u8)direction,
		.mode = (__u8)mode,
		.call = mode == COPY_ASYNC ? CALL_cudaMemcpyAsync : CALL_cudaMemcpy,
	};
	struct copy_row *row = &actor->copies[direction][mode];
	uint64_t ns = mode == COPY_ASYNC ? 4000 :
					   (uint64_t)((double)bytes / bytes_per_second * 1e9);

	row->calls++;
	row->bytes += bytes;
	row->ns += ns;
	row->max_ns = ns > row->max_ns ? ns : row->max_ns;
	row->sizes[63 - __builtin_clzll(bytes)]++;
	row->hist[(63 - __builtin_clzll(ns | 128)) - CUTOP_HIST_SHIFT]++;
	if (mode == COPY_SYNC && direction != DIR_D2D) {
		row->timed_bytes += bytes;
		row->timed_ns += ns;
	}
	record_sink_copy_row(sink, &key, row);
}

static void feed_failure(const struct synthetic *synthetic, const struct record_sink *sink,
			 struct actor *actor, unsigned int slot, unsigned int call, int code)
{
	struct fail_key key = { .program = actor->program, .call = (__u16)call, .result = code };
	struct fail_row *row = &actor->failures[slot];

	if (!row->count++)
		row->first = synthetic->now;
	row->last = synthetic->now;
	record_sink_fail_row(sink, &key, row);
}

/* ---- the actors ---- */

static void trainer_step(struct synthetic *synthetic, const struct record_sink *sink,
			 struct actor *actor)
{
	unsigned int phase = synthetic->step % SAWTOOTH;

	if (phase < SAWTOOTH / 2) {
		actor->allocated[actor->count++] =
			feed_alloc(synthetic, sink, actor, (96 + 16 * phase) * MIB, 0x5010, 0);
	} else if (actor->count) {
		feed_free_of(synthetic, sink, actor, actor->allocated[--actor->count]);
		actor->next_address = actor->allocated[actor->count];
	}
	feed_kernels(sink, actor, trainer_kernels, ARRAY_LEN(trainer_kernels));
	feed_times(sink, actor);
	feed_copy(sink, actor, DIR_H2D, COPY_ASYNC, (90 + phase % 7 * 6) * MIB, 0);
	actor->sync_ns += STEP * (52 + synthetic->step % 9) / 100;
	record_sink_sync(sink, actor->program, actor->sync_ns);
}

static void server_step(const struct record_sink *sink, struct actor *actor, unsigned int step)
{
	feed_kernels(sink, actor, server_kernels, ARRAY_LEN(server_kernels));
	feed_times(sink, actor);
	feed_copy(sink, actor, DIR_H2D, COPY_SYNC, 1 * MIB + step % 5 * 65536, 9.2e9);
	feed_copy(sink, actor, DIR_D2H, COPY_SYNC, 262144, 6.1e9);
	actor->sync_ns += STEP * (18 + step % 5) / 100;
	record_sink_sync(sink, actor->program, actor->sync_ns);
}

static void leaker_step(struct synthetic *synthetic, const struct record_sink *sink,
			struct actor *actor)
{
	uint64_t scratch;

	if (synthetic->step % 8 == 0)
		feed_alloc(synthetic, sink, actor, 4 * MIB, 0x6020, 0);
	if (synthetic->step % 5 == 0) {
		scratch = feed_alloc(synthetic, sink, actor, 32 * MIB, 0x6010, 0);
		feed_free_of(synthetic, sink, actor, scratch);
	}
}

static void copier_step(const struct record_sink *sink, struct actor *actor, unsigned int step)
{
	feed_copy(sink, actor, DIR_H2D, COPY_SYNC, 48 * MIB + step % 11 * 2 * MIB, 11.8e9);
	feed_copy(sink, actor, DIR_D2H, COPY_SYNC, 24 * MIB + step % 7 * MIB, 10.9e9);
	feed_copy(sink, actor, DIR_D2D, COPY_ASYNC, 300 * MIB, 0);
	if (step % 20 < 10)
		feed_copy(sink, actor, DIR_P2P, COPY_ASYNC, 64 * MIB, 0);
}

static void failing_step(struct synthetic *synthetic, const struct record_sink *sink,
			 struct actor *actor)
{
	if (synthetic->step % 4)
		return;
	feed_failure(synthetic, sink, actor, 0, CALL_cudaMalloc, 2);
	if (synthetic->step % 40 == 0)
		feed_alloc(synthetic, sink, actor, 64ull << 30, 0x7010, 2);
	if (synthetic->step % 12 == 0)
		feed_failure(synthetic, sink, actor, 1, CALL_cudaLaunchKernel, 9);
	if (synthetic->step % 28 == 0)
		feed_failure(synthetic, sink, actor, 2, CALL_cudaMemcpy, 21);
}

static void short_life(struct synthetic *synthetic, const struct record_sink *sink)
{
	struct actor actor = { .program = ++synthetic->programs, .next_address = ADDRESS };
	struct rec_end end = { .reason = END_EXIT };

	feed_process(synthetic, sink, actor.program, "./unit_test", "--gtest_filter=Blas.*");
	feed_free_of(synthetic, sink, &actor,
		     feed_alloc(synthetic, sink, &actor, 8 * MIB, 0x8010, 0));
	end.hdr = header(synthetic, actor.program, REC_END, sizeof(end));
	record_sink_put(sink, &end.hdr, sizeof(end));
}

/* ---- the driver ---- */

static void feed_device(const struct record_sink *sink, int number, uint64_t used,
			unsigned int utilization)
{
	struct rec_device_reading reading = {
		.hdr = { .type = REC_DEVICE_READING, .size = sizeof(reading) },
		.used = used,
		.total = 81559 * MIB,
		.device = number,
		.known = READING_MEMORY | READING_UTILIZATION | READING_TEMPERATURE |
			 READING_POWER | READING_POWER_LIMIT,
		.utilization = utilization,
		.temperature = 34 + utilization / 3,
		.power = 72000 + 6100 * utilization,
		.power_limit = 700000,
		.name = "NVIDIA H100 80GB HBM3",
	};

	record_sink_put(sink, &reading.hdr, sizeof(reading));
}

static void feed_use(const struct record_sink *sink, int device, uint32_t pid, uint64_t used)
{
	struct rec_process_reading reading = {
		.hdr = { .type = REC_PROCESS_READING, .size = sizeof(reading) },
		.used = used,
		.pid = pid,
		.is_known = 1,
		.has_device = 1,
		.device = device,
		.gpu_instance = INSTANCE_NONE,
		.compute_instance = INSTANCE_NONE,
	};

	record_sink_put(sink, &reading.hdr, sizeof(reading));
}

static void feed_readings(const struct synthetic *synthetic, const struct record_sink *sink)
{
	struct rec_hdr begin = { .type = REC_READINGS,
				 .size = sizeof(begin),
				 .time = synthetic->now };
	const struct actor *trainer = &synthetic->actors[TRAINER];
	unsigned int second = synthetic->step / READ_EVERY, i;
	uint64_t used[ACTOR_COUNT] = {
		[TRAINER] = 7680 * MIB,
		[SERVER] = 2900 * MIB,
		[LEAKER] = (synthetic->step + 7) / 8 * 4 * MIB,
		[COPIER] = 768 * MIB,
	};
	uint64_t sum = 0;

	for (i = 0; i < trainer->count; i++)
		used[TRAINER] += (96 + 16 * i) * MIB;
	for (i = 0; i < ACTOR_COUNT; i++)
		sum += used[i] += CONTEXT;
	record_sink_put(sink, &begin, sizeof(begin));
	feed_device(sink, 0, sum, 88 + second * 7 % 12);
	feed_device(sink, 1, 30100 * MIB, second % 30 < 20 ? 30 + second * 13 % 41 : 0);
	for (i = 0; i < ACTOR_COUNT; i++)
		feed_use(sink, 0, 4000 + synthetic->actors[i].program, used[i]);
	feed_use(sink, 1, STRANGER, 29600 * MIB);
}

static void raise_curtain(struct synthetic *synthetic, const struct record_sink *sink)
{
	static const struct {
		const char *command, *arguments;
	} cast[ACTOR_COUNT] = {
		[TRAINER] = { "python", "train.py --epochs 90" },
		[SERVER] = { "./infer", "--batch 8 --port 8080" },
		[LEAKER] = { "./leaky", "" },
		[COPIER] = { "./bandwidth", "--all" },
		[FAILING] = { "./flaky", "--retry" },
	};
	size_t i;

	for (i = 0; i < ACTOR_COUNT; i++) {
		synthetic->actors[i].program = ++synthetic->programs;
		synthetic->actors[i].next_address = ADDRESS;
		feed_process(synthetic, sink, synthetic->programs, cast[i].command,
			     cast[i].arguments);
	}
	for (i = 0; i < ARRAY_LEN(trainer_kernels); i++)
		feed_text(synthetic, sink, synthetic->actors[TRAINER].program, REC_NAME,
			  0x1000 * (i + 1), NAME_SYMBOL, trainer_kernels[i].symbol);
	for (i = 0; i < ARRAY_LEN(server_kernels); i++)
		feed_text(synthetic, sink, synthetic->actors[SERVER].program, REC_NAME,
			  0x1000 * (i + 1), NAME_SYMBOL, server_kernels[i].symbol);
	feed_text(synthetic, sink, synthetic->actors[TRAINER].program, REC_SITE, 0x5000, 0,
		  "load_weights+0x1f4 (model.so)");
	feed_text(synthetic, sink, synthetic->actors[TRAINER].program, REC_SITE, 0x5010, 0,
		  "forward+0x88 (model.so)");
	feed_text(synthetic, sink, synthetic->actors[LEAKER].program, REC_SITE, 0x6010, 0,
		  "process_frame+0x52 (leaky)");
	feed_text(synthetic, sink, synthetic->actors[LEAKER].program, REC_SITE, 0x6020, 0,
		  "cache_result+0x3b (leaky)");
	feed_alloc(synthetic, sink, &synthetic->actors[TRAINER], 6144 * MIB, 0x5000, 0);
	feed_alloc(synthetic, sink, &synthetic->actors[TRAINER], 1536 * MIB, 0x5000, 0);
	feed_alloc(synthetic, sink, &synthetic->actors[SERVER], 2900 * MIB, 0x9000, 0);
	feed_alloc(synthetic, sink, &synthetic->actors[COPIER], 768 * MIB, 0x9010, 0);
}

void synthetic_feed(struct synthetic *synthetic, const struct record_sink *sink, uint64_t now)
{
	struct actor *actors = synthetic->actors;

	if (!synthetic->programs)
		raise_curtain(synthetic, sink);
	/* After a suspend, continue where it was. */
	if (now > synthetic->now + 200 * STEP)
		synthetic->now = now - STEP;
	while (synthetic->now + STEP <= now) {
		synthetic->now += STEP;
		trainer_step(synthetic, sink, &actors[TRAINER]);
		server_step(sink, &actors[SERVER], synthetic->step);
		leaker_step(synthetic, sink, &actors[LEAKER]);
		copier_step(sink, &actors[COPIER], synthetic->step);
		failing_step(synthetic, sink, &actors[FAILING]);
		if (synthetic->step % SHORT_EVERY == 10)
			short_life(synthetic, sink);
		if (synthetic->step % READ_EVERY == 0)
			feed_readings(synthetic, sink);
		synthetic->step++;
	}
}
