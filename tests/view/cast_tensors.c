/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trainer with PyTorch's allocator: segments of several sizes, full ones, empty ones and ones
 * with gaps, on one device or two, and blocks of three sites, of which one's keep rising.
 */
#include <math.h>
#include <stdlib.h>

#include "cast.h"
#include "model/arena.h"

#define NS  1000000000ull
#define MIB 1048576ull

/* A segment with blocks of one size, of which every @gap-th is free; 0: none is. */
struct plan {
	unsigned int device;
	uint64_t megabytes, block;
	unsigned int gap, site;
};

static const struct plan plans[] = {
	{ 0, 2, MIB / 2, 0, 0 },     { 0, 2, MIB / 8, 3, 0 },    { 0, 20, 4 * MIB, 2, 1 },
	{ 0, 20, 20 * MIB, 1, 1 },   { 0, 512, 48 * MIB, 3, 0 }, { 0, 1024, 96 * MIB, 2, 1 },
	{ 0, 256, 16 * MIB, 0, 2 },  { 1, 2, MIB / 4, 2, 0 },    { 1, 128, 64 * MIB, 0, 1 },
	{ 1, 640, 160 * MIB, 4, 2 }, { 1, 20, 3 * MIB, 0, 0 },
};

static const char *const names[] = { "forward at model.py:31 (python)",
				     "Attention.grow at attention.py:13 (python)",
				     "keep at train.py:77 (python)" };

static const char *const stack[] = { "torch::empty+0x12 (libtorch.so)",
				     "Attention.grow at attention.py:13 (python)",
				     "main at train.py:7 (python)" };

static void gap_note(struct snap_allocator *allocator, struct snap_segment *segment, uint64_t bytes)
{
	allocator->free_in_segments += bytes;
	if (bytes > segment->largest_gap)
		segment->largest_gap = bytes;
	if (bytes > allocator->largest_gap)
		allocator->largest_gap = bytes;
	if (bytes < allocator->largest_request)
		allocator->fragmentation += (double)bytes;
}

static void block_add(struct snap_allocator *allocator, const struct plan *plan,
		      struct snap_segment *segment, uint64_t address)
{
	size_t at = allocator->drawn_count++;

	allocator->drawn[at] = (struct snap_alloc){
		.address = address,
		.bytes = plan->block,
		.age = (3 + at) * NS,
		.site = names[plan->site],
		.site_address = 0x7000 + plan->site,
		.stack_id = 1 + plan->site,
		.device = allocator->device,
		.call = CALL_COUNT,
		.kind = KIND_DEVICE,
		.state = plan->site == 2 ? ALLOC_SUSPECT : ALLOC_LIVE,
	};
	segment->blocks++;
	segment->used += plan->block;
	allocator->allocated += plan->block;
	allocator->sites[plan->site].live += plan->block;
	allocator->sites[plan->site].live_count++;
	allocator->sites[plan->site].allocations += 10;
	if (plan->site == 2) {
		allocator->sites[2].suspect += plan->block;
		allocator->rising += plan->block;
	}
}

static void segment_fill(struct snap_allocator *allocator, const struct plan *plan)
{
	struct snap_segment *segment = &allocator->segments[allocator->segment_count++];
	uint64_t free_bytes = 0, at;
	unsigned int i = 0;

	*segment = (struct snap_segment){ .start = 0x7f1200000000 +
						   (uint64_t)plan->device * 0x10000000000 +
						   allocator->reserved,
					  .blocks = 0 };
	segment->end = segment->start + plan->megabytes * MIB;
	allocator->reserved += plan->megabytes * MIB;
	for (at = segment->start; at + plan->block <= segment->end; at += plan->block) {
		if (plan->gap && ++i % plan->gap == 0) {
			free_bytes += plan->block;
			continue;
		}
		if (free_bytes)
			gap_note(allocator, segment, free_bytes);
		free_bytes = 0;
		block_add(allocator, plan, segment, at);
	}
	free_bytes += segment->end - at;
	if (free_bytes)
		gap_note(allocator, segment, free_bytes);
}

static int by_size(const void *left, const void *right)
{
	const struct snap_alloc *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->address > b->address) - (a->address < b->address);
}

