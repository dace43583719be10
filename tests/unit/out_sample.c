/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots built by hand for the tests of printers, and what those tests share. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "out_sample.h"

#define NS         1000000000ull
#define NOW        (1763733802ull * NS + 123456789) /* 2025-11-21T14:03:22.123456Z */
#define NO_LATENCY ((struct snap_latency){ NAN, NAN, NAN })

static struct snap_process processes[3];
static struct snap_alloc leaky_map[3], train_map[3];
static struct snap_kernel leaky_kernels[2], train_kernels[1];
static struct snap_copy train_copies[3], leaky_copies[1];
static struct snap_call leaky_calls[2];
static struct snap_failure infer_failures[2];
static struct snap_site leaky_sites[2], train_sites[1];
static const char *const leaky_stack[] = { "main+0x1f4 (leaky)",
					   "outer+0x10 at \"odd\".c:7 (leaky)", "0x7fff00001234" };
static struct snap_allocator train_allocators[2];
static struct snap_site train_tensors[2], train_late_tensors[1];
static struct snap_block_line train_lines[2];
static struct snap_alloc train_blocks[2];
static struct snap_segment train_segments[2];
static const char *const forward_stack[] = { "at::empty+0x20 (libtorch.so)",
					     "forward at model.py:88 (python)" };
static const struct snap_frame forward_frame = {
	.language = FRAME_PYTHON, .function = "forward", .file = "/home/ana/model.py", .line = 88
};
static const struct snap_frame *const forward_frames[] = { NULL, &forward_frame };
static struct snap_event events[2];
static struct snap_device devices[2];
static struct snap_instance instances[2] = {
	{ .gpu_instance = 3,
	  .name = "1g.10gb",
	  .uuid = "MIG-5678",
	  .has_used = true,
	  .used = 3221225472,
	  .total = 10200547328,
	  .tracked = 2147483648 },
	{ .gpu_instance = 9, .compute_instance = 1 },
};
static struct snap_device_use uses[3] = {
	{ .pid = 4242,
	  .program = 1,
	  .command = "train",
	  .has_used = true,
	  .used = 13000000000,
	  .live = 12992276070,
	  .instance = -1 },
	{ .pid = 99, .command = "", .has_used = true, .used = 3000000000, .instance = 0 },
	{ .pid = 98, .command = "", .instance = 1 },
};
static const char *const grow_stack[] = { "grow+0x1f (libinfer.so)",
					  "grow at infer.py:40 (python)" };
static const struct snap_frame grow_frame = {
	.language = FRAME_PYTHON, .function = "grow", .file = "/srv/infer.py", .line = 40
};
static const struct snap_frame *const grow_frames[] = { NULL, &grow_frame };
static struct snap_object_site infer_graphs[] = {
	{ .where = { "grow at infer.py:40 (python)", grow_stack, 2, grow_frames, 2, 1 },
	  .call = CALL_cudaGraphInstantiate,
	  .made = 12,
	  .live = 2,
	  .launches = 50000 },
	{ .where = { .site = "main+0x20 (infer)" },
	  .call = CALL_cuGraphInstantiateWithFlags,
	  .made = 1,
	  .live = 1 },
};
static struct snap_object_site infer_objects[] = {
	{ .where = { "grow at infer.py:40 (python)", grow_stack, 2, grow_frames, 2, 1 },
	  .kind = "stream",
	  .call = CALL_cudaStreamCreate,
	  .made = 1000,
	  .live = 900,
	  .rising = 300 },
	{ .where = { .site = "main+0x20 (infer)" },
	  .kind = "context",
	  .call = CALL_cuCtxCreate_v2,
	  .made = 3,
	  .left = 2 },
	{ .where = { .site = "main+0x40 (infer)" },
	  .kind = "event",
	  .call = CALL_cuEventCreate,
	  .made = 7 },
};
static const struct snap_detail out_of_memory = {
	.device = 1, .call = CALL_cudaMalloc, .code = 2, .site = "grow+0x1f (libinfer.so)",
	 .holder_count = 2, .holders_omitted = 3,
	.holders = { { 4242, false, 100, "python" }, { 4311, true, 90, "./in\xfe" "fer" } },
	.lines = {
		{ 536870912, 12, false, 0x401f40, 77, "grow+0x1f (libinfer.so)", { "grow at infer.py:40 (python)", grow_stack, 2, grow_frames, 2, 1 } },
		{ 4096, 1, false, 0x402000, 0, "main+0x20 (infer)", { NULL, NULL, 0, NULL, 0, 0 } },
	},
	.line_count = 2, .lines_omitted = 1, .where = { "grow+0x1f (libinfer.so)", grow_stack, 2, grow_frames, 2, 0 },
};
static int device_zero[] = { 0 }, device_both[] = { 0, 1 };
static struct snapshot snapshot;

