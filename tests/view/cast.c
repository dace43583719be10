/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cast: a trainer, a leaker with suspect bytes, a copier, one that fails,
 * one that has exited leaking, and one whose name is wide and hostile.
 * Figures follow from the step alone. Their devices, the sites of a Python program and the blocks
 * of PyTorch: cast_devices.c, cast_python.c, cast_tensors.c.
 */
#include "cast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/arena.h"
#include "model/findings.h"
#include "cuda/errors.h"
#include "util/utf8.h"

#define NS  1000000000ull
#define MIB 1048576ull
#define GIB 1073741824ull

void *cast_memory(struct snapshot *snapshot, size_t count, size_t size)
{
	void *memory = arena_alloc(snapshot->arena, count, size);

	ck_assert_ptr_nonnull(memory);
	return memory;
}

static struct snap_process *process_at(struct snapshot *snapshot, uint32_t program, uint32_t pid,
				       const char *user, const char *command, const char *line)
{
	struct snap_process *process = &snapshot->processes[program - 1];

	process->program = program;
	process->pid = pid;
	process->parent_pid = 1;
	process->user = user;
	process->command = command;
	process->command_line = line;
	process->arguments = line;
	process->start_time = CAST_NOW - 100 * NS;
	process->device_list = "0";
	process->has_suspect = true;
	process->sync_share = 0;
	process->cost = NAN;
	return process;
}

static void map_fill(struct snapshot *snapshot, struct snap_process *process, size_t count,
		     uint64_t bytes, uint64_t gap, unsigned int odd_state)
{
	uint64_t address = 0x7f1200000000;
	size_t i;

	process->map = cast_memory(snapshot, count, sizeof(*process->map));
	process->spans = cast_memory(snapshot, count, sizeof(*process->spans));
	process->map_count = process->span_count = count;
	for (i = 0; i < count; i++) {
		unsigned int state = i % 5 == 3 ? odd_state : ALLOC_LIVE;

		if (i == count / 2)
			address += 1ull << 40; /* far away */
		process->map[i] = (struct snap_alloc){ address,
						       bytes,
						       (i * 7 + 3) * NS,
						       i % 5 == 3 ?
							       "cache_grow+0x88 (libcache.so)" :
							       "load_weights+0x1f4 (model.so)",
						       0x400000 + i % 5,
						       0,
						       CALL_cudaMalloc,
						       KIND_DEVICE,
						       (uint8_t)state,
						       0,
						       false };
		process->spans[i].start = address;
		process->spans[i].end = address + bytes;
		process->spans[i].bytes[state] = bytes;
		address += bytes + (i % 3 == 2 ? gap : 0);
	}
	process->drawn = process->map; /* by address, too */
	process->drawn_count = count;
	process->live_allocations = count;
	process->allocations = count + 100;
	process->frees = 100;
}

static const char *const stack[] = { "cache_grow+0x88 (libcache.so)",
				     "cache_get+0x12 (libcache.so)", "main+0x40 (train)" };

static void sites_fill(struct snapshot *snapshot, struct snap_process *process)
{
	process->site_count = 2;
	process->sites = cast_memory(snapshot, 2, sizeof(*process->sites));
	process->sites[0] = (struct snap_site){ .site = "load_weights+0x1f4 (model.so)",
						.address = 0x400000,
						.live = process->live / 2,
						.allocations = 1600 };
	process->sites[1] = (struct snap_site){ .site = "cache_grow+0x88 (libcache.so)",
						.address = 0x400003,
						.live = process->live - process->live / 2,
						.leaked = process->leaked,
						.left_blocks = process->leaked ? 240 : 0,
						.held = process->held,
						.suspect = process->suspect,
						.allocations = 241,
						.stack_id = 7,
						.stack = stack,
						.stack_count = 3 };
}

static void kernels_fill(struct snapshot *snapshot, struct snap_process *process, int step)
{
	static const char *const names[] = { "saxpy", "nn::softmax",
					     "at::native::vectorized_elementwise_kernel",
					     "reduce" };
	static const char *const full[] = {
		"saxpy(float, float const*, float*, int)",
		"void nn::softmax<float, 4>(float const*, float*, int)",
		"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int, at::native::FillFunctor<float>)",
		"void reduce<256>(float*)"
	};

	process->kernel_count = 4;
	process->kernels = cast_memory(snapshot, 4, sizeof(*process->kernels));
	for (unsigned int i = 0; i < 4; i++)
		process->kernels[i] = (struct snap_kernel){
			.name = names[i],
			.shown = names[i],
			.signature = full[i],
			.function = 0x401000 + i,
			.device = 0,
			.launches = (uint64_t)(12000 + 310 * step) >> i,
			.launches_per_second = 16000 >> i,
			.grid = { 391u << i, i > 1 ? 16 : 1, 1 },
			.block = { 256, 1, i == 3 ? 2 : 1 },
			.shared_bytes = i * 4096,
			.latency = { 4.2e-6 * (i + 1), 15e-6 * (i + 1), 1.25e-3 },
			.samples = 900,
			.hist = { [5] = 30, [6] = 420, [7] = 310, [8] = 120, [9] = 12, [14] = 8 },
			.sampled = true,
			.failures = i == 3 ? 7 : 0,
		};
	process->sampled = true;
}

