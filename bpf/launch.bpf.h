/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel launches: the hot path. Every launch is counted at entry in its kernel's row. If the
 * kernel lets an entry program choose (session programs), a return probe is asked for only when its
 * result is likely to be news: for the first launch of a kernel or of a thread, after a changed
 * grid or block, for one in 67 equal launches of a thread (launch_rows.bpf.h), and for every launch
 * after a failure in the process until 64 in a row succeeded. Failures and latencies are then
 * samples, and the row says so. With --launch-sites one in 64 is drawn (site_rows.bpf.h).
 *
 * A thread remembers where the rows of its last kernels are (launch_rows.bpf.h), and with what grid
 * and block it launched them: launching one again in the same way costs one atomic add, and no
 * look-up.
 */
#ifndef LAUNCH_BPF_H
#define LAUNCH_BPF_H

#include "capture.bpf.h"
#include "fault.bpf.h"
#include "launch_rows.bpf.h"
#include "site_rows.bpf.h"

/* ---- launch nested ---- */

/*
 * A runtime launch makes a driver launch, which is the same launch. If the runtime launch asked for a
 * return, it has a frame, and the driver launch inside it is recognized as any nested call. If it
 * did not, there is no frame: then a thread knows the driver launch by its depth and by the
 * driver's name for the function, which earlier launches taught.
 */

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

/* ---- launch ---- */

/*
 * True if shared bytes and stream of a launch by arguments are on the stack; arm64 has registers
 * for them.
 */
#if defined(__TARGET_ARCH_x86)
#define LAUNCH_ON_STACK 1
#else
#define LAUNCH_ON_STACK 0
#endif

/*
 * Counts @times launches of @shape in @row. Returns @news, or true if there is other news: the
 * first launch of a kernel, a changed grid or block. @words is the address of shared bytes and
 * stream if they are on the stack, else NULL: they are read only on news, because reading memory
 * costs as much as all the rest.
 */
static __always_inline bool launch_count(struct launch_row *row, struct launch_shape *shape,
					 __u64 times, const void *words, bool driver, bool news)
{
	__u64 before = __sync_fetch_and_add(&row->launches, times);

	news = news || !before;
	if (words && driver)
		shape->block[2] = row->block[2]; /* it is also in memory */
	if (!same_grid(row, shape)) {
		__builtin_memcpy(row->grid, shape->grid, sizeof(row->grid));
		__builtin_memcpy(row->block, shape->block, sizeof(row->block));
		news = true;
	}
	if (!words) {
		news = news || row->shared_bytes != shape->shared_bytes;
		row->shared_bytes = shape->shared_bytes;
		row->stream = shape->stream;
	} else if (news) {
		launch_memory(words, row, driver);
	}
	return news;
}

/*
 * Where no thread counts down to the next launch that is due: whether it is the one after those in
 * @row.
 */
static __always_inline bool launch_is_due(const struct launch_row *row)
{
	return !launch_sites && !((__u32)row->launches % LAUNCH_STRIDE);
}

static __always_inline void launch_sample(struct launch_row *row, __u64 ns, bool failed)
{
	__sync_fetch_and_add(&row->ns, ns);
	raise_max(&row->max_ns, ns);
	histogram_add(row->hist, ns, CUTOP_HIST_SHIFT);
	if (failed)
		__sync_fetch_and_add(&row->failures, 1);
}

/*
 * Arguments of a launch in registers, as the frame keeps them: grid x and y, z, block x and y, z.
 */
static __always_inline void launch_registers(struct pt_regs *ctx, bool driver, __u64 *words)
{
	if (driver) {
		words[0] = (__u32)PT_REGS_PARM2(ctx) | PT_REGS_PARM3(ctx) << 32;
		words[1] = (__u32)PT_REGS_PARM4(ctx);
		words[2] = (__u32)PT_REGS_PARM5(ctx) | call_arg(ctx, 5) << 32;
		words[3] = 0;
	} else {
		words[0] = PT_REGS_PARM2(ctx);
		words[1] = PT_REGS_PARM3(ctx);
		words[2] = PT_REGS_PARM4(ctx);
		words[3] = PT_REGS_PARM5(ctx);
	}
}

