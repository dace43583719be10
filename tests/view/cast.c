/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cast: a trainer, a leaker with suspect bytes, a copier, one that fails,
 * one that has exited leaking, and one whose name is wide and hostile.
 * Figures follow from the step alone.
 */
#include "cast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/arena.h"
#include "cuda/errors.h"
#include "util/utf8.h"

#define NS  1000000000ull
#define MIB 1048576ull
#define GIB 1073741824ull

static void *some(struct snapshot *snapshot, size_t count, size_t size)
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
	return process;
}

static void map_fill(struct snapshot *snapshot, struct snap_process *process, size_t count,
		     uint64_t bytes, uint64_t gap, unsigned int odd_state)
{
	uint64_t address = 0x7f1200000000;
	size_t i;

	process->map = some(snapshot, count, sizeof(*process->map));
	process->spans = some(snapshot, count, sizeof(*process->spans));
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
	process->sites = some(snapshot, 2, sizeof(*process->sites));
	process->sites[0] = (struct snap_site){ "load_weights+0x1f4 (model.so)",
						0x400000,
						process->live / 2,
						0,
						0,
						0,
						1600,
						0,
						0,
						0,
						NULL,
						0,
						0,
						NULL,
						0,
						0,
						false };
	process->sites[1] = (struct snap_site){ "cache_grow+0x88 (libcache.so)",
						0x400003,
						process->live - process->live / 2,
						process->leaked,
						process->held,
						process->suspect,
						241,
						0,
						0,
						7,
						stack,
						3,
						0,
						NULL,
						0,
						0,
						false };
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
	process->kernels = some(snapshot, 4, sizeof(*process->kernels));
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
	struct snap_copy *copies = some(snapshot, 4, sizeof(*copies));

	copies[0] = (struct snap_copy){ DIR_H2D, COPY_SYNC, 0,          1024, 0,     64 * GIB,
					24.5,    2.7e9,     2254857830, 0,    false, { 0 } };
	copies[1] = (struct snap_copy){ DIR_H2D, COPY_ASYNC, 0,          4096,    2,    256 * GIB,
					0.02,    NAN,        1254857830, 3 * GIB, true, { 0 } };
	copies[2] = (struct snap_copy){ DIR_D2H, COPY_SYNC, 0,         512, 0,     2 * GIB,
					0.5,     5e9,       858993459, 0,   false, { 0 } };
	copies[3] = (struct snap_copy){ DIR_UNKNOWN, COPY_SYNC, CUTOP_DEVICE_UNKNOWN,
					1,           0,         4096,
					1e-5,        NAN,       0,
					0,           false,     { 0 } };
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
	struct snap_call *calls = some(snapshot, 4, sizeof(*calls));

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
	struct snap_failure *failures = some(snapshot, 3, sizeof(*failures));

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
	process->map = some(snapshot, 1, sizeof(*process->map));
	process->map[0] = (struct snap_alloc){
		0x10020000, 8000000,         2 * NS,      "main+0x2f (short)", 0x40102f,
		0,          CALL_cudaMalloc, KIND_DEVICE, ALLOC_LEAKED,        0,
		false
	};
	process->map_count = 1;
	process->spans = some(snapshot, 1, sizeof(*process->spans));
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
	process->kernels = some(snapshot, 1, sizeof(*process->kernels));
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
	snapshot->processes = some(snapshot, CAST_COUNT, sizeof(*snapshot->processes));
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
	snapshot->events = some(snapshot, 4, sizeof(*snapshot->events));
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
	return snapshot;
}

/* The process of the cast, or NULL: they are sorted by pid. */
static struct snap_process *member(struct snapshot *snapshot, uint32_t program)
{
	for (size_t i = 0; i < snapshot->process_count; i++)
		if (snapshot->processes[i].program == program)
			return &snapshot->processes[i];
	return NULL;
}

/*
 * Three processes that use a device, of the cast or, if @first, @second or @third is not in it, not
 * watched; 0 bytes: the driver does not know.
 */
static struct snap_device_use *uses_of(struct snapshot *snapshot, size_t *count, uint32_t first,
				       uint64_t first_used, uint32_t second, uint64_t second_used,
				       uint32_t third, uint64_t third_used)
{
	const uint32_t programs[] = { first, second, third };
	const uint64_t used[] = { first_used, second_used, third_used };
	struct snap_device_use *uses = some(snapshot, 3, sizeof(*uses));

	for (size_t i = 0; i < 3; i++) {
		const struct snap_process *process = member(snapshot, programs[i]);

		uses[i] = (struct snap_device_use){
			.pid = process ? process->pid : programs[i],
			.program = process ? process->program : 0,
			.command = process ? process->command : "",
			.has_used = used[i],
			.used = used[i],
			.live = process ? process->live : 0,
			.instance = -1,
		};
	}
	*count = 3;
	return uses;
}

