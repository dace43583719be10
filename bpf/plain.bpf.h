/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that are only counted and timed, and some with a further meaning: synchronize (time in
 * which at least one thread of the program waits, including calls that have not returned), set
 * device, reset.
 */
#ifndef PLAIN_BPF_H
#define PLAIN_BPF_H

#include "context.bpf.h"
#include "fault.bpf.h"
#include "site_rows.bpf.h"

/*
 * The device whose work is all done when a synchronizing call of @scope returns. DEVICE_PART if the
 * call waits for less: for a context that is not a primary one, or is unknown. "If the current
 * context is the primary context, green contexts that have been created will also be synchronized"
 * (cuda.h of CUDA 13.0, cuCtxSynchronize()): with a green context current, only that one is.
 */
static __noinline __s32 device_awaited(struct thread_state *thread, __u8 scope, __u64 context)
{
	struct context_row *row;

	if (scope == SYNC_DEVICE || !context)
		return thread->context || thread->green ? DEVICE_PART : thread->device;
	row = context_known(thread->program, context);
	return row && row->primary && !row->green ? row->device : DEVICE_PART;
}

static __always_inline bool waits_for_device(const volatile struct call_desc *desc)
{
	return desc->a == SYNC_DEVICE || desc->a == SYNC_CONTEXT;
}

static __always_inline int plain_entry(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;
	struct program_sync *sync;

	if (desc->class == CLASS_DEVICE)
		frame->device.device = call_arg(run->ctx, desc->a);
	if (desc->class == CLASS_PLAIN)
		caller_note(run);
	call_entered(run);
	if (desc->class == CLASS_SYNC) {
		sync = sync_begin(thread, frame->entry);
		if (sync && waits_for_device(desc))
			device_sync_begin(thread, frame,
					  device_awaited(thread, desc->a, call_arg(run->ctx, 0)));
	}
	return 0;
}

static __always_inline void plain_return(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;
	struct program_sync *sync;

	if (desc->class == CLASS_SYNC) {
		if (launch_sites)
			call_site_count(run->ctx, thread, run->call, 0, run->now - frame->entry);
		sync = sync_end(thread->program, thread, run->now);
		if (sync && !run->result && waits_for_device(desc))
			device_sync_end(thread, sync, frame);
	} else if (desc->class == CLASS_DEVICE && !run->result) {
		context_turn(thread, 0, frame->device.device);
	} else if (desc->class == CLASS_RESET && !run->result && !thread->context) {
		/*
		 * In a context of the program's own, it only ends the runtime's state there:
		 * cuda_runtime_api.h, cudaDeviceReset().
		 */
		reset_send(thread, run->call, frame->entry, thread->device, 0);
	}
}

#endif
