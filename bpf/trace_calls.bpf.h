/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracing: reads the arguments of a call at its entry, and makes its record. */
#ifndef TRACE_CALLS_BPF_H
#define TRACE_CALLS_BPF_H

#include "copy.bpf.h"
#include "launch.bpf.h"

static __always_inline bool trace_submit(struct thread_state *thread,
					 const struct trace_state *trace, const __u32 size)
{
	void *rec = bpf_ringbuf_reserve(&events, size, 0);

	if (!rec)
		return false;
	__builtin_memcpy(rec, &trace->record, size);
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return true;
}

static __noinline int trace_send(struct thread_state *thread, struct trace_state *trace,
				 __u8 moment, __u64 now)
{
	bool with_kernel, sent;

	with_kernel = trace->record.call.kernel_words && moment != CALL_LEFT;
	if (moment == CALL_LEFT)
		trace->record.call.kernel_words = 0;
	header_of(thread, &trace->record.call.hdr, REC_CALL,
		  with_kernel ? sizeof(trace->record) : sizeof(trace->record.call), now);
	trace->record.call.moment = moment;
	if (with_kernel)
		sent = trace_submit(thread, trace, sizeof(trace->record));
	else
		sent = trace_submit(thread, trace, sizeof(trace->record.call));
	if (!sent)
		count_lost_of(thread->program, LOST_TRACED);
	return 0;
}

/* ---- arguments ---- */

/*
 * The arguments of a kernel: @list is an array of pointers to them. Its length is unknown: it ends
 * at NULL, or where it cannot be read.
 */
static __noinline int trace_kernel_words(struct trace_state *trace, __u64 list)
{
	__u64 where, word;
	__u32 i;

	if (!list)
		return 0;
	for (i = 0; i < CUTOP_KERNEL_WORDS; i++) {
		if (bpf_probe_read_user(&where, sizeof(where), (void *)(list + 8 * i)) || !where)
			break;
		word = 0;
		/* Before the end of a page there may be less than 8 bytes. */
		if (bpf_probe_read_user(&word, sizeof(word), (void *)where) &&
		    bpf_probe_read_user(&word, 4, (void *)where))
			break;
		trace->record.kernel[i & (CUTOP_KERNEL_WORDS - 1)] = word;
	}
	trace->record.call.kernel_words = i;
	return 0;
}

/*
 * The kernel's name is reported with its row, and has to come before the call. This is separate
 * from trace_launch(), so that their stacks do not add up: Linux before 6.13 has 512 bytes for a
 * whole call chain.
 */
static __noinline int trace_launched(struct thread_state *thread, struct trace_state *trace,
				     __u32 call)
{
	struct launch_key key = { .call = call, .program = thread->program };
	struct launch_row *row;

	key.device = thread->device;
	key.function = trace->record.call.launch.function;
	row = launch_row_get(&key);
	if (row && !row->announced) {
		/*
		 * Perhaps for the second time: the thread that made the row may not have reported
		 * it yet.
		 */
		kernel_announce(thread->program, call, key.function);
		row->announced = 1;
	}
	return 0;
}

static __noinline int trace_launch(struct pt_regs *ctx, struct thread_state *thread,
				   struct trace_state *trace, __u32 call)
{
	const volatile struct call_desc *desc = desc_of(call);
	struct launch_shape shape = {};
	__u64 times = 1, list = 0, function = PT_REGS_PARM1(ctx);

	launch_read(ctx, desc, &shape, &function, &times);
	trace->record.call.launch.function = function;
	trace->record.call.launch.stream = shape.stream;
	__builtin_memcpy(trace->record.call.launch.grid, shape.grid, sizeof(shape.grid));
	__builtin_memcpy(trace->record.call.launch.block, shape.block, sizeof(shape.block));
	trace->record.call.launch.shared_bytes = shape.shared_bytes;
	trace->record.call.launch.launches = times;
	if (!trace_arguments)
		return 0;
	switch (desc->a) {
	case FORM_ARGS: list = call_arg(ctx, 5); break;
	case FORM_CONFIG: list = call_arg(ctx, 2); break;
	case FORM_DRIVER: list = call_arg(ctx, 9); break;
	}
	return trace_kernel_words(trace, list);
}