static void copies_fill(struct snapshot *snapshot, struct snap_process *process, int step)
{
	struct snap_copy *copies = cast_memory(snapshot, 4, sizeof(*copies));

	copies[0] = (struct snap_copy){ DIR_H2D, COPY_SYNC, 0,          1024,  0,    64 * GIB,
					24.5,    2.7e9,     2254857830, false, { 0 } };
	copies[1] = (struct snap_copy){ DIR_H2D, COPY_ASYNC, 0,          4096, 2,    256 * GIB,
					0.02,    NAN,        1254857830, true, { 0 } };
	copies[2] = (struct snap_copy){ DIR_D2H, COPY_SYNC, 0,         512,   0,    2 * GIB,
					0.5,     5e9,       858993459, false, { 0 } };
	copies[3] = (struct snap_copy){
		DIR_UNKNOWN, COPY_SYNC, CUTOP_DEVICE_UNKNOWN, 1, 0, 4096, 1e-5, NAN, 0, false, { 0 }
	};
	copies[0].sizes[26] = 1000;
	copies[0].sizes[12] = 24;
	copies[1].sizes[22] = 3000;
	copies[1].sizes[20] = 1000;
	copies[1].sizes[18] = 96;
	copies[2].sizes[22] = 512;
	copies[3].sizes[12] = 1;
	process->copies = copies;
	process->copy_count = 4;
	process->copy_bytes[DIR_H2D] = 320 * GIB;
	process->copy_bytes[DIR_D2H] = 2 * GIB;
	process->copy_rate[DIR_H2D] = 3.0e9 + 4e8 * sin(step / 3.0);
	process->copy_rate[DIR_D2H] = 8.0e8 + 3e8 * cos(step / 2.0);
}

static void calls_fill(struct snapshot *snapshot, struct snap_process *process)
{
	struct snap_call *calls = cast_memory(snapshot, 4, sizeof(*calls));

	calls[0] = (struct snap_call){ .call = CALL_cudaMalloc,
				       .calls = 1841,
				       .failures = 3,
				       .seconds = 0.41,
				       .latency = { 2e-4, 9e-4, 0.011 } };
	calls[1] = (struct snap_call){ .call = CALL_cudaFree,
				       .calls = 159,
				       .seconds = 0.02,
				       .latency = { 1e-4, 3e-4, 0.001 } };
	calls[2] = (struct snap_call){ .call = CALL_cudaLaunchKernel,
				       .calls = 22500,
				       .sampled = true,
				       .failures = 7,
				       .seconds = 0.16,
				       .latency = { 4.2e-6, 1.5e-5, 0.0012 } };
	calls[3] = (struct snap_call){ .call = CALL_cudaDeviceSynchronize,
				       .calls = 400,
				       .seconds = 58.2,
				       .hist = { [20] = 40, [21] = 300, [22] = 55, [23] = 5 },
				       .latency = { 0.14, 0.2, 0.9 } };
	process->call_list = calls;
	process->call_count = 4;
	process->calls = 24900;
}

static void time_fill(struct snap_process *process)
{
	process->time = (struct snap_time){
		.is_known = true,
		.sampled = true,
		.threads = 2,
		.wall_seconds = 90,
		.seconds = { 52, 9, 8, 1, 20 },
		.share = { 0.58, 0.10, 0.09, 0.01, 0.22 },
		.gaps = 336,
		.gap_hist = { [5] = 2010,
			      [6] = 9000,
			      [7] = 6030,
			      [8] = 1340,
			      [9] = 2680,
			      [14] = 670,
			      [19] = 67 },
		.gap = { 7.1e-6, 1.2e-3, 41e-3 },
	};
}

