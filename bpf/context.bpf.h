/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts and devices. A runtime program chooses its device (cudaSetDevice); a driver program
 * creates contexts and makes them current, so the device of a call is that of the thread's current
 * context. Which device a context has is learned when it is created or retained, also inside a
 * runtime call.
 * Memory of a context other than a device's primary one carries the context, because the end of
 * that context ends this memory alone. Stream-ordered allocations are on the stream's device:
 * streams are learned when they are created, and looked up once any thread of any process has used
 * a device other than the first.
 */
#ifndef CONTEXT_BPF_H
#define CONTEXT_BPF_H

#include "fault.bpf.h"

struct context_row {
	__s32 device;
	__u8 primary;
	/* a pool of managed memory, which has no fixed place: the device is the preferred one */
	__u8 managed;
	__u8 green; /* a green context: a part of its device */
	__u8 pad;
	__u32 attached; /* references to a context besides its creator's */
};

struct device_key {
	__u32 program;
	__s32 device;
};

/* cudaStreamPerThread; 0 and 1 are default streams, too: driver_types.h */
#define STREAM_PER_THREAD 2

/* Contexts, memory pools and streams */
HASH_MAP(contexts, struct address_key, struct context_row, 65536);
/* How often a device's primary context is retained */
HASH_MAP(primaries, struct device_key, __u32, 65536);

/*
 * CUmemLocationType, cudaMemLocationType: 0 is none, 1 a device; 2 to 4 are all locations on the
 * host (CUDA 13.0: cuda.h, driver_types.h). Later ones are GPU memory: 5 is a pool on a device that
 * this process does not see (CUDA 13.2, CU_MEM_LOCATION_TYPE_INVISIBLE), and 13.4 adds locality
 * domains of a device.
 */
#define LOCATION_DEVICE    1
#define LOCATION_HOST      2 /* CU_MEM_LOCATION_TYPE_HOST, and up to */
#define LOCATION_HOST_LAST 4 /* CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT */
/* offset of the location in CUmemAllocationProp, CUmemPoolProps and cudaMemPoolProps */
#define LOCATION_OFFSET 8

/* struct CUmemLocation, cuda.h */
struct location {
	__s32 type, id;
};

/* CU_MEM_ALLOCATION_TYPE_MANAGED, cudaMemAllocationTypeManaged: the first property of a pool */
#define TYPE_MANAGED 2
#define DEVICE_HOST  (-2) /* context_row.device for a pool of host memory */

/* Reads the location at @where. Returns the device, DEVICE_HOST, or CUTOP_DEVICE_UNKNOWN. */
static __always_inline __s32 device_at(__u64 where)
{
	struct location location = {};

	if (bpf_probe_read_user(&location, sizeof(location), (void *)where))
		argument_lost();
	if (location.type == LOCATION_DEVICE)
		return location.id;
	return location.type >= LOCATION_HOST && location.type <= LOCATION_HOST_LAST ?
		       DEVICE_HOST :
		       CUTOP_DEVICE_UNKNOWN;
}

#define DEVICES_MAX 1024 /* as in the model: a larger number is invalid */
/* devices_used[]: the program in the upper half; the only device, plus 1, or this */
#define DEVICES_SEVERAL 0xffffffff

/* Memory of @device was allocated. */
static __always_inline void device_used(__u32 program, __s32 device)
{
	__u64 *used = &devices_used[program & (WATCHFUL_COUNT - 1)], mine = (__u64)program << 32,
	      was = *used;

	if ((__u32)device >= DEVICES_MAX || was == (mine | (device + 1)) ||
	    was == (mine | DEVICES_SEVERAL))
		return;
	*used = mine | (was >> 32 == program ? DEVICES_SEVERAL : (__u32)device + 1);
}

/*
 * True if the program's memory may be on more than one device. If another program took its entry of
 * devices_used[], that is assumed.
 */
