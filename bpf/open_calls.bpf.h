/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time in calls that have not returned. At each refresh user space runs an iterator over the
 * threads of each watched process, which reads their outermost frames: so that costs the calls
 * nothing. It reads the processor time of each, too. A thread that ends inside a call leaves its time in the program's row. Waits are in
 * program_sync.
 */
#ifndef OPEN_CALLS_BPF_H
#define OPEN_CALLS_BPF_H

#include "frames.bpf.h"

/*
 * The part of the time that the call belongs to which @thread is inside of, and its *@entry;
 * TIME_NONE if it is in none, or waits. The thread may go on meanwhile: an entry that is the same
 * before and after is that of the call.
 */
static __always_inline enum time_part open_part(struct thread_state *thread, __u64 *entry)
{
	volatile struct frame *frame = &thread->frames[0];
	const volatile struct call_desc *desc;
	enum time_part part;
	__u32 call;

	if (!*(volatile __u32 *)&thread->depth)
		return TIME_NONE;
	*entry = frame->entry;
	call = frame->call;
	if (!*entry || call >= CALL_COUNT || frame->by_runtime || frame->entry != *entry)
		return TIME_NONE;
	desc = desc_of(call);
	part = class_time_part(desc->class, desc->a);
	return part == TIME_SYNC ? TIME_NONE : part;
}

/* @thread, of a program, ends. */
static __noinline int open_call_leave(struct thread_state *thread)
{
	struct program_sync *sync;
	enum time_part part;
	__u64 entry;

	if (!thread)
		return 0;
	part = open_part(thread, &entry);
	if (part >= TIME_NONE)
		return 0;
	sync = sync_of(thread->program);
	if (sync)
		__sync_fetch_and_add(&sync->times.open_ns[part & (TIME_NONE - 1)],
				     bpf_ktime_get_ns() - entry);
	return 0;
}

SEC("iter/task")
int open_calls(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread_state *thread = NULL;
	struct open_call open = { .part = TIME_NONE };
	__u64 entry, now;

	if (!task)
		return 0;
	open.tgid = untrusted(task)->tgid;
	open.cpu_ns = untrusted(task)->se.sum_exec_runtime;
	if (untrusted(task)->pid == untrusted(task)->tgid)
		open.cpu_ns += BPF_CORE_READ(task, signal, sum_sched_runtime);
	if (untrusted(task)->bpf_storage)
		thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (thread && thread->program) {
		open.program = thread->program;
		open.part = open_part(thread, &entry);
		now = bpf_ktime_get_ns();
		if (open.part >= TIME_NONE || now < entry)
			open.part = TIME_NONE;
		else
			open.ns = now - entry;
	}
	bpf_seq_write(ctx->meta->seq, &open, sizeof(open));
	return 0;
}

#endif
