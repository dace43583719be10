/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames: state between a call's entry and its return. A thread has a small stack of frames, one
 * for each hooked call that it is inside of, since hooked calls nest: cudaMalloc calls cuMemAlloc.
 * Only the outermost is counted.
 * A frame stores the stack pointer at entry. A frame below the current stack pointer was left by
 * longjmp or an exception, and is dropped. One above it is an outer call if the kernel's return
 * trampoline is still in its return address slot; if not, it was left.
 */
#ifndef FRAMES_BPF_H
#define FRAMES_BPF_H

#include "arguments.bpf.h"
#include "threads.bpf.h"

/*
 * The kernel's trampoline, which return probes make functions of this thread's process return to;
 * 0: unknown.
 */
static __always_inline __u64 trampoline_of(struct thread_state *thread)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	if (!thread->trampoline)
		thread->trampoline = BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
	return thread->trampoline;
}

/*
 * The return address at @sp that a return probe replaced by the kernel's trampoline; 0 if it is not
 * the innermost one.
 */
static __always_inline __u64 caller_behind_trampoline(__u64 sp)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct return_instance *instance = BPF_CORE_READ(task, utask, return_instances);

	return instance && BPF_CORE_READ(instance, stack) == sp ?
		       BPF_CORE_READ(instance, orig_ret_vaddr) :
		       0;
}

/* True if the call of @frame has not returned: its return address is the kernel's trampoline. */
static __always_inline bool frame_alive(struct thread_state *thread, struct frame *frame)
{
#if defined(__TARGET_ARCH_x86)
	__u64 word = 0;

	if (!trampoline_of(thread))
		return true;
	if (bpf_probe_read_user(&word, sizeof(word), (void *)frame->sp))
		return false;
	return word == thread->trampoline;
#else
	return true; /* the return address is in a register: there is nothing to compare */
#endif
}

/*
 * A synchronizing call that no other call encloses counts in the program's depth of waiting
 * threads. Returns the address of that counter.
 */
static __always_inline struct program_sync *sync_begin(struct thread_state *thread, __u64 now)
{
	struct program_sync *sync = sync_of(thread->program);

	if (!sync)
		return NULL;
	if (__sync_fetch_and_add(&sync->depth, 1) == 0)
		sync->since = now;
	thread->in_sync++;
	return sync;
}

static __always_inline struct program_sync *sync_end(__u32 program, struct thread_state *thread,
						     __u64 now)
{
	struct program_sync *sync = sync_of(program);
	__u64 since;

	if (thread->in_sync)
		thread->in_sync--;
	if (!sync)
		return NULL;
	since = sync->since;
	if (__sync_fetch_and_add(&sync->depth, -1) == 1 && now > since)
		__sync_fetch_and_add(&sync->ns, now - since);
	return sync;
}

/*
 * The thread no longer waits, neither in the call nor in a wait of a signal handler that
 * interrupted it.
 */
static __always_inline void sync_leave(struct thread_state *thread)
{
	struct program_sync *sync = sync_of(thread->program);
	__s32 waits = thread->in_sync;
	__u64 now = bpf_ktime_get_ns(), since;

	thread->in_sync = 0;
	if (!sync)
		return;
	since = sync->since;
	if (__sync_fetch_and_add(&sync->depth, -waits) == waits && now > since)
		__sync_fetch_and_add(&sync->ns, now - since);
}

/* Of plain calls and launches that were entered before, the return may have lost its probe. */
__u64 spares_lifted;

static __always_inline bool is_spared(__u8 class, __u64 entry)
{
	return (class == CLASS_PLAIN || class == CLASS_LAUNCH) && entry < spares_lifted;
}

/*
 * The outermost call @call was left without a return: if it was a wait, the thread no longer waits
 * in it. It is not lost if its probe was given up meanwhile.
 */