static __always_inline bool uses_several_devices(__u32 program)
{
	__u64 used = devices_used[program & (WATCHFUL_COUNT - 1)];

	return used && (used >> 32 != program || (__u32)used == DEVICES_SEVERAL);
}

__u32 many_devices; /* a device other than 0 is in use */

static __always_inline void device_note(__s32 device)
{
	if (device > 0 && !many_devices)
		many_devices = 1;
}

static __always_inline void context_turn(struct thread_state *thread, __u64 context, __s32 device)
{
	if ((__u32)device >= DEVICES_MAX)
		device = CUTOP_DEVICE_UNKNOWN;
	device_note(device);
	thread->context = context;
	thread->device = device;
	thread->green = 0;
	thread->settled = 0;
	thread->doubtful = 0;
}

/*
 * What is known about a context, memory pool or stream, NULL: nothing. A pool's device may be
 * DEVICE_HOST or CUTOP_DEVICE_UNKNOWN.
 */
static __always_inline struct context_row *context_known(__u32 program, __u64 handle)
{
	struct address_key key = { .address = handle, .program = program };

	return bpf_map_lookup_elem(&contexts, &key);
}

/* Makes the context @handle current. */
static __always_inline void context_turn_to(struct thread_state *thread, __u64 handle)
{
	struct context_row *row = context_known(thread->program, handle);

	context_turn(thread, row && !row->primary ? handle : 0,
		     row ? row->device : CUTOP_DEVICE_UNKNOWN);
	if (row)
		thread->green = row->green;
}

/*
 * The place for the context below @depth others. The barrier keeps the limit in: where the depth is
 * compared first, clang 19 leaves it out, but Linux before 6.13 does not follow the comparison.
 */
static __always_inline struct context_entry *context_place(struct thread_state *thread, __u32 depth)
{
	depth &= CONTEXT_COUNT - 1;
	asm volatile("" : "+r"(depth));
	return &thread->contexts[depth & (CONTEXT_COUNT - 1)];
}

static __always_inline void context_push(struct thread_state *thread)
{
	struct context_entry *entry = context_place(thread, thread->context_depth);

	if (thread->context_depth < CONTEXT_COUNT) {
		entry->context = thread->context;
		entry->device = thread->device;
		entry->green = thread->green;
	}
	thread->context_depth++;
}

static __always_inline void context_pop(struct thread_state *thread)
{
	struct context_entry *entry;

	if (!thread->context_depth) {
		/*
		 * The current context was set, not pushed, or pushed before cutop started. The
		 * runtime chooses what follows.
		 */
		context_turn(thread, 0, CUTOP_DEVICE_UNKNOWN);
		return;
	}
	thread->context_depth--;
	entry = context_place(thread, thread->context_depth);
	if (thread->context_depth < CONTEXT_COUNT) {
		context_turn(thread, entry->context, entry->device);
		thread->green = entry->green;
	} else {
		/* Deeper than the contexts that are stored */
		context_turn(thread, 0, CUTOP_DEVICE_UNKNOWN);
	}
}

static __always_inline void context_learn(struct thread_state *thread, __u64 handle,
					  const struct context_row *row)
{
	struct address_key key = { .address = handle, .program = thread->program };

	device_note(row->device);
	if (bpf_map_update_elem(&contexts, &key, row, BPF_ANY))
		count_lost(LOST_NAMES);
}

/* The device of the context with handle @handle, or CUTOP_DEVICE_UNKNOWN. */
static __noinline __s32 context_device(struct thread_state *thread, __u64 handle)
{
	struct context_row *row = context_known(thread->program, handle);

	return row ? row->device : CUTOP_DEVICE_UNKNOWN;
}

/*
 * Reports that the memory of @context, or of @device if that is 0, ended in a call that was entered
 * at @entry.
 */