/* True if launch_registers() would return the same as before. */
static __always_inline bool launched_alike(struct pt_regs *ctx, bool driver, const __u64 *words)
{
	if (driver)
		return words[0] == ((__u32)PT_REGS_PARM2(ctx) | PT_REGS_PARM3(ctx) << 32) &&
		       words[1] == (__u32)PT_REGS_PARM4(ctx) &&
		       words[2] == ((__u32)PT_REGS_PARM5(ctx) | call_arg(ctx, 5) << 32);
	return words[0] == PT_REGS_PARM2(ctx) && words[1] == PT_REGS_PARM3(ctx) &&
	       words[2] == PT_REGS_PARM4(ctx) && words[3] == PT_REGS_PARM5(ctx);
}

/*
 * frame->flags: counted at entry; otherwise it is counted at return, in one look-up with its sample
 */
#define LAUNCH_COUNTED  1
#define LAUNCH_CAPTURED 2 /* launched into a capture: it becomes a node, and runs nothing */

/*
 * Everything about a launch, wherever it is. *@function is its first argument until more is known.
 */
static __always_inline void launch_read(struct pt_regs *ctx, const volatile struct call_desc *desc,
					struct launch_shape *shape, __u64 *function, __u64 *times)
{
	bool driver = desc->a == FORM_DRIVER;
	__u64 words[4];

	if (!driver && desc->a != FORM_ARGS) {
		launch_struct(ctx, shape, function, times);
		return;
	}
	launch_registers(ctx, driver, words);
	shape_unpack(shape, words[0], words[1], words[2], words[3]);
	if (driver)
		shape->block[2] = call_arg(ctx, 6);
	shape->shared_bytes = call_arg(ctx, driver ? 7 : 6);
	shape->stream = call_arg(ctx, driver ? 8 : 7);
}

/*
 * The frame of a launch that has to be counted: a launch inside another call comes from a callback,
 * and is not part of that call.
 */
static __always_inline struct frame *launch_open(struct thread_state *thread, struct pt_regs *ctx,
						 __u32 cookie)
{
	struct frame *frame = frame_open(thread, ctx, cookie);

	if (frame)
		frame->nested = false;
	return frame;
}

/*
 * A launch by a program that captures something: opens a frame for it and returns true if it goes
 * into a capture. The caller traces it: Linux before 6.13 has 512 bytes of stack for a whole call
 * chain.
 */
static __noinline bool launch_into_capture(struct pt_regs *ctx, struct thread_state *thread,
					   __u32 cookie)
{
	__u32 call = CUTOP_COOKIE_CALL(cookie);
	const volatile struct call_desc *desc = desc_of(call);
	struct launch_shape shape = {};
	struct launch_key key = { .program = thread->program };
	struct launch_row *row;
	struct frame *frame;
	__u64 times, graph;

	key.function = PT_REGS_PARM1(ctx);
	launch_read(ctx, desc, &shape, &key.function, &times);
	graph = capture_graph(thread, stream_name(thread, shape.stream, desc->flags));
	if (!graph)
		return false;
	frame = launch_open(thread, ctx, cookie);
	if (!frame)
		return true;
	frame->flags = LAUNCH_CAPTURED;
	frame->launch.function = key.function;
	frame->launch.captured.graph = graph;
	frame->launch.captured.updatable = desc->a == FORM_CONFIG &&
					   asks_updatable(PT_REGS_PARM1(ctx));
	key.call = call;
	key.device = thread->device;
	row = launch_row_get(&key);
	if (row) {
		__builtin_memcpy(row->grid, shape.grid, sizeof(row->grid));
		__builtin_memcpy(row->block, shape.block, sizeof(row->block));
		row->shared_bytes = shape.shared_bytes;
		row->stream = shape.stream;
	}
	frame->entry = bpf_ktime_get_ns();
	return true;
}

/* The return of such a launch. */
static __noinline int launch_captured(struct thread_state *thread, struct frame *frame, __u32 call,
				      bool failed)
{
	struct rec_graph rec = { .call = call, .role = GRAPH_ADD_KERNEL };

	call_count(thread->program, call, bpf_ktime_get_ns() - frame->entry, failed);
	if (failed)
		return 0;
	rec.graph = frame->launch.captured.graph;
	rec.function = frame->launch.function;
	graph_send(thread, &rec);
	if (frame->launch.captured.updatable) {
		rec.role = GRAPH_UPDATABLE;
		graph_send(thread, &rec);
	}
	return 1;
}

