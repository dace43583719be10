/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls whose returns are not probed, because that would kill the program, or because the user does
 * not want it (--returns). Launches, copies and calls are counted at their entry, assumed to
 * succeed, and not timed; allocations, frees and failures are unknown. Nothing shows that a call has
 * ended: a driver call is taken for nested as in a trace of entries (outer_encloses()).
 */
#ifndef NO_RETURNS_BPF_H
#define NO_RETURNS_BPF_H

#include "extra.bpf.h"
#include "graph.bpf.h"
#include "trace_calls.bpf.h"

/*
 * The frames of such a thread hold no calls: the first is for arguments, the second for what a call
 * will teach.
 */
#define BLIND_ARGUMENTS 0
#define BLIND_TEACHER   1

/* The thread's first call without a return. */
static __noinline int blind_begin(struct thread_state *thread)
{
	struct program_row *row;
	__u32 program;

	program = thread->program;
	row = bpf_map_lookup_elem(&programs, &program);
	if (row)
		row->unreturned = refuse_all;
	thread->frames[BLIND_TEACHER].teacher.handle_at = 0;
	return 0;
}

/*
 * __cudaGetKernel and the like: the handle can be read where the call wrote it, once the thread
 * makes another call.
 */
static __always_inline void blind_teach(struct thread_state *thread, struct frame *frame)
{
	__u64 handle = 0, at = frame->teacher.handle_at;

	if (!at)
		return;
	frame->teacher.handle_at = 0;
	if (bpf_probe_read_user(&handle, sizeof(handle), (void *)at) || !handle)
		return;
	if (frame->teacher.named) {
		name_tell(thread, handle, frame->teacher.meaning);
		handle_learn(thread->program, handle, handle, BPF_NOEXIST);
	} else if (handle != frame->teacher.meaning) {
		handle_learn(thread->program, handle, frame->teacher.meaning, BPF_ANY);
	}
}

static __noinline int blind_launch(struct pt_regs *ctx, struct thread_state *thread, __u32 call)
{
	const volatile struct call_desc *desc = desc_of(call);
	__u64 times = 1, function = PT_REGS_PARM1(ctx);
	struct launch_shape shape = {};
	struct launch_row *row;
	bool is_first;

	launch_read(ctx, desc, &shape, &function, &times);
	row = launch_row_of(thread, function, call);
	if (!row)
		return 0;
	is_first = !row->launches;
	row->sampled = 1;
	launch_count(row, &shape, times, NULL, false, false);
	launch_stamp(thread, row, true);
	if (is_first)
		launch_place(thread, function, thread->outer.site, call);
	return 0;
}

static __noinline int blind_copy(struct pt_regs *ctx, struct thread_state *thread, __u32 call)
{
	const volatile struct call_desc *desc = desc_of(call);
	struct copy_row *row;
	struct frame *frame;

	frame = &thread->frames[BLIND_ARGUMENTS];
	copy_arguments(ctx, thread, frame, desc);
	copy_doubt(thread, frame);
	if (frame->direction >= DIR_COUNT)
		/* Without known allocations it could not be resolved */
		frame->direction = DIR_UNKNOWN;
	row = copy_row_get(thread, frame->direction, call, desc->flags & CALL_ASYNC);
	if (!row)
		return 0;
	__sync_fetch_and_add(&row->calls, 1);
	__sync_fetch_and_add(&row->bytes, frame->copy.bytes);
	histogram_add(row->sizes, frame->copy.bytes, 0);
	return 0;
}

static __noinline int blind_count(struct thread_state *thread, __u32 call)
{
	struct call_row *row;

	row = call_row_get(thread->program, call);
	if (row)
		__sync_fetch_and_add(&row->calls, 1);
	return 0;
}

/* What a call will most likely have done once it returns. */
static __noinline int blind_assume(struct pt_regs *ctx, struct thread_state *thread, __u32 call)
{
	const volatile struct call_desc *desc = desc_of(call);

	switch (desc->class) {
	case CLASS_DEVICE: context_turn(thread, 0, call_arg(ctx, desc->a)); break;
	case CLASS_CONTEXT:
		if (desc->a <= CONTEXT_DESTROY || desc->a == CONTEXT_DETACH)
			context_turn(thread, 0, CUTOP_DEVICE_UNKNOWN);
		break;
	case CLASS_GRAPH:
		if (desc->a == EXEC_LAUNCH)
			exec_launched(thread, call_arg(ctx, desc->b),
				      stream_name(thread, call_arg(ctx, desc->c), desc->flags),
				      call);
		break;
	}
	return 0;
}

static __noinline int blind_teacher_enter(struct pt_regs *ctx, struct thread_state *thread,
					  __u32 call)
{
	const volatile struct call_desc *desc = desc_of(call);
	struct frame *teacher;

	teacher = &thread->frames[BLIND_TEACHER];
	/* The name that the call gives to a handle is not there yet. */
	teacher->teacher.handle_at = desc->class == CLASS_NAMED && desc->flags & CALL_NAME_OUT ?
					     0 :
					     call_arg(ctx, desc->a);
	teacher->teacher.meaning = call_arg(ctx, desc->b);
	teacher->teacher.named = desc->class == CLASS_NAMED;
	return 0;
}

/* A call of the table. Returns 1 if it counts, 0 if another encloses it. */
static __noinline int blind_call(struct pt_regs *ctx, struct thread_state *thread, __u32 cookie)
{
	__u32 call = CUTOP_COOKIE_CALL(cookie);
	const volatile struct call_desc *desc = desc_of(call);
	bool inside;

	blind_teach(thread, &thread->frames[BLIND_TEACHER]);
	inside = outer_encloses(ctx, thread, &thread->outer, cookie) ||
		 caller_is_runtime(ctx, thread, desc);
	if (desc->class == CLASS_HANDLE || desc->class == CLASS_NAMED) {
		blind_teacher_enter(ctx, thread, call);
		/*
		 * Calls that the compiler puts before a launch are not the program's:
		 * call_returned().
		 */
		if (desc->class == CLASS_HANDLE && desc->layer == LAYER_RUNTIME)
			inside = true;
	}
	if (inside)
		return 0;
	if (desc->class == CLASS_LAUNCH)
		blind_launch(ctx, thread, call);
	else if (desc->class == CLASS_COPY)
		blind_copy(ctx, thread, call);
	else
		blind_count(thread, call);
	blind_assume(ctx, thread, call);
	return 1;
}

#define BLIND_TRACED 4 /* flag in the result of blind_entry(): call blind_trace() */

/* The entry of any call. */
static __noinline int blind_entry(struct pt_regs *ctx)
{
	struct call_run run;
	int result = 1;

	if (!any_begin(&run, ctx, bpf_get_current_task_btf(), false))
		return 1;
	if (!run.thread->outer.sp)
		blind_begin(run.thread);
	if (CUTOP_IS_EXTRA(run.call))
		extra_count(run.thread, run.call);
	else if (run.call < CALL_COUNT && blind_call(ctx, run.thread, run.cookie))
		result |= BLIND_TRACED;
	return result;
}

static __noinline int blind_trace(struct pt_regs *ctx)
{
	struct call_run run;

	return table_begin(&run, ctx, bpf_get_current_task_btf(), false) ?
		       trace_entered(ctx, run.thread, run.call) :
		       0;
}

#endif
