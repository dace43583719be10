/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How large a device is: learnt where the program asks CUDA, or the runtime
 * asks the driver when it starts. Said once per program and device; programs may
 * ask for the free memory in a loop.
 */
#ifndef SIZE_BPF_H
#define SIZE_BPF_H

#include "context.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);	/* what falls out is told of again */
	__uint(max_entries, 4096);
	__type(key, struct device_key);
	__type(value, __u64);
} sizes SEC(".maps");

__noinline int size_send(struct thread_state *thread, __s32 device, __u64 total, __u64 now)
{
	struct device_key key = { .device = device };
	struct rec_device *rec;
	__u64 *known;

	if (!thread)
		return 0;
	key.program = thread->program;
	known = bpf_map_lookup_elem(&sizes, &key);
	if (known && *known == total)
		return 0;
	rec = record_begin(thread, REC_DEVICE, sizeof(*rec), now);
	if (!rec)
		return 0;
	rec->total = total;
	rec->device = device;
	rec->pad = 0;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	bpf_map_update_elem(&sizes, &key, &total, BPF_ANY);
	return 0;
}

/* Also what is asked inside another hooked call is listened to. */
static __always_inline int size_entry(struct pt_regs *ctx, struct task_struct *task, bool session)
{
	__u32 cookie = call_cookie(ctx, task, session), call = CUTOP_COOKIE_CALL(cookie);
	struct thread_state *thread = thread_enter(task);
	const volatile struct call_desc *desc;
	struct frame *frame;

	if (!thread || call >= CALL_COUNT)
		return 1;
	desc = desc_of(call);
	frame = frame_open(thread, ctx, cookie);
	if (!frame)
		return 1;
	frame->size.bytes_at = call_arg(ctx, desc->a);
	if (frame->size.bytes_at)
		frame->size.bytes_at += 8 * (__u64)desc->b;
	frame->size.device = desc->c == SIZE_OF_CURRENT ? thread->device : (__s32)call_arg(ctx, desc->c);
	caller_note(ctx, thread, frame, desc);
	frame->entry = bpf_ktime_get_ns();
	trace_entry(ctx, thread, frame, call);
	return 0;
}

static __always_inline int size_return(struct pt_regs *ctx, struct task_struct *task, bool session)
{
	__u64 now = bpf_ktime_get_ns(), total = 0;
	struct thread_state *thread;
	struct frame *frame;
	__s32 result;
	__u32 call;

	frame = call_end(ctx, task, session, &thread, &call);
	if (!frame)
		return 0;
	result = PT_REGS_RC(ctx);
	if (!frame->nested)
		call_returned(ctx, thread, frame, call, now);
	if (result || !frame->size.bytes_at || frame->size.device < 0)
		return 0;
	if (bpf_probe_read_user(&total, sizeof(total), (void *)frame->size.bytes_at))
		count_lost_of(thread->program, LOST_ARGUMENT);
	else
		size_send(thread, frame->size.device, total, now);
	return 0;
}

#endif