__noinline int frame_lost(struct thread_state *thread, __u32 call, __u64 entry)
{
	if (!thread || call >= CALL_COUNT)
		return 0;
	if (thread->in_sync && desc_of(call)->class == CLASS_SYNC)
		sync_end(thread->program, thread, bpf_ktime_get_ns());
	if (!is_spared(desc_of(call)->class, entry))
		count_lost_of(thread->program, LOST_RETURN);
	return 0;
}

/* Drops the frames of calls that will not return. Rare: only called when there are frames. */
__noinline int frames_settle(struct thread_state *thread, __u64 sp)
{
	int i;

	if (!thread)
		return 0;
	for (i = 0; i < FRAME_COUNT; i++) {
		struct frame *frame;

		if (!thread->depth)
			break;
		frame = &thread->frames[(thread->depth - 1) & (FRAME_COUNT - 1)];
		if (frame->sp >= sp && frame_alive(thread, frame))
			break;
		thread->depth--;
		if (!frame->nested)
			frame_lost(thread, frame->call, frame->entry);
	}
	return 0;
}

/*
 * True if this entry, of a session program, is a driver call inside a runtime call, as almost all
 * driver calls are. Whether that runtime call is still under way is checked only once it seems to
 * have made more driver calls than a runtime call does: the answer is in user memory, and reading
 * it costs more than all the rest. If it turns out that the runtime call was left by longjmp, this
 * counts as lost and marks the process: some of these driver calls may have been made after it.
 */
static __always_inline bool is_inside(struct pt_regs *ctx, struct thread_state *thread,
				      const volatile struct call_desc *desc)
{
	struct frame *frame;

	if (!thread->depth || desc->layer != LAYER_DRIVER)
		return false;
	frame = &thread->frames[(thread->depth - 1) & (FRAME_COUNT - 1)];
	if (frame->sp <= call_sp(ctx) || frame->inside >= INSIDE_MAX ||
	    desc_of(frame->call)->layer != LAYER_RUNTIME)
		return false;
	frame->inside++;
	return true;
}

/* True if calls of @class teach something, so that they are followed inside other calls, too. */
static __always_inline bool class_teaches(__u8 class)
{
	return class == CLASS_HANDLE || class == CLASS_NAMED || class == CLASS_CONTEXT ||
	       class == CLASS_SIZE;
}

/* The quick form, asked first: most driver calls need no more than that. */
static __always_inline bool inside_quick(struct pt_regs *ctx, struct task_struct *task)
{
	struct thread_state *thread;
	__u32 call;

	if (!watch_driver)
		return false;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread || !thread->depth || !thread->program)
		return false;
	call = call_number(ctx, task, true);
	return call < CALL_COUNT && !class_teaches(desc_of(call)->class) &&
	       is_inside(ctx, thread, desc_of(call));
}

/* code this near is assumed to be the same library's: libcudart has less than a megabyte */
#define SAME_LIBRARY (16u << 20)

static __always_inline bool same_library(__u64 one, __u64 other)
{
	return one - other + SAME_LIBRARY < 2 * SAME_LIBRARY;
}

/*
 * Opens a frame for the call of @cookie. Returns it, or NULL if there is no room for it.
 * frame->nested says whether an outer hooked call is under way.
 */
static __always_inline struct frame *frame_open(struct thread_state *thread, struct pt_regs *ctx,
						__u32 cookie)
{
	__u32 call = CUTOP_COOKIE_CALL(cookie);
	__u64 sp = call_sp(ctx);
	struct frame *frame;
	__u32 depth;

	if (thread->skipped_sp &&
	    (desc_of(call)->layer == LAYER_RUNTIME || sp >= thread->skipped_sp))
		thread->skipped_sp = 0;
	if (thread->depth)
		frames_settle(thread, sp);
	depth = thread->depth;
	if (depth >= FRAME_COUNT) {
		count_lost_of(thread->program, LOST_NESTING);
		return NULL;
	}
	frame = &thread->frames[depth & (FRAME_COUNT - 1)];
	*(volatile __u64 *)&frame->entry = 0; /* until it is known: process_events.bpf.h */
	frame->sp = sp;
	frame->call = call;
	frame->nested = depth > 0;
	frame->inside = 0;
	frame->library = CUTOP_COOKIE_LIBRARY(cookie);
	frame->inner = 0;
	frame->by_runtime = 0;
	thread->depth = depth + 1;
	return frame;
}

