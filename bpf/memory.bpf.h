/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations, frees, and mappings of physical memory. Each goes through the ring as a record of
 * its own, made at return, when the result and the address are known; the size is computed at
 * entry, as far as the arguments tell it. The model counts and times these calls from their
 * records: a row in the map `calls` would only repeat that.
 */
#ifndef MEMORY_BPF_H
#define MEMORY_BPF_H

#include "capture.bpf.h"
#include "context.bpf.h"
#include "python_call.bpf.h"
#include "stacks.bpf.h"

/* ---- array size ---- */

/* How many bytes CUDA's arrays take: elements, levels of mipmaps, layers. */

struct extent {
	__u64 width, height, depth; /* struct cudaExtent, driver_types.h */
};

/* CUDA_ARRAY_DESCRIPTOR and CUDA_ARRAY3D_DESCRIPTOR, cuda.h */
struct array_desc {
	__u64 width, height;
	__u32 format, channels;
};

struct array3d_desc {
	__u64 width, height, depth;
	__u32 format, channels;
	__u32 flags, pad;
};

/* Flags of arrays, alike in both layers: driver_types.h, cuda.h */
/* cudaArrayLayered, cudaArrayCubemap: the depth counts layers or faces */
#define ARRAY_LAYERS 5
/* cudaArraySparse, cudaArrayDeferredMapping: memory is mapped into it later */
#define ARRAY_UNBACKED 0xc0

/* Bytes of one channel: CUarray_format, cuda.h. Of all others there is a byte for each channel. */
static __always_inline __u32 format_bytes(__u32 format)
{
	switch (format) {
	case 0x02:
	case 0x09:
	case 0x10: /* 16 bits: unsigned, signed, half */
	case 0xc3:
	case 0xc4:
	case 0xc5: /* normalized: unsigned, 1 to 4 channels */
	case 0xc9:
	case 0xca:
	case 0xcb: /* signed */ return 2;
	case 0x03:
	case 0x0a:
	case 0x20: /* 32 bits: unsigned, signed, float */ return 4;
	default: return 1;
	}
}

/* Bytes of an element of an array with the cudaChannelFormatDesc at @desc: driver_types.h */
static __always_inline __u64 desc_bytes(__u64 desc)
{
	__s32 bits[4] = {};

	if (bpf_probe_read_user(bits, sizeof(bits), (void *)desc))
		argument_lost();
	return ((__u32)bits[0] + bits[1] + bits[2] + bits[3]) / 8;
}

static __always_inline __u64 at_least_one(__u64 n)
{
	return n ? n : 1;
}

struct array_levels {
	struct extent extent; /* of the level to come */
	__u64 levels, total;
	__u64 bytes; /* of an element */
	__u32 flags;
};

static long array_level(__u32 i, struct array_levels *all)
{
	struct extent *extent = &all->extent;
	bool has_layers = all->flags & ARRAY_LAYERS;

	if (i && (i >= all->levels ||
		  !(extent->width | extent->height | (has_layers ? 0 : extent->depth))))
		return 1;
	all->total += at_least_one(extent->width) * at_least_one(extent->height) *
		      at_least_one(extent->depth) * all->bytes;
	extent->width >>= 1;
	extent->height >>= 1;
	if (!has_layers)
		extent->depth >>= 1;
	return 0;
}

/*
 * Bytes of all levels of an array with @flags, mipmapped if there are several. Each level halves
 * every dimension that is not yet 1; layers and faces stay. CUDA makes at least one level, and none
 * below one texel, whatever number is asked for. No texture has more than 2^17 texels a side.
 */
static __noinline __u64 array_bytes(const struct extent *extent, __u64 levels, __u64 bytes,
				    __u32 flags)
{
	struct array_levels all = {
		.extent = *extent,
		.levels = levels,
		.bytes = bytes,
		.flags = flags,
	};

	if (flags & ARRAY_UNBACKED)
		return 0;
	bpf_loop(18, array_level, &all, 0);
	return all.total;
}

/* ---- memory ---- */

/* frame->flags */
#define ALLOC_ON_HOST 1 /* physical memory, or a pool's, that is on no device */
/* The call adds a node to a graph, and allocates or frees nothing */
#define IN_CAPTURE    2
#define ALLOC_MANAGED 4 /* from a pool of managed memory */

/* The driver's array calls: everything is in a descriptor. */
static __noinline int array_arguments(struct frame *frame, __u64 address, __u64 levels, bool flat)
{
	struct array3d_desc desc = {};
	struct array_desc two = {};
	struct extent extent;

	if (flat) {
		if (bpf_probe_read_user(&two, sizeof(two), (void *)address))
			argument_lost();
		desc.width = two.width;
		desc.height = two.height;
		desc.format = two.format;
		desc.channels = two.channels;
	} else if (bpf_probe_read_user(&desc, sizeof(desc), (void *)address)) {
		argument_lost();
	}
	frame->alloc.element_bytes = format_bytes(desc.format) * desc.channels;
	extent.width = desc.width;
	extent.height = desc.height;
	extent.depth = desc.depth;
	frame->alloc.bytes = array_bytes(&extent, levels, frame->alloc.element_bytes, desc.flags);
	return 0;
}

