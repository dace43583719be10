/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python's frames at a call; docs/python.md explains all of it. A thread's value under the
 * interpreter's pthread key is its thread state, which leads to its frames, innermost first. Each
 * frame names a code object and an instruction in it; if the stack, identified by a hash of both,
 * is known, nothing else is read. For a new stack each unknown code object is copied
 * (python_code.bpf.h): by the time user space looks, it may be gone, and its process, too.
 *
 * A code object is identified by its address and a mark, since addresses are reused. Reading the
 * marks at each call would cost as much as all the rest, so it is done for frames whose code is
 * likely to be replaced, and for all frames at one call in MARKS_ONCE_IN.
 *
 * All this is memory of the watched program, and may contain anything. The number of steps is
 * limited, only code objects are copied, and the thread state must name this thread. If something
 * cannot be read, that is counted, and the call has its native site. Nothing here may sleep.
 */
#ifndef PYTHON_BPF_H
#define PYTHON_BPF_H

#include "python_code.bpf.h"

#define MARKS_ONCE_IN 64 /* calls of known stacks; a power of two */

/* ---- the walk ---- */

#if defined(__TARGET_ARCH_x86)
/* pthread_self(), and the start of a thread's values. */
static __always_inline __u64 python_thread(struct task_struct *task)
{
	return task->thread.fsbase;
}
#else
static __always_inline __u64 python_thread(struct task_struct *task)
{
	return 0; /* how this libc keeps them is unknown */
}
#endif

/* The value of @thread, a pthread_self(), under the interpreter's key. Returns 0 if it has none. */
static __always_inline __u64 python_state(struct python_scratch *scratch, __u64 thread)
{
	const struct python_layout *layout = &scratch->row.layout;
	__u32 made[2] = {}, key;
	__u64 place, state = 0;

	if (!scratch->key) {
		if (bpf_probe_read_user(made, sizeof(made),
					(void *)(scratch->row.runtime + layout->runtime_key)) ||
		    !made[0] || made[1] >= 1024) /* PTHREAD_KEYS_MAX */
			return 0;
		scratch->key = made[1] + 1;
	}
	key = scratch->key - 1;
	place = thread + layout->slots + key * 16 + 8;
	if (key >= 32) {
		place = thread + layout->slot_tables + key / 32 * 8;
		if (bpf_probe_read_user(&place, sizeof(place), (void *)place) || !place)
			return 0;
		place += key % 32 * 16 + 8;
	}
	bpf_probe_read_user(&state, sizeof(state), (void *)place);
	return state;
}

struct python_walk {
	struct python_scratch *scratch;
	__u64 frame;
	__u32 failed, pad;
};

/*
 * Reads the frame at @frame, and, if frames are adjacent, those before it. No other page is read,
 * because nothing may be mapped below the first frame of a chunk. Returns 0 if it could be read.
 */
__noinline int python_read(struct python_scratch *scratch, __u64 frame)
{
	__u64 end, start = frame;
	__u32 bytes;

	if (!scratch)
		return -1;
	end = frame + (scratch->row.layout.frame_bytes & 127);
	if (scratch->row.layout.is_stacked) {
		start = frame & ~4095ull;
		if (start < end - PYTHON_CHUNK)
			start = end - PYTHON_CHUNK;
	}
	bytes = end - start;
	scratch->chunk_start = start;
	scratch->chunk_bytes = bytes;
	asm volatile("" : "+r"(bytes));
	if (!bpf_probe_read_user(scratch->chunk, bytes & 1023, (void *)start))
		return 0;
	scratch->chunk_start = frame;
	scratch->chunk_bytes = bytes = scratch->row.layout.frame_bytes;
	asm volatile("" : "+r"(bytes));
	if (!bpf_probe_read_user(scratch->chunk, bytes & 127, (void *)frame))
		return 0;
	scratch->chunk_bytes = 0;
	return -1;
}

/*
 * A frame that was entered from C: the outer ones belong to another run of the interpreter's loop.
 */