/* Which argument of a stream-ordered allocation or free is the stream, or NO_ARG. */
static __always_inline __u32 memory_stream(const volatile struct call_desc *desc)
{
	if (desc->class == CLASS_FREE)
		return desc->b ? desc->b : NO_ARG;
	if (desc->a != KIND_ASYNC)
		return NO_ARG;
	return desc->flags & CALL_POOL ? 3 : 2;
}

static __always_inline void trace_arguments_read(struct pt_regs *ctx, struct thread_state *thread,
						 struct trace_state *trace, struct frame *frame,
						 __u32 call)
{
	const volatile struct call_desc *desc = desc_of(call);
	__u32 stream;

	switch (desc->class) {
	case CLASS_ALLOC:
	case CLASS_FREE:
		if (desc->class == CLASS_FREE) {
			trace->record.call.memory.address = frame->free.address;
		} else {
			/* A pitch is known only at return. */
			trace->record.call.memory.bytes =
				frame->alloc.pitch_at ? 0 : frame->alloc.bytes;
			trace->record.call.memory.kind = kind_of(frame, desc);
			trace->out = desc->c == SIZE_REGISTER ? 0 : frame->alloc.address_at;
			if (desc->c == SIZE_REGISTER)
				trace->record.call.memory.address = frame->alloc.address_at;
		}
		trace->record.call.flags = frame->flags & IN_CAPTURE ? TRACED_CAPTURED : 0;
		stream = memory_stream(desc);
		if (stream != NO_ARG)
			trace->record.call.memory.stream = call_arg(ctx, stream);
		break;
	case CLASS_COPY:
		trace->record.call.copy.destination = frame->copy.destination;
		trace->record.call.copy.source = frame->copy.source;
		trace->record.call.copy.bytes = frame->copy.bytes;
		trace->record.call.copy.direction = frame->direction;
		trace->record.call.copy.copy_flags = frame->flags |
						     (desc->flags & CALL_ASYNC ? COPY_IS_ASYNC : 0);
		stream = stream_place(ctx, call);
		if (stream != CUTOP_STREAM_NONE)
			trace->record.call.copy.stream = call_arg(ctx, stream);
		break;
	case CLASS_LAUNCH:
		trace->record.call.flags = frame->flags & LAUNCH_CAPTURED ? TRACED_CAPTURED : 0;
		trace_launch(ctx, thread, trace, call);
		trace_launched(thread, trace, call);
		break;
	default:
		trace->record.call.words[0] = PT_REGS_PARM1(ctx);
		trace->record.call.words[1] = PT_REGS_PARM2(ctx);
		trace->record.call.words[2] = PT_REGS_PARM3(ctx);
		trace->record.call.words[3] = PT_REGS_PARM4(ctx);
		trace->record.call.words[4] = PT_REGS_PARM5(ctx);
		trace->record.call.words[5] = call_arg(ctx, 5);
		if (traced_how(call) & CUTOP_TRACED_OUT)
			trace->out = call_arg(ctx, traced_how(call) & CUTOP_TRACED_ARGUMENT);
	}
}

/* ---- entry and return ---- */

/*
 * The thread's unfinished record. Returns NULL, and counts the loss, if the kernel has no room for
 * it.
 */
static __always_inline struct trace_state *trace_state_get(struct thread_state *thread)
{
	struct trace_state *trace;

	trace = storage_new(traces, bpf_get_current_task_btf());
	if (!trace)
		count_lost_of(thread->program, LOST_TRACED);
	return trace;
}

static __noinline int trace_enter(struct pt_regs *ctx, struct thread_state *thread,
				  struct frame *frame, __u32 call)
{
	struct trace_state *trace;