/* Drops the frame just opened: its return will not be seen. */
static __always_inline void frame_cancel(struct thread_state *thread)
{
	if (thread->depth)
		thread->depth--;
}

static __always_inline __u32 frame_cookie(struct thread_state *thread, __u32 place)
{
	struct frame *frame = &thread->frames[place & (FRAME_COUNT - 1)];

	return CUTOP_COOKIE(frame->call, frame->library);
}

/*
 * True if the call of @cookie, made inside that of @outer, is the same act once more. A library
 * that stands in front of the driver, or of the runtime, has functions of the same names, and calls
 * the real ones, perhaps others than it was asked for (layers that share a GPU among containers do
 * that). So a call between two libraries of the same layer is always the same act; a call within
 * one library never is.
 */
static __always_inline bool is_same_act(__u32 cookie, __u32 outer)
{
	return CUTOP_COOKIE_LIBRARY(cookie) != CUTOP_COOKIE_LIBRARY(outer) &&
	       desc_of(CUTOP_COOKIE_CALL(cookie))->layer ==
		       desc_of(CUTOP_COOKIE_CALL(outer))->layer;
}

/*
 * The program has such a library. If a launch is not followed to its return, nothing identifies the
 * real launch inside it: so from now on all launches of the program are followed.
 */
static __always_inline void layers_note(__u32 program)
{
	__u32 *guard = &watchful[program & (WATCHFUL_COUNT - 1)];

	if (!(*guard & WATCHFUL_LAYERED))
		__sync_fetch_and_or(guard, WATCHFUL_LAYERED);
}

/*
 * True if a call, entered at @sp and returning to @caller, comes from the code of @outer's library,
 * or of the library that was last inside it; or if it has taken @outer's place by a jump. A jump
 * counts only to the same function, because a caller like libffi calls different functions from the
 * same place.
 */
static __always_inline bool is_from_outer(__u64 sp, __u64 caller, struct outer_call *outer,
					  __u32 cookie)
{
	if (sp < outer->sp)
		return same_library(caller, outer->ip) ||
		       (outer->inner_ip && same_library(caller, outer->inner_ip));
#if defined(__TARGET_ARCH_x86)
	return sp == outer->sp && caller == outer->site && is_same_act(cookie, outer->cookie) &&
	       CUTOP_COOKIE_CALL(cookie) == CUTOP_COOKIE_CALL(outer->cookie);
#else
	return false;
#endif
}

/*
 * Used when only entries are seen: true if a call, by a thread that entered @outer before, is
 * inside @outer: a driver call in a runtime call, or the same act once more. If another tool probes
 * returns, the kernel's trampoline is in place of the return address. If the call is not inside, it
 * replaces @outer.
 */
static __always_inline bool outer_encloses(struct pt_regs *ctx, struct thread_state *thread,
					   struct outer_call *outer, __u32 cookie)
{
	__u64 sp = call_sp(ctx), caller = call_caller(ctx);
	bool may_be = is_same_act(cookie, outer->cookie) ||
		      (desc_of(CUTOP_COOKIE_CALL(cookie))->layer == LAYER_DRIVER &&
		       desc_of(CUTOP_COOKIE_CALL(outer->cookie))->layer == LAYER_RUNTIME);
	bool is_near = may_be && is_from_outer(sp, caller, outer, cookie);
#if defined(__TARGET_ARCH_x86)
	__u64 word = 0;
#endif

