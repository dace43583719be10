/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracing: a record for every call. When it is off, as in all modes but cutop trace and record
 * --trace, the verifier removes all of it. The record is begun at entry, in the thread's storage,
 * with the arguments of the call, and sent at the return. One record per thread is enough, because
 * a call inside another hooked call is not traced, unless it is made by a callback: then the outer
 * one is lost. trace_calls.bpf.h reads the arguments.
 * With trace_entries only entries are probed, and nothing shows that a call has ended. A driver
 * call is then taken for nested if it comes from the library of the previous call, and that call's
 * return address is still in place on the stack: the next call from the same depth replaces it.
 */
#ifndef TRACE_BPF_H
#define TRACE_BPF_H

#include "failures.bpf.h"
#include "frames.bpf.h"

struct trace_state {
	struct rec_call_kernel record;
	__u64 out;               /* where the call's out argument points; 0: none */
	struct outer_call outer; /* trace_entries: the last call that was not nested */
	struct frame frame;      /* trace_entries: temporary room for arguments */
	__u32 open;              /* the record was begun, and not sent */
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct trace_state);
} traces SEC(".maps");

static __always_inline __u8 traced_how(__u32 call)
{
	call &= CALL_TABLE_SIZE - 1;
	asm volatile("" : "+r"(call));
	return call_traced[call & (CALL_TABLE_SIZE - 1)];
}

static __noinline int trace_enter(struct pt_regs *ctx, struct thread_state *thread,
				  struct frame *frame, __u32 call);

static __always_inline void trace_entry(struct pt_regs *ctx, struct thread_state *thread,
					struct frame *frame, __u32 call)
{
	if (tracing && !frame->nested && !(frame->by_runtime && (trace_entries || trace_pairs)))
		trace_enter(ctx, thread, frame, call);
}

/* The last step at the entry of a call that has a frame. */
static __always_inline int call_entered(struct call_run *run)
{
	run->frame->entry = bpf_ktime_get_ns();
	trace_entry(run->ctx, run->thread, run->frame, run->call);
	return 0;
}

static __noinline int trace_leave(struct pt_regs *ctx, struct thread_state *thread, __u32 call,
				  __u64 now);

/* The return of a call that no other call encloses. */
static __always_inline void trace_return(struct call_run *run)
{
	if (tracing)
		trace_leave(run->ctx, run->thread, run->call, run->now);
}

/* Drops the record that such a call's entry began. */
static __noinline int trace_drop(void)
{
	struct trace_state *trace =
		bpf_task_storage_get(&traces, bpf_get_current_task_btf(), NULL, 0);

	if (trace)
		trace->open = 0;
	return 0;
}

static __always_inline void call_failed(struct call_run *run)
{
	failure_count(run->thread, run->call, run->result, call_site(run->ctx), run->now);
}

/*
 * The return of such a call that has no other record: it is traced and counted, as a failure if it
 * failed. A call made by the runtime is neither, unless it @failed.
 */
static __always_inline void call_finished(struct call_run *run, bool failed)
{
	if (run->frame->by_runtime && !failed) {
		if (tracing)
			trace_drop();
		return;
	}
	trace_return(run);
	call_count(run->thread->program, run->call, run->now - run->frame->entry, failed);
	if (failed)
		call_failed(run);
}

/*
 * The same for a call of any class without a record of its own. One that teaches is also counted,
 * unless another encloses it, or it is not the program's own: the compiler puts __cudaGetKernel
 * before a launch.
 */
static __always_inline void call_returned(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;

	if (run->frame->nested)
		return;
	if (!run->result && desc->class == CLASS_HANDLE && desc->layer == LAYER_RUNTIME)
		trace_return(run);
	else
		call_finished(run, is_failure(desc, run->result));
}

/* Facts known only at the return, set before trace_return(): about an allocation, */
static __always_inline void trace_allocated(__u64 address, __u64 bytes, __s32 device)
{
	struct trace_state *trace;

	if (!tracing)
		return;
	trace = bpf_task_storage_get(&traces, bpf_get_current_task_btf(), NULL, 0);
	if (!trace || desc_of(trace->record.call.call)->class != CLASS_ALLOC)
		return;
	trace->record.call.memory.address = address;
	trace->record.call.memory.bytes = bytes;
	trace->record.call.device = device;
}

/* and that a copy was captured. */
static __always_inline void trace_captured(void)
{
	struct trace_state *trace;

	if (!tracing)
		return;
	trace = bpf_task_storage_get(&traces, bpf_get_current_task_btf(), NULL, 0);
	if (trace)
		trace->record.call.flags |= TRACED_CAPTURED;
}

/* A call whose return is not probed: its record is sent at once. */
static __noinline int trace_alone_enter(struct pt_regs *ctx, struct thread_state *thread,
					__u32 call);

static __always_inline void trace_alone(struct pt_regs *ctx, struct thread_state *thread,
					__u32 call)
{
	if (tracing)
		trace_alone_enter(ctx, thread, call);
}

#endif