static __always_inline void python_entered(struct python_scratch *scratch)
{
	__u32 n = scratch->count - 1;

	if (n < PYTHON_FRAMES)
		scratch->frames[n & (PYTHON_FRAMES - 1)].flags |= PYTHON_ENTERED;
}

static long python_step(__u32 i, struct python_walk *walk)
{
	struct python_scratch *scratch = walk->scratch;
	const struct python_layout *layout = &scratch->row.layout;
	__u64 frame = walk->frame, at = frame - scratch->chunk_start, code, instruction;
	struct python_frame *found;
	__u32 flags = 0, n;
	__u8 *bytes;

	if (!frame)
		return 1;
	if (scratch->count >= PYTHON_FRAMES) {
		scratch->is_cut = 1;
		return 1;
	}
	if (at > PYTHON_CHUNK || at + layout->frame_bytes > scratch->chunk_bytes) {
		if (python_read(scratch, frame)) {
			walk->failed = 1;
			return 1;
		}
		at = frame - scratch->chunk_start;
	}
	bytes = scratch->chunk + (at & 1016);
	walk->frame = FRAME_WORD(bytes, layout->frame_back);
	if (layout->frame_owner != PYTHON_NONE &&
	    bytes[layout->frame_owner & 127] >= layout->owner_c) {
		python_entered(scratch);
		return 0;
	}
	code = FRAME_WORD(bytes, layout->frame_code) & ~(__u64)layout->tag;
	instruction = FRAME_WORD(bytes, layout->frame_at);
	if (layout->at_is_pointer) {
		instruction -= code + layout->code_bytecode;
		/* An instruction so far from the code is not part of it. */
		if (instruction + (1 << 30) >= 1ull << 31)
			instruction = -1;
	} else {
		instruction = (__s64)(__s32)instruction * layout->at_scale;
		flags = PYTHON_ENTERED;
	}
	if (layout->frame_entry != PYTHON_NONE && bytes[layout->frame_entry & 127])
		flags = PYTHON_ENTERED;
	n = scratch->count;
	found = &scratch->frames[n & (PYTHON_FRAMES - 1)];
	found->code = code;
	found->at = (__s32)instruction;
	found->flags = flags;
	scratch->hash = python_mix(python_mix(scratch->hash, code), (__u32)instruction);
	scratch->count = n + 1;
	return 0;
}

/* Reads the frames of the current thread. Returns how many, or -1 if they could not be read. */
__noinline int python_frames(struct python_scratch *scratch)
{
	struct python_walk walk = { .scratch = scratch };
	const struct python_layout *layout;
	__u64 thread, state;

	if (!scratch)
		return -1;
	layout = &scratch->row.layout;
	thread = python_thread(bpf_get_current_task_btf());
	state = thread ? python_state(scratch, thread) : 0;
	if (!state) {
		scratch->key = 0; /* it may have been created anew */
		return 0;
	}
	if (bpf_probe_read_user(scratch->chunk, PYTHON_STATE_BYTES, (void *)state) ||
	    *(__u64 *)(scratch->chunk + (layout->state_thread & 248)) != thread) {
		scratch->key = 0;
		return -1;
	}
	walk.frame = FRAME_WORD(scratch->chunk, layout->state_frame);
	if (walk.frame && layout->cframe_frame != PYTHON_NONE &&
	    bpf_probe_read_user(&walk.frame, sizeof(walk.frame),
				(void *)(walk.frame + layout->cframe_frame)))
		return -1;
	scratch->count = scratch->is_cut = 0;
	scratch->chunk_bytes = 0;
	bpf_loop(PYTHON_STEPS, python_step, &walk, 0);
	if (walk.failed)
		return -1;
	if (walk.frame)
		scratch->is_cut = 1;
	return scratch->count;
}

/* ---- known stacks ---- */

/* Finds out whether the thread's process has an interpreter, and which one. */
__noinline int python_look(struct thread_state *thread, struct python_scratch *scratch,
			   __u32 changes)
{
	struct python_row *row;
	__u32 tgid;

	if (!thread || !scratch)
		return 0;
	tgid = thread->tgid;
	row = bpf_map_lookup_elem(&pythons, &tgid);
	thread->python_changes = changes;
	thread->has_python = row != NULL;
	if (!row)
		return 0;
	scratch->row = *row;
	scratch->changes = changes;
	scratch->program = thread->program;
	scratch->key = 0;
	scratch->last = 0;
	scratch->retries = 0;
	return 1;
}