static void no_rates(struct snap_process *process)
{
	process->launches_per_second = process->failures_per_second = process->sync_share = NAN;
	process->cost = NAN;
	for (int i = 0; i < DIR_COUNT; i++)
		process->copy_rate[i] = NAN;
}

static struct snap_process *process_at(size_t index, uint32_t pid, const char *user,
				       const char *command, const char *arguments)
{
	struct snap_process *process = &processes[index];

	*process = (struct snap_process){
		.program = pid,
		.pid = pid,
		.parent_pid = 100,
		.start_time = NOW - 60 * NS,
		.user = user,
		.command = command,
		.arguments = arguments,
		.device_list = "0",
	};
	no_rates(process);
	return process;
}

/* GPUprobe's case study: three buffers of 8,000,000 bytes, one forgotten. */
static void fill_leaky(void)
{
	struct snap_process *p = process_at(0, 4107, "ana", "leaky", "./leaky");

	p->exited = true;
	p->exit_code = 0;
	p->end_reason = END_EXIT;
	p->peak = 24000000;
	p->allocated = 24000016;
	p->leaked = 8000000 + 16;
	p->has_suspect = true;
	p->allocations = 4;
	p->frees = 2;
	p->launches = 2000;
	p->launches_per_second = 2000;
	p->calls = 2010;
	p->sync_seconds = 0.125;
	p->copy_bytes[DIR_H2D] = 16000000;
	p->copy_rate[DIR_H2D] = 16000000;
	p->devices = device_zero;
	p->device_count = 1;

	leaky_map[0] = (struct snap_alloc){ .address = 0x7f1240000000,
					    .bytes = 8000000,
					    .age = 3 * NS / 2,
					    .site = "main+0x1f4 (leaky)",
					    .site_address = 0x401f40,
					    .call = CALL_cudaMalloc,
					    .kind = KIND_DEVICE,
					    .state = ALLOC_LEAKED,
					    .stack_id = 77 };
	leaky_map[1] = (struct snap_alloc){ .address = 0x7f1250000000,
					    .bytes = 4096,
					    .age = NS,
					    .site = "main+0x220 (leaky)",
					    .site_address = 0x402200,
					    .device = CUTOP_DEVICE_UNKNOWN,
					    .call = CALL_cudaMallocHost,
					    .kind = KIND_PINNED,
					    .state = ALLOC_LEAKED };
	leaky_map[2] = (struct snap_alloc){ .address = 0x7f1260000000,
					    .bytes = 16,
					    .age = NS,
					    .site = "main+0x1f4 (leaky)",
					    .site_address = 0x401f40,
					    .call = CALL_cudaMalloc,
					    .kind = KIND_DEVICE,
					    .state = ALLOC_LEAKED,
					    .stack_id = 77 };
	p->map = leaky_map;
	p->map_count = 3;
	leaky_sites[0] = (struct snap_site){ .site = "main+0x1f4 (leaky)",
					     .address = 0x401f40,
					     .leaked = 8000016,
					     .left_blocks = 2,
					     .call = CALL_cudaMalloc,
					     .allocations = 2,
					     .allocated = 8000016,
					     .stack_id = 77,
					     .stack = leaky_stack,
					     .stack_count = 3 };
	leaky_sites[1] = (struct snap_site){ .site = "main+0x1a0 (leaky)",
					     .address = 0x401a00,
					     .allocations = 2,
					     .allocated = 16000000 };
	p->sites = leaky_sites;
	p->site_count = 2;

	leaky_kernels[0] = (struct snap_kernel){
		.name = "vector_add",
		.shown = "vector_add",
		.signature = "vector_add(float const*, float const*, float*, int)",
		.symbol = "_Z10vector_addPKfS0_Pfi",
		.function = 0x401000,
		.device = 0,
		.launches = 1000,
		.samples = 1000,
		.grid = { 7813, 1, 1 },
		.block = { 256, 1, 1 },
		.launches_per_second = 1000,
		.latency = { 5.1e-6, 12.34e-6, 0.000999 },
	};
	leaky_kernels[1] = (struct snap_kernel){
		.name = "ns::scale",
		.shown = "ns::scale",
		.signature = "void ns::scale<float>(float*, float, int)",
		.function = 0x401100,
		.device = CUTOP_DEVICE_UNKNOWN,
		.launches = 1000,
		.failures = 1,
		.samples = 20,
		.sampled = true,
		.stream = 0x55aa,
		.grid = { 16, 16, 1 },
		.block = { 8, 8, 4 },
		.shared_bytes = 4096,
		.launches_per_second = NAN,
		.latency = NO_LATENCY,
	};
	p->kernels = leaky_kernels;
	p->kernel_count = 2;

	leaky_copies[0] = (struct snap_copy){ DIR_H2D, COPY_SYNC, 0,    2,     0,    16000000,
					      0.005,   3.2e9,     16e6, false, { 0 } };
	leaky_copies[0].sizes[22] = 2;
	p->copies = leaky_copies;
	p->copy_count = 1;
	leaky_calls[0] = (struct snap_call){
		.call = CALL_cudaMalloc, .calls = 3, .seconds = 0.1, .latency = { 0.01, 0.02, 0.03 }
	};
	leaky_calls[1] = (struct snap_call){
		.call = CALL_cudaFree, .calls = 2, .seconds = 0.25, .latency = NO_LATENCY
	};
	p->call_list = leaky_calls;
	p->call_count = 2;
}