/* True if the stream in argument @n is being captured. */
static __always_inline bool is_captured(struct call_run *run, __u32 n)
{
	return may_capture(run->thread) &&
	       capture_graph(run->thread,
			     stream_name(run->thread, call_arg(run->ctx, n), run->desc->flags));
}

/* Where an allocation is placed if it, or its pool, says so: frame->alloc.place, and its flag. */
static __always_inline void alloc_place(struct frame *frame, __s32 device)
{
	if (device == DEVICE_HOST) {
		frame->flags |= ALLOC_ON_HOST;
		device = CUTOP_DEVICE_UNKNOWN;
	}
	frame->alloc.place = (__u64)(device + 2);
}

/* The same for an allocation from the memory pool @pool. */
static __always_inline void alloc_from(struct frame *frame, __u32 program, __u64 pool)
{
	struct context_row *row = context_known(program, pool);

	if (row && row->managed) {
		frame->flags |= ALLOC_MANAGED;
		frame->alloc.place = row->device >= 0 ? (__u64)(row->device + 2) : 0;
		return;
	}
	alloc_place(frame, row ? row->device : CUTOP_DEVICE_UNKNOWN);
}

/* The same for one from the current pool of a stream's device: cuda.h, cuMemAllocAsync(). */
static __always_inline void alloc_in_stream(struct frame *frame, __u32 program, __u64 stream)
{
	struct context_row *row = stream > STREAM_PER_THREAD ? context_known(program, stream) :
							       NULL;

	if (row)
		alloc_place(frame, row->device);
}

static __always_inline __u8 kind_of(const struct frame *frame,
				    const volatile struct call_desc *desc)
{
	return frame->flags & ALLOC_ON_HOST ? KIND_PINNED :
	       frame->flags & ALLOC_MANAGED ? KIND_MANAGED :
					      desc->a;
}

/* Fills frame->alloc and frame->flags. */
static __always_inline void alloc_arguments(struct pt_regs *ctx, struct frame *frame,
					    const volatile struct call_desc *desc)
{
	struct extent extent = {};
	__u32 d = desc->d, flags;
	__u64 levels;

	frame->alloc = (struct alloc_args){ .address_at = call_arg(ctx, desc->b) };
	frame->flags = 0;
	switch (desc->c) {
	case SIZE_ARG:
	case SIZE_REGISTER: frame->alloc.bytes = call_arg_of(ctx, desc, d); break;
	case SIZE_PHYSICAL:
		frame->alloc.bytes = call_arg(ctx, d);
		alloc_place(frame, device_at(call_arg(ctx, d + 1) + LOCATION_OFFSET));
		break;
	case SIZE_DRIVER_ARRAY:
	case SIZE_DRIVER_ARRAY3D:
		array_arguments(frame, call_arg(ctx, d), 1, desc->c == SIZE_DRIVER_ARRAY);
		break;
	case SIZE_DRIVER_MIPMAP:
		array_arguments(frame, call_arg(ctx, d), (__u32)call_arg(ctx, d + 1), false);
		break;
	case SIZE_PITCH:
		frame->alloc.pitch_at = call_arg(ctx, d);
		frame->alloc.bytes = call_arg(ctx, d + 2);
		break;
	case SIZE_PITCHED3D:
		if (bpf_probe_read_user(&extent, sizeof(extent), call_struct(ctx, d)))
			argument_lost();
		/* struct cudaPitchedPtr: the pointer, then the pitch */
		frame->alloc.pitch_at = frame->alloc.address_at + 8;
		frame->alloc.bytes = at_least_one(extent.height) * at_least_one(extent.depth);
		break;
	case SIZE_ARRAY:
		frame->alloc.element_bytes = desc_bytes(call_arg(ctx, d));
		extent.width = call_arg(ctx, d + 1);
		extent.height = call_arg(ctx, d + 2);
		flags = call_arg(ctx, d + 3);
		frame->alloc.bytes = array_bytes(&extent, 1, frame->alloc.element_bytes, flags);
		break;
	case SIZE_ARRAY3D:
	case SIZE_MIPMAP:
		frame->alloc.element_bytes = desc_bytes(call_arg(ctx, d));
		if (bpf_probe_read_user(&extent, sizeof(extent), call_struct(ctx, d + 1)))
			argument_lost();
		levels = 1;
		flags = call_arg_past_struct(ctx, d + 1);
		if (desc->c == SIZE_MIPMAP) {
			levels = flags;
			flags = call_arg_past_struct(ctx, d + 2);
		}
		frame->alloc.bytes =
			array_bytes(&extent, levels, frame->alloc.element_bytes, flags);
		break;
	}
}

static __always_inline int alloc_entry(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct frame *frame = run->frame;

	alloc_arguments(run->ctx, frame, desc);
	if (desc->flags & CALL_POOL)
		alloc_from(frame, run->thread->program, call_arg(run->ctx, 2));
	else if (desc->a == KIND_ASYNC && many_devices)
		alloc_in_stream(frame, run->thread->program, call_arg(run->ctx, 2));
	/* The stream is the last argument: after the size, or the pool. */
	if (desc->a == KIND_ASYNC && is_captured(run, desc->flags & CALL_POOL ? 3 : 2))
		frame->flags |= IN_CAPTURE;
	return call_entered(run);
}

