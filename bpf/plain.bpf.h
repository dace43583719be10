/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that are only counted and timed, and some with a further meaning: synchronize (time in
 * which at least one thread of the program waits, including calls that have not returned), set
 * device, reset.
 */
#ifndef PLAIN_BPF_H
#define PLAIN_BPF_H

#include "context.bpf.h"
#include "fault.bpf.h"
#include "site_rows.bpf.h"
#include "stacks.bpf.h"

/* ---- size ---- */

/*
 * The size of a device: learned when the program asks CUDA, or the runtime asks the driver when it
 * starts. Reported once per program and device, since programs may ask for the free memory in a
 * loop.
 */

struct {
	/* An entry that falls out of the LRU map is reported again */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct device_key);
	__type(value, __u64);
} sizes SEC(".maps");

__noinline int size_send(struct thread_state *thread, __s32 device, __u64 total, __u64 now)
{
	struct device_key key = { .device = device };
	struct rec_device *rec;
	__u64 *known;

	if (!thread)
		return 0;
	key.program = thread->program;
	known = bpf_map_lookup_elem(&sizes, &key);
	if (known && *known == total)
		return 0;
	rec = record_begin(thread, REC_DEVICE, sizeof(*rec), now);
	if (!rec)
		return 0;
	rec->total = total;
	rec->device = device;
	rec->pad = 0;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	bpf_map_update_elem(&sizes, &key, &total, BPF_ANY);
	return 0;
}

/* Calls inside another hooked call are followed, too. */
static __always_inline int size_entry(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct frame *frame = run->frame;

	frame->size.bytes_at = call_arg(run->ctx, desc->a);
	if (frame->size.bytes_at)
		frame->size.bytes_at += 8 * (__u64)desc->b;
	frame->size.device = desc->c == SIZE_OF_CURRENT ? run->thread->device :
							  (__s32)call_arg(run->ctx, desc->c);
	caller_note(run);
	return call_entered(run);
}

static __always_inline void size_return(struct call_run *run)
{
	struct frame *frame = run->frame;
	__u64 total = 0;

	if (run->result || !frame->size.bytes_at || frame->size.device < 0)
		return;
	if (bpf_probe_read_user(&total, sizeof(total), (void *)frame->size.bytes_at))
		count_lost_of(run->thread->program, LOST_ARGUMENT);
	else
		size_send(run->thread, frame->size.device, total, run->now);
}

/* ---- plain ---- */

/*
 * The device whose work is all done when a synchronizing call of @scope returns. DEVICE_PART if the
 * call waits for less: for a context that is not a primary one, or is unknown. "If the current
 * context is the primary context, green contexts that have been created will also be synchronized"
 * (cuda.h of CUDA 13.0, cuCtxSynchronize()): with a green context current, only that one is.
 */
static __noinline __s32 device_awaited(struct thread_state *thread, __u8 scope, __u64 context)
{
	struct context_row *row;

	if (scope == SYNC_DEVICE || !context)
		return thread->context || thread->green ? DEVICE_PART : thread->device;
	row = context_known(thread->program, context);
	return row && row->primary && !row->green ? row->device : DEVICE_PART;
}

static __always_inline bool waits_for_device(const volatile struct call_desc *desc)
{
	return desc->a == SYNC_DEVICE || desc->a == SYNC_CONTEXT;
}

static __always_inline int plain_entry(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;
	struct program_sync *sync;

	if (desc->class == CLASS_DEVICE)
		frame->device.device = call_arg(run->ctx, desc->a);
	if (desc->class == CLASS_PLAIN) {
		frame->object = desc->a ? call_arg(run->ctx, desc->b) : 0;
		caller_note(run);
	}
	call_entered(run);
	if (desc->class == CLASS_SYNC) {
		sync = sync_begin(thread, frame->entry);
		if (sync && waits_for_device(desc))
			device_sync_begin(thread, frame,
					  device_awaited(thread, desc->a, call_arg(run->ctx, 0)));
	}
	return 0;
}

static __always_inline void plain_return(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;
	struct program_sync *sync;

	if (desc->class == CLASS_SYNC) {
		if (launch_sites)
			call_site_count(run->ctx, thread, run->call, 0, run->now - frame->entry);
		sync = sync_end(thread->program, thread, run->now);
		if (sync && !run->result && waits_for_device(desc))
			device_sync_end(thread, sync, frame);
	} else if (desc->class == CLASS_DEVICE && !run->result) {
		context_turn(thread, 0, frame->device.device);
	} else if (desc->class == CLASS_RESET && !run->result && !thread->context) {
		/*
		 * In a context of the program's own, it only ends the runtime's state there:
		 * cuda_runtime_api.h, cudaDeviceReset().
		 */
		reset_send(thread, run->call, frame->entry, thread->device, 0);
	}
}

/* ---- objects ---- */

/*
 * What the call does to an object, and of which kind. A destroyed graph, module or context has a
 * record of its own, which says that it is gone.
 */
static __always_inline __u8 object_act(const volatile struct call_desc *desc, __u8 *kind)
{
	switch (desc->class) {
	case CLASS_PLAIN: *kind = desc->c; return desc->a;
	case CLASS_GRAPH:
		*kind = desc->a == EXEC_CREATE ? OBJECT_GRAPH : OBJECT_STREAM;
		return desc->a == EXEC_CREATE   ? OBJECT_MADE :
		       desc->a == CAPTURE_LEAVE ? OBJECT_GONE :
						  OBJECT_NONE;
	case CLASS_CONTEXT:
		*kind = desc->a == CONTEXT_STREAM || desc->a == CONTEXT_STREAM_OF ? OBJECT_STREAM :
										    OBJECT_CONTEXT;
		return *kind == OBJECT_STREAM || desc->a == CONTEXT_CREATE ||
				       desc->a == CONTEXT_GREEN ?
			       OBJECT_MADE :
		       desc->a == CONTEXT_GREEN_END ? OBJECT_GONE :
						      OBJECT_NONE;
	}
	return OBJECT_NONE;
}

/*
 * Tells where an object was made, or that it was destroyed, in a call that no other encloses. Events
 * come and go in great numbers: their stacks are walked only where stacks are asked for.
 */
static __always_inline void object_tell(struct call_run *run)
{
	struct thread_state *thread = run->thread;
	__u64 handle = run->frame->object, site = 0, stack = 0;
	struct rec_object *rec;
	__u8 kind = 0, act;

	if (!keep_books || run->result || run->frame->nested)
		return;
	act = object_act(run->desc, &kind);
	if (act == OBJECT_NONE)
		return;
	if (act == OBJECT_MADE) {
		if (bpf_probe_read_user(&handle, sizeof(handle), (void *)handle)) {
			count_lost_of(thread->program, LOST_ARGUMENT);
			return;
		}
		site = call_site(run->ctx);
		site_announce(thread, site);
		if (kind != OBJECT_EVENT || !python_alone)
			stack = stack_of(run->ctx, thread, site);
	}
	rec = record_begin(thread, REC_OBJECT, sizeof(*rec), run->now);
	if (!rec)
		return;
	rec->handle = handle;
	rec->site = site;
	rec->stack = stack;
	rec->call = run->call;
	rec->kind = kind;
	rec->pad = 0;
	rec->device = thread->device;
	rec->context = thread->context;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
}

#endif