/* PyTorch's allocator: on one device all is known of it, on the other it was watched late. */
static void fill_train_allocators(struct snap_process *p)
{
	train_tensors[0] = (struct snap_site){
		.site = "forward at model.py:88 (python)",
		.address = 0x7fa0,
		.stack_id = 5,
		.live = 6442450944,
		.live_count = 96,
		.allocations = 9600,
		.allocated = 1ull << 40,
		.device = 0,
		.stack = forward_stack,
		.stack_count = 2,
		.shown = 1,
		.frames = forward_frames,
		.frame_count = 2,
	};
	train_tensors[1] = (struct snap_site){
		.site = "keep+0x40 (model.so)",
		.address = 0x7fb0,
		.live = 536870912,
		.live_count = 4,
		.suspect = 268435456,
		.allocations = 4,
		.allocated = 536870912,
		.device = 0,
	};
	train_blocks[0] = (struct snap_alloc){ .address = 0x7f1400000000,
					       .bytes = 134217728,
					       .age = 60 * NS,
					       .site = "keep+0x40 (model.so)",
					       .site_address = 0x7fb0,
					       .call = CALL_COUNT,
					       .kind = KIND_DEVICE,
					       .state = ALLOC_SUSPECT };
	train_blocks[1] = (struct snap_alloc){ .address = 0x7f1408000000,
					       .bytes = 67108864,
					       .age = NS / 2,
					       .site = "forward at model.py:88 (python)",
					       .site_address = 0x7fa0,
					       .call = CALL_COUNT,
					       .kind = KIND_DEVICE,
					       .state = ALLOC_LIVE,
					       .stack_id = 5 };
	train_segments[0] =
		(struct snap_segment){ 0x7f1400000000, 0x7f15a0000000, 6643777536, 201326592, 99,
				       false };
	train_segments[1] =
		(struct snap_segment){ 0x7f1600000000, 0x7f1620000000, 335544320, 134217728, 1,
				       false };
	train_allocators[0] = (struct snap_allocator){
		.name = "pytorch",
		.device = 0,
		.noun = "tensors",
		.has_totals = true,
		.is_judged = true,
		.allocated = 6979321856,
		.reserved = 7516192768,
		.peak_allocated = 7247757312,
		.peak_reserved = 7516192768,
		.blocks = 100,
		.handed_out = 9604,
		.taken_back = 9504,
		.shortages = 2,
		.rising = 268435456,
		.largest_request = 134217728,
		.has_gaps = true,
		.free_in_segments = 536870912,
		.largest_gap = 201326592,
		.fragmentation = 0.03125,
		.segments = train_segments,
		.segment_count = 2,
		.sites = train_tensors,
		.site_count = 2,
		.map = train_blocks,
		.map_count = 2,
		.map_omitted = 98,
	};
	train_late_tensors[0] = train_tensors[0];
	train_late_tensors[0].live = train_late_tensors[0].allocated = 1048576;
	train_late_tensors[0].live_count = train_late_tensors[0].allocations = 1;
	train_late_tensors[0].device = 1;
	train_allocators[1] = (struct snap_allocator){
		.name = "pytorch",
		.device = 1,
		.from_attach = true,
		.noun = "tensors",
		.has_totals = true,
		.inexact = true,
		.allocated = 3145728,
		.reserved = 4194304,
		.peak_allocated = 3145728,
		.peak_reserved = 4194304,
		.unknown = 2097152,
		.blocks = 1,
		.handed_out = 1,
		.largest_request = 1048576,
		.fragmentation = NAN,
		.sites = train_late_tensors,
		.site_count = 1,
	};
	train_lines[0] = (struct snap_block_line){ .site = "forward at model.py:88 (python)",
						   .live = 6442450944 + 1048576,
						   .blocks = 97 };
	train_lines[1] = (struct snap_block_line){
		.site = "keep+0x40 (model.so)", .live = 536870912, .rising = 268435456, .blocks = 4
	};
	p->block_lines = train_lines;
	p->block_line_count = 2;
	p->allocators = train_allocators;
	p->allocator_count = 2;
	p->tensors = 6982467584;
	p->reserved = 7520387072;
	p->tensors_rising = 268435456;
	p->has_reserved = true;
}