void cast_devices(struct snapshot *snapshot)
{
	struct snap_device *devices = some(snapshot, 5, sizeof(*devices));

	devices[0] = (struct snap_device){
		.tracked = 12 * GIB,
		.total = 80 * GIB,
		.name = "NVIDIA H100 80GB HBM3",
		.uuid = "GPU-1",
		.has_used = true,
		.used = 14 * GIB,
		.utilization = 0.97,
		.temperature = 64,
		.power = 412.3,
		.power_limit = 700,
	};
	devices[1] = (struct snap_device){
		.device = 1,
		.total = 80 * GIB,
		.name = "NVIDIA H100 80GB HBM3",
		.uuid = "GPU-2",
		.has_used = true,
		.used = 80 * GIB,
		.utilization = 1,
		.temperature = 101,
		.power = 700,
		.power_limit = 700,
	};
	devices[2] = (struct snap_device){
		.device = 2,
		.tracked = 7 * MIB,
		.utilization = NAN,
		.temperature = NAN,
		.power = NAN,
		.power_limit = NAN,
	};
	devices[3] = (struct snap_device){
		.device = 3,
		.tracked = 4 * GIB,
		.total = 16 * GIB,
		.name = "odd\033[2J \xe6\x8e\xa8\xe8\xab\x96",
		.uuid = "GPU-4",
		.has_used = true,
		.used = 3 * GIB,
		.utilization = NAN,
		.temperature = 5,
		.power = 9.6,
		.power_limit = NAN,
	};
	devices[4] = (struct snap_device){
		.device = 4,
		.name = "lost",
		.utilization = NAN,
		.temperature = NAN,
		.power = NAN,
		.power_limit = NAN,
	};
	devices[0].uses = uses_of(snapshot, &devices[0].use_count, CAST_TRAINER, 11 * GIB,
				  CAST_LEAKER, 2 * GIB, 999, 900 * MIB);
	devices[1].uses =
		uses_of(snapshot, &devices[1].use_count, 999, 79 * GIB, CAST_COPIER, 0, 998, 0);
	snapshot->devices = devices;
	snapshot->device_count = 5;
	for (size_t i = 0; i < snapshot->process_count; i++) {
		struct snap_process *process = &snapshot->processes[i];

		process->has_used = process->program == CAST_TRAINER ||
				    process->program == CAST_LEAKER;
		process->used = process->live + 512 * MIB;
		process->untracked = 512 * MIB;
	}
}

void cast_many_devices(struct snapshot *snapshot, int count, int divided)
{
	static const char *const profiles[] = { "3g.40gb", "1g.10gb", "1g.10gb" };
	struct snap_device *devices = some(snapshot, (size_t)count, sizeof(*devices));
	struct snap_process *trainer = member(snapshot, CAST_TRAINER);

	/* what the trainer holds of the first two, and on one that is not known */
	trainer->uses = some(snapshot, 3, sizeof(*trainer->uses));
	trainer->use_count = 3;
	for (int i = 0; i < 3; i++)
		trainer->uses[i] =
			(struct snap_use){ .device = i - 1, .live = (uint64_t)(1 + i * 4) * GIB };
	for (int i = 0; i < count; i++) {
		struct snap_device *device = &devices[i];

		*device = (struct snap_device){
			.device = i,
			.tracked = (uint64_t)(i % 4) * 13 * GIB,
			.total = 80 * GIB,
			.name = "NVIDIA H100 80GB HBM3",
			.uuid = "GPU-1",
			.has_used = true,
			.used = (uint64_t)(i % 8) * 11 * GIB + GIB / 2,
			.utilization = i < divided ? NAN : (i * 37 % 101) / 100.0,
			.temperature = 30 + i * 7 % 50,
			.power = 70 + i * 90,
			.power_limit = 700,
		};
		device->uses = uses_of(snapshot, &device->use_count, CAST_TRAINER, device->used / 2,
				       CAST_COPIER, device->used / 4, 999, device->used / 8);
		for (int j = 0; i < divided && j < 3; j++) {
			struct snap_instance *instance;

			if (!j)
				device->instances = some(snapshot, 3, sizeof(*device->instances));
			instance = &device->instances[device->instance_count++];
			*instance = (struct snap_instance){
				.gpu_instance = j ? 6u + (unsigned int)j : 1,
				.compute_instance = j == 2,
				.name = profiles[j],
				.has_used = j < 2,
				.used = j ? GIB : 30 * GIB,
				.total = j ? 10 * GIB : 40 * GIB,
				.tracked = j ? 0 : 20 * GIB,
			};
			device->uses[j].instance = j;
		}
	}
	snapshot->devices = devices;
	snapshot->device_count = (size_t)count;
}