/*
 * Counts it. This is separate from the record, so that their stacks do not add up: Linux before
 * 6.13 has 512 bytes for a whole call chain.
 */
static __noinline int launch_captured_count(struct thread_state *thread, struct frame *frame,
					    __u32 call)
{
	struct launch_key key = { .call = call, .program = thread->program };
	struct launch_row *row;

	key.device = thread->device;
	key.function = frame->launch.function;
	row = launch_row_get(&key);
	if (row)
		__sync_fetch_and_add(&row->captured, 1);
	return 0;
}

/*
 * A launch of a kernel that the thread has launched before, with the same grid and block, is only
 * counted. Returns true if it was one.
 */
static __always_inline bool launch_quick(struct pt_regs *ctx, struct task_struct *task)
{
	struct thread_state *thread;
	__u64 function = PT_REGS_PARM1(ctx);
	const volatile struct call_desc *desc;
	struct hot_launch *hot;
	struct launch_row *row;
	__u32 call;

	if (exact_launches || !LAUNCH_ON_STACK)
		return false;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread || !thread->settled || thread->depth)
		return false;
	call = call_number(ctx, task, true);
	desc = desc_of(call);
	if (launch_was_skipped(ctx, thread, desc))
		return true;
	if (thread->gap_from)
		gap_end(thread);
	if (may_capture(thread) || *watchful_of(thread->program))
		return false;
	hot = hot_place(thread, function);
	if (!is_hot(hot, thread, function, call) || !hot->left ||
	    !launched_alike(ctx, desc->a == FORM_DRIVER, hot->words))
		return false;
	hot->left--;
	row = slot_row(hot->slot);
	__sync_fetch_and_add(&row->launches, 1);
	launch_stamp(thread, row, false);
	launch_skip(ctx, thread, desc, row, function);
	return true;
}

/* True if the launch is part of another call, which counts instead; what it teaches is learned. */
static __always_inline bool launch_is_inside(struct call_run *run)
{
	struct thread_state *thread = run->thread;
	bool inside;

	if (!thread->depth)
		return false;
	inside = run->session && is_inside(run->ctx, thread, run->desc);
	if (!inside) {
		frames_settle(thread, call_sp(run->ctx));
		if (!thread->depth || is_callback(run->ctx, thread, run->cookie,
						  frame_cookie(thread, thread->depth - 1)))
			return false;
	}
	launch_teach(run->ctx, thread, run->cookie);
	if (!run->session)
		frame_open(thread, run->ctx, run->cookie);
	return true;
}

/*
 * With sites: whether the launch just counted is taken by chance. A thread that remembers the
 * kernel counts down to the next that is, as launch_quick() does; @was_hot: from before this
 * launch.
 */
static __always_inline bool launch_turn(struct hot_launch *hot, bool was_hot, bool is_hot)
{
	if (!is_hot)
		return launch_drawn();
	if (!was_hot)
		hot->left = launch_gap();
	if (!hot->left) {
		hot->left = launch_gap();
		return true;
	}
	hot->left--;
	return false;
}

/*
 * A launch whose return is seen in any case, with its configuration in registers: it is counted at
 * the return.
 */
static __always_inline int launch_keep(struct call_run *run, bool driver)
{
	run->frame = launch_open(run->thread, run->ctx, run->cookie);
	if (!run->frame)
		return 1;
	run->frame->flags = 0;
	run->frame->launch.function = PT_REGS_PARM1(run->ctx);
	launch_registers(run->ctx, driver, run->frame->launch.words);
	return call_entered(run);
}

/*
 * Counts a launch with its configuration in registers, and if need be on the stack. Returns its
 * row, NULL without room. thread->weight is then how many launches this one stands for, if it is
 * followed; 0: it need not be.
 */