/* True if the code of the known stack is what it was: asked of some of it, and at times of all. */
static __always_inline bool python_is_same(struct python_scratch *scratch)
{
	if (scratch->known.likely &&
	    python_marks(scratch, scratch->known.likely) != scratch->known.likely_marks)
		return false;
	return ++scratch->calls & (MARKS_ONCE_IN - 1) ||
	       python_marks(scratch, ~0ull) == scratch->known.marks;
}

/* python_call.bpf.h */
__noinline __u64 python_take(struct thread_state *thread, __u64 site, __u64 native)
{
	__u32 changes = *(volatile __u32 *)&python_changes;
	struct python_scratch *scratch;
	struct python_stack_known *known;
	int count;

	if (!thread)
		return native;
	scratch = storage_new(python_scratches, bpf_get_current_task_btf());
	if (!scratch) {
		count_lost(LOST_PYTHON);
		return native;
	}
	if ((thread->python_changes != changes || scratch->program != thread->program ||
	     scratch->changes != changes) &&
	    !python_look(thread, scratch, changes))
		return native;
	scratch->hash = python_mix(site, native);
	count = python_frames(scratch);
	if (count < 0)
		count_lost(LOST_PYTHON);
	if (count <= 0)
		return native;
	if (!scratch->hash)
		scratch->hash = 1;
	if (scratch->last != scratch->hash) {
		scratch->stack_key.address = scratch->hash;
		scratch->stack_key.program = thread->program;
		scratch->last = 0;
		known = bpf_map_lookup_elem(&python_stacks, &scratch->stack_key);
		if (!known && python_full && bpf_ktime_get_ns() - python_full < PYTHON_FULL_NS) {
			count_lost(LOST_PYTHON);
			return native;
		}
		if (known) {
			scratch->known = *known;
			scratch->last = scratch->hash;
		}
	}
	/* Sent from one place only: python_send() is verified at each call of it. */
	if (scratch->last && python_is_same(scratch))
		return scratch->known.stack;
	return python_send(thread, scratch, site, native);
}

/* ---- processes ---- */

/*
 * At functions that an interpreter calls when it starts, or when it imports a module of machine
 * code, such as any module that calls CUDA.
 */
static __always_inline int python_begin(struct pt_regs *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32,
	      number = CUTOP_COOKIE_CALL(bpf_get_attach_cookie(ctx)) - CUTOP_PYTHON;
	struct python_row row = {}, *before;
	struct python_function *function;

	if (tgid == own_tgid || (only_listed && !bpf_map_lookup_elem(&listed, &tgid)))
		return 0;
	function = bpf_map_lookup_elem(&python_functions, &number);
	if (!function || !function->layout.version)
		return 0;
	row.runtime = PT_REGS_IP(ctx) + function->runtime;
	row.code_type = row.runtime + function->code_type;
	row.machine = function->machine;
	row.layout = function->layout;
	before = bpf_map_lookup_elem(&pythons, &tgid);
	if (before && before->runtime == row.runtime)
		return 0;
	if (!bpf_map_update_elem(&pythons, &tgid, &row, BPF_ANY))
		__sync_fetch_and_add(&python_changes, 1);
	return 0;
}

static __always_inline void python_fork(__u32 parent, __u32 child)
{
	struct python_row *row;

	if (!with_python || !*(volatile __u32 *)&python_changes)
		return;
	row = bpf_map_lookup_elem(&pythons, &parent);
	if (row)
		bpf_map_update_elem(&pythons, &child, row, BPF_ANY);
}

/* The process ends, or runs another program. */
static __always_inline void python_end(__u32 tgid)
{
	if (with_python && *(volatile __u32 *)&python_changes)
		bpf_map_delete_elem(&pythons, &tgid);
}

#endif
