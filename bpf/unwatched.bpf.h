/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where only the runtime's calls are watched: what programs allocate by calls of
 * the driver that no call of the runtime made. Nothing of such an allocation is
 * kept but that there was one, so that the verdict is not "no leak". A runtime
 * without symbols, linked into a program, is seen by this as well.
 */
#ifndef UNWATCHED_BPF_H
#define UNWATCHED_BPF_H

#include "frames.bpf.h"

/* Read by user space: how many there were, and by which process last. */
__u64 unwatched_allocations;
__u32 unwatched_tgid;
char unwatched_comm[CUTOP_COMM_LEN];

/* As is_inside() of frames.bpf.h: mostly so, and whether the runtime's call is still under way costs more to ask than the rest. */
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

	/* The verdict on a process without return probes is never "no leak", and it has no frames to tell nesting by. */
	if (is_refused(task))
		return;
	if (unwatched_nests(ctx, bpf_task_storage_get(&threads, task, NULL, 0)) || !is_watched(task, tgid))
		return;
	__sync_fetch_and_add(&unwatched_allocations, 1);
	unwatched_tgid = tgid;
	bpf_get_current_comm(unwatched_comm, sizeof(unwatched_comm));
}

#endif