static __always_inline void alloc_return(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;
	__u64 address = 0, pitch = 0, bytes = frame->alloc.bytes, stack;
	__s32 result = run->result, device;
	struct rec_alloc *rec;

	if (desc->c == SIZE_REGISTER) {
		address = frame->alloc.address_at;
	} else if (!result) {
		if (bpf_probe_read_user(&address, sizeof(address), (void *)frame->alloc.address_at))
			count_lost_of(thread->program, LOST_ARGUMENT);
		if (desc->flags & CALL_NARROW)
			address = (__u32)address;
	}
	if (frame->alloc.pitch_at && !result) {
		if (bpf_probe_read_user(&pitch, sizeof(pitch), (void *)frame->alloc.pitch_at))
			count_lost_of(thread->program, LOST_ARGUMENT);
		bytes *= pitch;
	}
	if (result)
		call_failed(run);
	device = frame->alloc.place ? (__s32)frame->alloc.place - 2 : thread->device;
	trace_allocated(result ? 0 : address, bytes, device);
	trace_return(run);
	if (!keep_books)
		return;
	site_announce(thread, call_site(run->ctx));
	stack = stack_of(run->ctx, thread, call_site(run->ctx));
	rec = record_begin(thread, REC_ALLOC, sizeof(*rec), run->now);
	if (!rec)
		return;
	rec->entry = frame->entry;
	rec->address = result ? 0 : address;
	rec->bytes = bytes;
	rec->site = call_site(run->ctx);
	rec->result = result;
	rec->device = device;
	rec->call = run->call;
	rec->kind = kind_of(frame, desc);
	rec->how = frame->flags & IN_CAPTURE ? ALLOC_CAPTURED : 0;
	rec->element_bytes = frame->alloc.element_bytes;
	rec->context = desc->flags & CALL_NO_CONTEXT ? 0 : thread->context;
	rec->stack = stack;
	if (!result)
		device_used(thread->program, device);
	bpf_ringbuf_submit(rec, quiet_flags(thread));
}

static __always_inline int free_entry(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;

	run->frame->free.address = call_arg_of(run->ctx, desc, desc->a);
	run->frame->flags = desc->b && is_captured(run, desc->b) ? IN_CAPTURE : 0;
	return call_entered(run);
}

static __always_inline void free_return(struct call_run *run)
{
	struct rec_free *rec;
	__u64 site;

	trace_return(run);
	if (run->result)
		call_failed(run);
	if (!keep_books)
		return;
	site = call_site(run->ctx);
	if (run->result) {
		site_announce(run->thread, site);
		site = python_site(run->thread, site);
	}
	rec = record_begin(run->thread, REC_FREE, sizeof(*rec), run->now);
	if (!rec)
		return;
	rec->entry = run->frame->entry;
	rec->address = run->frame->free.address;
	rec->site = site;
	rec->result = run->result;
	rec->call = run->call;
	rec->captured = run->frame->flags & IN_CAPTURE ? 1 : 0;
	bpf_ringbuf_submit(rec, quiet_flags(run->thread));
}

/* ---- mappings of physical memory, and addresses of variables ---- */

static __always_inline int map_entry(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct frame *frame = run->frame;

	frame->map.address = call_arg(run->ctx, desc->b);
	frame->map.bytes = desc->c == NO_ARG ? 0 : call_arg(run->ctx, desc->c);
	frame->map.handle = desc->a == MAP_PLACE || desc->d ? call_arg(run->ctx, desc->d) : 0;
	caller_note(run);
	return call_entered(run);
}

/* The word that a call wrote at @at, 0 if it was not asked to. */
static __always_inline __u64 word_wanted(struct thread_state *thread, __u64 at)
{
	__u64 word = 0;

	if (at && bpf_probe_read_user(&word, sizeof(word), (void *)at))
		count_lost_of(thread->program, LOST_ARGUMENT);
	return word;
}

static __always_inline void map_return(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;
	__u64 address, bytes, handle;
	struct rec_map *rec;

	if (run->result)
		return;
	address = frame->map.address;
	bytes = frame->map.bytes;
	handle = frame->map.handle;
	if (desc->a == MAP_GLOBAL) {
		address = word_wanted(thread, frame->map.address_at);
		bytes = word_wanted(thread, frame->map.bytes_at);
	} else if (desc->a == MAP_RETAIN || desc->a == MAP_LEVEL) {
		address = frame->map.mapped;
		bytes = 0;
		handle = word_wanted(thread, frame->map.handle_at);
	}
	rec = record_begin(thread, REC_MAP, sizeof(*rec), run->now);
	if (!rec)
		return;
	rec->address = address;
	rec->bytes = bytes;
	rec->handle = handle;
	rec->call = run->call;
	rec->act = desc->a;
	__builtin_memset(rec->pad, 0, sizeof(rec->pad));
	bpf_ringbuf_submit(rec, quiet_flags(thread));
}

#endif