static void fill_train(void)
{
	struct snap_process *p =
		process_at(1, 4242, "ana", "python train.py", "python train.py --name \"a, b\"");

	p->live = 12992276070;
	p->peak = 13314398618;
	p->held = 1048576;
	p->suspect = 536870912;
	p->has_used = true;
	p->used = 13300000000;
	p->untracked = 307723930;
	p->has_suspect = true;
	p->live_allocations = 1841;
	p->allocations = 2000;
	p->frees = 159;
	p->kinds[KIND_DEVICE] = 12992276070;
	p->kinds[KIND_PINNED] = 4194304;
	p->launches = 1200000;
	p->launches_per_second = 31000;
	p->failures_per_second = 0;
	p->copy_bytes[DIR_H2D] = 1ull << 40;
	p->copy_bytes[DIR_D2H] = 1ull << 30;
	p->copy_bytes[DIR_UNKNOWN] = 4096;
	p->copy_rate[DIR_H2D] = 2254857830;
	p->copy_rate[DIR_D2H] = 858993459;
	p->copy_rate[DIR_UNKNOWN] = 0;
	p->sync_seconds = 30.5;
	p->sync_share = 0.58;
	p->cost = 0.09;
	p->given_up[SPARE_BLOCKS] = NOW - 30 * NS;
	p->given_ever = 1u << SPARE_BLOCKS;
	p->time = (struct snap_time){
		.is_known = true,
		.sampled = true,
		.threads = 2,
		.wall_seconds = 61,
		.seconds = { 30.5, 6.1, 5.25, 0.5, 18.65 },
		.share = { 0.58, 0.10, 0.09, 0.01, 0.22 },
		.gaps = 10,
		.gap_hist = { [6] = 603, [14] = 67 },
		.gap = { 7.5e-6, 1.5e-3, 2e-3 },
	};
	p->devices = device_zero;
	p->device_count = 1;
	p->container = "0123456789ab";
	p->pod = "train-0";
	p->ns_pid = 7;

	train_map[0] = (struct snap_alloc){ .address = 0x7f1200000000,
					    .bytes = 536870912,
					    .age = 72 * NS,
					    .site = "load_weights+0x1f4 (model.so)",
					    .site_address = 0x7f00,
					    .call = CALL_cudaMalloc,
					    .kind = KIND_DEVICE,
					    .state = ALLOC_SUSPECT };
	train_map[1] = (struct snap_alloc){ .address = 0x7f1300000000,
					    .bytes = 1048576,
					    .age = 71 * NS,
					    .site = "c10::alloc+0x4 (libc10_cuda.so)",
					    .site_address = 0x7f80,
					    .call = CALL_cudaMallocAsync,
					    .kind = KIND_ASYNC,
					    .state = ALLOC_HELD };
	train_map[2] = (struct snap_alloc){ .address = 0xffffffffffffffff,
					    .bytes = UINT64_MAX,
					    .site = "0x7f90",
					    .site_address = 0x7f90,
					    .call = CALL_cudaMallocManaged,
					    .kind = KIND_MANAGED,
					    .state = ALLOC_LIVE };
	p->map = train_map;
	p->map_count = 3;
	p->map_omitted = 1838;
	train_sites[0] = (struct snap_site){ .site = "load_weights+0x1f4 (model.so)",
					     .address = 0x7f00,
					     .live = 12992276070,
					     .held = 1048576,
					     .left_blocks = 1,
					     .suspect = 536870912,
					     .allocations = 1841,
					     .allocated = 1ull << 40 };
	p->sites = train_sites;
	p->site_count = 1;

	train_kernels[0] = (struct snap_kernel){
		.name = "at::native::vectorized_elementwise_kernel_with_a_very_long_name_indeed",
		.shown = "at::native::vectorized_elementwise_kernel_with_a_very_long_name_indeed",
		.signature = "void at::native::vectorized_elementwise_kernel<4>(int)",
		.device = 0,
		.launches = 1200000,
		.samples = 18750,
		.sampled = true,
		.grid = { 2147483647, 65535, 65535 },
		.block = { 1024, 1, 1 },
		.launches_per_second = 31000,
		.latency = { 0.0000042, 0.0015, 1.25 },
	};
	p->kernels = train_kernels;
	p->kernel_count = 1;
	train_copies[0] = (struct snap_copy){ DIR_H2D, COPY_SYNC,  0,     1024, 0, 1ull << 40, 400,
					      2.7e9,   2254857830, false, { 0 } };
	train_copies[1] = (struct snap_copy){ DIR_D2H, COPY_ASYNC, 0,    512,  1, 1ull << 30, 0.5,
					      5e9,     858993459,  true, { 0 } };
	train_copies[2] = (struct snap_copy){
		DIR_UNKNOWN, COPY_ASYNC, CUTOP_DEVICE_UNKNOWN, 1, 0, 4096, 0, NAN, NAN, false, { 0 }
	};
	p->copies = train_copies;
	p->copy_count = 3;
	fill_train_allocators(p);
}

