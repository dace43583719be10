/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that the user names (--probe): counted, and timed where their returns are probed, each
 * at its own cost. They have separate frames, because they enclose CUDA calls that have to be
 * counted as usual: a launch made by a cuBLAS function is not nested in a hooked call.
 */
#ifndef EXTRA_BPF_H
#define EXTRA_BPF_H

#include "stacks.bpf.h"

#define EXTRA_FRAMES 16 /* a power of two; deeper recursion is counted as lost */

/* Set by user space: enum extra_result, by function. */
__u8 extra_results[CUTOP_EXTRA_MAX];

struct extra_frame {
	__u64 sp, entry;
	__u32 call;
	__u32 pad;
};

struct extra_state {
	__u32 depth;
	__u32 pad;
	struct extra_frame frames[EXTRA_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct extra_state);
} extras SEC(".maps");

/*
 * Frames left by longjmp or an exception are below the stack pointer; a frame of the same function
 * at the same place was left, too.
 */
static __always_inline void extra_settle(struct extra_state *state, __u64 sp, __u32 call)
{
	int i;

	for (i = 0; i < EXTRA_FRAMES; i++) {
		struct extra_frame *frame;

		if (!state->depth)
			break;
		frame = &state->frames[(state->depth - 1) & (EXTRA_FRAMES - 1)];
		if (frame->sp > sp || (frame->sp == sp && frame->call != call))
			break;
		state->depth--;
	}
}

/* The trace record of such a call: at entry, or at return, when @entry is the time of its entry. */
struct extra_traced {
	__u64 entry, now, site, stack;
	__u32 call;
	__s32 result;
	__u8 moment; /* enum call_moment */
};

static __noinline int extra_trace(struct thread_state *thread, struct extra_traced *traced)
{
	struct rec_call *rec;

	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec) {
		count_lost_of(thread->program, LOST_TRACED);
		return 0;
	}
	__builtin_memset(rec, 0, sizeof(*rec));
	header_of(thread, &rec->hdr, REC_CALL, sizeof(*rec), traced->now);
	rec->entry = traced->entry;
	rec->site = traced->site;
	rec->stack = traced->stack;
	rec->call = traced->call;
	rec->result = traced->result;
	rec->moment = traced->moment;
	rec->device = CUTOP_DEVICE_UNKNOWN;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return 0;
}

/* Counts a call whose return is not probed. */
static __noinline int extra_count(struct thread_state *thread, __u32 call)
{
	struct extra_traced traced = { .call = call, .moment = CALL_ENTERED };
	struct call_row *row;

	if (tracing) {
		traced.entry = traced.now = bpf_ktime_get_ns();
		extra_trace(thread, &traced);
	}
	row = call_row_get(thread->program, call);
	if (row)
		__sync_fetch_and_add(&row->calls, 1);
	return 0;
}

static __always_inline bool extra_begin(struct call_run *run, struct pt_regs *ctx,
					struct task_struct *task, bool session)
{
	return any_begin(run, ctx, task, session) && CUTOP_IS_EXTRA(run->call);
}

static __always_inline int extra_entry(struct call_run *run)
{
	struct thread_state *thread = run->thread;
	__u32 call = run->call, depth;
	struct extra_state *state;
	struct extra_frame *frame;

	if (extra_results[(call - CUTOP_EXTRA) & (CUTOP_EXTRA_MAX - 1)] == EXTRA_RESULT_UNSEEN) {
		extra_count(thread, call);
		return 1;
	}
	if (tracing && (trace_entries || trace_pairs)) {
		struct extra_traced traced = { .call = call, .moment = CALL_ENTERED };

		traced.entry = traced.now = bpf_ktime_get_ns();
		extra_trace(thread, &traced);
		if (trace_entries)
			return 1;
	}
	state = storage_new(extras, bpf_get_current_task_btf());
	if (!state) {
		count_lost_of(thread->program, LOST_THREADS);
		return 1;
	}
	extra_settle(state, call_sp(run->ctx), call);
	depth = state->depth;
	if (depth >= EXTRA_FRAMES) {
		count_lost_of(thread->program, LOST_NESTING);
		return 1;
	}
	/*
	 * Keep the compiler from dropping the mask, although it is redundant: Linux 6.1's verifier
	 * needs it.
	 */
	asm volatile("" : "+r"(depth));
	frame = &state->frames[depth & (EXTRA_FRAMES - 1)];
	frame->sp = call_sp(run->ctx);
	frame->call = call;
	state->depth = depth + 1;
	frame->entry = bpf_ktime_get_ns();
	return 0;
}

/*
 * Removes the frame of @call at @sp, and the inner frames. Returns when it was entered, 0: that was
 * not seen.
 */
__noinline __u64 extra_leave(struct extra_state *state, __u64 sp, __u32 call)
{
	int i;

	if (!state)
		return 0;
	for (i = 0; i < EXTRA_FRAMES; i++) {
		struct extra_frame *frame;

		if (!state->depth)
			return 0;
		frame = &state->frames[(state->depth - 1) & (EXTRA_FRAMES - 1)];
		if (frame->sp > sp)
			return 0;
		state->depth--;
		if (frame->sp == sp && frame->call == call)
			return frame->entry;
	}
	return 0;
}

static __always_inline bool extra_end(struct call_run *run, struct pt_regs *ctx,
				      struct task_struct *task, bool session)
{
	return any_end(run, ctx, task, session) && CUTOP_IS_EXTRA(run->call);
}

static __always_inline void extra_return(struct call_run *run)
{
	__u64 entry, result = PT_REGS_RC(run->ctx);
	struct thread_state *thread = run->thread;
	__u32 call = run->call;
	struct extra_state *state;
	bool failed = false;

	state = bpf_task_storage_get(&extras, bpf_get_current_task_btf(), NULL, 0);
	entry = state ? extra_leave(state, return_sp(run->ctx), call) : 0;
	if (!entry) {
		return_alone(thread);
		return;
	}
	switch (extra_results[(call - CUTOP_EXTRA) & (CUTOP_EXTRA_MAX - 1)]) {
	case EXTRA_RESULT_STATUS: failed = (__s32)result != 0; break;
	case EXTRA_RESULT_NEGATIVE: failed = (__s32)result < 0; break;
	case EXTRA_RESULT_NULL: failed = !result; break;
	}
	if (extra_results[(call - CUTOP_EXTRA) & (CUTOP_EXTRA_MAX - 1)] == EXTRA_RESULT_NULL)
		result = !failed; /* half of a pointer would not show it */
	if (tracing) {
		struct extra_traced traced = {
			.entry = entry, .now = run->now, .site = call_site(run->ctx), .call = call
		};

		traced.result = result;
		traced.moment = trace_pairs ? CALL_LEFT : CALL_WHOLE;
		traced.stack = stack_traced(run->ctx, thread);
		extra_trace(thread, &traced);
	}
	call_count(thread->program, call, run->now - entry, failed);
	if (failed && failure_row(thread, call, (__s32)result, run->now))
		failure_send(thread, call, (__s32)result, call_site(run->ctx), run->now);
}

#endif