static void allocator_fill(struct snapshot *snapshot, struct snap_allocator *allocator, int device)
{
	*allocator = (struct snap_allocator){
		.name = "pytorch",
		.device = device,
		.noun = "tensors",
		.has_totals = true,
		.is_judged = true,
		.has_gaps = true,
		.largest_request = 128 * MIB,
		.segments = cast_memory(snapshot, 16, sizeof(struct snap_segment)),
		.sites = cast_memory(snapshot, 3, sizeof(struct snap_site)),
		.drawn = cast_memory(snapshot, 256, sizeof(struct snap_alloc)),
		.site_count = 3,
	};
	for (unsigned int i = 0; i < 3; i++)
		allocator->sites[i] = (struct snap_site){
			.site = names[i], .address = 0x7000 + i, .stack_id = 1 + i, .device = device
		};
	allocator->sites[1].stack = stack;
	allocator->sites[1].stack_count = 3;
	allocator->sites[1].shown = 1;
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++)
		if (plans[i].device == (unsigned int)device)
			segment_fill(allocator, &plans[i]);
	allocator->fragmentation /= (double)allocator->reserved;
	allocator->blocks = allocator->handed_out = allocator->drawn_count;
	allocator->map = cast_memory(snapshot, allocator->drawn_count, sizeof(*allocator->map));
	for (size_t i = 0; i < allocator->drawn_count; i++)
		allocator->map[i] = allocator->drawn[i];
	allocator->map_count = allocator->drawn_count;
	qsort(allocator->map, allocator->map_count, sizeof(*allocator->map), by_size);
}

/* What the driver gave: the segments, and two allocations that are none. */
static void driver_fill(struct snapshot *snapshot, struct snap_process *process)
{
	process->map = cast_memory(snapshot, 32, sizeof(*process->map));
	process->map_count = process->map_omitted = 0;
	process->live = 64 * MIB;
	for (size_t i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];

		for (size_t j = 0; j < allocator->segment_count; j++)
			process->map[process->map_count++] = (struct snap_alloc){
				.address = allocator->segments[j].start,
				.bytes = allocator->segments[j].end - allocator->segments[j].start,
				.site = names[1],
				.device = allocator->device,
				.call = CALL_cudaMalloc,
				.kind = KIND_DEVICE,
			};
		process->live += allocator->reserved;
	}
	process->map[process->map_count++] = (struct snap_alloc){
		.address = 0x7f0000000000,
		.bytes = 64 * MIB,
		.age = 90 * NS,
		.site = "load_weights+0x1f4 (model.so)",
		.call = CALL_cudaMalloc,
		.kind = KIND_DEVICE,
	};
	process->map[process->map_count++] = (struct snap_alloc){
		.address = 0x7f3000000000,
		.bytes = 4 * MIB,
		.age = 91 * NS,
		.site = "pin at loader.py:9 (python)",
		.device = -1,
		.call = CALL_cudaMallocHost,
		.kind = KIND_PINNED,
	};
	qsort(process->map, process->map_count, sizeof(*process->map), by_size);
	process->sites[1].in_cache = true;
	process->sites[1].live = process->live - 64 * MIB;
	process->sites[1].held = 0;
	process->sites[0].live = 64 * MIB;
	process->held = 0;
	process->peak = process->live;
}

struct snap_process *cast_tensors(struct snapshot *snapshot, int devices)
{
	struct snap_process *process = &snapshot->processes[1];

	ck_assert_uint_eq(process->program, CAST_TRAINER);
	process->allocators = cast_memory(snapshot, (size_t)devices, sizeof(*process->allocators));
	process->allocator_count = (size_t)devices;
	process->has_reserved = process->tensors_judged = true;
	process->tensors = process->reserved = process->tensors_rising = 0;
	for (int i = 0; i < devices; i++) {
		struct snap_allocator *allocator = &process->allocators[i];

		allocator_fill(snapshot, allocator, i);
		process->tensors += allocator->allocated;
		process->reserved += allocator->reserved;
		process->tensors_rising += allocator->rising;
	}
	process->device_list = devices > 1 ? "0-1" : "0";
	driver_fill(snapshot, process);
	return process;
}