static __noinline int reset_send(struct thread_state *thread, __u32 call, __u64 entry, __s32 device,
				 __u64 context)
{
	__u64 now = bpf_ktime_get_ns(), lasted = (now - entry) / CUTOP_LASTED_NS + 1;
	struct rec_reset *rec;

	fault_end(thread, device, !context);
	rec = record_begin(thread, REC_RESET, sizeof(*rec), now);
	if (!rec)
		return 0;
	rec->device = device;
	rec->call = call;
	rec->lasted = lasted < 0xffff ? lasted : 0xffff;
	rec->context = context;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return 0;
}

/*
 * The primary context of @device is retained (@change 1) or released (-1). True if this was the
 * last reference. For a late process that is unknown, since it may hold one from before.
 */
static __always_inline bool primary_count(struct thread_state *thread, __s32 device, int change)
{
	struct device_key key = { .program = thread->program, .device = device };
	__u32 none = 0, *count = bpf_map_lookup_elem(&primaries, &key);

	if (change < 0 && late_of(thread->tgid) == LATE_ALL)
		return false;

	if (!count && change > 0) {
		bpf_map_update_elem(&primaries, &key, &none, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&primaries, &key);
	}
	if (!count || (change < 0 && !*count))
		return false; /* retained before cutop started: when it ends is unknown */
	return __sync_fetch_and_add(count, change) == 1 && change < 0;
}

static __always_inline bool context_teaches(__u32 act)
{
	return act == CONTEXT_CREATE || act == CONTEXT_RETAIN || act == CONTEXT_RELEASE ||
	       (act >= CONTEXT_POOL && act < CONTEXT_STREAM) || act == CONTEXT_STREAM_OF;
}

/* The kind of memory in a pool (CUmemAllocationType), 0 if the call does not say. */
static __always_inline __u32 pool_type(struct pt_regs *ctx, const volatile struct call_desc *desc)
{
	__u32 type = 0;

	if (desc->a == CONTEXT_POOL_AT)
		return call_arg(ctx, desc->c + 1);
	if (desc->a == CONTEXT_POOL &&
	    bpf_probe_read_user(&type, sizeof(type), (void *)call_arg(ctx, desc->c)))
		return 0; /* then its place cannot be read either, which is reported */
	return type;
}

#define CONTEXT_AGAIN 1 /* frame->flags: see is_same_act() */

static __always_inline bool teaches_again(__u32 cookie, __u32 outer)
{
	const volatile struct call_desc *desc = desc_of(CUTOP_COOKIE_CALL(outer));

	return is_same_act(cookie, outer) && desc->class == CLASS_CONTEXT &&
	       context_teaches(desc->a);
}

/* Calls inside another hooked call are followed, too, for what they teach. */
static __always_inline int context_entry(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;

	/* If the outer call is the same act and teaches the same, the outer call does it. */
	frame->flags = frame->nested && teaches_again(run->cookie,
						      frame_cookie(thread, thread->depth - 2)) ?
			       CONTEXT_AGAIN :
			       0;
	if (frame->nested && (!context_teaches(desc->a) || frame->flags & CONTEXT_AGAIN)) {
		if (run->session)
			frame_cancel(thread);
		return 1;
	}
	frame->context.handle = call_arg(run->ctx, desc->b);
	frame->context.parent = call_arg(run->ctx, desc->c);
	frame->context.type = pool_type(run->ctx, desc);
	if (desc->a == CONTEXT_POOL || desc->a == CONTEXT_POOL_AT)
		frame->context.device = device_at(frame->context.parent +
						  (desc->a == CONTEXT_POOL ? LOCATION_OFFSET : 0));
	caller_note(run);
	return call_entered(run);
}

/* How a context or pool was created. */
#define MADE_NESTED  1
#define MADE_MANAGED 2