	if (!trace_entries && !(traced_how(call) & CUTOP_TRACED))
		return 0;
	trace = trace_state_get(thread);
	if (!trace)
		return 0;
	/* A call inside one that is not traced is not traced either. */
	if (trace_entries &&
	    (outer_encloses(ctx, thread, &trace->outer, bpf_get_attach_cookie(ctx)) ||
	     !(traced_how(call) & CUTOP_TRACED)))
		return 0;
	/* A callback's call inside a traced call: there is room for one only. */
	if (trace->open && thread->depth > 1)
		count_lost_of(thread->program, LOST_TRACED);
	__builtin_memset(&trace->record.call, 0, sizeof(trace->record.call));
	trace->out = 0;
	trace->record.call.entry = bpf_ktime_get_ns();
	trace->record.call.call = call;
	/* Without returns, the current device of a thread is not followed. */
	trace->record.call.device = trace_entries ? CUTOP_DEVICE_UNKNOWN : thread->device;
	trace->record.call.site = trace_entries ? trace->outer.site : 0;
	trace_arguments_read(ctx, thread, trace, frame, call);
	trace->open = !trace_entries;
	if (trace_entries || trace_pairs)
		trace_send(thread, trace, CALL_ENTERED, trace->record.call.entry);
	return 0;
}

static __noinline int trace_leave(struct pt_regs *ctx, struct thread_state *thread, __u32 call,
				  __u64 now)
{
	struct trace_state *trace =
		bpf_task_storage_get(&traces, bpf_get_current_task_btf(), NULL, 0);
	__u64 word = 0;
	long err;

	if (!trace || !trace->open || trace->record.call.call != call)
		return 0;
	trace->open = 0;
	trace->record.call.result = PT_REGS_RC(ctx);
	trace->record.call.site = call_site(ctx);
	trace->record.call.stack = stack_traced(ctx, thread);
	if (trace->out && !trace->record.call.result) {
		if (traced_how(call) & CUTOP_TRACED_SHORT)
			err = bpf_probe_read_user(&word, 4, (void *)trace->out);
		else
			err = bpf_probe_read_user(&word, sizeof(word), (void *)trace->out);
		if (!err) {
			trace->record.call.out = word;
			trace->record.call.flags |= TRACED_OUT;
		}
	}
	return trace_send(thread, trace, trace_pairs ? CALL_LEFT : CALL_WHOLE, now);
}

/* A call whose return is not probed; __cudaRegisterFunction, which returns nothing. */
static __noinline int trace_alone_enter(struct pt_regs *ctx, struct thread_state *thread,
					__u32 call)
{
	struct trace_state *trace;

	if (!(traced_how(call) & CUTOP_TRACED))
		return 0;
	trace = trace_state_get(thread);
	if (!trace)
		return 0;
	trace->record.call.call = CALL_COUNT;
	trace_enter(ctx, thread, &trace->frame, call);
	if (trace->record.call.call == call && !trace_entries && !trace_pairs)
		trace_send(thread, trace, CALL_ENTERED, trace->record.call.entry);
	trace->open = 0;
	return 0;
}

static __always_inline void traced_arguments(struct pt_regs *ctx, struct thread_state *thread,
					     struct frame *frame, __u32 call)
{
	switch (desc_of(call)->class) {
	case CLASS_ALLOC: alloc_arguments(ctx, frame, desc_of(call)); break;
	case CLASS_FREE:
		frame->free.address = call_arg_of(ctx, desc_of(call), desc_of(call)->a);
		frame->flags = 0;
		break;
	case CLASS_COPY: copy_arguments(ctx, thread, frame, desc_of(call)); break;
	default: frame->flags = 0;
	}
}

/* The entry of a call of any class whose return is not probed. */
static __always_inline int trace_entered(struct pt_regs *ctx, struct thread_state *thread,
					 __u32 call)
{
	struct trace_state *trace;

	if (!thread || !(traced_how(call) & CUTOP_TRACED))
		return 0;
	trace = trace_state_get(thread);
	if (!trace)
		return 0;
	traced_arguments(ctx, thread, &trace->frame, call);
	trace_alone_enter(ctx, thread, call);
	return 0;
}

/* With trace_entries: the entry of a call of any class, and all that is seen of it. */
static __noinline int traced_entry(struct pt_regs *ctx)
{
	struct trace_state *trace;
	struct call_run run;

	if (!table_begin(&run, ctx, bpf_get_current_task_btf(), false) ||
	    caller_is_runtime(ctx, run.thread, run.desc))
		return 0;
	trace = trace_state_get(run.thread);
	if (!trace)
		return 0;
	traced_arguments(ctx, run.thread, &trace->frame, run.call);
	trace_enter(ctx, run.thread, &trace->frame, run.call);
	return 0;
}

#endif