	if (may_be && !is_near && caller && caller == trampoline_of(thread)) {
		caller = caller_behind_trampoline(sp);
		is_near = is_from_outer(sp, caller, outer, cookie);
	}
#if defined(__TARGET_ARCH_x86)
	if (is_near && !bpf_probe_read_user(&word, sizeof(word), (void *)outer->sp) &&
	    (word == outer->site || word == trampoline_of(thread))) {
		outer->inner_ip = PT_REGS_IP(ctx);
		return true;
	}
#else
	/* Where a function saves its return address is up to the function. */
	if (is_near) {
		outer->inner_ip = PT_REGS_IP(ctx);
		return true;
	}
#endif
	outer->sp = sp;
	outer->site = caller;
	outer->ip = PT_REGS_IP(ctx);
	outer->inner_ip = 0;
	outer->cookie = cookie;
	return false;
}

/*
 * True if the runtime call of @cookie, entered inside that of @outer, was not made by @outer's code
 * but by a callback of the program, or a signal handler. Functions of the runtime call each other
 * from nearby code (CUDA 13's cudaMemcpyArrayToArray does). If the runtime is linked into the
 * program, all of the program is nearby, and such a call is taken for nested. But no function that
 * waits or launches calls one of another kind: then it was a handler.
 */
static __noinline bool is_callback(struct pt_regs *ctx, struct thread_state *thread, __u32 cookie,
				   __u32 outer)
{
	__u32 call = CUTOP_COOKIE_CALL(cookie);
	__u64 caller;
	__u8 class;

	if (is_same_act(cookie, outer)) {
		layers_note(thread->program);
		return false;
	}
	outer = CUTOP_COOKIE_CALL(outer);
	if (desc_of(call)->layer != LAYER_RUNTIME)
		return false;
	caller = call_caller(ctx);
	if (!caller || caller == trampoline_of(thread))
		return false;
	if (!same_library(caller, PT_REGS_IP(ctx)))
		return true;
	class = desc_of(outer)->class;
	return (class == CLASS_SYNC || class == CLASS_LAUNCH) &&
	       desc_of(outer)->layer == LAYER_RUNTIME && desc_of(call)->class != class;
}

/* ---- a run of a program: at the entry of a call, or at its return ---- */

struct call_run {
	struct pt_regs *ctx;
	struct thread_state *thread;
	struct frame *frame;
	const volatile struct call_desc *desc;
	__u64 now;    /* at the return: when it came */
	__u32 cookie; /* at the entry: CUTOP_COOKIE */
	__u32 call;
	__s32 result; /* at the return */
	bool session; /* in a session program */
};

/* The entry of any call. Each of these functions returns false if there is nothing to do. */
static __always_inline bool any_begin(struct call_run *run, struct pt_regs *ctx,
				      struct task_struct *task, bool session)
{
	run->ctx = ctx;
	run->session = session;
	run->cookie = call_cookie(ctx, task, session);
	run->call = CUTOP_COOKIE_CALL(run->cookie);
	run->thread = thread_enter(task);
	return run->thread != NULL;
}

/* The entry of a call of the table. */
static __always_inline bool table_begin(struct call_run *run, struct pt_regs *ctx,
					struct task_struct *task, bool session)
{
	if (!any_begin(run, ctx, task, session) || run->call >= CALL_COUNT)
		return false;
	run->desc = desc_of(run->call);
	return true;
}

/*
 * The entry of a call that is followed to its return: one that no other hooked call encloses, or
 * that teaches. After table_begin().
 */
