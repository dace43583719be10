/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that are counted and timed, and those of them that mean a little more:
 * synchronize (time in which at least one thread of the program waits, calls
 * that have not returned included), set device, reset.
 */
#ifndef PLAIN_BPF_H
#define PLAIN_BPF_H

#include "context.bpf.h"
#include "pending.bpf.h"

/*
 * The device whose work is all done when a synchronizing call of @scope returns;
 * DEVICE_PART where it waits for less: for a context that is no primary one, or
 * is not known. "If the current context is the primary context, green contexts
 * that have been created will also be synchronized" (cuda.h of CUDA 13.0,
 * cuCtxSynchronize()): of a green one that is current nothing else is.
 */
static __noinline __s32 device_awaited(struct thread_state *thread, __u8 scope, __u64 context)
{
	struct address_key key = { .address = context };
	struct context_row *row;

	if (!thread)
		return DEVICE_PART;
	if (scope == SYNC_DEVICE || !context)
		return thread->context || thread->green ? DEVICE_PART : thread->device;
	key.program = thread->program;
	row = bpf_map_lookup_elem(&contexts, &key);
	return row && row->primary && !row->green ? row->device : DEVICE_PART;
}

static __always_inline bool waits_for_device(const volatile struct call_desc *desc)
{
	return desc->a == SYNC_DEVICE || desc->a == SYNC_CONTEXT;
}

static __always_inline int plain_entry(struct pt_regs *ctx, struct task_struct *task, bool session)
{
	const volatile struct call_desc *desc;
	struct thread_state *thread;
	struct program_sync *sync;
	struct frame *frame;
	__u32 call;

	frame = call_begin(ctx, task, session, &thread, &call);
	if (!frame)
		return 1;
	desc = desc_of(call);
	if (desc->class == CLASS_DEVICE)
		frame->device.device = call_arg(ctx, desc->a);
	if (desc->class == CLASS_PLAIN)
		caller_note(ctx, thread, frame, desc);
	frame->entry = bpf_ktime_get_ns();
	trace_entry(ctx, thread, frame, call);
	if (desc->class == CLASS_SYNC) {
		sync = sync_begin(thread, frame->entry);
		if (sync && waits_for_device(desc))
			device_sync_begin(thread, sync, frame, device_awaited(thread, desc->a, call_arg(ctx, 0)));
		if (desc->a == SYNC_STREAM) {
			frame->sync.stream = stream_argument(ctx, thread, call);
			stream_sync_begin(thread, frame->sync.stream, frame->entry);
		}
	}
	return 0;
}

static __always_inline int plain_return(struct pt_regs *ctx, struct task_struct *task, bool session)
{
	const volatile struct call_desc *desc;
	__u64 now = bpf_ktime_get_ns();
	struct thread_state *thread;
	struct program_sync *sync;
	struct frame *frame;
	__s32 result;
	__u32 call;
	bool failed;

	frame = call_end(ctx, task, session, &thread, &call);
	if (!frame || frame->nested)
		return 0;
	desc = desc_of(call);
	result = PT_REGS_RC(ctx);
	failed = is_failure(desc, result);
	call_finished(ctx, thread, frame, call, failed, now);
	if (desc->class == CLASS_SYNC) {
		sync = sync_end(thread->program, thread, now);
		if (sync && !result && waits_for_device(desc))
			device_sync_end(thread, sync, frame);
		if (!result && desc->a == SYNC_STREAM)
			stream_sync_end(thread, frame->sync.stream, frame->entry);
	} else if (desc->class == CLASS_DEVICE && !result) {
		context_turn(thread, 0, frame->device.device);
	} else if (desc->class == CLASS_RESET && !result && !thread->context) {
		/* In a context of the program's own it ends but the runtime's state there: cuda_runtime_api.h, cudaDeviceReset(). */
		reset_send(thread, call, frame->entry, thread->device, 0);
	}
	return 0;
}

#endif
