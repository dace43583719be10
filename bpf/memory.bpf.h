/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations and frees. Each goes through the ring as a record of its own,
 * made at return, when the result and the address are known; the size is
 * worked out at entry as far as the arguments say it. The model counts and
 * times these calls from their records: a row of the map `calls` besides would
 * say the same.
 */
#ifndef MEMORY_BPF_H
#define MEMORY_BPF_H

struct extent {
	__u64 width, height, depth;	/* struct cudaExtent, driver_types.h */
};

/* Bytes of an array's element: the channels' bits of a cudaChannelFormatDesc, driver_types.h. */
static __always_inline __u32 element_bytes(__u64 desc)
{
	__s32 bits[4] = {};

	if (bpf_probe_read_user(bits, sizeof(bits), (void *)desc))
		count_lost(LOST_ARGUMENT);
	return ((__u32)bits[0] + bits[1] + bits[2] + bits[3]) / 8;
}

static __always_inline __u64 at_least_one(__u64 n)
{
	return n ? n : 1;
}

/* Fills frame->args: 0 out argument or address, 1 bytes, 2 where the pitch is written, 3 element bytes. */
static __always_inline void alloc_arguments(struct pt_regs *ctx, struct frame *frame,
					    const volatile struct call_desc *desc)
{
	__u64 levels, bytes, total = 0;
	struct extent extent = {};
	__u32 d = desc->d;
	int i;

	frame->args[0] = call_arg(ctx, desc->b);
	frame->args[1] = 0;
	frame->args[2] = 0;
	frame->args[3] = 0;
	switch (desc->c) {
	case SIZE_ARG:
	case SIZE_REGISTER:
		frame->args[1] = call_arg(ctx, d);
		break;
	case SIZE_PITCH:
		frame->args[2] = call_arg(ctx, d);
		frame->args[1] = call_arg(ctx, d + 2);
		break;
	case SIZE_PITCHED3D:
		if (bpf_probe_read_user(&extent, sizeof(extent), call_struct(ctx, d)))
			count_lost(LOST_ARGUMENT);
		/* struct cudaPitchedPtr: the pointer, then the pitch */
		frame->args[2] = frame->args[0] + 8;
		frame->args[1] = at_least_one(extent.height) * at_least_one(extent.depth);
		break;
	case SIZE_ARRAY:
		frame->args[3] = element_bytes(call_arg(ctx, d));
		frame->args[1] = call_arg(ctx, d + 1) * at_least_one(call_arg(ctx, d + 2)) * frame->args[3];
		break;
	case SIZE_ARRAY3D:
	case SIZE_MIPMAP:
		frame->args[3] = element_bytes(call_arg(ctx, d));
		if (bpf_probe_read_user(&extent, sizeof(extent), call_struct(ctx, d + 1)))
			count_lost(LOST_ARGUMENT);
		levels = 1;
		if (desc->c == SIZE_MIPMAP) {
#if defined(__TARGET_ARCH_x86)
			levels = (__u32)call_arg(ctx, d + 1);
#else
			levels = (__u32)call_arg(ctx, d + 2);
#endif
		}
		/* Each level halves every dimension that is not yet 1. No texture has more than 2^17 texels a side. */
		for (i = 0; i < 18; i++) {
			if ((__u64)i >= levels)
				break;
			bytes = at_least_one(extent.width) * at_least_one(extent.height) *
				at_least_one(extent.depth) * frame->args[3];
			total += bytes;
			extent.width >>= 1;
			extent.height >>= 1;
			extent.depth >>= 1;
		}
		frame->args[1] = total;
		break;
	}
}

static __always_inline int alloc_entry(struct pt_regs *ctx, bool session)
{
	__u32 call = bpf_get_attach_cookie(ctx);
	struct thread_state *thread = thread_enter();
	struct frame *frame;

	if (!thread || call >= CALL_COUNT)
		return 1;
	frame = frame_open(thread, ctx, call);
	if (!frame)
		return 1;
	if (frame->nested) {
		if (session)
			frame_cancel(thread);
		return 1;
	}
	alloc_arguments(ctx, frame, desc_of(call));
	frame->entry = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int alloc_return(struct pt_regs *ctx)
{
	__u64 now = bpf_ktime_get_ns(), address = 0, pitch = 0, bytes;
	__u32 call = bpf_get_attach_cookie(ctx);
	struct thread_state *thread = thread_leave();
	const volatile struct call_desc *desc;
	struct rec_alloc *rec;
	struct frame *frame;
	__s32 result;

	if (!thread || call >= CALL_COUNT)
		return 0;
	frame = frame_close(thread, ctx, call);
	if (!frame || frame->nested)
		return 0;
	desc = desc_of(call);
	result = PT_REGS_RC(ctx);
	bytes = frame->args[1];
	if (desc->c == SIZE_REGISTER) {
		address = frame->args[0];
	} else if (!result) {
		if (bpf_probe_read_user(&address, sizeof(address), (void *)frame->args[0]))
			count_lost_of(thread->image, LOST_ARGUMENT);
	}
	if (frame->args[2] && !result) {
		if (bpf_probe_read_user(&pitch, sizeof(pitch), (void *)frame->args[2]))
			count_lost_of(thread->image, LOST_ARGUMENT);
		bytes *= pitch;
	}
	if (result)
		failure_count(thread, call, result, call_site(ctx), now);
	site_announce(thread, call_site(ctx));
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec) {
		count_lost_of(thread->image, LOST_RING_FULL);
		return 0;
	}
	header_of(thread, &rec->hdr, REC_ALLOC, sizeof(*rec), now);
	rec->entry = frame->entry;
	rec->address = result ? 0 : address;
	rec->bytes = bytes;
	rec->site = call_site(ctx);
	rec->result = result;
	rec->device = thread->device;
	rec->call = call;
	rec->kind = desc->a;
	rec->pad = 0;
	rec->element_bytes = frame->args[3];
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return 0;
}

static __always_inline int free_entry(struct pt_regs *ctx, bool session)
{
	__u32 call = bpf_get_attach_cookie(ctx);
	struct thread_state *thread = thread_enter();
	struct frame *frame;

	if (!thread || call >= CALL_COUNT)
		return 1;
	frame = frame_open(thread, ctx, call);
	if (!frame)
		return 1;
	if (frame->nested) {
		if (session)
			frame_cancel(thread);
		return 1;
	}
	frame->args[0] = call_arg(ctx, desc_of(call)->a);
	frame->entry = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int free_return(struct pt_regs *ctx)
{
	__u32 call = bpf_get_attach_cookie(ctx);
	struct thread_state *thread = thread_leave();
	__u64 now = bpf_ktime_get_ns();
	struct rec_free *rec;
	struct frame *frame;
	__s32 result;

	if (!thread || call >= CALL_COUNT)
		return 0;
	frame = frame_close(thread, ctx, call);
	if (!frame || frame->nested)
		return 0;
	result = PT_REGS_RC(ctx);
	if (result)
		failure_count(thread, call, result, call_site(ctx), now);
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec) {
		count_lost_of(thread->image, LOST_RING_FULL);
		return 0;
	}
	header_of(thread, &rec->hdr, REC_FREE, sizeof(*rec), now);
	rec->entry = frame->entry;
	rec->address = frame->args[0];
	rec->site = call_site(ctx);
	rec->result = result;
	rec->call = call;
	rec->pad = 0;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return 0;
}

#endif