static __always_inline bool call_begin(struct call_run *run)
{
	struct thread_state *thread = run->thread;
	bool teaches = class_teaches(run->desc->class), session = run->session;
	struct pt_regs *ctx = run->ctx;
	struct frame *frame;

	if (session && !teaches && is_inside(ctx, thread, run->desc))
		return false;
	frame = frame_open(thread, ctx, run->cookie);
	if (!frame)
		return false;
	if (frame->nested && !teaches) {
		if (!is_callback(ctx, thread, run->cookie,
				 frame_cookie(thread, thread->depth - 2))) {
			if (session)
				frame_cancel(thread);
			return false;
		}
		frame->nested = false;
	}
	/*
	 * Keep the compiler from letting the caller test the depth again, which is equivalent to
	 * having a frame: Linux 6.1's verifier does not see that.
	 */
	asm volatile("" : "+r"(frame));
	run->frame = frame;
	return true;
}

/*
 * A return whose entry was not seen. If entry and return have separate links, this is what a call
 * looks like that began while they were placed: such a process is marked late, and that covers the
 * loss.
 */
__noinline int return_alone(struct thread_state *thread)
{
	__u32 tgid;

	if (!thread)
		return 0;
	tgid = thread->tgid;
	if (!*(volatile __u32 *)&attaching && !late_of(tgid))
		count_lost_of(thread->program, LOST_RETURN);
	return 0;
}

/*
 * The rare cases of a return: frames above its own were left. Returns the index of its frame, or
 * -1.
 */
__noinline int frame_close_slowly(struct thread_state *thread, __u64 sp, __u16 call)
{
	struct frame *frame;
	int i;

	if (!thread)
		return -1;
	for (i = 0; i < FRAME_COUNT; i++) {
		__u32 depth = thread->depth;

		if (!depth)
			break;
		frame = &thread->frames[(depth - 1) & (FRAME_COUNT - 1)];
		if (frame->sp > sp)
			break;
		thread->depth = depth - 1;
		if (frame->sp == sp && frame->call == call)
			return (depth - 1) & (FRAME_COUNT - 1);
		if (!frame->nested)
			frame_lost(thread, frame->call, frame->entry);
	}
	return_alone(thread);
	return -1;
}

/*
 * Closes the frame of @call at its return. Returns it (valid until the next frame is opened), or
 * NULL if its entry was not seen.
 */
static __always_inline struct frame *frame_close(struct thread_state *thread, struct pt_regs *ctx,
						 __u16 call)
{
	__u64 sp = return_sp(ctx);
	__u32 depth = thread->depth;
	struct frame *frame = &thread->frames[(depth - 1) & (FRAME_COUNT - 1)];
	int place;

	if (depth && frame->sp == sp && frame->call == call) {
		thread->depth = depth - 1;
		return frame;
	}
	place = frame_close_slowly(thread, sp, call);
	if (place < 0)
		return NULL;
	return &thread->frames[place & (FRAME_COUNT - 1)];
}

/* The return of any call. */
static __always_inline bool any_end(struct call_run *run, struct pt_regs *ctx,
				    struct task_struct *task, bool session)
{
	run->ctx = ctx;
	run->session = session;
	run->now = bpf_ktime_get_ns();
	run->result = PT_REGS_RC(ctx);
	run->call = call_number(ctx, task, session);
	run->thread = thread_leave(task);
	return run->thread != NULL;
}

/* The return of a call whose frame was opened. */
static __always_inline bool table_end(struct call_run *run, struct pt_regs *ctx,
				      struct task_struct *task, bool session)
{
	if (!any_end(run, ctx, task, session) || run->call >= CALL_COUNT)
		return false;
	run->desc = desc_of(run->call);
	run->frame = frame_close(run->thread, ctx, run->call);
	return run->frame != NULL;
}

/* The return of a call that no other hooked call encloses. */
static __always_inline bool counted_end(struct call_run *run, struct pt_regs *ctx,
					struct task_struct *task, bool session)
{
	return table_end(run, ctx, task, session) && !run->frame->nested;
}

/* The same, or of one that teaches. */
static __always_inline bool call_end(struct call_run *run, struct pt_regs *ctx,
				     struct task_struct *task, bool session)
{
	return table_end(run, ctx, task, session) &&
	       (!run->frame->nested || class_teaches(run->desc->class));
}

#endif
