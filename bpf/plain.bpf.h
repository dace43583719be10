/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that are counted and timed, and those of them that mean a little more:
 * synchronize (time in which at least one thread of the image waits, calls
 * that have not returned included), set device, reset.
 */
#ifndef PLAIN_BPF_H
#define PLAIN_BPF_H

static __always_inline int plain_entry(struct pt_regs *ctx, bool session)
{
	__u32 call = bpf_get_attach_cookie(ctx);
	struct thread_state *thread = thread_enter();
	const volatile struct call_desc *desc;
	struct frame *frame;

	if (!thread || call >= CALL_COUNT)
		return 1;
	desc = desc_of(call);
	frame = frame_open(thread, ctx, call);
	if (!frame)
		return 1;
	if (frame->nested) {
		if (session)
			frame_cancel(thread);
		return 1;
	}
	if (desc->class == CLASS_DEVICE)
		frame->args[0] = call_arg(ctx, desc->a);
	frame->entry = bpf_ktime_get_ns();
	if (desc->class == CLASS_SYNC)
		sync_begin(thread, frame->entry);
	return 0;
}

static __always_inline void reset_send(struct thread_state *thread, __u32 call, __u64 now)
{
	struct rec_reset *rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);

	if (!rec) {
		count_lost_of(thread->image, LOST_RING_FULL);
		return;
	}
	header_of(thread, &rec->hdr, REC_RESET, sizeof(*rec), now);
	rec->device = thread->device;
	rec->call = call;
	rec->pad = 0;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
}

static __always_inline int plain_return(struct pt_regs *ctx)
{
	__u32 call = bpf_get_attach_cookie(ctx);
	struct thread_state *thread = thread_leave();
	const volatile struct call_desc *desc;
	__u64 now = bpf_ktime_get_ns();
	struct frame *frame;
	__s32 result;
	bool failed;

	if (!thread || call >= CALL_COUNT)
		return 0;
	frame = frame_close(thread, ctx, call);
	if (!frame || frame->nested)
		return 0;
	desc = desc_of(call);
	result = PT_REGS_RC(ctx);
	failed = is_failure(desc, result);
	call_count(thread->image, call, now - frame->entry, failed);
	if (failed)
		failure_count(thread, call, result, call_site(ctx), now);
	if (desc->class == CLASS_SYNC)
		sync_end(thread->image, thread, now);
	else if (desc->class == CLASS_DEVICE && !result)
		thread->device = frame->args[0];
	else if (desc->class == CLASS_RESET && !result)
		reset_send(thread, call, now);
	return 0;
}

#endif