static void fill_infer(void)
{
	struct snap_process *p =
		process_at(2, 4311, "benjamin-the-long", "推論 é", "./infer --batch 8");

	p->from_attach = true;
	p->inexact = true;
	p->sampled = true;
	p->live = p->peak = 6764573491;
	p->live_allocations = 112;
	p->allocations = 112;
	p->failed_allocations = 3;
	p->failures = 4;
	p->failures_per_second = 4;
	p->launches = 500;
	p->launches_per_second = 17200;
	p->copy_rate[DIR_H2D] = p->copy_rate[DIR_D2H] = 0;
	p->sync_share = 0.66;
	p->devices = device_both;
	p->device_list = "0-1";
	p->device_count = 2;
	p->exited = true;
	p->exit_code = SIGKILL;
	p->graph_sites = infer_graphs;
	p->graph_site_count = 2;
	p->object_sites = infer_objects;
	p->object_site_count = 3;
	infer_failures[0] = (struct snap_failure){
		.call = CALL_cudaMalloc,
		.code = 2,
		.error = "cudaErrorMemoryAllocation",
		.count = 3,
		.first = NOW - NS,
		.last = NOW,
		.where = { "grow at infer.py:40 (python)", grow_stack, 2, grow_frames, 2, 1 },
	};
	infer_failures[1] = (struct snap_failure){
		.call = CALL_cudaLaunchKernel,
		.code = 9,
		.error = "cudaErrorInvalidConfiguration",
		.count = 1,
		.first = NOW,
		.where = { "main+0x20 (infer)", NULL, 0, NULL, 0, 0 },
	};
	p->failure_list = infer_failures;
	p->failure_count = 2;
}

