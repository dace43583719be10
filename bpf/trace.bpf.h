/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracing: a record for every call. Switched off, which it is for everything but
 * cutop trace and the like, the verifier takes all of it out again.
 *
 * The record is begun at entry, in storage of the thread, with what the call was
 * given, and sent at the return. One is enough, because a call inside another
 * hooked call is not traced, but for a callback's: then the outer one is lost.
 *
 * What a call was given is read by trace_calls.bpf.h.
 *
 * With trace_entries only entries are probed, and nothing is there to tell that
 * a call has ended. A driver's call is then taken for nested if it comes from the
 * library that the last call was one of, and that one's return address still
 * stands where it was put: the next call from the same depth replaces it.
 */
#ifndef TRACE_BPF_H
#define TRACE_BPF_H

#include "arguments.bpf.h"
#include "state.bpf.h"

struct trace_state {
	struct rec_call_kernel record;
	__u64 out;		/* where the call's out argument points; 0: none */
	struct outer_call outer;	/* trace_entries: the last call that was not nested */
	struct frame frame;	/* trace_entries: arguments on their way here */
	__u32 open;		/* begun, and not sent */
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

static __noinline int trace_enter(struct pt_regs *ctx, struct thread_state *thread, struct frame *frame, __u32 call);

static __always_inline void trace_entry(struct pt_regs *ctx, struct thread_state *thread, struct frame *frame, __u32 call)
{
	if (tracing && !frame->nested && !(frame->by_runtime && (trace_entries || trace_pairs)))
		trace_enter(ctx, thread, frame, call);
}

static __noinline int trace_leave(struct pt_regs *ctx, struct thread_state *thread, __u32 call, __u64 now);

/* The return of a call that nothing encloses. */
static __always_inline void trace_return(struct pt_regs *ctx, struct thread_state *thread, __u32 call, __u64 now)
{
	if (tracing)
		trace_leave(ctx, thread, call, now);
}

/* Takes back the record that such a call's entry began. */
static __noinline int trace_drop(void)
{
	struct trace_state *trace = bpf_task_storage_get(&traces, bpf_get_current_task_btf(), NULL, 0);

	if (trace)
		trace->open = 0;
	return 0;
}

/*
 * The return of such a call of which there is no other record: traced and counted, a failure as one. What the runtime called
 * is neither, unless it @failed.
 */
static __always_inline void call_finished(struct pt_regs *ctx, struct thread_state *thread, struct frame *frame, __u32 call,
					  bool failed, __u64 now)
{
	if (frame->by_runtime && !failed) {
		if (tracing)
			trace_drop();
		return;
	}
	trace_return(ctx, thread, call, now);
	call_count(thread->program, call, now - frame->entry, failed);
	if (failed)
		failure_count(thread, call, PT_REGS_RC(ctx), call_site(ctx), now);
}

static __always_inline void call_returned(struct pt_regs *ctx, struct thread_state *thread, struct frame *frame,
					  __u32 call, __u64 now)
{
	call_finished(ctx, thread, frame, call, (__s32)PT_REGS_RC(ctx) != 0, now);
}

/* What is known only at the return, before trace_return(): of an allocation, */
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

/* and that a copy went into a capture. */
static __always_inline void trace_captured(void)
{
	struct trace_state *trace;

	if (!tracing)
		return;
	trace = bpf_task_storage_get(&traces, bpf_get_current_task_btf(), NULL, 0);
	if (trace)
		trace->record.call.flags |= TRACED_CAPTURED;
}

/* A call whose return is not probed: it is sent at once. */
static __noinline int trace_alone_enter(struct pt_regs *ctx, struct thread_state *thread, __u32 call);

static __always_inline void trace_alone(struct pt_regs *ctx, struct thread_state *thread, __u32 call)
{
	if (tracing)
		trace_alone_enter(ctx, thread, call);
}

#endif
