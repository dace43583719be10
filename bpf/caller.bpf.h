/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which code called a driver function outside of any hooked call: the program, or the runtime,
 * inside one of its functions that is not probed. Some of those are not probed by default
 * (cudaGetDevice), some are in no list (__cudaInitModule), and each may initialize the driver and
 * load the program's code. The return address tells: it is in the runtime's code or not.
 * Reading it from the stack costs time, so this is not done for launches, copies, allocations,
 * frees and waits, which programs make by the million. A thread remembers the last piece of code of
 * either kind, so that only its first call from there looks for a mapping.
 * A driver call made by the runtime teaches us like any other, but is counted only if it fails,
 * since nothing else would show the failure.
 */
#ifndef CALLER_BPF_H
#define CALLER_BPF_H

#include "files.bpf.h"
#include "frames.bpf.h"

const volatile bool find_callers; /* both layers are probed, and mappings can be looked up */

/* The runtime's code in a file, in bytes from the file's start. Filled in by user space. */
HASH_MAP(runtime_code, struct file_id, struct code_span, 16384);

/*
 * Counts changes of that map, since a file may be found to contain a runtime after a thread called
 * the driver from there; and files that were mapped where another one was, maybe.
 */
__u32 runtime_marks;

/*
 * Files from which the driver was called when they had no probes: if such a file turns out to have
 * a runtime, calls of that were missed. User space looks here when it has placed the probes.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct caller_key);
	__type(value, __u32);
} unprobed_callers SEC(".maps");

/* The program @program calls the driver from the file @id. */
static __noinline int caller_keep(__u32 program, const struct file_id *id)
{
	struct caller_key key = { .program = program };
	__u32 *known, one = 1;

	if (!id)
		return 0;
	known = bpf_map_lookup_elem(&files, id);
	if (known && *known == FILE_PROBED)
		return 0;
	key.file = *id;
	bpf_map_update_elem(&unprobed_callers, &key, &one, BPF_ANY);
	return 0;
}

/*
 * Looks for the mapping at @caller, the return address at @sp, and remembers what is there. Returns
 * 1 if it is the runtime's code.
 */
__noinline int caller_find(struct thread_state *thread, __u64 caller, __u64 sp)
{
	struct vma_info info = {};
	struct code_span *span = NULL;
	struct code_range *range;
	struct file_id id = {};
	__u64 at, low, high;
	/* Read this before the file is looked up */
	__u32 marks = *(volatile __u32 *)&runtime_marks;

	if (!thread || !find_callers)
		return 0;
	/* A jump (tail call) led here from a function whose return another tool probes. */
	if (caller == trampoline_of(thread))
		caller = caller_behind_trampoline(sp);
	/* If it is unknown, the thread's next call looks again. */
	if (vma_at(caller, &info))
		return 0;
	if (thread->marks != marks)
		thread->runtime_code.size = thread->other_code.size = 0;
	thread->marks = marks;
	range = &thread->other_code;
	at = caller - info.start + info.offset;
	low = info.offset;
	high = info.end - info.start + info.offset;
	if (info.file) {
		file_id_read((struct file *)info.file, &id);
		span = bpf_map_lookup_elem(&runtime_code, &id);
		caller_keep(thread->program, &id);
	}
	if (span && at < span->start) {
		high = high < span->start ? high : span->start;
	} else if (span && at < span->end) {
		range = &thread->runtime_code;
		low = low > span->start ? low : span->start;
		high = high < span->end ? high : span->end;
	} else if (span) {
		low = low > span->end ? low : span->end;
	}
	range->start = info.start + low - info.offset;
	range->size = high - low;
	return range == &thread->runtime_code;
}

static __always_inline bool is_by_runtime(struct pt_regs *ctx, struct thread_state *thread)
{
	__u64 caller = call_caller(ctx);

	if (thread->marks == *(volatile __u32 *)&runtime_marks) {
		if (caller - thread->runtime_code.start < thread->runtime_code.size)
			return true;
		if (caller - thread->other_code.start < thread->other_code.size)
			return false;
	}
	return caller_find(thread, caller, call_sp(ctx));
}

/* When a frame is opened: marks a driver call made by the runtime. Not for the hot classes. */
static __always_inline void caller_note(struct call_run *run)
{
	if (find_callers && run->desc->layer == LAYER_DRIVER && !run->frame->nested)
		run->frame->by_runtime = is_by_runtime(run->ctx, run->thread);
}

/* The same without a frame, for calls of any class. */
static __always_inline bool caller_is_runtime(struct pt_regs *ctx, struct thread_state *thread,
					      const volatile struct call_desc *desc)
{
	if (!find_callers || desc->layer != LAYER_DRIVER)
		return false;
	switch (desc->class) {
	case CLASS_PLAIN:
	case CLASS_CONTEXT:
	case CLASS_MAP:
	case CLASS_SIZE:
	case CLASS_HANDLE:
	case CLASS_NAMED: return is_by_runtime(ctx, thread);
	}
	return false;
}

/* ---- unwatched ---- */

/*
 * When only the runtime's calls are watched: detects allocations by driver calls that no runtime
 * call made. Only their number is kept, so that the verdict is not "no leak". This also detects a
 * runtime without symbols that is linked into a program.
 */

/* Read by user space: how many there were, and by which process last. */
__u64 unwatched_allocations;
__u32 unwatched_tgid;
char unwatched_comm[CUTOP_COMM_LEN];

/*
 * Like is_inside() of frames.bpf.h: it is nearly always so, and checking whether the runtime's call
 * is still under way costs more than all the rest.
 */
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

	if (unwatched_nests(ctx, bpf_task_storage_get(&threads, task, NULL, 0)) ||
	    !is_watched(task, tgid))
		return;
	__sync_fetch_and_add(&unwatched_allocations, 1);
	unwatched_tgid = tgid;
	bpf_get_current_comm(unwatched_comm, sizeof(unwatched_comm));
}

#endif