static void trainer(struct snapshot *snapshot, int step)
{
	struct snap_process *process = process_at(snapshot, CAST_TRAINER, 4242, "ana", "python",
						  "python train.py --epochs 90");

	process->live = 12 * GIB + (uint64_t)(step % 7) * 200 * MIB;
	process->peak = 14 * GIB;
	process->held = 64 * MIB;
	process->launches = 22500;
	process->launches_per_second = 31000 + 900 * (step % 5);
	process->sync_share = 0.58;
	time_fill(process);
	map_fill(snapshot, process, 60, 200 * MIB, 64 * MIB, ALLOC_HELD);
	process->map_omitted = 1781;
	process->kinds[KIND_DEVICE] = process->live;
	process->kinds[KIND_PINNED] = 4 * MIB;
	kernels_fill(snapshot, process, step);
	copies_fill(snapshot, process, step);
	calls_fill(snapshot, process);
	sites_fill(snapshot, process);
}

static void leaker(struct snapshot *snapshot, int step)
{
	struct snap_process *process = process_at(snapshot, CAST_LEAKER, 4107, "ana",
						  "/home/ana/bin/leaky",
						  "/home/ana/bin/leaky --slowly");

	process->parent_pid = 4242;
	process->live = process->peak = (100 + 20 * (uint64_t)step) * MIB;
	process->suspect = process->suspect_live = 20 * (uint64_t)step * MIB;
	map_fill(snapshot, process, 24, 5 * MIB, 0, ALLOC_SUSPECT);
	sites_fill(snapshot, process);
}

static void copier(struct snapshot *snapshot, int step)
{
	struct snap_process *process = process_at(snapshot, CAST_COPIER, 4311, "benjamin-the-long",
						  "./infer", "./infer --batch 8");

	process->from_attach = true;
	process->live = process->peak = 6764573491;
	process->device_list = "0-3";
	process->launches = 500;
	process->launches_per_second = 17200;
	process->sync_share = 0.66;
	copies_fill(snapshot, process, step + 4);
	process->copy_bytes[DIR_D2D] = 9 * GIB;
	process->copy_rate[DIR_D2D] = 12.0e9;
}

static void failing(struct snapshot *snapshot, int step)
{
	struct snap_process *process =
		process_at(snapshot, CAST_FAILING, 4400, "root", "./failing", "./failing");
	struct snap_failure *failures = cast_memory(snapshot, 3, sizeof(*failures));

	process->failures = 3 * (uint64_t)step;
	process->failures_per_second = 3;
	process->failed_allocations = (uint64_t)step;
	failures[0] = (struct snap_failure){
		.call = CALL_cudaMalloc,
		.code = 2,
		.error = "cudaErrorMemoryAllocation",
		.count = 2 * (uint64_t)step,
		.first = CAST_NOW - 60 * NS,
		.last = CAST_NOW,
	};
	failures[1] = (struct snap_failure){
		.call = CALL_cudaLaunchKernel,
		.code = 9,
		.error = "cudaErrorInvalidConfiguration",
		.count = (uint64_t)step,
		.first = CAST_NOW - 50 * NS,
		.last = CAST_NOW - NS,
	};
	failures[2] = (struct snap_failure){
		.call = CALL_cudaDeviceSynchronize,
		.code = 700,
		.error = "cudaErrorIllegalAddress",
		.count = 1,
		.first = CAST_NOW - 2 * NS,
		.last = CAST_NOW - 2 * NS,
	};
	process->failure_list = failures;
	process->failure_count = 3;
	process->device_list = "";
	process->sync_share = NAN;
}

static void shortlived(struct snapshot *snapshot)
{
	struct snap_process *process =
		process_at(snapshot, CAST_SHORT, 4500, "ana", "./short", "./short");

	process->exited = true;
	process->leaked = 8000000;
	process->peak = 24000000;
	process->sync_share = NAN;
	process->map = cast_memory(snapshot, 1, sizeof(*process->map));
	process->map[0] = (struct snap_alloc){
		0x10020000, 8000000,         2 * NS,      "main+0x2f (short)", 0x40102f,
		0,          CALL_cudaMalloc, KIND_DEVICE, ALLOC_LEAKED,        0,
		false
	};
	process->map_count = 1;
	process->spans = cast_memory(snapshot, 1, sizeof(*process->spans));
	process->spans[0] = (struct snap_span){ 0x10020000,
						0x10020000 + 8000000,
						{ [ALLOC_LEAKED] = 8000000 } };
	process->span_count = 1;
	process->allocations = 3;
	process->frees = 2;
	sites_fill(snapshot, process);
}