/* Effects of a successful call: a context or pool was created. */
static __noinline int context_made(struct thread_state *thread, __u32 act, __u64 where,
				   __s32 device, __u32 how)
{
	struct context_row row = { .device = device, .managed = (how & MADE_MANAGED) != 0 };
	__u64 handle = 0;

	if (bpf_probe_read_user(&handle, sizeof(handle), (void *)where)) {
		count_lost_of(thread->program, LOST_ARGUMENT);
		return 0;
	}
	row.green = act == CONTEXT_FROM || act == CONTEXT_GREEN;
	row.primary = row.green || act == CONTEXT_RETAIN || act == CONTEXT_OF_DEVICE;
	context_learn(thread, handle, &row);
	if (act == CONTEXT_RETAIN || act == CONTEXT_GREEN)
		primary_count(thread, device, 1);
	if (act == CONTEXT_CREATE && !(how & MADE_NESTED)) {
		context_push(thread);
		context_turn(thread, handle, device);
	}
	return 0;
}

/* A stream is gone; its handle may be reused. */
static __noinline int stream_forget(struct thread_state *thread, __u64 stream)
{
	struct address_key key = { .address = stream, .program = thread->program };

	bpf_map_delete_elem(&contexts, &key);
	return 0;
}

/*
 * The context @handle is attached (@change 1) or detached (-1). Returns 0 if only its creator's
 * reference was left. A primary context is retained and released instead, and does not end in this
 * way.
 */
static __noinline int context_attach(struct thread_state *thread, __u64 handle, int change)
{
	struct context_row *row = context_known(thread->program, handle);

	if (row && row->primary)
		return 1;
	if (!row || (change < 0 && !row->attached))
		return 0;
	row->attached += change;
	return 1;
}

static __noinline int context_destroyed(struct thread_state *thread, __u32 call, __u64 entry,
					__u64 handle)
{
	struct address_key key = { .address = handle, .program = thread->program };
	struct context_row *row;

	row = bpf_map_lookup_elem(&contexts, &key);
	reset_send(thread, call, entry, row ? row->device : CUTOP_DEVICE_UNKNOWN, handle);
	bpf_map_delete_elem(&contexts, &key);
	if (thread->context == handle)
		context_pop(thread);
	return 0;
}

static __always_inline void context_return(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;
	bool nested = frame->nested;
	__u32 call = run->call;
	__u64 handle;
	__s32 device;

	if (nested && (!context_teaches(desc->a) || frame->flags & CONTEXT_AGAIN))
		return;
	if (run->result)
		return;
	handle = frame->context.handle;
	device = desc->a == CONTEXT_STREAM ? thread->device : frame->context.device;
	switch (desc->a) {
	case CONTEXT_SET:
		/* NULL pops the current context: cuda.h, cuCtxSetCurrent() */
		if (handle)
			context_turn_to(thread, handle);
		else
			context_pop(thread);
		break;
	case CONTEXT_PUSH:
		context_push(thread);
		context_turn_to(thread, handle);
		break;
	case CONTEXT_POP: context_pop(thread); break;
	case CONTEXT_ATTACH: context_attach(thread, thread->context, 1); break;
	case CONTEXT_DETACH:
		if (context_attach(thread, handle, -1))
			break;
		/* fall through */
	case CONTEXT_DESTROY: context_destroyed(thread, call, frame->entry, handle); break;
	case CONTEXT_GREEN_END:
		device = context_device(thread, handle);
		/* fall through */
	case CONTEXT_RELEASE:
		if (primary_count(thread, device, -1) && !nested)
			reset_send(thread, call, frame->entry, device, 0);
		break;
	case CONTEXT_RESET: reset_send(thread, call, frame->entry, device, 0); break;
	case CONTEXT_STREAM_OF:
	case CONTEXT_FROM:
		device = context_device(thread, frame->context.parent);
		/* fall through */
	default:
		context_made(thread, desc->a, handle, device,
			     (nested ? MADE_NESTED : 0) |
				     (frame->context.type == TYPE_MANAGED ? MADE_MANAGED : 0));
	}
}

#endif