static __always_inline struct launch_row *launch_count_registers(struct call_run *run, bool driver,
								 __u64 function)
{
	struct hot_launch *hot = hot_place(run->thread, function);
	struct launch_shape shape = {};
	struct launch_row *row;
	__u64 words[4];
	bool was_hot;

	launch_registers(run->ctx, driver, words);
	was_hot = is_hot(hot, run->thread, function, run->call);
	run->thread->weight = !launch_sites && was_hot && !hot->left ? LAUNCH_STRIDE : 0;
	row = launch_row_of(run->thread, function, run->call);
	if (!row)
		return NULL;
	if (launch_sites) {
		if (launch_turn(hot, was_hot, is_hot(hot, run->thread, function, run->call)))
			run->thread->weight = LAUNCH_SAMPLE;
	} else if (!was_hot && launch_is_due(row)) {
		run->thread->weight = LAUNCH_STRIDE;
	}
	shape_unpack(&shape, words[0], words[1], words[2], words[3]);
	if (launch_count(row, &shape, 1, call_stack(run->ctx), driver,
			 run->thread->weight == LAUNCH_STRIDE) &&
	    run->thread->weight != LAUNCH_STRIDE)
		run->thread->weight = 1;
	if (is_hot(hot, run->thread, function, run->call)) {
		/* Another grid or block is followed in any case, and stands for itself. */
		if (was_hot && (hot->words[0] != words[0] || hot->words[1] != words[1] ||
				hot->words[2] != words[2] || hot->words[3] != words[3]))
			run->thread->weight = 1;
		__builtin_memcpy(hot->words, words, sizeof(words));
		if (launch_sites)
			return row;
		/* Those that are followed in any case stand for themselves, and are not counted. */
		if (!was_hot || run->thread->weight == LAUNCH_STRIDE)
			hot->left = LAUNCH_STRIDE - 1;
		else if (hot->left && run->thread->weight != 1 &&
			 !(*watchful_of(run->thread->program) & ~WATCHFUL_MARKS))
			hot->left--;
	}
	return row;
}

/* Counts a launch of any other form. *@function becomes what it launches. The rest as above. */
static __always_inline struct launch_row *launch_count_memory(struct call_run *run, __u64 *function)
{
	bool driver = run->desc->a == FORM_DRIVER;
	struct launch_shape shape = {};
	struct launch_row *row;
	__u64 times = 1;

	if (LAUNCH_ON_STACK)
		launch_struct(run->ctx, &shape, function, &times);
	else
		launch_read(run->ctx, run->desc, &shape, function, &times);
	row = launch_row_of(run->thread, *function, run->call);
	if (!row)
		return NULL;
	run->thread->weight = launch_sites ? (launch_drawn() ? LAUNCH_SAMPLE : 0) :
					     (launch_is_due(row) ? LAUNCH_STRIDE : 0);
	if (launch_count(row, &shape, times, NULL, driver, false))
		run->thread->weight = 1;
	return row;
}

/*
 * A launch that was counted is followed to its return. @before: the row's launch clock without it;
 * @weight: how many launches it stands for.
 */
static __always_inline int launch_follow(struct call_run *run, __u64 function, __u64 before,
					 __u64 weight)
{
	run->frame = launch_open(run->thread, run->ctx, run->cookie);
	if (!run->frame)
		return 1;
	run->thread->settled = 1;
	run->frame->flags = LAUNCH_COUNTED;
	run->frame->launch.function = function;
	run->frame->launch.counted.before = before;
	run->frame->launch.counted.clock = run->thread->launch_clock;
	run->frame->launch.counted.weight = weight;
	return call_entered(run);
}

static __always_inline int launch_entry(struct call_run *run)
{
	bool driver = run->desc->a == FORM_DRIVER,
	     on_stack = LAUNCH_ON_STACK && (driver || run->desc->a == FORM_ARGS);
	__u64 function = PT_REGS_PARM1(run->ctx), before;
	struct thread_state *thread = run->thread;
	struct launch_row *row;
	__u32 watch;

	if (launch_is_inside(run) || launch_was_skipped(run->ctx, thread, run->desc))
		return 1;
	if (thread->gap_from)
		gap_end(thread);
	if (may_capture(thread) && launch_into_capture(run->ctx, thread, run->cookie)) {
		trace_entry(run->ctx, thread,
			    &thread->frames[(thread->depth - 1) & (FRAME_COUNT - 1)], run->call);
		return 0;
	}
	if (on_stack && (!run->session || exact_launches))
		return launch_keep(run, driver);
	if (on_stack)
		row = launch_count_registers(run, driver, function);
	else
		row = launch_count_memory(run, &function);
	if (!row)
		return 1;
	watch = *watchful_of(thread->program);
	before = row->last;
	if (!(watch & WATCHFUL_FAULT))
		launch_stamp(thread, row,
			     (thread->weight && thread->weight != LAUNCH_SAMPLE) || !on_stack);
	/*
	 * A program whose launches are followed for good has its sites taken by chance all the
	 * same.
	 */
	if (thread->weight != LAUNCH_STRIDE &&
	    (!thread->settled || exact_launches || (watch & ~WATCHFUL_MARKS)))
		thread->weight = 1;
	if (thread->weight || watch || !run->session)
		return launch_follow(run, function, before, thread->weight);
	launch_skip(run->ctx, thread, run->desc, row, function);
	return 1;
}

