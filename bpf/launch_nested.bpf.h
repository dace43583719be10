/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A runtime launch makes a driver launch, which is the same launch. If the runtime launch asked for a
 * return, it has a frame, and the driver launch inside it is recognized as any nested call. If it
 * did not, there is no frame: then a thread knows the driver launch by its depth and by the
 * driver's name for the function, which earlier launches taught.
 */
#ifndef LAUNCH_NESTED_BPF_H
#define LAUNCH_NESTED_BPF_H

#include "fault.bpf.h"
#include "launch_rows.bpf.h"

/* The function that a launch names, in all forms but those for several devices. */
static __always_inline __u64 launch_function(struct pt_regs *ctx,
					     const volatile struct call_desc *desc)
{
	if (desc->b)
		return context_register(PT_REGS_PARM2(ctx));
	return context_register(PT_REGS_PARM1(ctx));
}

/* The entry for a launch that is @bytes deeper than the runtime's launch around it. */
static __always_inline __u32 *nested_place(struct thread_state *thread, __u64 bytes)
{
	__u32 place = bytes >> 4 & (NESTED_DEPTHS - 1);

	asm volatile("" : "+r"(place));
	return &thread->nested_depth[place & (NESTED_DEPTHS - 1)];
}

/*
 * True if a driver launch, after a runtime launch that asked for no return, was made by the
 * runtime, and not by a program whose runtime launch was refused. Then its caller is near the
 * runtime's function, or, if another library is between the two, near a caller that was seen
 * before. Only asked if no earlier launch was as deep as this one, since the caller has to be read
 * from memory.
 */
static __noinline int launch_from_runtime(struct pt_regs *ctx, struct thread_state *thread)
{
	__u64 caller, bytes;

	caller = call_caller(ctx);
	if (caller && thread->nested_caller && !same_library(caller, thread->skipped_ip) &&
	    !same_library(caller, thread->nested_caller))
		return 0;
	bytes = thread->skipped_sp - call_sp(ctx);
	*nested_place(thread, bytes) = bytes;
	return 1;
}

/*
 * A driver launch inside a runtime launch that has a frame, as the first launch of a kernel always
 * has: remembers where it was made and the driver's name for the function, so that it is recognized
 * later when there is no frame.
 */
static __noinline int launch_teach(struct pt_regs *ctx, struct thread_state *thread, __u32 cookie)
{
	const volatile struct call_desc *desc = desc_of(CUTOP_COOKIE_CALL(cookie));
	struct address_key key = {};
	struct frame *frame;
	__u64 *known, outer, bytes;

	if (!thread->depth || desc->layer != LAYER_DRIVER || desc->a == FORM_DRIVER_MULTI)
		return 0;
	frame = &thread->frames[(thread->depth - 1) & (FRAME_COUNT - 1)];
	if (desc_of(frame->call)->class != CLASS_LAUNCH ||
	    desc_of(frame->call)->layer != LAYER_RUNTIME)
		return 0;
	/*
	 * A second library's launch inside a runtime launch: there is a library in front of the
	 * driver.
	 */
	if (!frame->inner)
		frame->inner = CUTOP_COOKIE_LIBRARY(cookie);
	else if (frame->inner != CUTOP_COOKIE_LIBRARY(cookie))
		layers_note(thread->program);
	bytes = frame->sp - call_sp(ctx);
	if (!thread->nested_caller || *nested_place(thread, bytes) != bytes) {
		thread->nested_caller = call_caller(ctx);
		*nested_place(thread, bytes) = bytes;
	}
	outer = frame->launch.function;
	key.address = launch_function(ctx, desc);
	key.program = thread->program;
	if (key.address == outer ||
	    (thread->paired[0] == outer && thread->paired[1] == key.address))
		return 0;
	thread->paired[0] = outer;
	thread->paired[1] = key.address;
	known = bpf_map_lookup_elem(&handles, &key);
	if (known && *known == outer)
		return 0;
	handle_learn(thread->program, key.address, outer, BPF_ANY);
	__sync_fetch_and_add(&taught_handles, 1);
	/* It may have a row without a name, from a time when the runtime had no probes. */
	if (late_ever)
		kernel_announce(thread->program, CUTOP_COOKIE_CALL(cookie), key.address);
	return 0;
}

/*
 * True if a driver launch of @function is the one inside the runtime launch that asked for no
 * return.
 */
__noinline int launch_follows(struct thread_state *thread, __u64 function)
{
	struct address_key key = { .address = function };
	__u64 *known;

	if (!thread)
		return 0;
	key.program = thread->program;
	known = bpf_map_lookup_elem(&handles, &key);
	if (known && *known != thread->skipped_function)
		return 0;
	thread->paired[0] = thread->skipped_function;
	thread->paired[1] = function;
	return 1;
}

static __always_inline bool launch_is_skipped(struct pt_regs *ctx, struct thread_state *thread,
					      const volatile struct call_desc *desc)
{
	__u64 function, bytes = thread->skipped_sp - call_sp(ctx);

	if (desc->layer != LAYER_DRIVER || call_sp(ctx) >= thread->skipped_sp ||
	    desc->a == FORM_DRIVER_MULTI)
		return false;
	if (*nested_place(thread, bytes) != bytes && !launch_from_runtime(ctx, thread))
		return false;
	function = launch_function(ctx, desc);
	if (function == thread->skipped_function ||
	    (thread->paired[0] == thread->skipped_function && thread->paired[1] == function))
		return true;
	return launch_follows(thread, function);
}

/* The same, but only once: the next launch is another one. */
static __always_inline bool launch_was_skipped(struct pt_regs *ctx, struct thread_state *thread,
					       const volatile struct call_desc *desc)
{
	bool nested;

	if (!thread->skipped_sp)
		return false;
	nested = launch_is_skipped(ctx, thread, desc);
	thread->skipped_sp = 0;
	return nested;
}

/*
 * A launch of @function, counted in @row, asks for no return. If it is the runtime's, the driver
 * launch inside it has to be recognized.
 */
static __always_inline void launch_skip(struct pt_regs *ctx, struct thread_state *thread,
					const volatile struct call_desc *desc,
					struct launch_row *row, __u64 function)
{
	if (!row->sampled)
		row->sampled = 1;
	if (!watch_driver || desc->layer != LAYER_RUNTIME)
		return;
	thread->skipped_function = function;
	thread->skipped_ip = PT_REGS_IP(ctx);
	thread->skipped_sp = call_sp(ctx);
}

#endif
