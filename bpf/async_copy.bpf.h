/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asynchronous copies: which stream they are made in, and the host memory that they copy. The first
 * time that a page of it is copied, user space is told: it knows whether CUDA allocated the page, or
 * whether it is pageable.
 */
#ifndef ASYNC_COPY_BPF_H
#define ASYNC_COPY_BPF_H

#include "fault.bpf.h"

#define STREAM_LEGACY 1 /* cudaStreamLegacy, CU_STREAM_LEGACY */
#define STREAM_THREAD 2 /* cudaStreamPerThread */
/* Bytes above the stack pointer where callers have their variables */
#define STACK_NEAR (1u << 20)
#define HOSTS_MAX  4096 /* pages of host memory that are reported, per row of `copies` */

struct {
	/* Pages that fall out of the LRU map are reported again */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct address_key);
	__type(value, __u32);
} hosts SEC(".maps");

static __always_inline __u32 stream_rule(__u32 call)
{
	call &= CALL_TABLE_SIZE - 1;
	asm volatile("" : "+r"(call));
	return call_streams[call & (CALL_TABLE_SIZE - 1)];
}

/* The stream that @stream means in @call of this thread. */
static __always_inline __u64 stream_meant(struct thread_state *thread, __u32 call, __u64 stream)
{
	if (!stream)
		stream = stream_rule(call) & CUTOP_STREAM_PER_THREAD ? STREAM_THREAD :
								       STREAM_LEGACY;
	return stream == STREAM_THREAD ? stream | (__u64)thread->tid << 32 : stream;
}

/*
 * Before CUDA 13, the runtime's batch calls had one more argument: where to write the index of a
 * copy that fails. It is where the stream, at @place, is now, or one argument before, where flags
 * are now. It is an address, mostly on the caller's stack, which neither a stream nor flags can be.
 */
static __noinline __u32 stream_moved(struct pt_regs *ctx, __u32 place)
{
	place &= CUTOP_STREAM_ARGUMENT;
	if (call_arg(ctx, place - 1) >= SMALL_NUMBER ||
	    call_arg(ctx, place) - call_sp(ctx) < STACK_NEAR)
		place++;
	return place;
}

/* Which argument of @call is the stream, at its entry; CUTOP_STREAM_NONE. */
static __always_inline __u32 stream_place(struct pt_regs *ctx, __u32 call)
{
	__u32 rule = stream_rule(call);

	return rule & CUTOP_STREAM_MOVED ? stream_moved(ctx, rule) : rule & CUTOP_STREAM_ARGUMENT;
}

/* The stream of a call that has one, at its entry. */
static __always_inline __u64 stream_argument(struct pt_regs *ctx, struct thread_state *thread,
					     __u32 call)
{
	__u32 argument = stream_place(ctx, call);

	return stream_meant(thread, call,
			    argument == CUTOP_STREAM_NONE ? 0 : call_arg(ctx, argument));
}

/* Reports the host page at @address, unless that was done. @row: the copy's. */
static __noinline int host_tell(struct thread_state *thread, struct copy_row *row,
				const struct frame *frame, __u64 site)
{
	bool to_host = frame->direction == DIR_D2H;
	struct address_key key = {};
	struct rec_host *rec;
	__u64 *last, address;
	__u32 one = 1;

	if (!row)
		return 0;
	address = to_host ? frame->copy.destination : frame->copy.source;
	/* Once per direction and device, since the row of both is marked. */
	key.program = thread->program;
	key.address = address >> page_shift << 8 | (thread->device & 127) << 1 | to_host;
	last = &thread->hosts[(key.address >> 8) & (HOST_CACHE - 1)];
	if (*last == key.address)
		return 0;
	*last = key.address;
	if (bpf_map_lookup_elem(&hosts, &key) || row->hosts >= HOSTS_MAX)
		return 0;
	bpf_map_update_elem(&hosts, &key, &one, BPF_ANY);
	__sync_fetch_and_add(&row->hosts, 1);
	site_announce(thread, site);
	rec = record_begin(thread, REC_HOST, sizeof(*rec), bpf_ktime_get_ns());
	if (!rec)
		return 0;
	rec->address = address;
	rec->site = site;
	rec->device = thread->device;
	rec->call = frame->call;
	rec->direction = frame->direction;
	rec->pad = 0;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return 0;
}

#endif