void cast_device_change(struct snap_device *device, int step)
{
	double share = 1 - 0.07 * (step > 9 ? 18 - step : step);

	device->used = (uint64_t)((double)device->used * share);
	device->utilization *= share;
	device->temperature *= 1 - step / 40.0;
	device->power *= share;
}

static const struct snap_frame frames[] = {
	{ FRAME_NATIVE, NULL, NULL, "libffi.so.8.1.2", 0, 0x6f7a, false },
	{ FRAME_PYTHON, "alloc", "/home/ana/app/cuda.py", NULL, 5, 0, false },
	{ FRAME_PYTHON, "Attention.__init__", "/home/ana/app/models/attention.py", NULL, 5, 0,
	  false },
	{ FRAME_PYTHON, "Attention.grow", "/home/ana/app/models/attention.py", NULL, 13, 0, false },
	{ FRAME_PYTHON, "main", "/home/ana/app/train.py", NULL, 7, 0, false },
	{ FRAME_PYTHON, "Attention.grow", "/home/ana/old/attention.py", NULL, 20, 0, false },
	{ FRAME_NATIVE, "pool::grow(unsigned long, int)", "/src/pool.cc", "libpool.so", 118, 0x13,
	  false },
};
static const char *const texts[] = {
	"libffi.so.8.1.2+0x6f7a",
	"alloc at cuda.py:5 (python)",
	"Attention.__init__ at attention.py:5 (python)",
	"Attention.grow at attention.py:13 (python)",
	"main at train.py:7 (python)",
	"Attention.grow at attention.py:20 (python)",
	"pool::grow+0x13 at pool.cc:118 (libpool.so)",
};

/*
 * A site whose stack is @numbers of the above, -1 the last; the one at @shown is what it is called.
 */
static struct snap_site python_site(struct snapshot *snapshot, const int *numbers, size_t shown,
				    uint64_t leaked, uint64_t allocations)
{
	const char **stack_texts = some(snapshot, 8, sizeof(*stack_texts));
	const struct snap_frame **stack_frames = some(snapshot, 8, sizeof(*stack_frames));
	struct snap_site site = {
		.address = 0x6f7a, .leaked = leaked, .allocations = allocations, .shown = shown
	};

	for (; numbers[site.stack_count] >= 0; site.stack_count++) {
		stack_texts[site.stack_count] = texts[numbers[site.stack_count]];
		stack_frames[site.stack_count] = &frames[numbers[site.stack_count]];
		site.stack_id = site.stack_id * 10 + (uint64_t)numbers[site.stack_count] + 1;
	}
	site.site = stack_texts[shown];
	site.stack = stack_texts;
	site.frames = stack_frames;
	site.frame_count = site.stack_count;
	return site;
}

struct snap_process *cast_python(struct snapshot *snapshot)
{
	struct snap_process *process = &snapshot->processes[1];
	const struct snap_frame **native = some(snapshot, 1, sizeof(*native));
	struct snap_site *sites = some(snapshot, 8, sizeof(*sites));

	ck_assert_uint_eq(process->program, CAST_TRAINER);
	native[0] = &frames[6];
	sites[0] = python_site(snapshot, (const int[]){ 0, 1, 2, 4, -1 }, 2, 256 * MIB, 4);
	sites[1] = python_site(snapshot, (const int[]){ 0, 1, 3, 4, -1 }, 2, 136 * MIB, 68);
	sites[1].suspect = 40 * MIB;
	sites[2] = (struct snap_site){
		.site = texts[6],
		.address = 0x7000,
		.live = 50 * MIB,
		.held = 10 * MIB,
		.allocations = 9,
		.frames = native,
		.frame_count = 1,
	};
	sites[3] = (struct snap_site){ .site = "pool::grow+0x44 at pool.cc:130 (libpool.so)",
				       .address = 0x7031,
				       .live = 30 * MIB,
				       .allocations = 3 };
	sites[4] = python_site(snapshot, (const int[]){ 0, 5, 4, -1 }, 1, 20 * MIB, 150);
	sites[5] = (struct snap_site){
		.site = "libpool.so+0x99", .address = 0x7099, .live = 2 * MIB, .allocations = 1
	};
	sites[6] =
		(struct snap_site){ .site = "other call sites", .live = MIB, .allocations = 1000 };
	sites[7] = (struct snap_site){ .site = "0x7f0012345678",
				       .address = 0x7f0012345678,
				       .allocations = 5 };
	process->sites = sites;
	process->site_count = 8;
	return process;
}

void cast_view(struct view *view, int steps)
{
	view_init(view);
	view->timezone_fixed = 1;
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
