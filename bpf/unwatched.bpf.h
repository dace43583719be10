/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When only the runtime's calls are watched: detects allocations by driver calls that no runtime
 * call made. Only their number is kept, so that the verdict is not "no leak". This also detects a
 * runtime without symbols that is linked into a program.
 */
#ifndef UNWATCHED_BPF_H
#define UNWATCHED_BPF_H

#include "frames.bpf.h"

/* Read by user space: how many there were, and by which process last. */
__u64 unwatched_allocations;
__u32 unwatched_tgid;
char unwatched_comm[CUTOP_COMM_LEN];

/*
 * Like is_inside() of frames.bpf.h: it is nearly always so, and checking whether the runtime's call
 * is still under way costs more than all the rest.
 */
static __always_inline bool unwatched_nests(struct pt_regs *ctx, struct thread_state *thread)
{
	struct frame *frame;

	if (!thread || !thread->depth)
		return false;
	frame = &thread->frames[(thread->depth - 1) & (FRAME_COUNT - 1)];
	if (frame->sp <= call_sp(ctx))
		return false;
	if (frame->inside >= INSIDE_MAX)
		return frame_alive(thread, frame);
	frame->inside++;
	return true;
}

static __always_inline void unwatched_entry(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	if (unwatched_nests(ctx, bpf_task_storage_get(&threads, task, NULL, 0)) ||
	    !is_watched(task, tgid))
		return;
	__sync_fetch_and_add(&unwatched_allocations, 1);
	unwatched_tgid = tgid;
	bpf_get_current_comm(unwatched_comm, sizeof(unwatched_comm));
}

#endif