/*
 * Where a program that was running before cutop, or was forked from such a program, launches
 * @function: nvcc puts one launch into each kernel's stub. For other programs the stub is known
 * from the start.
 */
__noinline int launch_place(struct thread_state *thread, __u64 function, __u64 site, __u32 call)
{
	struct rec_launched_at *rec;
	struct program_row *row;
	__u32 tgid, program;

	if (!thread)
		return 0;
	tgid = thread->tgid;
	program = thread->program;
	row = bpf_map_lookup_elem(&programs, &program);
	/*
	 * It is also unknown if handles are not seen being made: no_returns.bpf.h. And if the
	 * runtime is not watched, the place shows whether the runtime launches.
	 */
	if (watch_runtime && !thread->outer.sp && !late_of(tgid) && !(row && row->origin_late))
		return 0;
	module_announce(thread->program, site);
	rec = record_begin(thread, REC_LAUNCHED_AT, sizeof(*rec), bpf_ktime_get_ns());
	if (!rec)
		return 0;
	rec->function = function;
	rec->site = site;
	rec->call = call;
	__builtin_memset(rec->pad, 0, sizeof(rec->pad));
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return 0;
}

static __always_inline void launch_return(struct call_run *run)
{
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;
	struct launch_shape shape = {};
	__u32 call = run->call, *guard, left;
	__s32 result = run->result;
	__u64 weight = 0;
	struct launch_row *row;
	bool news, due;

	trace_return(run);
	if (frame->flags & LAUNCH_CAPTURED) {
		if (launch_captured(thread, frame, call, result != 0))
			launch_captured_count(thread, frame, call);
		goto counted;
	}
	/* A launch does not change the device */
	row = launch_row_of(thread, frame->launch.function, call);
	if (row && frame->flags & LAUNCH_COUNTED) {
		if (result && row->last == frame->launch.counted.clock)
			row->last = frame->launch.counted.before; /* it was not launched */
		weight = frame->launch.counted.weight;
	} else if (row) {
		due = (__u32)row->launches % LAUNCH_STRIDE == LAUNCH_STRIDE - 1;
		shape_unpack(&shape, frame->launch.words[0], frame->launch.words[1],
			     frame->launch.words[2], frame->launch.words[3]);
		news = launch_count(row, &shape, 1, return_stack(run->ctx),
				    run->desc->a == FORM_DRIVER, due);
		/*
		 * The stream is read on news only: for this launch it is known only if it is read
		 * now.
		 */
		if (!result && !(*watchful_of(thread->program) & WATCHFUL_FAULT))
			launch_stamp(thread, row, news);
		/* All are timed in their rows: it is only about gaps, of which a sample is enough. */
		frame->launch.counted.weight = due ? LAUNCH_STRIDE : 0;
		weight = news || exact_launches         ? 1 :
			 launch_sites && launch_drawn() ? LAUNCH_SAMPLE :
							  0;
	}
	if (row && !row->ns)
		launch_place(thread, frame->launch.function, call_site(run->ctx), call);
	if (row)
		launch_sample(row, run->now - frame->entry, result != 0);
	if (launch_sites && row && weight)
		call_site_count(run->ctx, thread, call, frame->launch.function, weight);
	if (row)
		launch_timed(thread, frame, run->now);
counted:
	if (result) {
		thread->failing = frame->launch.function;
		call_failed(run);
		thread->failing = 0;
	} else {
		guard = watchful_of(thread->program);
		left = *guard;
		/*
		 * if two threads decrement at the same time, one decrement is lost: one more launch
		 * does not matter
		 */
		if (left & ~WATCHFUL_MARKS)
			__sync_val_compare_and_swap(guard, left, left - 1);
	}
}

#endif
