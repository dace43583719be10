/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The size of a device: learned when the program asks CUDA, or the runtime asks the driver when it
 * starts. Reported once per program and device, since programs may ask for the free memory in a
 * loop.
 */
#ifndef SIZE_BPF_H
#define SIZE_BPF_H

#include "context.bpf.h"

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

#endif