struct snapshot *sample_snapshot(void)
{
	snapshot = (struct snapshot){
		.started = NOW - 100 * NS,
		.time = NOW,
		.elapsed_seconds = 100,
		.interval_seconds = 1,
		.live = 19756849561,
		.leaked = 8000016,
		.launches = 1202500,
		.failures = 4,
		.launches_per_second = 48200,
		.failures_per_second = 3,
		.sync_share = 0.66,
		.processes = processes,
		.process_count = 3,
		.events = events,
		.event_count = 2,
		.devices = devices,
		.device_count = 2,
		.host = "gpu-1",
		.targets = 2,
		.attached = 210,
		.missing = 4,
		.self_cpu_seconds = 0.4,
		.self_resident_bytes = 2202009,
	};
	snapshot.lost[LOST_RETURN] = 12;
	snapshot.copy_rate[DIR_H2D] = 3435973836;
	snapshot.copy_rate[DIR_D2H] = 858993459;
	fill_leaky();
	fill_train();
	fill_infer();
	devices[0] = (struct snap_device){
		.device = 0,
		.tracked = 12992276070,
		.total = 85899345920,
		.name = "NVIDIA \"H100\"",
		.uuid = "GPU-1234",
		.has_used = true,
		.used = 20000000000,
		.utilization = 0.97,
		.temperature = 64,
		.power = 412.3,
		.power_limit = 700,
		.instances = instances,
		.instance_count = 2,
		.uses = uses,
		.use_count = 3,
	};
	devices[1] = (struct snap_device){
		.device = 1,
		.tracked = 6764573491,
		.utilization = NAN,
		.temperature = NAN,
		.power = NAN,
		.power_limit = NAN,
	};
	events[0] = (struct snap_event){
		.time = NOW - NS / 2,
		.pid = 4311,
		.kind = EVENT_OUT_OF_MEMORY,
		.bytes = 1 << 30,
		.text = "cudaMalloc of 1.0G failed",
		.repeated = 2,
		.detail = &out_of_memory,
	};
	events[1] = (struct snap_event){ .time = NOW,
					 .pid = 4311,
					 .kind = EVENT_END,
					 .failed = true,
					 .name = "infer",
					 .text = "infer ran 2m20s, killed by SIGKILL" };
	return &snapshot;
}

struct snapshot *sample_empty(void)
{
	snapshot = (struct snapshot){
		.started = NOW,
		.time = NOW,
		.interval_seconds = NAN,
		.launches_per_second = NAN,
		.failures_per_second = NAN,
		.sync_share = NAN,
	};
	for (int i = 0; i < DIR_COUNT; i++)
		snapshot.copy_rate[i] = NAN;
	return &snapshot;
}

void sample_options(struct out_options *options)
{
	const char *bad;
	size_t bad_len;

	*options = (struct out_options){ .version = "0.1" };
	ck_assert_int_eq(sort_order_parse(&options->sort, "live", &bad, &bad_len), 0);
}

char *sample_print(printer print, const struct snapshot *sample, struct out_options *options)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(print(stream, sample, options), 0);
	fclose(stream);
	ck_assert_uint_eq(strlen(text), size);
	return text;
}