/* Everything that must not reach a terminal or move a column. */
static void wide(struct snapshot *snapshot)
{
	struct snap_process *process = process_at(
		snapshot, CAST_WIDE, 4600, "\xe6\x8e\xa8\xe8\xab\x96", "\033[2J\033]0;owned\007",
		"\xe6\x8e\xa8\xe8\xab\x96\033[31m e\xcc\x81 \xff\xfe \xe2\x80\xae"
		"abc \xf0\x9f\x98\x80 --x\ny");

	process->live = 5 * MIB;
	process->parent_pid = 4107;
	process->kernel_count = 1;
	process->kernels = cast_memory(snapshot, 1, sizeof(*process->kernels));
	process->kernels[0] = (struct snap_kernel){ .name = "k\033[5m\xe6\x8e\xa8",
						    .shown = "k\033[5m\xe6\x8e\xa8",
						    .signature = "k\t\x9b"
								 "5m",
						    .device = -1,
						    .launches = 1,
						    .latency = { NAN, NAN, NAN },
						    .launches_per_second = NAN };
}

static int by_pid(const void *left, const void *right)
{
	const struct snap_process *a = left, *b = right;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

struct snapshot *cast_snapshot(int step)
{
	struct arena *arena = arena_new();
	struct snapshot *snapshot = arena_alloc(arena, 1, sizeof(*snapshot));
	int i;

	ck_assert_ptr_nonnull(snapshot);
	snapshot->arena = arena;
	snapshot->time = CAST_NOW + (uint64_t)step * NS;
	snapshot->started = CAST_NOW - 100 * NS;
	snapshot->elapsed_seconds = 100 + step;
	snapshot->interval_seconds = 1;
	snapshot->targets = 2;
	snapshot->attached = 210;
	snapshot->missing = 4;
	snapshot->lost[LOST_RETURN] = 12;
	snapshot->self_cpu_seconds = 0.4 + 0.004 * step;
	snapshot->self_resident_bytes = 2202009;
	snapshot->process_count = CAST_COUNT;
	snapshot->processes = cast_memory(snapshot, CAST_COUNT, sizeof(*snapshot->processes));
	trainer(snapshot, step);
	leaker(snapshot, step);
	copier(snapshot, step);
	failing(snapshot, step);
	shortlived(snapshot);
	wide(snapshot);
	for (i = 0; i < CAST_COUNT; i++) {
		const struct snap_process *process = &snapshot->processes[i];

		snapshot->live += process->live;
		snapshot->leaked += process->leaked;
		snapshot->launches_per_second += process->launches_per_second;
		snapshot->failures_per_second += process->failures_per_second;
		for (int direction = 0; direction < DIR_COUNT; direction++)
			snapshot->copy_rate[direction] += process->copy_rate[direction];
	}
	qsort(snapshot->processes, CAST_COUNT, sizeof(*snapshot->processes), by_pid);
	snapshot->sync_share = 0.66;
	snapshot->event_count = 4;
	snapshot->events = cast_memory(snapshot, 4, sizeof(*snapshot->events));
	snapshot->events[0] = (struct snap_event){ .time = CAST_NOW - 60 * NS,
						   .pid = 4400,
						   .kind = EVENT_START,
						   .bytes = 0,
						   .text = "first call" };
	snapshot->events[1] = (struct snap_event){
		.time = CAST_NOW - 9 * NS,
		.pid = 4400,
		.kind = EVENT_OUT_OF_MEMORY,
		.bytes = GIB,
		.text = "cudaMalloc of 1.0G failed; 18.4G are live, most in 4242 python"
	};
	snapshot->events[2] = (struct snap_event){ .time = CAST_NOW - 2 * NS,
						   .pid = 4500,
						   .kind = EVENT_LEAK,
						   .bytes = 8000000,
						   .text = "ended with 7.6M leaked\033[2J" };
	snapshot->events[3] = (struct snap_event){ .time = CAST_NOW - NS,
						   .pid = 4500,
						   .kind = EVENT_END,
						   .bytes = 0,
						   .text = "exited 0" };
	ck_assert_int_eq(findings_find(snapshot, arena), 0);
	return snapshot;
}

struct snap_process *cast_member(struct snapshot *snapshot, uint32_t program)
{
	for (size_t i = 0; i < snapshot->process_count; i++)
		if (snapshot->processes[i].program == program)
			return &snapshot->processes[i];
	return NULL;
}

void cast_view(struct view *view, int steps)
{
	view_init(view);
	view->timezone_fixed = 1;
	view->settings.pane = view->settings_before.pane = PANE_MEMORY;
	for (int i = 0; i < steps; i++)
		view_feed(view, cast_snapshot(i));
}

void cast_keys(struct view *view, const char *keys)
{
	while (*keys) {
		int32_t key;

		keys += utf8_next(keys, &key);
		view_key(view, key == '\t'   ? K_TAB :
			       key == '\r'   ? K_ENTER :
			       key == '\033' ? K_ESCAPE :
			       key == '\b'   ? K_BACKSPACE :
					       key);
	}
}
